"""Regression imputation: missing values predicted from the other columns of the row."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from assay.core import Card
from assay.core.complaints import warn_unseen
from assay.core.parameters import Any_, Count, Flag, Instance, Range
from assay.core.stored import CodeArray, Each, FloatArray, Object, Plain
from assay.errors import DataError, DegenerateWarning, warn_user
from assay.prepare.least_squares import LeastSquares
from assay.prepare.missing_indicator import PREFIX, is_missing
from assay.prepare.preparation import Preparation
from assay.prepare.tally import Tally
from assay.tables import Column, Design, Schema, Table
from assay.types import Estimator

__all__ = ["RegressionImputer"]


class RegressionImputer(Preparation):
    r"""Impute by regression (numbers) and classification (categories) on the other columns, in cycles.

    Missing values start at their column's mean or most frequent category. Then, column by column, a model of the
    column is learned from the rows where it is known, with the current values of all other columns as inputs,
    and its predictions replace the column's guesses at once. Cycles go on until the largest change of a guess
    is at most ``tol`` standard deviations of its column and no category changes.

    By default the model of column j is least squares on the design of the other columns (numbers
    standardised, categories as indicators; a model of your own gets the same),

    .. math:: \hat x_{ij} = b_0 + \sum_{l \ne j} b_l x_{il}                                \quad (1)

    and for categories the linear discriminant: Gaussian categories of one shared covariance, computed from
    least squares on the indicators of the categories, in whose fitted values the discriminant is the same.
    If the columns are unrelated, this is mean imputation. Cost of a cycle, with a share h of
    missing values: O(h n d^3 + n d^2).

    Cost: fit O(i d) models of one column each for i cycles, by default O(n d^2 + d^3) each; transform O(i d^2) a row;
    memory O(n d) to fit, and d models kept.

    Parameters
    ----------
    regressor, classifier : estimators, default None
        Models for number columns and for columns of categories; None takes (1).
    missing_values : default NaN
        What else stands for a missing value besides NaN, None and null: a number or a text.
    max_iter : int, default 100
        Largest number of cycles; 1 is regression imputation without iteration.
    tol : float, default 1e-3
        When to stop, in standard deviations of each column's known values.
    add_indicator : bool, default False
        Whether to append a column of zeros and ones for each column with missing values in ``fit``.

    Attributes
    ----------
    initial_ : (d,) means, and codes of the most frequent categories, from which missing values start
    spread_ : (d,) standard deviations of the known values, 1 for categories
    models_ : the model of each column
    kept_ : numbers of the columns that have a value      missing_columns_ : of those with missing values in ``fit``
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

    See Also
    --------
    SimpleImputer, MissingIndicator, drop_missing

    References
    ----------
    - Buck, S. F. (1960). A method of estimation of missing values in multivariate data suitable for use with an
      electronic computer. Journal of the Royal Statistical Society B 22(2), 302-306.
    - van Buuren, S. and Groothuis-Oudshoorn, K. (2011). mice: multivariate imputation by chained equations in R.
      Journal of Statistical Software 45(3), 1-67. doi:10.18637/jss.v045.i03
    """

    card = Card(
        "regression imputer", "missing values predicted from the other columns", also=("iterative imputer",)
    )
    accepts = {
        "regressor": Instance(having="predict") | None,
        "classifier": Instance(having="predict") | None,
        "missing_values": Any_(),
        "max_iter": Count(1),
        "tol": Range(0),
        "add_indicator": Flag(),
    }
    stored = {
        "missing_columns_": CodeArray("*", below="d"),
        "initial_": FloatArray("k"),
        "kept_": CodeArray("k", below="d"),
        "models_": Each(Object(LeastSquares) | None),
        "spread_": FloatArray("k"),
        "history_": Each(Plain(dict)),
    }
    renamed = {"holed_": "missing_columns_"}  # in model files of earlier versions

    def __init__(
        self,
        regressor: Estimator | None = None,
        classifier: Estimator | None = None,
        *,
        missing_values: float | str | None = np.nan,
        max_iter: int = 100,
        tol: float = 1e-3,
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
        missing = is_missing(Table(X, self.schema_), self.missing_values)
        self.kept_ = np.flatnonzero(~missing.all(axis=0))
        self.missing_columns_ = np.flatnonzero(missing.any(axis=0))
        if not len(self.kept_):
            raise DataError("RegressionImputer: no column has a value, so there is nothing to impute from.")
        X, missing = X[:, self.kept_], missing[:, self.kept_]
        columns = [self.schema_[int(j)] for j in self.kept_]
        tallies = [Tally.of(np.where(missing[:, j], np.nan, X[:, j]), w) for j in range(X.shape[1])]
        starts = [_start(c, t) for c, t in zip(columns, tallies)]
        self.initial_ = np.array([mean for mean, _ in starts])
        self.spread_ = np.array([spread for _, spread in starts])
        guesses = _Guesses(X, missing, self.initial_, self.spread_, columns)
        sums = _Sums(guesses, w)
        self.models_ = [None] * X.shape[1]
        self.history_ = self._cycle(guesses, lambda j: self._model(guesses, sums, j, w))
        self.n_iter_ = len(self.history_)
        for j in np.flatnonzero(~missing.any(axis=0)):  # complete here, perhaps not in new rows
            self.models_[j] = self._model(guesses, sums, int(j), w)

    def _cycle(self, guesses: _Guesses, model_of: Any) -> list[dict[str, float]]:
        """Replace guesses by predictions until they settle; one record a cycle."""
        history: list[dict[str, float]] = []
        columns = np.flatnonzero(guesses.missing.any(axis=0))
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
            warn_user(
                f"RegressionImputer stopped after {self.max_iter} cycles while guesses still move by {relative:.2g} "
                f"standard deviations and {relabelled:.0f} categories change. Raise max_iter or tol.",
                ConvergenceWarning,
            )
        return history

    def _model(self, guesses: _Guesses, sums: _Sums, j: int, w: np.ndarray | None) -> Any:
        """The model of column j from the rows where it is known."""
        coded = guesses.columns[j].coded
        template = self.classifier if coded else self.regressor
        if template is None or not guesses.inputs(j).any():
            return LeastSquares.from_sums(*sums.of(j), categories=coded)
        model = clone(template)
        known = ~guesses.missing[:, j]
        weigh = w is not None and has_fit_parameter(model, "sample_weight")
        extra = {"sample_weight": w[known]} if w is not None and weigh else {}
        target = guesses.X[known, j].astype(np.int64) if coded else guesses.X[known, j]
        model.fit(guesses.design[np.ix_(known, guesses.inputs(j))], target, **extra)
        return model

    def _convert(self, table: Table, copy: bool) -> Table:
        missing = is_missing(table, self.missing_values)
        if table.unseen:
            warn_unseen(table, type(self).__name__, "filled like missing values")
            missing |= (table.values < 0) & table.schema.coded
        if len(self.kept_) < len(self.schema_):
            names = ", ".join(c.name for j, c in enumerate(self.schema_) if j not in self.kept_)
            warn_user(
                f"RegressionImputer: dropped without any value in fit: {names}.",
                DegenerateWarning,
            )
        columns = [self.schema_[int(j)] for j in self.kept_]
        guesses = _Guesses(
            table.values[:, self.kept_], missing[:, self.kept_], self.initial_, self.spread_, columns
        )
        self._cycle(guesses, lambda j: self.models_[j])
        X = guesses.X
        if self.add_indicator:
            X = np.hstack([X, missing[:, self.missing_columns_].astype(np.float64)])
            columns += [Column(PREFIX + self.schema_[int(j)].name) for j in self.missing_columns_]
        return Table(X, Schema(columns, self.schema_.named), None)

    def _names_out(self, names: list[str] | None = None) -> list[str]:
        names = self.schema_.names if names is None else names
        added = self.missing_columns_ if self.add_indicator else ()
        return [names[j] for j in self.kept_] + [PREFIX + names[j] for j in added]


class _Guesses:
    """The table with guesses for its missing values, and its design, kept up to date as guesses change.

    In the design numbers are standardised and nominal columns are indicators, the first category left out.
    """

    def __init__(
        self,
        X: np.ndarray,
        missing: np.ndarray,
        initial: np.ndarray,
        spread: np.ndarray,
        columns: list[Column],
    ):
        self.X = np.where(missing, initial, X).astype(np.float64, copy=False)
        self.missing = missing
        self.columns = columns
        layout = Design(Schema(columns), drop_first=True)
        self.source = layout.source
        nominal = np.array([c.kind == "nominal" for c in columns], dtype=bool)
        self._shift, self._scale = np.where(nominal, 0.0, initial), np.where(nominal, 1.0, spread)
        self.changed: set[int] = set()  # columns of the design that are not what they were
        self.design = (layout.expand(self.X) - self._shift[self.source]) / self._scale[self.source]

    def inputs(self, j: int) -> np.ndarray:
        """Which columns of the design column j is predicted from."""
        return self.source != j

    def predict(self, j: int, model: Any) -> np.ndarray:
        """Put the model's predictions into the missing entries of column j; by how much each moved."""
        rows = np.flatnonzero(self.missing[:, j])
        of_column = np.flatnonzero(self.source == j)
        new = np.asarray(model.predict(self.design[np.ix_(rows, self.inputs(j))]), dtype=np.float64)
        moved = new - self.X[rows, j]
        self.X[rows, j] = new
        single = Design(Schema([self.columns[j]]), drop_first=True).expand(new[:, None])
        self.design[np.ix_(rows, of_column)] = (single - self._shift[j]) / self._scale[j]
        self.changed.update(of_column.tolist())
        return moved


class _Sums:
    """Sums of products of the design's columns over the rows where a column is known."""

    def __init__(self, guesses: _Guesses, w: np.ndarray | None):
        self._guesses, self._w = guesses, w
        self._G: np.ndarray | None = None

    def of(self, j: int) -> tuple[np.ndarray, np.ndarray]:
        """G and C of :class:`LeastSquares` for column j, its inputs and the constant."""
        column, missing = self._guesses.columns[j], self._guesses.missing[:, j]
        values = self._guesses.X[:, j]
        T = np.eye(len(column.categories))[values.astype(np.intp)] if column.coded else values[:, None].copy()
        T[missing] = 0.0
        if self._w is not None:
            T *= self._w[:, None]
        A = self._guesses.design
        C = np.vstack([A.T @ T, T.sum(axis=0)])
        if 2 * np.count_nonzero(missing) < len(missing):
            G = self._all() - self._products(np.flatnonzero(missing))
        else:
            G = self._products(np.flatnonzero(~missing))
        keep = np.append(self._guesses.inputs(j), True)
        return G[np.ix_(keep, keep)], C[keep]

    def _all(self) -> np.ndarray:
        """Over all rows; only columns of the design that have changed are added up again."""
        A = self._guesses.design
        if self._G is None:
            self._G = self._products(np.arange(len(A)))
        for k in self._guesses.changed:
            column = A[:, k] if self._w is None else A[:, k] * self._w
            self._G[k, :-1] = self._G[:-1, k] = column @ A
            self._G[k, -1] = self._G[-1, k] = column.sum()
        self._guesses.changed.clear()
        return self._G

    def _products(self, rows: np.ndarray) -> np.ndarray:
        A = np.column_stack([self._guesses.design[rows], np.ones(len(rows))])
        return A.T @ (A if self._w is None else A * self._w[rows][:, None])


def _start(column: Column, tally: Tally) -> tuple[float, float]:
    """The first guess of a column's missing values, and the spread that measures their changes."""
    if column.coded:
        return tally.mode(), 1.0
    values, weights = tally.values[0], tally.weights[0]
    mean = float(np.average(values, weights=weights))
    spread = float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))
    return mean, spread if spread > 0 else 1.0
