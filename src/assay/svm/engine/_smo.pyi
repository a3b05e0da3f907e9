from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


@overload
def steps(*, K: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], diagonal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sign: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ridge: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], constraint: int, tol: float, most: int, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], F: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], gap: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

@overload
def steps(*, K: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], diagonal: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sign: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ridge: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], constraint: int, tol: float, most: int, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], F: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], gap: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...
