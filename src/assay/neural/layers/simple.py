"""Layers without weights: activation, shape, units left out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np

from assay.core.stored import Each, Integer
from assay.errors import DataError, ParameterError
from assay.neural.layers.layer import (
    Layer,
    Memory,
    Parts,
    Shape,
    activate,
    check_activation,
    deactivate,
)

__all__ = ["Activation", "Dropout", "Flatten", "Reshape"]


@dataclass(frozen=True)
class Activation(Layer):
    r"""An activation function of each input: y = f(x), dE/dx = f'(x) dE/dy.

    Parameters
    ----------
    activation : a name of :mod:`assay.neural.activations`, or "softmax"

    Examples
    --------
    >>> from assay.neural import Activation, Dense, Network
    >>> net = Network([Dense(3), Activation("tanh")], 4, random_state=0)
    >>> net.outputs([[5.1, 3.5, 1.4, 0.2]]).shape
    (1, 3)
    """

    activation: str

    def __post_init__(self) -> None:
        super().__post_init__()
        check_activation("Activation", self.activation)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """f(x)"""
        y = activate(self.activation, x)
        return y, (x, y)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """f'(x) dE/dy"""
        x, y = memory
        return deactivate(self.activation, x, y, dy), {}


@dataclass(frozen=True)
class Dropout(Layer):
    r"""While learning, leave out each input with a probability and make the others larger, so that the mean stays.

    .. math:: y = \frac{m}{1-r}x,\; m \sim \text{Bernoulli}(1-r),\qquad
              \frac{\partial E}{\partial x} = \frac m{1-r}\frac{\partial E}{\partial y} \quad (1)

    Parameters
    ----------
    rate : float
        r, the probability to be left out.

    Examples
    --------
    >>> from assay.neural import Dense, Dropout, Network
    >>> net = Network([Dense(8, "relu"), Dropout(0.5), Dense(3, "softmax")], 4, random_state=0)
    >>> net.outputs([[5.1, 3.5, 1.4, 0.2]]).shape
    (1, 3)
    """

    rate: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.rate, Real) or not 0 <= self.rate < 1:
            raise ParameterError("rate must be a number from 0 to below 1", who="Dropout", got=self.rate)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1) while learning; answers use all inputs as they are."""
        if random is None or self.rate == 0:
            return x, (1.0,)
        factor = (random.random(x.shape) >= self.rate) / (1 - self.rate)
        return x * factor, (factor,)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """(1)"""
        return dy * memory[0], {}


@dataclass(frozen=True)
class Flatten(Layer):
    """All inputs of a row one after the other."""

    def output_shape(self, shape: Shape) -> Shape:
        """(number of inputs,)"""
        return (math.prod(shape),)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """The rows as vectors."""
        return x.reshape(len(x), -1), (x.shape,)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """The errors in the shape of the inputs."""
        return dy.reshape(memory[0]), {}


@dataclass(frozen=True)
class Reshape(Layer):
    """The inputs of a row in another shape.

    Parameters
    ----------
    shape : tuple of int
        Such as (8, 8, 1): rows, columns and channels of an image.

    Examples
    --------
    >>> from assay.neural import Convolution, Dense, Flatten, Network, Reshape
    >>> net = Network([Reshape((8, 8, 1)), Convolution(4, 3), Flatten(), Dense(10, "softmax")], 64, random_state=0)
    >>> net.outputs([[0.0] * 64]).shape
    (1, 10)
    """

    shape: tuple[int, ...]
    _by_axis = ("shape",)
    stored = {"shape": Each(Integer(low=1))}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.shape, tuple):
            object.__setattr__(self, "shape", (self.shape,))

    def output_shape(self, shape: Shape) -> Shape:
        """As asked for."""
        if math.prod(shape) != math.prod(self.shape):
            raise DataError(f"Reshape: {math.prod(shape)} inputs do not fill the shape {self.shape}.")
        return tuple(self.shape)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """The rows in that shape."""
        return x.reshape(len(x), *self.shape), (x.shape,)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """The errors in the shape of the inputs."""
        return dy.reshape(memory[0]), {}
