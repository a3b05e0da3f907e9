"""The last digits of a small quadratic program: once it is known which bounds hold, the others follow by algebra."""

from __future__ import annotations

import numpy as np

import assay.svm.engine._polish as _polish
from assay.kernels.gram_rows import GramRows, MatrixRows
from assay.svm.engine.dual import Solution
from assay.svm.engine.search import Search

__all__ = ["polished"]

MOST_VALUES = 1 << 20  # kernel values that may be computed for it
MOST_FREE = 500  # multipliers between their bounds
MOST_ROUNDS = 40  # linear systems that are solved
SINGULAR = 1e-12  # reciprocal condition below which a linear system counts as singular
JITTER = 1e-9  # share of the diagonal that is added to that of a singular system
REFINEMENTS = 2  # of the answer of a system with it
FREE, LOW, HIGH = range(3)  # where a multiplier is, as native code has them
AGAIN, DONE, LOST, TO_SOLVE = range(4)  # outcomes of a step, likewise
ROUNDS_A_CALL = 8


def polished(search: Search) -> Solution | None:
    r"""The exact solution that a search points at; None, if the problem is too large or none is found.

    Multipliers strictly between their bounds, F, share one level b of the gradient:

    .. math:: K_{FF}\beta_F + r_F\beta_F + b = -s_Fp_F - K_{FU}\beta_U, \quad \beta = sa \quad (1)

    with those at their upper bounds, U, given. The multipliers go to the solution of (1), or as far as the first bound,
    which then holds; where (1) is met, those at a bound whose gradient points inside are freed (an active set method).
    So answers do not depend on the order of the rows, on rounding, or on whether the table is sparse.

    Parameters
    ----------
    search : Search, which has ended, with any tolerance

    References
    ----------
    - Nocedal, J. and Wright, S. J. (2006). Numerical Optimization, second edition, 16.5. Springer.
    """
    a, m, n = search.alpha.copy(), search.m, search.n
    state = np.zeros(m, dtype=np.int8)
    state[a <= 0], state[a >= search.upper] = LOW, HIGH
    rows = _Rows(search.gram)
    constants, F = _constants(search), np.empty(m)
    levels, program = np.empty((3, len(constants))), None
    natively = len(constants) < 2
    for _ in range(MOST_ROUNDS):
        used = (state != LOW).nonzero()[0] % n
        if len(used) * n > MOST_VALUES:
            return None
        if rows.fetch(used) or program is None:
            program = _polish.Program(
                values=rows.values, slot=rows.slot, columns=rows.columns, sign=search.sign,
                linear=search.linear, upper=search.upper, ridge=search.ridge, constants=constants,
                constraint=search.constraint,
            )  # fmt: skip
        if natively:
            outcome = _polish.finish(program, ROUNDS_A_CALL, a, state, F, levels)
            if outcome == DONE:
                return _concluded(search, a, F, levels)
            if outcome == LOST:
                return None
            if outcome == AGAIN:
                continue
            natively = False
        free = int(np.count_nonzero(state == FREE))
        if free > MOST_FREE:
            return None
        used = np.flatnonzero(state != LOW) % n
        if rows.columns is None and (rows.slot[used] < 0).any():
            continue
        system, wanted = np.empty((free + len(constants),) * 2), np.empty(free + len(constants))
        scale = _polish.assemble(program, a, state, system, wanted)
        answer = _solved(system, wanted, scale, free) if free else wanted
        if answer is None:
            return None
        outcome = _polish.advance(
            program=program, answer=answer, root=scale**0.5, alpha=a, state=state, F=F, levels=levels
        )
        if outcome == DONE:
            return _concluded(search, a, F, levels)
        if outcome == LOST:
            return None
    return None


class _Rows:
    """Rows of the kernel matrix, each fetched once."""

    def __init__(self, gram: GramRows):
        self.gram, self.columns = gram, None
        if isinstance(gram, MatrixRows) and gram.K.dtype == np.float64:  # they are there already
            self.columns = gram.rows
            self.slot, self.values = np.arange(gram.n) if gram.rows is None else gram.rows, gram.K
        else:
            self.slot, self.values = np.full(gram.n, -1), np.empty((0, gram.n))

    def fetch(self, rows: np.ndarray) -> bool:
        """Hold these rows; whether some are new."""
        if len(self.values) == self.gram.n or self.columns is not None:
            return False
        new = np.unique(rows[self.slot[rows] < 0])
        if len(new):
            more = np.empty((len(new), self.gram.n))
            self.gram.fill(new, None, more)
            self.slot[new] = len(self.values) + np.arange(len(new))
            self.values = np.vstack([self.values, more]) if len(self.values) else more
        return bool(len(new))


def _constants(search: Search) -> np.ndarray:
    """The sum of s a over the variables of each equality constraint, as the start has it."""
    signed = search.sign * search.dual.start
    if search.dual.constraint == "none":
        return np.empty(0)
    if search.dual.constraint == "sum":
        return signed.sum(keepdims=True)
    return np.array([signed[search.sign > 0].sum(), signed[search.sign < 0].sum()])


def _solved(system: np.ndarray, wanted: np.ndarray, scale: float, f: int) -> np.ndarray | None:
    """The solution of (1) for f free multipliers; where it is singular, the shortest, so that copies share alike.

    Where a singular system has no solution, its answer leads far in the direction in which the objective falls.
    """
    from scipy.linalg.lapack import dsycon, dsysv, dsytrs

    factor, pivots, answer, info = dsysv(system, wanted)
    if not info and np.isfinite(answer).all():
        rcond, _ = dsycon(factor, pivots, np.abs(system).sum(axis=0).max())
        if rcond > SINGULAR:
            return answer
    stiff = system.copy()
    stiff.flat[: f * len(wanted) : len(wanted) + 1] += JITTER * scale
    factor, pivots, answer, info = dsysv(stiff, wanted)
    if info or not np.isfinite(answer).all():
        return None
    for _ in range(REFINEMENTS):
        correction, _ = dsytrs(factor, pivots, wanted - system @ answer)
        answer = answer + correction
    return answer if np.isfinite(answer).all() else None


def _concluded(search: Search, a: np.ndarray, F: np.ndarray, levels: np.ndarray) -> Solution:
    gradient, constraint = -search.sign * F, search.dual.constraint
    ends = (
        levels[:, 0] if constraint == "sum" else np.zeros(3) if constraint == "none" else levels.mean(axis=1)
    )
    margin = 1.0
    if constraint == "each sign":
        margin = float(levels[1, 1] - levels[1, 0]) / 2
    return Solution(
        alpha=a,
        gradient=gradient,
        offset=float(ends[1]),
        offset_range=(float(ends[0]), float(ends[2])),
        margin=margin,
        objective=0.5 * float(a @ (gradient + search.linear)),
        gap=0.0,
        iterations=search.iterations,
        converged=True,
    )
