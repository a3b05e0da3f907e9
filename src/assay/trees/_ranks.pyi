from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def rank_block(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: int, last: int, categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')], ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], keep_values: bool) -> tuple: ...

@overload
def rank_block(*, X: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: int, last: int, categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')], ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], keep_values: bool) -> tuple: ...

def values_of_order(order: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], j: int, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def ranks_of_order(order: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def order_of_ranks(ranks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], distinct: int, order: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...
