"""Corrections of pairs that stand in the wrong order."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def correct(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], rate: float, margin: float, visits: int, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], trail: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

def correct_sparse(*, value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], rate: float, margin: float, visits: int, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], trail: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...
