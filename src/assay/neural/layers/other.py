"""Embedded categories, radial units, and connections that pass over other layers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.core.stored import Each, Object
from assay.errors import DataError, ParameterError
from assay.neural.layers.layer import Layer, Memory, Parts, Shape

__all__ = ["CellwiseLinear", "Direct", "Embedding", "Radial"]


@dataclass(frozen=True)
class Embedding(Layer):
    r"""Each input is a category 0, 1, ...; its output is a row of a table that is learned.

    .. math:: y_j = W_{x_j},\quad
              \frac{\partial E}{\partial W_c} = \sum_{t,j:\,x^t_j=c}\frac{\partial E}{\partial y^t_j} \quad (1)

    A category below 0 or beyond the table (unknown) is a row of zeros.

    Parameters
    ----------
    categories : int
        Rows of the table.
    size : int
        Numbers that stand for a category.

    Examples
    --------
    >>> from assay.neural import Dense, Embedding, Flatten, Network
    >>> net = Network([Embedding(26, 4), Flatten(), Dense(2, "softmax")], 3, random_state=0)
    >>> net.outputs([[0, 19, 2]]).shape
    (1, 2)

    See Also
    --------
    Dense, Network

    References
    ----------
    - Bengio, Y., Ducharme, R., Vincent, P. and Jauvin, C. (2003). A neural probabilistic language model. Journal of
      Machine Learning Research 3, 1137-1155.
    """

    categories: int
    size: int

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """W (categories, size)."""
        return {"W": (self.categories, self.size)}

    def start(self, shape: Shape, random: np.random.Generator) -> Parts:
        """Small normal numbers."""
        return {"W": random.normal(scale=1 / math.sqrt(self.size), size=(self.categories, self.size))}

    def output_shape(self, shape: Shape) -> Shape:
        """(inputs..., size)"""
        return (*shape, self.size)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1)"""
        known = (x >= 0) & (x < self.categories)
        codes = np.where(known, x, 0).astype(np.int64)
        if (parts := known & (codes != x)).any():
            raise DataError(f"Embedding: inputs are categories 0, 1, 2, ..., got {x[parts][0]:g}.")
        return w["W"][codes] * known[..., None], (codes, known)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """(1); categories have no derivative."""
        codes, known = memory
        grad = np.zeros_like(w["W"])
        np.add.at(grad, codes, dy * known[..., None])
        return np.zeros(codes.shape), {"W": grad}


@dataclass(frozen=True)
class Radial(Layer):
    r"""Units that answer near their centre.

    .. math:: y_h = \exp\left(-\frac{\|x-m_h\|^2}{2s_h^2}\right),\quad
              \frac{\partial E}{\partial m_h} = \sum_t e_h^t y_h^t\frac{x^t-m_h}{s_h^2},\quad
              \frac{\partial E}{\partial\ln s_h} = \sum_t e_h^t y_h^t\frac{\|x^t-m_h\|^2}{s_h^2} \quad (1)

    with :math:`e = \partial E/\partial y`. The weights hold :math:`\ln s`, so that spreads stay positive.

    Parameters
    ----------
    units : int

    Examples
    --------
    >>> from assay.neural import Dense, Network, Radial
    >>> net = Network([Radial(5), Dense(1)], 4, random_state=0)
    >>> net.outputs([[5.1, 3.5, 1.4, 0.2]]).shape
    (1, 1)
    """

    units: int

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """Centres m (units, inputs) and b, the logarithms of the spreads (units,)."""
        return {"m": (self.units, self._one_axis(shape)), "b": (self.units,)}

    def start(self, shape: Shape, random: np.random.Generator) -> Parts:
        """Normal centres, spreads of the square root of the number of inputs."""
        d = shape[0]
        return {"m": random.normal(size=(self.units, d)), "b": np.full(self.units, 0.5 * math.log(d))}

    def output_shape(self, shape: Shape) -> Shape:
        """(units,)"""
        return (self.units,)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1)"""
        way = x[:, None, :] - w["m"]
        square = (way**2).sum(axis=2) * np.exp(-2 * w["b"])
        y = np.exp(-square / 2)
        return y, (way, square, y)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """(1)"""
        way, square, y = memory
        e = dy * y
        pull = (e * np.exp(-2 * w["b"]))[:, :, None] * way
        return -pull.sum(axis=1), {"m": pull.sum(axis=0), "b": (e * square).sum(axis=0)}


@dataclass(frozen=True)
class _Around(Layer):
    """A layer around a chain of others."""

    layers: tuple[Layer, ...]
    stored = {"layers": Each(Object(Layer))}

    def __post_init__(self) -> None:
        super().__post_init__()
        chain = self.layers
        if not isinstance(chain, tuple) or not chain or not all(isinstance(layer, Layer) for layer in chain):
            raise ParameterError(
                "layers must be a list of layers, such as [Dense(1)]", who=type(self).__name__, got=chain
            )

    def _chain(self, shape: Shape) -> list[tuple[str, Layer, Shape]]:
        chain = []
        for l, layer in enumerate(self.layers):
            chain.append((f"{l}.", layer, shape))
            shape = layer.output_shape(shape)
        return chain

    def _inner_shape(self, shape: Shape) -> int:
        self_shape = shape
        for layer in self.layers:
            self_shape = layer.output_shape(self_shape)
        if len(self_shape) != 1:
            raise DataError(
                f"{type(self).__name__}: the layers inside end with the shape {self_shape}, expected one axis."
            )
        return self_shape[0]

    def _inner_shapes(self, shape: Shape) -> dict[str, Shape]:
        return {
            f"{layer_name}{name}": size
            for layer_name, layer, given_shape in self._chain(shape)
            for name, size in layer.shapes(given_shape).items()
        }

    def _inner_start(self, shape: Shape, random: np.random.Generator) -> Parts:
        return {
            f"{layer_name}{name}": part
            for layer_name, layer, given_shape in self._chain(shape)
            for name, part in layer.start(given_shape, random).items()
        }

    def _inside(self, w: Parts, l: int) -> Parts:
        head = f"{l}."
        return {name[len(head) :]: part for name, part in w.items() if name.startswith(head)}

    def _inner_forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None
    ) -> tuple[np.ndarray, list[Memory]]:
        memories = []
        for l, layer in enumerate(self.layers):
            x, memory = layer.forward(self._inside(w, l), x, random)
            memories.append(memory)
        return x, memories

    def _inner_backward(self, w: Parts, memories: list[Memory], dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        grads: Parts = {}
        for l in range(len(self.layers) - 1, -1, -1):
            dy, parts = self.layers[l].backward(self._inside(w, l), memories[l], dy)
            grads |= {f"{l}.{name}": part for name, part in parts.items()}
        return dy, grads


@dataclass(frozen=True)
class Direct(_Around):
    r"""Other layers, and direct connections from their inputs to their outputs beside them.

    .. math:: y = g(x) + xU,\quad \frac{\partial E}{\partial U} = x^T\frac{\partial E}{\partial y} \quad (1)

    Useful when a function is mostly linear: the layers inside, g, learn the correction.

    Parameters
    ----------
    layers : list of layers, the last with one axis of outputs

    Examples
    --------
    >>> from assay.neural import Dense, Direct, Network
    >>> net = Network([Direct([Dense(8, "tanh"), Dense(1)])], 4, random_state=0)
    >>> net.outputs([[5.1, 3.5, 1.4, 0.2]]).shape
    (1, 1)
    """

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """Those of the layers inside, and U (inputs, outputs)."""
        return {**self._inner_shapes(shape), "U": (self._one_axis(shape), self._inner_shape(shape))}

    def start(self, shape: Shape, random: np.random.Generator) -> Parts:
        """As the layers inside say; U is 0."""
        return {**self._inner_start(shape, random), "U": np.zeros(self.shapes(shape)["U"])}

    def output_shape(self, shape: Shape) -> Shape:
        """That of the layers inside."""
        return (self._inner_shape(shape),)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1)"""
        y, memories = self._inner_forward(w, x, random)
        return y + x @ w["U"], (x, memories)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """(1)"""
        x, memories = memory
        dx, grads = self._inner_backward(w, memories, dy)
        return dx + dy @ w["U"].T, {**grads, "U": x.T @ dy}


@dataclass(frozen=True)
class CellwiseLinear(_Around):
    r"""Outputs that are linear functions of the inputs, another one in each cell that the layers inside mark.

    .. math:: y_k = \sum_h z_h(x)\,(U_{0hk} + x\,U_{hk}) \quad (1)

    Parameters
    ----------
    layers : list of layers with outputs z
    outputs : int, default 1

    Examples
    --------
    >>> from assay.neural import CellwiseLinear, Dense, Network
    >>> net = Network([CellwiseLinear([Dense(3, "softmax")], 1)], 4, random_state=0)
    >>> net.outputs([[5.1, 3.5, 1.4, 0.2]]).shape
    (1, 1)
    """

    outputs: int = 1

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """Those of the layers inside, and U (cells, 1 + inputs, outputs)."""
        size = (self._inner_shape(shape), 1 + self._one_axis(shape), self.outputs)
        return {**self._inner_shapes(shape), "U": size}

    def start(self, shape: Shape, random: np.random.Generator) -> Parts:
        """As the layers inside say; U is 0."""
        return {**self._inner_start(shape, random), "U": np.zeros(self.shapes(shape)["U"])}

    def output_shape(self, shape: Shape) -> Shape:
        """(outputs,)"""
        return (self.outputs,)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1)"""
        z, memories = self._inner_forward(w, x, random)
        wide = np.column_stack([np.ones(len(x)), x])
        lines = np.einsum("nd,hdk->nhk", wide, w["U"])
        return (z[:, :, None] * lines).sum(axis=1), (wide, z, lines, memories)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """(1)"""
        wide, z, lines, memories = memory
        dx, grads = self._inner_backward(w, memories, (lines * dy[:, None, :]).sum(axis=2))
        dx = dx + np.einsum("nh,hdk,nk->nd", z, w["U"], dy)[:, 1:]
        return dx, {**grads, "U": np.einsum("nh,nd,nk->hdk", z, wide, dy)}
