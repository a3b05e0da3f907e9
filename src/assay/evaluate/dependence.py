"""Partial dependence and accumulated local effects: how the answers of any fitted learner move with a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from assay.core.explanation import text_table
from assay.errors import DataError, ParameterError, spoken_as
from assay.sentence import in_notebook
from assay.stats.checks import is_whole
from assay.stats.significance.test_result import check_alpha, shown_confidence
from assay.tables import Table
from assay.tables.rows import row_count, take_rows, with_column, with_numbers
from assay.types import Axes, Bools, Estimator, Floats, TableLike, Weights

__all__ = ["PartialDependence", "partial_dependence"]

KINDS = ("average", "individual", "both", "accumulated")
METHODS = ("auto", "predict_proba", "decision_function", "predict")
MOST_SHOWN = 15  # values of a column in the text


@dataclass(frozen=True, eq=False, repr=False)
class PartialDependence:
    """How the mean answer of a model moves when one column, or two, is set to one value after the other.

    Fields can also be read by name, ``effect["average"]``, as of scikit-learn's result.

    Attributes
    ----------
    grid_values : list of the values of each column: numbers, or categories
    average : (K, g) or (K, g1, g2) the mean answer at each value: of each class, or of the second of two classes, or of
        a number
    individual : (K, n, g) or (K, n, g1, g2) the answer for each row, None if it was not asked for
    low, high : as ``average``, interval of the mean over rows like these, of this very model
    interaction : (K,) from 0, all rows move alike (their curves are parallel), to 1, the curves cancel in the mean; NaN
        for accumulated effects
    names : list of the columns
    answers : list of K texts, what is predicted: "probability of virginica"
    learner, kind, alpha, n_rows : of whom, of which kind, 1 - confidence, how many rows

    Examples
    --------
    >>> from assay.evaluate import partial_dependence
    >>> from assay.linear import LinearRegression
    >>> X, y = [[i, i % 3] for i in range(12)], [2.0 * i for i in range(12)]
    >>> effect = partial_dependence(LinearRegression().fit(X, y), X, 0, custom_values=[0, 5])
    >>> effect.average.round(6), effect.interaction.round(6)
    (array([[ 0., 10.]]), array([0.]))
    """

    grid_values: list[Any]
    average: Floats
    individual: Floats | None
    low: Floats
    high: Floats
    interaction: Floats
    names: list[str]
    answers: list[str]
    learner: str
    kind: str
    alpha: float
    n_rows: int

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def keys(self) -> list[str]:
        """The fields that scikit-learn's result has."""
        return ["grid_values", "average"] + ["individual"] * (self.individual is not None)

    def table(self) -> list[dict[str, Any]]:
        """One record per answer and value: the value of each column, the mean answer and its interval."""
        records = []
        for k, answer in enumerate(self.answers):
            for place in np.ndindex(*self.average.shape[1:]):
                values = {name: self.grid_values[c][i] for c, (name, i) in enumerate(zip(self.names, place))}
                mean, low, high = (float(array[(k, *place)]) for array in (self.average, self.low, self.high))
                records.append({"answer": answer, **values, "mean": mean, "low": low, "high": high})
        return records

    def to_frame(self) -> Any:
        """The table as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.table())

    def plot(self, ax: Axes | None = None, **options: Any) -> Any:
        """A curve, bars or a map: see ``assay.plots.PartialDependenceDisplay``."""
        from importlib import import_module

        return import_module("assay.plots").PartialDependenceDisplay(self).plot(ax, **options)

    @property
    def headline(self) -> str:
        """What the numbers are, in a line."""
        answer = self.answers[0] if len(self.answers) == 1 else self.answers[0].partition(" of ")[0]
        columns = " and ".join(self.names)
        if self.kind == "accumulated":
            return f"How the {answer} by {self.learner} moves with {columns}: accumulated local effects"
        return f"How the mean {answer} by {self.learner} depends on {columns}"

    @property
    def how(self) -> str:
        """What was computed, in a sentence."""
        if self.kind == "accumulated":
            return (
                f"In each interval the {self.n_rows:,} rows that lie in it are moved from its lower to its upper end; "
                "the mean steps are added up, around a mean of 0."
            )
        numbers = len(self.names) == 1 and isinstance(self.grid_values[0], np.ndarray)
        other = "; kind='accumulated' does without" if numbers else ""
        return (
            f"{self.columns_set} set to each value in {self.n_rows:,} rows. Where columns go together, some of these "
            f"rows exist nowhere{other}."
        )

    @property
    def columns_set(self) -> str:
        return f"Columns {' and '.join(self.names)}" if len(self.names) > 1 else f"Column {self.names[0]}"

    def _rows(self) -> list[list[str]]:
        records = self.table()
        step = max(1, -(-len(records) // MOST_SHOWN))
        shown = records if len(self.answers) > 1 and len(records) <= 3 * MOST_SHOWN else records[::step]
        several = len(self.answers) > 1
        return [
            [
                *([row["answer"]] if several else []),
                *(_text(row[name]) for name in self.names),
                f"{row['mean']:.4g}",
                f"{row['low']:.4g} to {row['high']:.4g}",
            ]
            for row in shown
        ]

    def _heads(self) -> list[str]:
        several = ["answer"] if len(self.answers) > 1 else []
        return [*several, *self.names, "mean", f"{shown_confidence(self.alpha)} interval"]

    def __str__(self) -> str:
        rows, total = self._rows(), self.average.size
        more = f"\n  ... {len(rows)} of {total} values" if len(rows) < total else ""
        return f"{self.headline}\n{text_table(self._heads(), rows)}{more}\n{self.how}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(h)}</th>" for h in self._heads())
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self._rows()
        )
        return in_notebook(
            f'<div class="assay-dependence"><p>{escape(self.headline)}</p><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table><p>{escape(self.how)}</p></div>"
        )


@spoken_as("partial_dependence")
def partial_dependence(
    estimator: Estimator,
    X: TableLike,
    features: int | str | Sequence[int | str],
    *,
    sample_weight: Weights | None = None,
    response_method: str = "auto",
    percentiles: tuple[float, float] = (0.05, 0.95),
    grid_resolution: int = 100,
    custom_values: Sequence[Any] | None = None,
    kind: str = "average",
    alpha: float = 0.05,
) -> PartialDependence:
    r"""How the answers of any fitted learner move with a column, over the rows of a table.

    The column is set to v in every row, and the answers f are averaged:

    .. math:: \mathrm{PD}(v) = \tfrac1n \sum_i f(v, x_{i,\text{others}})                                  \quad (1)

    Where columns go together, (1) asks about rows that exist nowhere: a height of two metres and a weight of ten
    kilograms. Accumulated local effects move each row only from the lower to the upper end of the interval
    :math:`(z_{b-1}, z_b]` that it lies in,

    .. math:: \mathrm{ALE}(z_b) = \sum_{c \le b} \frac1{n_c} \sum_{i: x_i \in c}
        \big(f(z_c, x_{i,\text{others}}) - f(z_{c-1}, x_{i,\text{others}})\big) - \text{const}                \quad (2)

    with a mean of 0 over the rows. Text, categories, dates and missing values of the other columns stay as they are.
    Neither is about causes: what the model would answer is one thing, what would happen another.

    Cost: one prediction of all rows for each value of the grid; two for all intervals of (2).

    Parameters
    ----------
    estimator : a fitted classifier or regressor, of Assay or with scikit-learn's methods, also a pipeline
    X : rows, those of training or others like them
    features : the name or number of a column, or a list of one or two
    sample_weight : (n,) how much each row counts in the mean
    response_method : "auto", "predict_proba", "decision_function" or "predict"
        "auto" takes probabilities where there are some, then scores, for classes.
    percentiles : which share of the values of a column the grid spans; extremes would rule it
    grid_resolution : how many values of a number; columns of fewer distinct values have all of them, categories too
    custom_values : values instead of a grid, of one column
    kind : "average" (1), "individual" or "both" (1 with the curve of each row), "accumulated" (2), of one number
    alpha : 1 - confidence of the intervals

    Returns
    -------
    PartialDependence

    References
    ----------
    - Apley, D. W. and Zhu, J. (2020). Visualizing the effects of predictor variables in black box supervised learning
      models. Journal of the Royal Statistical Society, Series B 82(4), 1059-1086. doi:10.1111/rssb.12377
    - Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. Annals of Statistics 29(5),
      1189-1232. doi:10.1214/aos/1013203451

    Examples
    --------
    >>> from assay.evaluate import partial_dependence
    >>> from assay.bayes import NaiveBayes
    >>> from assay.tables.data import load_weather
    >>> X, y = load_weather()
    >>> effect = partial_dependence(NaiveBayes().fit(X, y), X, "outlook")
    >>> dict(zip(effect.grid_values[0], effect.average[0].round(2).tolist()))
    {'sunny': 0.51, 'overcast': 0.84, 'rainy': 0.63}
    """
    if kind not in KINDS:
        raise ParameterError(f"kind must be one of {', '.join(map(repr, KINDS))}, got {kind!r}.")
    check_alpha(alpha, "partial_dependence")
    if not is_whole(grid_resolution, 2):
        raise ParameterError(f"grid_resolution must be a whole number from 2 up, got {grid_resolution!r}.")
    check_is_fitted(estimator)
    table = Table.of(X, who="partial_dependence")
    if not len(table):
        raise DataError("X has no rows.")
    asked = [features] if isinstance(features, (int, str, np.integer)) else list(features)
    if not 1 <= len(asked) <= 2 or (custom_values is not None and len(asked) > 1):
        raise ParameterError("features must name one column or two, and one where values are given.")
    places = [_place(table, feature) for feature in asked]
    if len(set(places)) < len(places):
        raise ParameterError("features must be two different columns.")
    respond, answers = _response(estimator, response_method)
    weight = _weight(sample_weight, len(table))
    about: dict[str, Any] = {
        "names": [table.schema.names[j] for j in places],
        "answers": answers,
        "learner": type(estimator).__name__,
        "kind": kind,
        "alpha": alpha,
        "n_rows": int(np.count_nonzero(weight)),
    }
    if kind == "accumulated":
        if len(places) > 1 or custom_values is not None or table.schema[places[0]].coded:
            raise ParameterError(
                "kind='accumulated' is about one column of numbers, over intervals of its own."
            )
        return PartialDependence(
            **_accumulated(respond, X, table, places[0], grid_resolution, weight, alpha), **about
        )
    grids = [
        _grid(table, j, percentiles, grid_resolution)
        if custom_values is None
        else _given(table, j, custom_values)
        for j in places
    ]
    sizes = [len(grid) for grid in grids]
    curves = np.empty((len(answers), len(table), *sizes))
    for i, first in enumerate(grids[0]):
        moved = first.put(X)
        if len(grids) == 1:
            curves[:, :, i] = respond(moved).T
            continue
        for k, second in enumerate(grids[1]):
            curves[:, :, i, k] = respond(second.put(moved)).T
    return PartialDependence(
        grid_values=[_labels(grid) for grid in grids],
        individual=curves if kind in ("individual", "both") else None,
        **_summary(curves, weight, alpha),
        **about,
    )


@dataclass(frozen=True)
class _Value:
    """A value of a column, and how to put it into all rows: as a number, or as it stands in another row."""

    j: int
    label: Any
    number: float | None
    donor: int = 0

    def put(self, X: Any) -> Any:
        if self.number is not None:
            return with_numbers(X, self.j, self.number)
        return with_column(X, self.j, np.full(row_count(X, "partial_dependence"), self.donor))


def _text(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _place(table: Table, feature: int | str) -> int:
    d = len(table.schema)
    if isinstance(feature, str):
        return table.schema.index(feature)
    if isinstance(feature, bool) or not -d <= feature < d:
        raise ParameterError(f"there is no column {feature!r}; X has {d}, counted from 0.")
    return int(feature) % d


def _column(table: Table, j: int) -> Floats:
    block = table.values[:, [j]]
    values: Floats = np.asarray(
        block.toarray() if hasattr(block, "toarray") else block, dtype=np.float64
    ).ravel()
    return values


def _grid(table: Table, j: int, percentiles: tuple[float, float], resolution: int) -> list[_Value]:
    """The values of a column: all if they are few, else equally far apart between two percentiles."""
    column, values = table.schema[j], _column(table, j)
    known = np.isfinite(values) & ~((values < 0) & column.coded)
    if not known.any():
        raise DataError(f"column {column.name} has no values in these rows.")
    distinct, first = np.unique(values[known], return_index=True)
    donors = np.flatnonzero(known)[first]
    if column.coded or column.date or len(distinct) < resolution:
        if len(distinct) > resolution:
            kept = np.unique(np.linspace(0, len(distinct) - 1, resolution).round().astype(int))
            distinct, donors = distinct[kept], donors[kept]
        return [
            _Value(j, table.schema.label(j, value), None, int(donor))
            for value, donor in zip(distinct, donors)
        ]
    low, high = _ends(values[known], percentiles)
    return [_Value(j, value, value) for value in np.linspace(low, high, resolution).tolist()]


def _ends(values: Floats, percentiles: tuple[float, float]) -> tuple[float, float]:
    from scipy.stats.mstats import mquantiles

    if len(percentiles) != 2 or not 0 <= percentiles[0] < percentiles[1] <= 1:
        raise ParameterError(
            f"percentiles must be two shares from 0 to 1, the lower first, got {percentiles!r}."
        )
    low, high = mquantiles(values, prob=percentiles)
    if np.isclose(low, high):
        raise DataError(
            f"between the percentiles {percentiles[0]:g} and {percentiles[1]:g} the column is constant. Widen them."
        )
    return float(low), float(high)


def _given(table: Table, j: int, values: Sequence[Any]) -> list[_Value]:
    """Values that were asked for: any number; of categories and dates those that a row has."""
    column = table.schema[j]
    if not len(values):
        raise ParameterError("custom_values has no values.")
    if not (column.coded or column.date):
        numbers = np.asarray(values, dtype=np.float64).ravel()
        return [_Value(j, value, value) for value in numbers.tolist()]
    by_label = {str(value.label): value for value in _grid(table, j, (0.0, 1.0), len(table) + 2)}
    for value in values:
        if str(value) not in by_label:
            raise ParameterError(
                f"no row has {value!r} in column {column.name}. Values: {', '.join(by_label)}."
            )
    return [by_label[str(value)] for value in values]


def _labels(grid: list[_Value]) -> Any:
    """The values of a column: an array of numbers, or a list."""
    labels = [value.label for value in grid]
    numbers = all(
        isinstance(label, (int, float, np.number)) and not isinstance(label, bool) for label in labels
    )
    return np.array(labels, dtype=np.float64) if numbers else labels


def _response(estimator: Any, method: str) -> tuple[Any, list[str]]:
    """A function that gives (n, K) answers, and what each of them is."""
    if method not in METHODS:
        raise ParameterError(
            f"response_method must be one of {', '.join(map(repr, METHODS))}, got {method!r}."
        )
    who = type(estimator).__name__
    if not is_classifier(estimator):
        if method not in ("auto", "predict"):
            raise ParameterError(f"response_method {method!r} is for classes; {who} predicts numbers.")
        return lambda X: _checked(np.asarray(estimator.predict(X), dtype=np.float64)), ["answer"]
    if method == "predict":
        raise ParameterError("labels of classes have no mean. Take response_method='auto'.")
    names = ("predict_proba", "decision_function") if method == "auto" else (method,)
    name = next((method for method in names if hasattr(estimator, method)), None)
    if name is None:
        raise ParameterError(f"{who} has no {' and no '.join(names)}, so there is nothing to average.")
    word = "probability" if name == "predict_proba" else "score"
    shown = estimator.classes_[1:] if len(estimator.classes_) == 2 else estimator.classes_
    respond = getattr(estimator, name)

    def answers(X: Any) -> Floats:
        values = _checked(np.asarray(respond(X), dtype=np.float64))
        return values[:, -len(shown) :]

    return answers, [f"{word} of {label}" for label in np.asarray(shown).tolist()]


def _checked(values: Floats) -> Floats:
    if not np.isfinite(values).all():
        raise DataError("the model answers with numbers that are not finite, which have no mean.")
    return values if values.ndim > 1 else values[:, None]


def _weight(sample_weight: Weights | None, n: int) -> Floats:
    weight: Floats = (
        np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64).ravel()
    )
    if len(weight) != n or not np.isfinite(weight).all() or (weight < 0).any() or not weight.any():
        raise DataError(f"sample_weight must be {n} numbers from 0 up, not all 0.")
    return weight


def _summary(curves: Floats, weight: Floats, alpha: float) -> dict[str, Any]:
    """The means over rows with their intervals, and how far rows move otherwise than the mean."""
    share = weight / weight.sum()
    mean = np.einsum("kn...,n->k...", curves, share)
    error = _error_of_means(curves, share, mean)
    margin = _factor(weight, alpha) * error
    others = tuple(range(1, mean.ndim))
    level = curves.mean(axis=tuple(range(2, curves.ndim)), keepdims=True)
    rows = np.einsum("kn...,n->k...", (curves - level) ** 2, share).mean(
        axis=others
    )  # of each row around its level
    together = ((mean - mean.mean(axis=others, keepdims=True)) ** 2).mean(axis=others)
    moves = rows > 1e-24 * np.maximum(1.0, np.abs(mean).max(axis=others)) ** 2
    interaction = np.where(moves, 1.0 - together / np.where(moves, rows, 1.0), 0.0)
    return {
        "average": mean,
        "low": mean - margin,
        "high": mean + margin,
        "interaction": np.clip(interaction, 0.0, 1.0),
    }


def _error_of_means(values: Floats, share: Floats, mean: Floats) -> Floats:
    """Standard errors of weighted means over the rows."""
    squares = np.einsum("kn...,n->k...", (values - mean[:, None]) ** 2, share**2)
    n = 1.0 / np.sum(share**2)  # rows that count alike
    errors: Floats = np.sqrt(squares * n / (n - 1.0)) if n > 1.0 + 1e-12 else np.full(mean.shape, np.nan)
    return errors


def _factor(weight: Floats, alpha: float) -> float:
    from scipy.stats import t

    n = float(weight.sum() ** 2 / (weight**2).sum())
    return float(t.ppf(1.0 - alpha / 2.0, max(n - 1.0, 1.0)))


def _accumulated(
    respond: Any, X: Any, table: Table, j: int, resolution: int, weight: Floats, alpha: float
) -> dict[str, Any]:
    """(2): the rows of each interval are moved from its lower to its upper end."""
    values = _column(table, j)
    known: Bools = np.isfinite(values) & (weight > 0)
    edges = np.unique(np.quantile(values[known], np.linspace(0.0, 1.0, resolution + 1), method="inverted_cdf")
                      if known.any() else [])  # fmt: skip
    if len(edges) < 2:
        raise DataError(f"column {table.schema.names[j]} has fewer than two values in these rows.")
    box = np.clip(np.searchsorted(edges, values[known], side="left"), 1, len(edges) - 1)
    rows = np.flatnonzero(known)
    part = take_rows(X, rows)
    steps = respond(with_numbers(part, j, edges[box])) - respond(
        with_numbers(part, j, edges[box - 1])
    )  # (m, K)
    w = weight[rows]
    count = np.bincount(box, w, len(edges))[1:]
    effects, errors = [], []
    for k in range(steps.shape[1]):
        mean = np.bincount(box, w * steps[:, k], len(edges))[1:] / np.where(count > 0, count, 1.0)
        off = steps[:, k] - mean[box - 1]
        squares = np.bincount(box, (w * off) ** 2, len(edges))[1:] / np.where(count > 0, count, 1.0) ** 2
        alike = count**2 / np.maximum(np.bincount(box, w**2, len(edges))[1:], 1e-300)
        factor = np.where(alike > 1.0 + 1e-12, alike / np.maximum(alike - 1.0, 1e-12), 1.0)
        heights = np.concatenate([[0.0], np.cumsum(mean)])
        middle = np.sum(count * (heights[:-1] + heights[1:]) / 2.0) / count.sum()
        effects.append(heights - middle)
        errors.append(np.sqrt(np.concatenate([[0.0], np.cumsum(squares * factor)])))
    average, margin = np.array(effects), _factor(w, alpha) * np.array(errors)
    return {
        "grid_values": [edges],
        "average": average,
        "individual": None,
        "low": average - margin,
        "high": average + margin,
        "interaction": np.full(len(average), np.nan),
    }
