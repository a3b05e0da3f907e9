"""Base class of local smoothers: a kernel-weighted polynomial through the rows near a query."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import assay.smoothers._local_fits as _local_fits
from assay.core.complaints import missing_message
from assay.core.parallel import in_threads
from assay.core.parameters import Accepted, Any_, Array, Choice, Count, Range
from assay.core.progress import progress
from assay.core.stored import CodeArray, FloatArray, Scalar
from assay.densities.kernels import ALIASES, KERNELS, kernel_of
from assay.distances.extremes import largest, scaled
from assay.errors import DataError, DegenerateError, ParameterError
from assay.smoothers.smoother import Smoother
from assay.smoothers.widths import chosen_width
from assay.tables import Table
from assay.tables.row_names import row_name

__all__ = ["EMPTY", "KERNEL", "LocalSmoother"]

LARGEST = float(np.finfo(np.float64).max)
BLOCK_DISTANCES = 1 << 22  # distances in one piece of work
SERIAL_DISTANCES = 1 << 16  # as many stay on one thread
SEARCH_ROWS, SEARCH_SHARE = (
    1000,
    0.05,
)  # rows from which on a search pays, and the share of them that a window may hold then
NEAREST = -1  # for the native code: the k nearest rows, equally weighted
ON_A_LINE = frozenset({"euclidean", "manhattan", "chebyshev"})  # in one column all of them are |x - x'|

KERNEL = Choice(*KERNELS, *ALIASES)
EMPTY = Choice("nearest", "mean", "nan", "raise")
BANDWIDTH: Accepted = Range(0, open="low") | Array(1, 0) | Choice("loo", "gcv", "scott")


class LocalSmoother(Smoother):
    """Base of smoothers that look at the rows near a query.

    Subclasses define ``_kernel``, ``_degree`` and ``_nearest``: the kernel's name, the degree of
    the polynomial (0 for a mean, -1 for a median), and whether the window is the k nearest rows themselves, all alike.

    Attributes
    ----------
    bandwidth_ : float or (d,), or None with ``n_neighbors``
    """

    stored = {
        "X_": FloatArray("n", "p", low=-LARGEST, high=LARGEST),  # a metric may take missing values
        "_order": CodeArray("*", below="n"),
        "bandwidth_": Scalar(low=0) | FloatArray("*") | None,
    }

    common: ClassVar[dict[str, Accepted | None]] = {
        "bandwidth": BANDWIDTH,
        "n_neighbors": Count(1) | None,
        "metric": Any_("the name of a metric, a function of two rows, or a Metric"),
        "empty": EMPTY,
    }
    _kernel: str = "gaussian"
    _degree: int = 0
    _nearest: bool = False

    bandwidth: Any
    bandwidth_: Any
    n_neighbors: Any
    metric: Any
    empty: str

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """Categories and missing values, if the metric takes them."""
        try:
            return self._unlearned().takes & {"nominal", "missing"}
        except ParameterError:  # which a fit will raise
            return frozenset()

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._keep(X, y, w)
        self._metric()  # refuses what cannot measure these rows
        self._order = (
            np.argsort(self.X_[:, 0], kind="stable") if self.X_.shape[1] == 1 else np.zeros(0, np.int64)
        )
        scales = np.asarray(self.bandwidth, dtype=np.float64) if _is_array(self.bandwidth) else None
        if scales is not None:
            self._check_scales(scales)
        if self._k() is not None:
            self.bandwidth_ = None
        elif isinstance(self.bandwidth, str):
            self.bandwidth_ = chosen_width(self, self.bandwidth)
        else:
            self.bandwidth_ = float(self.bandwidth) if scales is None else scales

    def _check_scales(self, scales: np.ndarray) -> None:
        d = self.X_.shape[1]
        if len(scales) != d or (scales <= 0).any() or self._metric().name != "euclidean":
            raise ParameterError(
                f"{type(self).__name__}: several bandwidths are one for each of {d} columns of numbers, all above 0, "
                f"with the Euclidean metric; got {scales.tolist()} and {self.metric!r}."
            )

    def _predict(self, X: np.ndarray) -> np.ndarray:
        return self._estimates(X)

    def _shares(self, X: np.ndarray) -> np.ndarray:
        S = np.zeros((len(X), len(self.y_)))
        self._estimates(X, S)
        return S

    def _left_out(self, rows: np.ndarray) -> np.ndarray:
        """The windows are found anew without each row, so k neighbours are k others; of a row that counts as several
        one is left out."""
        if len(self.y_) == 1:
            raise DegenerateError(
                f"{type(self).__name__}: there is one row; without it there is no estimate."
            )
        return self._estimates(self.X_[rows], leave_out=rows)

    def _estimates(
        self,
        Q: np.ndarray,
        S: np.ndarray | None = None,
        leave_out: np.ndarray | None = None,
        width: Any = None,
    ) -> np.ndarray:
        """(q,) the estimates at the rows of Q, and in S their weights; ``leave_out`` is the row each leaves out."""
        self._check_rows()
        width = self.bandwidth_ if width is None else width
        X, Q, h = self.X_, np.ascontiguousarray(Q, dtype=np.float64), 1.0
        if isinstance(width, np.ndarray):
            X, Q = X / width, Q / width
        elif width is not None:
            h = float(width)
        metric = self._metric()
        if np.isnan(Q).any() and "missing" not in metric.takes:
            raise DataError(
                missing_message(type(self).__name__, Table(Q, self.schema_, False), self._missing_remedy())
            )
        if metric.name in ON_A_LINE and not 1e-100 < (top := largest(X)) < 1e100 and top > 0:
            unit = int(np.frexp(top)[1])  # the same shape, where powers of differences are numbers
            X, Q, h = scaled(X, unit), scaled(Q, unit), float(np.ldexp(h, -unit)) if width is not None else h
        k = self._k()
        kind = (
            NEAREST if self._nearest and k is not None else list(KERNELS).index(kernel_of(self._kernel).name)
        )
        powers = _powers(X.shape[1], self._degree)
        way = {"h": h, "k": float(k or 0), "kind": kind, "degree": self._degree, "powers": powers}
        out = np.empty(len(Q))
        leave_out = np.full(len(Q), -1, np.int64) if leave_out is None else leave_out
        rows = {"y": self.y_, "count": _or_ones(self.weight_), "prior": _or_ones(self._prior())}
        if X.shape[1] == 1 and metric.name in ON_A_LINE:
            piece, each = self._on_line(X[:, 0], rows, Q[:, 0], leave_out, way, out, S), len(X)
        else:
            piece, each = self._in_space(X, rows, Q, leave_out, way, out, S, metric)
        self._in_pieces(piece, len(Q), each)
        empty = np.flatnonzero(np.isnan(out))
        if len(empty):
            self._fill(empty, Q, X, leave_out, metric, out, S)
        return out

    def _on_line(self, x: Any, rows: Any, Q: Any, leave_out: Any, way: Any, out: Any, S: Any) -> Any:
        order = self._order
        if order.shape != x.shape or order.min() < 0 or order.max() >= len(x):
            raise ValueError(f"{type(self).__name__}: the stored order of the rows is none.")
        place = np.empty(len(x), np.int64)
        place[order] = np.arange(len(x))
        leave_out = np.where(leave_out >= 0, place[leave_out], -1)
        x, rows = x[order], {name: a[order] if len(a) else a for name, a in rows.items()}

        def piece(some: slice) -> None:
            weights = np.zeros((0, 0)) if S is None else S[some]
            _local_fits.on_line(
                x=x,
                **rows,
                order=order,
                queries=Q[some],
                left_out=leave_out[some],
                how=_local_fits.Fit(**way),
                estimate=out[some],
                weights=weights,
            )

        return piece

    def _in_space(
        self, X: Any, rows: Any, Q: Any, leave_out: Any, way: Any, out: Any, S: Any, metric: Any
    ) -> Any:
        points, at = (X, Q) if self._degree > 0 else (X[:, :1], Q[:, :1])  # a mean looks at distances alone
        way = way if self._degree > 0 else {**way, "powers": np.zeros((1, 1), np.int64)}
        points, at = np.ascontiguousarray(points), np.ascontiguousarray(at)
        how = _local_fits.Fit(**way)
        lists, k = self._lists(X, Q, leave_out, way, metric), way["k"]

        def piece(some: slice) -> None:
            weights = np.zeros((0, 0)) if S is None else S[some]
            shared = {"x": points, **rows, "queries": at[some], "left_out": leave_out[some], "how": how}
            result = {"estimate": out[some], "weights": weights}
            if lists is None:
                _local_fits.in_space(distances=metric.between(Q[some], X), **shared, **result)
            else:
                start, listed, apart = lists(Q[some])
                _local_fits.in_lists(start=start, rows=listed, distances=apart, **shared, **result)

        short = k and lists is not None  # lists of k rows, which one long search finds quicker than many
        return piece, int(k) + 1 if short else len(X)

    def _lists(self, X: Any, Q: Any, leave_out: Any, way: Any, metric: Any) -> Any:
        """What lists the rows that may count at some queries, if these are few of many; else None."""
        h, k, kind = way["h"], way["k"], way["kind"]
        n, q = len(X), len(Q)
        endless = kind != NEAREST and np.isinf(kernel_of(self._kernel).support)
        if endless or n < SEARCH_ROWS or q * n < SEARCH_ROWS**2 or metric.power is None:
            return None
        from assay.distances.search import kept_searcher

        if k:
            needed = int(k) + int(leave_out.max() >= 0)
            if self.weight_ is not None or needed > SEARCH_SHARE * n:
                return None
            search = kept_searcher(self, X, metric)

            def nearest(some: np.ndarray) -> Any:
                apart, rows = _first_of_equal(search, some, needed, n)
                start = np.arange(len(some) + 1, dtype=np.int64) * needed
                return start, rows.ravel().astype(np.int64, copy=False), apart.ravel()

            return nearest
        looked = Q[np.linspace(0, q - 1, 16).astype(np.int64)]
        if (metric.between(looked, X) < h).mean() > SEARCH_SHARE:
            return None
        search = kept_searcher(self, X, metric)

        def within(some: np.ndarray) -> Any:
            start, rows, apart = search.within(some, h)
            return start.astype(np.int64, copy=False), rows.astype(np.int64, copy=False), apart

        return within

    def _in_pieces(self, piece: Any, q: int, each: int) -> None:
        """All queries in pieces, each of which looks at so many rows."""
        if q * each <= SERIAL_DISTANCES:
            piece(slice(0, q))
            return
        size = max(1, min(4096, BLOCK_DISTANCES // each))
        with progress(-(-q // size), "windows") as bar:

            def step(start: int) -> None:
                piece(slice(start, min(start + size, q)))
                bar.advance()

            in_threads(step, range(0, q, size))

    def _fill(self, empty: Any, Q: Any, X: Any, leave_out: Any, metric: Any, out: Any, S: Any) -> None:
        """Estimates for windows without rows, according to ``empty``."""
        asked = empty[leave_out[empty] < 0]
        if self.empty == "raise" and len(asked):
            raise DataError(
                f"{type(self).__name__}: no training row is near query {row_name(asked[0])}, "
                f"{Q[asked[0]].tolist()}, nor "
                f'near {len(asked) - 1} others. Raise bandwidth, give n_neighbors, or set empty="nearest".'
            )
        if self.empty in ("nan", "raise"):
            return
        prior = self._prior()
        counts = np.ones(len(self.y_)) if prior is None else prior
        for some in np.array_split(empty, -(-len(empty) * len(X) // BLOCK_DISTANCES)):
            share = np.repeat(counts[None], len(some), axis=0)
            left = leave_out[some] >= 0
            rows = leave_out[some][left]
            share[left, rows] *= 0.0 if self.weight_ is None else kept(self.weight_[rows])
            if not share.any(axis=1).all():
                raise DegenerateError(
                    f"{type(self).__name__}: one row counts; without it there is no estimate."
                )
            if self.empty == "nearest":
                apart = np.where(share > 0, metric.between(Q[some], X), np.inf)
                share[apart > apart.min(axis=1, keepdims=True)] = 0  # equally near rows have equal parts
            share /= share.sum(axis=1, keepdims=True)
            out[some] = share @ self.y_
            if S is not None:
                S[some] = share

    def _apart(self, X: np.ndarray) -> np.ndarray | None:
        return self._metric().between(X, self.X_)[0]

    def _k(self) -> float | None:
        """How many neighbours set the width, or None."""
        return None if self.n_neighbors is None else float(self.n_neighbors)

    def _prior(self) -> np.ndarray | None:
        """(n,) what each row counts before the kernel, or None for one each."""
        return self.weight_

    def _unlearned(self) -> Any:
        from assay.distances.metric import metric_of

        try:
            return metric_of(self.metric, schema=getattr(self, "schema_", None))
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None

    def _metric(self) -> Any:
        metric = self._unlearned().learn(self.X_, None, self.weight_)
        if metric.name == "precomputed":
            raise ParameterError(f'{type(self).__name__}: metric must measure rows, got "precomputed".')
        return metric

    def _held(self) -> dict[str, Any]:
        return {"bandwidth": self.bandwidth if self.bandwidth_ is None else self.bandwidth_}


def kept(count: Any) -> Any:
    """What is left of a row that counts as several when one of these is left out."""
    return np.maximum(1 - 1 / np.maximum(count, 1.0), 0.0)


def _powers(d: int, degree: int) -> np.ndarray:
    """(p, d) the exponents of all monomials of d columns up to a degree, by degree; one row for means and medians."""
    if degree <= 0:
        return np.zeros((1, d), np.int64)
    by_degree = sorted(_exponents(d, degree), key=lambda e: (sum(e), [-v for v in e]))
    return np.array(by_degree, dtype=np.int64)


def _exponents(d: int, degree: int) -> list[tuple[int, ...]]:
    if d == 1:
        return [(e,) for e in range(degree + 1)]
    return [(e, *powers) for e in range(degree + 1) for powers in _exponents(d - 1, degree - e)]


def _is_array(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray))


def _or_ones(w: np.ndarray | None) -> np.ndarray:
    """Weights for the native code: an empty array stands for ones."""
    return np.zeros(0) if w is None else np.ascontiguousarray(w, dtype=np.float64)


def _first_of_equal(search: Any, Q: np.ndarray, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """(q, k) distances and rows of the nearest, of equal distances the first rows.

    A search tells sums of powers apart whose roots are equal; in a window equal distances are equal.
    """
    apart, rows = search.nearest(Q, min(k + 1, n))
    if k < n:
        for i in np.flatnonzero(apart[:, k] == apart[:, k - 1]):
            _, within, distances = search.within(Q[i : i + 1], float(apart[i, k]))
            first = np.lexsort((within, distances))[:k]
            apart[i, :k], rows[i, :k] = distances[first], within[first]
    apart, rows = apart[:, :k], rows[:, :k]
    order = np.lexsort((rows, apart), axis=-1)
    return np.take_along_axis(apart, order, axis=1), np.take_along_axis(rows, order, axis=1)
