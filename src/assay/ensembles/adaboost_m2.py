"""AdaBoost.M2: weak learners with a plausibility for each class, and weights on pairs of row and wrong class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.learner import Classifier
from assay.core.meta_estimator import aligned
from assay.core.parameters import Any_, Count, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import LARGEST_SEED, random_state_of
from assay.core.stored import FloatArray
from assay.core.targets import EncodedLabels
from assay.ensembles.boosted import Boosted
from assay.ensembles.damping import ROUNDING
from assay.ensembles.weak_learners import (
    SumOfTrees,
    WeakEstimators,
    WeakTrees,
    as_kept,
    kept,
    values_of,
)
from assay.errors import DegenerateError, ParameterError
from assay.trees.shap import column_reasons
from assay.types import Estimator, RandomState, TableLike

__all__ = ["AdaBoostM2Classifier"]


class AdaBoostM2Classifier(Boosted, Classifier):
    r"""Boost weak learners for many classes by how well they separate the true class from each wrong one.

    AdaBoost.M1 needs weak learners that are right more than half of the time, which stumps cannot be for many classes.
    Here :math:`h_t(x,k)\in[0,1]` is the plausibility of class k, each wrong class of each row has a weight
    :math:`D(i,k)`, all the same at first, and the pseudo-loss

    .. math:: \epsilon_t = \tfrac12\sum_i\sum_{k\ne y_i} D(i,k)\,\bigl(1-h_t(x_i,y_i)+h_t(x_i,k)\bigr)     \quad (1)

    is below one half for any h that is better than chance. With :math:`\beta_t=\epsilon_t/(1-\epsilon_t)`

    .. math:: D(i,k) \leftarrow D(i,k)\,\beta_t^{\nu(1+h_t(x_i,y_i)-h_t(x_i,k))/2}\,/\,Z,\qquad
              H(x) = \arg\max_k \sum_t \nu\ln\tfrac1{\beta_t}\,h_t(x,k)                                    \quad (2)

    (Freund and Schapire 1997). With :math:`W_i = \sum_k D(i,k)`, a tree of our own is grown by least squares with the
    weights :math:`W_i` towards the targets

    .. math:: t_i(k) = \begin{cases} 1 & k = y_i\\ -D(i,k)/W_i & \text{else}\end{cases},\qquad
              h(x,k) = 1 \iff \bar t_k > 0 \text{ in the leaf of } x                                     \quad (3)

    so that it looks for cuts between classes that are still confused, and the classes plausible in a leaf are those
    that minimise (1). Any other classifier is fitted with the weights :math:`W_i`, and :math:`h` is its posterior.

    A round in which a rate :math:`\nu` above 1 would raise the loss that is bounded here, the sum over all i and k of
    :math:`\prod_t\beta_t^{\nu(h_t(x_i,y_i)-h_t(x_i,k))/2}`, is taken with :math:`\nu = 1`.

    Boosting ends early when a weak learner is no better than chance (:math:`\epsilon\ge\frac12`: it is dropped; if it
    is the first, that is an error), and with one that makes no error, which is then kept alone.

    Cost: fit O(d n log n) to sort the columns, then O(T n d K) for T rounds of stumps; predict O(T K) a row; memory O(n
    d + n K) to fit, O(T K) kept.

    Parameters
    ----------
    estimator : DecisionTreeRegressor or classifier, default None
        None is ``DecisionTreeRegressor(max_depth=1)``, of our own, grown by (3); also a deeper one, or any classifier
        with ``predict_proba`` that takes ``sample_weight``.
    n_estimators : int, default 50
        The largest number of rounds.
    learning_rate : float, default 1.0
        :math:`\nu` in (2).
    random_state : None, int or RandomState

    Attributes
    ----------
    estimators_ : list of fitted classifiers, or of trees whose K outputs are the means of (3)
    estimator_weights_, estimator_errors_ : (rounds,) :math:`\nu\ln(1/\beta_t)` and the pseudo-losses
    history_ : list of dict: round, pseudo_loss, beta, log_inverse_beta, training_error, bound
        The bound of the training error is :math:`(K-1)\prod_t 2\sqrt{\epsilon_t(1-\epsilon_t)}`, for rate 1.

    Examples
    --------
    One split cannot separate three classes, but two with plausibilities can:

    >>> from assay.ensembles import AdaBoostM2Classifier
    >>> model = AdaBoostM2Classifier(n_estimators=2).fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    >>> model.predict([[0.0], [1.0], [2.0]])
    array(['a', 'b', 'c'], dtype='<U1')

    See Also
    --------
    AdaBoostClassifier, LogitBoostClassifier

    References
    ----------
    - Freund, Y. and Schapire, R. E. (1997). A decision-theoretic generalization of on-line learning and an
      application to boosting. Journal of Computer and System Sciences 55(1), 119-139. doi:10.1006/jcss.1997.1504
    """

    card = Card(
        "adaboost m2",
        "boosting of many classes by how well each is separated from the true one",
        settings={"random_state": 0},
        learns=(
            "a weighted vote of weak learners",
            "exponential loss",
            "one learner after the other",
            "greedy",
        ),
    )
    accepts = {
        "estimator": Any_("a tree of numbers, a classifier, or None"),
        "n_estimators": Count(1),
        "learning_rate": Range(0, open="low"),
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
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state

    def _default_estimator(self) -> Any:
        from assay.trees.decision_tree_regressor import DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=1)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        n, K = len(y), len(self.classes_)
        self.n_classes_, self.members_, self.history_ = K, [], []
        weights: list[float] = []
        seeds: list[int] = []
        rng = random_state_of(self.random_state)
        rows = np.full(n, 1 / n) if w is None else w / w.sum()
        D = np.repeat(rows[:, None] / max(K - 1, 1), K, axis=1)
        D[np.arange(n), y] = 0.0
        weak = self._weak_learner(X)
        scores, bound = np.zeros((n, K)), float(K - 1)
        with progress(total=self.n_estimators, description=type(self).__name__) as bar:
            for _ in range(self.n_estimators):
                seed = int(rng.randint(LARGEST_SEED))
                member = weak.learn(*self._task_of_round(D, y, rows), seed)
                h = self._plausibility(member, X)
                better = h[np.arange(n), y][:, None] - h  # how much more plausible the true class is
                loss = float(0.5 * (D * (1 - better)).sum())  # (1)
                if not self._better_than_chance(loss):
                    break
                perfect = loss <= np.finfo(np.float64).eps
                if perfect:  # its weight is infinite
                    self.members_, self.history_, weights, seeds, scores[:] = [], [], [], [], 0.0
                beta = loss / (1 - loss)
                a = 1.0 if perfect else float(-self.learning_rate * np.log(beta))
                with np.errstate(over="ignore", invalid="ignore"):
                    if not perfect and not np.sum(D * np.exp(-0.5 * a * better)) <= 1 + ROUNDING:
                        a = float(-np.log(beta))  # a rate this large would raise the loss
                bound *= 2 * float(np.sqrt(max(loss, 0.0) * (1 - loss)))
                self.members_.append(member)
                weights, seeds = [*weights, a], [*seeds, seed]
                scores += a * h
                wrong = float(rows[np.argmax(scores, axis=1) != y].sum())
                self._record(loss, wrong, bound)
                bar.advance()
                if perfect:
                    break
                D = D * np.exp(-0.5 * a * (1 + better))  # (2)
                D /= D.sum()
        self.estimator_weights_ = np.array(weights)
        self.estimator_errors_ = np.array([record["pseudo_loss"] for record in self.history_])
        self.seeds_, self.members_ = np.array(seeds, np.int64), as_kept(self.members_)

    def _weak_learner(self, X: Any) -> Any:
        if self._grows_trees():
            return WeakTrees(self.estimator_, X, self.schema_)
        if not hasattr(self.estimator_, "predict_proba"):
            raise ParameterError(
                f"{type(self).__name__}: {type(self.estimator_).__name__} has no predict_proba, from which the "
                "plausibility of each class is taken. Choose another estimator."
            )
        return WeakEstimators(self.estimator_, X, type(self).__name__)

    def _task_of_round(self, D: np.ndarray, y: np.ndarray, rows: np.ndarray) -> tuple[Any, np.ndarray]:
        """Targets and weights of the rows."""
        K = D.shape[1]
        W = D.sum(axis=1) if K > 1 else rows
        if not self._grows_trees():
            return EncodedLabels(y, self.classes_), W
        targets = -D / np.where(W > 0, W, 1.0)[:, None]  # (3)
        targets[np.arange(len(y)), y] = 1.0
        return targets, W

    def _better_than_chance(self, loss: float) -> bool:
        if loss < 0.5:
            return True
        if not self.members_:
            raise DegenerateError(
                f"{type(self).__name__}: the pseudo-loss of the first {type(self.estimator_).__name__} is {loss:.3g}, "
                "no better than chance. Use a stronger estimator, such as a deeper tree."
            )
        return False

    def _record(self, loss: float, training_error: float, bound: float) -> None:
        beta = loss / (1 - loss)
        self.history_.append(
            {
                "round": len(self.history_) + 1,
                "pseudo_loss": loss,
                "beta": beta,
                "log_inverse_beta": float(-np.log(beta)) if beta > 0 else float("inf"),
                "training_error": training_error,
                "bound": bound if self.learning_rate == 1 else None,
            }
        )

    def _plausibility(self, member: Any, X: Any) -> np.ndarray:
        """(n, K) h(x, k)."""
        if self._grows_trees():
            return (member.values > 0).astype(np.float64)[member.apply(X)]  # (3)
        return aligned(np.asarray(member.predict_proba(X)), member.classes_, self.classes_)

    @property
    def _sum_of_trees(self) -> SumOfTrees:
        def make() -> SumOfTrees:
            plausible = (values_of(self.members_) > 0).astype(np.float64)
            return SumOfTrees(self.members_, scale=self.estimator_weights_, value=plausible)

        return kept(self, make)

    def _staged_sums(self, X: Any) -> Iterator[np.ndarray]:
        if self._grows_trees():
            yield from self._sum_of_trees.staged_sums(X)
            return
        sums = np.zeros((X.shape[0], len(self.classes_)))
        for member, a in zip(self.members_, self.estimator_weights_):
            sums = sums + a * self._plausibility(member, X)
            yield sums

    def _sums(self, X: Any) -> np.ndarray:
        if self._grows_trees():
            return self._sum_of_trees.sums(X)
        *_, sums = self._staged_sums(X)
        return sums

    def _weights_of_members(self) -> np.ndarray:
        return self.estimator_weights_

    # ------------------------------------------------------------------ answers

    def _posterior(self, X: Any) -> np.ndarray:
        return _shares(self._sums(X))

    def _choose(self, X: Any) -> np.ndarray:
        return np.argmax(self._sums(X), axis=1)

    def vote_shares(self, X: TableLike) -> np.ndarray:
        """(n, K) how plausible each class is to the members, by their weights; between 0 and 1."""
        return self._sums(self._admit(X)) / self.estimator_weights_.sum()

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n, K) the vote shares, or for two classes (n,) their difference, positive for ``classes_[1]``."""
        shares = self.vote_shares(X)
        return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares

    def staged_predict_proba(self, X: TableLike) -> Iterator[np.ndarray]:
        """The posterior after each round."""
        for sums in self._staged_sums(self._admit(X)):
            yield _shares(sums)

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """The answers after each round."""
        for sums in self._staged_sums(self._admit(X)):
            yield self.classes_[np.argmax(sums, axis=1)]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        sums, total = self._sums(X), self.estimator_weights_.sum()
        members = f"{len(self.members_)} member" + ("s" if len(self.members_) > 1 else "")

        def shares(i: int) -> list[Section]:
            lines = [[str(c), float(v / total)] for c, v in zip(self.classes_, sums[i])]
            return [Section(f"How plausible {members} find each class", ["class", "share"], lines)]

        if not self._grows_trees():
            return Reasons(shares)
        phi, base = self._sum_of_trees.contributions(X)
        outputs = [f"the plausibility of {label}" for label in self.classes_]
        chosen = np.argmax(sums, axis=1)
        known = Contributions(phi / total, base / total, self.schema_.names, outputs, chosen)
        return column_reasons(known, rows, shares)


def _shares(sums: np.ndarray) -> np.ndarray:
    total = sums.sum(axis=1, keepdims=True)
    return np.where(total > 0, sums / np.where(total > 0, total, 1.0), 1 / sums.shape[1])
