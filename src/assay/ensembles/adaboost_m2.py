"""AdaBoost.M2: weak learners that say how plausible each class is, and weights on pairs of row and wrong class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from assay.core.explanation import Section
from assay.core.learner import Classifier
from assay.core.parameters import Any_, Count, Range, Seed
from assay.core.progress import progress
from assay.ensembles.boosted import Boosted
from assay.ensembles.weak_learners import (
    SEEDS,
    SumOfTrees,
    WeakEstimators,
    WeakTrees,
    as_kept,
    kept,
    leaves_of,
)
from assay.errors import DegenerateError

__all__ = ["AdaBoostM2Classifier"]


class AdaBoostM2Classifier(Boosted, Classifier):
    r"""Boost weak learners for many classes by how well they tell the true class from each wrong one.

    AdaBoost.M1 needs weak learners that are right more than half of the time, which stumps cannot be for many classes.
    Here :math:`h_t(x,k)\in[0,1]` says how plausible class k is, each wrong class of each row has a weight
    :math:`D(i,k)`, all the same at first, and the pseudo-loss

    .. math:: \epsilon_t = \tfrac12\sum_i\sum_{k\ne y_i} D(i,k)\,\bigl(1-h_t(x_i,y_i)+h_t(x_i,k)\bigr)     \quad (1)

    is below one half for any h that tells classes apart at all. With :math:`\beta_t=\epsilon_t/(1-\epsilon_t)`

    .. math:: D(i,k) \leftarrow D(i,k)\,\beta_t^{\nu(1+h_t(x_i,y_i)-h_t(x_i,k))/2}\,/\,Z,\qquad
              H(x) = \arg\max_k \sum_t \nu\ln\tfrac1{\beta_t}\,h_t(x,k)                                    \quad (2)

    (Freund and Schapire 1997). A weak learner is fitted with the weights :math:`\sum_k D(i,k)` of the rows. A tree of
    our own then holds plausible, in each leaf, those classes whose rows weigh more than what speaks against them,

    .. math:: h(k) = 1 \iff \sum_{i:\,y_i=k} \sum_{l\ne k} D(i,l) > \sum_{i:\,y_i\ne k} D(i,k)               \quad (3)

    which minimises (1) for the leaves it has; any other classifier gives its ``predict_proba``.

    Boosting ends early when a weak learner is no better than chance (:math:`\epsilon\ge\frac12`: it is dropped; if it
    is the first, that is an error), and with one that makes no error, which is then kept alone.

    Parameters
    ----------
    estimator : classifier, default None
        None is ``DecisionTreeClassifier(max_depth=1)``.
    n_estimators : int, default 50
        The largest number of rounds.
    learning_rate : float, default 1.0
        :math:`\nu` in (2).
    random_state : None, int or RandomState

    Attributes
    ----------
    estimators_ : list of fitted classifiers      plausible_ : (leaves of all trees, K) bool, (3), for trees of our own
    estimator_weights_, estimator_errors_ : (rounds,) :math:`\nu\ln(1/\beta_t)` and the pseudo-losses
    history_ : list of dict: round, pseudo_loss, beta, log_inverse_beta, training_error, bound
        The bound of the training error is :math:`(K-1)\prod_t 2\sqrt{\epsilon_t(1-\epsilon_t)}`, for rate 1.

    Examples
    --------
    One split cannot name three classes, but two that say what is plausible can:

    >>> from assay.ensembles import AdaBoostM2Classifier
    >>> model = AdaBoostM2Classifier(n_estimators=2).fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    >>> model.predict([[0.0], [1.0], [2.0]])
    array(['a', 'b', 'c'], dtype='<U1')
    """

    accepts = {
        "estimator": Any_("a classifier, or None"),
        "n_estimators": Count(1),
        "learning_rate": Range(0, open="low"),
        "random_state": Seed(),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        n, K = len(y), len(self.classes_)
        self.n_classes_, self.members_, self.history_ = K, [], []
        said: list[np.ndarray] = []
        weights: list[float] = []
        errors: list[float] = []
        seeds: list[int] = []
        rng = check_random_state(self.random_state)
        rows = np.full(n, 1 / n) if w is None else w / w.sum()
        D = np.repeat(rows[:, None] / max(K - 1, 1), K, axis=1)
        D[np.arange(n), y] = 0.0
        own = self._grows_trees()
        weak: Any = (
            WeakTrees(self.estimator_, X, self.schema_, self.classes_)
            if own
            else WeakEstimators(self.estimator_, X, type(self).__name__)
        )
        scores, bound = np.zeros((n, K)), float(K - 1)
        with progress(total=self.n_estimators, description=type(self).__name__) as bar:
            for _ in range(self.n_estimators):
                p = D.sum(axis=1) if K > 1 else rows
                seed = int(rng.randint(SEEDS))
                member = weak.learn(y if own else self.classes_[y], p, seed)
                plausible = self._plausible_classes(member, X, y, D) if own else None
                h = self._plausibility(member, plausible, X)
                better = h[np.arange(n), y][:, None] - h  # how much more plausible the true class is
                loss = float(0.5 * (D * (1 - better)).sum())  # (1)
                if loss >= 0.5:
                    if not self.members_:
                        raise DegenerateError(
                            f"{type(self).__name__}: the pseudo-loss of the first {type(self.estimator_).__name__} is "
                            f"{loss:.3g}, no better than chance. Use a stronger estimator, such as a deeper tree."
                        )
                    break
                perfect = loss <= np.finfo(np.float64).eps
                if perfect:  # its weight is infinite
                    self.members_, self.history_, said = [], [], []
                    weights, errors, seeds, scores[:] = [], [], [], 0.0
                beta = loss / (1 - loss)
                a = 1.0 if perfect else float(-self.learning_rate * np.log(beta))
                bound *= 2 * float(np.sqrt(max(loss, 0.0) * (1 - loss)))
                self.members_.append(member)
                said += [] if plausible is None else [plausible]
                weights, errors, seeds = [*weights, a], [*errors, loss], [*seeds, seed]
                scores += a * h
                self.history_.append(
                    {
                        "round": len(weights),
                        "pseudo_loss": loss,
                        "beta": beta,
                        "log_inverse_beta": float("inf") if perfect else float(-np.log(beta)),
                        "training_error": float(rows[np.argmax(scores, axis=1) != y].sum()),
                        "bound": bound if self.learning_rate == 1 else None,
                    }
                )
                bar.advance()
                if perfect:
                    break
                D = D * np.exp(-0.5 * a * (1 + better))  # (2)
                D /= D.sum()
        self.estimator_weights_, self.estimator_errors_ = np.array(weights), np.array(errors)
        self.seeds_, self.members_ = np.array(seeds, np.int64), as_kept(self.members_)
        self.plausible_ = np.concatenate(said) if said else np.zeros((0, K), bool)

    def _plausible_classes(self, tree: Any, X: np.ndarray, y: np.ndarray, D: np.ndarray) -> np.ndarray:
        """(leaves, K) whether a class is plausible in a leaf, (3)."""
        number = np.cumsum(tree.is_leaf) - 1  # of each leaf among the leaves
        leaf, K = number[leaves_of(tree, X)], D.shape[1]
        against = np.zeros((tree.n_leaves, K))
        np.add.at(against, leaf, D)  # D(i, y_i) is 0
        own = np.zeros((tree.n_leaves, K))
        np.add.at(own, (leaf, y), D.sum(axis=1))
        if K == 1:
            return np.ones((tree.n_leaves, 1), bool)
        return own > against

    def _plausibility(self, member: Any, plausible: np.ndarray | None, X: Any) -> np.ndarray:
        """(n, K) h(x, k)."""
        if plausible is not None:
            return _at_nodes(member, plausible)[leaves_of(member, X)]
        found = np.zeros((X.shape[0], len(self.classes_)))
        found[:, np.searchsorted(self.classes_, member.classes_)] = member.predict_proba(X)
        return found

    @property
    def _sum_of_trees(self) -> SumOfTrees:
        def make() -> SumOfTrees:
            leaf = np.concatenate([tree.is_leaf for tree in self.members_])
            value = np.zeros((len(leaf), len(self.classes_)))
            value[leaf] = self.plausible_
            return SumOfTrees(self.members_, scale=self.estimator_weights_, value=value)

        return kept(self, make)

    def _staged_sums(self, X: Any) -> Iterator[np.ndarray]:
        if self._grows_trees():
            yield from self._sum_of_trees.staged_sums(X)
            return
        sums = np.zeros((X.shape[0], len(self.classes_)))
        for member, a in zip(self.members_, self.estimator_weights_):
            sums = sums + a * self._plausibility(member, None, X)
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

    def vote_shares(self, X: Any) -> np.ndarray:
        """(n, K) how plausible each class is to the members, by their weights; between 0 and 1."""
        return self._sums(self._admit(X)) / self.estimator_weights_.sum()

    def decision_function(self, X: Any) -> np.ndarray:
        """(n, K) the vote shares, or for two classes (n,) their difference, positive for ``classes_[1]``."""
        shares = self.vote_shares(X)
        return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """The posterior after each round."""
        for sums in self._staged_sums(self._admit(X)):
            yield _shares(sums)

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The answers after each round."""
        for sums in self._staged_sums(self._admit(X)):
            yield self.classes_[np.argmax(sums, axis=1)]

    def _reasons(self, X: Any, row: dict[str, Any]) -> list[Section]:
        sums, total = self._sums(X)[0], self.estimator_weights_.sum()
        shown = [[str(c), float(v / total)] for c, v in zip(self.classes_, sums)]
        members = f"{len(self.members_)} member" + ("s" if len(self.members_) > 1 else "")
        sections = [Section(f"How plausible {members} find each class", ["class", "share"], shown)]
        if self._grows_trees():
            from assay.trees.shap import contribution_section

            k = int(np.argmax(sums))
            phi, base = self._sum_of_trees.contributions(X)
            of = f"the plausibility of {self.classes_[k]}"
            sections.append(contribution_section(row, phi[0, :, k] / total, base[k] / total, of=of))
        return sections


def _at_nodes(tree: Any, plausible: np.ndarray) -> np.ndarray:
    """(m, K) what each leaf holds plausible; 0 at inner nodes."""
    value = np.zeros((tree.node_count, plausible.shape[1]))
    value[tree.is_leaf] = plausible
    return value


def _shares(sums: np.ndarray) -> np.ndarray:
    total = sums.sum(axis=1, keepdims=True)
    return np.where(total > 0, sums / np.where(total > 0, total, 1.0), 1 / sums.shape[1])
