from typing import Annotated

import numpy
from numpy.typing import NDArray


def pull(*, delta: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Z: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], power: float, first: int, last: int, T: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], S: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...
