"""Recurrent units with gates, which keep what they have seen: LSTM and GRU."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from assay.neural.layers.layer import Layer, Memory, Parts, Shape
from assay.neural.layers.recurrent import steps_and_inputs

__all__ = ["GRU", "LSTM"]


@dataclass(frozen=True)
class LSTM(Layer):
    r"""Long short-term memory: a cell that gates open to write, to keep and to read.

    .. math:: (i, f, o, g) = (\sigma, \sigma, \sigma, \tanh)(x^tW + h^{t-1}R + b),\quad
              c^t = f c^{t-1} + i g,\quad h^t = o\tanh c^t \quad (1)

    Backward, with :math:`\delta c^t = \delta h^t\,o\,(1-\tanh^2c^t) + f^{t+1}\delta c^{t+1}`: the gates' errors are
    :math:`\delta c\,g\,i(1-i)`, :math:`\delta c\,c^{t-1}f(1-f)`, :math:`\delta h\tanh c\,o(1-o)`,
    :math:`\delta c\,i(1-g^2)` (2). The bias of the gate that keeps begins at 1.

    Parameters
    ----------
    units : int
    sequences : bool, default False
        Give the values of all steps instead of those of the last.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import Dense, LSTM, Network
    >>> net = Network([LSTM(8), Dense(1)], (10, 3), random_state=0)
    >>> net.outputs(np.zeros((2, 10, 3))).shape
    (2, 1)

    References
    ----------
    - Hochreiter, S. and Schmidhuber, J. (1997). Long short-term memory. Neural Computation 9, 1735-1780.
      doi:10.1162/neco.1997.9.8.1735
    """

    units: int
    sequences: bool = False

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """W (inputs, 4 units), R (units, 4 units), b (4 units,); gates in the order i, f, o, g."""
        _, d = steps_and_inputs("LSTM", shape)
        return {"W": (d, 4 * self.units), "R": (self.units, 4 * self.units), "b": (4 * self.units,)}

    def start(self, shape: Shape, random: np.random.Generator) -> Parts:
        """Uniform; the gates that keep are open."""
        parts = super().start(shape, random)
        parts["b"][self.units : 2 * self.units] = 1.0
        return parts

    def output_shape(self, shape: Shape) -> Shape:
        """(steps, units), or (units,)."""
        return (shape[0], self.units) if self.sequences else (self.units,)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1)"""
        (n, T, _), H = x.shape, self.units
        inputs = x @ w["W"] + w["b"]
        gates = np.zeros((n, T, 4 * H))
        c, h = np.zeros((n, T + 1, H)), np.zeros((n, T + 1, H))
        for t in range(T):
            a = inputs[:, t] + h[:, t] @ w["R"]
            gates[:, t, : 3 * H] = expit(a[:, : 3 * H])
            gates[:, t, 3 * H :] = np.tanh(a[:, 3 * H :])
            i, f, o, g = np.split(gates[:, t], 4, axis=1)
            c[:, t + 1] = f * c[:, t] + i * g
            h[:, t + 1] = o * np.tanh(c[:, t + 1])
        return (h[:, 1:] if self.sequences else h[:, -1]), (x, gates, c, h)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """(2)"""
        x, gates, c, h = memory
        delta = np.zeros_like(gates)
        dh, dc = np.zeros_like(h[:, 0]), np.zeros_like(c[:, 0])
        for t in range(x.shape[1] - 1, -1, -1):
            dh = dh + (dy[:, t] if self.sequences else dy if t == x.shape[1] - 1 else 0.0)
            i, f, o, g = np.split(gates[:, t], 4, axis=1)
            level = np.tanh(c[:, t + 1])
            dc = dc + dh * o * (1 - level**2)
            delta[:, t] = np.hstack(
                [
                    dc * g * i * (1 - i),
                    dc * c[:, t] * f * (1 - f),
                    dh * level * o * (1 - o),
                    dc * i * (1 - g**2),
                ]
            )
            dh, dc = delta[:, t] @ w["R"].T, dc * f
        grads = {
            "W": np.einsum("ntd,nth->dh", x, delta),
            "R": np.einsum("nth,ntk->hk", h[:, :-1], delta),
            "b": delta.sum(axis=(0, 1)),
        }
        return delta @ w["W"].T, grads


@dataclass(frozen=True)
class GRU(Layer):
    r"""Gated recurrent units: one gate mixes old and new, another forgets before the new is made.

    .. math:: (z, r) = \sigma(x^tW_g + h^{t-1}R_g + b_g),\quad n = \tanh(x^tW_n + (r h^{t-1})R_n + b_n),\quad
              h^t = z h^{t-1} + (1-z) n \quad (1)

    Parameters
    ----------
    units : int
    sequences : bool, default False
        Give the values of all steps instead of those of the last.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import Dense, GRU, Network
    >>> net = Network([GRU(8), Dense(1)], (10, 3), random_state=0)
    >>> net.outputs(np.zeros((2, 10, 3))).shape
    (2, 1)

    References
    ----------
    - Cho, K., van Merrienboer, B., Gulcehre, C., Bahdanau, D., Bougares, F., Schwenk, H. and Bengio, Y. (2014).
      Learning phrase representations using RNN encoder-decoder for statistical machine translation. arXiv:1406.1078
    """

    units: int
    sequences: bool = False

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """Of the gates (z, r) and of the new values."""
        _, d = steps_and_inputs("GRU", shape)
        H = self.units
        return {
            "Wg": (d, 2 * H),
            "Rg": (H, 2 * H),
            "bg": (2 * H,),
            "Wn": (d, H),
            "Rn": (H, H),
            "bn": (H,),
        }

    def output_shape(self, shape: Shape) -> Shape:
        """(steps, units), or (units,)."""
        return (shape[0], self.units) if self.sequences else (self.units,)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1)"""
        (n, T, _), H = x.shape, self.units
        gates, new, h = np.zeros((n, T, 2 * H)), np.zeros((n, T, H)), np.zeros((n, T + 1, H))
        for t in range(T):
            gates[:, t] = expit(x[:, t] @ w["Wg"] + h[:, t] @ w["Rg"] + w["bg"])
            z, r = gates[:, t, :H], gates[:, t, H:]
            new[:, t] = np.tanh(x[:, t] @ w["Wn"] + (r * h[:, t]) @ w["Rn"] + w["bn"])
            h[:, t + 1] = z * h[:, t] + (1 - z) * new[:, t]
        return (h[:, 1:] if self.sequences else h[:, -1]), (x, gates, new, h)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """The errors of each step, from the last to the first."""
        x, gates, new, h = memory
        H = self.units
        grads = {name: np.zeros_like(part) for name, part in w.items()}
        dx, dh = np.zeros_like(x, dtype=np.float64), np.zeros_like(h[:, 0])
        for t in range(x.shape[1] - 1, -1, -1):
            dh = dh + (dy[:, t] if self.sequences else dy if t == x.shape[1] - 1 else 0.0)
            z, r = gates[:, t, :H], gates[:, t, H:]
            delta_n = dh * (1 - z) * (1 - new[:, t] ** 2)
            reset = delta_n @ w["Rn"].T  # dE / d(r h)
            delta_g = np.hstack([dh * (h[:, t] - new[:, t]) * z * (1 - z), reset * h[:, t] * r * (1 - r)])
            grads["Wg"] += x[:, t].T @ delta_g
            grads["Rg"] += h[:, t].T @ delta_g
            grads["bg"] += delta_g.sum(axis=0)
            grads["Wn"] += x[:, t].T @ delta_n
            grads["Rn"] += (r * h[:, t]).T @ delta_n
            grads["bn"] += delta_n.sum(axis=0)
            dx[:, t] = delta_g @ w["Wg"].T + delta_n @ w["Wn"].T
            dh = dh * z + reset * r + delta_g @ w["Rg"].T
        return dx, grads
