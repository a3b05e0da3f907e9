"""Units that see all inputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.neural.activations import ACTIVATIONS
from assay.neural.layers.layer import (
    Layer,
    Memory,
    Parts,
    Shape,
    activate,
    check_activation,
    deactivate,
)

__all__ = ["Dense"]


@dataclass(frozen=True)
class Dense(Layer):
    r"""Units that see all inputs: a perceptron each.

    .. math:: a = xW + b,\quad y = f(a),\quad
              \frac{\partial E}{\partial W} = x^T\delta,\;
              \frac{\partial E}{\partial b} = \sum_t\delta^t,\;
              \frac{\partial E}{\partial x} = \delta W^T,\quad \delta = f'(a)\,\frac{\partial E}{\partial y} \quad (1)

    Parameters
    ----------
    units : int
    activation : a name of :mod:`assay.neural.activations`, or "softmax"
    bias : bool

    Examples
    --------
    >>> from assay.neural import Dense, Network
    >>> unit = Network([Dense(1, "threshold")], 2).load([[1], [1]], [-1.5])  # x1 AND x2
    >>> unit.outputs([[0, 0], [0, 1], [1, 0], [1, 1]]).ravel()
    array([0., 0., 0., 1.])
    """

    units: int
    activation: str = "identity"
    bias: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_activation("Dense", self.activation)

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """W (inputs, units) and b (units,)."""
        sizes: dict[str, Shape] = {"W": (self._one_axis(shape), self.units)}
        return sizes | {"b": (self.units,)} if self.bias else sizes

    def output_shape(self, shape: Shape) -> Shape:
        """(units,)"""
        return (self.units,)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1), left to right."""
        a = x @ w["W"]
        if self.bias:
            a = a + w["b"]
        y = activate(self.activation, a)
        return y, (x, a, y)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """(1), right to left."""
        x, a, y = memory
        return self.from_delta(w, x, deactivate(self.activation, a, y, dy))

    def from_delta(self, w: Parts, x: np.ndarray, delta: np.ndarray) -> tuple[np.ndarray, Parts]:
        """The same from dE/da, which losses made for the activation have in a simpler form."""
        grads = {"W": x.T @ delta}
        if self.bias:
            grads["b"] = delta.sum(axis=0)
        return delta @ w["W"].T, grads

    # ------------------------------------------------------------------ along a direction of the inputs

    def along(self, w: Parts, memory: Memory, dx: np.ndarray) -> tuple[np.ndarray, Memory]:
        r"""The change :math:`\dot y = f'(a)\,\dot xW` of the outputs along a change of the inputs."""
        _, a, y = memory
        da = dx @ w["W"]
        if self.activation == "softmax":
            return deactivate("softmax", a, y, da), (dx, da)
        return da * ACTIVATIONS[self.activation].slope(a, y), (dx, da)

    def back_along(
        self, w: Parts, memory: Memory, changes: Memory, ddy: np.ndarray, dy: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, Parts]:
        r"""Errors of a function of the outputs and of their changes, backward.

        With :math:`\dot\delta = f'\,\partial E/\partial\dot y` and
        :math:`\delta = f'\,\partial E/\partial y + f''\dot a\,\partial E/\partial\dot y`:
        :math:`\partial E/\partial W = x^T\delta + \dot x^T\dot\delta`.
        """
        (x, a, y), (dx, da) = memory, changes
        f = ACTIVATIONS[self.activation]
        slope = f.slope(a, y)
        moving = slope * ddy
        delta = slope * dy + f.curvature(a, y) * da * ddy
        grads = {"W": x.T @ delta + dx.T @ moving}
        if self.bias:
            grads["b"] = delta.sum(axis=0)
        return moving @ w["W"].T, delta @ w["W"].T, grads
