"""Smoothing spline: squared error plus a penalty on the curvature."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.smoothers._reinsch as _reinsch
from assay.core import Card
from assay.core.parameters import Choice, Range
from assay.core.stored import FloatArray, Scalar
from assay.errors import DataError, ParameterError
from assay.smoothers.smoother import Smoother
from assay.smoothers.splines import Splines, in_units, spline_at

__all__ = ["SmoothingSpline"]


class SmoothingSpline(Smoother):
    r"""Natural cubic spline that minimises squared error plus a curvature penalty.

    .. math:: \min_g\;\sum_t\,[r^t-g(x^t)]^2 + \lambda\int g''(x)^2\,dx                                   \quad (1)

    Of all curves a natural cubic spline with a knot at each distinct x is the minimum (Reinsch 1967); it goes on as a
    line beyond the ends. :math:`\lambda\to0` passes through all rows, :math:`\lambda\to\infty` is the
    least-squares line. The fit, its leverages :math:`s_{tt}` and so the error of leaving out each row take O(n) after
    sorting. λ is chosen by the least

    .. math:: \mathrm{GCV} = \frac{\frac1n\sum_t(r^t-\hat g(x^t))^2}{(1-\frac1n\sum_ts_{tt})^2}
              \quad\text{or}\quad
              \mathrm{LOO} = \frac1n\sum_t\left(\frac{r^t-\hat g(x^t)}{1-s_{tt}}\right)^2                  \quad (2)

    GCV is looked at only while the curve has at most 3/4 as many degrees of freedom as there are rows: beyond, both of
    its parts vanish, and chance decides. A spline has one column. Several: `AdditiveModel`, a sum of splines.

    Cost: fit O(n log n) to sort and O(n) for each smoothing that is tried; predict O(log n) a row; memory O(n).

    Parameters
    ----------
    lam : number, "gcv" or "loo", default "gcv"
        λ in the units of (1), or how it is chosen.
    df : number above 2 or None, default None
        Choose λ such that the curve has so many degrees of freedom, :math:`\operatorname{tr}S`, instead.
    penalty : number from 1 up, default 1
        As how many a degree of freedom counts in GCV. Plain GCV now and then takes noise for a curve; 1.4 mends most of
        these cases and costs little elsewhere (Kim and Gu 2004).

    Attributes
    ----------
    lam_ : float      df_ : float, the degrees of freedom
    knots_ : (m,) the distinct x      values_ : (m,) the spline there      bends_ : (m,) its second derivatives
    X_ : (n, 1)      y_ : (n,)      weight_ : (n,) or None

    Examples
    --------
    >>> from assay.smoothers import SmoothingSpline
    >>> x, r = [[float(i)] for i in range(8)], [1, 2, 1.5, 4, 5, 4.5, 7, 6]
    >>> SmoothingSpline(lam=1.0).fit(x, r).predict([[0.5], [2.0], [3.25]]).round(6)
    array([1.304888, 2.467855, 3.812479])

    See Also
    --------
    AdditiveModel, Loess, choose_smoothing

    References
    ----------
    - Reinsch, C. H. (1967). Smoothing by spline functions. Numerische Mathematik 10, 177-183.
      doi:10.1007/BF02162161
    - Craven, P. and Wahba, G. (1978). Smoothing noisy data with spline functions. Numerische Mathematik 31,
      377-403. doi:10.1007/BF01404567
    - Kim, Y.-J. and Gu, C. (2004). Smoothing spline Gaussian regression: more scalable computation via efficient
      approximation. Journal of the Royal Statistical Society B 66(2), 337-356. doi:10.1046/j.1369-7412.2003.05316.x
    - Green, P. J. and Silverman, B. W. (1994). Nonparametric Regression and Generalized Linear Models. Chapman and
      Hall.
    """

    card = Card(
        "smoothing spline",
        "one column: a cubic spline that weighs fit against bending",
        also=("spline",),
        learns=("a smooth curve", "squared error + curvature", "a banded linear system", "analytic"),
    )
    accepts = {"lam": Range(0) | Choice("gcv", "loo"), "df": Range(2, open="low") | None, "penalty": Range(1)}
    stored = {
        "_times_": Scalar(),
        "bends_": FloatArray("m"),
        "df_": Scalar(),
        "knots_": FloatArray("m", ascending=True),
        "lam_": Scalar(),
        "mass_": FloatArray("m"),
        "values_": FloatArray("m"),
    }
    steered_by = "lam"
    keeps_lines = True

    def __init__(self, lam: Any = "gcv", *, df: float | None = None, penalty: float = 1.0):
        self.lam = lam
        self.df = df
        self.penalty = penalty

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if X.shape[1] != 1:
            raise DataError(
                f"SmoothingSpline: expected one column, X has {X.shape[1]}. For more: AdditiveModel, a sum of "
                "splines, or Loess."
            )
        self._keep(
            X, y, w, shares=self.df is not None or isinstance(self.lam, str)
        )  # λ is in the weights' unit
        self._times_ = 1.0 if self.weight_ is None or w is None else float(self.weight_.max() / w.max())
        fit = Splines(self.X_[:, 0], self.y_, self.weight_)
        self.knots_, self.mass_ = fit.x, fit.w
        self.lam_ = self._find(fit)
        self.values_, self.bends_, leverage = fit.at(self.lam_)
        self.df_ = float(leverage.sum())

    def _find(self, fit: Splines) -> float:
        m = len(fit.x)
        if self.df is not None and 2 < m <= self.df:
            raise ParameterError(
                f"SmoothingSpline: df must be below the number of distinct x, which is {m}, got {self.df:g}."
            )
        if m <= 2:
            return (
                0.0 if isinstance(self.lam, str) else float(self.lam)
            )  # the line through both, whatever λ is
        if self.df is not None:
            return fit.with_freedom(self.df)
        return fit.best(self.lam, self.penalty) if isinstance(self.lam, str) else float(self.lam)

    def _predict(self, X: np.ndarray) -> np.ndarray:
        self._check_spline()
        on_values, on_bends = self._parts(X[:, 0])
        (i, a, b), (c, e) = on_values, on_bends
        j = np.minimum(i + 1, len(self.knots_) - 1)
        return a * self.values_[i] + b * self.values_[j] + c * self.bends_[i] + e * self.bends_[j]

    def _parts(self, x: np.ndarray) -> Any:
        """Each answer as parts of the values and bends at the knots i and i + 1 beside it."""
        knots, m = self.knots_, len(self.knots_)
        if m == 1:
            zero = np.zeros(len(x))
            return (zero.astype(np.int64), zero + 1, zero), (zero, zero)
        i = np.clip(np.searchsorted(knots, x, side="right") - 1, 0, m - 2)
        h = knots[i + 1] - knots[i]
        b = (x - knots[i]) / h
        a = 1 - b
        c, e = (a**3 - a) * h**2 / 6, (b**3 - b) * h**2 / 6
        c = np.where(
            b < 0, 0.0, np.where(b > 1, (b - 1) * h**2 / 6, c)
        )  # beyond the ends a line of the slope there,
        e = np.where(b > 1, 0.0, np.where(b < 0, -b * h**2 / 6, e))  # where the bend itself is 0
        return (i, a, b), (c, e)

    def _shares(self, X: np.ndarray) -> np.ndarray:
        self._check_spline()
        (i, a, b), (c, e) = self._parts(X[:, 0])
        q, m = len(X), len(self.knots_)
        A, B, rows = np.zeros((q, m)), np.zeros((q, m)), np.arange(q)
        A[rows, i], B[rows, i] = a, c
        if m > 1:
            A[rows, i + 1], B[rows, i + 1] = b, e
        if m > 2:
            x, w, lam, unit = in_units(self.knots_, self.mass_, self.lam_)
            B /= unit
            B /= unit
            _reinsch.shares(x, w, lam, A, B)
        counts = np.ones(len(self.y_)) if self.weight_ is None else self.weight_
        place = np.clip(np.searchsorted(self.knots_, self.X_[:, 0]), 0, m - 1)
        return A[:, place] * (counts / self.mass_[place])

    def _leverages(self, rows: np.ndarray) -> np.ndarray:
        counts = np.ones(len(self.y_)) if self.weight_ is None else self.weight_
        leverage = spline_at(self.knots_, self.values_, self.mass_, self.lam_)[2]
        place = np.clip(np.searchsorted(self.knots_, self.X_[rows, 0]), 0, len(self.knots_) - 1)
        return leverage[place] * counts[rows] / self.mass_[place]

    def _noise(self) -> tuple[float, float]:
        r"""The degrees of freedom of the noise are :math:`n-\operatorname{tr}S`, which take O(n)."""
        counts = np.ones(len(self.y_)) if self.weight_ is None else self.weight_
        dof = float(counts.sum()) - self.df_
        return self._sigma(float(counts @ ((self.y_ - self._predict(self.X_)) / self._unit) ** 2), dof), dof

    def _held(self) -> dict[str, Any]:
        return {"lam": self.lam_ / self._times_, "df": None}  # in the unit of the weights that came

    def _check_spline(self) -> None:
        self._check_rows()
        shapes = {getattr(self, name).shape for name in ("knots_", "values_", "bends_", "mass_")}
        if len(shapes) > 1 or self.knots_.ndim != 1 or len(self.knots_) == 0 or self.X_.shape[1] != 1:
            raise ValueError("SmoothingSpline: the stored knots do not fit together.")
