from typing import Annotated

import numpy
from numpy.typing import NDArray


def improve(F: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalty: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], W: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], steps: int) -> int: ...
