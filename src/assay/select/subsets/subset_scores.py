"""The criterion of a search: scores of subsets of columns on the same folds, higher for better.

A learner whose subsets can be scored without fitting anew each time has an implementation of its own, whose module is
listed in ``FAST``; every other estimator is fitted again for each subset and fold (``Refit``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from sklearn.pipeline import Pipeline

from assay.errors import DataError
from assay.select.subsets.folds import Folds
from assay.types import Estimator, RowLabels, Scoring, Splitter, TableLike

__all__ = ["FAST", "FunctionScores", "Subset", "SubsetScores", "scores_on", "subset_scores"]

Subset = Sequence[int]  # numbers of columns

# modules with a class ``Scores`` that scores the subsets of some learners quickly
FAST = [
    f"assay.select.subsets.{name}"
    for name in ("gaussians", "naive_bayes", "least_squares", "neighbors", "logistic")
]


class SubsetScores:
    """Scores of subsets of d columns on J folds; the searches know nothing else of a learner.

    An implementation writes ``scores``; where adding or removing one column is cheaper than a whole subset, also
    ``additions`` and ``removals``. Subsets are never empty and hold ascending numbers.

    Attributes
    ----------
    d : number of columns      n_folds : number of folds
    sign : 1, or -1 if the measure is lower for better: the measure is ``sign`` times the score
    measure : the name of the measure
    baseline : (n_folds,) the score without any column: of the most frequent class, or of the mean
    ratio : test rows for each training row, by which a test allows for the rows that folds share
    monotone : whether adding a column can never lower the score, as branch and bound needs it
    by_fold : a function of (subsets, number of a fold) for their scores on it, where a fold costs as much as another
    """

    d: int
    n_folds: int
    sign: int = 1
    measure: str = "score"
    baseline: np.ndarray
    ratio: float = 0.0
    monotone: bool = False
    by_fold: Callable[[Sequence[Subset], int], np.ndarray] | None = None
    batch: ClassVar[int | None] = (
        None  # subsets that are scored between two steps of progress; None for all at once
    )

    def scores(self, subsets: Sequence[Subset]) -> np.ndarray:
        """(len(subsets), n_folds) the score of each subset on each fold; NaN where the learner failed."""
        raise TypeError(f"{type(self).__name__} must define scores")

    def additions(self, base: Subset, candidates: Sequence[int]) -> np.ndarray:
        """(len(candidates), n_folds) the scores of ``base`` with each one of the candidates added."""
        return self.scores([sorted((*base, c)) for c in candidates])

    def removals(self, base: Subset, candidates: Sequence[int]) -> np.ndarray:
        """(len(candidates), n_folds) the scores of ``base`` with each one of the candidates removed."""
        return self.scores([[j for j in base if j != c] for c in candidates])

    @classmethod
    def claims(cls, estimator: Estimator, folds: Folds) -> bool:
        """Whether this implementation gives the same numbers as fitting this estimator again.

        Asked with the exact class in mind: a subclass may do anything. ``folds`` has the table, the measure
        (``folds.measure``), weights and metadata.
        """
        return False

    @classmethod
    def of(cls, estimator: Estimator, folds: Folds) -> SubsetScores:
        """The scores of an estimator that was claimed."""
        raise TypeError(f"{cls.__name__} must define of")


class FunctionScores(SubsetScores):
    """Any function of a subset as a criterion, such as a measure of class separability.

    Parameters
    ----------
    function : takes an ascending tuple of column numbers; gives a number, or one for each fold
    d : int
    better : "higher" or "lower"
    monotone : bool
        Whether adding a column never makes it worse, so that branch and bound may be used.
    measure : str, the name that the trace shows
    baseline : float, default None
        Its value for no column; None is worse than any.

    Examples
    --------
    >>> from assay.select.subsets.subset_scores import FunctionScores
    >>> spread = FunctionScores(lambda subset: float(sum(subset)), d=3)
    >>> spread.scores([(0,), (1, 2)])
    array([[0.],
           [3.]])
    """

    def __init__(
        self,
        function: Callable[[tuple[int, ...]], Any],
        d: int,
        *,
        better: str = "higher",
        monotone: bool = False,
        measure: str = "criterion",
        baseline: float | None = None,
    ):
        self.function, self.d, self.measure = function, d, measure
        self.sign = 1 if better == "higher" else -1
        self.monotone = monotone
        self.n_folds = 1
        self.baseline = np.array([-np.inf if baseline is None else self.sign * baseline])

    def scores(self, subsets: Sequence[Subset]) -> np.ndarray:
        values = [np.atleast_1d(self.function(tuple(int(j) for j in s))) for s in subsets]
        if values:
            self.n_folds = len(values[0])
        try:
            return self.sign * np.array(values, dtype=np.float64).reshape(len(subsets), self.n_folds)
        except (TypeError, ValueError):
            raise DataError(
                f"FunctionScores: the function must give a number for each subset of columns, or the same number of "
                f"them (one for each fold) for all; for {tuple(subsets[0])} it gave {values[0].tolist()}."
            ) from None


def subset_scores(
    estimator: Estimator,
    table: TableLike,
    target: Any,
    cv: Splitter = 5,
    scoring: Scoring | None = None,
    weights: np.ndarray | None = None,
    groups: RowLabels | None = None,
    *,
    fast: bool = True,
    n_jobs: int | None = None,
    who: str = "subset_scores",
) -> SubsetScores:
    """The scores of subsets of columns for an estimator: the quick implementation that claims it, else refitting.

    Parameters
    ----------
    estimator : not fitted, cloned for every fit
    table : Table, for learners of ours; or X as it came
    target : EncodedLabels, numbers, or y as it came; None without one
    cv : number of folds, a splitter, a list of (train, test) rows, or a design such as "10x10"
    scoring : name of a measure or of a scorer, a Measure, a function of (model, X, y); None asks ``estimator.score``
    weights : (n,) what each row counts, in fits and in scores
    groups : (n,) rows of one group stay together
    fast : whether quick implementations are looked for
    n_jobs : threads for learners of ours, processes of joblib for others

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.select.subsets.subset_scores import subset_scores
    >>> from assay.tables import Table
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> scores = subset_scores(GaussianNB(), Table.of(iris.X), iris.y, cv=3, scoring="error")
    >>> (scores.sign * scores.scores([(0,), (2, 3)])).mean(axis=1).round(3)
    array([0.287, 0.04 ])
    """
    folds = Folds.of(estimator, table, target, cv, scoring, weights, groups, who)
    return scores_on(estimator, folds, fast=fast, n_jobs=n_jobs)


def scores_on(estimator: Any, folds: Folds, *, fast: bool = True, n_jobs: int | None = None) -> SubsetScores:
    """The same on folds that were made before."""
    from assay.select.subsets.expanded_scores import expanded_scores
    from assay.select.subsets.prepared_folds import prepared_beforehand
    from assay.select.subsets.refit import Refit

    if not fast:
        return Refit(estimator, folds, n_jobs)
    learner, ready = prepared_beforehand(estimator, folds) or (estimator, folds)
    made: SubsetScores | None = None
    for name in FAST:
        implementation = import_module(name).Scores
        if made is None and implementation.claims(learner, ready):
            made = implementation.of(learner, ready)
    made = expanded_scores(learner, ready) if made is None else made
    if made is not None:
        made.baseline, made.ratio = folds.baseline(), folds.ratio
        return made
    if isinstance(estimator, Pipeline):  # its steps may say more of a subset than the learner alone
        return Refit(estimator, folds, n_jobs)
    return Refit(learner, ready, n_jobs)
