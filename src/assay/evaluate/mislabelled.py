"""Rows whose label others doubt: neighbours, and learners that never saw the row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.core.explanation import text_table
from assay.core.parallel import in_threads
from assay.core.parameters import check_count
from assay.core.progress import progress
from assay.core.targets import encode_labels
from assay.errors import DataError, ParameterError
from assay.sentence import Sentence
from assay.tables import Design, RowNames, Table
from assay.types import TableLike, Target

__all__ = ["Mislabelled", "mislabelled"]


@dataclass(frozen=True, eq=False)
class Mislabelled(Sentence):
    """All rows with how much their label is doubted.

    Attributes
    ----------
    doubt : (n,) from 0 (nobody doubts the label) to 1 (everybody does): the mean over all voters
    votes : (n, V) what each voter says: its probability that the label is another one
    voters : tuple of V names
    labels, suggested : (n,) the labels as they are, and the ones that the voters find most probable
    order : (n,) row numbers, counted from 0, the most doubtful first; among equals in their order
    row_names : RowNames, what the rows are called in the table
    """

    doubt: np.ndarray
    votes: np.ndarray
    voters: tuple[str, ...]
    labels: np.ndarray
    suggested: np.ndarray
    row_names: RowNames = field(default_factory=RowNames)

    @property
    def order(self) -> np.ndarray:
        return np.argsort(-self.doubt, kind="stable")

    @property
    def suspects(self) -> np.ndarray:
        """The rows whose label is doubted by more than half, the most doubtful first, as numbers counted from 0."""
        return np.array([i for i in self.order if self.doubt[i] > 0.5], np.int64)

    def table(self, rows: int | None = None) -> list[dict[str, Any]]:
        """One record per row, ranked: its number, counted from 1, or its index; label, doubt, the label suggested, and
        every voter's say."""
        return [
            {
                self.row_names.head: self.row_names.label(int(i)),
                "label": self.labels[i],
                "doubt": float(self.doubt[i]),
                "suggested": self.suggested[i],
                **{name: float(v) for name, v in zip(self.voters, self.votes[i])},
            }
            for i in self.order[:rows]
        ]

    def to_frame(self) -> Any:
        """The ranked table as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.table())

    def __str__(self) -> str:
        shown = self.table(10)
        body = text_table(list(shown[0]), [[_plain(v) for v in record.values()] for record in shown])
        return f"{len(self.suspects)} of {len(self.doubt)} labels are doubted by more than half\n{body}"


def mislabelled(
    X: TableLike,
    y: Target,
    *,
    learners: Sequence[Any] | Mapping[str, Any] | None = None,
    n_neighbors: int = 5,
    cv: int = 10,
    random_state: int = 0,
) -> Mislabelled:
    r"""Rank the rows by how much their label is doubted.

    Two kinds of voters: the nearest rows, of which a share has another label; and learners, each with its probability
    of the other labels, fitted by cross-validation to rows without the one in question. The doubt is their mean,

    .. math:: \text{doubt}_t = \tfrac1V \sum_v \left(1 - P_v(y^t | x^t)\right)

    A high doubt does not prove an error: rows near a boundary are doubted too. Look at the first rows of the ranking.

    Parameters
    ----------
    X : table      y : (n,) labels
    learners : list or dict {name: learner} of classifiers with ``predict_proba``, or None
        None is naive Bayes and a C4.5 tree, and logistic regression if no value is missing.
    n_neighbors : int, default 5
        How many nearest rows vote, columns divided by their standard deviations; 0 leaves this voter out. So does a
        table with missing values.
    cv : int, default 10
        Folds, at most as many as the rarest class has rows.
    random_state : int, default 0
        How rows are dealt into folds.

    Examples
    --------
    >>> from assay.evaluate.mislabelled import mislabelled
    >>> X, y = [[i] for i in (*range(10), *range(30, 40))], ["low"] * 10 + ["high"] * 10
    >>> y[3] = "high"
    >>> found = mislabelled(X, y)
    >>> found.suspects, str(found.suggested[3])
    (array([3]), 'low')
    """
    who = "mislabelled"
    for name, value, least in (("n_neighbors", n_neighbors, 0), ("cv", cv, 2)):
        check_count(who, name, value, low=least)
    table = Table.of(X, who=who)
    if not isinstance(table.values, np.ndarray):
        table = table.replaced(values=table.values.toarray())
    classes, codes = encode_labels(y, len(table), who)
    if len(classes) < 2:
        raise DataError("y has one label only, so there is no other one that a row could have.", who=who)
    named = _named(learners, table.complete)
    posteriors = {}
    if n_neighbors and table.complete:
        posteriors["neighbours"] = _neighbours(table, codes, len(classes), n_neighbors)
    folds = _folds(codes, cv, random_state)
    with progress(total=len(named), description=who) as bar:

        def vote(name: str) -> np.ndarray:
            votes = _out_of_fold(named[name], table, codes, len(classes), folds)
            bar.advance()
            return votes

        posteriors |= dict(zip(named, in_threads(vote, list(named), 1)))
    if not posteriors:
        raise ParameterError("there is no voter: give learners, or n_neighbors above 0.", who=who)
    P = np.stack(list(posteriors.values()))  # (V, n, K)
    of_label = P[:, np.arange(len(codes)), codes]
    return Mislabelled(
        1 - of_label.mean(axis=0),
        (1 - of_label).T,
        tuple(posteriors),
        classes[codes],
        classes[P.mean(axis=0).argmax(axis=1)],
        RowNames.of(table),
    )


def _named(learners: Any, complete: bool) -> dict[str, Any]:
    """The voters by their names."""
    if isinstance(learners, Mapping):
        for learner in learners.values():
            _check_voter(learner)
        return dict(learners)
    if learners is None:
        from assay.bayes import NaiveBayes
        from assay.linear import LogisticRegression
        from assay.trees import C45Classifier

        learners = [NaiveBayes(), C45Classifier(), *([LogisticRegression()] if complete else [])]
    named: dict[str, Any] = {}
    for learner in learners:
        _check_voter(learner)
        name = type(learner).__name__
        named[name if name not in named else f"{name} {len(named) + 1}"] = learner
    return named


def _check_voter(learner: Any) -> None:
    if not hasattr(learner, "predict_proba"):
        raise ParameterError(
            f"mislabelled: {type(learner).__name__} has no predict_proba, so it cannot doubt a label by degrees."
        )


def _neighbours(table: Table, codes: np.ndarray, K: int, k: int) -> np.ndarray:
    """(n, K) the shares of labels among the k nearest other rows."""
    from scipy.spatial import cKDTree

    values = table.values
    Z = Design(table.schema, False).expand(values) if table.schema.coded.any() else values
    largest = np.abs(Z).max(axis=0)
    Z = Z / np.where(largest > 0, largest, 1.0)  # no square is too large or too small
    spread = Z.std(axis=0)
    Z = Z / np.where(spread > 0, spread, 1.0)
    n = len(Z)
    k = min(k, n - 1)
    nearest = cKDTree(Z).query(Z, k + 1)[1].reshape(n, k + 1)
    shares = np.zeros((n, K))
    for i, near in enumerate(nearest):
        others = near[near != i][:k]  # a row that equals many others may not be its own first neighbour
        shares[i] = np.bincount(codes[others], minlength=K) / k
    return shares


def _folds(codes: np.ndarray, cv: int, random_state: int) -> list[tuple[np.ndarray, np.ndarray]]:
    from sklearn.model_selection import KFold, StratifiedKFold

    least = int(np.bincount(codes).min())
    made: Any = StratifiedKFold if least > 1 else KFold
    count = min(cv, least if least > 1 else len(codes))
    return list(made(count, shuffle=True, random_state=random_state).split(np.zeros(len(codes)), codes))


def _out_of_fold(learner: Any, table: Table, codes: np.ndarray, K: int, folds: Any) -> np.ndarray:
    """(n, K) posteriors of rows that the learner did not see."""
    from assay.core.meta_estimator import takes_tables

    data: Any = table if takes_tables(learner) else table.values
    P = np.zeros((len(codes), K))
    for train, test in folds:
        model = clone(learner)
        model.fit(data[train], codes[train])
        P[np.ix_(test, model.classes_)] = model.predict_proba(data[test])
    return P


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
