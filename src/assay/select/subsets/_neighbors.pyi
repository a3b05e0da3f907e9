from typing import Annotated

import numpy
from numpy.typing import NDArray


def nearest(*, XT: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], adding: bool, squared: bool, row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

def nearest_alone(*, XT: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], candidates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], squared: bool, row: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], sum: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...
