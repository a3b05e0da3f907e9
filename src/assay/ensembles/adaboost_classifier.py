"""AdaBoost: each weak classifier learns what those before it got wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.learner import Classifier
from assay.core.meta_estimator import predicted_codes
from assay.core.parameters import Any_, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.scores import softmax
from assay.core.seeds import LARGEST_SEED, random_state_of
from assay.core.stored import FloatArray
from assay.core.targets import EncodedLabels
from assay.ensembles.boosted import Boosted
from assay.ensembles.boosting_theory import training_error_bound
from assay.ensembles.damping import ROUNDING
from assay.ensembles.weak_learners import (
    SumOfTrees,
    WeakEstimators,
    WeakTrees,
    as_kept,
    kept,
    values_of,
)
from assay.errors import DegenerateError
from assay.trees.shap import column_reasons
from assay.types import Estimator, RandomState, TableLike

__all__ = ["AdaBoostClassifier"]


class AdaBoostClassifier(Boosted, Classifier):
    r"""Let weak classifiers vote, each trained with weights on what the earlier ones got wrong.

    All rows begin with the same weight :math:`p_i`. Round t fits a classifier with these weights, and with its error

    .. math:: \epsilon_t = \sum_i p_i\,[h_t(x_i)\ne y_i],\qquad \beta_t = \frac{\epsilon_t}{1-\epsilon_t},\qquad
              a_t = \nu\left(\ln\frac1{\beta_t} + \ln(K-1)\right)                                \quad (1)

    the weights of the rows it got wrong are multiplied by :math:`e^{a_t}` and all are divided by their sum (2). The
    answer is the class with the largest sum of :math:`a_t` over the classifiers that voted for it. That is SAMME;
    AdaBoost.M1 leaves out :math:`\ln(K-1)`, and is the same for two classes. The posterior is the softmax of
    :math:`f_k/(K-1)` with the scores :math:`f_k = \sum_t a_t\,(K v_{tk}-1)/(K-1)\,/\sum_t a_t` of the votes
    :math:`v_{tk}` (3).

    Each round multiplies the mean of the exponential loss :math:`e^{-\sum_t a_t([h_t=y]-1/K)}` by

    .. math:: (1-\epsilon_t)\,e^{-a_t(K-1)/K} + \epsilon_t\,e^{a_t/K}                              \quad (4)

    which is least for :math:`\nu = 1` (K is 2 for M1). A rate with which it is above 1 (above 2, for two classes) would
    raise the loss; then :math:`\nu` is 1 in that round.

    Boosting ends early when a classifier makes no error (SAMME gives it weight 1, as scikit-learn does; M1, in which
    its weight is infinite, keeps it alone), or when one is no better than chance (:math:`\epsilon\ge 1-1/K`, for M1
    :math:`\epsilon\ge\frac12`: it is dropped; if it is the first, that is an error). Noise in the labels gets ever more
    weight: prefer few rounds, or other losses, on noisy data.

    A drop-in for scikit-learn's class of this name. The trees are our own, so nominal columns and missing values are
    used as they are; their columns are ranked once for all rounds.

    Cost: fit O(d n log n) to sort the columns, then O(T n d) for T rounds of stumps; predict O(T) a row; memory O(n d)
    to fit, O(T) kept.

    Parameters
    ----------
    estimator : classifier, default None
        The weak learner; None is ``DecisionTreeClassifier(max_depth=1)``, a stump. Any classifier that takes
        ``sample_weight``, or any at all with ``resampling``.
    n_estimators : int, default 50
        The largest number of rounds.
    learning_rate : float, default 1.0
        :math:`\nu` in (1).
    random_state : None, int or RandomState
        Seeds the weak learners, and the sampling.
    variant : "samme" or "m1", default "samme"
    resampling : bool, default False
        Draw n rows with probabilities :math:`p_i` and fit without weights, instead of fitting with them.

    Attributes
    ----------
    estimators_ : list of fitted classifiers      estimator_ : what they are clones of
    estimator_weights_, estimator_errors_ : (n_estimators,) :math:`a_t` and :math:`\epsilon_t`; 0 and 1 after the end
    history_ : list of dict
        One record per round: round, error, beta, log_inverse_beta, weight, training_error, and bound, which the
        training error cannot exceed (None for SAMME with more than two classes, where there is no such bound).
    feature_importances_ : (d,)      n_classes_ : K      classes_ : (K,)

    Examples
    --------
    Three stumps learn what none of them can:

    >>> from assay.ensembles import AdaBoostClassifier
    >>> X, y = [[i] for i in range(10)], [1, 1, 1, 0, 0, 0, 1, 1, 1, 0]
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> [round(record["error"], 6) for record in model.history_]
    [0.3, 0.214286, 0.181818]
    >>> model.history_[-1]["training_error"], round(model.history_[-1]["bound"], 6)
    (0.0, 0.580193)

    See Also
    --------
    AdaBoostM2Classifier, LogitBoostClassifier, GentleBoostClassifier, AdaBoostRegressor

    References
    ----------
    - Freund, Y. and Schapire, R. E. (1997). A decision-theoretic generalization of on-line learning and an
      application to boosting. Journal of Computer and System Sciences 55(1), 119-139. doi:10.1006/jcss.1997.1504
    - Zhu, J., Zou, H., Rosset, S. and Hastie, T. (2009). Multi-class AdaBoost. Statistics and Its Interface 2(3),
      349-360.
    """

    card = Card(
        "adaboost",
        "stumps that look at the rows the others got wrong",
        settings={"random_state": 0},
        learns=(
            "a weighted vote of weak learners",
            "exponential loss",
            "one learner after the other",
            "greedy",
        ),
    )
    accepts = {
        "estimator": Any_("a classifier, or None"),
        "n_estimators": Count(1),
        "learning_rate": Range(0, open="low"),
        "random_state": Seed(),
        "variant": Choice("samme", "m1"),
        "resampling": Flag(),
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
        random_state: RandomState = None,
        variant: str = "samme",
        resampling: bool = False,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.variant = variant
        self.resampling = resampling

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        n, K, T = len(y), len(self.classes_), self.n_estimators
        self.n_classes_ = K
        self.members_, self.seeds_, self.history_ = [], np.zeros(0, np.int64), []
        self.estimator_weights_, self.estimator_errors_ = np.zeros(T), np.ones(T)
        rng = random_state_of(self.random_state)
        weak, labels = self._weak_learner(X, y)
        p = np.full(n, 1 / n) if w is None else w / w.sum()
        first, absent, votes = p, p == 0, np.zeros((n, K))
        with progress(total=T, description=type(self).__name__) as bar:
            for t in range(T):
                p = np.where(absent, 0.0, np.maximum(p, np.finfo(np.float64).eps))
                seed = int(rng.randint(LARGEST_SEED))
                member = self._member(weak, labels, p, seed, rng)
                answers = self._vote(member, X)
                wrong = answers != y
                error = float(p[wrong].sum() / p.sum())  # (1)
                if not self._better_than_chance(error, K):
                    break
                if error <= 0 and self.variant == "m1":  # its weight is infinite
                    self.members_, self.seeds_, self.history_ = [], self.seeds_[:0], []
                    self.estimator_weights_[:], self.estimator_errors_[:], votes[:] = 0, 1, 0
                a = 1.0 if error <= 0 else self._weight(error, K)
                at = len(self.members_)
                self.members_.append(member)
                self.seeds_ = np.append(self.seeds_, seed)
                self.estimator_weights_[at], self.estimator_errors_[at] = a, max(error, 0.0)
                votes[np.arange(n), answers] += a
                self._record(at, error, a, float(first[np.argmax(votes, axis=1) != y].sum()), K)
                bar.advance()
                if error <= 0 or t == T - 1:
                    break
                p = np.where(wrong, p * np.exp(a), p)  # (2)
                p /= p.sum()
        self.members_ = as_kept(self.members_)

    def _weak_learner(self, X: Any, y: np.ndarray) -> tuple[Any, Any]:
        """Where the members come from, and the targets as they want them."""
        if self._grows_trees():
            return WeakTrees(self.estimator_, X, self.schema_, self.classes_), y
        return WeakEstimators(self.estimator_, X, type(self).__name__, not self.resampling), EncodedLabels(
            y, self.classes_
        )

    def _member(self, weak: Any, labels: Any, p: np.ndarray, seed: int, rng: Any) -> Any:
        if not self.resampling:
            return weak.learn(labels, p, seed)
        rows = rng.choice(len(p), size=len(p), p=p / p.sum())
        if isinstance(weak, WeakTrees):
            return weak.learn(labels, np.bincount(rows, minlength=len(p)), seed)
        return weak.learn_rows(rows, labels, seed)

    def _better_than_chance(self, error: float, K: int) -> bool:
        """Whether a member with this error is of use; if the first is not, nothing can be learned."""
        limit = 0.5 if self.variant == "m1" else 1 - 1 / K
        if error <= 0 or error < limit:
            return True
        if not self.members_:
            raise DegenerateError(
                f"{type(self).__name__}: the first {type(self.estimator_).__name__} errs on {error:.3g} of the weight, "
                f"so it is worse than random (limit {limit:.3g}) and the ensemble can not be fit. Use a stronger "
                "estimator, such as a deeper tree."
            )
        return False

    def _weight(self, error: float, K: int) -> float:
        K = 2 if self.variant == "m1" else K
        best = np.log((1 - error) / error) + np.log(K - 1.0)
        a = self.learning_rate * best  # (1)
        with np.errstate(over="ignore"):
            times = (1 - error) * np.exp(-a * (K - 1) / K) + error * np.exp(a / K)  # (4)
        return float(best if times > 1 + ROUNDING else a)

    def _record(self, t: int, error: float, a: float, training_error: float, K: int) -> None:
        bounded = K <= 2 or self.variant == "m1"
        errors = self.estimator_errors_[: t + 1]
        beta = error / (1 - error)
        rate = self.learning_rate if self.learning_rate <= 2 else 1.0  # (4)
        self.history_.append(
            {
                "round": t + 1,
                "error": error,
                "beta": beta,
                "log_inverse_beta": float(np.log(1 / beta)) if beta > 0 else float("inf"),
                "weight": a,
                "training_error": training_error,
                "bound": float(training_error_bound(errors, rate)[-1]) if bounded else None,
            }
        )

    # ------------------------------------------------------------------ answers of the members

    def _vote(self, member: Any, X: Any) -> np.ndarray:
        """(n,) the class that a member votes for, as a number."""
        if self._grows_trees():
            return self.estimator_._decide(member.values)[member.apply(X)]
        return predicted_codes(member, X, self.classes_)

    @property
    def _votes_of_trees(self) -> SumOfTrees:
        """The members as trees whose leaves are weighted votes."""

        def make() -> SumOfTrees:
            votes = np.eye(len(self.classes_))[self.estimator_._decide(values_of(self.members_))]
            return SumOfTrees(self.members_, scale=self._weights_of_members(), value=votes)

        return kept(self, make)

    def _staged_votes(self, X: Any) -> Iterator[np.ndarray]:
        if self._grows_trees():
            yield from self._votes_of_trees.staged_sums(X)
            return
        votes = np.zeros((X.shape[0], len(self.classes_)))
        for member, a in zip(self.members_, self.estimator_weights_):
            votes = votes.copy()
            votes[np.arange(len(votes)), self._vote(member, X)] += a
            yield votes

    def _votes(self, X: Any) -> np.ndarray:
        """(n, K) the weight of the votes for each class."""
        if self._grows_trees():
            return self._votes_of_trees.sums(X)
        *_, votes = self._staged_votes(X)
        return votes

    def _weights_of_members(self) -> np.ndarray:
        return self.estimator_weights_[: len(self.members_)]

    def staged_votes(self, X: TableLike) -> Iterator[np.ndarray]:
        """(n,) the class number that each member votes for, member by member."""
        X = self._admit(X)
        for member in self.members_:
            yield self._vote(member, X)

    def vote_shares(self, X: TableLike) -> np.ndarray:
        """(n, K) the share of the members' weight that votes for each class; see :func:`margins`."""
        return self._votes(self._admit(X)) / self._weights_of_members().sum()

    # ------------------------------------------------------------------ answers

    def _decision(self, votes: np.ndarray, t: int | None = None) -> np.ndarray:
        K, total = votes.shape[1], self.estimator_weights_[:t].sum()
        if K == 1:
            return np.zeros((len(votes), 1))
        scores = (K * (votes / total) - 1) / (K - 1)  # (3)
        return scores[:, 1] - scores[:, 0] if K == 2 else scores

    def _posterior_of(self, decision: np.ndarray) -> np.ndarray:
        K = len(self.classes_)
        if K == 1:
            return np.ones((len(decision), 1))
        return softmax(np.column_stack((-decision, decision)) / 2 if K == 2 else decision / (K - 1))

    def _posterior(self, X: Any) -> np.ndarray:
        return self._posterior_of(self._decision(self._votes(X)))

    def _choose(self, X: Any) -> np.ndarray:
        return np.argmax(self._votes(X), axis=1)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n, K) the scores (3), or for two classes (n,) their difference, positive for ``classes_[1]``."""
        return self._decision(self._votes(self._admit(X)))

    def staged_decision_function(self, X: TableLike) -> Iterator[np.ndarray]:
        """The decision function after each round."""
        for t, votes in enumerate(self._staged_votes(self._admit(X)), 1):
            yield self._decision(votes, t)

    def staged_predict_proba(self, X: TableLike) -> Iterator[np.ndarray]:
        """The posterior after each round."""
        for decision in self.staged_decision_function(X):
            yield self._posterior_of(decision)

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """The answers after each round."""
        for votes in self._staged_votes(self._admit(X)):
            yield self.classes_[np.argmax(votes, axis=1)]

    def staged_score(self, X: TableLike, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The accuracy after each round."""
        for answers in self.staged_predict(X):
            yield float(np.average(np.asarray(y) == answers, weights=sample_weight))

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        votes, total = self._votes(X), self._weights_of_members().sum()
        members = f"{len(self.members_)} member" + ("s" if len(self.members_) > 1 else "")

        def shares(i: int) -> list[Section]:
            lines = [[str(c), float(v), float(v / total)] for c, v in zip(self.classes_, votes[i])]
            return [Section(f"Votes of {members}", ["class", "weight", "share"], lines)]

        if not self._grows_trees():
            return Reasons(shares)
        phi, base = self._votes_of_trees.contributions(X)
        outputs = [f"the share of the votes for {label}" for label in self.classes_]
        chosen = np.argmax(votes, axis=1)
        known = Contributions(phi / total, base / total, self.schema_.names, outputs, chosen)
        return column_reasons(known, rows, shares)
