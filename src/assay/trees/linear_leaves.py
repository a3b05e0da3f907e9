"""Linear models of the rows of a node, and the measure that looks for splits by them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from assay.errors import ParameterError
from assay.trees.node_measures import Floats, RowIndices, Spans, _mean

__all__ = [
    "LinearMeasure",
    "eliminate_terms",
    "equation",
    "expected_error",
    "least_squares",
    "no_rules",
    "softmax_regression",
]

TINY = 1e-10  # a column that varies less, in parts of its size, is constant; ridge of a search, in parts of N
NEWTON_LIMIT = 150  # parameters up to which the Hessian is solved directly


def least_squares(Z: Floats, y: Floats, w: Floats, ridge: float = 0.0) -> tuple[Floats, float]:
    r"""Coefficients and intercept of the weighted least squares fit of y to the columns of Z.

    .. math:: \min_{b, b_0} \sum_t w_t (y_t - b_0 - b^T z_t)^2 + \lambda \|D b\|^2

    with D the standard deviations of the columns. Columns that are constant here get coefficient 0. If there are no
    more rows than terms and no ridge, the fit is the mean; if columns depend on each other, it is the one of smallest
    standardised coefficients.

    >>> coef, intercept = least_squares(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0]), np.ones(3))
    >>> coef.round(12), round(intercept, 12)
    (array([2.]), 1.0)
    """
    total = w.sum()
    centre, middle = w @ Z / total, float(w @ y / total)
    scale, moves = _scales(Z, w, centre)
    coef = np.zeros(Z.shape[1])
    if moves.any() and (ridge > 0 or np.count_nonzero(w) > moves.sum() + 1):
        root = np.sqrt(w)[:, None]
        A, b = (Z[:, moves] - centre[moves]) / scale[moves] * root, (y - middle) * root[:, 0]
        if ridge > 0:
            A = np.vstack([A, np.sqrt(ridge) * np.eye(A.shape[1])])
            b = np.append(b, np.zeros(A.shape[1]))
        coef[moves] = np.linalg.lstsq(A, b, rcond=TINY)[0] / scale[moves]
    return coef, middle - float(centre @ coef)


def eliminate_terms(Z: Floats, y: Floats, w: Floats, ridge: float = 0.0) -> tuple[Floats, float]:
    r"""The least squares fit without the terms that do not pay for themselves, as M5 simplifies its models.

    A fit with v parameters to N rows is expected to err on new rows as :math:`\frac{N+v}{N-v}` times its own root
    mean square residual. As long as that falls, the term is dropped whose loss raises the residual least,
    :math:`b_j^2 / (A^{-1})_{jj}` for the scatter matrix A.
    """
    quick = _terms_by_updates(Z, y, w) if ridge == 0 else None
    if quick is not None:
        coef = np.zeros(Z.shape[1])
        coef[quick], intercept = least_squares(Z[:, quick], y, w)
        return coef, intercept
    total, keep = w.sum(), np.ones(Z.shape[1], dtype=bool)
    coef, intercept = least_squares(Z, y, w, ridge)
    keep &= coef != 0
    best = _expected(Z, y, w, coef, intercept)
    scatter = None
    while keep.any():
        if scatter is None:
            centred = (Z - w @ Z / total) * np.sqrt(w)[:, None]
            scale = np.sqrt((centred**2).sum(axis=0))
            scatter = centred.T @ centred / np.maximum(np.outer(scale, scale), 1e-300)
        inverse = np.linalg.pinv(scatter[np.ix_(keep, keep)], hermitian=True, rcond=TINY)
        cost = (coef[keep] * scale[keep]) ** 2 / np.maximum(np.diag(inverse), 1e-300)
        without = keep.copy()
        without[np.flatnonzero(keep)[np.argmin(cost)]] = False
        trial = np.zeros(Z.shape[1])
        trial[without], start = least_squares(Z[:, without], y, w, ridge)
        expected = _expected(Z, y, w, trial, start)
        if expected > best:
            break
        best, coef, intercept, keep = expected, trial, start, without
    return coef, intercept


def _terms_by_updates(Z: Floats, y: Floats, w: Floats) -> NDArray[np.intp] | None:
    r"""Which terms ``eliminate_terms`` keeps, from one scatter matrix; None where that would lose too many digits.

    Without term j, the inverse of the scatter matrix loses :math:`A^{-1}_{\cdot j} A^{-1}_{j\cdot} / A^{-1}_{jj}`, the
    coefficients lose :math:`b_j A^{-1}_{\cdot j} / A^{-1}_{jj}`, and the sum of squared residuals gains
    :math:`b_j^2 / A^{-1}_{jj}`.
    """
    N, root = float(w.sum()), np.sqrt(w)
    centre, middle = w @ Z / N, float(w @ y / N)
    scale, moves = _scales(Z, w, centre)
    terms = np.flatnonzero(moves)
    p, target = len(terms), (y - middle) * root
    square = float(target @ target)
    if p == 0 or square == 0 or np.count_nonzero(w) <= p + 1:
        return terms[:0]
    A = (Z[:, terms] - centre[terms]) / scale[terms] * root[:, None]
    scatter, c = A.T @ A / N, A.T @ target / N
    try:
        pivots = np.diag(np.linalg.cholesky(scatter)) ** 2
    except np.linalg.LinAlgError:
        return None
    if pivots.min() < 1e-6:  # before the inverse, which may not exist: categories add up to one
        return None
    inverse = np.linalg.inv(scatter)
    coef = inverse @ c
    residual, square = square / N - float(c @ coef), square / N
    if residual < 1e-8 * square:
        return None

    def expected(residual: float, p: int) -> float:
        return float(np.sqrt(residual)) * ((N + p + 1) / (N - p - 1) if p + 1 < N else 10.0)

    while len(terms):
        diagonal = inverse.diagonal()
        cost = coef**2 / diagonal
        j = int(np.argmin(cost))
        if expected(residual + cost[j], len(terms) - 1) > expected(residual, len(terms)):
            break
        residual += float(cost[j])
        others = np.delete(np.arange(len(terms)), j)
        column = inverse[others, j]
        coef = coef[others] - column * (coef[j] / diagonal[j])
        inverse = inverse[np.ix_(others, others)] - np.outer(column, column / diagonal[j])
        terms = terms[others]
    return terms


def expected_error(residual: Floats, w: Floats, parameters: int) -> float:
    """Root mean square residual times (N + v)/(N - v); ten times it where there are no more rows than parameters."""
    N = float(w.sum())
    factor = (N + parameters) / (N - parameters) if parameters < N else 10.0
    return float(np.sqrt(w @ residual**2 / N)) * factor


def _expected(Z: Floats, y: Floats, w: Floats, coef: Floats, intercept: float) -> float:
    return expected_error(y - Z @ coef - intercept, w, int(np.count_nonzero(coef)) + 1)


def equation(coef: Floats, intercept: float, names: list[str]) -> str:
    """A linear function as one writes it; a constant of rounding errors only is left away.

    >>> equation(np.array([2.0, 0.0, -1.5]), 4.0, ["age", "height", "weight"])
    '4 + 2 age - 1.5 weight'
    """
    terms = [(f"{abs(b):.6g} {name}", b < 0) for b, name in zip(coef, names) if abs(b) > 0]
    if abs(intercept) > 1e-12 * np.abs(coef).max(initial=0.0) or not terms:
        terms.insert(0, (f"{abs(intercept):.6g}", intercept < 0))
    first, *others = terms
    return ("-" if first[1] else "") + first[0] + "".join(f" {'-' if m else '+'} {t}" for t, m in others)


def no_rules(who: str) -> ParameterError:
    """The error for rules of a tree whose leaves do not have one value each."""
    return ParameterError(
        f"{who}: its leaves answer with functions of the row, which a rule cannot hold. print(model) shows them; for "
        "rules take a tree with constant leaves, such as DecisionTreeClassifier or DecisionTreeRegressor."
    )


def softmax_regression(
    Z: Floats, y: NDArray[np.int64], w: Floats, K: int, ridge: float
) -> tuple[Floats, Floats]:
    r"""Coefficients (K, p) and intercepts (K,) of the softmax classifier of least penalised cross-entropy.

    .. math:: \min \; -\sum_t w_t \ln p_{y_t}(z_t) + \tfrac{\lambda}{2} \sum_k \|D b_k\|^2, \qquad
              p_k(z) \propto e^{b_{k0} + b_k^T z}

    with D the standard deviations of the columns. Two classes have one vector, :math:`b_1 - b_0`, and it is this that
    is penalised. A class without rows gets probability 0 (intercept minus infinity). Newton steps, halved until they
    descend; quasi-Newton steps for many parameters.

    >>> coef, intercept = softmax_regression(np.array([[0.0], [2.0]]), np.array([0, 2]), np.ones(2), 3, 1.0)
    >>> intercept[1], (coef[2] > coef[0])[0]
    (np.float64(-inf), np.True_)
    """
    present, codes = np.unique(y, return_inverse=True)
    p, k = Z.shape[1], len(present)
    all_coef, all_intercept = np.zeros((K, p)), np.full(K, -np.inf)
    all_intercept[present] = 0.0
    if k == 1:
        return all_coef, all_intercept
    total = w.sum()
    centre = w @ Z / total
    scale, moves = _scales(Z, w, centre)
    A = np.column_stack([np.ones(len(Z)), (Z[:, moves] - centre[moves]) / scale[moves]])
    fit = _newton if k * A.shape[1] <= NEWTON_LIMIT else _quasi_newton
    B = fit(A, np.eye(k)[codes], w, 2 * ridge if k == 2 else ridge)  # |b_1|^2 + |b_0|^2 = |b_1 - b_0|^2 / 2
    all_coef[np.ix_(present, moves)] = B[:, 1:] / scale[moves]
    all_intercept[present] = B[:, 0] - all_coef[present] @ centre
    return all_coef, all_intercept


def _newton(A: Floats, Y: Floats, w: Floats, ridge: float) -> Floats:
    """(k, q) the minimum by Newton's method; the classes' intercepts sum to zero."""
    q, k = A.shape[1], Y.shape[1]
    penalty = np.append(0.0, np.full(q - 1, ridge))
    B = np.zeros((k, q))
    B[:, 0] = np.log(w @ Y)
    B[:, 0] -= B[:, 0].mean()
    value = _loss(A, Y, w, penalty, B)
    for _ in range(100):
        P = softmax(A @ B.T, axis=1)
        gradient = (w[:, None] * (P - Y)).T @ A + penalty * B
        H = np.zeros((k, q, k, q))
        for a in range(k):
            for b in range(a + 1):
                weight = w * P[:, a] * ((a == b) - P[:, b])
                H[a, :, b] = H[b, :, a] = (A * weight[:, None]).T @ A
            H[a, :, a] += np.diag(penalty)
        # The intercepts are known up to a constant: this keeps their sum, and H regular where P is all 0 and 1.
        H[:, 0, :, 0] += w.sum() * (1 / k**2 + 1e-14 * np.eye(k))
        try:
            step = np.linalg.solve(H.reshape(k * q, k * q), gradient.ravel()).reshape(k, q)
        except np.linalg.LinAlgError:  # the classes are separated, and the ridge is negligible
            break
        size, noise = (
            1.0,
            1e-13 * abs(value),
        )  # of the loss: near the minimum differences are below rounding
        while (trial := _loss(A, Y, w, penalty, B - size * step)) > value + noise and size > 1e-9:
            size /= 2
        B, value = B - size * step, trial
        if np.abs(step).max() <= 1e-12 * (1 + np.abs(B).max()):
            break
    return B


def _quasi_newton(A: Floats, Y: Floats, w: Floats, ridge: float) -> Floats:
    from scipy.optimize import minimize

    k, q = Y.shape[1], A.shape[1]
    penalty = np.append(0.0, np.full(q - 1, ridge))

    def both(b: Floats) -> tuple[float, Floats]:
        B = b.reshape(k, q)
        P = softmax(A @ B.T, axis=1)
        gradient = (w[:, None] * (P - Y)).T @ A + penalty * B
        return _loss(A, Y, w, penalty, B) / w.sum(), gradient.ravel() / w.sum()

    options = {"maxiter": 1000, "gtol": 1e-7, "ftol": 1e-12}
    return minimize(both, np.zeros(k * q), jac=True, method="L-BFGS-B", options=options).x.reshape(k, q)


def _loss(A: Floats, Y: Floats, w: Floats, penalty: Floats, B: Floats) -> float:
    scores = A @ B.T
    top = scores.max(axis=1)
    logs = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
    return float(w @ (logs - (scores * Y).sum(axis=1)) + 0.5 * (penalty * B**2).sum())


class LinearMeasure:
    r"""The mean squared residual of the least squares fit of the targets Y, (n, q), to the terms Z, (n, p).

    For all thresholds of a column at once: the sums of squares and products of the rows between neighbouring cuts are
    added up from the left, and each side of each cut solves its own normal equations.
    """

    ordered_groups = True

    def __init__(self, Z: Floats, Y: Floats, values: Floats | None = None):
        self.Z, self.Y = Z, Y
        self.values = Y if values is None else values  # what a node's value is the mean of

    def node(self, rows: RowIndices, w: Floats) -> float:
        total, size = self._sums(rows, w, np.array([0, len(rows)]))
        return float(self._error(total[0], size[0]))

    def value(self, rows: RowIndices, w: Floats) -> Floats:
        return w @ self.values[rows] / w.sum()

    def spans(self, rows: RowIndices, w: Floats) -> Spans:
        def of(lo: NDArray[np.int64], hi: NDArray[np.int64]) -> tuple[Floats, Floats]:
            edges = np.unique(np.concatenate([lo.ravel(), hi.ravel()]))
            parts, sizes = self._sums(rows, w, edges)
            moment = np.concatenate([np.zeros((1, *parts.shape[1:])), np.cumsum(parts, axis=0)])
            size = np.concatenate([[0.0], np.cumsum(sizes)])
            a, b = np.searchsorted(edges, lo), np.searchsorted(edges, hi)
            return size[b] - size[a], self._error(moment[b] - moment[a], size[b] - size[a])

        return of

    def groups(
        self, rows: RowIndices, w: Floats, codes: RowIndices, left: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        order = np.argsort(codes, kind="stable")
        edges = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=left.shape[1]))))
        parts, sizes = self._sums(rows[order], w[order], edges)
        sides = np.stack([left, ~left], axis=1).astype(float)  # (m, 2, r)
        moment = np.einsum("msr,rab->msab", sides, parts)
        return sides @ sizes, self._error(moment, sides @ sizes)

    def means(self, rows: RowIndices, w: Floats, codes: RowIndices, r: int) -> Floats:
        return np.bincount(codes, w * self.Y[rows, -1], r) / np.bincount(codes, w, r)

    def boundary(self, rows: RowIndices, first: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.ones(len(first) - 1, dtype=bool)

    def combine(self, weight: Floats, impurity: Floats) -> Floats:
        return _mean(weight, impurity)

    def _sums(self, rows: RowIndices, w: Floats, edges: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Weighted products of (1, z, y) with themselves, and weights, between neighbouring edges."""
        Z, Y = self.Z[rows], self.Y[rows]
        centre = w @ Z / w.sum()
        scale, moves = _scales(Z, w, centre)
        terms = np.column_stack(
            [np.ones(len(rows)), (Z[:, moves] - centre[moves]) / scale[moves], Y - w @ Y / w.sum()]
        )
        parts = [(terms[a:b] * w[a:b, None]).T @ terms[a:b] for a, b in pairwise(edges)]
        return np.array(parts), np.array([w[a:b].sum() for a, b in pairwise(edges)])

    def _error(self, moment: Floats, size: Floats) -> Floats:
        q = self.Y.shape[1]
        A, B, C = moment[..., :-q, :-q], moment[..., :-q, -q:], moment[..., -q:, -q:]
        ridge = TINY * size[..., None, None] * np.eye(A.shape[-1]) + 1e-300 * np.eye(A.shape[-1])
        explained = np.sum(B * np.linalg.solve(A + ridge, B), axis=(-2, -1))
        unexplained = np.trace(C, axis1=-2, axis2=-1) - explained
        return np.maximum(unexplained, 0.0) / np.where(size > 0, size, 1.0)


def _scales(Z: Floats, w: Floats, centre: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Standard deviations of the columns, and which of them vary at all."""
    scale = np.sqrt(w @ (Z - centre) ** 2 / w.sum())
    return scale, scale > TINY * np.maximum(np.abs(Z).max(axis=0, initial=0.0), 1e-300)
