from typing import Annotated

import numpy
from numpy.typing import NDArray


class Table:
    def __init__(self, *, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], above: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], below: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], epsilon: float, constant: float) -> None: ...

def respond(table: Table, z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], G: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float: ...

def scores(table: Table, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def newton(*, table: Table, tol: float, steps: int, v: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], c: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> tuple: ...
