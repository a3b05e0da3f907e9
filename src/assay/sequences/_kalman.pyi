from typing import Annotated

import numpy
from numpy.typing import NDArray


class System:
    def __init__(self, *, F: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Q: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], R: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

def filter(*, system: System, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], predicted: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], predicted_covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], logs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

def smooth(*, system: System, begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], predicted: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], predicted_covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], lagged: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...
