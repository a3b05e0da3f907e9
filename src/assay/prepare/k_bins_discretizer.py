"""Discretisation: each column of numbers cut into bins of equal width, of equal counts, or between groups of values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from assay.core import Card
from assay.core.csr import compressed_matrix
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.parameters import Any_, Choice, Count, Seed
from assay.core.stored import Boolean, Each, FloatArray, Mapped, Object
from assay.core.sums import Rows, Source
from assay.errors import DataError, DegenerateWarning, ParameterError, warn_user
from assay.prepare.as_given import as_given, beside, with_text_names
from assay.prepare.columns import extremes
from assay.prepare.preparation import Preparation, Summed, without_dates
from assay.stats.quantile_sketch import LIMIT, QuantileSketch
from assay.tables import Schema, Table
from assay.types import TableLike

__all__ = ["KBinsDiscretizer"]

MOST_STEPS = 300  # of one-dimensional k-means; the groups settle long before

# Hyndman and Fan: the quantile of share p lies at the rank n p + a + p (1 - a - b) among n values
PLACES = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
OF_WEIGHTS = ("averaged_inverted_cdf", "inverted_cdf")


class KBinsDiscretizer(Summed, Preparation):
    r"""Cut each column of numbers into bins, and replace each number by that of its bin.

    The edges :math:`e_0 < e_1 < \dots < e_k` of a column are equally far apart ("uniform"), have equal shares of the
    training rows between them ("quantile"), or lie in the middle between neighbouring centres of k groups, each the
    mean of its values ("kmeans"). The bin of x is

    .. math:: b(x) = \#\{j : 0 < j < k,\ e_j \le x\}                                          \quad (1)

    so values beyond the training range fall into the first and the last bin. Columns of categories pass as they are;
    with "onehot" each category has its indicator. Missing values stay missing; with "onehot" no indicator is 1.

    All edges follow from sums over rows: ``partial_fit``, ``fit_blocks`` and Dask give the same. Quantiles and groups
    come from all rows in memory, and of blocks from sketches of bounded size, which are exact up to 65,536 rows or half
    as many distinct values (:class:`~assay.stats.QuantileSketch`); scikit-learn draws 200,000 rows. Trees and rules cut
    by themselves, where the classes are; this is for learners of categories, of counts, and of lines that shall bend.

    Cost: fit O(n d) for equal widths, else O(n d log n); transform O(d log k) a row; memory O(d), for quantiles and
    groups with the sketches, to which ``partial_fit`` adds, and O(n d) while fitting in memory.

    Parameters
    ----------
    n_bins : int or (d,) of int, default 5
        How many bins, at least 2; fewer come out where there are not enough distinct values.
    encode : "onehot", "onehot-dense" or "ordinal", default "onehot"
        A sparse matrix of indicators, the same as an array or frame, or the numbers of the bins.
    strategy : "uniform", "quantile" or "kmeans", default "quantile"
    quantile_method : how quantiles lie between two values, by NumPy's names, default "averaged_inverted_cdf"
        With weights only "averaged_inverted_cdf" and "inverted_cdf". "closest_observation" is not among them.
    dtype : numpy.float32, numpy.float64 or None, default None
        The type of the numbers that come out; None for that of those that go in.
    subsample : int or None, default 200000
        Accepted for scikit-learn's sake: all rows count.
    random_state : int, RandomState or None, default None
        Accepted for scikit-learn's sake: nothing is drawn.

    Attributes
    ----------
    bin_edges_ : list of d arrays, the edges of each column; empty for a column of categories
        A column with one value, or none, has one bin, from minus infinity to infinity.
    n_bins_ : (d,) how many bins, or categories, each column has

    Examples
    --------
    >>> from assay.prepare import KBinsDiscretizer
    >>> bins = KBinsDiscretizer(2, encode="ordinal").fit([[1.0, 10.0], [2.0, 20.0], [3.0, None], [4.0, 60.0]])
    >>> bins.bin_edges_
    [array([1. , 2.5, 4. ]), array([10., 20., 60.])]
    >>> bins.transform([[2.0, 20.0], [9.0, None]])
    array([[ 0.,  1.],
           [ 1., nan]])

    See Also
    --------
    BasisExpansion, assay.stats.mdl_cuts, assay.stats.QuantileSketch

    References
    ----------
    - Dougherty, J., Kohavi, R. and Sahami, M. (1995). Supervised and unsupervised discretization of continuous
      features. International Conference on Machine Learning, 194-202. doi:10.1016/B978-1-55860-377-6.50032-3
    - Hyndman, R. J. and Fan, Y. (1996). Sample quantiles in statistical packages. The American Statistician 50(4),
      361-365. doi:10.1080/00031305.1996.10473566
    """

    card = Card("bins", "numbers cut into bins of equal width or counts", also=("discretizer", "discretiser"))
    accepts = {
        "n_bins": Count(2) | Any_("a whole number from 2 up for each column", lambda v: _are_counts(v)),
        "encode": Choice("onehot", "onehot-dense", "ordinal"),
        "strategy": Choice("uniform", "quantile", "kmeans"),
        "quantile_method": Choice(*OF_WEIGHTS, *PLACES),
        "dtype": Any_("numpy.float32 or numpy.float64", lambda v: v in (np.float32, np.float64)) | None,
        "subsample": Count(1) | None,
        "random_state": Seed(),
    }
    stored = {
        "bin_edges_": Each(FloatArray("*"), "d"),
        "_sums": Object("assay.prepare.k_bins_discretizer.Values", d="d"),
    }

    def __init__(
        self,
        n_bins: Any = 5,
        *,
        encode: str = "onehot",
        strategy: str = "quantile",
        quantile_method: str = "averaged_inverted_cdf",
        dtype: Any = None,
        subsample: int | None = 200_000,
        random_state: Any = None,
    ):
        self.n_bins = n_bins
        self.encode = encode
        self.strategy = strategy
        self.quantile_method = quantile_method
        self.dtype = dtype
        self.subsample = subsample
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _learn_from(self, source: Source) -> None:
        self._limit = max(LIMIT, source.count()) if isinstance(source, Rows) else LIMIT
        try:
            super()._learn_from(source)
        finally:
            del self._limit
        self._sums = self._sums.bounded()

    def _summarize(self, X: np.ndarray, y: Any, w: np.ndarray | None) -> Values:
        low, high = extremes(X if w is None else X[w > 0])
        sketches = {}
        if self.strategy != "uniform":
            limit = vars(self).get("_limit", LIMIT)
            sketches = {
                int(j): QuantileSketch.of(X[:, j], w, limit) for j in np.flatnonzero(~self.schema_.coded)
            }
        return Values(np.asarray(low, np.float64), np.asarray(high, np.float64), w is not None, sketches)

    def _solve(self, sums: Values) -> None:
        d = len(self.schema_)
        counts = np.broadcast_to(self.n_bins, d) if np.ndim(self.n_bins) == 0 else np.asarray(self.n_bins)
        if len(counts) != d:
            raise ParameterError(
                f"KBinsDiscretizer: n_bins has {len(counts)} numbers, and the table {d} columns. Give one for each, or "
                "one for all."
            )
        if sums.weighted and self.strategy == "quantile" and self.quantile_method not in OF_WEIGHTS:
            raise ParameterError(
                f"KBinsDiscretizer: quantile_method {self.quantile_method!r} is for rows that count alike. "
                f"With weights: {' or '.join(map(repr, OF_WEIGHTS))}."
            )
        self.bin_edges_ = [self._edges(j, int(counts[j]), sums) for j in range(d)]
        fewer = [
            f"{c.name} ({len(edges) - 1})"
            for c, edges, k in zip(self.schema_, self.bin_edges_, counts)
            if not c.coded and len(edges) - 1 < k
        ]
        if fewer:
            warn_user(
                f"KBinsDiscretizer: too few distinct values for as many bins: {', '.join(fewer)}. Lower n_bins.",
                DegenerateWarning,
            )

    def _edges(self, j: int, k: int, sums: Values) -> np.ndarray:
        """The edges of column j."""
        low, high = sums.low[j], sums.high[j]
        if self.schema_[j].coded:
            return np.empty(0)
        if not low < high:
            return np.array([-np.inf, np.inf])
        if self.strategy == "uniform":
            edges = np.linspace(low, high, k + 1)
        elif self.strategy == "quantile":
            edges = _quantiles(sums.sketches[j], np.linspace(0, 1, k + 1), self.quantile_method)
        else:
            edges = _between_groups(*sums.sketches[j].distribution(), k)
        return edges[np.ediff1d(edges, to_begin=np.inf) > 0]

    @property
    def n_bins_(self) -> np.ndarray:
        """(d,) how many bins, or categories, each column has."""
        check_is_fitted(self, "bin_edges_")
        return np.array(
            [
                len(c.categories) if c.coded else len(edges) - 1
                for c, edges in zip(self.schema_, self.bin_edges_)
            ]
        )

    def transform(self, X: TableLike) -> Any:
        """The rows of X with the number of its bin for each number, or with an indicator for each bin."""
        table = self._read(X)
        codes = self._codes(table)
        if self.encode == "ordinal":
            return as_given(X, table, Table(codes, without_dates(table).schema, table.complete))
        made = self._indicators(codes)
        if self.encode == "onehot":
            return made
        if isinstance(X, Table) or not (hasattr(X, "columns") or hasattr(X, "column_names")):
            return made.toarray()
        import narwhals.stable.v2 as nw

        frame, labels = with_text_names(X)
        names = self._names_out(None if self.schema_.named else [str(label) for label in labels])
        values = made.toarray().astype(np.float64, copy=False)
        return beside(
            frame,
            [
                nw.new_series(name, values[:, t], nw.Float64, backend=frame.implementation)
                for t, name in enumerate(names)
            ],
        )

    def _codes(self, table: Table) -> np.ndarray:
        """(n, d) the numbers of the bins and of the categories; NaN where a value is missing."""
        X = table.values
        codes = np.array(X, dtype=X.dtype if self.dtype is None else self.dtype)
        for j, edges in enumerate(self.bin_edges_):
            if len(edges):
                bins = np.searchsorted(edges[1:-1], X[:, j], side="right")  # (1)
                codes[:, j] = np.where(np.isnan(X[:, j]), np.nan, bins)
        return codes

    def _indicators(self, codes: np.ndarray) -> Any:
        """(n, all bins) 1 for the bin that a value is in."""
        widths = self.n_bins_
        starts = np.cumsum([0, *widths[:-1]])
        known = (codes >= 0) & (codes < widths)  # a missing value has no bin, nor has an unseen category
        columns = (np.where(known, codes, 0) + starts).astype(np.int32)[known]
        ends = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
        shape = (len(codes), int(widths.sum()))
        return compressed_matrix("csr_matrix", np.ones(len(columns), codes.dtype), columns, ends, shape)

    def inverse_transform(self, X: TableLike) -> np.ndarray:
        """(n, d) the middle of each bin, of bin numbers or indicators; NaN where a value was missing."""
        check_is_fitted(self, "bin_edges_")
        codes = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
        widths = self.n_bins_
        expected = len(widths) if self.encode == "ordinal" else int(widths.sum())
        if codes.ndim != 2 or codes.shape[1] != expected:
            raise DataError(
                f"KBinsDiscretizer: Incorrect number of features. Expecting {expected}, received "
                f"{codes.shape[1] if codes.ndim == 2 else 'an array of another form'}."
            )
        if self.encode != "ordinal":
            parts = np.split(codes, np.cumsum(widths)[:-1], axis=1)
            codes = np.column_stack([np.where(p.any(axis=1), p.argmax(axis=1), np.nan) for p in parts])
        known = codes[~np.isnan(codes)]
        if (known != np.floor(known)).any() or ((codes < 0) | (codes >= widths)).any():
            raise DataError(
                "KBinsDiscretizer: bins are whole numbers from 0 up, below n_bins_ of their column."
            )
        coded = self.schema_.coded
        out = np.empty(codes.shape, dtype=object if coded.any() else np.float64)
        for j, edges in enumerate(self.bin_edges_):
            if coded[j]:
                out[:, j] = [self.schema_.label(j, v) for v in codes[:, j]]
                continue
            middles = np.append(
                edges[:-1] / 2 + edges[1:] / 2 if len(edges) > 2 else self._middle(edges), np.nan
            )
            out[:, j] = middles[
                np.where(np.isnan(codes[:, j]), len(middles) - 1, codes[:, j]).astype(np.intp)
            ]
        return out

    @staticmethod
    def _middle(edges: np.ndarray) -> np.ndarray:
        return np.array([edges.mean() if np.isfinite(edges).all() else np.nan])

    def _names_out(self, names: list[str] | None = None) -> list[str]:
        names = self.schema_.names if names is None else names
        if self.encode == "ordinal":
            return names
        return [
            f"{name}_{value}"
            for name, column, k in zip(names, self.schema_, self.n_bins_)
            for value in (column.categories if column.coded else map(float, range(k)))
        ]

    def _model_parts(self) -> list[Part]:
        rows = [
            [column.name, len(edges) - 1, ", ".join(f"{e:.5g}" for e in edges[1:-1])]
            for column, edges in zip(self.schema_, self.bin_edges_)
            if not column.coded
        ]
        return [Section("Bins", ["column", "bins", "edges between them"], rows)]


def _are_counts(value: Any) -> bool:
    """Whether a value is a list of whole numbers from 2 up."""
    try:
        counts = np.asarray(value)
    except (TypeError, ValueError):
        return False
    return counts.ndim == 1 and counts.dtype.kind in "iu" and bool((counts >= 2).all())


@dataclass
class Values:
    """The smallest and the largest value of each column, whether rows have weights, and sketches of the values."""

    low: np.ndarray
    high: np.ndarray
    weighted: bool
    sketches: dict[int, QuantileSketch]
    stored = {
        "low": FloatArray("d"),
        "high": FloatArray("d"),
        "weighted": Boolean(),
        "sketches": Mapped(Object(QuantileSketch)),
    }

    def __add__(self, other: Values) -> Values:
        sketches = {**self.sketches, **other.sketches}
        for j in self.sketches.keys() & other.sketches.keys():
            sketches[j] = self.sketches[j] + other.sketches[j]
        return Values(
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.weighted or other.weighted,
            sketches,
        )

    def bounded(self) -> Values:
        """The same with sketches of the usual size, to which more rows can be added."""
        nothing = QuantileSketch.of([])
        few = {j: replace(sketch, limit=LIMIT) + nothing for j, sketch in self.sketches.items()}
        return replace(self, sketches=few)

    def recode(self, old: Schema, new: Schema) -> Values:
        """The same: new categories change no column of numbers."""
        return self


def _quantiles(sketch: QuantileSketch, shares: np.ndarray, method: str) -> np.ndarray:
    """The values below which these shares of the rows lie."""
    if method == "averaged_inverted_cdf":
        return sketch.quantile(shares)
    values, weights = sketch.distribution()
    below = np.cumsum(weights)
    n = below[-1]

    def ranked(places: np.ndarray) -> np.ndarray:
        return values[np.minimum(np.searchsorted(below, places * (1 - 1e-12)), len(values) - 1)]

    if method == "inverted_cdf":
        return ranked(n * shares)
    a, b = PLACES[method]
    places = np.clip(n * shares + a + shares * (1 - a - b), 1, n)
    whole = np.floor(places + 1e-9)
    lower, upper = ranked(whole), ranked(np.minimum(whole + 1, n))
    return lower + np.maximum(places - whole, 0) * (upper - lower)


def _between_groups(values: np.ndarray, weights: np.ndarray, k: int) -> np.ndarray:
    """The ends of the values, and the middles between the centres of k groups: k-means from equal widths on."""
    k, shift = min(k, len(values)), values[0]
    centres = np.linspace(values[0], values[-1], 2 * k + 1)[1::2]
    mass = np.concatenate([[0.0], np.cumsum(weights)])
    moment = np.concatenate([[0.0], np.cumsum(weights * (values - shift))])
    before = None
    for _ in range(MOST_STEPS):
        cuts = np.searchsorted(values, (centres[1:] + centres[:-1]) / 2, side="right")
        ends = np.concatenate([[0], cuts, [len(values)]])
        if before is not None and np.array_equal(ends, before):
            break
        before, inside, total = ends, np.diff(mass[ends]), np.diff(moment[ends])
        sizes = np.diff(ends)
        group = np.repeat(np.arange(k), sizes)
        farthest = iter(np.argsort(np.abs(values - centres[group]), kind="stable")[::-1])
        for g in np.flatnonzero(
            sizes == 0
        ):  # it gets the value that is farthest from its centre, and not alone there
            i = next(i for i in farthest if sizes[group[i]] > 1)
            sizes[group[i]] -= 1
            for to, w in ((group[i], -weights[i]), (g, weights[i])):
                inside[to], total[to] = inside[to] + w, total[to] + w * (values[i] - shift)
        centres = shift + total / inside
        centres.sort()
    return np.concatenate([values[:1], (centres[1:] + centres[:-1]) / 2, values[-1:]])
