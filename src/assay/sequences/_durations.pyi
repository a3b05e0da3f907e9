from typing import Annotated

import numpy
from numpy.typing import NDArray


class Segments:
    def __init__(self, *, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], A: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], durations: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

def expect(*, segments: Segments, F: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gamma: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], first: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], moves: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], lasted: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], logs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], impossible: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def filter(segments: Segments, F: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], logs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], impossible: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def best_paths(segments: Segments, L: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], path: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], logs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...
