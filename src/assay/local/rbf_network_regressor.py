"""Radial basis function network for numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core import Card, Regressor
from assay.core.stored import Boolean
from assay.distances.squared_rows import refuse_huge
from assay.errors import DataError
from assay.local.fuzzy_rule import FuzzyRule, fuzzy_rules
from assay.local.rbf_network import RBFNetwork
from assay.local.rbf_objective import RBFLayers, hidden

__all__ = ["RBFNetworkRegressor"]


class RBFNetworkRegressor(RBFNetwork, Regressor):
    r"""Regression by a weighted sum of Gaussian bells around centres (radial basis functions).

    .. math:: y(x) = w_0 + \sum_h w_h p_h(x) \;[+\; v^T x], \qquad p_h(x) = e^{-\|x - m_h\|^2/2s_h^2}      \quad (1)

    Each unit answers for its neighbourhood, so that few units matter to a row. In two stages ("hybrid"): centres and
    spreads from the rows alone, then the weights by least squares; ``supervised`` goes on from there by moving all of
    them. One unit at each row with a common spread, no constant and ``alpha=0`` interpolates.

    Cost: fit O(n H (d + H)) once, and O(n H d) a step if supervised; predict O(H d) a row; memory O(n H) to fit, O(H d)
    kept.

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
        Whether there is a constant; normalised units need none.
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
    >>> import numpy as np
    >>> from assay.local import RBFNetworkRegressor
    >>> x = np.linspace(0, 6, 60)[:, None]
    >>> model = RBFNetworkRegressor(8, random_state=0).fit(x, np.sin(x[:, 0]))
    >>> bool(abs(model.predict(x) - np.sin(x[:, 0])).max() < 0.05)
    True

    See Also
    --------
    RBFNetworkClassifier, RBFFeatures, KernelRidge

    References
    ----------
    - Broomhead, D. S. and Lowe, D. (1988). Multivariable functional interpolation and adaptive networks. Complex
      Systems 2, 321-355.
    - Moody, J. and Darken, C. J. (1989). Fast learning in networks of locally-tuned processing units. Neural
      Computation 1(2), 281-294. doi:10.1162/neco.1989.1.2.281
    """

    card = Card(
        "rbf network",
        "a weighted sum of bells around centres",
        also=("radial basis functions",),
        scale=True,
        settings={"random_state": 0},
        learns=(
            "a sum of Gaussian units",
            "squared error + squares of the weights",
            "k-means, then least squares (and L-BFGS)",
            "local",
        ),
    )
    stored = {"_several": Boolean()}
    kind = "numbers"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = tags.target_tags.single_output = True
        return tags

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        refuse_huge(y, type(self).__name__)
        self._several = y.ndim == 2
        self._learn_layers(X, y if y.ndim == 2 else y[:, None], w)

    def _output_layer(
        self, net: RBFLayers, X: np.ndarray, target: np.ndarray, weight: np.ndarray
    ) -> tuple[RBFLayers, int, bool]:
        F = np.column_stack([hidden(net.units, X, net.normalize), *([X] if self.direct else [])])
        Y, root = target, np.sqrt(weight)[:, None]
        constant = "intercept" in self._free_constants()
        F_mean, Y_mean = np.zeros(F.shape[1]), np.zeros(Y.shape[1])
        if constant:
            F_mean, Y_mean = np.average(F, axis=0, weights=weight), np.average(Y, axis=0, weights=weight)
        A, B = root * (F - F_mean), root * (Y - Y_mean)
        if self.alpha:
            A = np.vstack([A, np.sqrt(self.alpha) * np.eye(A.shape[1])])
            B = np.vstack([B, np.zeros((F.shape[1], Y.shape[1]))])
        W = np.linalg.lstsq(A, B, rcond=None)[0].T
        H = len(net.units)
        return replace(net, weights=W[:, :H], direct=W[:, H:], intercept=Y_mean - W @ F_mean), 1, True

    def _predict(self, X: Any) -> np.ndarray:
        outputs = self._layers.outputs(X)
        return outputs if self._several else outputs[:, 0]

    def to_rules(self, target: str = "y") -> list[FuzzyRule]:
        """One fuzzy rule for each unit: its centre and spreads as conditions, its weight as the answer."""
        self._ready()
        if self._several:
            raise DataError(
                f"{type(self).__name__}: rules are of one target, the model was fitted to several."
            )
        return fuzzy_rules(self._layers.units, self.weights_[0], self._names, target, merge=False)
