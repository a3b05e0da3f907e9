from typing import Annotated

import numpy
from numpy.typing import NDArray


class Program:
    def __init__(self, *, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], slot: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sign: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], linear: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ridge: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], constants: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], constraint: int) -> None: ...

def assemble(program: Program, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], state: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], system: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], wanted: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float: ...

def advance(*, program: Program, answer: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], root: float, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')], F: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], levels: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> int: ...

def finish(program: Program, rounds: int, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')], F: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], levels: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> int: ...
