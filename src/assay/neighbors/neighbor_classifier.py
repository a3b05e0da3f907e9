"""Neighbours that vote: posteriors, ties, and several targets at once."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from assay.core.explanations import Explanations, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.learner import Classifier, python_label
from assay.core.parameters import Choice, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Boolean, CodeArray
from assay.core.targets import encode_labels, plain_values, side_by_side
from assay.neighbors.neighbor_learner import NeighborLearner
from assay.neighbors.weights import WEIGHTS, Neighborhoods, weigh
from assay.types import TableLike, Target

__all__ = ["NeighborClassifier"]


class NeighborClassifier(NeighborLearner, Classifier):
    """A classifier whose posterior is the neighbours' weighted share of each class.

    Several targets are possible, one a column of y; then ``classes_`` and posteriors are lists, one entry a target.
    """

    stored = {
        "_y": CodeArray("n", below="K") | CodeArray("n", "*"),
        "outputs_2d_": Boolean(),
    }

    voting: ClassVar[Any] = {
        "weights": WEIGHTS,
        "tie": Choice("first", "nearest", "weight", "random"),
        "bandwidth": Range(0, open="low") | None,
        "random_state": Seed(),
    }
    weights: Any
    bandwidth: Any
    tie: Any
    random_state: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        return tags

    @all_or_nothing
    def fit(self, X: TableLike, y: Target) -> Self:  # type: ignore[override]
        """Remember the rows of X and their classes y, (n,) or (n, targets)."""
        several = plain_values(y)
        several = several if isinstance(several, np.ndarray) else np.asarray(several, dtype=object)
        self.outputs_2d_ = several.ndim == 2 and several.shape[1] > 1
        if not self.outputs_2d_:
            return super().fit(X, y)
        self._check_parameters()
        values = self._admit(X, fitting=True)
        who = type(self).__name__
        made = [encode_labels(plain(column), values.shape[0], who) for column in several.T]
        self._remember_targets(y)
        self.classes_ = [labels for labels, _ in made]  # type: ignore[assignment]
        self._learn(values, np.column_stack([codes for _, codes in made]), None)
        return self

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._y = y
        # a metric that looks at the classes sees every combination of several targets as one
        self._store(X, np.unique(y, axis=0, return_inverse=True)[1].ravel() if y.ndim == 2 else y)

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the class with most votes, equal ones by the rule ``tie``; (n, targets) for several targets.

        None for X asks for the training rows, each answered by its neighbours without itself.
        """
        chosen = self._choose(self._admit_to_answer(X))
        if not self.outputs_2d_:
            return self.classes_[chosen]
        return side_by_side([labels[codes] for labels, codes in zip(self.classes_, chosen.T)])

    def predict_log_proba(self, X: TableLike) -> Any:
        """(n, K) the logarithm of the posterior; a list of such for several targets."""
        posterior = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(shares) for shares in posterior] if self.outputs_2d_ else np.log(posterior)

    def _posterior(self, X: Any) -> Any:
        near, votes = self._votes(X)
        shares = [self._share(near, counts, o) for o, counts in enumerate(votes)]
        return shares if self.outputs_2d_ else shares[0]

    def _share(self, near: Neighborhoods, votes: np.ndarray, output: int) -> np.ndarray:
        """(q, K) votes as shares of their sum."""
        return votes / votes.sum(axis=1, keepdims=True)

    def _votes(self, X: Any) -> tuple[Neighborhoods, list[np.ndarray]]:
        """The neighbourhoods, and for each target the (q, K) summed weights of the classes."""
        near = self._neighbourhoods(X)
        return near, self._sums(near, weigh(near, self.weights, self.bandwidth, type(self).__name__))

    def _sums(self, near: Neighborhoods, weights: np.ndarray) -> list[np.ndarray]:
        q, query, sums = len(near), near.query, []
        for labels, codes in self._targets:
            K = len(labels)
            sums.append(
                np.bincount(query * K + codes[near.rows], weights=weights, minlength=q * K).reshape(q, K)
            )
        return sums

    @property
    def _targets(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Labels and codes of each target."""
        return list(zip(self.classes_, self._y.T)) if self.outputs_2d_ else [(self.classes_, self._y)]

    def _choose(self, X: Any) -> np.ndarray:
        near, votes = self._votes(X)
        chosen = np.column_stack([self._winners(near, counts, o) for o, counts in enumerate(votes)])
        return chosen if self.outputs_2d_ else chosen[:, 0]

    def _winners(self, near: Neighborhoods, votes: np.ndarray, output: int) -> np.ndarray:
        """(q,) the class with most votes, and among equal ones the one that ``tie`` prefers."""
        best = votes.argmax(axis=1)
        if self.tie == "first":
            return best
        equal = votes == votes.max(axis=1, keepdims=True)
        tied = np.flatnonzero((equal.sum(axis=1) > 1) & ~near.empty)
        if not len(tied):
            return best
        if self.tie == "random":
            draws = random_state_of(self.random_state).random_sample((len(near), votes.shape[1]))[tied]
        else:
            draws = self._nearness(near, output)[tied]
        best[tied] = np.where(equal[tied], draws, -1.0).argmax(axis=1)
        return best

    def _nearness(self, near: Neighborhoods, output: int) -> np.ndarray:
        """(q, K) how near the classes are: by the summed 1 / d, or by the order of the nearest member of each."""
        if self.tie == "weight":
            inverse = weigh(near, "distance", None, type(self).__name__)
            return self._sums(near, inverse)[output]
        labels, codes = self._targets[output]
        order = np.lexsort((near.rows, near.distances, near.query))[::-1]  # the nearest is written last
        rank = np.empty(len(order))
        rank[order] = np.arange(1, len(order) + 1)
        nearness = np.zeros((len(near), len(labels)))
        nearness[near.query[order], codes[near.rows[order]]] = rank[order]
        return nearness

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        if not self.outputs_2d_:
            return super()._explain_block(X, rows)
        codes = self._choose(X)
        answers = [[python_label(labels[c]) for labels, c in zip(self.classes_, chosen)] for chosen in codes]
        return Explanations(type(self).__name__, answers, rows, self._reasons(X, rows))

    @property
    def _heads(self) -> list[str]:
        return self._target_names(len(self.classes_)) if self.outputs_2d_ else ["class"]

    def _answer_of(self, row: int) -> list[Any]:
        return [python_label(labels[codes[row]]) for labels, codes in self._targets]


def plain(column: np.ndarray) -> np.ndarray:
    """A column of objects as the numbers or the text that it holds."""
    return np.array(column.tolist()) if column.dtype == object else column
