"""Boosting with three learners: the third is trained where the first two disagree."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Classifier
from assay.core.meta_estimator import aligned, fit_to, predicted_codes, takes_weights
from assay.core.parameters import Any_, Seed
from assay.core.seeds import LARGEST_SEED, random_state_of, with_seed
from assay.core.stored import Each, Integer, Object
from assay.core.targets import EncodedLabels
from assay.ensembles.boosted import Boosted
from assay.tables.rows import take_rows
from assay.types import Estimator, RandomState

__all__ = ["ThreeLearnerBoosting"]


class ThreeLearnerBoosting(Boosted, Classifier):
    r"""Combine two learners, and a third where they disagree.

    The rows are dealt into three parts, class by class. The first learner is trained on part 1; the second on those
    rows of part 2 that the first gets wrong and as many that it gets right, so that the first is no better than chance
    on them; the third on the rows of part 3 on which the two disagree. If the first two agree, that is the answer, else
    it is the third's. If each errs with probability :math:`\epsilon` on the rows it was made for, the three together
    err with

    .. math:: 3\epsilon^2 - 2\epsilon^3 < \epsilon                                                      \quad (1)

    (Schapire 1990), and the construction may be nested: ``ThreeLearnerBoosting(ThreeLearnerBoosting(...))``. It needs
    many rows: of part 2 and 3 only a few remain, which is why AdaBoost, which uses all rows in each round, took its
    place. A learner for which no rows remain (the first makes no mistake on part 2, or the two never disagree on part
    3) is left out: without a second the first decides alone, without a third the first decides where they disagree. If
    all rows that remain are of one class, that class is the learner's answer.

    Cost: fit three times the estimator, on O(n / 3) rows or fewer each; predict O(1) times three estimators; memory O(n
    d) to fit, and three estimators kept.

    Parameters
    ----------
    estimator : classifier, default None
        None is ``DecisionTreeClassifier(max_depth=1)``. It gets X as it came, nominal columns and gaps included.
    random_state : None, int or RandomState
        Deals the rows, and seeds the learners.

    Attributes
    ----------
    members_ : list of 1 to 3 fitted classifiers, in their order; ``estimators_`` is the same list
    third_ : int or None
        Where the third stands in ``members_``; None if there is none.
    history_ : list of dict: learner, part (rows of its part), rows (of these, trained on), error
        The error is that of the learner on the rows it was trained on.

    Examples
    --------
    >>> from assay.ensembles import ThreeLearnerBoosting
    >>> X, y = [[i] for i in range(30)], ["a"] * 10 + ["b"] * 10 + ["a"] * 10
    >>> model = ThreeLearnerBoosting(random_state=3).fit(X, y)
    >>> [record["rows"] for record in model.history_], model.score(X, y)
    ([11, 10, 6], 1.0)

    See Also
    --------
    AdaBoostClassifier, BaggingClassifier

    References
    ----------
    - Schapire, R. E. (1990). The strength of weak learnability. Machine Learning 5, 197-227.
      doi:10.1007/BF00116037
    """

    card = Card(
        "three learners",
        "two learners, and a third where they disagree",
        settings={"random_state": 0},
        learns=(
            "a vote of three learners",
            "that of the estimator",
            "the second learns from mistakes, the third from disagreement",
            "as the estimator",
        ),
    )
    multiclass = "as the estimator"
    accepts = {"estimator": Any_("a classifier, or None"), "random_state": Seed()}
    stored = {
        "members_": Each(Object(BaseEstimator), 3),
        "third_": Integer(),
    }

    def __init__(self, estimator: Estimator | None = None, *, random_state: RandomState = None):
        self.estimator = estimator
        self.random_state = random_state

    def _grows_trees(self) -> bool:
        return False  # each learner has rows of its own, so there are no columns to share

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        rng = random_state_of(self.random_state)
        self.n_classes_, self.members_, self.third_, self.history_ = len(self.classes_), [], None, []
        part = self._deal(y, rng)
        parts = [np.flatnonzero(part == k) for k in range(3)]

        def train(learner: int, rows: np.ndarray) -> None:
            seed, single = int(rng.randint(LARGEST_SEED)), (y[rows] == y[rows[0]]).all()
            model = with_seed(self._default_estimator() if single else clone(self.estimator_), seed)
            chosen, weights = take_rows(X, rows), None if w is None else w[rows]
            fit_to(
                model,
                chosen,
                EncodedLabels(y[rows], self.classes_),
                weights if takes_weights(model) else None,
                type(self).__name__,
            )
            self.members_.append(model)
            error = float(np.mean(self._says(model, chosen) != y[rows]))
            self.history_.append(
                {"learner": learner, "part": len(parts[learner - 1]), "rows": len(rows), "error": error}
            )

        if w is not None:
            parts = [rows[w[rows] > 0] for rows in parts]
            if not len(parts[0]):
                parts = sorted(parts, key=len, reverse=True)
        train(1, parts[0])
        if len(parts[1]):
            wrong = self._says(self.members_[0], take_rows(X, parts[1])) != y[parts[1]]
            if wrong.any():
                right = rng.permutation(parts[1][~wrong])[: int(wrong.sum())]
                train(2, np.sort(np.concatenate((parts[1][wrong], right))))
        if len(parts[2]) and len(self.members_) == 2:
            first, second = (self._says(model, take_rows(X, parts[2])) for model in self.members_)
            if (first != second).any():
                train(3, parts[2][first != second])
                self.third_ = 2

    def _deal(self, y: np.ndarray, rng: Any) -> np.ndarray:
        """(n,) the part of each row, 0 to 2: the rows of each class are dealt in random order."""
        shuffled = rng.permutation(len(y))
        rows = shuffled[np.argsort(y[shuffled], kind="stable")]  # class by class
        first = np.searchsorted(y[rows], y[rows])  # where the class of each begins
        part = np.empty(len(y), np.int64)
        part[rows] = (np.arange(len(y)) - first) % 3
        return part

    def _says(self, model: Any, X: Any) -> np.ndarray:
        return predicted_codes(model, X, self.classes_)

    def _posterior(self, X: Any) -> np.ndarray:
        each = [self._aligned(model, X) for model in self.members_]
        if len(each) == 1:
            return each[0]
        agree = np.argmax(each[0], axis=1) == np.argmax(each[1], axis=1)
        otherwise = each[0] if self.third_ is None else each[self.third_]
        return np.where(agree[:, None], (each[0] + each[1]) / 2, otherwise)

    def _aligned(self, model: Any, X: Any) -> np.ndarray:
        """(n, K) a member's posterior; its votes if it has none."""
        if hasattr(model, "predict_proba"):
            return aligned(np.asarray(model.predict_proba(X)), model.classes_, self.classes_)
        return np.eye(len(self.classes_))[self._says(model, X)]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        names, answers = ["first", "second", "third"], [self._says(member, X) for member in self.members_]

        def sections(i: int) -> list[Section]:
            lines = [[name, str(self.classes_[codes[i]])] for name, codes in zip(names, answers)]
            agreed = len(lines) == 1 or lines[0][1] == lines[1][1]
            decides = "the first two agree" if agreed and len(lines) > 1 else "the first decides"
            if not agreed and self.third_ is not None:
                decides = "the first two disagree, so the third decides"
            return [Section("Answers of the learners", ["learner", "answer"], lines, f"Here {decides}.")]

        return Reasons(sections)
