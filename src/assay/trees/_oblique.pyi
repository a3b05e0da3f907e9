from typing import Annotated

import numpy
from numpy.typing import NDArray


class Case:
    def __init__(self, *, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], K: int, criterion: int, min_leaf: int, min_weight: float) -> None: ...

def best_step(v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], direction: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], case: Case) -> tuple[float, float]: ...

def best_column(Z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], case: Case, close: float) -> tuple[int, float, float]: ...

def descend(*, Z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], case: Case, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], shifts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], jumps: int, cycles: int, drift: bool, seed: int, epsilon: float) -> float: ...
