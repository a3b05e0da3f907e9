"""Real-time recurrent learning: the gradient of a recurrent network without going back in time."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.neural.activations import ACTIVATIONS
from assay.neural.arguments import finite_numbers
from assay.neural.layers.layer import Parts, activate, deactivate
from assay.neural.layers.recurrent import PartiallyRecurrent
from assay.neural.network import Network
from assay.neural.output_errors import OutputError, output_error

__all__ = ["real_time_gradient"]


def real_time_gradient(
    network: Network, sequence: ArrayLike, target: ArrayLike, error: str | OutputError = "squared_error"
) -> np.ndarray:
    r"""The gradient of the error summed over the steps of one sequence, carried along step by step.

    With :math:`h^t = f(x^tW + h^{t-1}R + b)` and :math:`P^k_w(t) = \partial h_k^t/\partial w`:

    .. math:: P^k_w(t) = f'_k\left[\sum_l R_{lk}P^l_w(t-1) + \frac{\partial a_k}{\partial w}\right],\quad
              \frac{\partial E}{\partial w} = \sum_t\sum_k\frac{\partial E^t}{\partial h_k^t}P^k_w(t),\quad
              P(0) = 0 \quad (1)

    Memory does not grow with the length of the sequence; a step costs O(H^4). As long as the weights stay as they are
    within the sequence it equals backpropagation through time.

    Parameters
    ----------
    network : Network of one PartiallyRecurrent layer with feedback ("hidden",) and outputs of all steps
    sequence : (T, d)      target : (T, K)
    error : see Network.value_gradient

    Returns
    -------
    (p,) like ``network.theta``

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import Network, PartiallyRecurrent, real_time_gradient
    >>> net = Network([PartiallyRecurrent(4, 1, ["hidden"])], (10, 3), random_state=0)
    >>> real_time_gradient(net, np.ones((10, 3)), np.zeros((10, 1))).shape == net.theta.shape
    True

    References
    ----------
    - Williams, R. J. and Zipser, D. (1989). A learning algorithm for continually running fully recurrent neural
      networks. Neural Computation 1, 270-280. doi:10.1162/neco.1989.1.2.270
    """
    layer = network.layers[0]
    if len(network.layers) != 1 or not isinstance(layer, PartiallyRecurrent):
        raise ParameterError("real_time_gradient: the network must be one PartiallyRecurrent layer.")
    if tuple(layer.feedback) != ("hidden",):
        raise ParameterError("real_time_gradient: feedback must be ('hidden',).")
    who = "real_time_gradient"
    x, r = finite_numbers(sequence, who, "sequence"), finite_numbers(target, who, "target")
    if x.shape[1:] != network.shapes[0][1:] or r.size != len(x) * layer.outputs:
        raise DataError(
            f"sequence must be steps of {network.shapes[0][-1]} numbers and target {layer.outputs} for each step, got "
            f"the shapes {x.shape} and {r.shape}.",
            who=who,
        )
    r = r.reshape(len(x), layer.outputs)
    judged = output_error(error, "real_time_gradient")
    w: Parts = network.parts[0]
    H, d = layer.units, x.shape[1]
    grad = np.zeros_like(network.theta)
    g = network.split(grad)[0]
    f = ACTIVATIONS[layer.activation]
    h = np.zeros(H)
    P = {"W": np.zeros((H, d, H)), "R": np.zeros((H, H, H)), "b": np.zeros((H, H))}  # P[w][k] = dh_k / dw
    unit = np.eye(H)
    for t in range(len(x)):
        a = x[t] @ w["W"] + h @ w["R"] + w["b"]
        new = f.value(a)
        slope = f.slope(a, new)
        direct = {
            "W": np.einsum("j,ki->kji", x[t], unit),
            "R": np.einsum("j,ki->kji", h, unit),
            "b": unit,
        }
        for name in P:  # (1)
            P[name] = np.einsum("k,k...->k...", slope, np.tensordot(w["R"].T, P[name], axes=1) + direct[name])
        h = new
        o = h @ w["V"] + w["bc"]
        y = activate(layer.output, o)
        delta = deactivate(layer.output, o, y, judged.slope(y[None], r[t][None])[0])
        g["V"] += np.outer(h, delta)
        g["bc"] += delta
        back = w["V"] @ delta
        for name, part in P.items():
            g[name] += np.tensordot(back, part, axes=1)
    return grad
