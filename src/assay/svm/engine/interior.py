"""An interior point method for kernel matrices that are products of columns: a dozen or two linear systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import assay.svm.engine._interior as _interior
from assay.core.parallel import end_if_abandoned
from assay.kernels.gram_rows import GramRows, MatrixRows
from assay.svm.engine.dual import Dual
from assay.svm.engine.warm_start import shifted

__all__ = ["MOST_NATIVE_COLUMNS", "Interior", "cholesky_rows", "interior_point", "natively"]

MOST_COLUMNS = 1_000  # of the factor
MOST_NATIVE_COLUMNS = 64  # of the system that native code adds up as fast as BLAS does
WORK_A_CALL = 1e9  # products that native code adds up between two looks for Ctrl-C
MOST_ITERATIONS = 60
SMALLEST_GAP = 1e-11  # between the two objectives, as a share of theirs, at which it ends
SMALLEST_OBJECTIVE = 1e-12  # of each row, in units of the slopes at the start: less counts as 0
SMALLEST_ERROR = 1e-9  # of the conditions, in these units
GOOD_GAP = 1e-6  # with which an end for other reasons is good enough
MOST_REFINED = 1_000  # multipliers between their bounds that are brought to w in the end
CLEAR = (
    1e-3  # the bound holds where its distance is such a share of its multiplier, or less: one of them is 0
)
STEP = 0.995  # of the way to the nearest bound
JITTER = 1e-15  # on the diagonal of a system with ones there
NO_CONSTANT = 1e-12  # share of the multipliers that their constraint may be off
SMALLEST_PIVOT = 1e-15  # of a kernel matrix, for each row, as a share of the largest: less is rounding


class Interior(NamedTuple):
    """The multipliers at the solution, the weights of the columns of the factor, and the iterations."""

    alpha: np.ndarray
    weights: np.ndarray
    iterations: int


def interior_point(gram: GramRows, dual: Dual) -> Interior | None:
    r"""Multipliers at the solution, and the weights w of the columns; None if there are none or it does not apply.

    With :math:`K = ZZ^T` of r columns, their means taken away where a bias makes up for that, and :math:`a_i = u_i
    t_i`, the program of `Dual` is

    .. math:: \min \tfrac12 w^TEw + \tfrac12 t^TRt + p^Tt, \quad Ew = V^Tt, \quad Bt = c, \quad 0 \le t \le 1 \quad (1)

    Steps of Newton's method towards t z = mu, (1 - t) z' = mu for a falling mu (Mehrotra 1992), with D the curvature of
    the bounds, come down to one system of r + 1 unknowns each,

    .. math:: \Big(\begin{pmatrix}E & 0\\ 0 & 0\end{pmatrix} + N^TD^{-1}N\Big)\begin{pmatrix}dw\\ dy\end{pmatrix} =
              N^TD^{-1}\rho + \sigma, \quad N = (V, -B^T) \quad (2)

    (Ferris and Munson 2002). Steps of two multipliers crawl where C times the squared length of rows is large; these do
    not: 6 to 25 iterations, whatever the units. Where C times the squared length of rows nears the inverse of the
    rounding of numbers, the sum of rows that w is keeps no digit; w itself, an unknown of (2), does.

    Cost: O(n r^2) an iteration; memory three tables of n x (r + 1).

    References
    ----------
    - Ferris, M. C. and Munson, T. S. (2002). Interior-point methods for massive support vector machines. SIAM Journal
      on Optimization 13(3), 783-804. doi:10.1137/S1052623400374379
    - Mehrotra, S. (1992). On the implementation of a primal-dual interior point method. SIAM Journal on Optimization
      2(4), 575-601. doi:10.1137/0802028
    """
    program = _Program.of(gram, dual)
    if program is None:
        return None
    with np.errstate(all="ignore"):
        t, scaled, iterations, gap = _minimum(program)
    if not gap <= GOOD_GAP or not np.isfinite(scaled).all():
        return None
    alpha, weights = dual.upper * t, np.zeros(len(program.spread))
    varies = program.spread > 0
    weights[varies] = scaled[: np.count_nonzero(varies)] / program.spread[varies]
    beta, free = dual.sign * alpha, (t > 0) & (t < 1)
    low, high = np.minimum(dual.sign, 0) * dual.upper, np.maximum(dual.sign, 0) * dual.upper
    for group, constant in zip(program.groups.T, program.constants.tolist()):
        some = group & free
        lack = constant - float(beta[group & ~free].sum())
        nearest = min(max(lack, float(low[some].sum())), float(high[some].sum()))
        if abs(lack - nearest) > NO_CONSTANT * float(dual.upper.sum()):
            return None
        beta[some] = shifted(beta[some], low[some], high[some], nearest)
    return Interior(np.clip(dual.sign * beta, 0.0, dual.upper), weights, iterations)


def cholesky_rows(gram: GramRows) -> MatrixRows | None:
    """The whole kernel matrix with the columns of its pivoted Cholesky factor; None if it has none.

    Cost: O(n r^2) for a matrix of rank r; memory two matrices of n x n.
    """
    from scipy.linalg.lapack import dpstrf

    K = gram.whole(np.float64)
    largest = float(np.diagonal(K).max(initial=0.0))
    if not 0 < largest < np.inf:
        return None
    factor, pivot, rank, info = dpstrf(K, tol=SMALLEST_PIVOT * len(K) * largest, lower=1)
    if info < 0 or rank == 0:
        return None
    Z = np.empty((len(K), rank))
    Z[pivot - 1] = np.tril(factor)[:, :rank]
    return MatrixRows(K, checked=True, factor=Z)


@dataclass(frozen=True, eq=False)
class _Program:
    """(1): N, E's diagonal with 0 for y, R's diagonal, p, 0 and c, and by what the columns were divided.

    Constant columns have the spread 0. Row i counts in the equation g of B if ``groups[i, g]``, and ``constants`` are
    the right sides in units of the multipliers.
    """

    N: np.ndarray
    E: np.ndarray
    R: np.ndarray
    p: np.ndarray
    c: np.ndarray
    spread: np.ndarray
    groups: np.ndarray
    constants: np.ndarray

    @staticmethod
    def of(gram: GramRows, dual: Dual) -> _Program | None:
        bound = dual.upper
        if gram.rank is None or gram.rank > MOST_COLUMNS:
            return None
        Z = gram.factor()
        if not (np.isfinite(bound).all() and (bound > 0).all() and np.isfinite(Z).all()):
            return None
        groups, start = _equations(dual), dual.sign * dual.start
        constants, g = start @ groups, groups.shape[1]
        constants[np.abs(constants) <= NO_CONSTANT * (np.abs(start) @ groups)] = 0.0
        balanced = g > 0 and abs(float(start.sum())) <= NO_CONSTANT * float(np.abs(start).sum())
        V = Z - Z.mean(axis=0) if balanced else Z
        unit = float(bound.max())
        with np.errstate(all="ignore"):
            spread = np.sqrt((V * V).mean(axis=0))
            varies = spread > 0
            E = 1 / (unit * spread[varies] ** 2)
            part = dual.sign * bound / unit
            if len(part) > len(Z):
                V = np.concatenate([V, V])
            N = np.empty((len(part), int(varies.sum()) + g))
            np.multiply(V[:, varies] / spread[varies], part[:, None], out=N[:, : len(E)])
        np.multiply(groups, -part[:, None], out=N[:, len(E) :])
        if not (np.isfinite(E).all() and np.isfinite(N).all()):
            return None
        ridge = np.zeros(len(part)) if dual.ridge is None else dual.ridge * bound**2 / unit
        c = np.concatenate([np.zeros(len(E)), constants / unit])
        E = np.append(E, np.zeros(g))
        return _Program(N, E, ridge, dual.linear * bound / unit, c, spread, groups, constants)

    def slopes(self) -> float:
        """The size of the slopes of the objective at the start."""
        linear = float(np.abs(self.p).max())
        if linear > 0:
            return linear
        V, E = self.N[:, : np.count_nonzero(self.spread)], self.E[self.E > 0]
        return max(float(np.abs(V @ ((0.5 * V.sum(axis=0)) / E)).max(initial=0.0)), np.finfo(float).tiny)


def _equations(dual: Dual) -> np.ndarray:
    """(m, g) which multipliers count in each equality constraint."""
    if dual.constraint == "each sign":
        return np.column_stack([dual.sign > 0, dual.sign < 0])
    return np.ones((len(dual.sign), int(dual.constraint == "sum")), dtype=bool)


@dataclass(eq=False)
class _Point:
    """Where the method stands: t of (1), x = (w, y), and the multipliers z, z' of the bounds 0 and 1."""

    t: np.ndarray
    x: np.ndarray
    z: np.ndarray
    z_up: np.ndarray

    def gap(self) -> float:
        return float(self.z @ self.t + self.z_up @ (1 - self.t))

    def moved(self, step: _Point, reach: float) -> _Point:
        return _Point(
            self.t + reach * step.t,
            self.x + reach * step.x,
            self.z + reach * step.z,
            self.z_up + reach * step.z_up,
        )

    def reach(self, step: _Point) -> float:
        """The share of a step, at most 1, at which the first number would be 0."""
        steepest = max(
            float((-step.t / self.t).max()),
            float((step.t / (1 - self.t)).max()),
            float((-step.z / self.z).max()),
            float((-step.z_up / self.z_up).max()),
        )
        return 1.0 if not steepest > 1 else 1 / steepest


class _Newton:
    """The system (2) at a point, factored."""

    def __init__(self, program: _Program, at: _Point):
        from scipy.linalg.lapack import dpotrf

        self.N, self.at = program.N, at
        self.slope = program.N @ at.x + program.R * at.t + program.p - at.z + at.z_up  # 0 at the solution
        self.lack = at.t @ program.N - program.E * at.x + program.c  # likewise
        self.D = program.R + at.z / at.t + at.z_up / (1 - at.t)
        self.weighted = program.N / self.D[:, None]
        system = program.N.T @ self.weighted
        system.flat[:: len(system) + 1] += program.E
        self.scale = 1 / np.sqrt(np.diagonal(system))
        system *= np.outer(self.scale, self.scale)
        system.flat[:: len(system) + 1] += JITTER
        self.root, info = dpotrf(system, overwrite_a=1)
        self.solvable = info == 0

    def step(self, low: np.ndarray, high: np.ndarray) -> _Point:
        """The step that changes t z by ``low`` and (1 - t) z' by ``high``, to first order."""
        from scipy.linalg.lapack import dpotrs

        at, left = self.at, 1 - self.at.t
        rho = -self.slope + low / at.t - high / left
        dx = self.scale * dpotrs(self.root, self.scale * (rho @ self.weighted + self.lack))[0]
        dt = (rho - self.N @ dx) / self.D
        return _Point(dt, dx, (low - at.z * dt) / at.t, (high + at.z_up * dt) / left)


def _minimum(program: _Program) -> tuple[np.ndarray, np.ndarray, int, float]:
    """t and (w, y) of (1), t 0 and 1 where a bound holds, the iterations, and the gap as a share of the objective."""
    m, k = program.N.shape
    size = program.slopes()
    at = _Point(np.full(m, 0.5), np.zeros(k), np.full(m, size), np.full(m, size))
    steps = _native_steps if k <= MOST_NATIVE_COLUMNS else _steps
    at, iterations, share = steps(program, at, size)
    t = at.t
    t[t < CLEAR * at.z / size], t[1 - t < CLEAR * at.z_up / size] = 0.0, 1.0
    free = np.flatnonzero((t > 0) & (t < 1))
    if 0 < len(free) <= MOST_REFINED and np.isfinite(at.x).all():  # w is more exact than what t makes of it
        more = np.linalg.lstsq(program.N[free].T, program.E * at.x - program.c - t @ program.N, rcond=None)[0]
        t[free] = np.clip(t[free] + more, 0.0, 1.0)
    return t, at.x, iterations, share


def _native_steps(program: _Program, at: _Point, size: float) -> tuple[_Point, int, float]:
    """Where the method ends, the iterations, and the gap as a share of the objective: by native code."""
    rows = {"N": program.N, "E": program.E, "c": program.c, "R": program.R, "p": program.p}
    iterations, share = natively(rows, size, at.t, at.z, at.z_up, at.x, SMALLEST_GAP, MOST_ITERATIONS)
    return at, iterations, share


def natively(
    rows: dict[str, np.ndarray], size: float, t: np.ndarray, z: np.ndarray, z_up: np.ndarray, x: np.ndarray,
    smallest_gap: float, most: int,
) -> tuple[int, float]:  # fmt: skip
    """Iterations of native code for (1), from here on; how many, and the gap that is left, a share of the objective.

    Parameters
    ----------
    rows : N, E, c, R and p of (1)      size : of the slopes at the start
    t, z, z_up, x : where the method stands, which is changed
    smallest_gap : at which it ends      most : iterations
    """
    program, state, iterations = _interior.BoxProgram(**rows, size=size), np.zeros(2), 0
    a_call = max(1, int(WORK_A_CALL / (rows["N"].size * rows["N"].shape[1])))
    while True:
        rule = _interior.StopRule(
            gap=smallest_gap, error=SMALLEST_ERROR, least=SMALLEST_OBJECTIVE, reach=STEP, jitter=JITTER,
            most=min(a_call, most - iterations),
        )  # fmt: skip
        iterations += _interior.newton(program=program, limits=rule, t=t, z=z, z_up=z_up, x=x, state=state)
        if state[1] or iterations >= most:
            return iterations, float(state[0])
        end_if_abandoned()


def _steps(program: _Program, at: _Point, size: float) -> tuple[_Point, int, float]:
    """The same in NumPy, for many columns, whose products are best left to BLAS."""
    m, share, iterations = len(at.t), np.inf, 0
    while iterations < MOST_ITERATIONS:
        end_if_abandoned()
        newton, gap = _Newton(program, at), at.gap()
        objective = 0.5 * float(program.E @ at.x**2 + program.R @ at.t**2) + float(program.p @ at.t)
        share = gap / (abs(objective) + SMALLEST_OBJECTIVE * m * size)
        error = float(np.abs(newton.slope).max()) / size
        if not newton.solvable or not np.isfinite(share + error):
            share += error
            break
        if share <= SMALLEST_GAP and error <= SMALLEST_ERROR:
            break
        low, high = -at.z * at.t, -at.z_up * (1 - at.t)
        step = newton.step(low, high)
        after = at.moved(step, at.reach(step)).gap()
        mu = (after / gap) ** 3 * gap / (2 * m)
        step = newton.step(mu + low - step.t * step.z, mu + high + step.t * step.z_up)
        at = at.moved(step, min(1.0, STEP * at.reach(step)))
        at.t = np.minimum(at.t, 1 - np.finfo(float).epsneg)
        iterations += 1
    return at, iterations, share
