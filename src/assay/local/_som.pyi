from typing import Annotated

import numpy
from numpy.typing import NDArray


class MapRule:
    def __init__(self, *, first_rate: float, last_rate: float, first_sigma: float, last_sigma: float, bubble: bool) -> None: ...

def learn(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], M: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], gap: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rule: MapRule, begin: int, visits: int) -> None: ...
