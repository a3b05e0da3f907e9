from typing import Annotated

import numpy
from numpy.typing import NDArray


class SortedRows:
    def __init__(self, *, codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], lists: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')], distinct: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_categories: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, K: int, fractions: bool) -> None: ...

class Rules:
    def __init__(self, *, criterion: int, average: bool, correction: bool, tenth: bool, useless: bool, one_vs_rest: bool, min_leaf: float, penalty: float, tolerance: float, max_depth: int) -> None: ...

def grow(rows: SortedRows, rules: Rules, most_nodes: int) -> tuple: ...

def offers(rows: SortedRows, rules: Rules, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...
