"""Large margins around rows: targets pulled near, impostors pushed away."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


def push(*, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], impostors: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mu: float, width: float, target_push: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], impostor_push: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> object: ...

def push_all(*, Y: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mu: float, width: float, H: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> object: ...

def nearer(products: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], most: int) -> object: ...
