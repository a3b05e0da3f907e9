"""A network: layers one after the other, whose weights lie in one vector."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.seeds import as_generator
from assay.core.stored import Each, FloatArray, Integer, Object
from assay.errors import DataError, ParameterError
from assay.neural.layers.dense import Dense
from assay.neural.layers.layer import Layer, Memory, Parts
from assay.neural.output_errors import OutputError, output_error
from assay.types import RandomState

__all__ = ["Network"]


class Network:
    r"""Layers one after the other; all their weights lie in one vector, ``theta``.

    The one primitive of this room: ``outputs(X)``, ``hidden(X)``, ``gradient(X, dE_dy)`` and ``along(X, V)``. Whatever
    has an error of the outputs (a loss, a hint, a stress of distances, a reward) supplies dE/dy, and gets the gradient
    of all weights back by the chain rule:

    .. math:: \frac{\partial E}{\partial w_l} = \frac{\partial E}{\partial y_L}
              \frac{\partial y_L}{\partial y_{L-1}}\cdots\frac{\partial y_l}{\partial w_l} \quad (1)

    Parameters
    ----------
    layers : list of layers
    input_shape : int, tuple of int or None, default None
        The shape of one row; None takes that of the first rows it sees.
    random_state : default None
        Seed of the first weights.
    start : float or None, default None
        Draw all weights and biases uniformly from (-start, start); None leaves it to the layers.

    Attributes
    ----------
    theta : (p,) all weights      parts : list of dicts of the weights of each layer by name, views of theta
    n_parameters : p      input_shape, output_shape : of one row

    Examples
    --------
    The exclusive or by two hidden units and given weights:

    >>> from assay.neural import Dense, Network
    >>> net = Network([Dense(2, "threshold"), Dense(1, "threshold")], 2)
    >>> net = net.load([[1, -1], [-1, 1]], [-0.5, -0.5], [[1], [1]], [-0.5])
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> net.hidden(X)[0].T
    array([[0., 0., 1., 0.],
           [0., 1., 0., 0.]])
    >>> net.outputs(X).ravel()
    array([0., 1., 1., 0.])

    See Also
    --------
    backpropagation, gradient_check, NetworkClassifier, NetworkRegressor
    """

    storable: ClassVar[bool] = True
    stored: ClassVar[dict[str, Any]] = {
        "layers": Each(Object(Layer)),
        "input_shape": Each(Integer(low=1)),
        "theta": FloatArray("*", finite=True),
    }

    def __init__(
        self,
        layers: Sequence[Layer],
        input_shape: int | Sequence[int] | None = None,
        random_state: RandomState = None,
        start: float | None = None,
    ):
        self.layers = list(layers)
        if not self.layers or not all(isinstance(layer, Layer) for layer in self.layers):
            raise ParameterError(
                "layers must be a list of layers, such as [Dense(1)]", who="Network", got=layers
            )
        self._first = random_state, start
        if input_shape is not None:
            self.build(input_shape)

    def build(self, input_shape: int | Sequence[int]) -> Self:
        """Draw the first weights for rows of that shape."""
        shape = (
            (int(input_shape),)
            if isinstance(input_shape, (int, np.integer))
            else tuple(int(size) for size in input_shape)
        )
        if not shape or min(shape) < 1:
            raise ParameterError(
                "input_shape must be a whole number from 1 up, or several", who="Network", got=input_shape
            )
        random_state, start = self.__dict__.pop("_first", (None, None))
        random = as_generator(random_state, "Network")
        self.input_shape = shape
        self.__dict__.pop("_places", None)
        pieces = []
        for layer in self.layers:
            first = layer.start(shape, random)
            pieces += [np.ravel(first[name]) for name in layer.shapes(shape)]
            shape = layer.output_shape(shape)
        self.theta = np.concatenate(pieces) if pieces else np.zeros(0)
        if start is not None:
            self.theta = random.uniform(-start, start, len(self.theta))
        return self

    def __repr__(self) -> str:
        shape = f", {tuple(self.input_shape)}" if hasattr(self, "theta") else ""
        return f"Network([{', '.join(map(repr, self.layers))}]{shape})"

    def _check_stored(self) -> None:
        shape, count = tuple(self.input_shape), 0
        for layer in self.layers:
            count += sum(math.prod(size) for size in layer.shapes(shape).values())
            shape = layer.output_shape(shape)
        if count != len(self.theta):
            raise ValueError(f"theta has {len(self.theta)} weights, the layers have {count}")

    # ------------------------------------------------------------------ weights

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shape of a row before each layer, and of its outputs."""
        shapes = [tuple(self.input_shape)]
        for layer in self.layers:
            shapes.append(layer.output_shape(shapes[-1]))
        return shapes

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The shape of the outputs of a row."""
        return self.shapes[-1]

    @property
    def n_parameters(self) -> int:
        """How many weights there are."""
        return len(self.theta)

    @property
    def parts(self) -> list[Parts]:
        """The weights of each layer by name, as views of ``theta``."""
        return self.split(self.theta)

    def split(self, theta: np.ndarray) -> list[Parts]:
        """A vector like ``theta`` (a gradient) layer by layer, as views."""
        return [
            {name: theta[start:end].reshape(size) for name, start, end, size in places}
            for places in self._places
        ]

    @cached_property
    def _places(self) -> list[list[tuple[str, int, int, tuple[int, ...]]]]:
        """Name, beginning, end and shape of the weights of each layer."""
        places, at, shape = [], 0, tuple(self.input_shape)
        for layer in self.layers:
            mine = []
            for name, size in layer.shapes(shape).items():
                mine.append((name, at, at + math.prod(size), size))
                at += math.prod(size)
            places.append(mine)
            shape = layer.output_shape(shape)
        return places

    def load(self, *weights: ArrayLike) -> Self:
        """Take over given weights: for each layer in turn its arrays, such as W and b of Dense.

        Weights of a linear learner (LDA, PCA, a linear SVM, logistic regression) make a layer that computes the same.
        """
        places = [(name, view) for views in self.parts for name, view in views.items()]
        if len(weights) != len(places):
            raise ParameterError(
                f"Network.load: got {len(weights)} arrays, the layers have {len(places)}: "
                f"{', '.join(f'{name} {view.shape}' for name, view in places)}."
            )
        for values, (name, view) in zip(weights, places):
            array = np.asarray(values, dtype=np.float64)
            if array.shape != view.shape:
                raise ParameterError(f"Network.load: {name} has the shape {view.shape}, got {array.shape}.")
            view[...] = array
        return self

    def copy(self) -> Network:
        """The same network with weights of its own."""
        made = Network(self.layers)
        made.input_shape, made.theta = tuple(self.input_shape), self.theta.copy()
        return made

    def describe(self) -> str:
        """A line for each layer: the shape of its outputs and how many weights it has.

        >>> from assay.neural import Dense, Network
        >>> print(Network([Dense(2, "logistic"), Dense(10, "softmax")], 64).describe())
        Dense(units=2, activation='logistic', bias=True)   outputs (2,)   weights 130
        Dense(units=10, activation='softmax', bias=True)   outputs (10,)   weights 30
        160 weights; one row takes 148 products.
        """
        lines, products = [], 0
        for layer, views, shape in zip(self.layers, self.parts, self.shapes[1:]):
            count = sum(view.size for view in views.values())
            lines.append(f"{layer}   outputs {shape}   weights {count}")
            places = math.prod(shape[:-1]) if len(shape) > 1 else 1
            products += places * sum(view.size for name, view in views.items() if not name.startswith("b"))
        return "\n".join([*lines, f"{self.n_parameters} weights; one row takes {products} products."])

    # ------------------------------------------------------------------ forward

    def _rows(self, X: ArrayLike) -> np.ndarray:
        """X as (n, input shape)."""
        x = finite_numbers(X, "X")
        if not hasattr(self, "theta"):
            self.build(x.shape[1:])
        size = math.prod(self.input_shape)
        if x.ndim < 1 or math.prod(x.shape[1:]) != size:
            raise DataError(
                f"Network: the rows of X have the shape {x.shape[1:]}, expected {tuple(self.input_shape)}."
            )
        return x.reshape(len(x), *self.input_shape)

    def _of_outputs(self, values: ArrayLike, n: int, name: str, finite: bool = True) -> np.ndarray:
        """Numbers for the outputs of n rows as (n, output shape)."""
        array = finite_numbers(values, name) if finite else np.asarray(values, dtype=np.float64)
        if array.size != n * math.prod(self.output_shape):
            raise DataError(
                f"Network: {name} has the shape {array.shape}, expected {(n, *self.output_shape)}, of {n} rows and "
                "their outputs."
            )
        return array.reshape(n, *self.output_shape)

    def run(
        self, X: ArrayLike, random: np.random.Generator | None = None
    ) -> tuple[list[np.ndarray], list[Memory]]:
        """The outputs of every layer, and what backward needs; ``random`` while learning (units left out)."""
        y, values, memories = self._rows(X), [], []
        for layer, w in zip(self.layers, self.parts):
            y, memory = layer.forward(w, y, random)
            values.append(y)
            memories.append(memory)
        return values, memories

    def outputs(self, X: ArrayLike) -> np.ndarray:
        """(n, K) the outputs of rows."""
        return self.run(X)[0][-1]

    def hidden(self, X: ArrayLike) -> list[np.ndarray]:
        """The values of every layer but the last."""
        return self.run(X)[0][:-1]

    # ------------------------------------------------------------------ backward

    def gradient(self, X: ArrayLike, dE_dy: ArrayLike) -> np.ndarray:
        """(p,) dE/dtheta, summed over the rows, from (n, K) dE/dy."""
        values, memories = self.run(X)
        return self.backward(memories, self._of_outputs(dE_dy, len(values[-1]), "dE_dy", finite=False))[1]

    def input_gradient(self, X: ArrayLike, dE_dy: ArrayLike) -> np.ndarray:
        """dE/dx of each row: which inputs the outputs depend on (a saliency picture, for images)."""
        values, memories = self.run(X)
        return self.backward(memories, self._of_outputs(dE_dy, len(values[-1]), "dE_dy", finite=False))[0]

    def backward(
        self, memories: list[Memory], dy: np.ndarray, through_output: bool = True
    ) -> tuple[np.ndarray, np.ndarray]:
        """dE/dx and dE/dtheta; without ``through_output`` dy is dE/da of the last layer, before its activation."""
        grad = np.zeros_like(self.theta)
        places, parts = self.split(grad), self.parts
        for l in range(len(self.layers) - 1, -1, -1):
            layer, w, memory = self.layers[l], parts[l], memories[l]
            if l == len(self.layers) - 1 and not through_output and isinstance(layer, Dense):
                dy, grads = layer.from_delta(w, memory[0], dy)
            else:
                dy, grads = layer.backward(w, memory, dy)
            for name, part in grads.items():
                places[l][name][...] = part
        return dy, grad

    def value_gradient(
        self,
        X: ArrayLike,
        target: ArrayLike,
        error: str | OutputError = "squared_error",
        weight: np.ndarray | None = None,
        random: np.random.Generator | None = None,
    ) -> tuple[float, np.ndarray]:
        """The (weighted) sum of the errors of rows, and its gradient.

        Parameters
        ----------
        X : (n, ...)      target : (n, K)      weight : (n,) what each row counts
        error : "squared_error", "cross_entropy", "binary_entropy" or an OutputError
        random : generator of the units left out, while learning
        """
        judged = output_error(error, "Network")
        values, memories = self.run(X, random)
        y = values[-1]
        r = self._of_outputs(target, len(y), "target")
        last = self.layers[-1]
        simple = isinstance(last, Dense) and last.activation == judged.made_for
        dy = y - r if simple else judged.slope(y, r)
        total = judged.value(y, r)
        if weight is not None:
            total = total * weight
            dy = dy * weight.reshape(-1, *[1] * (dy.ndim - 1))
        return float(total.sum()), self.backward(memories, dy, through_output=not simple)[1]

    # ------------------------------------------------------------------ along a direction

    def along(self, X: ArrayLike, V: ArrayLike) -> np.ndarray:
        r"""(n, K) the derivatives :math:`\sum_j v_j\,\partial y/\partial x_j` of the outputs along directions V (n, d).

        For networks of Dense layers.
        """
        return self._changes(X, V)[1]

    def _changes(self, X: ArrayLike, V: ArrayLike) -> tuple[list[Memory], np.ndarray, list[Memory]]:
        if not all(isinstance(layer, Dense) for layer in self.layers):
            raise ParameterError(
                "Network.along: derivatives along a direction are for networks of Dense layers."
            )
        _, memories = self.run(X)
        change, moved = np.asarray(V, dtype=np.float64).reshape(self._rows(X).shape), []
        for layer, w, memory in zip(self.layers, self.parts, memories):
            change, kept = layer.along(w, memory, change)  # type: ignore[attr-defined]
            moved.append(kept)
        return memories, change, moved

    def gradient_along(self, X: ArrayLike, V: ArrayLike) -> tuple[float, np.ndarray]:
        r"""The sum of :math:`\|\sum_j v_j\,\partial y/\partial x_j\|^2` over rows, and its gradient."""
        if any(getattr(layer, "activation", "") == "softmax" for layer in self.layers):
            raise ParameterError("Network.gradient_along: outputs by softmax have no second derivative here.")
        memories, change, moved = self._changes(X, V)
        grad = np.zeros_like(self.theta)
        places = self.split(grad)
        ddy, dy = 2 * change, np.zeros_like(change)
        for l in range(len(self.layers) - 1, -1, -1):
            layer: Any = self.layers[l]
            ddy, dy, grads = layer.back_along(self.parts[l], memories[l], moved[l], ddy, dy)
            for name, part in grads.items():
                places[l][name][...] = part
        return float((change**2).sum()), grad

    def gradient_sizes(self, X: ArrayLike, dE_dy: ArrayLike) -> list[float]:
        """The length of the gradient of each layer: where they fall layer by layer, deep networks learn slowly."""
        parts = self.split(self.gradient(X, dE_dy))
        return [float(np.sqrt(sum((view**2).sum() for view in views.values()))) for views in parts]


def finite_numbers(values: ArrayLike, name: str) -> np.ndarray:
    """An array of finite numbers, or a sentence that says where it is none."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"Network: {name} must be numbers, row by row: {error}.") from None
    if not np.isfinite(array).all():
        at = [int(i) for i in np.argwhere(~np.isfinite(array))[0]]
        raise DataError(
            f"Network: {name} has the value {array[tuple(at)]} at {at}; a network takes finite numbers. Fill in "
            "what is missing."
        )
    return array
