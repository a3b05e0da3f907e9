"""What can be added to the error of a network: priors of its weights, and hints about its outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parameters import Accepted, Flag, Range, check
from assay.errors import ParameterError
from assay.neural.arguments import finite_numbers
from assay.neural.network import Network

__all__ = ["IntervalHint", "InvarianceHint", "SoftWeightSharing", "TangentHint", "WeightDecay", "is_bias"]

SPREAD_FLOOR = 1e-3  # least deviation of a component of the mixture of weights


def is_bias(network: Network) -> np.ndarray:
    """(p,) whether each weight is a bias."""
    flags = np.zeros(network.n_parameters, dtype=bool)
    for views in network.split(flags):
        for name, view in views.items():
            if name.startswith("b"):
                view[...] = True
    return flags


@dataclass(frozen=True)
class WeightDecay:
    r"""Weight decay: small weights are more probable, as a normal prior of variance :math:`1/\lambda` says.

    .. math:: E' = E + \frac\lambda2\sum_i w_i^2,\qquad
              \Delta w_i = -\eta\frac{\partial E}{\partial w_i} - \eta\lambda w_i \quad (1)

    Minus the logarithm of the posterior of the weights under a normal prior (MAP): with
    :math:`E' = E + \lambda_2\|w\|^2`, the prior :math:`N(0, 1/(2\lambda_2))`, this is :math:`\lambda = 2\lambda_2`.
    A linear network with squared error becomes ridge regression, :math:`w = (X^TX+\lambda I)^{-1}X^Tr`.

    Parameters
    ----------
    decay : float
        Lambda, against the sum of the errors of the rows.
    biases : bool, default True
        Whether biases decay as well.

    Examples
    --------
    >>> from assay.neural import Dense, Network, WeightDecay
    >>> net = Network([Dense(1, bias=False)], 2).load([[3.0], [4.0]])
    >>> value, slope = WeightDecay(0.1).value_gradient(net)
    >>> round(value, 10), slope.round(10)
    (1.25, array([0.3, 0.4]))
    """

    decay: float
    biases: bool = True

    def __post_init__(self) -> None:
        accepted: dict[str, Accepted | None] = {"decay": Range(0), "biases": Flag()}
        check("WeightDecay", accepted, {"decay": self.decay, "biases": self.biases})

    def value_gradient(self, network: Network) -> tuple[float, np.ndarray]:
        """(1)"""
        w = network.theta if self.biases else np.where(is_bias(network), 0.0, network.theta)
        return float(self.decay / 2 * (w @ w)), self.decay * w


@dataclass
class SoftWeightSharing:
    r"""Soft weight sharing: a mixture of normal densities as prior of the weights, learned with them.

    .. math:: E' = E - \lambda\sum_i\log\sum_j\alpha_j N(w_i; m_j, s_j^2),\qquad
              \frac{\partial E'}{\partial w_i} = \frac{\partial E}{\partial w_i}
              + \lambda\sum_j\pi_j(w_i)\frac{w_i-m_j}{s_j^2} \quad (1)

    with responsibilities :math:`\pi_j(w) = \alpha_jN_j(w)/\sum_l\alpha_lN_l(w)`. Each weight is pulled towards the
    components that are responsible for it, and these move towards their weights:

    .. math:: \frac{\partial E'}{\partial m_j} = -\lambda\sum_i\pi_j\frac{w_i-m_j}{s_j^2},\;
              \frac{\partial E'}{\partial s_j} = \lambda\sum_i\pi_j\left(\frac1{s_j}-\frac{(w_i-m_j)^2}{s_j^3}\right),\;
              \frac{\partial E'}{\partial\gamma_j} = \lambda\sum_i(\alpha_j-\pi_j),\;
              \alpha = \text{softmax}(\gamma) \quad (2)

    Parameters
    ----------
    strength : float
        Lambda.
    weights, means, spreads : (M,) alpha, m and s where learning begins
    rate : float, default 0.01
        Of the descent of the mixture along (2), one step each time its gradient is asked for; 0 leaves it as it is.

    Examples
    --------
    >>> from assay.neural import SoftWeightSharing
    >>> prior = SoftWeightSharing(1.0, [0.6, 0.4], [0.0, 1.0], [0.3, 0.5])
    >>> prior.responsibilities([0.9]).round(6)
    array([[0.027553, 0.972447]])

    References
    ----------
    - Nowlan, S. J. and Hinton, G. E. (1992). Simplifying neural networks by soft weight-sharing. Neural Computation 4,
      473-493. doi:10.1162/neco.1992.4.4.473
    """

    strength: float
    weights: Any
    means: Any
    spreads: Any
    rate: float = 0.01
    _gamma: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        who = "SoftWeightSharing"
        check(who, {"strength": Range(0), "rate": Range(0)}, {"strength": self.strength, "rate": self.rate})
        for name in ("weights", "means", "spreads"):
            setattr(self, name, finite_numbers(getattr(self, name), who, name))
        if not self.weights.shape == self.means.shape == self.spreads.shape or self.weights.ndim != 1:
            raise ParameterError("SoftWeightSharing: weights, means and spreads must be of one length.")
        if (self.spreads <= 0).any() or (self.weights <= 0).any():
            raise ParameterError("SoftWeightSharing: weights and spreads must be above 0.")
        self._gamma = np.log(self.weights / self.weights.sum())
        self.weights = self.weights / self.weights.sum()

    def _log_parts(self, w: np.ndarray) -> np.ndarray:
        """(p, M) log alpha_j N(w_i; m_j, s_j^2)."""
        z = (w[:, None] - self.means) / self.spreads
        return np.log(self.weights) - np.log(self.spreads) - 0.5 * np.log(2 * np.pi) - z**2 / 2

    def responsibilities(self, w: ArrayLike) -> np.ndarray:
        """(p, M) pi_j(w_i)."""
        from scipy.special import softmax

        return softmax(self._log_parts(np.asarray(w, dtype=np.float64)), axis=1)

    def slopes(self, w: np.ndarray) -> dict[str, np.ndarray]:
        """The derivatives of the penalty: by the weights (1), and by means, spreads and gamma (2)."""
        pi, way = self.responsibilities(w), w[:, None] - np.asarray(self.means)
        pull = pi * way / np.asarray(self.spreads) ** 2
        s = np.asarray(self.spreads)
        return {
            "w": self.strength * pull.sum(axis=1),
            "means": -self.strength * pull.sum(axis=0),
            "spreads": self.strength * (pi * (1 / s - way**2 / s**3)).sum(axis=0),
            "gamma": self.strength * (self.weights - pi).sum(axis=0),
        }

    def value(self, w: np.ndarray) -> float:
        """-lambda times the sum of the logarithms of the mixture."""
        from scipy.special import logsumexp

        return float(-self.strength * logsumexp(self._log_parts(w), axis=1).sum())

    def value_gradient(self, network: Network) -> tuple[float, np.ndarray]:
        """(1); the mixture makes a step of its own along (2)."""
        w = network.theta
        value, slopes = self.value(w), self.slopes(w)
        if self.rate:
            step = self.rate / len(w)
            self.means = np.asarray(self.means) - step * slopes["means"]
            self.spreads = np.maximum(np.asarray(self.spreads) - step * slopes["spreads"], SPREAD_FLOOR)
            self._gamma = self._gamma - step * slopes["gamma"]
            e = np.exp(self._gamma - self._gamma.max())
            self.weights = e / e.sum()
        return value, slopes["w"]


def _check_hint(hint: Any, *arrays: str) -> None:
    """Refuse a strength that is no number, and rows that are none or do not belong together."""
    who = type(hint).__name__
    check(who, {"strength": Range(0)}, {"strength": hint.strength})
    shapes = {finite_numbers(getattr(hint, name), who, name).shape for name in arrays}
    if len(shapes) > 1:
        raise ParameterError(f"{who}: {' and '.join(arrays)} must be of one shape, got {sorted(shapes)}.")


def _bounds_of(hint: Any, name: str) -> np.ndarray:
    """The bounds of an interval, which may reach on for ever."""
    try:
        bounds = np.asarray(getattr(hint, name), dtype=np.float64)
    except (TypeError, ValueError):
        bounds = np.full(1, np.nan)
    if np.isnan(bounds).any():
        raise ParameterError(f"IntervalHint: {name} must be numbers, got {getattr(hint, name)!r:.80}.")
    return bounds


@dataclass(frozen=True)
class InvarianceHint:
    r"""Rows that must have the same outputs: :math:`E_h = \sum\|g(x)-g(x')\|^2` over pairs.

    Parameters
    ----------
    strength : float
        Lambda, the weight of the hint.
    X, X_same : (n, d) pairs of rows

    References
    ----------
    - Abu-Mostafa, Y. S. (1995). Hints. Neural Computation 7, 639-671. doi:10.1162/neco.1995.7.4.639
    """

    strength: float
    X: ArrayLike
    X_same: ArrayLike

    def __post_init__(self) -> None:
        _check_hint(self, "X", "X_same")

    def value_gradient(self, network: Network) -> tuple[float, np.ndarray]:
        """Backpropagation at both rows of each pair."""
        difference = network.outputs(self.X) - network.outputs(self.X_same)
        e = 2 * self.strength * difference
        grad = network.gradient(self.X, e) - network.gradient(self.X_same, e)
        return float(self.strength * (difference**2).sum()), grad


@dataclass(frozen=True)
class IntervalHint:
    r"""Outputs known to lie in an interval: 0 inside, :math:`(g-a)^2` below and :math:`(g-b)^2` above.

    Parameters
    ----------
    strength : float
        Lambda, the weight of the hint.
    X : (n, d)      low, high : numbers, or (n, K) of them

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import IntervalHint
    >>> IntervalHint(1.0, [[0.0]], 1.0, 2.0).errors(np.array([0.5, 1.5, 3.0]))
    array([0.25, 0.  , 1.  ])
    """

    strength: float
    X: ArrayLike
    low: ArrayLike
    high: ArrayLike

    def __post_init__(self) -> None:
        _check_hint(self, "X")
        low, high = _bounds_of(self, "low"), _bounds_of(self, "high")
        try:
            ordered = bool((low <= high).all())
        except ValueError:  # of shapes that do not fit
            ordered = False
        if not ordered:
            raise ParameterError("IntervalHint: low must nowhere be above high, and of one shape with it.")

    def _outside(self, g: np.ndarray) -> np.ndarray:
        return np.minimum(g - self.low, 0) + np.maximum(g - self.high, 0)

    def errors(self, g: np.ndarray) -> np.ndarray:
        """The error of each output."""
        return self._outside(g) ** 2

    def value_gradient(self, network: Network) -> tuple[float, np.ndarray]:
        """Backpropagation of the distance to the interval."""
        outside = self._outside(network.outputs(self.X))
        return float(self.strength * (outside**2).sum()), network.gradient(
            self.X, 2 * self.strength * outside
        )


@dataclass(frozen=True)
class TangentHint:
    r"""Tangent prop: outputs that must not change along given directions.

    .. math:: E_h = \sum_t\left\|\sum_j v^t_j\frac{\partial g(x^t)}{\partial x_j}\right\|^2 \quad (1)

    Parameters
    ----------
    strength : float
        Lambda, the weight of the hint.
    X, V : (n, d) rows and the directions at them, such as the change of a picture as it turns

    Examples
    --------
    >>> from assay.neural import Dense, Network, TangentHint
    >>> net = Network([Dense(1)], 2, random_state=0)
    >>> value, gradient = TangentHint(1.0, [[1.0, 2.0]], [[0.0, 1.0]]).value_gradient(net)
    >>> gradient.shape == net.theta.shape
    True

    References
    ----------
    - Simard, P., Victorri, B., LeCun, Y. and Denker, J. (1992). Tangent prop: a formalism for specifying selected
      invariances in an adaptive network. Advances in Neural Information Processing Systems 4, 895-903.
    """

    strength: float
    X: ArrayLike
    V: ArrayLike

    def __post_init__(self) -> None:
        _check_hint(self, "X", "V")

    def value_gradient(self, network: Network) -> tuple[float, np.ndarray]:
        """(1), exact by second derivatives of the activations."""
        value, grad = network.gradient_along(self.X, self.V)
        return self.strength * value, self.strength * grad
