"""A soft regression tree: every row takes all branches, with weights."""

from __future__ import annotations

import numpy as np

from assay.core import Card, Regressor
from assay.trees.soft_tree import SOFT, Floats, SoftTree, canonical_rows
from assay.trees.textbook_tree import one_target, refuse_huge

__all__ = ["SoftTreeRegressor"]


class SoftTreeRegressor(SoftTree, Regressor):
    r"""A tree whose nodes send every row both ways, and whose answer is the weighted mean of all leaves.

    Gate m sends a row to the right with probability :math:`g_m(x) = \mathrm{sigmoid}(w_m^T x + w_{m0})`; a leaf weighs
    the product of the probabilities on the way to it:

    .. math:: y(x) = \sum_l \pi_l(x)\, v_l, \qquad
              \pi_l(x) = \prod_{m \to l} g_m(x)^{[right]} (1 - g_m(x))^{[left]}, \qquad \sum_l \pi_l(x) = 1  \quad (1)

    The answer is smooth in x. Training starts from an ordinary tree, whose thresholds become gates, and minimises the
    mean squared error, in units of the targets' variance, plus ridge on the gates by L-BFGS.

    Cost: fit O(n d nodes) a step; predict O(d nodes) a row; memory O(n (d + nodes)) to fit, O(d nodes) kept.

    Parameters
    ----------
    max_depth : int, default 3
        Gates from the root to a leaf, at most.
    sharpness : float, default 4
        How steep the gates are at the start, per standard deviation of their column.
    ridge : float, default 0.01
        Half of this, times the squared standardised gate coefficients, is added to the mean loss.
    max_iter : int, default 1000
        Iterations, at most.
    tol : float, default 1e-4
        Training stops when no part of the gradient is larger, or an iteration gains less than a hundredth of it.

    Attributes
    ----------
    gate_coef_ : (gates, p)      gate_intercept_ : (gates,)
    side_ : (gates, leaves), 1 where a leaf lies to the right of a gate, -1 to the left, 0 elsewhere
    leaf_values_ : (leaves,)
    history_ : list of float, the penalised loss after each iteration      n_iter_ : int

    Examples
    --------
    >>> from assay.trees import SoftTreeRegressor
    >>> x = np.linspace(-3, 3, 61)[:, None]
    >>> model = SoftTreeRegressor(ridge=0.001).fit(x, np.sin(x).ravel())
    >>> model.score(x, np.sin(x).ravel()) > 0.95
    True

    See Also
    --------
    SoftTreeClassifier, ContinuousTreeRegressor

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
            "squared error + squared weights",
            "L-BFGS on all gates",
            "local",
        ),
    )
    accepts = {**SOFT}

    def __init__(
        self,
        max_depth: int = 3,
        sharpness: float = 4.0,
        ridge: float = 0.01,
        max_iter: int = 1000,
        tol: float = 1e-4,
    ):
        self.max_depth = max_depth
        self.sharpness = sharpness
        self.ridge = ridge
        self.max_iter = max_iter
        self.tol = tol

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        y = one_target(y, type(self).__name__)
        refuse_huge(X, "X", type(self).__name__)
        X, y, weights = canonical_rows(X, y, w)
        share = weights / weights.sum()
        middle = float(share @ y)
        spread = float(np.sqrt(share @ (y - middle) ** 2)) or 1.0
        target = (y - middle) / spread

        def loss(weight: Floats, values: Floats) -> tuple[float, Floats, Floats]:
            off = share * (weight @ values[:, 0] - target)
            value = 0.5 * float(off @ (weight @ values[:, 0] - target))
            return value, off[:, None] * weight * values[:, 0], (off @ weight)[:, None]

        values = self._train(X, target, weights, 0, lambda means: means.copy(), loss)
        self.leaf_values_ = values[:, 0] * spread + middle

    def _predict(self, X: np.ndarray) -> np.ndarray:
        return self._leaf_weights(X) @ self.leaf_values_  # (1)
