"""The empirical distribution: what share of a sample lies at or below x."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError

__all__ = ["ECDF"]


class ECDF:
    r"""The empirical cumulative distribution of a sample of numbers.

    .. math:: \hat F(x) = \frac{\#\{x^t \le x\}}N \quad (1)

    It needs no setting, jumps by 1/N at each number and is within :math:`\sqrt{\ln(2/\alpha)/2N}` of the truth
    everywhere at once with probability :math:`1-\alpha` (Dvoretzky, Kiefer, Wolfowitz). Its slope over a step h to
    the right is the simplest density of all,

    .. math:: \hat p(x) = \frac{\hat F(x+h)-\hat F(x)}h \quad (2)

    Parameters
    ----------
    x : (n,) numbers, none missing
    weights : (n,) what each counts; None counts each once

    Attributes
    ----------
    values : (m,) the distinct numbers, sorted      shares : (m,) F at these

    Examples
    --------
    >>> from assay.densities import ECDF
    >>> F = ECDF([1, 2, 2.5, 4, 6, 6.5, 7, 9])
    >>> F([0, 2, 5])
    array([0.  , 0.25, 0.5 ])
    >>> F.density([0, 6], h=1)
    array([0.125, 0.25 ])
    >>> F.quantile([0.5, 0.9])
    array([4., 9.])
    """

    def __init__(self, x: ArrayLike, weights: ArrayLike | None = None):
        x = _numbers(x, "x")
        if x.ndim != 1 or not len(x) or np.isnan(x).any():
            came = f"{int(np.isnan(x).sum())} missing" if x.ndim == 1 and len(x) else f"shape {x.shape}"
            raise DataError(f"ECDF: x must be at least one number, none missing, got {came}.")
        w = check_weights(weights, len(x), "ECDF", "weights")
        w = np.ones(len(x)) if w is None else w
        x, w = x[w > 0], w[w > 0] / w.max()
        self.values, place = np.unique(x, return_inverse=True)
        total = np.cumsum(np.bincount(place, w))
        self.shares = total / total[-1]
        self.effective_size = float(w.sum() ** 2 / (w @ w))

    def __call__(self, x: ArrayLike) -> NDArray[np.float64]:
        """The share of the sample at or below each x; NaN where x is."""
        x = _numbers(x, "x")
        place = np.searchsorted(self.values, x, side="right")
        return np.where(np.isnan(x), np.nan, np.concatenate([[0.0], self.shares])[place])  # (1)

    def density(self, x: ArrayLike, h: float) -> NDArray[np.float64]:
        """The slope of the distribution from x to x + h."""
        if not isinstance(h, Real) or not 0 < h < math.inf:
            raise ParameterError(f"ECDF: h must be a number above 0, got {h!r}.")
        x = _numbers(x, "x")
        return (self(x + h) - self(x)) / h  # (2)

    def quantile(self, p: ArrayLike) -> NDArray[np.float64]:
        """The least number of the sample at or below which lies a share of at least p."""
        p = _numbers(p, "p")
        if not np.all((p >= 0) & (p <= 1)):
            raise ParameterError("ECDF: p must be numbers from 0 to 1.")
        place = np.searchsorted(
            self.shares, p - 1e-12
        )  # a share of 3/8 is met by one that rounding made smaller
        return self.values[np.minimum(place, len(self.values) - 1)]

    def band(self, x: ArrayLike, alpha: float = 0.05) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Below and above each x: the whole true distribution lies between with probability 1 - alpha."""
        if not isinstance(alpha, Real) or not 0 < alpha < 1:
            raise ParameterError(f"ECDF: alpha must be a number between 0 and 1, got {alpha!r}.")
        off = math.sqrt(math.log(2 / alpha) / (2 * self.effective_size))
        F = self(x)
        return np.maximum(F - off, 0.0), np.minimum(F + off, 1.0)


def _numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"ECDF: {what} must be numbers, got {values!r}.") from None
