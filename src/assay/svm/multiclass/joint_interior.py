"""An interior point method for machines of several classes in one problem, where passes over the rows crawl."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core.parallel import end_if_abandoned

__all__ = ["ClassRows", "InteriorClasses", "fits_inside", "work_inside"]

Floats = NDArray[np.float64]

MOST_UNKNOWNS = 1_500  # weights of all classes: the side of the matrix that is factored
MOST_PAIRS = 20_000_000  # rows times pairs of classes, held as numbers
MOST_ITERATIONS = 60
USUAL_ITERATIONS = 20
SMALLEST_GAP = 1e-11  # between the two objectives, as a share of theirs, at which it ends
SMALLEST_OBJECTIVE = 1e-12  # of each row, in units of the margin and the highest price: less counts as 0
SMALLEST_ERROR = 1e-9  # of the conditions, in the same units
GOOD_GAP = 1e-6  # with which an end for other reasons is good enough
CLEAR = (
    1e-3  # the bound holds where its distance is such a share of its multiplier, or less: one of them is 0
)
STEP = 0.995  # of the way to the nearest bound
MOST_REFINED = (
    600  # directions between the bounds in which the coefficients are brought to the weights in the end
)
JITTER = 1e-15  # on the diagonal of a matrix with ones there


class InteriorClasses(NamedTuple):
    """Coefficients (n, K) of the rows, weights (d, K) of the columns, constants (K,), and the iterations."""

    A: Floats
    W: Floats
    b: Floats
    n_iter: int


def fits_inside(n: int, d: int, K: int) -> bool:
    """Whether the method is for a problem of n rows, d columns and K classes."""
    return K * (d + 1) <= MOST_UNKNOWNS and n * K * K <= MOST_PAIRS


def work_inside(n: int, d: int, K: int) -> float:
    """Its multiplications, nearly all of them in BLAS."""
    return USUAL_ITERATIONS * (0.5 * K * (K + 1) * n * (d + 1.0) ** 2 + (K * (d + 1.0)) ** 3 / 3)


@dataclass(frozen=True, eq=False)
class ClassRows:
    r"""The problem, as the method wants it.

    With multipliers :math:`C_iP_{ik}` of the classes :math:`k \ne y_i` and :math:`S_i = 1 - \sum_kP_{ik}` (one slack a
    row) or :math:`S_{ik} = 1 - P_{ik}` (one for each class),

    .. math:: \min_P\;\tfrac12\sum_k\lVert w_k\rVert^2 - m\sum_{ik}C_iP_{ik}, \quad
              w_k = \sum_iA_{ik}x_i, \quad A_{ik} = -C_iP_{ik}, \quad A_{iy_i} = \sum_kC_iP_{ik}, \quad
              P, S \ge 0 \quad (1)

    Steps of Newton's method towards P z = mu, S v = mu for a falling mu (Mehrotra 1992) come down to one system of all
    weights each, :math:`\sum_ih_i\otimes x_ix_i^T + E`, with K x K matrices :math:`h_i` of the curvature of the bounds
    (Ferris and Munson 2002). Descent over one row at a time crawls where columns have very different units; these steps
    do not: 10 to 30 of them. A constant without penalty is a weight whose E is 0.

    Cost: O(n d^2 K^2 + d^3 K^3) an iteration; memory O(n (d + K^2) + d^2 K^2).

    Attributes
    ----------
    X : (n, r) columns of length 1 on average, and the constant column      E : (r,) penalties of their weights
    spread, mean : (d,) by what the columns were divided, 0 for constant ones, and what was taken away before
    others : (n, K - 1) the classes of (1)      y : (n,)      price : (n,) C, the highest of them 1
    each : whether every class pays its curvature slack      margin : m      unit : the highest price
    constant : s, what the constant column holds; 0 for none

    References
    ----------
    - Ferris, M. C. and Munson, T. S. (2002). Interior-point methods for massive support vector machines. SIAM Journal
      on Optimization 13(3), 783-804. doi:10.1137/S1052623400374379
    - Mehrotra, S. (1992). On the implementation of a primal-dual interior point method. SIAM Journal on Optimization
      2(4), 575-601. doi:10.1137/0802028
    """

    X: Floats
    E: Floats
    spread: Floats
    mean: Floats
    others: NDArray[np.int64]
    y: NDArray[np.int64]
    price: Floats
    K: int
    each: bool
    margin: float
    unit: float
    constant: float

    @staticmethod
    def of(
        X: Floats, y: NDArray[np.int64], price: Floats, K: int, each: bool, margin: float, constant: float,
        penalised: bool,
    ) -> ClassRows | None:  # fmt: skip
        """The problem of rows X (n, d) with prices above 0; None if its numbers are too large."""
        n, unit = len(y), float(price.max())
        free = bool(constant) and not penalised
        constant = 1.0 if free else constant
        with np.errstate(all="ignore"):
            mean = X.mean(axis=0) if free else np.zeros(X.shape[1])
            Z = X - mean
            largest = np.abs(Z).max(axis=0)
            spread = largest * np.sqrt(((Z / np.where(largest > 0, largest, 1.0)) ** 2).mean(axis=0))
            varies = spread > 0
            Z = Z[:, varies] / spread[varies]
            E = 1 / (unit * spread[varies] ** 2)
            overflow = not (E > 0).all()
            if constant:
                Z = np.column_stack([Z, np.full(n, constant)])
                E = np.append(E, 0.0 if free else 1 / unit)
        if overflow or not (np.isfinite(E).all() and np.isfinite(Z).all()):
            return None
        classes = np.tile(np.arange(K), (n, 1))
        others = classes[classes != y[:, None]].reshape(n, K - 1)
        return ClassRows(
            np.ascontiguousarray(Z), E, spread, mean, others, y, price / unit, K, each, margin, unit, constant
        )

    def gaps(self, x: Floats) -> Floats:
        """(n, K - 1) by how much the score of a row's class leads the others, times its price; x is (r, K)."""
        F, rows = self.X @ x, np.arange(len(self.y))
        return self.price[:, None] * (F[rows, self.y][:, None] - np.take_along_axis(F, self.others, axis=1))

    def coefficients(self, P: Floats) -> Floats:
        """(n, K) A of (1), in units of the highest price."""
        A = np.zeros((len(self.y), self.K))
        np.put_along_axis(A, self.others, -self.price[:, None] * P, axis=1)
        A[np.arange(len(self.y)), self.y] = self.price * P.sum(axis=1)
        return A

    def sums(self, P: Floats) -> Floats:
        """(r, K) the weights that multipliers make up, each times its E."""
        return self.X.T @ self.coefficients(P)

    def slack(self, P: Floats) -> Floats:
        """S of (1), (n, K - 1) or (n, 1)."""
        return 1 - P if self.each else 1 - P.sum(axis=1, keepdims=True)

    def solved(self) -> InteriorClasses | None:
        """The solution; None if there is none to be had."""
        with np.errstate(all="ignore"):
            at, iterations, share = self._minimum()
        if not share <= GOOD_GAP or not np.isfinite(at.x).all():
            return None
        size = self.margin
        P = at.P
        P[CLEAR * at.z > size * P] = 0.0
        if self.each:
            P[CLEAR * at.v > size * at.S] = 1.0
        else:
            full = (CLEAR * at.v > size * at.S)[:, 0]
            P[full] /= P[full].sum(axis=1, keepdims=True)
        P = self._refined(P, at.x)
        d = len(self.spread)
        varies, W = self.spread > 0, np.zeros((d, self.K))
        W[varies] = at.x[: int(varies.sum())] / self.spread[varies, None]
        b = self.constant * at.x[-1] - self.mean @ W if self.constant else np.zeros(self.K)
        return InteriorClasses(self.unit * self.coefficients(P), W, b, iterations)

    def _refined(self, P: Floats, x: Floats) -> Floats:
        """The multipliers between their bounds brought to the weights, which are more exact than what they make up."""
        full = np.zeros(len(P), dtype=bool) if self.each else P.sum(axis=1) >= 1
        free = (P > 0) & (P < 1)
        most = P.argmax(axis=1)  # of a row without slack it makes up for the others
        free[full, most[full]] = False
        i, place = np.nonzero(free)
        if not 0 < len(i) <= MOST_REFINED:
            return P
        to = np.where(full[i], self.others[i, most[i]], self.y[i])
        each = np.arange(len(i))
        effect = np.zeros((len(i), self.K, self.X.shape[1]))
        effect[each, to] += self.price[i, None] * self.X[i]
        effect[each, self.others[i, place]] -= self.price[i, None] * self.X[i]
        lack = self.E[:, None] * x - self.sums(P)
        more = np.linalg.lstsq(effect.reshape(len(i), -1).T, lack.T.ravel(), rcond=None)[0]
        better = P.copy()
        better[i, place] += more
        np.subtract.at(better, (i[full[i]], most[i[full[i]]]), more[full[i]])
        better = np.clip(better, 0.0, 1.0)
        if not self.each:
            better /= np.maximum(better.sum(axis=1, keepdims=True), 1.0)
        nearer = np.abs(self.E[:, None] * x - self.sums(better)).max() < np.abs(lack).max()
        return better if nearer else P

    def _minimum(self) -> tuple[_Point, int, float]:
        n, others = self.others.shape
        first = 0.5 if self.each else 1.0 / (others + 1)
        P = np.full((n, others), first)
        S = self.slack(P)
        at = _Point(
            P,
            S,
            np.zeros((len(self.E), self.K)),
            np.full(P.shape, self.margin),
            np.full(S.shape, self.margin),
        )
        share, linear, count = np.inf, -self.margin * self.price[:, None], P.size + S.size
        iterations = 0
        while iterations < MOST_ITERATIONS:
            end_if_abandoned()
            newton, gap = _Newton(self, at, linear), at.gap()
            objective = 0.5 * float(self.E @ (at.x * at.x).sum(axis=1)) + float((linear * at.P).sum())
            share = gap / (abs(objective) + SMALLEST_OBJECTIVE * n * self.margin)
            error = float(np.abs(newton.slope).max()) / self.margin
            if not newton.solvable or not np.isfinite(share + error):
                share += error
                break
            if share <= SMALLEST_GAP and error <= SMALLEST_ERROR:
                break
            low, high = -at.z * at.P, -at.v * at.S
            step = newton.step(low, high)
            after = at.moved(step, at.reach(step)).gap()
            mu = (after / gap) ** 3 * gap / count
            step = newton.step(mu + low - step.P * step.z, mu + high - step.S * step.v)
            at = at.moved(step, min(1.0, STEP * at.reach(step)))
            iterations += 1
        return at, iterations, share


@dataclass(eq=False)
class _Point:
    """Where the method stands: P, S and x of `ClassRows`, and the multipliers of P >= 0 and S >= 0."""

    P: Floats
    S: Floats
    x: Floats
    z: Floats
    v: Floats

    def gap(self) -> float:
        return float((self.z * self.P).sum() + (self.v * self.S).sum())

    def moved(self, step: _Point, reach: float) -> _Point:
        return _Point(
            self.P + reach * step.P,
            self.S + reach * step.S,
            self.x + reach * step.x,
            self.z + reach * step.z,
            self.v + reach * step.v,
        )

    def reach(self, step: _Point) -> float:
        """The share of a step, at most 1, at which the first number would be 0."""
        pairs = ((step.P, self.P), (step.S, self.S), (step.z, self.z), (step.v, self.v))
        steepest = max(float((-change / now).max()) for change, now in pairs)
        return 1.0 if not steepest > 1 else 1 / steepest


class _Newton:
    """The system of a step, factored."""

    def __init__(self, problem: ClassRows, at: _Point, linear: Floats):
        from scipy.linalg.lapack import dpotrf

        self.problem, self.at = problem, at
        self.slope = problem.gaps(at.x) + linear - at.z + at.v  # 0 at the solution
        self.lack = problem.sums(at.P) - problem.E[:, None] * at.x  # likewise
        self.stiff, self.left = np.zeros((len(at.P), 1)), np.ones((len(at.P), 1))
        if problem.each:
            self.d = 1 / (at.z / at.P + at.v / at.S)
        else:
            self.d, self.stiff = at.P / at.z, at.v / at.S
            self.left = 1 / (1 + self.stiff * self.d.sum(axis=1, keepdims=True))
        matrix = self._matrix()
        self.scale = 1 / np.sqrt(np.diagonal(matrix))
        matrix *= np.outer(self.scale, self.scale)
        matrix.flat[:: len(matrix) + 1] += JITTER
        self.root, info = dpotrf(matrix, overwrite_a=1)
        self.solvable = info == 0

    def _matrix(self) -> Floats:
        """The curvature of all weights, class by class; the sum of a column's weights over classes is held at 0."""
        problem, (n, r), K = self.problem, self.problem.X.shape, self.problem.K
        rows, D, G, curvature = np.arange(n), np.zeros((n, K)), np.zeros((n, K)), np.zeros((n, K))
        np.put_along_axis(D, problem.others, self.d, axis=1)
        np.put_along_axis(G, problem.others, self.d * self.left, axis=1)
        np.put_along_axis(
            curvature, problem.others, self.d * self.left * (1 + self.stiff * _of_others(self.d)), axis=1
        )
        h = -(self.stiff * self.left)[:, :, None] * D[:, :, None] * D[:, None, :]
        h[:, np.arange(K), np.arange(K)] = curvature
        h[rows, problem.y] -= G
        h[rows, :, problem.y] -= G
        h[rows, problem.y, problem.y] = G.sum(axis=1)
        h *= (problem.price**2)[:, None, None]
        M = np.empty((K, r, K, r))
        for k in range(K):
            for other in range(k, K):
                M[k, :, other] = problem.X.T @ (h[:, k, other, None] * problem.X)
                M[other, :, k] = M[k, :, other].T
        columns = np.arange(r)
        for k in range(K):
            M[k, columns, k, columns] += problem.E
        held = np.mean([M[k, columns, k, columns] for k in range(K)], axis=0)
        for k in range(K):
            for other in range(K):
                M[k, columns, other, columns] += held
        return M.reshape(K * r, K * r)

    def step(self, low: Floats, high: Floats) -> _Point:
        """The step that changes P z by ``low`` and S v by ``high``, to first order."""
        from scipy.linalg.lapack import dpotrs

        problem, at = self.problem, self.at
        rho = -self.slope + low / at.P - high / at.S
        wanted = (problem.sums(self._bent(rho)) + self.lack).T.ravel()
        dx = (self.scale * dpotrs(self.root, self.scale * wanted)[0]).reshape(problem.K, -1).T
        values = rho - problem.gaps(dx)
        dP = self._bent(values)  # of which the sum may be far smaller than its terms
        dS = -dP if problem.each else -self.left * (self.d * values).sum(axis=1, keepdims=True)
        return _Point(dP, dS, dx, (low - at.z * dP) / at.P, (high - at.v * dS) / at.S)

    def _bent(self, values: Floats) -> Floats:
        """The multipliers that answer such slopes: of differences, where a row has no slack left."""
        ahead = values * _of_others(self.d) - _of_others(self.d * values)
        return self.d * self.left * (values + self.stiff * ahead)


def _of_others(values: Floats) -> Floats:
    """(n, k) the sum of a row without the number at this place, added up without taking it away again."""
    return values @ (1.0 - np.eye(values.shape[1]))
