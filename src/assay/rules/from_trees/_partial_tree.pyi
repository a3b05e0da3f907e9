from typing import Annotated

import numpy
from numpy.typing import NDArray

import assay.trees._multiway


class HeldRows:
    def __init__(self, *, codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def best_leaf(*, rows: assay.trees._multiway.SortedRows, held: HeldRows, pruning: int, one_vs_rest: bool, min_leaf: float, correction: bool, confidence: float, z: float, most_nodes: int) -> tuple: ...

def keep(lists: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], kept: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], out_lists: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')], out_codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...
