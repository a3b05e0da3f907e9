"""One against one: a binary classifier for each pair of classes."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from assay.core import Card
from assay.core.available import available_if
from assay.core.discriminant import Discriminant
from assay.core.explanation import Section
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.learner import python_label
from assay.core.parameters import Any_, Choice
from assay.core.stored import CodeArray, Each
from assay.core.targets import label_codes
from assay.ensembles.binary_problems import (
    BINARY,
    BinaryProblems,
    member_has,
    names_with_reject,
    refuse_label_of_a_class,
    refuse_one_class,
    says_one,
)
from assay.tables.rows import entries_of_rows, take_columns, take_rows
from assay.types import Estimator, Label, Labels, TableLike, Target

__all__ = ["OneVsOneClassifier"]


HUGE = 1e150  # scores beyond this count as this, so that sums of them are numbers


class OneVsOneClassifier(BinaryProblems, Discriminant):
    r"""Combine binary classifiers, one for each pair of classes, by vote or tournament.

    Member (i, j) learns the rows of classes i < j; its score :math:`g_{ij}=-g_{ji}` is positive where class i wins.
    With K classes there are K (K - 1) / 2 members, each of a small problem, and classes that are not linearly separable
    from all others at once may still be so pair by pair.

    .. math:: v_i = \sum_{j\neq i} 1[g_{ij}>0],\qquad s_i = \sum_{j\neq i} g_{ij}                    \quad (1)

    are the wins and the summed confidences of class i. ``decision`` makes an answer of them:

    - "vote": most wins; among equals the largest sum. The champion of a tournament in which each meets each.
    - "tournament": a knock-out: the winner so far meets the next class, so a row costs K - 1 duels only.
    - "all": the class that wins all its duels; a refusal where none does.
    - "sum": the largest :math:`s_i`, which needs no duel to be won.

    Cost: fit K (K - 1) / 2 times the estimator, on O(n / K) rows each; predict O(K^2) times the estimator's; memory O(n
    d) to fit, and K (K - 1) / 2 estimators kept.

    Parameters
    ----------
    estimator : classifier or regressor, default None
        What is fitted for each pair, with labels 0 (the first) and 1; None is a LogisticRegression. Learners of Assay
        get raw tables.
    n_jobs : int or None, default None
        Most members at work at a time. Members that are learners of Assay work in threads, and None takes as many as
        the machine has; others work in processes, and None is one.
    decision : "vote", "tournament", "all" or "sum", default "vote"
    reject_label : default "reject"
        What a refused row is called, as in OneVsRestClassifier.

    Attributes
    ----------
    estimators_ : list of K (K - 1) / 2 members, in the order (0, 1), (0, 2), ..., (1, 2), ...
    classes_ : (K,)      n_classes_ : int
    pairwise_indices_ : None, or for members with precomputed kernels the rows of each

    Notes
    -----
    The peer adds up probabilities as they are, between 0 and 1, which in ties favours later classes; here they count
    from one half.

    Examples
    --------
    Three groups in a row, which one against the rest cannot all separate:

    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.ensembles import OneVsOneClassifier
    >>> X, y = [[-3.0], [-2.0], [-0.5], [0.5], [2.0], [3.0]], ["left", "left", "middle", "middle", "right", "right"]
    >>> model = OneVsOneClassifier(LinearDiscriminantAnalysis(), decision="all").fit(X, y)
    >>> model.predict([[-4.0], [0.0], [4.0]])
    array(['left', 'middle', 'right'], dtype='<U6')

    See Also
    --------
    OneVsRestClassifier, OutputCodeClassifier

    References
    ----------
    - Hastie, T. and Tibshirani, R. (1998). Classification by pairwise coupling. Annals of Statistics 26(2),
      451-471. doi:10.1214/aos/1028144844
    - Fürnkranz, J. (2002). Round robin classification. Journal of Machine Learning Research 2, 721-747.
    """

    card = Card(
        "one vs one",
        "one classifier for each pair of classes",
        also=("ovo",),
        learns=(
            "a classifier of each pair of classes",
            "that of the estimator, for each pair",
            "that of the estimator",
            "as the estimator",
        ),
    )
    multiclass = "one-vs-one"
    accepts = {
        **BINARY,
        "decision": Choice("vote", "tournament", "all", "sum"),
        "reject_label": Any_("a label"),
    }
    stored = {"pairwise_indices_": Each(CodeArray("*")) | None}

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        n_jobs: int | None = None,
        decision: str = "vote",
        reject_label: Label = "reject",
    ):
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.decision = decision
        self.reject_label = reject_label

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        refuse_one_class(type(self).__name__, self.classes_)
        if self.decision == "all" and len(self.classes_) > 2:
            refuse_label_of_a_class(type(self).__name__, self.classes_, self.reject_label)
        by_class = [np.flatnonzero(y == k) for k in range(len(self.classes_))]
        kernel = get_tags(self._template()).input_tags.pairwise

        def duel(pair: tuple[int, int]) -> tuple[Any, np.ndarray]:
            rows = np.sort(np.concatenate([by_class[k] for k in pair]))
            part = take_rows(X, rows)
            part = take_columns(part, rows) if kernel else part
            target, weights = (y[rows] == pair[1]).astype(np.int64), None if w is None else w[rows]
            return self._fit_member(part, target, weights, rows, len(y)), rows

        width = X.shape[1] if len(X.shape) > 1 else 1
        members = self._of_each(duel, self._pairs(), (len(self.classes_) - 1) * X.shape[0] * width)
        self.estimators_ = [model for model, _ in members]
        self.pairwise_indices_ = [rows for _, rows in members] if kernel else None

    def _pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.classes_)), 2))

    @available_if(member_has("partial_fit"))
    def partial_fit(self, X: TableLike, y: Target, classes: Labels | None = None, **params: Any) -> Self:
        """Let each member learn some more rows of its two classes.

        Parameters
        ----------
        X, y : some rows
        classes : all class labels; needed in the first call, since some rows may lack some
        params : passed on to the members: one value per row (such as sample_weight), or one for all
        """
        return self._all_or_as_before(OneVsOneClassifier._take, X, y, classes, self._part_params(params))

    def _take(self, X: Any, y: Any, classes: Any, params: dict[str, Any]) -> Self:
        """One block of rows."""
        self._check_parameters()
        who = type(self).__name__
        if self._begin_parts(classes):
            refuse_one_class(who, self.classes_)
            self.estimators_ = [clone(self._template()) for _ in self._pairs()]
            self.pairwise_indices_ = None
        values = X if hasattr(X, "shape") else np.asarray(X)
        n = values.shape[0]
        codes = label_codes(y, self.classes_, n, who)

        pairs = self._pairs()

        def more(k: int) -> None:
            i, j = pairs[k]
            rows = np.flatnonzero((codes == i) | (codes == j))
            if len(rows):
                part_params = entries_of_rows(params, rows, n)
                target = (codes[rows] == j).astype(np.int64)
                self.estimators_[k].partial_fit(
                    take_rows(values, rows), target, classes=np.array([0, 1]), **part_params
                )

        self._of_each(more, list(range(len(self.estimators_))), n)
        self._adopt_columns()
        return self

    def _columns_of(self, k: int, X: Any) -> Any:
        return X if self.pairwise_indices_ is None else take_columns(X, self.pairwise_indices_[k])

    # ------------------------------------------------------------------ answers

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the answers."""
        chosen = self._choose(self._admit(X))
        refusing = self.decision == "all" and len(self.classes_) > 2
        return (names_with_reject(self.classes_, self.reject_label) if refusing else self.classes_)[chosen]

    def _choose(self, X: Any) -> np.ndarray:
        if self.decision == "tournament":
            return self._knock_out(X)
        wins, sums = self._wins_and_sums(X)
        if self.decision == "sum":
            return np.argmax(sums, axis=1)
        best = np.argmax(_ranked(wins, sums), axis=1)
        if self.decision == "all" and len(self.classes_) > 2:
            return np.where(wins.max(axis=1) == len(self.classes_) - 1, best, -1)
        return best

    def _wins_and_sums(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """(n, K) twice: v and s of (1)."""
        scores = np.clip(self._score_members(X), -HUGE, HUGE)
        wins, sums = np.zeros((2, X.shape[0], len(self.classes_)))
        for k, (i, j) in enumerate(self._pairs()):
            second = says_one(self.estimators_[k], self._columns_of(k, X), scores[:, k])
            wins[:, i] += ~second
            wins[:, j] += second
            sums[:, i] -= scores[:, k]
            sums[:, j] += scores[:, k]
        return wins, sums

    def _knock_out(self, X: Any) -> np.ndarray:
        K, champion = len(self.classes_), np.zeros(X.shape[0], dtype=np.int64)
        number = {pair: k for k, pair in enumerate(self._pairs())}
        for j in range(1, K):
            for i in np.unique(champion):
                rows = np.flatnonzero(champion == i)
                k, part = number[int(i), j], take_rows(X, rows)
                score = self._score(k, part)
                champion[rows[says_one(self.estimators_[k], self._columns_of(k, part), score)]] = j
        return champion

    def _scores(self, X: Any) -> np.ndarray:
        wins, sums = self._wins_and_sums(X)
        table = sums if self.decision == "sum" else _ranked(wins, sums)
        return table[:, 1] if len(self.classes_) == 2 else table

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n,) for two classes, else (n, K): wins plus a third at most for the sum of confidences; "sum": the sum."""
        return self._scores(self._admit(X))

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        scores, (wins, sums), pairs = self._score_members(X), self._wins_and_sums(X), self._pairs()
        firsts = [
            ~says_one(model, self._columns_of(k, X), scores[:, k]) for k, model in enumerate(self.estimators_)
        ]
        codes, names = self._choose(X), [str(label) for label in self.classes_]
        answers = [python_label(self.classes_[k]) if k >= 0 else self.reject_label for k in codes]
        members = np.full(len(codes), -1)
        if self.pairwise_indices_ is None:  # the duel of the answer with the class next to it
            ranked = _ranked(wins, sums).copy()
            ranked[np.arange(len(codes)), codes] = -np.inf
            rivals = np.argmax(ranked, axis=1)
            places = {pair: k for k, pair in enumerate(pairs)}
            duels = [(min(k, r), max(k, r)) for k, r in zip(codes.tolist(), rivals.tolist())]
            members = np.array([places.get(pair, -1) if k >= 0 else -1 for k, pair in zip(codes, duels)], int)
        inner = self._member_reasons(
            members, X, lambda k: f"Member {names[pairs[k][0]]} : {names[pairs[k][1]]}"
        )
        note = "To a member 0 is the first class of its pair, and 1 the second."

        def sections(i: int) -> list[Section]:
            table = [[c, int(v), float(s)] for c, v, s in zip(names, wins[i], sums[i])]
            lines = [
                [f"{names[a]} : {names[b]}", float(-scores[i, k]), names[a if firsts[k][i] else b]]
                for k, (a, b) in enumerate(pairs)
            ]
            return [
                Section("Wins", ["class", "wins", "sum of confidences"], table),
                Section("Duels", ["pair", "score of the first", "winner"], lines, note),
                *inner(i),
            ]

        return Explanations(type(self).__name__, answers, rows, Reasons(sections))


def _ranked(wins: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Wins, and a part below one half that grows with the sum of confidences, so that it decides ties alone."""
    return wins + sums / (3 * (np.abs(sums) + 1))
