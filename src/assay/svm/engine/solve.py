"""One way to solve the quadratic programs of all kernel machines."""

from __future__ import annotations

import numpy as np

from assay.core.progress import Progress, progress
from assay.kernels.gram_rows import GramRows, MatrixRows
from assay.svm.engine.blocks import search_in_blocks
from assay.svm.engine.dual import Dual, Solution
from assay.svm.engine.search import Search

__all__ = ["solve"]

VALUES_A_CALL = 400_000_000  # of the kernel matrix that native code goes through between two looks for Ctrl-C
MOST_DOUBLE_ROWS = 2_000  # training rows up to which the matrix is held in float64
LEAST_STEPS = 10_000_000  # that max_iter=-1 allows
MOST_REFRESHES = 20


def solve(
    gram: GramRows, dual: Dual, *, tol: float = 1e-3, cache_size: float = 200.0, max_iter: int = -1
) -> Solution:
    """The multipliers at which no pair violates the optimality conditions by more than ``tol``.

    While the kernel matrix fits the cache it is held as a whole, in float64 up to 2,000 rows and in float32 beyond;
    a larger one is solved in blocks of rows (`search_in_blocks`). Where rounding might hide a violation, the gradient
    is computed anew in float64 before the search ends.

    Parameters
    ----------
    gram : GramRows, the kernel matrix of the training rows
    dual : Dual
    tol : float
    cache_size : float, megabytes of kernel values that may be held
    max_iter : int, the most steps; -1 for ten million, or a hundred for each multiplier if that is more
    """
    search = Search(gram, dual)
    if search.alpha.any():
        search.refresh()
    most = max(LEAST_STEPS, 100 * search.m) if max_iter < 0 else max_iter
    held = gram.K.dtype if isinstance(gram, MatrixRows) else None
    double = 8 * gram.n**2 <= cache_size * 2**20 and (
        gram.n <= MOST_DOUBLE_ROWS or search.diagonal.max(initial=0) > 1e30
    )
    dtype = np.dtype(held or (np.float64 if double else np.float32))
    with progress(description="fitting a kernel machine") as bar:
        if held is not None or dtype.itemsize * gram.n**2 <= cache_size * 2**20:
            converged = search_whole(search, gram.whole(dtype), tol, most, bar)
        else:
            converged = search_in_blocks(search, tol, cache_size, most, bar)
    return search.solution(converged)


def search_whole(search: Search, K: np.ndarray, tol: float, most: int, bar: Progress) -> bool:
    """Steps with the whole matrix in memory; whether the gap is below ``tol``."""
    a_call = max(1_000, VALUES_A_CALL // max(search.m, 1))
    fresh = False
    for _ in range(MOST_REFRESHES):
        before = search.iterations
        done = a_call
        while done == a_call and search.iterations < most:
            a_call = min(a_call, most - search.iterations)
            done = search.steps(K, None, tol, a_call)
            bar.advance(done, note=f"gap {search.gap:.2g}")
        if search.iterations >= most or (fresh and search.iterations == before):
            break
        if search.rounding(K.dtype) < 0.1 * tol and search.gap < tol:
            break
        search.refresh()
        fresh = True
    return search.gap < tol
