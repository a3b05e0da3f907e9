from typing import Annotated

import numpy
from numpy.typing import NDArray


class OnlineRule:
    def __init__(self, *, product: bool, rate: float, momentum: float, conscience: float, memory: float) -> None: ...

def visit(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], M: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], motion: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], wins: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], rule: OnlineRule) -> None: ...
