"""Layers whose units see a window of the inputs: local fields, with and without shared weights, and pooling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from assay.core.stored import Each, Integer
from assay.errors import DataError
from assay.neural.layers.layer import (
    Layer,
    Memory,
    Parts,
    Shape,
    activate,
    check_activation,
    deactivate,
)

__all__ = ["Convolution", "LocalFields", "MaxPooling", "MeanPooling"]


def _places(who: str, size: Any, stride: int, shape: Shape) -> tuple[Shape, Shape]:
    """The size of the window and the number of its places along each axis but the last, which has the channels."""
    axes = len(shape) - 1
    if axes < 1:
        raise DataError(
            f"{who} takes inputs of the shape (length, channels) or (height, width, channels), got {shape}. Put "
            "Reshape before it."
        )
    window = (int(size),) * axes if isinstance(size, (int, np.integer)) else tuple(int(k) for k in size)
    if len(window) != axes or min(window) < 1 or any(k > n for k, n in zip(window, shape)):
        raise DataError(f"{who}: a window of size {size} does not fit inputs of the shape {shape}.")
    return window, tuple((n - k) // stride + 1 for k, n in zip(window, shape))


def _windows(x: np.ndarray, window: Shape, stride: int) -> np.ndarray:
    """(n, places..., window... , channels) views of the inputs."""
    axes = tuple(range(1, 1 + len(window)))
    views = np.lib.stride_tricks.sliding_window_view(x, window, axis=axes)
    views = views[(slice(None), *(slice(None, None, stride) for _ in axes))]
    return np.moveaxis(views, len(window) + 1, -1)  # channels behind the window


def _spread(dviews: np.ndarray, shape: Shape, window: Shape, stride: int) -> np.ndarray:
    """dE/dx from the errors of all windows: each input adds up those of the windows that see it."""
    places = dviews.shape[1 : 1 + len(window)]
    dx = np.zeros(shape)
    for offset in product(*(range(k) for k in window)):
        field: Any = tuple(slice(o, o + stride * p, stride) for o, p in zip(offset, places))
        behind: Any = (slice(None), *(slice(None) for _ in places), *offset)
        dx[(slice(None), *field)] += dviews[behind]
    return dx


@dataclass(frozen=True)
class _Windowed(Layer):
    """What layers of windows with weights share."""

    filters: int
    size: int | tuple[int, ...]
    activation: str = "identity"
    stride: int = 1
    _by_axis = ("size",)
    stored = {"size": Integer(low=1) | Each(Integer(low=1))}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_activation(type(self).__name__, self.activation)

    def output_shape(self, shape: Shape) -> Shape:
        """(places..., filters)"""
        return (*_places(type(self).__name__, self.size, self.stride, shape)[1], self.filters)

    def _views(self, x: np.ndarray) -> tuple[np.ndarray, Shape, Shape]:
        window, places = _places(type(self).__name__, self.size, self.stride, x.shape[1:])
        return _windows(x, window, self.stride), window, places


@dataclass(frozen=True)
class Convolution(_Windowed):
    r"""Local fields with shared weights: the same filters look at every window of the inputs.

    .. math:: a_{pf} = \sum_{k,c} x_{p+k,c}\,W_{kcf} + b_f,\quad y = f(a),\quad
              \frac{\partial E}{\partial W_{kcf}} = \sum_{t,p}\delta^t_{pf}\,x^t_{p+k,c} \quad (1)

    (the cross-correlation of input and filter). Gradients of all places of a shared weight are added up. Inputs are
    (length, channels), with which the layer is a time-delay network, or (height, width, channels). A window of k on d
    inputs takes F (k + 1) weights instead of F (d - k + 1)(k + 1) of :class:`LocalFields`.

    Parameters
    ----------
    filters : int
    size : int, or one for each axis
        Of the window.
    activation : str
    stride : int, default 1

    Examples
    --------
    >>> from assay.neural import Convolution, Network
    >>> Network([Convolution(1, 5)], (64, 1)).n_parameters
    6
    """

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """W (window..., channels, filters) and b (filters,)."""
        window, _ = _places("Convolution", self.size, self.stride, shape)
        return {"W": (*window, shape[-1], self.filters), "b": (self.filters,)}

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1), as one product of all windows with all filters."""
        views, _, places = self._views(x)
        columns = views.reshape(len(x) * math.prod(places), -1)
        a = (columns @ w["W"].reshape(-1, self.filters) + w["b"]).reshape(len(x), *places, self.filters)
        y = activate(self.activation, a)
        return y, (x.shape, columns, a, y)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """(1)"""
        shape, columns, a, y = memory
        window, places = _places("Convolution", self.size, self.stride, shape[1:])
        delta = deactivate(self.activation, a, y, dy).reshape(-1, self.filters)
        W = w["W"].reshape(-1, self.filters)
        dviews = (delta @ W.T).reshape(shape[0], *places, *window, shape[-1])
        grads = {"W": (columns.T @ delta).reshape(w["W"].shape), "b": delta.sum(axis=0)}
        return _spread(dviews, shape, window, self.stride), grads


@dataclass(frozen=True)
class LocalFields(_Windowed):
    r"""Local fields without shared weights: at each place units of their own see the window.

    .. math:: a_{pf} = \sum_{k,c} x_{p+k,c}\,W_{pkcf} + b_{pf},\quad y = f(a) \quad (1)

    Parameters
    ----------
    filters, size, activation, stride : as in :class:`Convolution`

    Examples
    --------
    >>> from assay.neural import LocalFields, Network
    >>> Network([LocalFields(1, 5)], (64, 1)).n_parameters
    360
    """

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """W (number of places, window, channels, filters) and b (places..., filters)."""
        window, places = _places("LocalFields", self.size, self.stride, shape)
        return {
            "W": (math.prod(places), math.prod(window) * shape[-1], self.filters),
            "b": (*places, self.filters),
        }

    def start(self, shape: Shape, random: np.random.Generator) -> Parts:
        """Uniform by the number of inputs of a unit."""
        sizes = self.shapes(shape)
        bound = math.sqrt(6 / (sizes["W"][1] + self.filters))
        return {"W": random.uniform(-bound, bound, sizes["W"]), "b": np.zeros(sizes["b"])}

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1)"""
        views, _, places = self._views(x)
        columns = views.reshape(len(x), math.prod(places), -1)
        a = np.einsum("npk,pkf->npf", columns, w["W"]).reshape(len(x), *places, self.filters) + w["b"]
        y = activate(self.activation, a)
        return y, (x.shape, columns, a, y)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """(1)"""
        shape, columns, a, y = memory
        window, places = _places("LocalFields", self.size, self.stride, shape[1:])
        full = deactivate(self.activation, a, y, dy)
        delta = full.reshape(shape[0], -1, self.filters)
        dviews = np.einsum("npf,pkf->npk", delta, w["W"]).reshape(shape[0], *places, *window, shape[-1])
        grads = {"W": np.einsum("npk,npf->pkf", columns, delta), "b": full.sum(axis=0)}
        return _spread(dviews, shape, window, self.stride), grads


@dataclass(frozen=True)
class _Pooling(Layer):
    """What both poolings share."""

    size: int | tuple[int, ...]
    _by_axis = ("size",)
    stored = {"size": Integer(low=1) | Each(Integer(low=1))}

    def output_shape(self, shape: Shape) -> Shape:
        """(places..., channels): windows lie side by side."""
        return (*self._grid(shape)[1], shape[-1])

    def _grid(self, shape: Shape) -> tuple[Shape, Shape]:
        window, _ = _places(type(self).__name__, self.size, 1, shape)
        return window, tuple(n // k for k, n in zip(window, shape))

    def _blocks(self, x: np.ndarray) -> np.ndarray:
        """(n, places..., channels, window entries) of windows side by side; what does not fill one is left out."""
        window, places = self._grid(x.shape[1:])
        cut = x[(slice(None), *(slice(0, k * p) for k, p in zip(window, places)))]
        split = cut.reshape(len(x), *(v for k, p in zip(window, places) for v in (p, k)), x.shape[-1])
        axes = len(window)
        order = [0, *range(1, 2 * axes, 2), 2 * axes + 1, *range(2, 2 * axes + 1, 2)]
        return split.transpose(order).reshape(len(x), *places, x.shape[-1], -1)

    def _unblocked(self, blocks: np.ndarray, shape: Shape) -> np.ndarray:
        """The inverse of ``_blocks``, 0 in what was left out."""
        window, places = self._grid(shape[1:])
        axes = len(window)
        split = blocks.reshape(shape[0], *places, shape[-1], *window)
        order = [0, *(v for k in range(axes) for v in (1 + k, 2 + axes + k)), 1 + axes]
        cut = split.transpose(order).reshape(shape[0], *(k * p for k, p in zip(window, places)), shape[-1])
        dx = np.zeros(shape)
        dx[(slice(None), *(slice(0, k * p) for k, p in zip(window, places)))] = cut
        return dx


@dataclass(frozen=True)
class MaxPooling(_Pooling):
    r"""The largest input of each window, windows side by side; the error goes back to where it came from.

    Parameters
    ----------
    size : int, or one for each axis
    """

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """The maxima."""
        blocks = self._blocks(x)
        at = blocks.argmax(axis=-1)[..., None]
        return np.take_along_axis(blocks, at, axis=-1)[..., 0], (x.shape, blocks.shape, at)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """The error at the place of the maximum."""
        shape, size, at = memory
        errors = np.zeros(size)
        np.put_along_axis(errors, at, dy[..., None], axis=-1)
        return self._unblocked(errors, shape), {}


@dataclass(frozen=True)
class MeanPooling(_Pooling):
    r"""The mean of each window, windows side by side; the error is shared out equally.

    Parameters
    ----------
    size : int, or one for each axis

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import Dense, Flatten, MeanPooling, Network
    >>> net = Network([MeanPooling(2), Flatten(), Dense(10, "softmax")], (8, 8, 1), random_state=0)
    >>> net.outputs(np.zeros((5, 8, 8, 1))).shape
    (5, 10)
    """

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """The means."""
        blocks = self._blocks(x)
        return blocks.mean(axis=-1), (x.shape, blocks.shape)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """The error by the size of the window."""
        shape, size = memory
        return self._unblocked(np.broadcast_to(dy[..., None] / size[-1], size), shape), {}
