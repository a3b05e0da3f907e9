"""Histogram density: the share of rows in each bin."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Array, Choice, Count, Range
from assay.core.stored import FloatArray, IntArray
from assay.densities.density_estimator import DensityEstimator, log
from assay.errors import DataError, ParameterError

__all__ = ["HistogramDensity"]

BLOCK = 1 << 20  # pairs of a row and a bin at once


class HistogramDensity(DensityEstimator):
    r"""The share of rows in the bin of x, over the bin's volume.

    With an origin :math:`x_0` and a width h a bin is :math:`[x_0+mh, x_0+(m+1)h)` in each column, and

    .. math:: \hat p(x) = \frac{\#\{x^t \text{ in the bin of } x\}}{N\prod_j h_j} \quad (1)

    Once counted the sample can be thrown away. Only bins that hold rows are kept, so many columns cost no more memory
    than rows. Two remedies for jumps and for the choice of the origin, both of total mass one:

    - ``shifts=m`` averages the histograms of m origins, :math:`x_0 + ih/m`, in each column. With small bins of width
      h/m, a bin that is i small bins away counts :math:`1-|i|/m` (averaged shifted histogram).
    - ``interpolate`` draws straight lines between the heights at the centres of the bins.

    Cost: fit O(d n log n) to find the bins that hold rows; score O(d log b) a row for b such bins; memory O(d b) kept.

    Parameters
    ----------
    width : float, array of d, or "scott" or "freedman_diaconis"
        Side of the bins. :math:`3.49\,s\,n^{-1/(d+4)}` of each column's deviation s, or twice its quartile range times
        :math:`n^{-1/(d+4)}`; 1 for a column in which that is 0.
    origin : float or array of d
        Where a bin begins.
    shifts : int
        Origins to average over.
    interpolate : "none" or "linear"

    Attributes
    ----------
    width_, origin_ : (d,)
    bins_ : (m, d) the numbers of the (small) bins that hold rows      mass_ : (m,) their share of the rows

    Examples
    --------
    >>> from assay.densities import HistogramDensity
    >>> X = [[1], [2], [2.5], [4], [6], [6.5], [7], [9]]
    >>> HistogramDensity(width=2.0).fit(X).density([[0], [6], [100]])
    array([0.0625, 0.1875, 0.    ])
    >>> HistogramDensity(width=2.0, interpolate="linear").fit(X).density([[0], [6]])
    array([0.03125, 0.125  ])

    See Also
    --------
    NaiveDensity, KernelDensity

    References
    ----------
    - Scott, D. W. (1979). On optimal and data-based histograms. Biometrika 66(3), 605-610.
      doi:10.1093/biomet/66.3.605
    - Freedman, D. and Diaconis, P. (1981). On the histogram as a density estimator: L2 theory. Zeitschrift für
      Wahrscheinlichkeitstheorie und verwandte Gebiete 57, 453-476. doi:10.1007/BF01025868
    """

    card = Card("histogram", "the share of rows in each bin", also=("histogram density",))
    accepts = {
        "width": Range(0, open="low") | Choice("scott", "freedman_diaconis") | Array(1),
        "origin": Range() | Array(1),
        "shifts": Count(1, 10_000),
        "interpolate": Choice("none", "linear"),
    }
    stored = {
        "bins_": IntArray("m", "p"),
        "mass_": FloatArray("m", low=0),
        "origin_": FloatArray("p", finite=True),
        "width_": FloatArray("p", low=0, finite=True),
    }

    def __init__(
        self,
        width: float | ArrayLike | str = 1.0,
        *,
        origin: float | ArrayLike = 0.0,
        shifts: int = 1,
        interpolate: str = "none",
    ):
        self.width = width
        self.origin = origin
        self.shifts = shifts
        self.interpolate = interpolate

    def _learn(self, X: np.ndarray, w: np.ndarray) -> None:
        if self.shifts > 1 and self.interpolate == "linear":
            raise ParameterError(
                "HistogramDensity: shifts above 1 and interpolate='linear' are two remedies for the same thing; "
                "choose one."
            )
        d = X.shape[1]
        self.width_ = self._widths(X, w) if isinstance(self.width, str) else _each("width", self.width, d)
        self.origin_ = _each("origin", self.origin, d)
        cells = np.floor(self._place(X))
        if np.abs(cells).max() > 2**53:
            raise DataError(
                "HistogramDensity: the rows spread over more bins than can be numbered. Raise width."
            )
        self.bins_, place = np.unique(cells.astype(np.int64), axis=0, return_inverse=True)
        self.mass_ = np.bincount(place.ravel(), w) / w.sum()

    def _widths(self, X: np.ndarray, w: np.ndarray) -> np.ndarray:
        from assay.densities.bandwidth import scott

        n = w.sum() ** 2 / (w @ w)
        if self.width == "scott":
            widths = 3.49 * scott(X, w)
        else:
            from assay.densities.ecdf import ECDF

            quartiles = np.array([ECDF(x, w).quantile([0.25, 0.75]) for x in X.T])
            widths = 2 * (quartiles[:, 1] - quartiles[:, 0]) * n ** (-1 / (X.shape[1] + 4))
        return np.where(widths > 0, widths, 1.0)

    def _place(self, X: np.ndarray) -> np.ndarray:
        """Where rows lie, in (small) bins from the origin."""
        with np.errstate(over="ignore"):
            return (X - self.origin_) / (self.width_ / self.shifts)

    def _log_density(self, X: np.ndarray) -> np.ndarray:
        if len(self.bins_) != len(self.mass_) or self.bins_.shape[1:] != self.width_.shape:
            raise DataError("HistogramDensity: bins_ and mass_ do not belong together.")
        place = np.clip(self._place(X), -(2.0**60), 2.0**60)  # beyond all bins
        if self.interpolate == "linear":
            place, reach = place - 0.5, 1.0  # centres of bins are whole numbers
        else:
            place, reach = np.floor(place), float(self.shifts)
        return log(self._tents(place, reach)) - np.log(self.width_).sum()  # (1)

    def _tents(self, place: np.ndarray, reach: float) -> np.ndarray:
        """(n,) the sum over bins b of mass times the product over columns of max(0, 1 - |place - b| / reach)."""
        d = place.shape[1]
        near = int(2 * reach) if self.interpolate == "linear" else int(2 * reach) - 1
        base = np.floor(place) - (0 if self.interpolate == "linear" else reach - 1)
        out = np.zeros(len(place))
        if near**d <= len(self.bins_):  # ask for each bin around
            keys = _keys(self.bins_)
            for step in product(range(near), repeat=d):
                cell = base + np.array(step)
                weight = np.prod(np.maximum(1 - np.abs(place - cell) / reach, 0.0), axis=1)
                out += weight * _mass_in(keys, self.mass_, cell)
            return out
        size = max(1, BLOCK // len(self.bins_))
        for start in range(0, len(place), size):  # look at all bins
            some = slice(start, start + size)
            weight = np.ones((len(place[some]), len(self.bins_)))
            for j in range(d):
                weight *= np.maximum(1 - np.abs(place[some, j, None] - self.bins_[:, j]) / reach, 0.0)
            out[some] = weight @ self.mass_
        return out


def _each(name: str, value: Any, d: int) -> np.ndarray:
    """(d,) one number for each column."""
    values = np.asarray(value, dtype=np.float64)
    good = np.isfinite(values).all() and (name == "origin" or (values > 0).all())
    if not good or (values.ndim == 1 and len(values) != d):
        what = "numbers" if name == "origin" else "numbers above 0"
        raise ParameterError(
            f"HistogramDensity: {name} must be a number or {d} {what}, one for each column, got {value!r}."
        )
    return np.broadcast_to(values, d).copy()


def _keys(cells: np.ndarray) -> np.ndarray:
    """Bins as texts of bytes that sort as their numbers do, the first column first."""
    d = cells.shape[1]
    shifted = (cells.astype(np.int64).view(np.uint64) ^ np.uint64(1 << 63)).astype(">u8")
    return np.ascontiguousarray(shifted).view(f"S{8 * d}").ravel()


def _mass_in(keys: np.ndarray, mass: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The mass of each cell, 0 of those that hold nothing."""
    wanted = _keys(cells)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, mass[at], 0.0)
