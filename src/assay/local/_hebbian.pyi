from typing import Annotated

import numpy
from numpy.typing import NDArray


def learn(X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], M: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], rate: float, decay: bool) -> None: ...
