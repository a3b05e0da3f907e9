"""Fuzzy ART: categories that grow as far as vigilance lets them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import assay.cluster._fuzzy_art as _fuzzy_art
from assay.core import Card, Clusterer
from assay.core.explanation import Explanation, Section
from assay.core.explanations import Explanations, Reasons, RowValues, dense_block
from assay.core.fitting import all_or_nothing
from assay.core.model_view import Part
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Count, Range
from assay.core.stored import CodeArray, FloatArray, Integer
from assay.types import TableLike, Target

__all__ = ["FuzzyART"]


class FuzzyART(Clusterer):
    r"""Adaptive resonance: rows are boxed into categories, one after the other; a row that fits none opens a new one.

    Columns are brought to [0, 1], and a row x becomes :math:`I = (x, 1 - x)`. Categories with weights :math:`w_k` are
    asked in the order of

    .. math:: T_k = \frac{|I \wedge w_k|}{\alpha + |w_k|}, \qquad
              \text{accepts if}\ \frac{|I \wedge w_k|}{|I|} \ge \rho, \qquad
              w_k \leftarrow \beta (I \wedge w_k) + (1-\beta) w_k                                      \quad (1)

    with the smaller of each entry for :math:`\wedge` and sums for :math:`|\cdot|`. A category is a box; the vigilance
    :math:`\rho` limits its size. What was learned is not forgotten, and ``partial_fit`` learns from rows as they come.

    Cost: fit O(n k d) for k categories; predict O(k d) a row; memory O(k d).

    Parameters
    ----------
    vigilance : float, default 0.75
        :math:`\rho`: the higher, the more categories.
    choice : float, default 1e-3
        :math:`\alpha`.
    rate : float, default 1
        :math:`\beta`; 1 is fast learning.
    max_iter : int, default 10
        Passes over the rows, until no row changes its category.

    Attributes
    ----------
    labels_ : (n,)      weights_ : (k, 2 p), (1)      low_, high_ : (p,) of the columns      n_iter_ : int

    Examples
    --------
    >>> from assay.cluster import FuzzyART
    >>> FuzzyART(0.7).fit([[0.0, 0.1], [0.1, 0.0], [1.0, 0.9], [0.9, 1.0]]).labels_.tolist()
    [0, 0, 1, 1]

    See Also
    --------
    LeaderClustering, KMeans

    References
    ----------
    - Carpenter, G. A., Grossberg, S. and Rosen, D. B. (1991). Fuzzy ART: fast stable learning and categorization of
      analog patterns by an adaptive resonance system. Neural Networks 4(6), 759-771.
      doi:10.1016/0893-6080(91)90056-B
    """

    card = Card("fuzzy art", "boxes that grow as far as vigilance lets them", also=("art",))
    accepts = {
        "vigilance": Range(0, 1),
        "choice": Range(0, open="low"),
        "rate": Range(0, 1, open="low"),
        "max_iter": Count(1),
    }
    stored = {
        "labels_": CodeArray("n", below="c"),
        "weights_": FloatArray("c", "2 * p", low=0),
        "low_": FloatArray("p", finite=True),
        "high_": FloatArray("p", finite=True),
        "n_iter_": Integer(low=0),
    }

    def __init__(
        self, vigilance: float = 0.75, *, choice: float = 1e-3, rate: float = 1.0, max_iter: int = 10
    ):
        self.vigilance = vigilance
        self.choice = choice
        self.rate = rate
        self.max_iter = max_iter

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None) -> Self:  # type: ignore[override]
        """Find categories among the rows of X, in their order; y is ignored."""
        return super().fit(X)

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        X = np.asarray(dense_block(X), dtype=np.float64)
        self.low_, self.high_ = X.min(axis=0), X.max(axis=0)
        coded = self._coded(X)
        weights = np.empty((0, coded.shape[1]))
        labels = np.full(len(X), -1, dtype=np.int64)
        iteration = 0
        while iteration < self.max_iter:
            iteration += 1
            before, (weights, labels) = labels, self._pass(coded, weights)
            if np.array_equal(labels, before):
                break
        self.weights_, self.n_iter_ = weights, iteration
        self.labels_ = self._assign(X)

    def partial_fit(self, X: TableLike, y: Target | None = None) -> Self:
        """One pass over some rows; the first call fixes the ranges of the columns."""
        if "weights_" not in vars(self):
            return self.fit(X)
        X = np.asarray(dense_block(self._admit(X)), dtype=np.float64)
        self.weights_ = self._pass(self._coded(X), self.weights_)[0]
        self.labels_ = self._assign(X)
        return self

    def _coded(self, X: np.ndarray) -> np.ndarray:
        """(n, 2 p) rows in [0, 1] and their complements; beyond the training range they are cut off."""
        width = self.high_ - self.low_
        scaled = np.clip((X - self.low_) / np.where(width > 0, width, 1.0), 0.0, 1.0)
        return np.hstack([scaled, 1 - scaled])

    def _pass(self, coded: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The categories after each row was shown once, and (n,) the category that took it."""
        end_if_abandoned()
        labels = np.empty(len(coded), dtype=np.int64)
        room = np.vstack([weights, np.empty_like(coded)])
        count = _fuzzy_art.learn(
            coded=np.ascontiguousarray(coded), weights=room, labels=labels, count=len(weights),
            vigilance=float(self.vigilance), choice=float(self.choice), rate=float(self.rate),
        )  # fmt: skip
        return room[:count].copy(), labels

    def _activation(self, X: Any) -> np.ndarray:
        coded = self._coded(np.asarray(dense_block(X), dtype=np.float64))
        total = self.choice + self.weights_.sum(axis=1)
        out = np.empty((len(coded), len(self.weights_)))
        for k, weight in enumerate(self.weights_):
            out[:, k] = np.minimum(coded, weight).sum(axis=1) / total[k]
        return out

    def _assign(self, X: Any) -> np.ndarray:
        coded = np.ascontiguousarray(self._coded(np.asarray(dense_block(X), dtype=np.float64)))
        labels = np.empty(len(coded), dtype=np.int64)
        _fuzzy_art.learn(
            coded=coded, weights=np.array(self.weights_), labels=labels, count=len(self.weights_), vigilance=0.0,
            choice=float(self.choice), rate=0.0,
        )  # fmt: skip
        return labels

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """Why a row belongs to its category: the activations (1), and the box of the first."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        active = self._activation(X)
        answers = np.argmax(active, axis=1)

        def sections(i: int) -> list[Section]:
            order = np.argsort(-active[i], kind="stable")[:10]
            k = int(answers[i])
            box = [[name, low, high] for name, low, high in self._box(k)]
            return [
                Section(
                    "Categories", ["category", "activation"], [[int(c), float(active[i, c])] for c in order]
                ),
                Section(f"The box of category {k}", ["column", "from", "to"], box),
            ]

        return Explanations(type(self).__name__, answers.tolist(), rows, Reasons(sections))

    def _box(self, k: int) -> list[tuple[str, float, float]]:
        p = len(self.low_)
        width = self.high_ - self.low_
        low = self.low_ + width * self.weights_[k, :p]
        high = self.low_ + width * (1 - self.weights_[k, p:])
        return list(zip(self._names, low.tolist(), high.tolist()))

    def _model_parts(self) -> list[Part]:
        boxes = [[k, name, low, high] for k in range(len(self.weights_)) for name, low, high in self._box(k)]
        return [Section("Boxes", ["category", "column", "from", "to"], boxes)]
