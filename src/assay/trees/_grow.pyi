from typing import Annotated

import numpy
from numpy.typing import NDArray


class RankedColumns:
    def __init__(self, *, order: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')], ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], X: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], has_missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int) -> None: ...

class Limits:
    def __init__(self, *, random: bool, surrogate: bool, spread: bool, max_depth: int, min_split: int, min_leaf: int, min_weight: float, min_node: float, max_features: int, max_leaves: int, min_decrease: float, max_candidates: int) -> None: ...

def grow(*, columns: RankedColumns, limits: Limits, y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], numbers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, criterion: int, monotonic: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], seed: int, use_up: bool) -> tuple: ...
