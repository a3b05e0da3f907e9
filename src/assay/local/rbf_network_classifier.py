"""Radial basis function network for classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core import Card, Classifier
from assay.core.scores import softmax
from assay.local.rbf_network import RBFNetwork
from assay.local.rbf_objective import RBFLayers, descend, hidden
from assay.local.softmax_layer import MOST_NEWTON_WEIGHTS, softmax_layer

__all__ = ["RBFNetworkClassifier"]


class RBFNetworkClassifier(RBFNetwork, Classifier):
    r"""Classification by the softmax of weighted sums of Gaussian bells around centres (radial basis functions).

    .. math:: P(k \mid x) \propto \exp\Big[w_{k0} + \sum_h w_{kh} p_h(x) \;[+\; v_k^T x]\Big], \qquad
              p_h(x) = e^{-\|x - m_h\|^2/2s_h^2}                                                          \quad (1)

    Centres and spreads from the rows alone, then the weights by maximum likelihood; ``supervised`` goes on from there
    by moving all of them.

    Cost: fit O(n H (d + K)) a step; predict O(H (d + K)) a row; memory O(n H) to fit, O(H (d + K)) kept.

    Parameters
    ----------
    n_units : int, default 20
        H, the number of units; fewer where there are fewer distinct rows.
    units : "kmeans", "anchors", "mixture" or (H, d) centres, default "kmeans"
        Where units stand at first: at the means of groups, at rows drawn at random, at the components of a mixture of
        Gaussians (whose deviations they take), or as given.
    shape : "spherical", "diagonal" or "full", default "spherical"
        One spread a unit, one for each column, or a covariance.
    spread : "neighbors", "half", "third" or a number, default "neighbors"
        Of units that are no mixture: the mean distance to the two nearest other centres, or a share of the distance to
        the farthest row of the unit.
    normalize : bool, default False
        Whether units share out what is one (normalised basis functions): far from all of them the nearest then decides,
        where bells alone leave the constant.
    direct : bool, default False
        Whether columns also count directly: a linear rule, with units as its exceptions.
    supervised : bool, default False
        Whether centres and spreads are moved together with the weights to lower the error.
    fit_intercept : bool, default True
        Whether each class has a constant.
    alpha : float, default 1e-4
        Penalty on the squares of the weights.
    max_iter : int, default 500
    tol : float, default 1e-6
        Of the gradient, a row, at which steps end.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    centers_ : (H, d)      spreads_ : (H,), (H, d) or (H, d, d)
    weights_ : (K, H)      direct_weights_ : (K, d) or (K, 0)      intercept_ : (K,)
    history_ : list of dicts, one a step of supervised training: iteration, error      n_iter_ : int

    Examples
    --------
    Exclusive or, which no line can tell:

    >>> from assay.local import RBFNetworkClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "other", "other", "same"]
    >>> RBFNetworkClassifier(4, spread=0.5, random_state=0).fit(X, y).predict(X)
    array(['same', 'other', 'other', 'same'], dtype='<U5')

    See Also
    --------
    RBFNetworkRegressor, LVQClassifier, SVC

    References
    ----------
    - Broomhead, D. S. and Lowe, D. (1988). Multivariable functional interpolation and adaptive networks. Complex
      Systems 2, 321-355.
    - Moody, J. and Darken, C. J. (1989). Fast learning in networks of locally-tuned processing units. Neural
      Computation 1(2), 281-294. doi:10.1162/neco.1989.1.2.281
    """

    card = Card(
        "rbf network",
        "the softmax of weighted sums of bells around centres",
        also=("radial basis functions",),
        scale=True,
        settings={"random_state": 0},
        learns=(
            "the softmax of sums of Gaussian units",
            "cross-entropy + squares of the weights",
            "k-means, then Newton steps (and L-BFGS)",
            "local",
        ),
    )
    kind = "classes"

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self._learn_layers(X, np.eye(len(self.classes_))[y], w)

    def _output_layer(
        self, net: RBFLayers, X: np.ndarray, target: np.ndarray, weight: np.ndarray
    ) -> tuple[RBFLayers, int, bool]:
        free = ("weights", *self._free_constants())
        K, H, constant = len(net.intercept), len(net.units), "intercept" in free
        parts = [hidden(net.units, X, net.normalize), *([X] if self.direct else [])]
        F = np.column_stack([*parts, *([np.ones(len(X))] if constant else [])])
        if K * F.shape[1] > MOST_NEWTON_WEIGHTS:
            return descend(
                net,
                X,
                target,
                weight,
                self.kind,
                alpha=self.alpha,
                free=free,
                max_iter=self.max_iter,
                tol=self.tol,
            )
        penalty = np.full(F.shape[1], float(self.alpha))
        if constant:
            penalty[-1] = 0.0
        W, steps, done = softmax_layer(F, target, weight, penalty, self.max_iter)
        end = F.shape[1] - constant
        intercept = W[:, end] if constant else net.intercept
        return replace(net, weights=W[:, :H], direct=W[:, H:end], intercept=intercept), steps, done

    def _posterior(self, X: Any) -> np.ndarray:
        return softmax(self._layers.outputs(X))

    def _answer_of(self, X: Any) -> list[int]:
        return self._layers.outputs(X).argmax(axis=1).tolist()
