"""Answers of the levels of a cascade for rows that they did not learn from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.core.meta_estimator import fit_to
from assay.core.targets import EncodedLabels
from assay.decide._meta import posterior_of
from assay.ensembles.committees.folds import Folds, folds_of
from assay.errors import DataError
from assay.tables.rows import take_rows

__all__ = ["LevelFolds"]

FEWEST = 4  # rows of which some can be left out


class LevelFolds:
    """Folds in which levels answer for rows that they did not learn from; later levels have fewer rows.

    A number of folds is dealt anew among the rows of each level, a splitter's folds are those of all rows. A fold whose
    training rows are of one class has no answers, and later levels may have too few rows for any.

    Parameters
    ----------
    cv : as in RejectCascade      X, y, w : all rows      split : groups or times of all rows      who : for messages
    """

    def __init__(
        self,
        cv: Any,
        X: Any,
        y: EncodedLabels,
        w: np.ndarray | None,
        split: Mapping[str, np.ndarray],
        who: str,
    ):
        self.cv, self.X, self.y, self.w, self.split, self.who = cv, X, y, w, split, who
        self._of_splitter: Folds | None = None

    def fit(self, level: Any, rows: np.ndarray) -> Any:
        """A clone of a level, fitted to some rows."""
        X, y, w = self.X, self.y, self.w
        if len(rows) < len(y):
            X, y, w = take_rows(X, rows), y[rows], None if w is None else w[rows]
        return fit_to(clone(level), X, y, w, self.who)

    def posteriors(self, level: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(m, K) posteriors of those of some rows that a level did not learn from, and the numbers of these rows."""
        classes = self.y.classes
        if len(classes) < 2 or (len(rows) < FEWEST and not self.split):  # of too few, of those that it did
            return posterior_of(self.fit(level, rows), take_rows(self.X, rows), classes, self.who), rows
        total, times = np.zeros((len(self.y), len(classes))), np.zeros(len(self.y))
        for train, test in self._folds(rows):
            if len(np.unique(self.y.codes[train])) > 1 and len(test):
                model = self.fit(level, train)
                total[test] += posterior_of(model, take_rows(self.X, test), classes, self.who)
                times[test] += 1
        answered = np.flatnonzero(times)
        return total[answered] / times[answered, None], answered

    def _folds(self, rows: np.ndarray) -> Folds:
        """Pairs (train, test) of row numbers."""
        if isinstance(self.cv, (int, np.integer)):
            return [(rows[train], rows[test]) for train, test in self._dealt(int(self.cv), rows)]
        if self._of_splitter is None:
            self._of_splitter = folds_of(self.cv, self.X, self.y, True, self.who, self.split)
        among = np.zeros(len(self.y), dtype=bool)
        among[rows] = True
        return [(train[among[train]], test[among[test]]) for train, test in self._of_splitter]

    def _dealt(self, k: int, rows: np.ndarray) -> Folds:
        """Pairs (train, test) of places among some rows."""
        from sklearn.model_selection import KFold, StratifiedKFold

        y, some = self.y[rows], {name: column[rows] for name, column in self.split.items()}
        if not some:
            least = int(np.bincount(y.codes).min())
            splitter = StratifiedKFold(min(k, least)) if least > 1 else KFold(min(k, len(rows)))
            return list(splitter.split(np.zeros((len(rows), 1)), y.codes))
        if "groups" in some:
            k = min(k, len(np.unique(some["groups"])))
        try:
            return folds_of(k, self.X, y, True, self.who, some)
        except DataError:
            if len(rows) == len(self.y):
                raise
            return []
