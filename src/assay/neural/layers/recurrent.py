"""Units that see their own values of the step before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.stored import Each, Text
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

__all__ = ["PartiallyRecurrent", "Recurrent"]

FEEDBACK = ("hidden", "output", "output to hidden")


def steps_and_inputs(who: str, shape: Shape) -> tuple[int, int]:
    """Of sequences (steps, inputs)."""
    if len(shape) != 2:
        raise DataError(f"{who} takes inputs of the shape (steps, inputs), got {shape}.")
    return shape[0], shape[1]


@dataclass(frozen=True)
class Recurrent(Layer):
    r"""Hidden units that see the inputs of a step and the hidden units of the step before (Elman's network).

    .. math:: h^t = f(x^tW + h^{t-1}R + b),\quad h^0 = 0 \quad (1)

    Errors go back through the unfolded steps (backpropagation through time), summed over all copies of a weight:

    .. math:: \delta^t = f'(a^t)\left(\frac{\partial E}{\partial y^t} + \delta^{t+1}R^T\right),\quad
              \frac{\partial E}{\partial R} = \sum_t (h^{t-1})^T\delta^t,\quad
              \frac{\partial E}{\partial W} = \sum_t (x^t)^T\delta^t \quad (2)

    Parameters
    ----------
    units : int
    activation : str, default "tanh"
    sequences : bool, default False
        Give the values of all steps instead of those of the last.

    References
    ----------
    - Elman, J. L. (1990). Finding structure in time. Cognitive Science 14, 179-211. doi:10.1207/s15516709cog1402_1
    """

    units: int
    activation: str = "tanh"
    sequences: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_activation("Recurrent", self.activation)

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """W (inputs, units), R (units, units), b (units,)."""
        _, d = steps_and_inputs("Recurrent", shape)
        return {"W": (d, self.units), "R": (self.units, self.units), "b": (self.units,)}

    def output_shape(self, shape: Shape) -> Shape:
        """(steps, units), or (units,)."""
        return (shape[0], self.units) if self.sequences else (self.units,)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1)"""
        n, T, _ = x.shape
        given_inputs = x @ w["W"] + w["b"]
        h, a = np.zeros((n, T + 1, self.units)), np.zeros((n, T, self.units))
        for t in range(T):
            a[:, t] = given_inputs[:, t] + h[:, t] @ w["R"]
            h[:, t + 1] = activate(self.activation, a[:, t])
        return (h[:, 1:] if self.sequences else h[:, -1]), (x, a, h)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """(2)"""
        x, a, h = memory
        delta = np.zeros_like(a)
        back = np.zeros_like(a[:, 0])
        for t in range(x.shape[1] - 1, -1, -1):
            if self.sequences:
                back = back + dy[:, t]
            elif t == x.shape[1] - 1:
                back = dy
            delta[:, t] = deactivate(self.activation, a[:, t], h[:, t + 1], back)
            back = delta[:, t] @ w["R"].T
        grads = {
            "W": np.einsum("ntd,nth->dh", x, delta),
            "R": np.einsum("nth,ntk->hk", h[:, :-1], delta),
            "b": delta.sum(axis=(0, 1)),
        }
        return delta @ w["W"].T, grads


@dataclass(frozen=True)
class PartiallyRecurrent(Layer):
    r"""A network with one hidden layer whose values of the step before come back as inputs.

    .. math:: h^t = f(x^tW + b + h^{t-1}R + y^{t-1}Q),\quad y^t = g(h^tV + c + y^{t-1}S),\quad
              h^0 = y^0 = 0 \quad (1)

    R stands for self-connections of the hidden layer, S of the output layer, Q leads from the outputs to the hidden
    layer; ``feedback`` says which of them there are. Trained by backpropagation through time.

    Parameters
    ----------
    units, outputs : int
    feedback : list of "hidden" (R), "output" (S), "output to hidden" (Q)
    activation, output : str, default "tanh" and "identity"
        f and g.
    sequences : bool, default True
        Give the outputs of all steps instead of those of the last.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural import Network, PartiallyRecurrent
    >>> net = Network([PartiallyRecurrent(4, 1, ["hidden"])], (10, 3), random_state=0)
    >>> net.outputs(np.zeros((2, 10, 3))).shape
    (2, 10, 1)

    References
    ----------
    - Jordan, M. I. (1986). Attractor dynamics and parallelism in a connectionist sequential machine. Proceedings of the
      Eighth Annual Conference of the Cognitive Science Society, 531-546.
    """

    units: int
    outputs: int
    feedback: tuple[str, ...] = ("hidden",)
    activation: str = "tanh"
    output: str = "identity"
    sequences: bool = True
    stored = {"feedback": Each(Text(*FEEDBACK))}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_activation("PartiallyRecurrent", self.activation)
        check_activation("PartiallyRecurrent", self.output)
        listed = isinstance(self.feedback, tuple)  # a list has become one
        if not listed or not all(isinstance(name, str) and name in FEEDBACK for name in self.feedback):
            raise ParameterError(
                f"feedback must be a list of {', '.join(map(repr, FEEDBACK))}",
                who="PartiallyRecurrent",
                got=self.feedback,
            )

    def shapes(self, shape: Shape) -> dict[str, Shape]:
        """W, b, V, c, and of R, S, Q those that ``feedback`` names."""
        _, d = steps_and_inputs("PartiallyRecurrent", shape)
        H, K = self.units, self.outputs
        sizes: dict[str, Shape] = {"W": (d, H), "b": (H,), "V": (H, K), "bc": (K,)}
        for name, part, size in zip(FEEDBACK, "RSQ", ((H, H), (K, K), (K, H))):
            if name in self.feedback:
                sizes[part] = size
        return sizes

    def output_shape(self, shape: Shape) -> Shape:
        """(steps, outputs), or (outputs,)."""
        return (shape[0], self.outputs) if self.sequences else (self.outputs,)

    def forward(
        self, w: Parts, x: np.ndarray, random: np.random.Generator | None = None
    ) -> tuple[np.ndarray, Memory]:
        """(1)"""
        n, T, _ = x.shape
        a, h = np.zeros((n, T, self.units)), np.zeros((n, T + 1, self.units))
        o, y = np.zeros((n, T, self.outputs)), np.zeros((n, T + 1, self.outputs))
        for t in range(T):
            a[:, t] = x[:, t] @ w["W"] + w["b"]
            if "R" in w:
                a[:, t] += h[:, t] @ w["R"]
            if "Q" in w:
                a[:, t] += y[:, t] @ w["Q"]
            h[:, t + 1] = activate(self.activation, a[:, t])
            o[:, t] = h[:, t + 1] @ w["V"] + w["bc"]
            if "S" in w:
                o[:, t] += y[:, t] @ w["S"]
            y[:, t + 1] = activate(self.output, o[:, t])
        return (y[:, 1:] if self.sequences else y[:, -1]), (x, a, h, o, y)

    def backward(self, w: Parts, memory: Memory, dy: np.ndarray) -> tuple[np.ndarray, Parts]:
        """The errors of each step, from the last to the first."""
        x, a, h, o, y = memory
        n, T, _ = x.shape
        grads = {name: np.zeros_like(part) for name, part in w.items()}
        dx = np.zeros_like(x, dtype=np.float64)
        dh, later = np.zeros((n, self.units)), np.zeros((n, self.outputs))
        for t in range(T - 1, -1, -1):
            error = later + (dy[:, t] if self.sequences else dy if t == T - 1 else 0.0)
            delta_o = deactivate(self.output, o[:, t], y[:, t + 1], error)
            grads["V"] += h[:, t + 1].T @ delta_o
            grads["bc"] += delta_o.sum(axis=0)
            delta = deactivate(self.activation, a[:, t], h[:, t + 1], dh + delta_o @ w["V"].T)
            grads["W"] += x[:, t].T @ delta
            grads["b"] += delta.sum(axis=0)
            dx[:, t] = delta @ w["W"].T
            dh, later = np.zeros_like(dh), np.zeros_like(later)
            if "R" in w:
                grads["R"] += h[:, t].T @ delta
                dh = delta @ w["R"].T
            if "Q" in w:
                grads["Q"] += y[:, t].T @ delta
                later = later + delta @ w["Q"].T
            if "S" in w:
                grads["S"] += y[:, t].T @ delta_o
                later = later + delta_o @ w["S"].T
        return dx, grads
