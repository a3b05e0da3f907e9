r"""Activation functions of units, with their first and second derivatives.

=============  ==========================================  =============================
name           f(a)                                        f'(a)
=============  ==========================================  =============================
"identity"     a                                           1
"threshold"    1 if a > 0, else 0                          0 (for given weights only)
"logistic"     1 / (1 + e^-a)                              f (1 - f)
"tanh"         (e^a - e^-a) / (e^a + e^-a)                 1 - f^2
"relu"         max(a, 0)                                   1 if a > 0, else 0
"leaky_relu"   a if a > 0, else 0.01 a                     1 or 0.01
"elu"          a if a > 0, else e^a - 1                    1 or f + 1
"selu"         1.0507 (a if a > 0, else 1.6733 (e^a - 1))  1.0507 or f + 1.7581
"softplus"     log(1 + e^a)                                1 - e^-f
"silu"         a / (1 + e^-a)                              s + a s (1 - s), s = logistic(a)
"exp"          e^a                                         f
"softmax"      e^a_i / sum_j e^a_j                         a matrix: f_i ([i = j] - f_j)
=============  ==========================================  =============================

tanh(a) = 2 logistic(2a) - 1, so that networks of either kind can be the same function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["ACTIVATIONS", "ActivationFunction", "activation_function", "softmax_rows"]

LEAK = 0.01
SELU_SCALE, SELU_ALPHA = 1.0507009873554804934, 1.6732632423543772848
LARGEST_EXPONENT = 700.0
FEW_COLUMNS, MANY_ROWS = 16, 64  # of a table whose columns are gone over side by side


@dataclass(frozen=True)
class ActivationFunction:
    """f(a), and its derivatives as functions of a and f(a)."""

    value: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray, np.ndarray], np.ndarray]
    curvature: Callable[[np.ndarray, np.ndarray], np.ndarray]


def _logistic(a: np.ndarray) -> np.ndarray:
    from scipy.special import expit

    return expit(a)


def _softplus(a: np.ndarray) -> np.ndarray:
    return np.logaddexp(0, a)


def _bounded_exp(a: np.ndarray) -> np.ndarray:
    return np.exp(np.minimum(a, LARGEST_EXPONENT))


def _silu_slope(a: np.ndarray, f: np.ndarray) -> np.ndarray:
    s = _logistic(a)
    return s + a * s * (1 - s)


def _silu_curvature(a: np.ndarray, f: np.ndarray) -> np.ndarray:
    s = _logistic(a)
    return s * (1 - s) * (2 + a * (1 - 2 * s))


ACTIVATIONS: dict[str, ActivationFunction] = {
    "identity": ActivationFunction(lambda a: a, lambda a, f: np.ones_like(f), lambda a, f: np.zeros_like(f)),
    "threshold": ActivationFunction(
        lambda a: (a > 0).astype(np.result_type(a, np.float32)),
        lambda a, f: np.zeros_like(f),
        lambda a, f: np.zeros_like(f),
    ),
    "logistic": ActivationFunction(
        _logistic, lambda a, f: f * (1 - f), lambda a, f: f * (1 - f) * (1 - 2 * f)
    ),
    "tanh": ActivationFunction(np.tanh, lambda a, f: 1 - f * f, lambda a, f: -2 * f * (1 - f * f)),
    "relu": ActivationFunction(
        lambda a: np.maximum(a, 0), lambda a, f: (f > 0).astype(f.dtype), lambda a, f: np.zeros_like(f)
    ),
    "leaky_relu": ActivationFunction(
        lambda a: np.where(a > 0, a, LEAK * a),
        lambda a, f: np.where(f > 0, 1.0, LEAK).astype(f.dtype),
        lambda a, f: np.zeros_like(f),
    ),
    "elu": ActivationFunction(
        lambda a: np.where(a > 0, a, np.expm1(np.minimum(a, 0))),
        lambda a, f: np.where(f > 0, 1.0, f + 1).astype(f.dtype),
        lambda a, f: np.where(f > 0, 0.0, f + 1).astype(f.dtype),
    ),
    "selu": ActivationFunction(
        lambda a: SELU_SCALE * np.where(a > 0, a, SELU_ALPHA * np.expm1(np.minimum(a, 0))),
        lambda a, f: np.where(f > 0, SELU_SCALE, f + SELU_SCALE * SELU_ALPHA).astype(f.dtype),
        lambda a, f: np.where(f > 0, 0.0, f + SELU_SCALE * SELU_ALPHA).astype(f.dtype),
    ),
    "softplus": ActivationFunction(
        _softplus, lambda a, f: -np.expm1(-f), lambda a, f: -np.expm1(-f) * np.exp(-f)
    ),
    "silu": ActivationFunction(lambda a: a * _logistic(a), _silu_slope, _silu_curvature),
    "exp": ActivationFunction(_bounded_exp, lambda a, f: f, lambda a, f: f),
}


def activation_function(name: str, who: str = "activation_function") -> ActivationFunction:
    """The activation function of that name.

    >>> import numpy as np
    >>> from assay.neural.activations import activation_function
    >>> tanh = activation_function("tanh")
    >>> f = tanh.value(np.array([0.0, 1.0]))
    >>> tanh.slope(np.array([0.0, 1.0]), f).round(4)
    array([1.  , 0.42])
    """
    from assay.errors import ParameterError

    if name not in ACTIVATIONS:
        raise ParameterError(
            f"activation must be one of {', '.join(map(repr, ACTIVATIONS))}", who=who, got=name
        )
    return ACTIVATIONS[name]


def softmax_rows(a: np.ndarray) -> np.ndarray:
    """The softmax of each row (the last axis).

    >>> import numpy as np
    >>> from assay.neural.activations import softmax_rows
    >>> softmax_rows(np.array([[0.0, 0.0], [1000.0, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    if a.ndim == 2 and a.shape[1] <= FEW_COLUMNS and len(a) >= MANY_ROWS:
        beside = np.array(a.T, order="C")  # NumPy is slow to go over a few numbers of each row
        return np.ascontiguousarray(_softmax(beside, 0).T)
    return _softmax(a, -1)


def _softmax(a: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(a - a.max(axis=axis, keepdims=True))
    e /= e.sum(axis=axis, keepdims=True)
    return e
