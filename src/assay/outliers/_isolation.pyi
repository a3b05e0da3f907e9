from typing import Annotated

import numpy
from numpy.typing import NDArray


def isolate(*, X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_depth: int, seed: int, feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], samples: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> int: ...
