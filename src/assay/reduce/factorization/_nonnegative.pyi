from typing import Annotated

import numpy
from numpy.typing import NDArray


def sweep(*, A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], G: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], C: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sweeps: int, enough: float, first: int, last: int) -> float: ...

def sweep_known(*, A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], B: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], l1: float, l2: float, sweeps: int, enough: float, first: int, last: int) -> float: ...
