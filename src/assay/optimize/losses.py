r"""Losses of the margin m = y s (y is -1 or +1), and losses of the residual r = y - s.

=======================  ==========================================  ========================================
of the margin            value                                       remark
=======================  ==========================================  ========================================
``zero_one``             1 if m <= 0                                 the error; a tie counts as one
``perceptron``           max(0, -m)
``hinge``                max(0, 1 - m)
``squared_hinge``        max(0, 1 - m)^2
``modified_huber``       max(0, 1 - m)^2 for m >= -1, else -4 m
``log_loss``             ln(1 + e^-m)                                cross-entropy
``scaled_log_loss``      log2(1 + e^-m)                              touches the error at m = 0
``squared_error``        (1 - m)^2                                   equals (y - s)^2, since y is -1 or +1
``exponential``          e^-m
``squared_sigmoid``      (1 - sigmoid(m))^2 / 2                      half the squared error of a sigmoid output
=======================  ==========================================  ========================================

===============================  ====================================================  ========================
of the residual                  value                                                 parameter
===============================  ====================================================  ========================
``squared_error``                r^2 / 2
``absolute_error``               \|r\|
``huber``                        r^2 / 2 up to \|r\| = epsilon, then a straight line   epsilon, default 1.35
``epsilon_insensitive``          max(0, \|r\| - epsilon)                               epsilon, default 0.1
``squared_epsilon_insensitive``  max(0, \|r\| - epsilon)^2                             epsilon, default 0.1
``quantile``                     q r above, (q - 1) r below                            q, default 0.5
===============================  ====================================================  ========================

Each loss has ``value``, ``slope`` and ``curvature``: the first two derivatives by m or r, where there is a corner the
one from the right for margins (a margin that has just been reached costs nothing any more) and 0 for residuals.
The derivative by the score s is y slope(m), or -slope(r).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import ParameterError
from assay.optimize.loss import Loss, Numbers, numbers
from assay.optimize.margin_losses import (
    Exponential,
    Hinge,
    LogLoss,
    ModifiedHuber,
    Perceptron,
    ScaledLogLoss,
    SquaredHinge,
    SquaredMargin,
    SquaredSigmoid,
    ZeroOne,
)
from assay.optimize.residual_losses import (
    AbsoluteError,
    EpsilonInsensitive,
    Huber,
    Quantile,
    SquaredEpsilonInsensitive,
    SquaredError,
)

__all__ = [
    "MARGIN_LOSSES",
    "RESIDUAL_LOSSES",
    "Loss",
    "margin_loss",
    "residual_loss",
    "soft_maximum",
    "zero_one_error",
]

MARGIN_LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        ZeroOne(),
        Perceptron(),
        Hinge(),
        SquaredHinge(),
        ModifiedHuber(),
        LogLoss(),
        ScaledLogLoss(),
        SquaredMargin(),
        Exponential(),
        SquaredSigmoid(),
    )
}

RESIDUAL_LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        SquaredError(),
        AbsoluteError(),
        Huber(),
        EpsilonInsensitive(),
        SquaredEpsilonInsensitive(),
        Quantile(),
    )
}


LIMITS: dict[str, tuple[Callable[[float], bool], str]] = {
    "epsilon": (lambda v: 0 <= v < np.inf, "a number from 0 up"),
    "q": (lambda v: 0 <= v <= 1, "a number from 0 to 1"),
}


def margin_loss(name: str) -> Loss:
    """The loss of the margin of that name.

    >>> from assay.optimize.losses import margin_loss
    >>> hinge = margin_loss("hinge")
    >>> hinge.value([-1.0, 0.5, 2.0]), hinge.slope([-1.0, 0.5, 2.0])
    (array([2. , 0.5, 0. ]), array([-1., -1., -0.]))
    """
    return _by_name(name, MARGIN_LOSSES, "margin_loss")


def residual_loss(name: str, **parameters: float) -> Loss:
    """The loss of the residual of that name, with its parameter (epsilon, q) if it has one.

    >>> from assay.optimize.losses import residual_loss
    >>> residual_loss("huber", epsilon=1.0).value([0.5, 3.0])
    array([0.125, 2.5  ])
    """
    kind = type(_by_name(name, RESIDUAL_LOSSES, "residual_loss"))
    known = {field.name for field in fields(kind)}
    if not set(parameters) <= known:
        strange = sorted(set(parameters) - known)[0]
        can = f"it has {', '.join(sorted(known))}" if known else "it has no parameter"
        raise ParameterError(f"residual_loss: {name} does not know {strange}; {can}.")
    for parameter, value in parameters.items():
        allowed, words = LIMITS[parameter]
        if not isinstance(value, (int, float, np.number)) or not allowed(value):
            raise ParameterError(f"residual_loss: {parameter} must be {words}, got {value!r}.")
    return kind(**parameters)


def _by_name(name: str, table: dict[str, Loss], who: str) -> Loss:
    if not isinstance(name, str) or name not in table:
        raise ParameterError(f"{who}: name must be one of {', '.join(table)}, got {name!r}.")
    return table[name]


def zero_one_error(score: ArrayLike, y: ArrayLike) -> Numbers:
    """1 where sign(s) is not y, with sign(0) = +1: at s = 0 an error for y = -1 and none for y = +1.

    >>> from assay.optimize.losses import zero_one_error
    >>> zero_one_error([0.0, 0.0, -2.0], [1, -1, -1])
    array([0., 1., 0.])
    """
    return ((numbers(score) >= 0) != (numbers(y) > 0)) * 1.0


def soft_maximum(first: ArrayLike, *others: ArrayLike) -> Numbers:
    r""":math:`\ln\sum_k e^{s_k}`, which is at least the maximum and at most ln K above it.

    The soft maximum of 0 and -m turns the perceptron's loss into the log loss.

    >>> from assay.optimize.losses import soft_maximum
    >>> float(soft_maximum(0.0, 0.0).round(6)), float(soft_maximum(0.0, 1000.0))
    (0.693147, 1000.0)
    """
    total = numbers(first)
    for term in others:
        total = np.logaddexp(total, term)
    return total
