from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Binned:
    def __init__(self, *, bins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], place: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], nominal: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], bin_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], category_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], wide_start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> None: ...

@overload
def bin_rows(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], a: int, b: int, binned: Binned, panels: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], columns: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], wide: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def bin_rows(*, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], a: int, b: int, binned: Binned, panels: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], columns: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu')], wide: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

@overload
def sort_column(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], j: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], room: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], other: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

@overload
def sort_column(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], j: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], room: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], other: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

@overload
def few_values(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], j: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

@overload
def few_values(X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], j: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...
