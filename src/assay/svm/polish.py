"""The last digits of a small quadratic program: once it is known which bounds hold, the others follow by algebra."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.kernels import GramRows, MatrixRows
from assay.svm.engine import Dual, Solution

__all__ = ["polished"]

MOST_VALUES = 1 << 20  # kernel values that may be computed for it
MOST_FREE = 500  # multipliers between their bounds
MOST_ROUNDS = 40  # linear systems that are solved
MOST_RESIDUAL = 1e-9  # of a linear system, as a share of its right side; more: it is singular
JITTER = 1e-10  # share of the diagonal that holds a singular system where it is
ROUNDING = 1e-11  # violation of a condition, as a share of the largest number in it, that is none


def polished(gram: GramRows, dual: Dual, solution: Solution) -> Solution:
    r"""The exact solution that a solver's approximate one points at; that one, if it is too large or none is found.

    Multipliers strictly between their bounds, F, share one level b of the gradient:

    .. math:: K_{FF}\beta_F + r_F\beta_F + b = -s_Fp_F - K_{FU}\beta_U, \quad \beta = sa \quad (1)

    with those at their upper bounds, U, given. The multipliers go to the solution of (1), or as far as the first bound,
    which then holds; where (1) is met, those at a bound whose gradient points inside are freed (an active set method).
    So answers do not depend on the order of the rows, on rounding, or on whether the table is sparse.

    Parameters
    ----------
    gram, dual : the problem      solution : of the solver, with any tolerance

    References
    ----------
    - Nocedal, J. and Wright, S. J. (2006). Numerical Optimization, second edition, 16.5. Springer.
    """
    a = solution.alpha.copy()
    low, high = a <= 0, a >= dual.upper
    used = len(np.unique(np.flatnonzero(~low) % gram.n))
    if not solution.converged or used * gram.n > MOST_VALUES:
        return solution
    rows = _Rows(gram)
    for _ in range(MOST_ROUNDS):
        free = ~(low | high)
        if free.sum() > MOST_FREE:
            return solution
        answer = _level_point(rows, dual, a, free)
        if answer is None:
            return solution
        step, level = answer
        share, blocked = _room(a, step, dual.upper, free)
        a = a + share * step
        if blocked.any():
            low, high = low | (blocked & (step < 0)), high | (blocked & (step > 0))
            a[low], a[high] = 0.0, dual.upper[high]
            continue
        room = ROUNDING * np.where(np.isfinite(dual.upper), dual.upper, 0.0)
        low, high = low | (free & (a <= room)), high | (free & (a >= dual.upper - room))
        a[low], a[high] = 0.0, dual.upper[high]
        free = ~(low | high)
        F = _pulls(rows, dual, a)
        levels = _levels(dual, a, F, free, level)
        if levels is None:
            return solution
        inward = dual.sign * (F - levels[1])  # above 0: the multiplier should grow
        size = ROUNDING * (np.abs(F).max() + np.abs(dual.linear).max())
        if np.abs(inward[free]).max(initial=0.0) > 100 * size:  # of a singular system, which came nearer
            continue
        leaves = (low & (inward > size)) | (high & (inward < -size))
        if not leaves.any():
            return _concluded(dual, solution, a, F, levels)
        low, high = low & ~leaves, high & ~leaves
    return solution


class _Rows:
    """Rows of the kernel matrix, each fetched once."""

    def __init__(self, gram: GramRows):
        self.gram, self.place = gram, np.full(gram.n, -1)
        self.values = np.empty((0, gram.n))
        if isinstance(gram, MatrixRows) and gram.rows is None:  # they are there already
            self.place, self.values = np.arange(gram.n), gram.K

    def times(self, coef: np.ndarray) -> np.ndarray:
        """(n,) coef @ K, of the rows whose coefficients are not 0."""
        used = np.flatnonzero(coef)
        self._fetch(used)
        weights = np.zeros(len(self.values))
        weights[self.place[used]] = coef[used]
        return weights @ self.values

    def part(self, rows: np.ndarray) -> np.ndarray:
        """The matrix of some rows."""
        self._fetch(rows)
        return self.values[np.ix_(self.place[rows], rows)]

    def _fetch(self, rows: np.ndarray) -> None:
        new = np.unique(rows[self.place[rows] < 0])
        if len(new):
            more = np.empty((len(new), self.gram.n))
            self.gram.fill(new, None, more)
            self.place[new] = len(self.values) + np.arange(len(new))
            self.values = np.vstack([self.values, more]) if len(self.values) else more


def _groups(dual: Dual) -> list[np.ndarray]:
    """The variables of each equality constraint."""
    if dual.constraint == "none":
        return []
    return [dual.sign > 0, dual.sign < 0] if dual.constraint == "each sign" else [dual.sign != 0]


def _pulls(rows: _Rows, dual: Dual, a: np.ndarray) -> np.ndarray:
    """(m,) F = -s times the gradient at a."""
    n, beta = rows.gram.n, dual.sign * a
    pull = beta.reshape(-1, n).sum(axis=0)
    F = -dual.sign * dual.linear - (0.0 if dual.ridge is None else dual.ridge * beta)
    return F - np.tile(rows.times(pull), len(a) // n)


def _level_point(
    rows: _Rows, dual: Dual, a: np.ndarray, free: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """The step from a to the solution of (1), and the level of each group there; None if there is none."""
    from scipy.linalg.lapack import dsysv

    n, sign, at = rows.gram.n, dual.sign, np.flatnonzero(free)
    groups, f = _groups(dual), len(at)
    g = len(groups)
    if not f:
        return np.zeros(len(a)), np.zeros(g)
    system, wanted = np.zeros((f + g, f + g)), np.zeros(f + g)
    system[:f, :f] = rows.part(at % n)
    scale = max(float(np.abs(np.diagonal(system)).max()), np.finfo(float).tiny)
    diagonal = slice(0, f * (f + g), f + g + 1)
    if dual.ridge is not None:
        system.flat[diagonal] += dual.ridge[at]
    others = np.where(free, 0.0, a)
    wanted[:f] = _pulls(rows, dual, others)[at]
    for k, group in enumerate(groups):
        if group[at].any():
            system[:f, f + k] = system[f + k, :f] = group[at] * np.sqrt(scale)
            wanted[f + k] = (sign * (dual.start - others))[group].sum() * np.sqrt(scale)
        else:
            system[f + k, f + k] = 1.0
    for share in (0.0, JITTER):
        if share:  # singular: hold on to where the multipliers are, so that the step shows where it leads
            system.flat[diagonal] += share * scale
            wanted[:f] += share * scale * (sign * a)[at]
        _, _, answer, info = dsysv(system, wanted)
        if info or not np.isfinite(answer).all():
            continue
        if share or np.abs(system @ answer - wanted).max() <= MOST_RESIDUAL * np.abs(wanted).max():
            step = np.zeros(len(a))
            step[at] = sign[at] * answer[:f] - a[at]
            return step, answer[f:] * np.sqrt(scale)
    return None


def _room(a: np.ndarray, step: np.ndarray, upper: np.ndarray, free: np.ndarray) -> tuple[float, np.ndarray]:
    """What share of the step stays within the bounds, and which free multipliers meet theirs there."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(step < 0, -a / step, np.where(step > 0, (upper - a) / step, np.inf))
    shares = np.where(free, shares, np.inf)
    share = float(shares.min(initial=np.inf))
    return (1.0, np.zeros(len(a), dtype=bool)) if share >= 1 else (share, shares <= share)


def _levels(
    dual: Dual, a: np.ndarray, F: np.ndarray, free: np.ndarray, level: np.ndarray
) -> np.ndarray | None:
    """(3, m) the lowest, middle and highest level of each variable's group; apart where all are at their bounds."""
    levels = np.zeros((3, len(a)))
    for k, group in enumerate(_groups(dual)):
        if (group & free).any():
            levels[:, group] = level[k]
            continue
        up = group & np.where(dual.sign > 0, a < dual.upper, a > 0)
        down = group & np.where(dual.sign > 0, a > 0, a < dual.upper)
        if not (up.any() and down.any()):
            return None
        ends = float(F[up].max()), float(F[down].min())
        levels[:, group] = np.array([ends[0], sum(ends) / 2, ends[1]])[:, None]
    return levels


def _concluded(dual: Dual, solution: Solution, a: np.ndarray, F: np.ndarray, level: np.ndarray) -> Solution:
    gradient = -dual.sign * F
    ends, margin = level[:, 0], 1.0
    if dual.constraint == "each sign":
        above, below = level[:, dual.sign > 0][:, 0], level[:, dual.sign < 0][:, 0]
        ends = (above + below) / 2
        margin = float(below[1] - above[1]) / 2
    return replace(
        solution,
        alpha=a,
        gradient=gradient,
        offset=float(ends[1]),
        offset_range=(float(ends[0]), float(ends[2])),
        margin=margin,
        objective=0.5 * float(a @ (gradient + dual.linear)),
        gap=0.0,
    )
