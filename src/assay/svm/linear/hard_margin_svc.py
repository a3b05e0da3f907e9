"""The hard margin: the widest street between two classes that no row enters."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Flag, Range
from assay.errors import DataError, DegenerateError
from assay.linear.regression.tube_program import Program, solve_tube
from assay.linear.separation.separability import Separability, is_linearly_separable
from assay.svm.linear.margin_machine import MarginMachine, bias, signed_rows

__all__ = ["HardMarginSVC"]

ON_THE_MARGIN = 1e-5  # how near to 1 the margin of a candidate for a support vector is
EQUATION = 1e4  # what the equation of the constant weighs among the least squares
MAX_POLISHES = 50  # of the system of equations that the support vectors make up


class HardMarginSVC(MarginMachine):
    r"""The separating hyperplane with the largest distance from both classes.

    .. math:: \min_{w,b}\;\tfrac12\lVert w\rVert^2\quad\text{with}\quad y_i(w^Tx_i+b)\ge1                    \quad (1)

    .. math:: \max_\alpha\;\sum_i\alpha_i-\tfrac12\Bigl\lVert\sum_i\alpha_iy_ix_i\Bigr\rVert^2\quad\text{with}\quad
              \alpha_i\ge0,\;\sum_i\alpha_iy_i=0                                                               \quad (2)

    are the primal problem and its dual; :math:`w=\sum\alpha_iy_ix_i`, the margin is :math:`2/\lVert w\rVert`, and
    :math:`\sum\alpha_i=\lVert w\rVert^2`. Only the support vectors, which lie on the margin, matter: leaving out any
    other row changes nothing. Without a constant (``fit_intercept=False``) the plane goes through the origin and (2)
    has no equation. Classes that overlap have no such plane; then the error says where their hulls meet. Use a soft
    margin for them: :class:`LinearSVC`.

    Whether (1) can be met is proved first. A soft margin whose price no multiplier can reach is then solved by an
    interior-point method, and the support vectors' equations give the last digits.

    Cost: fit 10 to 30 steps of O(n d^2); predict O(d) a row; memory O(n d) to fit, O(n + d) kept.

    Parameters
    ----------
    fit_intercept : bool, default True
        Whether there is a constant b.
    overlap : "refuse" or "soft", default "refuse"
        What classes that overlap are given: an error that says where, or the soft margin with the price C of slack.
    C : float, default 1.0
        That price; classes that do not overlap have the hard margin whatever it is.
    tie : "positive", "random" or "reject", default "positive"
        The answer where the score is 0: the second class, one at random, or "reject".

    Attributes
    ----------
    coef_ : (1, d)      intercept_ : (1,)      alpha_ : (n,)      support_ : (m,)      margin_ : float
    report_ : MarginReport of the training rows: gap, slack, violation of the conditions, status

    Examples
    --------
    >>> from assay.svm import HardMarginSVC
    >>> model = HardMarginSVC().fit([[3, 3], [4, 3], [1, 1]], ["yes", "yes", "no"])
    >>> model.coef_.round(6), model.intercept_.round(6), model.alpha_.round(6)
    (array([[0.5, 0.5]]), array([-2.]), array([0.25, 0.  , 0.25]))
    >>> HardMarginSVC().fit([[0, 0], [1, 1], [0, 1], [1, 0]], ["a", "a", "b", "b"])
    Traceback (most recent call last):
        ...
    assay.errors.DataError: HardMarginSVC: no plane separates the classes without an error. ...

    See Also
    --------
    ProjectedGradientSVC, LinearSVC, is_linearly_separable, PerceptronRule

    References
    ----------
    - Boser, B. E., Guyon, I. M. and Vapnik, V. N. (1992). A training algorithm for optimal margin classifiers.
      Computational Learning Theory, 144-152. doi:10.1145/130385.130401
    - Vapnik, V. N. (1995). The Nature of Statistical Learning Theory. Springer.
    """

    card = Card(
        "hard margin",
        "the widest street between two separable classes",
        scale=True,
        learns=(
            "a linear score",
            "squared weights, with all rows outside of the margin",
            "an interior-point method",
            "global",
        ),
    )
    multiclass = "two classes only"
    accepts = {
        "fit_intercept": Flag(),
        "overlap": Choice("refuse", "soft"),
        "C": Range(0, open="low"),
        "tie": Choice("positive", "random", "reject"),
    }

    def __init__(
        self, *, fit_intercept: bool = True, overlap: str = "refuse", C: float = 1.0, tie: str = "positive"
    ):
        self.fit_intercept = fit_intercept
        self.overlap = overlap
        self.C = C
        self.tie = tie

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._refuse_other_than_two()
        X, s = signed_rows(X, y)
        unit = _unit(X)
        Z = X / unit  # multipliers then shrink, and prices grow, by its square
        rows = np.arange(len(s)) if w is None else np.flatnonzero(w > 0)  # a weight above 0 changes nothing
        alpha, b = np.zeros(len(s)), 0.0
        separable = is_linearly_separable(Z[rows], s[rows] > 0, fit_intercept=self.fit_intercept)
        if separable.separable:
            alpha[rows], b = self._widest(Z[rows], s[rows], separable)
            self._keep_scaled(X, s, alpha, unit, b, np.inf)
            if not (s[rows] * (np.asarray(X[rows] @ self.coef_[0]).ravel() + b) > 0).all():
                raise self._lost()
            return
        if self.overlap == "refuse":
            raise DataError(
                f"{type(self).__name__}: no plane separates the classes without an error. {separable.sentence} Use a "
                "soft margin: overlap='soft', LinearSVC(C=1), or a kernel that bends the boundary."
            )
        price = float(self.C) * (np.ones(len(s)) if w is None else w)
        alpha[rows], b = self._softened(Z[rows], s[rows], price[rows] * unit * unit)
        self._keep_scaled(X, s, alpha, unit, b, price)

    def _keep_scaled(
        self, X: Any, s: np.ndarray, alpha: np.ndarray, unit: float, b: float, C: float | np.ndarray
    ) -> None:
        """Keep the multipliers of the rows X / unit as those of X."""
        with np.errstate(over="ignore", invalid="ignore"):
            multipliers = alpha / unit / unit
            coef = np.asarray((multipliers * s) @ X).ravel()
        exact = multipliers[alpha > 0] > np.finfo(float).tiny
        if not (exact.all() and np.isfinite(multipliers).all() and np.isfinite(coef).all()):
            raise self._lost()
        self._keep(X, s, multipliers, b, C)

    def _lost(self) -> DegenerateError:
        return DegenerateError(
            f"{type(self).__name__}: the margin is lost in rounding, since the columns hold very small, very large or "
            "very different numbers. Scale them first: StandardScaler."
        )

    def _widest(self, X: Any, s: np.ndarray, separable: Separability) -> tuple[np.ndarray, float]:
        """Multipliers and constant of the hard margin."""
        w0 = np.asarray(separable.coef)
        b0 = float(separable.intercept) if self.fit_intercept else 0.0
        least = float((s * (np.asarray(X @ w0).ravel() + b0)).min())
        price = 2.0 * float(w0 @ w0) / least**2  # no multiplier is larger: they add up to |w|^2
        v = self._soft(X, s, np.full(len(s), price))
        scores = np.asarray(X @ v[: X.shape[1]]).ravel()
        b = float(v[-1]) if self.fit_intercept else 0.0
        near = np.flatnonzero(s * (scores + b) <= 1 + ON_THE_MARGIN)
        return _polished(X, s, near, self.fit_intercept)

    def _softened(self, X: Any, s: np.ndarray, price: np.ndarray) -> tuple[np.ndarray, float]:
        """Multipliers and constant of the soft margin: price inside it, 0 outside, on it what makes up the weights."""
        from scipy.optimize import lsq_linear

        d, v = X.shape[1], self._soft(X, s, price)
        b = float(v[-1]) if self.fit_intercept else 0.0
        margin = s * (np.asarray(X @ v[:d]).ravel() + b)
        near = np.flatnonzero(np.abs(margin - 1) <= ON_THE_MARGIN)
        alpha = np.where(margin < 1, price, 0.0)
        alpha[near] = 0.0
        if len(near):
            Z = (X[near] if isinstance(X, np.ndarray) else X[near].toarray()) * s[near, None]
            left = v[:d] - np.asarray((alpha * s) @ X).ravel()
            if self.fit_intercept:
                Z, left = np.column_stack((Z, s[near])), np.append(left, -float(alpha @ s))
            alpha[near] = lsq_linear(Z.T, left, (0.0, price[near]), tol=1e-14).x
        return alpha, b

    def _soft(self, X: Any, s: np.ndarray, price: np.ndarray) -> np.ndarray:
        """(d + 1,) weights and constant of a soft margin with these prices of slack."""
        from scipy.sparse import csr_array, hstack

        d = X.shape[1]
        constant = np.ones((len(s), 1))
        if not self.fit_intercept:
            Z = X
        elif isinstance(X, np.ndarray):
            Z = np.hstack((X, constant))
        else:
            Z = csr_array(hstack((X, csr_array(constant))))
        ridge = np.append(np.ones(d), 0.0)[: Z.shape[1]]
        prices = np.where(s > 0, price, 0.0), np.where(s < 0, price, 0.0)
        return solve_tube(Program(Z, s, *prices, np.zeros(len(s)), ridge), tol=1e-12, of_value=True).beta


def _unit(X: Any) -> float:
    """The largest number of the table, down to a power of 2, by which division is exact."""
    largest = float(np.abs(X.data if hasattr(X, "tocsr") else X).max(initial=0.0))
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0 else 1.0


def _polished(X: Any, s: np.ndarray, near: np.ndarray, constant: bool) -> tuple[np.ndarray, float]:
    """The dual over the rows near the margin: non-negative least squares finds which of them carry it.

    The widest street is as wide as the hulls are apart: alpha / sum(alpha) are the weights of their nearest points.
    """
    from scipy.optimize import nnls

    Z = X[near] if isinstance(X, np.ndarray) else X[near].toarray()
    signed, t = Z * s[near, None], s[near]
    # min |signed' u|^2 + (1'u - 1)^2 over u >= 0 has the multipliers but for a factor; t'u = 0 is a heavy row
    scale = float(np.linalg.norm(Z - Z.mean(axis=0), axis=1).max()) or 1.0
    rows = ((Z - Z.mean(axis=0)) if constant else Z) * t[:, None] / scale
    heavy = [rows.T, EQUATION * t[None]] if constant else [rows.T]
    system = np.vstack((*heavy, np.ones((1, len(near)))))
    target = np.append(np.zeros(len(system) - 1), 1.0)
    u, _ = nnls(system, target, maxiter=30 * len(near) + 100)
    carry = np.flatnonzero(u > 1e-12 * u.max(initial=0.0))
    alpha = np.zeros(len(s))
    for _ in range(MAX_POLISHES):
        a, b = _equations(signed[carry], t[carry], constant)
        if not len(a) or (a > 0).all():
            break
        carry = carry[a > 0]
    alpha[near[carry]] = a
    if not constant:
        return alpha, 0.0
    scores = np.asarray(X @ np.asarray((alpha * s) @ X).ravel()).ravel()
    return alpha, bias(scores, s, alpha, np.inf)


def _equations(signed: np.ndarray, t: np.ndarray, constant: bool) -> tuple[np.ndarray, float]:
    """All these rows on the margin: Q a + b t = 1 and t'a = 0, by least squares if rows depend on each other."""
    m = len(t)
    M, right = signed @ signed.T, np.ones(m)
    if constant:
        M, right = np.block([[M, t[:, None]], [t[None], np.zeros((1, 1))]]), np.append(right, 0.0)
    unit = np.sqrt(np.abs(np.diagonal(M)[:m]).max(initial=1e-300))
    if constant:  # one unit for multipliers and constant
        M[:m, :m] /= unit**2
        M[:m, m:] /= unit
        M[m:, :m] /= unit
        answer = np.linalg.lstsq(M, np.append(right[:m], 0.0), rcond=1e-14)[0]
        return answer[:m] / unit**2, float(answer[m]) / unit
    return np.linalg.lstsq(M / unit**2, right, rcond=1e-14)[0] / unit**2, 0.0
