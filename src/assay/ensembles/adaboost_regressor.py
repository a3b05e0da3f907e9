"""AdaBoost.R2: boosting for numbers; rows with large errors are drawn more often."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Regressor
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import LARGEST_SEED, random_state_of
from assay.core.stored import FloatArray
from assay.ensembles.boosted import Boosted
from assay.ensembles.weak_learners import (
    SumOfTrees,
    WeakEstimators,
    WeakTrees,
    as_kept,
    kept,
)
from assay.errors import DataError, DegenerateWarning, warn_user
from assay.types import Estimator, RandomState, TableLike, Target, Weights

__all__ = ["AdaBoostRegressor"]


class AdaBoostRegressor(Boosted, Regressor):
    r"""Draw the rows that earlier regressions missed more often, and answer with a weighted median.

    Round t draws n rows with probabilities :math:`p_i`, fits a regression to them, and measures on all rows

    .. math:: L_i = \ell\left(\frac{|f_t(x_i)-y_i|}{\max_j|f_t(x_j)-y_j|}\right),\qquad
              \bar L = \sum_i p_iL_i,\qquad \beta_t = \frac{\bar L}{1-\bar L}                               \quad (1)

    with :math:`\ell(u) = u`, :math:`u^2` or :math:`1-e^{-u}`; then :math:`p_i` is multiplied by
    :math:`\beta_t^{\nu(1-L_i)}` and all are divided by their sum (2). The answer is the median of the members' answers
    with the weights :math:`\nu\ln(1/\beta_t)` (3) (Drucker 1997).

    Boosting ends early with a member that makes no error (weight 1), and with one whose mean loss is one half or
    more, which is dropped unless it is the first. A drop-in for scikit-learn's class of this name; nominal columns and
    missing values reach the trees as they are. Answers differ from scikit-learn's for the same seed where trees break
    ties otherwise.

    Cost: fit O(T n d depth) for T rounds of trees; predict O(T (depth + log T)) a row, for the weighted median; memory
    O(n d) to fit, O(T nodes) kept.

    Parameters
    ----------
    estimator : regressor, default None
        None is ``DecisionTreeRegressor(max_depth=3)``. It need not take ``sample_weight``.
    n_estimators : int, default 50
        The largest number of rounds.
    learning_rate : float, default 1.0
        :math:`\nu` in (2), (3).
    loss : "linear", "square" or "exponential", default "linear"
    random_state : None, int or RandomState
        Seeds the sampling and the members.

    Attributes
    ----------
    estimators_ : list of fitted regressors      estimator_ : what they are clones of
    estimator_weights_, estimator_errors_ : (n_estimators,) weights (3) and mean losses; 0 and 1 after the end
    history_ : list of dict: round, loss, beta, log_inverse_beta      feature_importances_ : (d,)

    Examples
    --------
    >>> from assay.ensembles import AdaBoostRegressor
    >>> X, y = [[i] for i in range(20)], [1.0] * 10 + [5.0] * 10
    >>> AdaBoostRegressor(random_state=0).fit(X, y).predict([[0], [19]])
    array([1., 5.])

    See Also
    --------
    GradientBoostingRegressor, AdaBoostClassifier, BaggingRegressor

    References
    ----------
    - Drucker, H. (1997). Improving regressors using boosting techniques. International Conference on Machine
      Learning, 107-115.
    """

    card = Card(
        "adaboost",
        "trees on the rows that earlier ones missed, combined by a weighted median",
        settings={"random_state": 0},
        learns=(
            "a weighted median of weak learners",
            "exponential loss of the errors",
            "one learner after the other",
            "greedy",
        ),
    )
    _task = "regressor"
    accepts = {
        "estimator": Any_("a regressor, or None"),
        "n_estimators": Count(1),
        "learning_rate": Range(0, open="low"),
        "loss": Choice("linear", "square", "exponential"),
        "random_state": Seed(),
    }
    stored = {
        "estimator_errors_": FloatArray("*"),
        "estimator_weights_": FloatArray("*"),
    }

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        loss: str = "linear",
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.random_state = random_state

    def _default_estimator(self) -> Any:
        from assay.trees.decision_tree_regressor import DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=3)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if y.ndim != 1:
            raise DataError(
                f"{type(self).__name__}: y should be a 1d array, got an array of shape {y.shape} instead."
            )
        n, T, grows_trees = len(y), self.n_estimators, self._grows_trees()
        self.members_, self.history_ = [], []
        self.estimator_weights_, self.estimator_errors_ = np.zeros(T), np.ones(T)
        seeds: list[int] = []
        rng = random_state_of(self.random_state)
        weak: Any = (
            WeakTrees(self.estimator_, X, self.schema_)
            if grows_trees
            else WeakEstimators(self.estimator_, X, type(self).__name__, weighted=False)
        )
        p = np.full(n, 1 / n) if w is None else w / w.sum()
        absent = p == 0
        with progress(total=T, description=type(self).__name__) as bar:
            for t in range(T):
                p = np.where(absent, 0.0, np.maximum(p, np.finfo(np.float64).eps))
                seeds.append(int(rng.randint(LARGEST_SEED)))
                rows = rng.choice(n, size=n, p=p / p.sum())
                member = (
                    weak.learn(y, np.bincount(rows, minlength=n), seeds[-1])
                    if grows_trees
                    else weak.learn_rows(rows, y, seeds[-1])
                )
                loss = self._losses(np.abs(self._answer(member, X) - y), absent)
                mean = float((p * loss).sum())  # (1)
                if mean >= 0.5 and self.members_:
                    seeds.pop()
                    break
                self.members_.append(member)
                beta = mean / (1 - mean)
                a = 1.0 if mean <= 0 else float(-self.learning_rate * np.log(beta))  # (3)
                if mean < 0.5:
                    self.estimator_weights_[t], self.estimator_errors_[t] = a, mean
                inverse = float(-np.log(beta)) if beta > 0 else float("inf")
                self.history_.append(
                    {"round": t + 1, "loss": mean, "beta": beta, "log_inverse_beta": inverse}
                )
                bar.advance()
                if mean <= 0 or mean >= 0.5 or t == T - 1:
                    break
                p = p * beta ** (self.learning_rate * (1 - loss))  # (2)
                total = p.sum()
                if not 0 < total < np.inf:
                    warn_user(
                        f"{type(self).__name__}: the weights of the rows ran out of range in round {t + 1}, so "
                        "boosting ended there. Try lowering the learning rate.",
                        DegenerateWarning,
                    )
                    break
                p /= total
        self.seeds_, self.members_ = np.array(seeds, np.int64), as_kept(self.members_)

    def _losses(self, off: np.ndarray, absent: np.ndarray) -> np.ndarray:
        """(n,) the loss of each row, between 0 and 1; 0 for rows of weight 0."""
        off = np.where(absent, 0.0, off)
        worst = off.max()
        u = off / worst if worst > 0 else off
        if self.loss == "square":
            return u**2
        return 1 - np.exp(-u) if self.loss == "exponential" else u

    def _answer(self, member: Any, X: Any) -> np.ndarray:
        if self._grows_trees():
            return member.values[member.apply(X), 0]
        return np.asarray(member.predict(X), np.float64)

    def _weights_of_members(self) -> np.ndarray:
        weights = self.estimator_weights_[: len(self.members_)]
        return weights if weights.any() else np.ones(len(weights))

    def _answers(self, X: Any) -> np.ndarray:
        """(n, members) the answer of each member."""
        if self._grows_trees():
            return kept(self, lambda: SumOfTrees(self.members_, range(len(self.members_)))).sums(X)
        return np.column_stack([self._answer(member, X) for member in self.members_])

    def _predict(self, X: Any) -> np.ndarray:
        return _weighted_median(self._answers(X), self.estimator_weights_[: len(self.members_)])

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        answers, weights = self._answers(X), self._weights_of_members()
        columns = ["member", "answer", "weight", "share of the weight so far"]
        note = "The answer is the first at which half of the weight is reached."

        def sections(i: int) -> list[Section]:
            order = np.argsort(answers[i], kind="stable")
            below = np.cumsum(weights[order]) / weights.sum()
            half = int(np.argmax(below >= 0.5))
            shown = sorted({0, half // 2, half, (half + len(order)) // 2, len(order) - 1})
            lines = [
                [int(order[t]) + 1, float(answers[i, order[t]]), float(weights[order[t]]), float(below[t])]
                for t in shown
            ]
            return [Section(f"Answers of {len(order)} members, ascending", columns, lines, note)]

        return Reasons(sections)

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """(n,) the answers after each round."""
        answers = self._answers(self._admit(X))
        for t in range(1, len(self.members_) + 1):
            yield _weighted_median(answers[:, :t], self.estimator_weights_[:t])

    def staged_score(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Iterator[float]:
        """The coefficient of determination after each round."""
        from sklearn.metrics import r2_score

        for answers in self.staged_predict(X):
            yield float(r2_score(y, answers, sample_weight=sample_weight))


def _weighted_median(answers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(n,) for each row the smallest answer up to which half of the weight lies."""
    order = np.argsort(answers, axis=1, kind="stable")
    mass = np.cumsum(weights[order], axis=1)
    middle = np.argmax(mass >= 0.5 * mass[:, -1:], axis=1)
    rows = np.arange(len(answers))
    return answers[rows, order[rows, middle]]
