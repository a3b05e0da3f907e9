"""What LogitBoost and gentle boosting share: scores that are sums of weighted least-squares fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.learner import Classifier
from assay.core.parameters import Any_, Count, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import LARGEST_SEED, random_state_of
from assay.core.stored import FloatArray, Scalar
from assay.ensembles.boosted import Boosted
from assay.ensembles.damping import ROUNDING, damped
from assay.ensembles.weak_learners import (
    SumOfTrees,
    WeakEstimators,
    WeakTrees,
    as_kept,
    kept,
)
from assay.trees.shap import column_reasons
from assay.types import TableLike

__all__ = ["AdditiveClassifier"]


class AdditiveClassifier(Boosted, Classifier):
    r"""Add up regressions: in each round and for each score, one weighted least-squares fit of a working response.

    For two classes there is one score, that of ``classes_[1]``; for K > 2 there are K. A learner of this kind writes
    ``_working``, the response and the weights that follow from the scores so far, ``_scores``, from the members' sums
    to the scores F, ``_posterior_of``, ``_loss`` and ``_slopes``. A round that would raise the loss of the training
    rows is shortened until it does not.

    Attributes
    ----------
    members_ : list, round by round, of one regression per score
    history_ : list of dict: round, loss, training_error
    """

    _task = "regressor"
    accepts = {
        "estimator": Any_("a regressor, or None"),
        "n_estimators": Count(1),
        "learning_rate": Range(0, open="low"),
        "random_state": Seed(),
    }
    stored = {"_rate": Scalar(), "_shares": FloatArray("*", low=0, high=1)}

    n_estimators: int
    learning_rate: float
    random_state: Any
    _rate: float
    _shares: np.ndarray  # (members,) how much of each was taken, where some raised the loss

    def _check_stored(self) -> None:
        if "_shares" in vars(self) and len(self._shares) != len(vars(self).get("members_", ())):
            raise ValueError(f"{type(self).__name__}: not one share for each member.")

    def _standing(self, F: np.ndarray) -> np.ndarray:
        """What the responses of all scores are made from, once a round: the scores F, or their posterior."""
        return F

    def _working(
        self, standing: np.ndarray, y: np.ndarray, c: int, largest: float | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """(n,) response, cut at ``largest`` where the learner cuts it, and (n,) weights for score c."""
        raise TypeError(f"{type(self).__name__} must define _working")

    def _scores(self, sums: np.ndarray) -> np.ndarray:
        """(n, C) the scores F that follow from the members' sums."""
        raise TypeError(f"{type(self).__name__} must define _scores")

    def _posterior_of(self, F: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _posterior_of")

    def _loss(self, F: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
        raise TypeError(f"{type(self).__name__} must define _loss")

    def _slopes(self, F: np.ndarray, y: np.ndarray, w: np.ndarray) -> np.ndarray:
        """(n, C) the derivatives of the loss by the members' sums."""
        raise TypeError(f"{type(self).__name__} must define _slopes")

    def _leaf_values(
        self, values: np.ndarray, leaf: np.ndarray, standing: np.ndarray, y: np.ndarray, w: np.ndarray, c: int
    ) -> np.ndarray:
        """(m,) values of a tree's leaves that lower the loss, given those of a round that together raised it."""
        return values

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        n, K = len(y), len(self.classes_)
        self.n_classes_, self.members_, self.history_ = K, [], []
        self._rate, self._shares = float(self.learning_rate), np.ones(0)
        seeds: list[int] = []
        rng = random_state_of(self.random_state)
        rows = np.full(n, 1 / n) if w is None else w / w.sum()
        C = self._n_scores()
        weak: Any = (
            WeakTrees(self.estimator_, X, self.schema_)
            if self._grows_trees()
            else WeakEstimators(self.estimator_, X, type(self).__name__)
        )
        sums = np.zeros((n, C))
        with progress(total=self.n_estimators, description=type(self).__name__) as bar:
            for t in range(self.n_estimators if K > 1 else 0):
                now = [int(rng.randint(LARGEST_SEED)) for _ in range(C)]
                F = self._scores(sums)
                before = self.history_[-1]["loss"] if self.history_ else self._loss(F, y, rows)
                step = self._rate * self._step(weak, F, X, y, rows, now)
                seeds += now
                self._shares = np.append(self._shares, np.ones(C))
                F = self._scores(sums + step)
                loss = self._loss(F, y, rows)
                if not loss <= before + ROUNDING * before:
                    step = self._shortened(weak, sums, X, y, rows, now, before)
                    F = self._scores(sums + step)
                    loss = self._loss(F, y, rows)
                sums += step
                wrong = float(rows[self._best(F) != y].sum())
                self.history_.append({"round": t + 1, "loss": loss, "training_error": wrong})
                bar.advance()
        self.seeds_, self.members_ = np.array(seeds, np.int64), as_kept(self.members_)
        if (self._shares == 1).all():
            del self._shares

    def _step(
        self, weak: Any, F: np.ndarray, X: Any, y: np.ndarray, rows: np.ndarray, seeds: list[int]
    ) -> np.ndarray:
        """(n, C) what the regressions of one round answer, one for each score."""

        standing = self._standing(F)

        def one(c: int) -> tuple[Any, np.ndarray]:
            z, u = self._working(standing, y, c)
            member = weak.learn(z, _share(u * rows), seeds[c])
            return member, self._answer(member, X)

        fits = weak.learn_all(one, len(seeds))
        self.members_ += [member for member, _ in fits]
        return np.column_stack([answer for _, answer in fits])

    def _shortened(
        self,
        weak: Any,
        sums: np.ndarray,
        X: Any,
        y: np.ndarray,
        w: np.ndarray,
        seeds: list[int],
        before: float,
    ) -> np.ndarray:
        """(n, C) the step of the latest round, which raised the loss, as far as it does not.

        Trees are changed leaf by leaf. Other estimators are fitted to responses that are not cut, so that their step
        leads downwards, and what they answer is taken to a smaller rate.
        """
        C = sums.shape[1]
        standing = self._standing(self._scores(sums))
        latest, step = self.members_[-C:], np.empty(sums.shape)
        group = np.zeros((C, len(y)), np.int64)
        for c, member in enumerate(latest):
            if self._grows_trees():
                group[c] = leaf = member.apply(X)
                value = member.values.copy()
                value[:, 0] = self._leaf_values(value[:, 0], leaf, standing, y, w, c)
                latest[c] = replace(member, values=value)
            else:
                z, u = self._working(standing, y, c, np.inf)
                latest[c] = weak.learn(z, _share(u * w), seeds[c])
            step[:, c] = self._rate * self._answer(latest[c], X)
        shares = damped(
            sums.T,
            step.T,
            group,
            lambda S: self._loss(self._scores(S.T), y, w),
            lambda S: self._slopes(self._scores(S.T), y, w).T,
            before,
        )
        if self._grows_trees():
            for c, (tree, share) in enumerate(zip(latest, shares)):
                value, reached = tree.values.copy(), np.unique(group[c])
                value[reached, 0] *= share[reached]
                latest[c] = replace(tree, values=value)
        else:
            self._shares[-C:] = np.concatenate(shares)
        self.members_[-C:] = latest
        return step * np.array([share[leaf] for share, leaf in zip(shares, group)]).T

    def _n_scores(self) -> int:
        return 1 if len(self.classes_) <= 2 else len(self.classes_)

    def _answer(self, member: Any, X: Any) -> np.ndarray:
        if self._grows_trees():
            return member.values[member.apply(X), 0]
        return np.asarray(member.predict(X), np.float64)

    @property
    def _sum_of_trees(self) -> SumOfTrees:
        columns = np.arange(len(self.members_)) % self._n_scores()
        return kept(self, lambda: SumOfTrees(self.members_, columns, self._rate))

    def _sums(self, X: Any) -> np.ndarray:
        *_, sums = self._staged_sums(X, len(self.members_))
        return sums

    def _staged_sums(self, X: Any, every: int) -> Iterator[np.ndarray]:
        C = self._n_scores()
        if not len(self.members_):
            yield np.zeros((X.shape[0], C))
        elif self._grows_trees():
            yield from self._sum_of_trees.staged_sums(X, every)
        else:
            sums = np.zeros((X.shape[0], C))
            rates = self._rate * vars(self).get("_shares", np.ones(len(self.members_)))
            for i, member in enumerate(self.members_):
                sums[:, i % C] += rates[i] * self._answer(member, X)
                if (i + 1) % every == 0:
                    yield sums.copy()

    # ------------------------------------------------------------------ answers

    def _best(self, F: np.ndarray) -> np.ndarray:
        return (F[:, 0] > 0).astype(np.int64) if F.shape[1] == 1 else np.argmax(F, axis=1)

    def _posterior(self, X: Any) -> np.ndarray:
        if len(self.classes_) == 1:
            return np.ones((X.shape[0], 1))
        return self._posterior_of(self._scores(self._sums(X)))

    def _choose(self, X: Any) -> np.ndarray:
        return self._best(self._scores(self._sums(X)))

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n, K) the scores F, or for two classes (n,) the score of ``classes_[1]``."""
        F = self._scores(self._sums(self._admit(X)))
        return F[:, 0] if len(self.classes_) == 2 else F

    def staged_decision_function(self, X: TableLike) -> Iterator[np.ndarray]:
        """The decision function after each round."""
        for sums in self._staged_sums(self._admit(X), self._n_scores()):
            F = self._scores(sums)
            yield F[:, 0] if len(self.classes_) == 2 else F

    def staged_predict_proba(self, X: TableLike) -> Iterator[np.ndarray]:
        """The posterior after each round."""
        for sums in self._staged_sums(self._admit(X), self._n_scores()):
            yield self._posterior_of(self._scores(sums))

    def staged_predict(self, X: TableLike) -> Iterator[np.ndarray]:
        """The answers after each round."""
        for sums in self._staged_sums(self._admit(X), self._n_scores()):
            yield self.classes_[self._best(self._scores(sums))]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        F, names = self._scores(self._sums(X)), [str(c) for c in self.classes_]
        single_score = F.shape[1] == 1
        labels, chosen = (names[-1:], np.zeros(len(F), int)) if single_score else (names, self._best(F))

        def scores(i: int) -> list[Section]:
            return [Section("Scores", ["class", "score"], [[c, float(v)] for c, v in zip(labels, F[i])])]

        if not self._grows_trees() or not len(self.members_):
            return Reasons(scores)
        phi, base = self._sum_of_trees.contributions(X)
        n, d, _ = phi.shape
        each = self._scores(phi.reshape(n * d, -1)).reshape(n, d, -1)  # the scores are linear in the sums
        outputs = [f"the score of {label}" for label in labels]
        known = Contributions(each, self._scores(base[None])[0], self.schema_.names, outputs, chosen)
        return column_reasons(known, rows, scores)


def _share(w: np.ndarray) -> np.ndarray:
    return w / w.sum()
