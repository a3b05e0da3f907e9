"""Naive density: the share of rows in a window around x."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Array, Choice, Range
from assay.core.stored import FloatArray
from assay.densities.density_estimator import DensityEstimator, log
from assay.distances.minkowski import Minkowski
from assay.distances.search import Searcher, searcher
from assay.errors import ParameterError

__all__ = ["NaiveDensity"]

PAIRS = 1 << 20  # of a query and a row at once


class NaiveDensity(DensityEstimator):
    r"""A histogram whose bin is always centred at x, so that there is no origin to choose.

    .. math:: \hat p(x) = \frac{\#\{x-h/2 < x^t \le x+h/2\}}{Nh} \quad (1)

    and in several columns the share of rows in a box with sides :math:`h_j`, over its volume. The estimate is still a
    step function, with a jump half a width from each row. Written as a kernel that is 1 for :math:`|u|<\tfrac12` the
    window is open at both ends, which differs where a row lies at an end exactly: ``ends="open"``.

    Cost: fit O(n d), of one column O(n log n); score O(n d) a row, of one column O(log n); memory O(n d), the rows are
    kept.

    Parameters
    ----------
    width : float or array of d
        Sides of the window.
    ends : "half_open" or "open"

    Attributes
    ----------
    width_ : (d,)      rows_ : (n, d) the training rows, in the order of the first column      weights_ : (n,)

    Examples
    --------
    >>> from assay.densities import NaiveDensity
    >>> X = [[1], [2], [2.5], [4], [6], [6.5], [7], [9]]
    >>> NaiveDensity(width=2.0).fit(X).density([[0], [3], [6]])
    array([0.0625, 0.125 , 0.1875])
    >>> NaiveDensity(width=2.0, ends="open").fit(X).density([[0], [3], [6]])
    array([0.    , 0.0625, 0.125 ])

    See Also
    --------
    HistogramDensity, KernelDensity

    References
    ----------
    - Rosenblatt, M. (1956). Remarks on some nonparametric estimates of a density function. Annals of Mathematical
      Statistics 27(3), 832-837. doi:10.1214/aoms/1177728190
    - Silverman, B. W. (1986). Density Estimation for Statistics and Data Analysis. Chapman and Hall.
    """

    card = Card("naive density", "a histogram whose bin is centred at the query")
    accepts = {"width": Range(0, open="low") | Array(1), "ends": Choice("half_open", "open")}
    stored = {
        "rows_": FloatArray("n", "p", finite=True),
        "weights_": FloatArray("n", low=0) | None,
        "width_": FloatArray("p", low=0, finite=True),
    }

    def __init__(self, width: float | ArrayLike = 1.0, *, ends: str = "half_open"):
        self.width = width
        self.ends = ends

    def _learn(self, X: np.ndarray, w: np.ndarray) -> None:
        widths = np.asarray(self.width, dtype=np.float64)
        d = X.shape[1]
        if not np.all((widths > 0) & np.isfinite(widths)) or (widths.ndim == 1 and len(widths) != d):
            raise ParameterError(
                f"NaiveDensity: width must be a number or {d} numbers above 0, one for each column, got {self.width!r}."
            )
        self.width_ = np.broadcast_to(widths, d).copy()
        order = np.argsort(X[:, 0], kind="stable")
        self.rows_, self.weights_ = X[order], w[order]

    def _log_density(self, X: np.ndarray) -> np.ndarray:
        count = self._in_line(X) if X.shape[1] == 1 else self._in_boxes(X)
        return log(count) - np.log(self.weights_.sum()) - np.log(self.width_).sum()  # (1)

    def _in_line(self, X: np.ndarray) -> np.ndarray:
        """The weight in each window of one column."""
        total = np.concatenate([[0.0], np.cumsum(self.weights_)])
        x, half = X[:, 0], self.width_[0] / 2
        low = np.searchsorted(self.rows_[:, 0], x - half, side="right")
        high = np.searchsorted(
            self.rows_[:, 0], x + half, side="right" if self.ends == "half_open" else "left"
        )
        return total[np.maximum(low, high)] - total[low]

    def _in_boxes(self, X: np.ndarray) -> np.ndarray:
        """The weight in each window: rows near enough in every column, then a look at the ends."""
        search = _searcher_of(self.rows_ / self.width_)
        out, half = np.empty(len(X)), self.width_ / 2
        size = max(1, PAIRS // max(1, len(self.rows_)))
        for start in range(0, len(X), size):
            some = X[start : start + size]
            with np.errstate(over="ignore"):
                place = np.clip(some / self.width_, -1e300, 1e300)
            starts, rows, _ = search.within(place, 0.5 + 1e-9)
            query = np.repeat(np.arange(len(some)), np.diff(starts))
            low, high = (some - half)[query], (some + half)[query]
            row = self.rows_[rows]
            inside = np.all(
                (low < row) & ((row <= high) if self.ends == "half_open" else (row < high)), axis=1
            )
            out[start : start + size] = np.bincount(query, self.weights_[rows] * inside, minlength=len(some))
        return out


def _searcher_of(points: np.ndarray) -> Searcher:
    metric: Any = Minkowski(np.inf)
    return searcher(points, metric)
