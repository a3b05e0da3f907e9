"""A kernel of mixed tables: one kernel for each column, numbers, categories and missing values as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import FloatArray, IntArray, OffsetArray, Scalar, Text
from assay.errors import DataError, ParameterError
from assay.kernels.gram_rows import GramRows
from assay.kernels.kernel import Kernel
from assay.kernels.parameters import BOUNDS, SEARCH_BOUNDS
from assay.kernels.rbf import RBF
from assay.tables import Schema
from assay.types import PointsLike, TableLike

__all__ = ["MixedKernel"]

NUMBER, NOMINAL, ORDINAL = range(3)
LEAST_FACTOR = 1e-100  # of a column, that a product is divided by
QUANTILES = 32  # of a column of numbers, which stand for its distribution
CATEGORIES_LIMIT = 50_000_000  # the largest code of a category in a model file
INDICATORS_LIMIT = 512  # of all categories together, up to which native code compares indicators
CHOICES = {
    "numbers": ("rbf", "laplacian", "triangle"),
    "categories": ("mismatch", "equality", "frequency"),
    "by": ("product", "sum", "both"),
    "missing": ("average", "category", "ignore"),
}


@dataclass(frozen=True, eq=False)
class MixedKernel(Kernel):
    r"""A kernel of tables with numbers, categories and missing values: one kernel for each column.

    .. math:: K(a, b) = \prod_j k_j(a_j, b_j) \quad\text{or}\quad \frac1d \sum_j k_j(a_j, b_j) \quad (1)

    =============== ======================================= =========================================================
    column          :math:`k_j`                             scale
    =============== ======================================= =========================================================
    "rbf"           :math:`e^{-\gamma (a-b)^2 / v_j}`       :math:`v_j = m\,\mathrm{var}_j`
    "laplacian"     :math:`e^{-\gamma |a-b| / v_j}`         :math:`v_j = m \Delta_j / 2`, the mean absolute difference
    "triangle"      :math:`\max(0, 1 - |a-b| / v_j)`        :math:`v_j` the range
    "mismatch"      1 if equal, else :math:`e^{-\gamma/v}`  :math:`v_j = m\,g_j / 2`, :math:`g_j` the share of unequal
                                                            pairs: the kernel of Aitchison and Aitken
    "equality"      1 if equal, else 0
    "frequency"     1 if equal, else :math:`\sqrt{p_a p_b}` shares of the categories: equal rare ones say more
    =============== ======================================= =========================================================

    All scales come from the spread of the column in the training rows. For a product m is the number of columns d, so
    that the log similarity of two rows is -2 on average, as with ``gamma="scale"`` of the Gaussian kernel; for a sum m
    is 1. Ordered categories are numbers of ranks. A column without spread does not count.

    **Missing values.** "average": a missing value is as similar to another value as the column's training values are on
    average, which is the mean of their features (32 quantiles stand for numbers); two missing values as two training
    values are on average. "category": it is a value of its own, equal to another missing one and unlike all else.
    "ignore": the column does not count for this pair, a sum is the mean over the columns that both rows have. With the
    first two all matrices are positive semidefinite; with "ignore" they need not be (`check_gram`, `repair_gram`).

    ``MixedKernel("triangle", "equality", "sum")``, or ``kernel_of("gower")``, is Gower's similarity for tables without
    missing values, and positive semidefinite with them; with "ignore" it is Gower's similarity for all tables.

    Parameters
    ----------
    numbers : "rbf", "laplacian" or "triangle", default "rbf"
    categories : "mismatch", "equality" or "frequency", default "mismatch"
    by : "product", "sum" or "both", default "product"
        "both" is the mean of the product and the sum.
    missing : "average", "category" or "ignore", default "average"
    gamma : float, default 1
        Above 1, rows must be closer to be similar.
    gamma_bounds : (low, high) or "fixed", default (1e-5, 1e5)
    kinds : (d,) 0 for numbers, 1 for categories, 2 for ordered ones; None for numbers
        Learners take them from their table.

    Attributes
    ----------
    exponent_ : (d,) :math:`1 / v_j` with m = 1; 0 for columns without spread
    values_, weights_, start_ : the training values of each column and their shares, one column after the other

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import MixedKernel
    >>> X = np.array([[1.0, 0], [2.0, 0], [3.0, 1], [np.nan, 1]])  # a number, a category, a missing value
    >>> MixedKernel(kinds=[0, 1], by="sum").learn(X)(X).round(3)
    array([[1.   , 0.612, 0.01 , 0.213],
           [0.612, 1.   , 0.121, 0.25 ],
           [0.01 , 0.121, 1.   , 0.704],
           [0.213, 0.25 , 0.704, 0.717]])

    See Also
    --------
    DistanceKernel, OnColumns

    References
    ----------
    - Aitchison, J. and Aitken, C. G. G. (1976). Multivariate binary discrimination by the kernel method. Biometrika
      63(3), 413-420. doi:10.1093/biomet/63.3.413
    - Gower, J. C. (1971). A general coefficient of similarity and some of its properties. Biometrics 27(4), 857-871.
      doi:10.2307/2528823
    """

    takes: ClassVar[frozenset[str]] = frozenset({"nominal", "missing"})
    searched: ClassVar[tuple[str, ...]] = ("gamma",)

    numbers: str = "rbf"
    categories: str = "mismatch"
    by: str = "product"
    missing: str = "average"
    gamma: float = 1.0
    gamma_bounds: tuple[float, float] | str = SEARCH_BOUNDS
    kinds: Any = None
    exponent_: np.ndarray | None = None
    start_: np.ndarray | None = None
    values_: np.ndarray | None = None
    weights_: np.ndarray | None = None
    stored = {
        "numbers": Text(*CHOICES["numbers"]),
        "categories": Text(*CHOICES["categories"]),
        "by": Text(*CHOICES["by"]),
        "missing": Text(*CHOICES["missing"]),
        "gamma": Scalar(low=0, finite=True),
        "gamma_bounds": BOUNDS,
        "kinds": IntArray("d", low=0, high=2) | None,
        "exponent_": FloatArray("d", low=0, finite=True) | None,
        "start_": OffsetArray("d + 1", end="e") | None,
        "values_": FloatArray("e", finite=True) | None,
        "weights_": FloatArray("e", low=0, finite=True) | None,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, words in CHOICES.items():
            if getattr(self, name) not in words:
                raise ParameterError(
                    f"MixedKernel: {name} must be one of {', '.join(map(repr, words))}, got {getattr(self, name)!r}."
                )
        if self.kinds is not None:
            kinds = np.asarray(self.kinds)
            if kinds.ndim != 1 or kinds.dtype.kind not in "iu" or not np.isin(kinds, (0, 1, 2)).all():
                raise ParameterError("MixedKernel: kinds must be 0, 1 or 2 for each column.")
            object.__setattr__(self, "kinds", kinds)

    @property
    def name(self) -> str:
        return "gower" if (*self._choices,) == GOWER else "mixed"

    @property
    def _choices(self) -> tuple[str, ...]:
        return self.numbers, self.categories, self.by, self.missing

    @property
    def psd(self) -> bool:  # type: ignore[override]
        return self.missing != "ignore"

    def with_schema(self, schema: Schema) -> MixedKernel:
        if self.kinds is not None:
            return self
        codes = {"numeric": NUMBER, "nominal": NOMINAL, "ordinal": ORDINAL}
        return replace(self, kinds=np.array([codes[column.kind] for column in schema], dtype=np.int64))

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> MixedKernel:
        X = np.asarray(X, dtype=np.float64)
        kinds = np.zeros(X.shape[1], np.int64) if self.kinds is None else self.kinds
        if len(kinds) != X.shape[1]:
            raise DataError(f"mixed: kinds are given for {len(kinds)} columns, the table has {X.shape[1]}.")
        w = np.ones(len(X)) if w is None else np.asarray(w, dtype=np.float64)
        exponent, values, weights = np.zeros(X.shape[1]), [], []
        for j, kind in enumerate(kinds):
            known = ~np.isnan(X[:, j]) & (w > 0)
            v, p = _distribution(X[known, j], w[known], kind == NOMINAL)
            exponent[j] = self._exponent(X[known, j], w[known], v, p, kind == NOMINAL)
            values.append(v)
            weights.append(p)
        return replace(
            self,
            kinds=kinds,
            exponent_=exponent,
            start_=np.cumsum([0, *map(len, values)]),
            values_=np.concatenate(values) if values else np.zeros(0),
            weights_=np.concatenate(weights) if weights else np.zeros(0),
        )

    def _exponent(self, x: np.ndarray, w: np.ndarray, v: np.ndarray, p: np.ndarray, nominal: bool) -> float:
        """1 / v_j of the table for m = 1; 0 if the column has no spread."""
        if len(v) < 2:
            return 0.0
        if nominal:
            unequal = 1.0 - float(p @ p)
            return (2.0 / unequal if self.categories == "mismatch" else 1.0) if unequal > 0 else 0.0
        if self.numbers == "rbf":
            spread = float(np.average((x - np.average(x, weights=w)) ** 2, weights=w))
        elif self.numbers == "laplacian":
            spread = 0.5 * float(p @ np.abs(v[:, None] - v) @ p)
        else:
            spread = float(np.ptp(x))
        return 1.0 / spread if spread > 0 and np.ptp(x) > 0 and np.isfinite(1.0 / spread) else 0.0

    # Values

    def between(self, A: Any, B: Any) -> np.ndarray:
        designs = self._designs(A, B)
        return super().between(A, B) if designs is None else RBF().between(*designs)

    def gram(self, A: Any) -> np.ndarray:
        designs = self._designs(A)
        return super().gram(A) if designs is None else RBF().gram(*designs)

    def gram_rows(self, X: TableLike) -> GramRows:
        designs = self._designs(X)
        return super().gram_rows(X) if designs is None else RBF().gram_rows(*designs)

    def combine(self, Q: Any, S: Any, coef: np.ndarray) -> np.ndarray:
        designs = self._designs(Q, S)
        return super().combine(Q, S, coef) if designs is None else RBF().combine(designs[0], designs[1], coef)

    def column_sums(
        self, Q: PointsLike, S: PointsLike, coef: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        if self.by != "sum":
            return super().column_sums(Q, S, coef)
        Q, S = self._prepared(Q), self._prepared(S)
        values, active = np.zeros((*Q.shape, coef.shape[1])), self._active
        for j, (k, _, known) in zip(active, self._columns(Q, S, self.gamma)):
            if known is not None:  # how many columns count depends on the pair
                return None
            values[:, j] = k @ coef / len(active)
        return values, np.zeros(coef.shape[1]) if len(active) else coef.sum(axis=0)

    def _prepared(self, X: Any) -> np.ndarray:
        X = np.ascontiguousarray(X, dtype=np.float64)
        if self.exponent_ is None:
            raise DataError(
                "mixed: the scales are not known before the kernel learns from rows. Call learn(X)."
            )
        if X.ndim != 2 or X.shape[1] != len(self.exponent_):
            raise DataError(
                f"mixed: the kernel knows {len(self.exponent_)} columns, rows have the shape {X.shape}."
            )
        return X

    @property
    def _active(self) -> np.ndarray:
        """The columns that have a spread."""
        assert self.exponent_ is not None
        return np.flatnonzero(self.exponent_)

    def _designs(self, *tables: Any) -> list[np.ndarray] | None:
        """The rows as points whose Gaussian kernel is this one, if it is a product of such and no value is missing."""
        tables = tuple(self._prepared(X) for X in tables)
        if not self._has_design:
            return None
        if any(np.isnan(X[:, self._active]).any() for X in tables):
            return None
        return [self._design(X) for X in tables]

    @property
    def _has_design(self) -> bool:
        assert self.start_ is not None and self.kinds is not None
        if (self.numbers, self.by) != ("rbf", "product"):
            return False
        nominal = self.kinds[self._active] == NOMINAL
        categories = np.diff(self.start_)[self._active][nominal].sum()
        return not nominal.any() or (self.categories == "mismatch" and categories <= INDICATORS_LIMIT)

    def _design(self, X: np.ndarray) -> np.ndarray:
        """Numbers times a factor, and for each category an indicator times a factor."""
        assert self.exponent_ is not None and self.kinds is not None
        factor = self.gamma / max(len(self._active), 1)
        parts = []
        for j in self._active:
            e = self.exponent_[j] * factor
            if self.kinds[j] != NOMINAL:
                parts.append(X[:, j : j + 1] * np.sqrt(2.0 * e))
            else:  # half of the squared distance of two indicators is 1
                parts.append(np.sqrt(e) * (X[:, j : j + 1] == self._values(j)[0]))
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(X), 1))

    def _values(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """The training values of a column and their shares."""
        assert self.start_ is not None and self.values_ is not None and self.weights_ is not None
        part = slice(self.start_[j], self.start_[j + 1])
        return self.values_[part], self.weights_[part]

    def _block(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        K = self._from_designs(A, B) if self._has_design else None
        return self._combined(A, B)[0] if K is None else K

    def _from_designs(self, A: np.ndarray, B: np.ndarray) -> np.ndarray | None:
        """A product with some other value in place of missing ones, and then with the right factors in its place."""
        fills = {
            j: self._values(j)[0][0]
            for j in self._active
            if np.isnan(A[:, j]).any() or np.isnan(B[:, j]).any()
        }
        whole_A, whole_B = (_filled(X, fills) for X in (A, B))
        K = RBF()._block(self._design(whole_A), self._design(whole_B))
        factor = self.gamma / max(len(self._active), 1)
        for j, fill in fills.items():
            no_a, no_b = np.isnan(A[:, j]), np.isnan(B[:, j])
            a, b, (v, p) = whole_A[:, j], whole_B[:, j], self._values(j)
            instead_a, instead_b = (self._pairs(j, np.array([fill]), x, factor)[0][0] for x in (a, b))
            if min(instead_a.min(initial=1.0), instead_b.min(initial=1.0)) < LEAST_FACTOR:
                return None
            if self.missing == "average":
                to_a, to_b = (p @ self._pairs(j, v, x, factor)[0] for x in (a, b))
                among = p @ self._pairs(j, v, v, factor)[0] @ p
            else:
                to_a, to_b = ((x * 0.0 + float(self.missing == "ignore")) for x in (a, b))
                among = 1.0
            K[no_a] *= np.where(no_b, among, to_b / instead_b)
            K[:, no_b] *= np.where(no_a, 1.0, to_a / instead_a)[:, None]
        return K

    def _derivatives(self, A: np.ndarray, B: np.ndarray, K: np.ndarray | None = None) -> list[np.ndarray]:
        return [] if isinstance(self.gamma_bounds, str) else [self._combined(A, B)[1]]

    def _combined(self, A: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(1) and its derivative by the log of gamma."""
        shape, d = (len(A), len(B)), max(len(self._active), 1)
        product, product_slope = np.ones(shape), np.zeros(shape)
        total, total_slope, counted = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        if self.by != "sum":
            for k, slope, _ in self._columns(A, B, self.gamma / d):
                product_slope = product_slope * k + product * slope
                product *= k
        if self.by == "product":
            return product, product_slope
        for k, slope, known in self._columns(A, B, self.gamma):
            total += k if known is None else np.where(known, k, 0.0)
            total_slope += slope if known is None else np.where(known, slope, 0.0)
            counted += 1.0 if known is None else known
        if not len(self._active):
            total += 1.0
        counted = np.maximum(counted, 1.0)
        total, total_slope = total / counted, total_slope / counted
        if self.by == "sum":
            return total, total_slope
        return (product + total) / 2, (product_slope + total_slope) / 2

    def _columns(
        self, A: np.ndarray, B: np.ndarray, factor: float
    ) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
        """The values of each column's kernel, their derivatives, and where both are known (None: everywhere)."""
        for j in self._active:
            a, b = A[:, j], B[:, j]
            no_a, no_b = np.isnan(a), np.isnan(b)
            if not no_a.any() and not no_b.any():
                yield *self._pairs(j, a, b, factor), None
                continue
            v, p = self._values(j)
            a, b = np.where(no_a, v[0], a), np.where(no_b, v[0], b)
            known = ~no_a[:, None] & ~no_b
            pairs = self._pairs(j, a, b, factor)
            if self.missing == "average":
                for K, to_b, to_a, among in zip(
                    pairs,
                    self._pairs(j, v, b, factor),
                    self._pairs(j, a, v, factor),
                    self._pairs(j, v, v, factor),
                ):
                    K[no_a] = p @ to_b
                    K[:, no_b] = (to_a @ p)[:, None]
                    K[np.ix_(no_a, no_b)] = p @ among @ p
            elif self.missing == "category":
                pairs[0][~known], pairs[1][~known] = 0.0, 0.0
                pairs[0][np.ix_(no_a, no_b)] = 1.0
            else:
                pairs[0][~known], pairs[1][~known] = 1.0, 0.0
            yield *pairs, known if self.missing == "ignore" else None

    def _pairs(self, j: int, a: np.ndarray, b: np.ndarray, factor: float) -> tuple[np.ndarray, np.ndarray]:
        """(n, m) values of the kernel of column j for values that are there, and derivatives by the log of gamma."""
        assert self.exponent_ is not None and self.kinds is not None
        e = self.exponent_[j] * factor
        if self.kinds[j] != NOMINAL:
            apart = e * (np.abs(a[:, None] - b) if self.numbers != "rbf" else (a[:, None] - b) ** 2)
            if self.numbers == "triangle":
                return np.maximum(1.0 - apart, 0.0), np.where(apart < 1.0, -apart, 0.0)
            k = np.exp(-apart)
            return k, -apart * k
        equal = a[:, None] == b
        if self.categories == "mismatch":
            return np.where(equal, 1.0, np.exp(-e)), np.where(equal, 0.0, -e * np.exp(-e))
        k = equal.astype(np.float64)
        if self.categories == "frequency":
            v, p = self._values(j)
            shares = np.zeros(int(v.max()) + 1)
            shares[v.astype(int)] = p
            first, second = (shares[np.minimum(codes.astype(int), len(shares) - 1)] for codes in (a, b))
            k = np.where(equal, 1.0, np.sqrt(first[:, None] * second))
        return k, np.zeros_like(k)

    def _check_stored(self) -> None:
        """Check what a file holds: codes of categories must be places."""
        if self.exponent_ is None:
            return
        if self.kinds is None or self.start_ is None or self.values_ is None or self.weights_ is None:
            raise ValueError("mixed: the stored scales are incomplete")
        for j in np.flatnonzero(np.asarray(self.kinds) == NOMINAL):
            codes = self._values(int(j))[0]
            if (codes < 0).any() or (codes != np.floor(codes)).any() or (codes > CATEGORIES_LIMIT).any():
                raise ValueError("mixed: the stored categories are no codes")
        if (np.diff(self.start_)[self._active] == 0).any():
            raise ValueError("mixed: a column with a spread has no values")


def _filled(X: np.ndarray, fills: dict[int, float]) -> np.ndarray:
    """The rows with these values of columns in place of missing ones."""
    X = X.copy() if fills else X
    for j, fill in fills.items():
        X[np.isnan(X[:, j]), j] = fill
    return X


GOWER = ("triangle", "equality", "sum", "average")


def _distribution(x: np.ndarray, w: np.ndarray, nominal: bool) -> tuple[np.ndarray, np.ndarray]:
    """Values of a column and their shares: all categories, or at most 32 quantiles of numbers."""
    if nominal:
        codes, places = np.unique(x, return_inverse=True)
        shares = np.bincount(places.ravel(), weights=w, minlength=len(codes))
        return codes, shares / max(shares.sum(), 1e-300)
    if len(x) <= QUANTILES:
        return x.copy(), w / max(w.sum(), 1e-300)
    levels = (np.arange(QUANTILES) + 0.5) / QUANTILES
    even = bool((w == w[0]).all())
    quantiles = np.quantile(x, levels) if even else np.quantile(x, levels, weights=w, method="inverted_cdf")
    return quantiles, np.full(QUANTILES, 1.0 / QUANTILES)
