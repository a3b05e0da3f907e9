from typing import Annotated

import numpy
from numpy.typing import NDArray


def descend(*, gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ridge: float, tol: float, most: int, visits: int, a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], g: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], state: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...
