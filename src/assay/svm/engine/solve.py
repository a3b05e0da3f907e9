"""One way to solve the quadratic programs of all kernel machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, cast

import numpy as np

import assay.svm.engine._solve as _solve
from assay.core.parallel import end_if_abandoned, in_threads, threads
from assay.core.progress import Progress, progress
from assay.kernels.gram_rows import GramRows, MatrixRows, SingleRows
from assay.svm.engine.blocks import search_in_blocks
from assay.svm.engine.dual import CONSTRAINTS, Dual, Solution
from assay.svm.engine.interior import MOST_COLUMNS, cholesky_rows, interior_point
from assay.svm.engine.polish import MOST_VALUES, offsets, polished
from assay.svm.engine.search import Search

__all__ = ["solve", "solve_all"]

VALUES_A_CALL = 400_000_000  # of the kernel matrix that native code goes through between two looks for Ctrl-C
MOST_DOUBLE_ROWS = 500  # training rows up to which the matrix is held in float64 at any tolerance
SINGLE_TOLERANCE = 1e-5  # below, float32 would need many gradients anew
SINGLE_RANGE = 1e30  # values beyond, or below 1 over it, do not fit float32
LEAST_STEPS = 10_000_000  # that max_iter=-1 allows
MOST_REFRESHES = 20
STEPS_BEFORE_COPY = 5  # for each multiplier, before a matrix in float64 is copied in float32
ROUGH_STEPS_A_ROW = 50  # with sums in float32, before these are computed anew
LEAST_ROWS_IN_BLOCKS = 1_500  # training rows up to which the whole matrix is quickest
FINISHED, CONVERGED, OPEN, UNTOUCHED = range(4)  # how far native code settled a problem, as it has them
ALL_COMPUTED = 400  # training rows up to which all rows of the kernel matrix may be computed one by one
FEW_COMPUTED = 192  # rows of larger ones, beside those of the start, before all are computed at once,
SHARE_COMPUTED = 1 / 16  # or this share of them
SHARE_STARTED = 0.25  # of the rows that start above 0: with more, all are computed at once
LEAST_ROWS_IN_THREADS = 2_000  # of all problems together, from which several threads share them
MOST_SPAN_WORK = 8_000_000  # operations of native code for the spans of one problem; more are left to BLAS
LEAST_ROWS_FROM_INSIDE = (
    150  # training rows from which an interior point method is quicker than steps of pairs,
)
ROWS_A_COLUMN = 8  # if there are so many for each column of the factor of the matrix
MOST_ROWS_TRIED = 700  # training rows up to which steps of pairs are tried before it where bounds are low,
STEPS_TRIED = 5  # for each row: low bounds are met by then
LOW_BOUND = (2.5, 0.5)  # by one and by two multipliers a row: where most end at it (`_bounds_are_low`)
MOST_ROWS_OF_FEW = 2_000  # training rows up to which native code looks for few support vectors before it,
FEW_TRIED = 96  # with so many rows of the kernel matrix,
SHARE_TRIED = 1 / 8  # or this share of them, if that is more,
STEPS_FOR_FEW = 5  # in so many steps for each row,
LEAST_STEPS_FOR_FEW = 1_500  # or so many, if that is more,
VALUES_FOR_FEW = 5_000_000  # which go through so many values of the matrix at most
EARLY_STEPS = 50_000  # of pairs, and 50 for each row, after which it is tried whatever their number
MOST_FACTORED = 1_000  # training rows up to which it is tried for other kernels, by a factor of their matrix,
STEPS_A_PAIR = 1  # after so many steps for each pair of rows more: their time is about that of the other way
LOST_SHARE = 1e-3  # of tol: a larger violation is that of multipliers whose sum of rows lost digits
SHARE_IN_BLOCKS = 0.3  # of the rows that start above 0: with fewer, rows are computed as they are needed


def solve(
    gram: GramRows,
    dual: Dual,
    *,
    tol: float = 1e-3,
    cache_size: float = 200.0,
    max_iter: int = -1,
    polish: bool = False,
    weighs: bool = False,
) -> Solution:
    """The multipliers at which no pair violates the optimality conditions by more than ``tol``.

    Rows of the kernel matrix are computed when they are first needed; a problem that needs many gets the whole matrix
    while it fits the cache, in float64 up to 500 rows and for tolerances below 1e-5, else in float32, and is solved in
    blocks of rows beyond (`search_in_blocks`). Where rounding might hide a violation, the gradient is computed anew in
    float64 before the search ends. A matrix that is there already (`MatrixRows`) is used as it is, whatever its size.
    Linear kernels of few columns are solved from inside (`interior_point`), unless bounds are low or few support
    vectors are found at once, and so are linear kernels, and others of up to 1000 training rows, for which many steps
    were not enough, unless ``max_iter`` counts the steps.

    Parameters
    ----------
    gram : GramRows, the kernel matrix of the training rows
    dual : Dual
    tol : float
    cache_size : float, megabytes of kernel values that may be held
    max_iter : int, the most steps; -1 for ten million, or a hundred for each multiplier if that is more
    polish : bool, whether a small problem is then solved to the last digits (`polished`)
    weighs : bool, whether the weights of columns will do where no multipliers in float64 make them up
    """
    most = _most_steps(len(dual.sign), max_iter)
    begun = (
        _settled([gram], [dual], tol, most, False)[0]
        if polish and _few_rows(gram, dual, cache_size)
        else None
    )
    if isinstance(begun, Solution):
        return begun
    return _solved(gram, dual, begun, tol, cache_size, most, polish, weighs)


def _most_steps(m: int, max_iter: int) -> int:
    return max(LEAST_STEPS, 100 * m) if max_iter < 0 else max_iter


def _solved(
    gram: GramRows,
    dual: Dual,
    begun: Begun | None,
    tol: float,
    cache_size: float,
    most: int,
    polish: bool,
    weighs: bool,
) -> Solution:
    """The solution, from where native code left the problem."""
    early = most
    if most >= LEAST_STEPS and _may_go_inside(gram):
        early, first = _early_steps(gram, len(dual.sign)), begun is None and _starts_inside(gram, dual)
        if first and _bounds_are_low(gram, dual) and _precision(gram, gram.diagonal, tol, cache_size)[1]:
            early = STEPS_TRIED * gram.n
        elif first or _crawls(gram, begun, early):
            solution = _from_inside(gram, dual, tol, polish, weighs)
            if solution is not None:
                return solution
            early = most
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
        elif begun is None:
            search.refresh(dtype=dtype)
        for limit in (early, most) if early < most else (most,):
            if whole:
                converged = search_whole(search, K, places, tol, limit, bar)
            else:
                converged = search_in_blocks(search, dtype, tol, cache_size, limit, bar)
            if converged or limit == most:
                break
            solution = _from_inside(gram, dual, tol, polish, weighs)
            if solution is not None:
                return solution
    return (polished(search) if polish and converged else None) or search.solution(converged)


def _may_go_inside(gram: GramRows) -> bool:
    """Whether the interior point method is for this matrix: it has a factor of few columns, or few rows."""
    return gram.n <= MOST_FACTORED if gram.rank is None else gram.rank <= MOST_COLUMNS


def _crawls(gram: GramRows, begun: Begun | None, early: int) -> bool:
    """Whether native code took many steps; without a factor it may have ended since it needed many rows."""
    if begun is None or begun.outcome != OPEN:
        return False
    return gram.rank is not None or begun.iterations >= early


def _early_steps(gram: GramRows, m: int) -> int:
    """Steps of pairs after which it is tried."""
    return EARLY_STEPS + 50 * m + (STEPS_A_PAIR * gram.n**2 if gram.rank is None else 0)


def _starts_inside(gram: GramRows, dual: Dual) -> bool:
    """Whether an interior point method is the quickest way: the matrix has a factor of few columns."""
    if gram.n < LEAST_ROWS_FROM_INSIDE or gram.rank is None or dual.constraint == "each sign":
        return False
    return bool(
        gram.n >= ROWS_A_COLUMN * gram.rank and np.isfinite(dual.upper).all() and not dual.start.any()
    )


def _bounds_are_low(gram: GramRows, dual: Dual) -> bool:
    """Whether steps of pairs are quicker still: most multipliers go to their bound at once and stay there.

    A pair in the middle of the others moves by about its slope over the variance of the rows, which is far more than
    the bound.
    """
    if gram.n > MOST_ROWS_TRIED:
        return False
    Z = gram.factor()
    with np.errstate(all="ignore"):
        curvature = float((Z.var(axis=0) if dual.constraint == "sum" else (Z * Z).mean(axis=0)).sum())
        reach = float(np.abs(dual.linear).mean()) * LOW_BOUND[len(dual.sign) > gram.n]
        return bool(float(dual.upper.mean()) * curvature <= reach < np.inf)


def _from_inside(gram: GramRows, dual: Dual, tol: float, polish: bool, weighs: bool) -> Solution | None:
    """The solution by an interior point method, if there is one that meets the tolerance.

    Multipliers that cannot, because their sum of rows is lost in rounding, do so by the weights of the columns. Other
    matrices are made products of columns first, by a Cholesky factor.
    """
    factored = cholesky_rows(gram) if gram.rank is None else gram
    near = None if factored is None else interior_point(factored, dual)
    if factored is None or near is None:
        return None
    search, Z = Search(factored, dual), factored.factor()
    search.alpha, search.iterations = near.alpha, near.iterations
    if gram.rank is None:
        search.refresh()  # the matrix may have directions that the factor has not
    else:
        search.base = -search.sign * (search.linear + search.ridge * search.alpha)
        search.G = -(Z @ (search.beta @ Z))
    search.gap = search.violation()
    exact = polished(search) if polish else None
    if exact is not None:
        return exact
    by_multipliers = search.solution(True)
    if weighs and gram.rank is not None and search.gap > LOST_SHARE * tol:
        search.G = -(Z @ near.weights)
        search.gap = search.violation()
        if search.gap < min(by_multipliers.gap, tol):
            return replace(search.solution(True), weights=near.weights)
    return by_multipliers if by_multipliers.gap < tol else None


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


def solve_all(
    grams: Sequence[GramRows],
    duals: Sequence[Dual],
    *,
    tol: float = 1e-3,
    cache_size: float = 200.0,
    max_iter: int = -1,
    spans: bool = False,
    weighs: bool = False,
    n_threads: int | None = None,
    done: Callable[[], Any] = lambda: None,
) -> list[Solution]:
    """The solutions of several programs, to the last digits; those of parts of one kernel matrix in a call or two.

    Parameters
    ----------
    grams, duals : as of `solve`
    tol, cache_size, max_iter, weighs : as of `solve`
    spans : bool, whether the squared spans of small problems are wanted
    n_threads : the most threads      done : called for each program that is solved
    """
    most = _most_steps(max((len(dual.sign) for dual in duals), default=0), max_iter)
    begun: list[Solution | Begun | None] = [None] * len(duals)
    together = [p for p in range(len(duals)) if _few_rows(grams[p], duals[p], cache_size)]
    size = sum(len(duals[p].sign) for p in together)
    pieces = min(threads(n_threads), len(together)) if size >= LEAST_ROWS_IN_THREADS else 1

    def settle_some(some: list[int]) -> None:
        settled = _settled([grams[p] for p in some], [duals[p] for p in some], tol, most, spans)
        for p, solution in zip(some, settled):
            begun[p] = solution
            if isinstance(solution, Solution):
                done()

    def finish(p: int) -> None:
        so_far = begun[p]
        from_there = so_far if isinstance(so_far, Begun) else None
        begun[p] = _solved(grams[p], duals[p], from_there, tol, cache_size, most, True, weighs)
        done()

    if pieces > 1:
        in_threads(settle_some, [together[k::pieces] for k in range(pieces)], n_threads)
    elif together:
        settle_some(together)
    left = [p for p in range(len(duals)) if not isinstance(begun[p], Solution)]
    if left:
        in_threads(finish, left, n_threads)
    return cast(list[Solution], begun)


def _few_rows(gram: GramRows, dual: Dual, cache_size: float) -> bool:
    """Whether native code may settle a problem by itself: its matrix is there, or rows are computed one by one."""
    m = len(dual.sign)
    if m not in (gram.n, 2 * gram.n) or (_starts_inside(gram, dual) and not _tries_few(gram, dual)):
        return False
    if isinstance(gram, MatrixRows):
        return bool(gram.K.dtype == np.float64)
    if 4 * gram.n * gram.n > cache_size * 2**20 or gram.single_rows() is None:
        return False
    started = dual.start.any() and np.count_nonzero(dual.start) > SHARE_STARTED * gram.n
    return bool(not started or gram.held() is not None)


def _tries_few(gram: GramRows, dual: Dual) -> bool:
    """Whether a problem that may start inside is given to native code first: it may have few support vectors."""
    one_a_row = len(dual.sign) == gram.n
    return one_a_row and gram.n <= MOST_ROWS_OF_FEW and not _bounds_are_low(gram, dual)


def _steps_for_few(gram: GramRows, m: int) -> int:
    """Steps in which native code may look for few support vectors."""
    return min(max(STEPS_FOR_FEW * m, LEAST_STEPS_FOR_FEW), VALUES_FOR_FEW // m)


def _settled(
    grams: Sequence[GramRows], duals: Sequence[Dual], tol: float, most: int, spans: bool
) -> list[Solution | Begun | None]:
    """Problems of which few rows of the matrix are needed, or whose matrix is there: solutions to the last digits.

    Else how far each got; None for one that was not begun.
    """
    settled: list[Solution | Begun | None] = [None] * len(duals)
    for some in _of_one_matrix(grams, duals):
        solutions = _settle([grams[p] for p in some], [duals[p] for p in some], tol, most, spans)
        for p, solution in zip(some, solutions):
            settled[p] = solution
    return settled


def _of_one_matrix(grams: Sequence[GramRows], duals: Sequence[Dual]) -> list[list[int]]:
    """The problems that one call of native code may settle."""
    if len(duals) == 1:
        return [[0]]
    groups: dict[Any, list[int]] = {}
    for p, (gram, dual) in enumerate(zip(grams, duals)):
        if isinstance(gram, MatrixRows):
            key = (id(gram.K), p if gram.rows is None else -1, len(dual.sign) // gram.n, dual.constraint)
        elif len(dual.sign) == gram.n and (single := gram.single_rows()) and single.segments is not None:
            key = (id(single.laid_out), -1, 1, dual.constraint)
        else:
            key = (0, p, 0, dual.constraint)
        groups.setdefault(key, []).append(p)
    return list(groups.values())


def _settle(
    grams: Sequence[GramRows], duals: Sequence[Dual], tol: float, most: int, spans: bool
) -> list[Solution | Begun | None]:
    """As ``_settled``, of parts of one kernel matrix."""
    P, gram = len(duals), grams[0]
    sizes = np.array([part.n for part in grams])
    starts = np.concatenate([[0], np.cumsum(sizes)])
    constraint, each = duals[0].constraint, len(duals[0].sign) // gram.n
    groups = {"sum": 1, "none": 0}.get(constraint, 2)
    M = each * int(starts[-1])
    upper = _joined([dual.upper for dual in duals])
    alpha = np.minimum(np.maximum(_joined([dual.start for dual in duals]), 0.0), upper)
    terms = np.zeros((2, M))
    np.concatenate([dual.linear for dual in duals], out=terms[0])
    np.concatenate([part.diagonal for part in grams], out=terms[1, : starts[-1]])
    if not np.isfinite(terms[1]).all():
        return [None] * P
    ridge = np.zeros(M)
    if any(dual.ridge is not None for dual in duals):
        ridge = _joined([np.zeros(len(dual.sign)) if dual.ridge is None else dual.ridge for dual in duals])
    started = np.add.reduceat(alpha != 0, each * starts[:-1])
    K = source = places = None
    place_starts = starts
    if not isinstance(gram, MatrixRows) and P == 1 and started[0] > SHARE_STARTED * gram.n:
        gram = gram.held() or gram
    if isinstance(gram, MatrixRows):
        K = gram.K
        if gram.rows is not None:
            places = gram.rows if P == 1 else np.concatenate([part.rows for part in grams])  # type: ignore[attr-defined]
    else:
        single = gram.single_rows()
        if single is None:
            return [None] * P
        source = _native(single)
        if single.segments is not None:
            others: list[Any] = [part.single_rows() for part in grams[1:]]
            segments = [single.segments, *(other.segments for other in others)]
            places = np.concatenate(segments)
            place_starts = np.array([0, *accumulate(map(len, segments))])
    first = all(_starts_inside(part, dual) for part, dual in zip(grams, duals))
    if first:
        some = np.maximum(FEW_TRIED, (SHARE_TRIED * sizes).astype(np.int64))
    else:
        some = np.maximum(FEW_COMPUTED, (SHARE_COMPUTED * sizes).astype(np.int64)) + started
    computed = np.where(sizes <= ALL_COMPUTED, sizes, some)
    pulls, levels = np.empty((4, M)), np.empty((3 * P, groups))
    summary, outcome = np.empty((P, 4)), np.empty(P, np.int64)
    bounds = _solve.Bounds(
        sign=_joined([dual.sign for dual in duals]),
        upper=upper,
        ridge=ridge,
        constraint=CONSTRAINTS.index(constraint),
    )
    parts = _solve.Several(starts=starts, places=places, place_starts=place_starts, computed=computed)
    steps = max(1_000, VALUES_A_CALL // (each * int(sizes.max())))
    if all(_may_go_inside(part) for part in grams):
        steps = min(
            steps, max((_steps_for_few if first else _early_steps)(part, each * part.n) for part in grams)
        )
    limits = _solve.Limits(
        tol=tol, steps=min(most, steps), values=MOST_VALUES,
        spans=MOST_SPAN_WORK if spans else 0, work=VALUES_A_CALL // 4,
    )  # fmt: skip
    begin = 0
    while begin < P:
        begin = _solve.settle(
            K=K, source=source, parts=parts, begin=begin, bounds=bounds, terms=terms, limits=limits, alpha=alpha,
            pulls=pulls, levels=levels, summary=summary, outcome=outcome,
        )  # fmt: skip
        end_if_abandoned()
    return [
        _outcome(
            constraint, int(outcome[p]), slice(each * start, each * start + each * n), n, alpha, pulls,
            levels[3 * p : 3 * p + 3], line, spans,
        )
        for p, (start, n, line) in enumerate(zip(starts.tolist(), sizes.tolist(), summary.tolist()))
    ]  # fmt: skip


def _outcome(
    constraint: str, outcome: int, at: slice, n: int, alpha: np.ndarray, pulls: np.ndarray, levels: np.ndarray,
    summary: list[float], spans: bool,
) -> Solution | Begun | None:  # fmt: skip
    """What native code made of one problem."""
    if outcome == UNTOUCHED:
        return None
    gap, steps, _, objective = summary
    if outcome != FINISHED:
        start = at.start
        return Begun(
            outcome,
            alpha[at].copy(),
            pulls[0, start : start + n].copy(),
            pulls[1, at].copy(),
            max(gap, 0.0),
            int(steps),
        )
    offset, offset_range, margin = offsets(levels, constraint)
    known = spans and pulls[3, at.start] == pulls[3, at.start]  # no NaN
    return Solution(
        alpha=alpha[at], gradient=pulls[2, at], offset=offset, offset_range=offset_range, margin=margin,
        objective=objective, gap=0.0, iterations=int(steps), converged=True, spans=pulls[3, at] if known else None,
    )  # fmt: skip


def _joined(parts: Sequence[np.ndarray]) -> np.ndarray:
    return np.ascontiguousarray(parts[0] if len(parts) == 1 else np.concatenate(parts), dtype=np.float64)


def _precision(gram: GramRows, diagonal: np.ndarray, tol: float, cache_size: float) -> tuple[np.dtype, bool]:
    """In which type values are computed, and whether all of them are held."""
    if isinstance(gram, MatrixRows):
        return gram.K.dtype, True  # they are held already
    largest = float(np.abs(diagonal).max(initial=0.0))
    exact = gram.n <= MOST_DOUBLE_ROWS or tol < SINGLE_TOLERANCE
    cache = cache_size * 2**20
    if not 1 / SINGLE_RANGE <= largest <= SINGLE_RANGE or (exact and 8 * gram.n**2 <= cache):
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
    single = K if K.dtype == np.float32 else None
    if single is None and places is None and search.n > MOST_DOUBLE_ROWS and tol >= SINGLE_TOLERANCE:
        bar.advance(search.steps(K, places, tol, min(STEPS_BEFORE_COPY * search.m, most - search.iterations)))
        if search.gap >= tol and 1 / SINGLE_RANGE <= search.largest <= SINGLE_RANGE:
            with np.errstate(over="ignore"):
                single = K.astype(np.float32)
            if not (single.max() <= SINGLE_RANGE and single.min() >= -SINGLE_RANGE):
                single = None  # values beside the diagonal may be larger than all on it
    if single is not None:
        rough = some = min(a_call, ROUGH_STEPS_A_ROW * search.m)
        while rough == some and search.iterations < most:
            some = min(some, most - search.iterations)
            rough = search.rough_steps(K, places, tol, some, single)
            bar.advance(rough)
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
