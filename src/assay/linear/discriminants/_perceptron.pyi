"""Corrections of the perceptron, row by row."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Rule:
    def __init__(self, *, rate: float, margin: float, tie_is_mistake: bool, bias: bool, limit: int) -> None: ...

def dense(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, rule: Rule, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], drift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], visits: int, corrected: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> tuple: ...

@overload
def sparse(*, data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, rule: Rule, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], drift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], visits: int, corrected: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> tuple: ...

@overload
def sparse(*, data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], indptr: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, rule: Rule, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], drift: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], visits: int, corrected: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> tuple: ...
