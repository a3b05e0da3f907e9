from typing import Annotated

import numpy
from numpy.typing import NDArray


class BoxProgram:
    def __init__(self, *, N: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], E: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], R: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: float) -> None: ...

class StopRule:
    def __init__(self, *, gap: float, error: float, least: float, reach: float, jitter: float, most: int) -> None: ...

def newton(*, program: BoxProgram, limits: StopRule, t: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], z_up: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...
