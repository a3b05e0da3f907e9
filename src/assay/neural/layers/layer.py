"""What a layer is: shapes of its weights, and its values forward and errors backward."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import Integer
from assay.errors import DataError, ParameterError
from assay.neural.activations import ACTIVATIONS, softmax_rows

__all__ = ["Layer", "Memory", "Parts", "Shape", "activate", "check_activation", "deactivate"]

Shape = tuple[int, ...]
Parts = dict[str, np.ndarray]  # the weights of a layer, or their gradient, by name
Memory = tuple[Any, ...]  # what backward needs to know of forward
COUNTS = ("categories", "filters", "outputs", "shape", "size", "stride", "units")


@dataclass(frozen=True)
class Layer:
    """One layer of a :class:`~assay.neural.Network`: a description; the weights lie in the network.

    A layer writes ``shapes`` (of its weights), ``output_shape``, ``forward`` and ``backward``. With rows x (n, ...),
    outputs y and an error E, ``backward`` turns dE/dy into dE/dx and the sums over the rows of dE/dw.
    """

    _by_axis: ClassVar[tuple[str, ...]] = ()  # counts of which there may be one for each axis
    stored: ClassVar[dict[str, Any]] = {
        "categories": Integer(low=1),
        "filters": Integer(low=1),
        "outputs": Integer(low=1),
        "size": Integer(low=1),
        "stride": Integer(low=1),
        "units": Integer(low=1),
    }

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, list):
                value = tuple(value)
                object.__setattr__(self, field.name, value)
            if field.name in COUNTS:
                self._check_count(field.name, value)

    def _check_count(self, name: str, value: Any) -> None:
        """Refuse what does not count anything; windows and shapes have a count for each axis."""
        several = isinstance(value, tuple) and name in self._by_axis and len(value) > 0
        for count in value if several else (value,):
            if not isinstance(count, (int, np.integer)) or isinstance(count, bool) or count < 1:
                words = "a whole number from 1 up" + (
                    ", or one for each axis" if name in self._by_axis else ""
                )
                raise ParameterError(f"{name} must be {words}", who=type(self).__name__, got=value)

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """The shapes of the weights by name, for inputs of that shape."""
        return {}

    def output_shape(self, shape: Shape) -> Shape:
        """The shape of the output of one row, for inputs of that shape."""
        return shape

    def start(self, shape: Shape, random: np.random.Generator) -> Parts:
        r"""First weights: uniform within :math:`\pm\sqrt{6/(a+b)}` for a inputs and b outputs of a unit; biases 0."""
        parts = {}
        for name, size in self.shapes(shape).items():
            if name.startswith("b"):
                parts[name] = np.zeros(size)
            else:
                bound = math.sqrt(6 / max(1, math.prod(size[:-1]) + size[-1]))
                parts[name] = random.uniform(-bound, bound, size)
        return parts

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """The outputs of rows, and what backward needs; ``random`` is None when the network only answers."""
        raise TypeError(f"{type(self).__name__} must define forward")

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """dE/dx and dE/dw from dE/dy."""
        raise TypeError(f"{type(self).__name__} must define backward")

    def _one_axis(self, shape: Shape) -> int:
        if len(shape) != 1:
            raise DataError(
                f"{type(self).__name__} takes inputs with one axis, got the shape {shape}. Put Flatten() before it."
            )
        return shape[0]


def check_activation(who: str, name: str) -> None:
    """Refuse the name of an activation function that does not exist."""
    if not isinstance(name, str) or (name != "softmax" and name not in ACTIVATIONS):
        raise ParameterError(
            f"activation must be one of {', '.join(map(repr, (*ACTIVATIONS, 'softmax')))}", who=who, got=name
        )


def activate(name: str, a: np.ndarray) -> np.ndarray:
    """f(a), the softmax along the last axis."""
    return softmax_rows(a) if name == "softmax" else ACTIVATIONS[name].value(a)


def deactivate(name: str, a: np.ndarray, y: np.ndarray, dy: np.ndarray) -> np.ndarray:
    r"""dE/da from dE/dy; of the softmax :math:`y_i (dy_i - \sum_j y_j dy_j)`."""
    if name == "softmax":
        return y * (dy - (y * dy).sum(axis=-1, keepdims=True))
    return dy if name == "identity" else dy * ACTIVATIONS[name].slope(a, y)
