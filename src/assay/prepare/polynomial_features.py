"""Polynomial features: all products of columns up to a degree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

import assay.prepare._polynomial as _polynomial
from assay.core import Card, Transformer
from assay.core.parallel import in_threads
from assay.core.parameters import Any_, Choice, Flag
from assay.core.stored import Integer
from assay.errors import DataError, ParameterError
from assay.prepare.as_given import beside, with_text_names
from assay.tables import Design, Table
from assay.types import TableLike

__all__ = ["PolynomialFeatures"]

BLOCK_BYTES = 1 << 22  # of new numbers that are worth a thread


class PolynomialFeatures(Transformer):
    r"""Add products of columns as new columns, so that a linear learner can fit curves.

    A linear function of all products of at most k columns is a polynomial of degree k of the columns, and is
    fitted as any linear function is. For two columns and k = 2:

    .. math:: (x_1, x_2) \to (1,\ x_1,\ x_2,\ x_1^2,\ x_1x_2,\ x_2^2)                        \quad (1)

    There are :math:`\binom{d+k}{k}` terms: for many columns or a high degree more than the rows can determine,
    so use a penalty, or ``interaction_only``. High powers of unscaled columns differ by many orders of
    magnitude; scale first. A nominal column enters by its indicators, whose powers and mutual products are redundant
    and left out. A frame comes out as a frame, a sparse matrix as a sparse matrix.

    Cost: fit O(m) for m terms; transform O(m) a row, one multiplication for each number that comes out; memory O(m)
    kept, O(n m) comes out.

    Parameters
    ----------
    degree : int or (smallest, largest), default 2
        The highest degree of a product, and with two numbers also the lowest; the constant is ``include_bias``'s.
    interaction_only : bool, default False
        Only products of different columns: :math:`x_1x_2`, but not :math:`x_1^2`.
    include_bias : bool, default True
        Whether the first column is the constant 1. Learners with an intercept do not need it.
    order : "C" or "F", default "C"
        How the new array lies in memory: row after row, or column after column.

    Attributes
    ----------
    n_output_features_ : int
    powers_ : (n_output_features_, d) the exponent of each column in each term

    Examples
    --------
    >>> from assay.prepare import PolynomialFeatures
    >>> poly = PolynomialFeatures().fit([[2.0, 3.0]])
    >>> poly.transform([[2.0, 3.0]])
    array([[1., 2., 3., 4., 6., 9.]])
    >>> poly.get_feature_names_out()
    array(['1', 'x0', 'x1', 'x0^2', 'x0 x1', 'x1^2'], dtype=object)

    See Also
    --------
    BasisExpansion, StandardScaler

    References
    ----------
    - Cover, T. M. (1965). Geometrical and statistical properties of systems of linear inequalities with
      applications in pattern recognition. IEEE Transactions on Electronic Computers 14(3), 326-334.
    - Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, second edition.
      Springer. doi:10.1007/978-0-387-84858-7
    """

    card = Card("polynomial features", "products of columns as new columns")
    accepts = {
        "degree": Any_(
            "a whole number from 0 up, or two of them, the smaller first", lambda v: _is_degree(v)
        ),
        "interaction_only": Flag(),
        "include_bias": Flag(),
        "order": Choice("C", "F"),
    }
    stored = {
        "_max_degree": Integer(high=100),
        "_min_degree": Integer(high=100),
        "n_output_features_": Integer(),
    }
    takes = frozenset({"sparse"})

    def __init__(
        self,
        degree: Any = 2,
        *,
        interaction_only: bool = False,
        include_bias: bool = True,
        order: str = "C",
    ):
        self.degree = degree
        self.interaction_only = interaction_only
        self.include_bias = include_bias
        self.order = order

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        low, high = (0, self.degree) if isinstance(self.degree, Integral) else self.degree
        self._min_degree, self._max_degree = int(low), int(high)
        if high == 0 and not self.include_bias:
            raise ParameterError(
                f"PolynomialFeatures: degree={self.degree} without include_bias would result in an empty output "
                "array. Raise the degree, or use include_bias=True."
            )
        self.n_output_features_ = self._width(X)
        if self.n_output_features_ > np.iinfo(np.intp).max:
            raise ParameterError(
                f"PolynomialFeatures: degree={self.degree} of {X.shape[1]} columns would have "
                f"{self.n_output_features_} features, which is too large to be indexed. Lower the degree, leave out "
                "columns, or use interaction_only=True."
            )

    def _width(self, X: Any) -> int:
        """How many terms there are; without a list of them, for they may be too many."""
        if isinstance(X, np.ndarray) and not self.design_.plain:
            return self._terms.keep
        start = max(1, self._min_degree)
        return self.include_bias + sum(
            _count(X.shape[1], r, self.interaction_only) for r in range(start, self._max_degree + 1)
        )

    @property
    def _terms(self) -> Terms:
        return _terms(
            _partners(self.design_, bool(self.interaction_only)),
            self._min_degree,
            self._max_degree,
            bool(self.include_bias),
        )

    @property
    def powers_(self) -> np.ndarray:
        check_is_fitted(self)
        runs, d = self._terms, len(self.design_.names)
        powers = np.zeros((runs.width, d), dtype=np.int64)
        next = 1
        for source, length, column in zip(runs.source, runs.length, runs.column):
            powers[next : next + length] = powers[source : source + length]
            powers[next : next + length, column] += 1
            next += length
        return powers[runs.kept]

    def _names_out(self) -> list[str]:
        return _named(self.powers_, self.design_.names)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the terms, such as "x0 x1^2"; the constant is "1"."""
        names = super().get_feature_names_out(input_features)
        if input_features is None or list(input_features) == self.schema_.names:
            return names
        return np.array(_named(self.powers_, list(map(str, input_features))), dtype=object)

    def transform(self, X: TableLike) -> Any:
        """The rows of X as products of its columns; a frame of the same library, else an array or a CSR matrix."""
        values = self._admit(X)
        if not isinstance(values, np.ndarray):
            made = self._sparse(values)
            self._refuse_overflow(values.data, made.data)
            return made.tocsc() if getattr(X, "format", "csr") == "csc" else made
        out = self._dense(values)
        self._refuse_overflow(values, out)
        if isinstance(X, Table) or not (hasattr(X, "columns") or hasattr(X, "column_names")):
            return out
        import narwhals.stable.v2 as nw

        frame, _ = with_text_names(X)
        series = [
            nw.new_series(
                name, out[:, t].astype(np.float64, copy=False), nw.Float64, backend=frame.implementation
            )
            for t, name in enumerate(self._frame_names())
        ]
        return beside(frame, series)

    def _refuse_overflow(self, X: np.ndarray, out: np.ndarray) -> None:
        """Products beyond the floats are an error; the new numbers are looked at only if the old ones are large."""
        if not X.size or self._max_degree < 2:
            return
        largest = max(float(X.max()), -float(X.min()))
        if largest > float(np.finfo(X.dtype).max) ** (1 / self._max_degree) and not np.isfinite(out).all():
            raise DataError(
                f"PolynomialFeatures: products of {self._max_degree} columns with numbers up to {largest:.3g} are "
                f"beyond the floats ({X.dtype}). Scale the columns first, for example with StandardScaler."
            )

    def _frame_names(self) -> list[str]:
        names = self._names_out() if self.schema_.named else _named(self.powers_, self._numbered())
        twice = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else ()
        if twice:
            raise ParameterError(
                f"PolynomialFeatures: two terms would be called {min(twice)!r}. Rename the column of that name."
            )
        return names

    def _numbered(self) -> list[str]:
        """The design's names with columns called x0, x1, ... where the frame's labels are no text."""
        return [
            f"x{j}" + name.removeprefix(self.schema_[int(j)].name)
            for j, name in zip(self.design_.source, self.design_.names)
        ]

    def _dense(self, X: np.ndarray) -> np.ndarray:
        runs = self._terms
        X = np.ascontiguousarray(X)
        n = len(X)
        by_rows = self.order == "C"
        out = np.empty((n, runs.keep) if by_rows else (runs.keep, n), dtype=X.dtype)
        plan = {
            "source": runs.source,
            "length": runs.length,
            "column": runs.column,
            "width": runs.width,
            "bias": runs.bias,
        }
        some = max(1024, BLOCK_BYTES // max(1, runs.keep * X.itemsize))

        def block(a: int) -> None:
            if by_rows:
                _polynomial.dense_rows(X=X[a : a + some], out=out[a : a + some], **plan)
            else:
                _polynomial.dense_columns(X=X, out=out, begin=a, end=min(a + some, n), **plan)

        in_threads(block, range(0, n, some))
        return out if by_rows else out.T

    def _sparse(self, X: Any) -> Any:
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        n, d = X.shape
        low, high, alone = max(1, self._min_degree), self._max_degree, bool(self.interaction_only)
        width = self._width(X)
        indptr, index = X.indptr.astype(np.int64), X.indices.astype(np.int64)
        used: Any = range(d)
        if d > 4 * X.nnz + 1000:  # a table of all columns would be larger than the matrix
            present, index = np.unique(index, return_inverse=True)
            used = tuple(present.tolist())
        at, past = _after(d, used, high, alone)
        base = np.zeros(high + 1, dtype=np.int64)
        number = int(self.include_bias)
        for r in range(low, high + 1):
            terms = _count(d, r, alone)
            number, base[r] = (
                number + terms,
                number + terms,
            )  # the first of this degree, plus all of this degree
        filled = np.diff(X.indptr).astype(np.int64)
        some, which = np.unique(filled, return_inverse=True)
        made = [sum(_count(int(p), r, alone) for r in range(low, high + 1)) for p in some]
        rows = np.array(made, dtype=np.int64)[which] + bool(self.include_bias)
        place = np.concatenate(([0], np.cumsum(rows)))
        wide = np.int64 if max(width, int(place[-1])) > np.iinfo(np.int32).max else np.int32
        data, column = np.empty(place[-1], dtype=X.dtype), np.empty(place[-1], dtype=wide)
        cuts = np.searchsorted(place, np.arange(0, int(place[-1]) + 1, BLOCK_BYTES // 8))
        cuts = np.unique(np.concatenate((cuts, [n])))

        degrees = _polynomial.Degrees(low=low, high=high, distinct=alone, bias=bool(self.include_bias))

        def block(a: int, b: int) -> None:
            inside, new = slice(indptr[a], indptr[b]), slice(place[a], place[b])
            _polynomial.sparse_rows(
                indptr=indptr[a : b + 1],
                index=index[inside],
                value=X.data[inside],
                degrees=degrees,
                at=at,
                past=past,
                base=base,
                place=place[a : b + 1],
                data=data[new],
                column=column[new],
            )

        in_threads(lambda ab: block(*ab), list(zip(cuts[:-1].tolist(), cuts[1:].tolist())))
        out = type(X)((data, column, place.astype(wide)), shape=(n, width))
        out.has_sorted_indices = out.has_canonical_format = True
        return out


class Terms(NamedTuple):
    """How the terms are made (see the native code), how many are made, and how many of them are wanted."""

    source: np.ndarray
    length: np.ndarray
    column: np.ndarray
    width: int
    keep: int
    bias: bool

    @property
    def kept(self) -> np.ndarray:
        """The numbers of the wanted terms among those that are made."""
        tail = np.arange(self.width - (self.keep - self.bias), self.width)
        return np.concatenate(([0], tail)) if self.bias else tail


@lru_cache(maxsize=64)
def _terms(partners: tuple[int, ...], low: int, high: int, bias: bool) -> Terms:
    """Runs of terms: column f times the terms of one degree less that begin with column partners[f] or later."""
    d = len(partners)
    runs: list[tuple[int, int, int]] = []
    begin = [0] * (d + 1)  # where, in the last degree, the terms whose first factor is f or later begin
    end = next = 1  # the only term of degree 0 is made
    below = 0  # terms of degrees below `low`, without the constant
    for degree in range(1, high + 1):
        now = []
        for f, partner in enumerate(partners):
            now.append(next)
            source = begin[partner] if degree > 1 else 0
            if end > source:
                runs.append((source, end - source, f))
                next += end - source
        begin, end = [*now, next], next
        below += (next - now[0]) if degree < low else 0
    parts = [np.ascontiguousarray(part) for part in np.array(runs, dtype=np.int64).reshape(-1, 3).T]
    for part in parts:
        part.flags.writeable = False
    return Terms(parts[0], parts[1], parts[2], next, next - 1 - below + bias, bias)


def _partners(design: Design, interaction_only: bool) -> tuple[int, ...]:
    """(d,) the first column that may stand beside each in a product: itself, the next, or the next table column's."""
    source = design.source
    itself = np.arange(len(source))
    after = np.searchsorted(source, source, side="right")  # behind all indicators of the same table column
    nominal = np.array([column.kind == "nominal" for column in design.schema], dtype=bool)[source]
    return tuple(np.where(nominal, after, itself + interaction_only).tolist())


def _count(d: int, degree: int, distinct: bool) -> int:
    """How many products of so many factors d columns have."""
    return comb(d, degree) if distinct else comb(max(0, d + degree - 1), degree)


@lru_cache(maxsize=16)
def _after(d: int, used: Any, high: int, distinct: bool) -> tuple[np.ndarray, np.ndarray]:
    """Twice (high + 1, used): how many products of r factors have only columns from v on, and from v's partner on.

    A product of r factors from v on begins with v or later, so its number is a sum from the right over products of
    one factor less.
    """
    if not isinstance(used, range):
        places = [
            [[_count(d - v - step, r, distinct) for v in used] for r in range(high + 1)]
            for step in (0, distinct)
        ]
        at, past = np.array(places, dtype=np.int64).reshape(2, high + 1, len(used))
        return at, past
    table = np.zeros((high + 1, d + 1), dtype=np.int64)
    table[0] = 1
    for r in range(1, high + 1):
        first = table[r - 1, 1:] if distinct else table[r - 1, :d]  # those that begin with v itself
        table[r, :d] = np.cumsum(first[::-1])[::-1]
    at = np.ascontiguousarray(table[:, :d])
    return at, np.ascontiguousarray(table[:, 1:]) if distinct else at


def _named(powers: np.ndarray, names: list[str]) -> list[str]:
    terms = []
    for row in powers:
        parts = [names[j] if row[j] == 1 else f"{names[j]}^{row[j]}" for j in np.flatnonzero(row)]
        terms.append(" ".join(parts) or "1")
    return terms


def _is_degree(value: Any) -> bool:
    def whole(v: Any) -> bool:
        return isinstance(v, Integral) and not isinstance(v, (bool, np.bool_)) and int(v) >= 0

    if isinstance(value, (tuple, list, np.ndarray)):
        return len(value) == 2 and whole(value[0]) and whole(value[1]) and value[0] <= value[1]
    return whole(value)
