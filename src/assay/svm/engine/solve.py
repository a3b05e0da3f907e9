"""One way to solve the quadratic programs of all kernel machines."""

from __future__ import annotations

import numpy as np

from assay.core.progress import Progress, progress
from assay.kernels.gram_rows import GramRows, MatrixRows
from assay.svm.engine.blocks import search_in_blocks
from assay.svm.engine.dual import Dual, Solution
from assay.svm.engine.polish import polished
from assay.svm.engine.search import Search

__all__ = ["solve"]

VALUES_A_CALL = 400_000_000  # of the kernel matrix that native code goes through between two looks for Ctrl-C
MOST_DOUBLE_ROWS = 500  # training rows up to which the matrix is held in float64 at any tolerance
SINGLE_TOLERANCE = 1e-5  # below, float32 would need many gradients anew
SINGLE_RANGE = 1e30  # values beyond do not fit float32
LEAST_STEPS = 10_000_000  # that max_iter=-1 allows
MOST_REFRESHES = 20
LEAST_ROWS_IN_BLOCKS = 1_500  # training rows up to which the whole matrix is quickest
SHARE_IN_BLOCKS = 0.3  # of the rows that start above 0: with fewer, rows are computed as they are needed


def solve(
    gram: GramRows,
    dual: Dual,
    *,
    tol: float = 1e-3,
    cache_size: float = 200.0,
    max_iter: int = -1,
    polish: bool = False,
) -> Solution:
    """The multipliers at which no pair violates the optimality conditions by more than ``tol``.

    While the kernel matrix fits the cache it is held as a whole, in float64 up to 500 rows and for tolerances below
    1e-5, else in float32; a larger one is solved in blocks of rows (`search_in_blocks`). Where rounding might hide a
    violation, the gradient is computed anew in float64 before the search ends. A matrix that is there already
    (`MatrixRows`) is used as it is, whatever its size.

    Parameters
    ----------
    gram : GramRows, the kernel matrix of the training rows
    dual : Dual
    tol : float
    cache_size : float, megabytes of kernel values that may be held
    max_iter : int, the most steps; -1 for ten million, or a hundred for each multiplier if that is more
    polish : bool, whether a small problem is then solved to the last digits (`polished`)
    """
    search = Search(gram, dual)
    most = max(LEAST_STEPS, 100 * search.m) if max_iter < 0 else max_iter
    dtype, whole = _precision(gram, search.diagonal, tol, cache_size)
    whole = whole and not _needs_few_rows(gram, dual)
    with progress(description="fitting a kernel machine") as bar:
        if whole:
            K, places = (gram.K, gram.rows) if isinstance(gram, MatrixRows) else (gram.whole(dtype), None)
            search.begin(K, places)
            converged = search_whole(search, K, places, tol, most, bar)
        else:
            search.refresh(dtype=dtype)
            converged = search_in_blocks(search, dtype, tol, cache_size, most, bar)
    return (polished(search) if polish and converged else None) or search.solution(converged)


def _precision(gram: GramRows, diagonal: np.ndarray, tol: float, cache_size: float) -> tuple[np.dtype, bool]:
    """In which type values are computed, and whether all of them are held."""
    if isinstance(gram, MatrixRows):
        return gram.K.dtype, True  # they are held already
    largest = float(np.abs(diagonal).max(initial=0.0))
    exact = gram.n <= MOST_DOUBLE_ROWS or tol < SINGLE_TOLERANCE
    cache = cache_size * 2**20
    if largest > SINGLE_RANGE or (exact and 8 * gram.n**2 <= cache):
        return np.dtype(np.float64), 8 * gram.n**2 <= cache
    return np.dtype(np.float32), 4 * gram.n**2 <= cache


def _needs_few_rows(gram: GramRows, dual: Dual) -> bool:
    """Whether the start has few multipliers above 0, of many rows, as one-class problems of small nu have."""
    started = int(np.count_nonzero(dual.start))
    held = isinstance(gram, MatrixRows)
    return bool(not held and gram.n > LEAST_ROWS_IN_BLOCKS and 0 < started < SHARE_IN_BLOCKS * gram.n)


def search_whole(
    search: Search, K: np.ndarray, places: np.ndarray | None, tol: float, most: int, bar: Progress
) -> bool:
    """Steps with the whole matrix in memory, K or a part of it; whether the gap is below ``tol``."""
    a_call = max(1_000, VALUES_A_CALL // max(search.m, 1))
    fresh = False
    for _ in range(MOST_REFRESHES):
        before = search.iterations
        done = a_call
        while done == a_call and search.iterations < most:
            a_call = min(a_call, most - search.iterations)
            done = search.steps(K, places, tol, a_call)
            bar.advance(done, note=f"gap {search.gap:.2g}")
        if search.iterations >= most or (fresh and search.iterations == before):
            break
        if search.rounding(K.dtype) < 0.1 * tol and search.gap < tol:
            break
        search.refresh()
        fresh = True
    return search.gap < tol
