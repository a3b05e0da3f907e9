from typing import Annotated

import numpy
from numpy.typing import NDArray


class Blocks:
    def __init__(self, *, y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], price: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], power: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], margin: float, constant: float, each: bool) -> None: ...

def sweep_sparse(*, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], blocks: Blocks, tol: float, most: int, W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

def sweep_dense(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], blocks: Blocks, tol: float, most: int, W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

def sweep_gram(*, gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], blocks: Blocks, tol: float, most: int, F: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...
