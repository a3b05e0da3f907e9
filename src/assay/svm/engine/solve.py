"""One way to solve the quadratic programs of all kernel machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.svm.engine._solve as _solve
from assay.core.progress import Progress, progress
from assay.kernels.gram_rows import GramRows, MatrixRows, SingleRows
from assay.svm.engine.blocks import search_in_blocks
from assay.svm.engine.dual import CONSTRAINTS, Dual, Solution
from assay.svm.engine.polish import MOST_VALUES, offsets, polished
from assay.svm.engine.search import Search

__all__ = ["solve"]

VALUES_A_CALL = 400_000_000  # of the kernel matrix that native code goes through between two looks for Ctrl-C
MOST_DOUBLE_ROWS = 500  # training rows up to which the matrix is held in float64 at any tolerance
SINGLE_TOLERANCE = 1e-5  # below, float32 would need many gradients anew
SINGLE_RANGE = 1e30  # values beyond do not fit float32
LEAST_STEPS = 10_000_000  # that max_iter=-1 allows
MOST_REFRESHES = 20
LEAST_ROWS_IN_BLOCKS = 1_500  # training rows up to which the whole matrix is quickest
FINISHED, CONVERGED, OPEN, UNTOUCHED = range(4)  # how far native code settled a problem, as it has them
ALL_COMPUTED = 400  # training rows up to which all rows of the kernel matrix may be computed one by one
FEW_COMPUTED = 192  # rows of larger ones, beside those of the start, before all are computed at once,
SHARE_COMPUTED = 1 / 16  # or this share of them
SHARE_STARTED = 0.25  # of the rows that start above 0: with more, all are computed at once
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

    Rows of the kernel matrix are computed when they are first needed; a problem that needs many gets the whole matrix
    while it fits the cache, in float64 up to 500 rows and for tolerances below 1e-5, else in float32, and is solved in
    blocks of rows beyond (`search_in_blocks`). Where rounding might hide a violation, the gradient is computed anew in
    float64 before the search ends. A matrix that is there already (`MatrixRows`) is used as it is, whatever its size.

    Parameters
    ----------
    gram : GramRows, the kernel matrix of the training rows
    dual : Dual
    tol : float
    cache_size : float, megabytes of kernel values that may be held
    max_iter : int, the most steps; -1 for ten million, or a hundred for each multiplier if that is more
    polish : bool, whether a small problem is then solved to the last digits (`polished`)
    """
    most = max(LEAST_STEPS, 100 * len(dual.sign)) if max_iter < 0 else max_iter
    begun = _settled(gram, dual, tol, cache_size, most) if polish else None
    if isinstance(begun, Solution):
        return begun
    search = Search(gram, dual, begun)
    if begun is not None and begun.outcome == CONVERGED:
        return polished(search) or search.solution(True)
    dtype, whole = _precision(gram, search.diagonal, tol, cache_size)
    whole = whole and not _needs_few_rows(gram, dual)
    with progress(description="fitting a kernel machine") as bar:
        if whole:
            search.gram = gram.held() or gram
            K, places = _whole(search.gram, dtype)
            if begun is None:
                search.begin(K, places)
            converged = search_whole(search, K, places, tol, most, bar)
        else:
            if begun is None:
                search.refresh(dtype=dtype)
            converged = search_in_blocks(search, dtype, tol, cache_size, most, bar)
    return (polished(search) if polish and converged else None) or search.solution(converged)


def _whole(gram: GramRows, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray | None]:
    """The whole matrix, or one that it is a part of and its places there."""
    if isinstance(gram, MatrixRows):
        return gram.K, gram.rows
    return gram.whole(dtype), None


def _native(single: SingleRows) -> Any:
    """What native code computes rows from; all pairs of classes share it."""
    laid = single.laid_out
    if laid.native is None:
        laid.native = _solve.Source(
            kind=laid.form.kind, degree=laid.form.degree, gamma=float(laid.form.gamma), coef0=float(laid.form.coef0),
            A=laid.A, half_a=laid.half_a, panels=laid.panels, half_b=laid.half_b, first=laid.first, last=laid.last,
            panel=laid.panel,
        )  # fmt: skip
    return laid.native


@dataclass(frozen=True, eq=False)
class Begun:
    """Where native code left a problem that it could not finish."""

    outcome: int
    alpha: np.ndarray
    G: np.ndarray
    base: np.ndarray
    gap: float
    iterations: int


def _settled(gram: GramRows, dual: Dual, tol: float, cache_size: float, most: int) -> Solution | Begun | None:
    """A problem of which few rows of the matrix are needed, or whose matrix is there: its solution to the last digits.

    None if it is of another kind, else how far it got.
    """
    sign = dual.sign
    n, m = gram.n, len(sign)
    K = places = source = None
    if isinstance(gram, MatrixRows):
        if gram.K.dtype != np.float64:
            return None
        K, places = gram.K, gram.rows
    elif 4 * n * n > cache_size * 2**20 or (single := gram.single_rows()) is None:
        return None
    else:
        source, places = _native(single), single.segments
    if m not in (n, 2 * n):
        return None
    diagonal = gram.diagonal
    largest = float(np.maximum(diagonal.max(initial=0.0), -diagonal.min(initial=0.0)))
    if not largest < np.inf:
        return None
    ridge = np.zeros(m) if dual.ridge is None else dual.ridge
    groups = {"sum": 1, "none": 0}.get(dual.constraint, 2)
    alpha = np.minimum(np.maximum(dual.start, 0.0), dual.upper)
    started = int(np.count_nonzero(alpha))
    if source is not None and started > SHARE_STARTED * n:
        held = gram.held()
        if held is None:
            return None
        K, places, source = held.K, None, None
    pulls, levels, summary = np.empty((3, m)), np.empty((3, groups)), np.empty(4)
    computed = n if n <= ALL_COMPUTED else max(FEW_COMPUTED, int(SHARE_COMPUTED * n)) + started
    outcome = _solve.settle(
        K=K, places=places, source=source, diagonal=diagonal,
        bounds=_solve.Bounds(
            sign=sign, upper=dual.upper, ridge=ridge, constraint=CONSTRAINTS.index(dual.constraint)
        ),
        linear=dual.linear,
        limits=_solve.Limits(
            tol=tol, steps=min(most, max(1_000, VALUES_A_CALL // m)), computed=computed, values=MOST_VALUES
        ),
        alpha=alpha, pulls=pulls, levels=levels, summary=summary,
    )  # fmt: skip
    if outcome == UNTOUCHED:
        return None
    iterations, gap = int(summary[1]), max(float(summary[0]), 0.0)
    if outcome != FINISHED:
        return Begun(outcome, alpha, pulls[0, :n], pulls[1], gap, iterations)
    offset, offset_range, margin = offsets(levels, dual.constraint)
    return Solution(
        alpha=alpha, gradient=pulls[2], offset=offset, offset_range=offset_range, margin=margin,
        objective=float(summary[3]), gap=0.0, iterations=iterations, converged=True,
    )  # fmt: skip


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
