"""The nearest of many rows, one block of scores at a time."""

from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def gather(*, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], offset: int, left_out: int, k: int, slack: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], store: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def gather(*, scores: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offset: int, left_out: int, k: int, slack: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], store: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def scan(*, Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, offset: int, left_out: int, k: int, slack: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], store: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def scan(*, Q: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, offset: int, left_out: int, k: int, slack: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], store: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def settle(*, Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, k: int, slack: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], store: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def settle(*, Q: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], p: float, k: int, slack: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], store: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

def sorted(k: int, count: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], store: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], distance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

def closest(Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], XT: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n: int, p: float, row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def pairs(Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], query: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def pairs(Q: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], query: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def pair_sums(Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], query: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def pair_sums(Q: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], query: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], p: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...
