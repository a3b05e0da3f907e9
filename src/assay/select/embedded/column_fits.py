"""Clones of an estimator, fitted to some columns of one table that was read and checked once.

Least squares is solved from the sums of all columns, of which any subset has a part: the rows are added up once.
Logistic regression begins with the weights that its last fit gave to the columns that stayed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.core.meta_estimator import fit_to, takes_tables
from assay.core.moments import ClassScatter
from assay.core.sums import Rows
from assay.linear import LinearRegression, LogisticRegression, Ridge
from assay.linear.regression.least_squares_sums import Sums
from assay.tables import Table
from assay.tables.rows import take_columns

__all__ = ["ColumnFits"]

FROM_SUMS = (LinearRegression, Ridge)  # exactly these classes: a subclass may learn otherwise


@dataclass(frozen=True)
class ColumnFits:
    """An estimator and the rows that its clones are fitted to.

    Parameters
    ----------
    estimator : not fitted
    X : a checked table for a learner of ours, else rows as they came      y : targets, encoded for a learner of ours
    w : (n,) or None      params : further arguments of ``fit``      who : the learner that is spoken of in errors
    """

    estimator: Any
    X: Any
    y: Any
    w: np.ndarray | None = None
    params: dict[str, Any] = field(default_factory=dict)
    who: str = ""

    @property
    def d(self) -> int:
        """How many columns there are."""
        return int(self.X.shape[1])

    def columns(self, places: np.ndarray) -> Any:
        """The rows with some of the columns."""
        return take_columns(self.X, places)

    def fit(self, places: np.ndarray, before: tuple[Any, np.ndarray] | None = None) -> Any:
        """A clone fitted to some columns; ``before`` is a model of more columns, and which these were."""
        model = clone(self.estimator)
        if self._sums is not None:
            return self._from_sums(model, places)
        if (
            before is not None
            and type(model) is LogisticRegression
            and isinstance(before[0].coef_, np.ndarray)
        ):
            return self._warm(model, places, *before)
        return self._plain(model, places)

    def _plain(self, model: Any, places: np.ndarray) -> Any:
        return fit_to(model, self.columns(places), self.y, self.w, self.who, **self.params)

    def _warm(self, model: LogisticRegression, places: np.ndarray, last: Any, columns: np.ndarray) -> Any:
        """Begin with the weights of a model of more columns."""
        stays = np.isin(columns, places)
        stays = stays if last.design_.plain else stays[last.design_.source]
        asked, model.warm_start = model.warm_start, True
        model.coef_, model.intercept_ = np.ascontiguousarray(last.coef_[:, stays]), last.intercept_
        self._plain(model, places)
        model.warm_start = asked
        return model

    # ------------------------------------------------------------------ least squares

    @cached_property
    def _sums(self) -> Sums | None:
        """The sums of all columns, for least squares with more rows than columns in one block of numbers."""
        template, table = self.estimator, self.X
        if type(template) not in FROM_SUMS or not takes_tables(template) or self.params:
            return None
        if not isinstance(table, Table) or not isinstance(table.values, np.ndarray) or not table.complete:
            return None
        block = table.values
        y = self.y
        plain = isinstance(y, np.ndarray) and y.dtype == np.float64 and block.dtype == np.float64
        if not plain or table.schema.coded.any() or len(block) <= block.shape[1] or template.positive:
            return None
        template._check_parameters()
        return Rows(block, y, self.w).add_up(clone(template)._summarize_block)

    def _from_sums(self, model: Any, places: np.ndarray) -> Any:
        """The model of some columns from the sums of all; where digits were lost it looks at the rows again."""
        assert self._sums is not None and self._sums.moments is not None
        moments = self._sums.moments
        kept = np.concatenate([places, np.arange(self.d, moments.mean.shape[1])])  # the targets come last
        low = None if moments.low is None else moments.low[:, kept]
        part = ClassScatter(
            moments.count, moments.rows, moments.mean[:, kept], moments.scatter[:, kept][:, :, kept], low
        )
        model._remember(_schema(self.X, places))
        model._sums = replace(self._sums, moments=part)
        model._solve(model._sums, _LateRows(lambda: Rows(self.X.values[:, places], self.y, self.w)))
        return model


def _schema(table: Table, places: np.ndarray) -> Any:
    """The schema of some columns."""
    return table[:0].select(places).schema


@dataclass(frozen=True)
class _LateRows:
    """Rows that are gathered only if somebody adds them up."""

    gather: Callable[[], Rows]

    def add_up(self, summarize: Any) -> Any:
        return self.gather().add_up(summarize)
