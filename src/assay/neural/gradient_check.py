"""Gradients checked by finite differences."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parameters import Range, check
from assay.neural.network import Network
from assay.neural.output_errors import OutputError

__all__ = ["gradient_check"]

STEP = 1e-6
MOST_CHECKED = 500  # weights, drawn at random from more


def gradient_check(
    network: Network,
    X: ArrayLike,
    target: ArrayLike,
    error: str | OutputError = "squared_error",
    step: float = STEP,
    seed: int | None = None,
) -> float:
    r"""How far backpropagation is from central differences, relative to the largest entry of the gradient.

    .. math:: \frac{\partial E}{\partial w_i} \approx \frac{E(w_i+h)-E(w_i-h)}{2h} \quad (1)

    A right gradient gives 1e-7 or less (rounding of (1)); a wrong one 1e-2 or more.

    Parameters
    ----------
    network : Network      X, target : rows and their targets
    error : see Network.value_gradient
    step : h
    seed : of layers that leave units out: each evaluation draws the same; None checks the network that answers

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import Dense, Network, gradient_check
    >>> net = Network([Dense(3, "logistic"), Dense(2)], 4, random_state=0)
    >>> gradient_check(net, np.ones((5, 4)), np.zeros((5, 2))) < 1e-7
    True
    """

    check("gradient_check", {"step": Range(0, open="low")}, {"step": step})

    def value() -> float:
        random = None if seed is None else np.random.default_rng(seed)
        return network.value_gradient(X, target, error, random=random)[0]

    random = None if seed is None else np.random.default_rng(seed)
    _, grad = network.value_gradient(X, target, error, random=random)
    p = network.n_parameters
    chosen = np.random.default_rng(0).permutation(p)[:MOST_CHECKED]
    rise = np.zeros(len(chosen))
    for k, i in enumerate(chosen):
        kept = network.theta[i]
        network.theta[i] = kept + step
        above = value()
        network.theta[i] = kept - step
        rise[k] = (above - value()) / (2 * step)
        network.theta[i] = kept
    scale = max(float(np.abs(rise).max(initial=0.0)), 1e-12)
    return float(np.abs(grad[chosen] - rise).max(initial=0.0) / scale)
