"""Regressogram: a mean or a line in each bin."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Array, Choice, Count, Range
from assay.core.stored import FloatArray, IntArray
from assay.errors import DataError, DegenerateError, ParameterError
from assay.smoothers.local_smoother import EMPTY
from assay.smoothers.smoother import BLOCK, Smoother
from assay.smoothers.widths import EFFORT, MIN_ROWS, spread_rows
from assay.tables.row_names import row_name

__all__ = ["Regressogram"]

CUTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)  # bins per column that "loo" tries
FLAT = 1e-10  # rows that spread less in some direction, relative to their widest, have no slope there


class Regressogram(Smoother):
    r"""A step function: the mean of the numbers in the bin of x; or a broken line, the least-squares line of the bin.

    .. math:: \hat g(x) = \frac{\sum_t b(x,x^t)\,r^t}{\sum_t b(x,x^t)}, \qquad b = 1\text{ if } x\text{ and }x^t
              \text{ are in the same bin } [x_0+mh,\ x_0+(m+1)h)                                          \quad (1)

    Once the bins are made a query costs one look. Bins of several columns are boxes, and only those with rows are
    kept. The lines of neighbouring bins do not meet; a bin whose rows do not determine a slope has none in that
    direction. Leaving out a row takes closed form, so the choice of the width costs little more than a fit.

    Cost: fit O(d n log n) for each width that is tried; predict O(d) a row, and a look-up; memory O(n d), the bins and
    their rows are kept.

    Parameters
    ----------
    width : number, (d,) numbers or "loo", default "loo"
        h. "loo" cuts the range of every column into the number of bins (of 1, 2, 3, 4, 6, 8, ... 256) with the
        least leave-one-out error.
    origin : number, (d,) numbers or None, default None
        :math:`x_0`, where a bin begins; None is the least value of the column.
    degree : 0 or 1, default 0
        A mean or a line in each bin.
    empty : "nearest", "mean", "nan" or "raise", default "nearest"
        What a query in an empty bin gets: the number of the nearest row in units of h (the mean of equally near
        ones), the mean of all rows, NaN, or an error that names it.

    Attributes
    ----------
    width_ : (d,)      origin_ : (d,)
    bins_ : (B, d) the numbers m of the bins with rows      counts_ : (B,) the weight in each
    intercept_ : (B,)      coef_ : (B, d) the line of each bin; slopes 0 with degree 0
    means_ : (B,) the mean number in each      centres_ : (B, d) with degree 1, the mean of its rows
    X_ : (n, d)      y_ : (n,)      weight_ : (n,) or None

    Examples
    --------
    >>> from assay.smoothers import Regressogram
    >>> x, r = [[float(i)] for i in range(8)], [1, 2, 1.5, 4, 5, 4.5, 7, 6]
    >>> Regressogram(width=3.0).fit(x, r).predict([[0.5], [3.25], [6.0]])
    array([1.5, 4.5, 6.5])
    >>> lines = Regressogram(width=4.0, degree=1).fit(x, r)
    >>> lines.coef_.ravel().round(6), lines.intercept_.round(6)
    (array([0.85, 0.55]), array([0.85, 2.6 ]))

    See Also
    --------
    RunningMean, KernelSmoother

    References
    ----------
    - Tukey, J. W. (1961). Curves as parameters, and touch estimation. Berkeley Symposium on Mathematical Statistics
      and Probability 1, 681-694.
    """

    card = Card(
        "regressogram",
        "the mean of the numbers in each bin",
        learns=(
            "a mean, median or line of the rows nearby",
            "squared error of each row by the others",
            "a search over the bandwidth",
            "local",
        ),
    )
    accepts = {
        "width": Range(0, open="low") | Array(1, 0) | Choice("loo"),
        "origin": Range() | Array(1) | None,
        "degree": Count(0, 1),
        "empty": EMPTY,
    }
    stored = {
        "bins_": IntArray("b", "p"),
        "centres_": FloatArray("b", "p"),
        "coef_": FloatArray("b", "p"),
        "counts_": FloatArray("b"),
        "intercept_": FloatArray("b"),
        "means_": FloatArray("b"),
        "origin_": FloatArray("p", finite=True),
        "width_": FloatArray("p", low=0, finite=True),
    }
    steered_by = "width"

    def __init__(self, width: Any = "loo", *, origin: Any = None, degree: int = 0, empty: str = "nearest"):
        self.width = width
        self.origin = origin
        self.degree = degree
        self.empty = empty

    @property
    def usual_noise(self) -> str:  # type: ignore[override]
        return "local" if self.degree == 0 else "global"

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._keep(X, y, w)
        counted = self.X_ if w is None else self.X_[w > 0]
        self.origin_ = counted.min(axis=0) if self.origin is None else self._each("origin", self.origin)
        if not isinstance(self.width, str):
            self._cut(self._each("width", self.width))
            return
        counts = len(counted) if w is None else max(w.sum(), len(counted))  # rows may count as less than one
        rows = spread_rows(self.X_, max(MIN_ROWS, EFFORT // len(y)))
        rows = rows if w is None else rows[w[rows] > 0]
        top, scores = np.maximum(counted.max(axis=0), self.origin_), []
        for cuts in CUTS[: np.searchsorted(CUTS, counts, side="right")]:
            width = (top - self.origin_) / cuts * (1 + 1e-9)  # the greatest value is in the last bin
            self._cut(np.where(width > 0, width, 1.0))
            scores.append((self._error(rows), cuts, self.width_))
        self._cut(min(scores, key=lambda entry: entry[:2])[2])

    def _each(self, name: str, value: Any) -> np.ndarray:
        d = self.X_.shape[1]
        each = (
            np.full(d, value, dtype=np.float64)
            if np.ndim(value) == 0
            else np.asarray(value, dtype=np.float64)
        )
        if len(each) != d or not np.isfinite(each).all() or (name == "width" and (each <= 0).any()):
            raise ParameterError(
                f"Regressogram: {name} must be one number, or one for each of {d} columns, got {value}."
            )
        return each

    def _cut(self, width: np.ndarray) -> None:
        """Make the bins, and the mean and line of each."""
        self.width_ = width
        counts = np.ones(len(self.y_)) if self.weight_ is None else self.weight_
        counted = counts > 0
        self.bins_ = np.unique(self._bin(self.X_[counted]), axis=0)
        codes = self._look(self.X_)
        B, d = self.bins_.shape
        self.counts_ = np.bincount(codes[counted], counts[counted], minlength=B)
        self.means_ = (
            np.bincount(codes[counted], counts[counted] * self.y_[counted], minlength=B) / self.counts_
        )
        self.coef_, self.centres_ = np.zeros((B, d)), np.zeros((B, d))
        if self.degree == 1:
            for k, rows in self._members(codes, counted):
                Z, self.centres_[k], root = self._inside(rows)
                self.coef_[k] = np.linalg.pinv(Z, rcond=FLAT) @ (root * (self.y_[rows] - self.means_[k]))
        self.intercept_ = self.means_ - np.einsum("bj,bj->b", self.coef_, self.centres_)

    def _inside(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows of a bin about their mean, times the roots of their counts; the mean; and these roots."""
        root = np.ones(len(rows)) if self.weight_ is None else np.sqrt(self.weight_[rows])
        apart = (
            self.X_[rows] - self.X_[rows[0]]
        )  # exact for rows near to each other, so equal x have no spread at all
        shift = root**2 @ apart / (root @ root)
        return root[:, None] * (apart - shift), self.X_[rows[0]] + shift, root

    def _members(self, codes: np.ndarray, counted: np.ndarray) -> list[tuple[int, np.ndarray]]:
        rows = np.flatnonzero(counted)
        rows = rows[np.argsort(codes[rows], kind="stable")]
        parts = np.split(rows, np.cumsum(np.bincount(codes[rows], minlength=len(self.bins_)))[:-1])
        return [(k, part) for k, part in enumerate(parts) if len(part)]

    def _bin(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            place = np.floor((X - self.origin_) / self.width_)
        return np.clip(place, -(2.0**62), 2.0**62).astype(np.int64)

    def _look(self, X: np.ndarray) -> np.ndarray:
        """(q,) the bin of each row among ``bins_``, or -1."""
        bins = self._bin(X)
        if bins.shape[1] == 1:
            known, here = self.bins_[:, 0], bins[:, 0]
            place = np.clip(np.searchsorted(known, here), 0, len(known) - 1)
            return np.where(known[place] == here, place, -1)
        names = {row.tobytes(): k for k, row in enumerate(np.ascontiguousarray(self.bins_))}
        return np.array([names.get(row.tobytes(), -1) for row in np.ascontiguousarray(bins)], dtype=np.int64)

    def _predict(self, X: np.ndarray) -> np.ndarray:
        self._check_bins()
        place = self._look(X)
        answer = self.means_[place] + np.einsum("qj,qj->q", X - self.centres_[place], self.coef_[place])
        empty = np.flatnonzero(place < 0)
        if len(empty):
            answer[empty] = np.nan
            for some in (
                np.array_split(empty, -(-len(empty) * len(self.y_) // BLOCK)) if self.empty != "nan" else ()
            ):
                answer[some] = self._fallback(X[some], some) @ self.y_
        return answer

    def _shares(self, X: np.ndarray) -> np.ndarray:
        self._check_bins()
        counts = np.ones(len(self.y_)) if self.weight_ is None else self.weight_
        place, codes = self._look(X), self._look(self.X_)
        S = np.where(place[:, None] == codes, counts / self.counts_[codes], 0.0)
        if self.degree == 1:
            for k, rows in self._members(codes, (counts > 0) & np.isin(codes, place)):
                Z, middle, root = self._inside(rows)
                here = np.flatnonzero(place == k)
                S[np.ix_(here, rows)] += (X[here] - middle) @ np.linalg.pinv(Z, rcond=FLAT) * root
        empty = np.flatnonzero(place < 0)
        if len(empty):
            S[empty] = self._fallback(X[empty], empty) if self.empty != "nan" else 0.0
        return S

    def _leverages(self, rows: np.ndarray) -> np.ndarray:
        counts = np.ones(len(self.y_)) if self.weight_ is None else self.weight_
        codes = self._look(self.X_)
        leverage = counts / self.counts_[codes]
        if self.degree == 1:
            for _, members in self._members(codes, counts > 0):
                Z = self._inside(members)[0]
                leverage[members] += np.einsum("tj,jt->t", Z, np.linalg.pinv(Z, rcond=FLAT))
        return leverage[rows]

    def _error(self, rows: np.ndarray) -> float:
        if len(rows) == 1:  # without it there is nothing
            return 0.0
        counts = np.ones(len(rows)) if self.weight_ is None else self.weight_[rows]
        return float(counts @ ((self.y_[rows] - self._left_out(rows)) / self._unit) ** 2 / counts.sum())

    def _alone(self, rows: np.ndarray) -> np.ndarray:
        if len(self.y_) == 1:
            raise DegenerateError("Regressogram: there is one row; without it there is no estimate.")
        estimates = np.empty(len(rows))
        for i, row in enumerate(
            rows
        ):  # other rows may still be in its bin, if they do not determine its line
            estimates[i] = self._fallback(self.X_[row : row + 1], np.array([row]), int(row))[0] @ self.y_
        return estimates

    def _fallback(self, Q: np.ndarray, which: np.ndarray, leave_out: int | None = None) -> np.ndarray:
        """(q, n) weights for queries in empty bins, according to ``empty``; without the row ``leave_out``."""
        counts = np.ones(len(self.y_)) if self.weight_ is None else self.weight_.copy()
        if leave_out is not None:
            counts[leave_out] = max(counts[leave_out] - 1, 0.0)
        elif self.empty == "raise":
            raise DataError(
                f"Regressogram: no training row is in the bin of query {row_name(which[0])}, {Q[0].tolist()}, "
                "nor in those "
                f'of {len(Q) - 1} others. Raise width, or set empty="nearest".'
            )
        if not counts.any():
            raise DegenerateError("Regressogram: one row counts; without it there is no estimate.")
        S = np.repeat(counts[None], len(Q), axis=0)
        if self.empty != "mean":
            from assay.distances.metric import metric_of

            apart = metric_of("euclidean").between(Q / self.width_, self.X_ / self.width_)
            apart[:, counts == 0] = np.inf
            S[apart > apart.min(axis=1, keepdims=True)] = 0.0
        return S / S.sum(axis=1, keepdims=True)

    def _held(self) -> dict[str, Any]:
        return {"width": self.width_, "origin": self.origin_}

    def _check_bins(self) -> None:
        self._check_rows()
        B, d = self.bins_.shape if self.bins_.ndim == 2 else (0, 0)
        if (
            B == 0
            or d != self.X_.shape[1]
            or self.coef_.shape != (B, d)
            or self.centres_.shape != (B, d)
            or self.means_.shape != (B,)
            or self.counts_.shape != (B,)
            or self.width_.shape != (d,)
            or self.origin_.shape != (d,)
        ):
            raise ValueError("Regressogram: the stored bins do not fit together.")
