from typing import Annotated

import numpy
from numpy.typing import NDArray


def icm(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], height: int, width: int, coupling: float, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], sweeps: int) -> int: ...

def passing(*, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], height: int, width: int, coupling: float, largest: bool, rounds: int, tolerance: float, beliefs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple: ...
