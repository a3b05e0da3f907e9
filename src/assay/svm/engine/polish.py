"""The last digits of a small quadratic program: once it is known which bounds hold, the others follow by algebra."""

from __future__ import annotations

import numpy as np

import assay.svm.engine._solve as _solve
from assay.kernels.gram_rows import GramRows, MatrixRows
from assay.svm.engine.dual import Solution
from assay.svm.engine.search import Search

__all__ = ["MOST_VALUES", "offsets", "polished"]

MOST_VALUES = 1 << 20  # kernel values that may be computed for it
MOST_FREE = 500  # multipliers between their bounds
MOST_ROUNDS = 40  # linear systems that are solved
SINGULAR = 1e-12  # reciprocal condition below which a linear system counts as singular
LEAST_PIVOT = 3e-5  # of a factor's diagonal, as a share of the largest, of a well conditioned system
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
    natively = True
    for _ in range(MOST_ROUNDS):
        used = (state != LOW).nonzero()[0] % n
        if len(used) * n > MOST_VALUES:
            return None
        if rows.fetch(used) or program is None:
            program = _solve.Program(
                values=rows.values, slot=rows.slot, columns=rows.columns, sign=search.sign,
                linear=search.linear, upper=search.upper, ridge=search.ridge, constants=constants,
                constraint=search.constraint,
            )  # fmt: skip
        if natively:
            outcome = _solve.finish(program, ROUNDS_A_CALL, a, state, F, levels)
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
        scale = _solve.assemble(program, a, state, system, wanted)
        answer = _solved(system, wanted, scale, free) if free else wanted
        if answer is None:
            return None
        outcome = _solve.advance(
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

    answer = _by_cholesky(system, wanted, scale, f)
    if answer is not None:
        return answer
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


def _by_cholesky(system: np.ndarray, wanted: np.ndarray, scale: float, f: int) -> np.ndarray | None:
    """The solution of (1) if it is well conditioned: a constant more in the kernel of a group moves nothing but b."""
    from scipy.linalg.lapack import dpotrf, dpotrs

    border = system[:f, f:]
    groups = (border != 0).astype(np.float64)  # (f, g)
    if not groups.any(axis=0).all():
        return None
    factor, info = dpotrf(system[:f, :f] + scale * (groups @ groups.T), lower=0, overwrite_a=1)
    pivots = np.diagonal(factor)
    if info or not float(pivots.min()) > LEAST_PIVOT * float(pivots.max()):
        return None
    shares, root = dpotrs(factor, groups)[0], scale**0.5
    answer, residual = np.zeros(len(wanted)), wanted
    for _ in range(REFINEMENTS):  # the second one solves for what the first left over
        x, sums = dpotrs(factor, residual[:f])[0], residual[f:] / root
        level = np.linalg.solve(groups.T @ shares, groups.T @ x - sums) if len(sums) else sums
        answer = answer + np.concatenate([x - shares @ level, (level + scale * sums) / root])
        residual = wanted - system @ answer
    return answer if np.isfinite(answer).all() else None


def _concluded(search: Search, a: np.ndarray, F: np.ndarray, levels: np.ndarray) -> Solution:
    gradient = -search.sign * F
    offset, offset_range, margin = offsets(levels, search.dual.constraint)
    return Solution(
        alpha=a,
        gradient=gradient,
        offset=offset,
        offset_range=offset_range,
        margin=margin,
        objective=0.5 * float(a @ (gradient + search.linear)),
        gap=0.0,
        iterations=search.iterations,
        converged=True,
    )


def offsets(levels: np.ndarray, constraint: str) -> tuple[float, tuple[float, float], float]:
    """The bias, where it may lie and the margin, of the (3, g) least, middle and largest levels of the gradient."""
    if constraint == "none":
        return 0.0, (0.0, 0.0), 1.0
    low, middle, high = (line[0] if len(line) == 1 else (line[0] + line[1]) / 2 for line in levels.tolist())
    margin = float(levels[1, 1] - levels[1, 0]) / 2 if constraint == "each sign" else 1.0
    return middle, (low, high), margin
