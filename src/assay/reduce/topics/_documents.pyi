from typing import Annotated

import numpy
from numpy.typing import NDArray


class Counts:
    def __init__(self, *, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], word: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: int) -> None: ...

def documents(*, counts: Counts, topics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gamma: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], expected: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], ratio: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], max_iter: int, tol: float, first: int, last: int) -> int: ...

def mixtures(counts: Counts, topics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], expected: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def digamma_tails(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...
