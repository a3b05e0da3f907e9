from typing import Annotated

import numpy
from numpy.typing import NDArray


def learn(*, coded: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], count: int, vigilance: float, choice: float, rate: float) -> int: ...
