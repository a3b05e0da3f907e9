"""Polynomial regression: least squares on powers, computed where powers are well behaved."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from assay.core import Card, Regressor
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Any_, Choice, Count, Flag, Range
from assay.core.stored import FloatArray, IntArray, Integer, Object, Scalar
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError, warn_user
from assay.linear.regression.polynomial_basis import PolynomialBasis, exponents
from assay.linear.regression.polynomial_solver import curve, fit_polynomial
from assay.stats.distributions.predictive import Student
from assay.tables.row_names import row_name
from assay.types import TableLike

__all__ = ["ExtrapolationWarning", "PolynomialRegressor"]

MAX_EXACT_TERMS = 1000  # terms for which an exact fit is still a matter of seconds


class ExtrapolationWarning(UserWarning):
    """A polynomial was evaluated outside the range of its training rows.

    >>> import warnings
    >>> from assay.linear import PolynomialRegressor
    >>> model = PolynomialRegressor(2, extrapolation="warn").fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     _ = model.predict([[7.0]])
    >>> print(caught[0].category.__name__, caught[0].message, sep=": ")
    ExtrapolationWarning: PolynomialRegressor: ...
    """


class PolynomialRegressor(Regressor):
    r"""Fit a polynomial of the columns by least squares.

    .. math:: g(x) = w_0 + w_1x + \dots + w_kx^k, \qquad
              w = \arg\min \sum_t [r^t - g(x^t)]^2 + \alpha \sum_{i\ge1} w_i^2                   \quad (1)

    With several columns the terms are all products of at most k of them. Inside, each column is stretched to [-1, 1]
    and the terms are Chebyshev polynomials, so that high degrees and far-off columns (years, say) lose no digits;
    reported are the coefficients of the plain powers, and the penalty is theirs. Degree n - 1 goes through all n
    points, and between and beyond them anywhere: prefer the degree that a validation set or
    ``assay.stats.validation_elbow`` suggests. Where a column has fewer different values than the degree asks for, its
    higher powers are left out, with a warning.

    Cost: fit O(n m^2 + m^3) for m terms; predict O(m) a row; memory O(n m) to fit, O(m) kept.

    Parameters
    ----------
    degree : int from 0 up, or "interpolate", default 2
        The highest sum of powers in a term; "interpolate" takes the number of different rows less one (one column).
    alpha : float, default 0
        The ridge penalty on the coefficients of the plain powers.
    penalize_intercept : bool, default False
        Whether :math:`w_0^2` is penalised as well; True gives the most probable weights under the prior
        :math:`w_i \sim N(0, \sigma^2/\alpha)` for all i.
    extrapolation : "silent", "warn" or "refuse", default "silent"
        What ``predict`` does with rows beyond the range of the training rows.

    Attributes
    ----------
    coef_ : (m - 1,) or (outputs, m - 1) of the terms ``powers_[1:]``      intercept_ : number or (outputs,)
    powers_ : (m, d) the exponents of each term, the constant first      degree_ : int
    low_, high_ : (d,) the range of the training rows
    sigma_ : number or (outputs,) the maximum-likelihood estimate :math:`\sqrt{SSE/n}` of the noise
    n_parameters_ : the effective number of parameters, m without penalty      rank_ : of the terms in the training rows

    Examples
    --------
    >>> from assay.linear import PolynomialRegressor
    >>> x, r = [[1], [2], [3], [4], [5], [6]], [3, 5, 6, 8, 9, 12]
    >>> model = PolynomialRegressor(degree=2).fit(x, r)
    >>> print(model.formula())
    2.1 + 1.061 x0 + 0.08929 x0^2
    >>> model.predict_band([[3.5]], level=0.9).round(3)
    array([[5.465, 8.348]])

    See Also
    --------
    LinearRegression, Ridge

    References
    ----------
    - Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, second edition.
      Springer. doi:10.1007/978-0-387-84858-7
    """

    card = Card(
        "polynomial",
        "a polynomial of the columns by least squares",
        learns=("a polynomial", "squared error + squared weights", "an orthogonal decomposition", "analytic"),
    )
    accepts = {
        "degree": Count(0) | Any_("'interpolate'", lambda v: isinstance(v, str) and v == "interpolate"),
        "alpha": Range(0, np.inf, open="high"),
        "penalize_intercept": Flag(),
        "extrapolation": Choice("silent", "warn", "refuse"),
    }
    stored = {
        "_basis": Object(PolynomialBasis, q="q"),
        "_free": Scalar(),
        "_smoother": FloatArray("q", "q"),
        "_spread": FloatArray("o"),
        "_weights": FloatArray("q", "o"),
        "coef_": FloatArray("q - 1") | FloatArray("o", "q - 1"),
        "degree_": Integer(high=100),
        "low_": FloatArray("*"),
        "high_": FloatArray("*"),
        "intercept_": Scalar() | FloatArray("o"),
        "n_parameters_": Scalar(),
        "powers_": IntArray("q", "*", low=0, high=100),
        "rank_": Integer(),
        "sigma_": Scalar() | FloatArray("o"),
    }
    reference_category = True

    def __init__(
        self,
        degree: int | str = 2,
        *,
        alpha: float = 0.0,
        penalize_intercept: bool = False,
        extrapolation: str = "silent",
    ):
        self.degree = degree
        self.alpha = alpha
        self.penalize_intercept = penalize_intercept
        self.extrapolation = extrapolation

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        if w is not None:  # a row of weight zero is not there
            X, y, w = X[w > 0], y[w > 0], w[w > 0]
        X = np.asarray(X, dtype=np.float64)
        self.low_, self.high_ = X.min(axis=0), X.max(axis=0)
        half = self.high_ / 2 - self.low_ / 2
        self.powers_ = self._choose_terms(X)
        self.degree_ = int(self.powers_.sum(axis=1).max())
        self._basis = PolynomialBasis(self.powers_, self.low_ + half, np.where(half > 0, half, 1.0))
        self._solve(X, y.reshape(len(y), -1), np.ones(len(X)) if w is None else w, y.ndim == 1)

    def _choose_terms(self, X: np.ndarray) -> np.ndarray:
        d, design = X.shape[1], self.design_
        different = np.array([_different(column, self.degree) for column in X.T])
        degree = self.degree
        if degree == "interpolate":
            if d > 1:
                raise DataError(
                    f"PolynomialRegressor: degree='interpolate' is for one column, X has {d}. Give a degree."
                )
            degree = int(different[0]) - 1
        terms = comb(d + int(degree), int(degree)) if d > 1 else int(degree) + 1
        if terms > MAX_EXACT_TERMS:
            raise ParameterError(
                f"PolynomialRegressor: degree={degree} of {d} column(s) has {terms} terms, more than "
                f"{MAX_EXACT_TERMS}. Lower the degree, or use PolynomialFeatures with a penalised learner."
            )
        indicator = np.array([design.schema[int(j)].kind == "nominal" for j in design.source], dtype=bool)
        few = np.flatnonzero((different <= degree) & ~indicator)
        if len(few):
            name, has = design.names[few[0]], int(different[few[0]])
            warn_user(
                f"PolynomialRegressor: column {name} has {has} different value(s), which determine powers up to "
                f"{has - 1} only; those up to {degree} are left out.",
                DegenerateWarning,
            )
        groups = np.where(indicator, design.source, -1)
        return exponents(np.minimum(different - 1, degree), int(degree), groups)

    def _solve(self, X: np.ndarray, y: np.ndarray, w: np.ndarray, single: bool) -> None:
        T = self._basis.to_plain()
        size = float(np.abs(y).max())
        size = size if size > 0 and not 1e-100 < size < 1e100 else 1.0  # squares would leave the floats
        fit = fit_polynomial(self._basis, X, y / size, w, self._penalty(T))
        if fit.rank < len(T):
            warn_user(
                f"PolynomialRegressor: {len(T)} terms, but the {len(X)} rows determine {fit.rank} only; of all "
                "polynomials that fit as well the flattest is taken. Lower the degree, or raise alpha.",
                DegenerateWarning,
            )
        self._weights, self._smoother = fit.weights * size, fit.smoother
        self.n_parameters_, self.rank_ = fit.parameters, fit.rank
        self._describe(T, size * np.sqrt(fit.sse), float(w.sum()), single)

    def _penalty(self, T: np.ndarray) -> np.ndarray:
        """The rows that the penalty adds to the equations."""
        if self.alpha == 0:
            return np.zeros((0, len(T)))
        penalty = np.sqrt(self.alpha) * T.T[0 if self.penalize_intercept else 1 :]
        if not np.isfinite(penalty).all():
            raise DegenerateError(
                "PolynomialRegressor: the plain powers of these columns are beyond the floats, so they cannot be "
                "penalised. Scale the columns first."
            )
        return penalty

    def _describe(self, T: np.ndarray, left: np.ndarray, total: float, single: bool) -> None:
        """Set the reported attributes: coefficients of plain powers, and the residual scatter."""
        with np.errstate(over="ignore", invalid="ignore"):
            plain = T.T @ self._weights
        if not np.isfinite(plain).all():
            plain = np.nan_to_num(plain, nan=np.inf, posinf=np.inf, neginf=-np.inf)
            warn_user(
                "PolynomialRegressor: some coefficients of the plain powers are beyond the floats and given as inf; "
                "predictions do not use them. Scale the columns for coefficients that can be read.",
                DegenerateWarning,
            )
        self.coef_ = plain[1:, 0] if single else plain[1:].T
        self.intercept_ = float(plain[0, 0]) if single else plain[0]
        sigma = left / np.sqrt(total)
        self.sigma_ = float(sigma[0]) if single else sigma
        self._free = total - self.n_parameters_
        enough = self._free > 1e-9 * total
        self._spread = left / np.sqrt(self._free) if enough else np.full(len(left), np.inf)

    def _predict(self, X: np.ndarray) -> np.ndarray:
        self._look_out(X)
        answer = curve(self._basis, self._weights, X)
        return answer[:, 0] if np.ndim(self.intercept_) == 0 else answer

    def _look_out(self, X: np.ndarray) -> None:
        if self.extrapolation == "silent":
            return
        beyond = (self.low_ > X) | (self.high_ < X)
        if not beyond.any():
            return
        i, j = (int(v) for v in np.argwhere(beyond)[0])
        message = (
            f"PolynomialRegressor: {int(beyond.any(axis=1).sum())} row(s) lie beyond the training range, first "
            f"{row_name(i)} "
            f"with {self.design_.names[j]} = {X[i, j]:g}, range {self.low_[j]:g} to {self.high_[j]:g}. A polynomial "
            "may say anything there."
        )
        if self.extrapolation == "refuse":
            raise DataError(message)
        warn_user(message, ExtrapolationWarning)

    def predict_band(self, X: TableLike, level: float = 0.95, kind: str = "new") -> np.ndarray:
        r"""(n, 2) or (n, outputs, 2) an interval around each prediction, low and high.

        Parameters
        ----------
        X : rows
        level : probability that the interval is to have
        kind : "new" for a new observation, :math:`g \pm t\,s\sqrt{1+v}` with the scatter :math:`v` of the fit itself;
            "mean" for the curve, :math:`g \pm t\,s\sqrt v`; "noise" for the noise alone, :math:`g \pm z\,\sigma`.
            Here :math:`s^2 = SSE/(n-p)`, and t has n - p degrees of freedom, p = ``n_parameters_``.
        """
        from scipy.special import ndtri, stdtrit

        if not 0 < level < 1 or kind not in ("new", "mean", "noise"):
            raise ParameterError(
                "PolynomialRegressor: level must lie between 0 and 1 and kind be one of 'new', 'mean', 'noise', got "
                f"{level!r} and {kind!r}."
            )
        values = self._admit(X)
        middle = self._predict(values).reshape(len(values), -1)
        if kind == "noise":
            width = ndtri((1 + level) / 2) * np.broadcast_to(self.sigma_, middle.shape)
        else:
            width = stdtrit(self._free, (1 + level) / 2) * self._scales(values, kind == "new")
        band = np.stack([middle - width, middle + width], axis=-1)
        return band[:, 0] if np.ndim(self.intercept_) == 0 else band

    def _scales(self, X: np.ndarray, new: bool) -> np.ndarray:
        """(n, outputs) the standard error of the curve, or of a new observation."""
        if not np.isfinite(self._spread).all():
            total = self._free + self.n_parameters_
            raise DegenerateError(
                f"PolynomialRegressor: {self.n_parameters_:.4g} parameters from rows that count {total:.4g}, so "
                "nothing is left to judge the noise by. Lower the degree, or give weights that count rows."
            )
        Z = self._basis.columns(X)
        v = np.einsum("ij,jk,ik->i", Z, self._smoother, Z) + new
        return np.sqrt(v)[:, None] * self._spread

    def _distribution(self, X: np.ndarray) -> Student:
        """Student's t of a new observation, as in `predict_band`."""
        self._refuse_several_targets(np.ndim(self.intercept_) > 0)
        return Student(self._predict(X), self._scales(X, new=True)[:, 0], self._free)

    @property
    def terms_(self) -> list[str]:
        """The terms as text, in the order of ``powers_``."""
        names = self.design_.names
        parts = [
            [names[j] if p == 1 else f"{names[j]}^{p}" for j, p in enumerate(row) if p]
            for row in self.powers_
        ]
        return [" ".join(part) or "1" for part in parts]

    def formula(self, digits: int = 4) -> str:
        """The polynomial as text; of several outputs one line each."""
        lines = []
        for constant, weights in zip(np.atleast_1d(self.intercept_), np.atleast_2d(self.coef_)):
            text = f"{constant:.{digits}g}"
            for weight, term in zip(weights, self.terms_[1:]):
                text += f" {'-' if weight < 0 else '+'} {abs(weight):.{digits}g} {term}"
            lines.append(text)
        return "\n".join(lines)

    def _reasons(self, X: np.ndarray, rows: RowValues) -> Reasons:
        W = np.column_stack([np.atleast_1d(self.intercept_), np.atleast_2d(self.coef_)])
        heads = ["product"] if len(W) == 1 else [f"output {k}" for k in range(len(W))]

        def sections(i: int) -> list[Section]:
            with np.errstate(over="ignore", invalid="ignore"):
                values = np.prod(np.asarray(X[i], dtype=np.float64) ** self.powers_, axis=1)
                products = W * values
            lines = [[t, float(v), *map(float, p)] for t, v, p in zip(self.terms_, values, products.T)]
            lines.append(["sum", "", *products.sum(axis=1).tolist()])
            return [Section("Terms of the polynomial", ["term", "value", *heads], lines)]

        return Reasons(sections)


def _different(column: np.ndarray, degree: Any) -> int:
    """How many different values there are, or at least more than the degree."""
    if degree != "interpolate" and len(column) > 1000 and (some := len(np.unique(column[:1000]))) > degree:
        return some
    return len(np.unique(column))
