from typing import Annotated

import numpy
from numpy.typing import NDArray

import assay.trees._grow


def grow_several(*, columns: assay.trees._grow.RankedColumns, limits: assay.trees._grow.Limits, targets: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], target_start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], criterion: int, seed: int, use_up: bool) -> tuple: ...
