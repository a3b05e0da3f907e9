"""Inputs of mean 0 and deviation 1, over the inputs of a row or over the rows of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.neural.layers.layer import Layer, Memory, Parts, Shape

__all__ = ["BatchNormalization", "LayerNormalization"]

FLOOR = 1e-5  # added to a variance


def _centred_back(z: np.ndarray, dz: np.ndarray, deviation: np.ndarray, axis: int) -> np.ndarray:
    r"""dE/dx for :math:`z = (x-\bar x)/s`: :math:`(dz - \overline{dz} - z\,\overline{z\,dz})/s`."""
    return (dz - dz.mean(axis=axis, keepdims=True) - z * (z * dz).mean(axis=axis, keepdims=True)) / deviation


@dataclass(frozen=True)
class LayerNormalization(Layer):
    r"""The inputs of each row made comparable, then stretched and shifted by weights.

    .. math:: z = \frac{x-\bar x}{\sqrt{s^2+\epsilon}},\; y = gz + b,\quad
              \frac{\partial E}{\partial x} = \frac{dz - \overline{dz} - z\,\overline{z\,dz}}{\sqrt{s^2+\epsilon}},\;
              dz = g\,\frac{\partial E}{\partial y} \quad (1)

    with mean and variance over the inputs (last axis) of a row.

    Examples
    --------
    >>> from assay.neural import Dense, LayerNormalization, Network
    >>> net = Network([Dense(8), LayerNormalization(), Dense(3, "softmax")], 4, random_state=0)
    >>> net.outputs([[5.1, 3.5, 1.4, 0.2]]).shape
    (1, 3)
    """

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """g and b, one for each input."""
        return {"g": (shape[-1],), "b": (shape[-1],)}

    def start(self, shape: Shape, random: np.random.Generator) -> Parts:
        """Ones and zeros."""
        return {"g": np.ones(shape[-1]), "b": np.zeros(shape[-1])}

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1)"""
        deviation = np.sqrt(x.var(axis=-1, keepdims=True) + FLOOR)
        z = (x - x.mean(axis=-1, keepdims=True)) / deviation
        return w["g"] * z + w["b"], (z, deviation)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """(1)"""
        z, deviation = memory
        rows = tuple(range(dy.ndim - 1))
        grads = {"g": (dy * z).sum(axis=rows), "b": dy.sum(axis=rows)}
        return _centred_back(z, w["g"] * dy, deviation, -1), grads


@dataclass(frozen=True)
class BatchNormalization(Layer):
    r"""Each input made comparable over the rows of a batch, then stretched and shifted by weights.

    The formula is that of :class:`LayerNormalization`, with mean and variance over the rows. While learning, running
    means of both are kept among the weights ("mean", "variance"; their gradient is 0), by which the network answers.

    Parameters
    ----------
    memory : float, default 0.9
        Share of the running means that stays at each step.

    Examples
    --------
    >>> from assay.neural import BatchNormalization, Dense, Network
    >>> net = Network([Dense(8), BatchNormalization(), Dense(3, "softmax")], 4, random_state=0)
    >>> net.outputs([[5.1, 3.5, 1.4, 0.2]]).shape
    (1, 3)
    """

    memory: float = 0.9

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """g, b, mean and variance, one for each input."""
        return dict.fromkeys(("g", "b", "mean", "variance"), (self._one_axis(shape),))

    def start(self, shape: Shape, random: np.random.Generator) -> Parts:
        """Ones and zeros."""
        ones, zeros = np.ones(shape[0]), np.zeros(shape[0])
        return {"g": ones, "b": zeros, "mean": zeros, "variance": ones}

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """By the rows at hand while learning, by the running means afterwards."""
        learning = random is not None
        if learning:
            mean, variance = x.mean(axis=0), x.var(axis=0)
            for name, value in (("mean", mean), ("variance", variance)):
                w[name] *= self.memory
                w[name] += (1 - self.memory) * value
        else:
            mean, variance = w["mean"], np.maximum(w["variance"], 0.0)
        deviation = np.sqrt(variance + FLOOR)
        z = (x - mean) / deviation
        return w["g"] * z + w["b"], (z, deviation, learning)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """The running means are constants when the network only answers."""
        z, deviation, learning = memory
        zero = np.zeros_like(deviation)
        grads = {"g": (dy * z).sum(axis=0), "b": dy.sum(axis=0), "mean": zero, "variance": zero}
        dz = w["g"] * dy
        return (_centred_back(z, dz, deviation, 0) if learning else dz / deviation), grads
