"""Regression imputation: each hole filled with what the row's other columns let one expect."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from assay.core.parameters import Any_, Count, Flag, Instance, Range
from assay.errors import DataError, DegenerateWarning
from assay.prepare.missing_indicator import PREFIX, is_missing
from assay.prepare.preparation import Preparation
from assay.prepare.tally import Tally
from assay.tables import Column, Design, Schema, Table

__all__ = ["RegressionImputer"]


class RegressionImputer(Preparation):
    r"""Fill holes by regression (numbers) and classification (categories) on the other columns, in cycles.

    Holes start at their column's mean or most frequent category. Then, column by column, a model of the
    column is learned from the rows where it is known, with the current values of all other columns as inputs,
    and its predictions replace the column's guesses at once. Cycles go on until the largest change of a guess
    is at most ``tol`` standard deviations of its column and no category changes.

    By default the model of column j is least squares on the design of the other columns (categories as
    indicators),

    .. math:: \hat x_{ij} = b_0 + \sum_{l \ne j} b_l x_{il}                                \quad (1)

    and for categories the linear discriminant: Gaussian categories of one shared covariance, computed from
    least squares on the indicators of the categories, in whose fitted values the discriminant is the same.
    If the columns tell nothing about each other, this is mean imputation. Cost: O(n d^3) a cycle.

    Parameters
    ----------
    regressor, classifier : estimators, default None
        Models for number columns and for columns of categories; None takes (1).
    missing_values : default NaN
        What else stands for a hole besides NaN, None and null: a number or a text.
    max_iter : int, default 100
        Largest number of cycles; 1 is regression imputation without iteration.
    tol : float, default 1e-4
        When to stop, in standard deviations of each column's known values.
    add_indicator : bool, default False
        Whether to append a column of zeros and ones for each column that had holes in ``fit``.

    Attributes
    ----------
    initial_ : (d,) means, and codes of the most frequent categories, from which the holes start
    spread_ : (d,) standard deviations of the known values, 1 for categories
    models_ : the model of each column
    kept_ : numbers of the columns that have a value      holed_ : numbers of those with holes in ``fit``
    n_iter_ : int
    history_ : list of dict
        For each cycle: "change", the largest change of a number; "relative", the same in standard deviations;
        "relabelled", how many categories changed.

    A column without any value in ``fit`` is dropped with a warning. ``transform`` starts new rows at
    ``initial_`` and cycles through the fitted models.

    Examples
    --------
    The known rows lie on z = 2.05 x - 0.05:

    >>> from assay.prepare import RegressionImputer
    >>> rows = [[1, 2.1], [2, 3.9], [3, 6.1], [4, 8.2], [5, None]]
    >>> RegressionImputer().fit_transform(rows)[-1].round(6)
    array([ 5. , 10.2])
    """

    accepts = {
        "regressor": Instance(having="predict") | None,
        "classifier": Instance(having="predict") | None,
        "missing_values": Any_(),
        "max_iter": Count(1),
        "tol": Range(0),
        "add_indicator": Flag(),
    }

    def __init__(
        self,
        regressor: Any = None,
        classifier: Any = None,
        *,
        missing_values: Any = np.nan,
        max_iter: int = 100,
        tol: float = 1e-4,
        add_indicator: bool = False,
    ):
        self.regressor = regressor
        self.classifier = classifier
        self.missing_values = missing_values
        self.max_iter = max_iter
        self.tol = tol
        self.add_indicator = add_indicator

    def _learn(self, X: np.ndarray, y: Any, w: np.ndarray | None) -> None:
        if w is not None:
            X, w = X[w > 0], w[w > 0]  # a row of weight zero is not there
        hole = is_missing(Table(X, self.schema_), self.missing_values)
        self.kept_ = np.flatnonzero(~hole.all(axis=0))
        self.holed_ = np.flatnonzero(hole.any(axis=0))
        if not len(self.kept_):
            raise DataError("RegressionImputer: no column has a value, so there is nothing to impute from.")
        X, hole = X[:, self.kept_], hole[:, self.kept_]
        columns = [self.schema_[int(j)] for j in self.kept_]
        tallies = [Tally.of(np.where(hole[:, j], np.nan, X[:, j]), w) for j in range(X.shape[1])]
        starts = [_start(c, t) for c, t in zip(columns, tallies)]
        self.initial_ = np.array([mean for mean, _ in starts])
        self.spread_ = np.array([spread for _, spread in starts])
        guesses = _Guesses(X, hole, self.initial_, columns)
        self.models_ = [None] * X.shape[1]
        self.history_ = self._cycle(guesses, lambda j: self._model(guesses, j, w))
        self.n_iter_ = len(self.history_)
        for j in np.flatnonzero(~hole.any(axis=0)):  # complete here, perhaps not in new rows
            self.models_[j] = self._model(guesses, int(j), w)

    def _cycle(self, guesses: _Guesses, model_of: Any) -> list[dict[str, float]]:
        """Replace guesses by predictions until they settle; one record a cycle."""
        history: list[dict[str, float]] = []
        columns = np.flatnonzero(guesses.hole.any(axis=0))
        for _ in range(self.max_iter):
            change = relative = relabelled = 0.0
            for j in map(int, columns):
                self.models_[j] = model_of(j)
                moved = guesses.predict(j, self.models_[j])
                if guesses.columns[j].coded:
                    relabelled += np.count_nonzero(moved)
                elif len(moved):
                    most = float(np.abs(moved).max())
                    change, relative = max(change, most), max(relative, most / self.spread_[j])
            history.append({"change": change, "relative": relative, "relabelled": relabelled})
            if relative <= self.tol and not relabelled:
                return history
        if self.max_iter > 1:
            warnings.warn(
                f"RegressionImputer stopped after {self.max_iter} cycles while guesses still move by {relative:.2g} "
                f"standard deviations and {relabelled:.0f} categories change. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return history

    def _model(self, guesses: _Guesses, j: int, w: np.ndarray | None) -> Any:
        """The model of column j from the rows where it is known."""
        known = ~guesses.hole[:, j]
        inputs, target = guesses.others(j)[known], guesses.X[known, j]
        weights = None if w is None else w[known]
        coded = guesses.columns[j].coded
        given = self.classifier if coded else self.regressor
        if given is None or not inputs.shape[1]:
            return LeastSquares.of(
                inputs, target, weights, len(guesses.columns[j].categories) if coded else 0
            )
        model = clone(given)
        extra = (
            {"sample_weight": weights} if w is not None and has_fit_parameter(model, "sample_weight") else {}
        )
        return model.fit(inputs, target.astype(np.int64) if coded else target, **extra)

    def _convert(self, table: Table, copy: bool) -> Table:
        hole = is_missing(table, self.missing_values)
        if table.unseen:
            self._warn_unseen(table, "filled like holes")
            hole |= (table.values < 0) & table.schema.coded
        if len(self.kept_) < len(self.schema_):
            names = ", ".join(c.name for j, c in enumerate(self.schema_) if j not in self.kept_)
            warnings.warn(
                f"RegressionImputer: dropped without any value in fit: {names}.",
                DegenerateWarning,
                stacklevel=4,
            )
        columns = [self.schema_[int(j)] for j in self.kept_]
        guesses = _Guesses(table.values[:, self.kept_], hole[:, self.kept_], self.initial_, columns)
        self._cycle(guesses, lambda j: self.models_[j])
        X = guesses.X
        if self.add_indicator:
            X = np.hstack([X, hole[:, self.holed_].astype(np.float64)])
            columns += [Column(PREFIX + self.schema_[int(j)].name) for j in self.holed_]
        return Table(X, Schema(columns, self.schema_.named), not np.isnan(X).any())

    def _names_out(self, names: list[str] | None = None) -> list[str]:
        names = self.schema_.names if names is None else names
        added = self.holed_ if self.add_indicator else ()
        return [names[j] for j in self.kept_] + [PREFIX + names[j] for j in added]


class _Guesses:
    """The table with guesses in its holes, and its design, kept up to date as guesses change."""

    def __init__(self, X: np.ndarray, hole: np.ndarray, initial: np.ndarray, columns: list[Column]):
        self.X = np.where(hole, initial, X)
        self.hole = hole
        self.columns = columns
        self._design = Design(Schema(columns), drop_first=True)
        self._expanded = self._design.expand(self.X).astype(np.float64)

    def others(self, j: int) -> np.ndarray:
        """The design without column j."""
        return self._expanded[:, self._design.source != j]

    def predict(self, j: int, model: Any) -> np.ndarray:
        """Put the model's predictions into the holes of column j; by how much each moved."""
        rows = np.flatnonzero(self.hole[:, j])
        new = np.asarray(model.predict(self.others(j)[rows]), dtype=np.float64)
        moved = new - self.X[rows, j]
        self.X[rows, j] = new
        single = Design(Schema([self.columns[j]]), drop_first=True)
        self._expanded[:, self._design.source == j] = single.expand(self.X[:, j : j + 1])
        return moved


@dataclass
class LeastSquares:
    """A column as a linear function of the others; categories by the largest of their discriminants."""

    offset: np.ndarray  # (outputs,)
    slope: np.ndarray  # (inputs, outputs)
    codes: bool

    @classmethod
    def of(cls, A: np.ndarray, target: np.ndarray, w: np.ndarray | None, categories: int) -> LeastSquares:
        """From known rows; ``categories`` is 0 for numbers."""
        T = np.eye(categories)[target.astype(np.intp)] if categories else target[:, None]
        offset, slope = _line(A, T, w)
        if categories:
            constant, turn = _discriminant(A @ slope + offset, T, w)
            offset, slope = offset @ turn + constant, slope @ turn
        return cls(offset, slope, categories > 0)

    def predict(self, A: np.ndarray) -> np.ndarray:
        Z = A @ self.slope + self.offset  # (1)
        return np.argmax(Z, axis=1).astype(np.float64) if self.codes else Z[:, 0]


def _line(A: np.ndarray, T: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Least squares with an intercept; among equally good slopes the shortest, on standardised inputs."""
    from scipy.linalg import lstsq

    middle = np.average(T, axis=0, weights=w)
    if not A.shape[1]:
        return middle, np.zeros((0, T.shape[1]))
    mean = np.average(A, axis=0, weights=w)
    scale = np.sqrt(np.average((A - mean) ** 2, axis=0, weights=w))
    scale = np.where(scale > 1e-12 * (1 + np.abs(mean)), scale, np.inf)  # a constant input says nothing
    root = np.ones((len(A), 1)) if w is None else np.sqrt(w)[:, None]
    slope = lstsq(root * ((A - mean) / scale), root * (T - middle), lapack_driver="gelsy")[0] / scale[:, None]
    return middle - mean @ slope, slope


def _discriminant(Z: np.ndarray, T: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The linear discriminants ``Z @ turn + constant`` of the categories, from the fitted values Z."""
    weighted = T if w is None else T * w[:, None]
    count = weighted.sum(axis=0)
    means = weighted.T @ Z / np.where(count > 0, count, 1.0)[:, None]
    residual = Z - T @ means
    within = (residual if w is None else residual * w[:, None]).T @ residual / count.sum()
    turn = np.linalg.solve(within + 1e-8 * np.eye(len(within)), means.T)  # indicators have the scale of one
    with np.errstate(divide="ignore"):  # a category without a row cannot win
        return np.log(count / count.sum()) - 0.5 * np.sum(means.T * turn, axis=0), turn


def _start(column: Column, tally: Tally) -> tuple[float, float]:
    """The first guess of a column's holes, and the spread that measures their changes."""
    if column.coded:
        return tally.mode(), 1.0
    values, weights = tally.values[0], tally.weights[0]
    mean = float(np.average(values, weights=weights))
    spread = float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))
    return mean, spread if spread > 0 else 1.0
