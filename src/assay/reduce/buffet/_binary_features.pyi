from typing import Annotated

import numpy
from numpy.typing import NDArray


class Scales:
    def __init__(self, *, noise: float, ratio: float, alpha: float) -> None: ...

def sweep(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Z: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], m: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], mu: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], K: int, scales: Scales, random: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], first: int) -> tuple[int, int]: ...

def responsibilities(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], mu: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], odds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], noise: float, sweeps: int, random: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...
