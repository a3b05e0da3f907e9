"""A soft classification tree: every row takes all branches, with weights."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax

from assay.core import Card, Classifier
from assay.trees.soft_tree import SOFT, Floats, SoftTree, canonical_rows
from assay.trees.textbook_tree import refuse_huge

__all__ = ["SoftTreeClassifier"]


class SoftTreeClassifier(SoftTree, Classifier):
    r"""A tree whose nodes send every row both ways, with probabilities that are learned by gradient.

    Gate m sends a row to the right with probability :math:`g_m(x) = \mathrm{sigmoid}(w_m^T x + w_{m0})`, and to the
    left with the rest. A leaf weighs the product of the probabilities on the way to it, and the posterior is the
    weighted mean of the leaves' posteriors:

    .. math:: P(k|x) = \sum_l \pi_l(x) P_l(k), \qquad
              \pi_l(x) = \prod_{m \to l} g_m(x)^{[right]} (1 - g_m(x))^{[left]}, \qquad \sum_l \pi_l(x) = 1  \quad (1)

    Boundaries are smooth and may be oblique. Training starts from an ordinary tree, whose thresholds become gates, and
    minimises the mean cross-entropy plus ridge on the gates by L-BFGS. As gates grow steep the soft tree becomes a hard
    one.

    Cost: fit O(n (d + K) nodes) a step; predict O((d + K) nodes) a row; memory O(n (d + nodes)) to fit, O((d + K)
    nodes) kept.

    Parameters
    ----------
    max_depth : int, default 3
        Gates from the root to a leaf, at most.
    sharpness : float, default 4
        How steep the gates are at the start, per standard deviation of their column.
    ridge : float, default 0.001
        Half of this, times the squared standardised gate coefficients, is added to the mean loss.
    max_iter : int, default 1000
        Iterations, at most.
    tol : float, default 1e-4
        Training stops when no part of the gradient is larger, or an iteration gains less than a hundredth of it.

    Attributes
    ----------
    gate_coef_ : (gates, p)      gate_intercept_ : (gates,)
    side_ : (gates, leaves), 1 where a leaf lies to the right of a gate, -1 to the left, 0 elsewhere
    leaf_values_ : (leaves, K), the leaves' posteriors
    history_ : list of float, the penalised loss after each iteration      n_iter_ : int

    Examples
    --------
    >>> from assay.trees import SoftTreeClassifier
    >>> X = np.array([[a, b] for a in range(6) for b in range(6)], dtype=float)
    >>> y = (X.sum(axis=1) > 5).astype(int)  # an oblique border
    >>> model = SoftTreeClassifier(max_depth=1).fit(X, y)
    >>> model.score(X, y)
    1.0
    >>> model.leaf_weights(X).sum(axis=1).round(12).min()
    np.float64(1.0)

    See Also
    --------
    SoftTreeRegressor, DecisionTreeClassifier, LinearLeafClassifier

    References
    ----------
    - Jordan, M. I. and Jacobs, R. A. (1994). Hierarchical mixtures of experts and the EM algorithm. Neural
      Computation 6(2), 181-214.
    - Irsoy, O., Yildiz, O. T. and Alpaydin, E. (2012). Soft decision trees. International Conference on Pattern
      Recognition, 1819-1822.
    """

    card = Card(
        "soft tree",
        "a tree that sends every row both ways, by learned probabilities",
        learns=(
            "a tree of gates, all leaves answer",
            "log loss + squared weights",
            "L-BFGS on all gates",
            "local",
        ),
    )
    accepts = {**SOFT}

    def __init__(
        self,
        max_depth: int = 3,
        sharpness: float = 4.0,
        ridge: float = 0.001,
        max_iter: int = 1000,
        tol: float = 1e-4,
    ):
        self.max_depth = max_depth
        self.sharpness = sharpness
        self.ridge = ridge
        self.max_iter = max_iter
        self.tol = tol

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        K = len(self.classes_)
        refuse_huge(X, "X", type(self).__name__)
        X, y, weights = canonical_rows(X, y, w)
        first = list(dict.fromkeys(y.tolist()))  # classes in the order in which the sorted rows show them
        first += [k for k in range(K) if k not in first]
        place = np.argsort(first)
        codes = place[y]
        share = weights / weights.sum()
        truth = np.eye(K)[codes]

        def loss(weight: Floats, scores: Floats) -> tuple[float, Floats, Floats]:
            posterior = softmax(scores, axis=1)  # (leaves, K)
            likely = weight * posterior[:, codes].T  # (n, leaves)
            evidence = np.maximum(likely.sum(axis=1), 1e-300)
            credit = share[:, None] * likely / evidence[:, None]
            by_leaf = credit.sum(axis=0)[:, None] * posterior - credit.T @ truth + 1e-6 * scores
            value = -float(share @ np.log(evidence)) + 5e-7 * float((scores**2).sum())
            return value, -credit, by_leaf

        def start(shares: Floats) -> Floats:
            logs = np.log(shares + 0.05 / K)
            return logs - logs.mean(axis=1, keepdims=True)

        scores = self._train(X, codes, weights, K, start, loss)
        self.leaf_values_ = softmax(scores, axis=1)[:, place]

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        posterior = self._leaf_weights(X) @ self.leaf_values_  # (1)
        return posterior / posterior.sum(axis=1, keepdims=True)
