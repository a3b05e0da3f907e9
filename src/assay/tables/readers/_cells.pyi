from typing import Annotated

import numpy
from numpy.typing import NDArray


class Reading:
    def __init__(self, *, marks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], trim: bool, quoted_missing: bool, point: int, quote: int, escape: int, powers: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def scan(*, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], start: int, delimiter: int, quote: int, escape: int, comment: int, final: bool, width: int, cells: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], result: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def numbers(*, data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, j: int, rows: int, reading: Reading, kind: int, store: bool) -> tuple[int, int, int, object, object]: ...

def text(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, j: int, rows: int, reading: Reading) -> tuple[int, object, object, object]: ...
