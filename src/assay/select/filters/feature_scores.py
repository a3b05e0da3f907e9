"""Scores of columns by what they tell of the target, and the result that shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.targets import check_weights, encode_labels, numeric_target, plain_values
from assay.errors import ParameterError
from assay.evaluate.target import check_task, looks_measured
from assay.sentence import Sentence
from assay.stats.checks import one_of
from assay.tables import Table
from assay.types import TableLike, Target, Weights

__all__ = ["FeatureScores", "TableRows", "feature_scores", "read_rows", "task_of"]


@dataclass(frozen=True)
class FeatureScores(Sentence):
    """The score of each column, its p-value where there is a test, and the order they give.

    Attributes
    ----------
    score : str, what was scored by      names : (d,) the columns
    scores : (d,) NaN where there is none      p_values : (d,) or None
    better : "higher" or "lower"

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select import FeatureScores
    >>> result = FeatureScores("gini", ("age", "pay"), np.array([0.3, 0.1]), better="lower")
    >>> result.order, result.best(1)
    (array([1, 0]), ['pay'])
    >>> print(result)
    rank  column  gini
       1  pay      0.1
       2  age      0.3
    """

    score: str
    names: tuple[str, ...]
    scores: np.ndarray
    p_values: np.ndarray | None = None
    better: str = "higher"

    @property
    def order(self) -> np.ndarray:
        """(d,) the columns from best to worst; equal ones in the order of the table, those without a score last."""
        keys = self.scores if self.better == "lower" else -self.scores
        return np.argsort(np.where(np.isnan(keys), np.inf, keys), kind="stable")

    def best(self, k: int) -> list[str]:
        """The names of the k best columns, best first."""
        return [self.names[j] for j in self.order[:k]]

    def table(self) -> list[dict[str, Any]]:
        """One record for each column, best first: rank, column, score, and p-value where there is one."""
        records = []
        for rank, j in enumerate(self.order.tolist(), 1):
            record = {"rank": rank, "column": self.names[j], self.score: float(self.scores[j])}
            if self.p_values is not None:
                record["p"] = float(self.p_values[j])
            records.append(record)
        return records

    def __str__(self) -> str:
        rows = self.table()
        if not rows:
            return f"{self.score}: no columns"
        shown = [[key if row is None else _cell(row[key]) for key in rows[0]] for row in (None, *rows)]
        widths = [max(map(len, column)) for column in zip(*shown)]
        lines = []
        for cells in shown:
            fitted = [c.ljust(w) if i == 1 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths))]
            lines.append("  ".join(fitted).rstrip())
        return "\n".join(lines)


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class TableRows:
    """A table, its target as codes of classes or numbers, and the weights of its rows."""

    table: Table
    target: np.ndarray
    classes: np.ndarray | None  # the labels; None for numbers
    weights: np.ndarray | None

    @property
    def K(self) -> int | None:
        return None if self.classes is None else len(self.classes)


def task_of(y: Any) -> str:
    """ "regression" if y looks measured, else "classification".

    >>> from assay.select.filters.feature_scores import task_of
    >>> task_of(["a", "b"]), task_of([0, 1, 1]), task_of([0.5, 1.0])
    ('classification', 'classification', 'regression')
    """
    values = np.asarray(plain_values(y))
    return "regression" if values.ndim == 1 and len(values) and looks_measured(values) else "classification"


def read_rows(X: Any, y: Any, sample_weight: Any, task: str | None, who: str) -> TableRows:
    """X, y and weights, checked."""
    task = check_task(task, who) or task_of(y)
    table = Table.of(X, who=who)
    n = table.shape[0]
    weights = check_weights(sample_weight, table.values, who)
    if task == "regression":
        return TableRows(table, numeric_target(y, n, who), None, weights)
    classes, codes = encode_labels(y, n, who)
    return TableRows(table, codes, classes, weights)


def feature_scores(
    X: TableLike,
    y: Target,
    score: str = "f",
    *,
    sample_weight: Weights | None = None,
    missing: str = "value",
    bins: int | str | tuple[str, int] = "mdl",
    task: str | None = None,
) -> FeatureScores:
    r"""Score each column of a raw table by what it tells of the target.

    =========================== ========= ================================================================
    score                       better    of a column
    =========================== ========= ================================================================
    "f"                         higher    variance of the class means over that within classes, see f_classif
    "fisher"                    higher    :math:`\sum_k p_k (m_k - m)^2 / \sum_k p_k \sigma_k^2`
    "gini"                      lower     :math:`\sum_v \frac{n_v}{n} (1 - \sum_k p_{k|v}^2)`
    "entropy"                   lower     :math:`-\sum_v \frac{n_v}{n} \sum_k p_{k|v} \log_2 p_{k|v}`
    "gain ratio"                higher    information gain over the entropy of the column
    "symmetrical uncertainty"   higher    :math:`2 I(x; y) / (H(x) + H(y))`
    "chi-squared"               higher    Pearson's test of independence of categories and classes
    "mutual information"        higher    nats; of numbers by 3 nearest neighbours, see mutual_info_classif
    "relieff"                   higher    see relieff
    "chi2"                      higher    columns of counts (words) against classes, see chi2
    "correlation"               higher    :math:`|r|`, of a target of numbers
    =========================== ========= ================================================================

    With a target of numbers "f" is that of a line through the column, or of the means in each category; "mutual
    information" and "relieff" have forms of their own. With classes, "f" and "fisher" of a nominal column are those of
    its indicators together (Pillai's trace; the trace of between over within scatter), which of two categories are
    those of the one indicator. F of columns with different numbers of categories are compared by their p-values. Scores
    of categories cut numbers into ``bins`` first.

    Parameters
    ----------
    X : array, sparse matrix or frame, (n, d)
    y : (n,) classes or numbers
    score : str, a name of the table
    sample_weight : (n,) a row of weight 2 is two rows; or None
    missing : "value" or "leave out", default "value"
        Whether a missing category, or number in bins, is a value of its own, or its row is left out for that column
        (of "gain ratio" the gain is then multiplied by the share of known values). Scores of means ("f", "fisher",
        "correlation") leave missing numbers out either way; relieff expects of them what their class has.
    bins : "mdl", int or ("width", int), default "mdl"
        How numbers are cut: by entropy as long as it shortens the description of the classes, into so many bins of
        equal frequency, or of equal width.
    task : "classification", "regression" or None to see by y
        Numbers with fractions, or many distinct ones, are taken as numbers to predict.

    Returns
    -------
    FeatureScores

    Examples
    --------
    >>> from assay.select import feature_scores
    >>> from assay.tables.data import load_charity_donors
    >>> charity = load_charity_donors()
    >>> print(feature_scores(charity.X, charity.y, "fisher"))
    rank  column    fisher
       1  Salary   1.95767
       2  Age     0.661227

    See Also
    --------
    SelectKBest, relieff, mutual_info_classif, class_separability

    References
    ----------
    - Guyon, I. and Elisseeff, A. (2003). An introduction to variable and feature selection. Journal of Machine Learning
      Research 3, 1157-1182.
    """
    from assay.select.filters.score import score_named

    who = "feature_scores"
    one_of(missing, ("value", "leave out"), who, "missing")
    if not isinstance(score, str):
        raise ParameterError(f"score must be a name, got {score!r}.", who=who)
    kind = score_named(score, who)
    wanted = check_task(task, who) or (kind.tasks[0] if len(kind.tasks) == 1 else task_of(y))
    rows = read_rows(X, y, sample_weight, kind.task_for(wanted, who), who)
    scores, p = kind.of(rows.table, rows.target, rows.weights, rows.K, missing=missing, bins=bins, who=who)
    return FeatureScores(kind.name, tuple(rows.table.schema.names), scores, p, kind.better)
