from typing import Annotated

import numpy
from numpy.typing import NDArray


def edit_distances(*, codes_a: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start_a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes_b: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], start_b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], letters: int, limit: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

def edit_table(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

def subsequences(*, codes_a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], start_a: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes_b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], start_b: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int, decay: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...
