r"""Losses with corners, minimised exactly: what a residual costs grows in a straight line outside a tube.

.. math:: \min_\beta\; \sum_i u_i\,(r_i-\epsilon)_+ + l_i\,(-r_i-\epsilon)_+ + \tfrac12\beta^TP\beta,\qquad
          r = y - X\beta                                                                             \quad (1)

is the absolute loss (:math:`u=l`), the pinball loss of quantiles (:math:`u:l=q:1-q`) and the loss that does not mind
errors up to :math:`\epsilon`; with a price of 0 on one side, for targets -1 and +1, it is the hinge. A penalty
:math:`\alpha|\beta_j|` is a row of its own, with :math:`x=e_j`, y = 0 and :math:`u=l=\alpha`.

With :math:`A=(X;-X)`, :math:`c=(y-\epsilon;\,-y-\epsilon)` and prices :math:`k=(u;l)`, (1) is the program

.. math:: \min\;k^Ts+\tfrac12\beta^TP\beta\quad\text{with}\quad s\ge0,\;\; g=A\beta+s-c\ge0                \quad (2)

which a primal-dual interior-point method solves: multipliers :math:`0\le\lambda\le k` of g, :math:`\mu=k-\lambda` of
s, and Newton steps towards :math:`g_i\lambda_i=s_i\mu_i=\tau` for falling :math:`\tau` (Mehrotra's predictor and
corrector),

.. math:: (P + A^TDA)\,d\beta = A^T\lambda - P\beta + A^TD\bigl(c_1/\lambda - c_2/\mu\bigr),\qquad
          D^{-1} = g/\lambda + s/\mu                                                                 \quad (3)

Each step is one weighted least-squares problem in the d columns; 10 to 30 steps are enough whatever n.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.linear.regression.least_squares import TINY
from assay.optimize.objective import Record

__all__ = ["Fitted", "Program", "Tube", "fit_tube", "solve_tube"]

Floats = NDArray[np.float64]

BLOCK_ROWS = 1024  # rows whose cross products are added up at a time


class Program(NamedTuple):
    """(1): rows, targets, prices above and below, half the width of the tube at each row, and P's diagonal.

    ``pull``, if any, is the slope of one more term, -pull' beta, and ``level`` a constant: both stand for rows that are
    known to lie on one side of their tubes.
    """

    X: Any
    y: Floats
    above: Floats
    below: Floats
    epsilon: Floats
    ridge: Floats
    pull: Any = 0.0
    level: float = 0.0

    def value(self, beta: Floats) -> float:
        """The value of (1) at beta."""
        r = self.y - self.X @ beta
        up, down = np.maximum(r - self.epsilon, 0.0), np.maximum(-r - self.epsilon, 0.0)
        known = self.level - float(np.sum(self.pull * beta))
        return float(self.above @ up + self.below @ down + 0.5 * self.ridge @ (beta * beta)) + known


class Tube(NamedTuple):
    """The answer, whether it is one up to rounding, how it was reached, and the gap that was left to the dual."""

    beta: Floats
    converged: bool
    history: list[Record]
    gap: float = 0.0


class _Sides(NamedTuple):
    """The rows that pay above their tube and those that pay below; all that is A of (2) goes through them.

    Where each row pays on one side alone, ``side`` is 1 or -1 for each of them, and a condition stands where its row
    does.
    """

    up: Any
    down: Any
    side: Floats | None = None

    @classmethod
    def of(cls, above: Floats, below: Floats) -> _Sides:
        paid_above, paid_below = above > 0, below > 0
        if (paid_above != paid_below).all():
            return cls(paid_above, paid_below, np.where(paid_above, 1.0, -1.0))
        whole = paid_above.all() and paid_below.all()
        return cls(slice(None), slice(None)) if whole else cls(np.flatnonzero(above), np.flatnonzero(below))

    def split(self, high: Floats, low: Floats) -> Floats:
        """What belongs to the conditions, given what belongs to the rows."""
        return (
            np.concatenate((high[self.up], low[self.down]))
            if self.side is None
            else np.where(self.up, high, low)
        )

    def gather(self, a: Floats, n: int, sign: float) -> Floats:
        """(n,) what the conditions above give each row, plus or minus what those below do."""
        if self.side is not None:
            return a if sign > 0 else self.side * a
        rows, cut = np.zeros(n), n if isinstance(self.up, slice) else len(self.up)
        rows[self.up] = a[:cut]
        rows[self.down] += sign * a[cut:]
        return rows


def solve_tube(program: Program, tol: float = 1e-12, max_iter: int = 200, of_value: bool = False) -> Tube:
    """Minimise (1).

    ``tol`` is the gap between (2) and its dual, relative to what y and the tube cost, or, if ``of_value``, to the value
    itself, at which to stop. Among several answers of (1) the one in the middle is found, so that the order of the rows
    does not matter.

    Examples
    --------
    The median of 1, 2 and 30, as the number with the least sum of distances:

    >>> import numpy as np
    >>> from assay.linear.regression.tube_program import Program, solve_tube
    >>> one = np.ones(3)
    >>> result = solve_tube(Program(one[:, None], np.array([1.0, 2.0, 30.0]), one, one, 0 * one, np.zeros(1)))
    >>> result.beta.round(9)
    array([2.])
    """
    X, y, above, below, epsilon, ridge, pull, _ = program
    sides = _Sides.of(above, below)
    k = sides.split(above, below)
    beta = _weighted(X, np.ones(len(y)), y, ridge + 1e-12)
    r = y - X @ beta
    gap = sides.split(r - epsilon, -r - epsilon)  # c - A beta
    near = float(np.abs(gap).mean()) or float(np.abs(y).max()) or 1.0
    s = np.maximum(gap, 0.0) + near
    lam = 0.5 * k
    size = float(k @ sides.split(np.abs(y) + epsilon, np.abs(y) + epsilon)) or 1.0
    history: list[Record] = []
    converged, left = False, np.inf
    for iteration in range(max_iter + 1):
        g, mu = s - gap, k - lam
        short = ridge * beta - pull - _back(X, sides, lam)  # what is missing to the first condition
        left = float(g @ lam + s @ mu)
        value = program.value(beta)
        history.append(Record(iteration, value, float(np.abs(short).max(initial=0.0))))
        if left <= tol * (value if of_value else size) and np.abs(short).max(initial=0.0) <= 1e-9 * max(
            k.max(initial=0.0), 1e-300
        ) * len(y):
            converged = True
            break
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            step = _step(program, sides, g, s, lam, mu, short, left)
        if step is None:
            break
        d_beta, d_s, d_lam, along, lengths = step
        if max(lengths) < 1e-12:
            break
        beta = beta + lengths[0] * d_beta
        s, gap = s + lengths[0] * d_s, gap - lengths[0] * along
        lam = lam + lengths[1] * d_lam
    return Tube(_corner(program, beta) if not ridge.any() else beta, converged, history, left)


def _step(
    program: Program,
    sides: _Sides,
    g: Floats,
    s: Floats,
    lam: Floats,
    mu: Floats,
    short: Floats,
    left: float,
) -> Any:
    """The predictor step, which determines tau, and the corrected step.

    Gives d beta, d s, d lambda, A d beta, and how far to go with the first two and with the third.
    """
    X, ridge = program.X, program.ridge
    n = len(program.y)
    D = 1 / (g / lam + s / mu)
    factor = _factor(X, sides.gather(D, n, 1.0), ridge)
    if factor is None:
        return None

    def towards(c1: Floats, c2: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        pull = c1 / lam - c2 / mu
        d_beta = _solve(factor, _back(X, sides, D * pull) - short)  # (3)
        move = X @ d_beta
        along = sides.split(move, -move)
        d_lam = D * (pull - along)
        d_s = (c2 + s * d_lam) / mu
        return d_beta, d_s, d_lam, along, along + d_s

    _, d_s, d_lam, _, d_g = towards(-g * lam, -s * mu)
    primal, dual = min(_room(g, d_g), _room(s, d_s)), min(_room(lam, d_lam), _room(mu, -d_lam))
    after = (g + primal * d_g) @ (lam + dual * d_lam) + (s + primal * d_s) @ (mu - dual * d_lam)
    tau = left / (2 * len(g)) * float(np.clip(after / left, 0.0, 1.0)) ** 3
    d_beta, d_s, d_lam, along, d_g = towards(tau - g * lam - d_g * d_lam, tau - s * mu + d_s * d_lam)
    primal = 0.9995 * min(_room(g, d_g), _room(s, d_s))
    dual = 0.9995 * min(_room(lam, d_lam), _room(mu, -d_lam))
    if ridge.any():
        primal = dual = min(primal, dual)
    if not np.isfinite(d_beta).all():
        return None
    return d_beta, d_s, d_lam, along, (min(primal, 1.0), min(dual, 1.0))


def _room(value: Floats, change: Floats) -> float:
    """How far value + t change stays positive, at most 1; the values are above 0."""
    fastest = float((change / value).min(initial=0.0))
    return min(1.0, -1.0 / fastest) if fastest < 0 else 1.0


def _back(X: Any, sides: _Sides, a: Floats) -> Floats:
    """A'a."""
    return np.asarray(sides.gather(a, X.shape[0], -1.0) @ X).ravel()


def _factor(X: Any, D: Floats, ridge: Floats) -> Any:
    """The Cholesky factor of X'DX + P, scaled to a unit diagonal; dependent columns get a little stiffness."""
    from scipy.linalg.lapack import dpotrf

    with np.errstate(over="ignore", invalid="ignore"):
        M = _gram(X, D) if isinstance(X, np.ndarray) else (X.T @ X.multiply(D[:, None])).toarray()
    M.flat[:: len(M) + 1] += ridge
    if not np.isfinite(M).all():
        return None
    power = np.diagonal(M).copy()
    s = np.sqrt(np.where(power > 0, power, 1.0))
    M = M / s / s[:, None]
    for stiff in (0.0, 1e-14, 1e-12, 1e-10, 1e-8):
        M.flat[:: len(M) + 1] = 1.0 + stiff
        L, failed = dpotrf(M, lower=1)
        if not failed and np.diagonal(L).min() > 1e-8:
            return L, s
    return (L, s) if not failed else None


def _gram(X: Floats, D: Floats) -> Floats:
    """X'DX, D from 0 up, of blocks of rows that stay in the cache."""
    M, root = np.zeros((X.shape[1], X.shape[1])), np.sqrt(D)
    for first in range(0, len(X), BLOCK_ROWS):
        part = X[first : first + BLOCK_ROWS] * root[first : first + BLOCK_ROWS, None]
        M += part.T @ part
    return M


def _solve(factor: Any, b: Floats) -> Floats:
    from scipy.linalg.lapack import dpotrs

    L, s = factor
    return dpotrs(L, b / s, lower=1)[0] / s


def _weighted(X: Any, D: Floats, y: Floats, ridge: Floats) -> Floats:
    factor = _factor(X, D, ridge)
    b = np.asarray((D * y) @ X).ravel()
    return np.zeros(X.shape[1]) if factor is None else _solve(factor, b)


def _corner(program: Program, beta: Floats) -> Floats:
    """Without P an answer lies where d rows meet their target exactly: the corner next to beta, if it is as good."""

    X, d = program.X, len(beta)
    r = program.y - X @ beta
    bent = np.abs(np.abs(r) - program.epsilon)
    bent = np.where(bent < 1e-9 * np.abs(program.y).max(initial=0.0), 0.0, bent)
    rows = np.lexsort((-np.arange(len(r)), bent))[
        : 3 * d
    ]  # of equals the last first: penalties, so that weights are 0
    near = X[rows] if isinstance(X, np.ndarray) else X[rows].toarray()
    if len(rows) < d:
        return beta
    norm = np.linalg.norm(near, axis=1)
    scale = _power_of_two(np.where(norm > 0, norm, 1.0))
    near = near / scale[:, None]
    order = _independent(near, d)
    if order is None:
        return beta
    chosen = rows[order]
    target = program.y[chosen] - np.sign(r[chosen]) * program.epsilon[chosen]
    try:
        corner = np.linalg.solve(near[order], target / scale[order])
    except np.linalg.LinAlgError:
        return beta
    rounding = 1e-13 * float((program.above + program.below) @ np.abs(program.y))
    return corner if program.value(corner) <= program.value(beta) + rounding else beta


def _power_of_two(x: Any) -> Any:
    """The power of two next to x above 0: dividing by it rounds nothing."""
    return np.exp2(np.round(np.log2(x)))


def _independent(rows: Floats, d: int) -> Any:
    """The first d rows, in order, that are linearly independent; None if there are fewer."""
    basis = np.zeros((d, d))
    chosen: list[int] = []
    for i, row in enumerate(rows):
        residual = row - basis[: len(chosen)].T @ (basis[: len(chosen)] @ row)
        residual -= basis[: len(chosen)].T @ (basis[: len(chosen)] @ residual)
        length = np.linalg.norm(residual)
        if length > 1e-7:
            basis[len(chosen)] = residual / length
            chosen.append(i)
            if len(chosen) == d:
                return np.array(chosen)
    return None


class Fitted(NamedTuple):
    """Weights and constant in the user's units, and how they were found."""

    coef: Floats
    intercept: float
    tube: Tube


def fit_tube(
    X: Any,
    y: Floats,
    w: Floats | None,
    *,
    above: float = 1.0,
    below: float = 1.0,
    epsilon: float = 0.0,
    lasso: float = 0.0,
    ridge: float = 0.0,
    intercept: bool = True,
    max_iter: int = 200,
) -> Fitted:
    r"""(1) per unit of row weight, plus ``lasso`` :math:`\sum_j|w_j|` and ``ridge`` :math:`\tfrac12\sum_jw_j^2`.

    The program sees the columns in units of their own size and, if there is a constant, from a row in their middle (of
    a sparse table: as they are), and y likewise, so that columns of any scale are solved alike. Units are powers of two
    and middles are values of the table, so that whole numbers stay exact.
    """
    from scipy.sparse import csr_array, diags_array, hstack, vstack

    if w is not None:
        X, y, w = X[w > 0], y[w > 0], w[w > 0]
    v = np.full(len(y), 1 / len(y)) if w is None else w / w.sum()
    n, d = X.shape
    dense = isinstance(X, np.ndarray)
    with np.errstate(over="ignore", invalid="ignore"):
        X = X.astype(np.float64, copy=False)
        mean = _middle_row(X, v) if dense and intercept else np.zeros(d)
        square = v @ (X - mean) ** 2 if dense else np.asarray(v @ X.multiply(X)).ravel()
        middle = float(y[np.argmin(np.abs(y - v @ y))]) if intercept else 0.0
        size = float(np.sqrt(v @ (y - middle) ** 2))
    if not np.isfinite(square).all() or not np.isfinite(size):
        raise DataError("The squares of X or y are too large to be added up. Divide by a power of ten.")
    live = np.flatnonzero(square > TINY)
    if not len(live) and not intercept:
        return Fitted(np.zeros(d), 0.0, Tube(np.zeros(0), True, []))
    s, size = _power_of_two(np.sqrt(square[live])), float(_power_of_two(size)) if size**2 > TINY else 1.0
    columns = (X[:, live] - mean[live]) / s if dense else csr_array(X)[:, live] @ diags_array(1 / s)
    if intercept:
        columns = np.column_stack((columns, np.ones(n))) if dense else hstack((columns, np.ones((n, 1))))
    rows = len(live) if lasso else 0
    if lasso:  # a row for each penalty, in the units of its column
        ridge_rows = np.eye(len(live), columns.shape[1]) / s[:, None]
        columns = np.vstack((columns, ridge_rows)) if dense else vstack((columns, csr_array(ridge_rows)))
    price = np.concatenate((v, np.full(rows, lasso)))
    stiff = np.zeros(columns.shape[1])
    stiff[: len(live)] = ridge / s**2 * size  # (1) in units of y
    program = Program(
        columns if dense else csr_array(columns),
        np.concatenate(((y - middle) / size, np.zeros(rows))),
        price * np.concatenate((np.full(n, above), np.ones(rows))),
        price * np.concatenate((np.full(n, below), np.ones(rows))),
        np.concatenate((np.full(n, epsilon / size), np.zeros(rows))),
        stiff,
    )
    tube = solve_tube(program, max_iter=max_iter)
    coef = np.zeros(d)
    coef[live] = size * tube.beta[: len(live)] / s
    constant = size * tube.beta[-1] + middle - mean @ coef if intercept else 0.0
    return Fitted(coef, float(constant), tube)


def _middle_row(X: Floats, v: Floats) -> Floats:
    """The row nearest to the mean, each column in units of its spread."""
    gap = X - v @ X
    spread = v @ gap**2
    return X[np.argmin((gap**2 / np.where(spread > TINY, spread, np.inf)).sum(axis=1))]
