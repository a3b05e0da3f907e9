"""A synthetic table: rows drawn from a generative model, and how near they come to the rows it learned from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.bayes.drawing import as_table
from assay.core.parameters import check_count
from assay.distances import Gower, searcher
from assay.errors import AssayWarning, DataError, ParameterError, warn_user
from assay.sentence import Sentence
from assay.tables import Table
from assay.types import Estimator, RandomState, TableLike

__all__ = ["SyntheticTable", "synthetic_table"]

ROWS_COMPARED = 5000  # of each table, at random, whose distances are computed


@dataclass(frozen=True)
class SyntheticTable(Sentence):
    """Result of `synthetic_table`: drawn rows, and what they may tell of the training rows.

    Attributes
    ----------
    columns : dict of the names of the columns to their values      labels : (n,) classes, or None
    copies : numbers of the drawn rows that equal a training row
    unique_copies : those of them that equal a training row which occurs once: it may be a person
    nearer : share of the drawn rows that are nearer to a training row than training rows usually are to each other;
        about one half if the model repeats none
    """

    columns: dict[str, np.ndarray] = field(repr=False)
    labels: np.ndarray | None = field(repr=False)
    copies: np.ndarray
    unique_copies: np.ndarray
    nearer: float

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def to_frame(self, target: str = "class") -> Any:
        """A pandas frame of the columns, with the classes in the column ``target``."""
        import pandas as pd

        more = {} if self.labels is None else {target: self.labels}
        return pd.DataFrame({**self.columns, **more})

    def __str__(self) -> str:
        n, m, once = len(self), len(self.copies), len(self.unique_copies)
        equal = "none equals" if m == 0 else "1 equals" if m == 1 else f"{m} equal"
        unique = f", {once} of them one that occurs once" if m else ""
        return (
            f"{n} rows were drawn; {equal} a training row{unique}. {self.nearer:.0%} are nearer to a training row than "
            "training rows usually are to each other; about half is expected of new rows. This is no proof that nobody "
            "can be recognised."
        )


def synthetic_table(
    model: Estimator, n: int, X: TableLike, random_state: RandomState = None
) -> SyntheticTable:
    r"""Draw a table from a fitted generative model, and measure how near it comes to the rows it learned from.

    Rows of a model can stand in for rows that must not be passed on, as far as the model holds what matters of them.
    They are not anonymous by themselves: a model with as many parameters as rows repeats them. So three things are
    counted: drawn rows that equal a training row, those that equal one which occurs once, and the share of drawn rows
    whose distance to the nearest training row (Gower's) is below the median distance of training rows to their nearest
    other one. Far more than one half is a sign of a model that remembers rows.

    An ``AssayWarning`` names the number of copies. Differential privacy, which bounds what can be learned of anyone
    whatever else is known, is not promised.

    Cost: O(n d) to draw; O(m^2 d) for distances of m = 5,000 rows at the most.

    Parameters
    ----------
    model : fitted generative classifier or density, with ``sample``: `NaiveBayes`, `JointBayes`, `GaussianNB` ...
    n : int
        Rows to draw.
    X : the table that it was fitted to
    random_state : int or None

    Examples
    --------
    >>> from assay.bayes import NaiveBayes, synthetic_table
    >>> from assay.tables.data import load_iris
    >>> X, y = load_iris()
    >>> drawn = synthetic_table(NaiveBayes().fit(X, y), 500, X, random_state=0)
    >>> list(drawn.columns)[:2], len(drawn.copies)
    (['sepal length (cm)', 'sepal width (cm)'], 0)

    See Also
    --------
    NaiveBayes, JointBayes
    """
    who = "synthetic_table"
    check_count(who, "n", n)
    if not hasattr(model, "sample") or not hasattr(model, "_read"):
        raise ParameterError(
            f"{type(model).__name__} draws no rows. Take a generative model, such as NaiveBayes.", who=who
        )
    training: Table = model._read(X, False)
    drawn, labels = _drawn(model, int(n), random_state)
    if isinstance(drawn, np.ndarray) and drawn.shape[1] != training.shape[1]:
        raise DataError(
            f"{type(model).__name__} draws indicators of categories, not the {training.shape[1]} columns of the table. "
            "Take a model of categories: NaiveBayes or JointBayes.",
            who=who,
        )
    if isinstance(drawn, np.ndarray):
        drawn = as_table(training.schema, drawn)
    columns = drawn if isinstance(drawn, dict) else dict(zip(training.schema.names, drawn.T))
    table: Table = model._read(columns if training.schema.named else drawn, False)
    copies, once = _copies(training.values, table.values)
    if len(copies):
        warn_user(
            f"{len(copies)} of {n} drawn rows equal a training row, {len(once)} of them one that occurs once. Leave "
            "these out, or do not pass the table on.",
            AssayWarning,
        )
    nearer = _nearer(training, table.values, np.random.default_rng(0))
    return SyntheticTable(columns, labels, copies, once, nearer)


def _drawn(model: Any, n: int, random_state: Any) -> tuple[Any, np.ndarray | None]:
    """The rows, and their classes if the model has some."""
    from inspect import signature

    seeded = "random_state" in signature(model.sample).parameters
    result = model.sample(n, **({"random_state": random_state} if seeded else {}))
    if not isinstance(result, tuple):
        return result, None
    return result[0], result[1] if hasattr(model, "classes_") else None


def _copies(training: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the drawn rows that equal a training row, and of those that equal one which occurs once."""
    counts = Counter(row.tobytes() for row in np.ascontiguousarray(training) + 0.0)
    times = np.array([counts[row.tobytes()] for row in np.ascontiguousarray(drawn) + 0.0])
    return np.flatnonzero(times), np.flatnonzero(times == 1)


def _nearer(training: Table, drawn: np.ndarray, rng: np.random.Generator) -> float:
    """The share of drawn rows that are nearer to a training row than training rows usually are to each other."""
    known = training.values[rng.permutation(len(training.values))[:ROWS_COMPARED]]
    some = drawn[rng.permutation(len(drawn))[:ROWS_COMPARED]]
    if len(known) < 2:
        return 0.0
    index = searcher(known, Gower(coded=training.schema.coded).learn(known))
    usual = float(np.median(index.nearest(known, k=2)[0][:, 1]))
    apart = index.nearest(some, k=1)[0][:, 0]
    return float(np.mean(apart < usual) + 0.5 * np.mean(apart == usual))
