"""Standardisation: every number as its distance from the mean, in standard deviations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.moments import ClassMoments, class_moments
from assay.core.parameters import Flag
from assay.core.stored import FloatArray, Integer, NumberArray, Object, Scalar
from assay.errors import DataError
from assay.prepare.as_given import as_given
from assay.prepare.columns import columnwise
from assay.prepare.preparation import Preparation, Summed, without_dates
from assay.prepare.sparse_moments import sparse_moments
from assay.tables import Schema, Table
from assay.types import TableLike

__all__ = ["StandardScaler"]


class StandardScaler(Summed, Preparation):
    r"""Move each numeric column to mean 0 and scale it to variance 1.

    .. math:: z_{ij} = (x_{ij} - m_j) / s_j                                          \quad (1)

    with the mean :math:`m_j` and the standard deviation :math:`s_j` of the training rows, divisor n. Missing
    entries are left out of both and stay missing; nominal and ordinal columns pass as they are; a constant
    column is moved to 0 and not scaled. A sparse matrix can be scaled but not moved (``with_mean=False``), and
    stays sparse. The learner is a sum: ``partial_fit``, ``fit_blocks`` and Dask give
    the same numbers. Use it before learners that measure distances or penalise coefficients.

    Cost: fit O(n d) in one pass; transform O(d) a row; memory O(d).

    Parameters
    ----------
    copy : bool, default True
        False lets ``transform`` write into a float array instead of making a new one.
    with_mean : bool, default True
        Whether to move; False gives :math:`x / s`, and is needed for sparse matrices.
    with_std : bool, default True
        Whether to scale; False gives :math:`x - m`.

    Attributes
    ----------
    mean_ : (d,) or None      var_ : (d,) or None      scale_ : (d,) or None
        0, 1 and 1 for columns of categories, so that (1) leaves them alone.
    n_samples_seen_ : int, or (d,) where entries are missing; the total weight if rows are weighted

    Examples
    --------
    >>> from assay.prepare import StandardScaler
    >>> scaler = StandardScaler().fit([[0.0, 5.0], [2.0, 5.0], [4.0, None]])
    >>> scaler.mean_, scaler.var_
    (array([2., 5.]), array([2.66666667, 0.        ]))
    >>> scaler.transform([[2.0, 6.0], [None, 5.0]])
    array([[ 0.,  1.],
           [nan,  0.]])

    See Also
    --------
    MinMaxScaler, Prepared

    References
    ----------
    - Chan, T. F., Golub, G. H. and LeVeque, R. J. (1982). Updating formulae and a pairwise algorithm for computing
      sample variances. COMPSTAT, 30-41.
    """

    card = Card("standard scaler", "numbers with mean 0 and variance 1", also=("scaler", "z-scores"))
    accepts = {"copy": Flag(), "with_mean": Flag(), "with_std": Flag()}
    stored = {
        "mean_": FloatArray("d") | None,
        "var_": FloatArray("d") | None,
        "scale_": FloatArray("d") | None,
        "n_samples_seen_": Integer() | Scalar() | NumberArray("d"),
        "_sums": Object("assay.prepare.standard_scaler.Spread"),
    }
    takes = frozenset({"nominal", "missing", "sparse"})

    def __init__(self, *, copy: bool = True, with_mean: bool = True, with_std: bool = True):
        self.copy = copy
        self.with_mean = with_mean
        self.with_std = with_std

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.sparse = not self.with_mean
        return tags

    def _numbers(self, table: Table, design: Any) -> Any:
        if self.with_mean and not isinstance(table.values, np.ndarray):
            raise DataError(
                "StandardScaler: Cannot center sparse matrices, for they would be full. Use with_mean=False."
            )
        return super()._numbers(table, design)

    def _summarize(self, X: Any, y: Any, w: np.ndarray | None) -> Spread:
        if not isinstance(X, np.ndarray):
            return Spread(sparse_moments(X, w), w is not None)
        one_class = np.zeros(len(X), dtype=np.int64)
        moments = class_moments(X, one_class, w, 1)
        if np.isnan(moments.mean).any():  # something is missing
            moments = class_moments(X, one_class, w, 1, complete=False)
        return Spread(moments, w is not None)

    def _solve(self, sums: Spread) -> None:
        known = sums.moments.observed[0]
        coded, safe = self.schema_.coded, np.where(known > 0, known, 1.0)
        mean = np.where(coded, 0.0, np.where(known > 0, sums.moments.mean[0], np.nan))
        var = np.where(coded, 1.0, np.where(known > 0, sums.moments.scatter[0] / safe, np.nan))
        if self.with_std and not np.isfinite(var[known > 0]).all():
            j = int(np.argmin(np.isfinite(var) | (known <= 0)))
            raise DataError(
                f"StandardScaler: column {self.schema_[j].name} has numbers too large to be squared. Divide it by a "
                "power of ten."
            )
        scale = np.sqrt(var)
        scale[_constant(mean, var, known)] = 1.0
        self.mean_ = mean if self.with_mean or self.with_std else None
        self.var_ = var if self.with_std else None
        self.scale_ = scale if self.with_std else None
        self.n_samples_seen_ = _count(known, sums.weighted)

    def _model_parts(self) -> list[Part]:
        numbers = [j for j, column in enumerate(self.schema_) if not column.coded]
        mean = np.zeros(len(self.schema_)) if self.mean_ is None else self.mean_
        scale = np.ones(len(self.schema_)) if self.scale_ is None else self.scale_
        rows = [[self.schema_[j].name, self.schema_.average(j, mean[j]), float(scale[j])] for j in numbers]
        note = "Each number becomes (value - mean) / standard deviation of the training rows."
        return [Section("Scaling", ["column", "mean", "standard deviation"], rows, note)]

    def _convert(self, table: Table, copy: bool) -> Table:
        steps: list[Any] = [(np.subtract, self.mean_)] if self.with_mean else []
        steps += [(np.divide, self.scale_)] if self.with_std else []  # (1)
        return without_dates(self._apply(table, steps, copy)) if steps else self._apply(table, steps, copy)

    def transform(self, X: TableLike, copy: bool | None = None) -> Any:
        """The rows of X, standardised.

        Parameters
        ----------
        X : table like that of fit; a frame stays a frame, an array an array, a sparse matrix sparse
        copy : None for the parameter ``copy``; False lets a float array be overwritten
        """
        table = self._read(X)
        fresh = (self.copy if copy is None else copy) or not isinstance(X, np.ndarray)
        return as_given(X, table, self._convert(table, fresh))

    def inverse_transform(self, X: TableLike, copy: bool | None = None) -> Any:
        """The rows in their old units: :math:`x = z s + m`; ``copy`` is accepted, X is never changed."""
        table = self._read(X)
        steps: list[Any] = [(np.multiply, self.scale_)] if self.with_std else []
        steps += [(np.add, self.mean_)] if self.with_mean else []
        return as_given(X, table, self._apply(table, steps, copy=True))

    def _apply(self, table: Table, steps: list[Any], copy: bool) -> Table:
        X = self._numbers(
            Table(table.values, table.schema), None
        )  # missing values and unseen categories are of no concern
        if isinstance(X, np.ndarray):
            return Table(columnwise(X, steps, copy), table.schema, table.complete)
        X = X.copy() if copy else X
        for function, row in steps:  # a factor for each column; zeros stay zeros
            X.data[:] = function(X.data, row[X.indices])
        return Table(X, table.schema, table.complete)


@dataclass
class Spread:
    """The moments of all columns as one class; what codes of categories add is never looked at."""

    moments: ClassMoments
    weighted: bool
    stored = {"moments": Object(ClassMoments)}

    def __add__(self, other: Spread) -> Spread:
        return Spread(self.moments + other.moments, self.weighted or other.weighted)

    def recode(self, old: Schema, new: Schema) -> Spread:
        """The same: new categories change no number column."""
        return self


def _constant(mean: np.ndarray, var: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Whether a variance is no more than what rounding makes of a constant column."""
    eps = np.finfo(np.float64).eps
    with np.errstate(over="ignore"):  # infinite where the mean is, which is right
        return var <= known * eps * var + (known * mean * eps) ** 2


def _count(known: np.ndarray, weighted: bool) -> Any:
    """One number if all columns have the same, else one for each; whole unless rows are weighted."""
    count = known if weighted else known.round().astype(np.int64)
    return count[0] if (count == count[0]).all() else count
