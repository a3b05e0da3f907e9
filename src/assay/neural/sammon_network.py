"""Sammon's mapping by a network."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from assay.core import Card, Transformer
from assay.core.parameters import Accepted, Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Object, Scalar
from assay.errors import DataError
from assay.neural.layers.dense import Dense
from assay.neural.network import Network
from assay.types import RandomState

__all__ = ["SammonNetwork", "relative_stress"]

CLOSEST = 1e-9  # share of the largest distance below which mapped points count as this far apart


def relative_stress(
    Z: np.ndarray, distances: np.ndarray, w: np.ndarray | None = None
) -> tuple[float, np.ndarray]:
    r"""Squared relative errors of the distances between mapped points, over ordered pairs, and its slope by Z.

    .. math:: E = \sum_{r\ne s}\left(\frac{D_{rs}-\delta_{rs}}{\delta_{rs}}\right)^2,\qquad
              \frac{\partial E}{\partial z_r} = 4\sum_s\frac{D_{rs}-\delta_{rs}}{\delta_{rs}^2D_{rs}}(z_r-z_s) \quad (1)

    Pairs of equal rows (:math:`\delta=0`) are left out; with weights w of the rows a pair counts :math:`w_rw_s`.

    >>> import numpy as np
    >>> from assay.neural.sammon_network import relative_stress
    >>> relative_stress(np.array([[0.0], [3.0]]), np.array([[0.0, 2.0], [2.0, 0.0]]))[0]
    0.5
    """
    n = len(Z)
    way = Z[:, None, :] - Z[None, :, :]
    D = np.sqrt((way**2).sum(axis=2))
    counts = distances > 0
    delta = np.where(counts, distances, 1.0)
    floor = CLOSEST * distances.max() if n > 1 else 1.0
    share = np.where(counts, (D - delta) / delta, 0.0)
    slope = 4 * share / delta / np.maximum(D, floor)
    pairs = 1.0 if w is None else w[:, None] * w
    return float((pairs * share**2).sum()), ((pairs * slope)[:, :, None] * way).sum(axis=1)


class SammonNetwork(Transformer):
    r"""A network that maps rows to few dimensions so that distances stay as they are, and new rows as well.

    A hidden layer and linear outputs, trained on the squared relative errors of all distances,

    .. math:: E(\theta) = \sum_{r\ne s}\left[\frac{\|g(x^r)-g(x^s)\|-\|x^r-x^s\|}{\|x^r-x^s\|}\right]^2 \quad (1)

    by L-BFGS: the slope of (1) by the outputs goes back through the network.

    Cost: fit O(n^2 k + n d H) a step; transform O(d H) a row; memory O(n^2 k).

    Parameters
    ----------
    n_components : int, default 2
    hidden : int, default 10
        Units of the hidden layer.
    activation : str, default "tanh"
    alpha : float, default 0
        Weight decay, against E / n.
    max_iter : int, default 500
    tol : float, default 1e-5
        Largest entry of the gradient of E / n to stop at.
    random_state : default None
        Seed of the first weights.

    Attributes
    ----------
    network_ : Network      mean_ : (p,)      unit_ : float, what distances are divided by inside
    embedding_ : (n, k) of the training rows      stress_ : (1)      n_iter_ : int

    Examples
    --------
    >>> from assay.neural import SammonNetwork
    >>> from assay.tables.data import load_iris
    >>> X = load_iris().X
    >>> model = SammonNetwork(random_state=0, max_iter=100).fit(X)
    >>> model.transform(X[:3]).shape
    (3, 2)

    See Also
    --------
    ParametricSammon, SammonMapping, Autoencoder

    References
    ----------
    - Mao, J. and Jain, A. K. (1995). Artificial neural networks for feature extraction and multivariate data
      projection. IEEE Transactions on Neural Networks 6, 296-317. doi:10.1109/72.363467
    """

    card = Card("sammon network", "a map that keeps distances, by a network", settings={"random_state": 0})
    accepts: ClassVar[dict[str, Accepted | None]] = {
        "n_components": Count(),
        "hidden": Count(),
        "activation": Choice("tanh", "logistic", "relu", "elu", "softplus", "identity"),
        "alpha": Range(0),
        "max_iter": Count(),
        "tol": Range(0),
        "random_state": Seed(),
    }
    stored = {
        "network_": Object(Network),
        "mean_": FloatArray("p", finite=True),
        "unit_": Scalar(low=0, finite=True),
        "embedding_": FloatArray("*", "*", finite=True),
        "stress_": Scalar(),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        hidden: int = 10,
        activation: str = "tanh",
        alpha: float = 0.0,
        max_iter: int = 500,
        tol: float = 1e-5,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.hidden = hidden
        self.activation = activation
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        from assay.optimize import lbfgs

        X = np.asarray(X, dtype=np.float64)
        v = np.ones(len(X)) if w is None else w
        n = float(v.sum())
        if len(X) < 2:
            raise DataError("SammonNetwork: 1 sample has no distances; give at least two rows.")
        self.mean_ = np.average(X, axis=0, weights=v)
        apart = X - self.mean_
        largest = (
            float(np.abs(apart).max()) or 1.0
        )  # squares are taken in its units, in which they are numbers
        unit = largest * float(np.sqrt(np.average(((apart / largest) ** 2).sum(axis=1), weights=v)))
        self.unit_ = unit if unit > 0 else 1.0
        rows = (X - self.mean_) / self.unit_
        square = (rows**2).sum(axis=1)
        distances = np.sqrt(np.maximum(square[:, None] + square - 2 * rows @ rows.T, 0.0))
        distances[distances < 1e-7] = 0.0  # the same row twice
        random = random_state_of(self.random_state)
        net = Network([Dense(self.hidden, self.activation), Dense(self.n_components)], X.shape[1], random)
        alpha = self.alpha

        class Stress:
            def value_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
                net.theta[:] = theta
                values, memories = net.run(rows)
                stress, slope = relative_stress(values[-1], distances, w)
                grad = net.backward(memories, slope / n)[1] + alpha * theta
                return stress / n + alpha / 2 * float(theta @ theta), grad

        optimum = lbfgs(Stress(), net.theta.copy(), tol=self.tol, max_iter=self.max_iter)  # type: ignore[arg-type]
        net.theta[:] = optimum.w
        self.network_, self.n_iter_ = net, optimum.n_iter
        self.stress_ = relative_stress(net.outputs(rows), distances, w)[0]
        self.embedding_ = self._transform(X)

    def _check_stored(self) -> None:
        if {"network_", "mean_"} <= vars(self).keys() and tuple(self.network_.input_shape) != (
            len(self.mean_),
        ):
            raise ValueError("network_ does not take the columns of the model")

    def _transform(self, X: Any) -> np.ndarray:
        rows = (np.asarray(X, dtype=np.float64) - self.mean_) / self.unit_
        return self.network_.outputs(rows) * self.unit_

    def _names_out(self) -> list[str]:
        return [f"sammonnetwork{k}" for k in range(self.n_components)]
