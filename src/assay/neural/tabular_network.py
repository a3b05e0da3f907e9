r"""An ensemble of networks that share their weights, over the columns of a raw table (BatchEnsemble, TabM).

.. math:: a_0 = (u,\ e + M\cos 2\pi(fu + s),\ \text{indicators, flags},\ \text{embedded categories}), \qquad
          a_l^m = \max(0,\ (a_{l-1}^m \circ r_l^m)W_l + b_l^m), \qquad o^m = a_{L-1}^m V^m + c^m \quad (1)

Only some of the numbers are embedded by waves, the first ones. The members m share :math:`W_l`; the scales of the
inputs :math:`r^m`, the biases and the output layer are their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import assay.neural._tabular_net as native
from assay.core.stored import FloatArray, IntArray, Integer, Scalar, Text
from assay.neural.dense_net import LOSSES, OUTPUTS

__all__ = ["TabularNetwork"]

BETA_1, BETA_2, EPSILON = 0.9, 0.95, 1e-8  # of Adam
FREQUENCY_SPREAD = 0.5  # standard deviation of the first frequencies
LEARNED_SCALE = 4.0  # factor of the rate of the input scales
SLOW_WAVES = 0.3  # factor of the rate of frequencies and phases


@dataclass
class TabularNetwork:
    """The shape of (1) and all its parameters in one vector.

    Attributes
    ----------
    numbers, plain : columns of numbers, indicators and flags      levels : (c,) rows of the tables of categories
    waves, width : frequencies, and numbers, of the embedding of each number      category_width : of a category
    members : of the ensemble      sizes : of the hidden layers and the outputs
    output, loss, parameter : as DenseNet has them      theta : (P,)
    waved : how many numbers are embedded, the first ones; None for all, if there are waves
    """

    numbers: int
    plain: int
    levels: np.ndarray
    waves: int
    width: int
    category_width: int
    members: int
    sizes: np.ndarray
    output: str
    loss: str
    parameter: float = 0.0
    theta: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32))
    waved: int | None = None
    stored = {
        "numbers": Integer(low=0),
        "plain": Integer(low=0),
        "levels": IntArray("c", low=1),
        "waves": Integer(low=0),
        "width": Integer(low=0),
        "category_width": Integer(low=1),
        "members": Integer(low=1),
        "sizes": IntArray("L", low=1),
        "output": Text(*OUTPUTS),
        "loss": Text(*LOSSES),
        "parameter": Scalar(),
        "theta": FloatArray("P", finite=True),
        "waved": Integer(low=0) | None,
    }

    @property
    def embedded(self) -> int:
        """How many numbers are embedded by waves."""
        if self.waved is None:
            return self.numbers if self.waves else 0
        return self.waved

    @property
    def inputs(self) -> int:
        """D, the width of what the first layer sees."""
        return self.numbers + self.embedded * self.width + self.plain + len(self.levels) * self.category_width

    def places(self) -> list[tuple[str, tuple[int, ...]]]:
        """The name and the shape of each part of ``theta``, in its order."""
        p, v, k, D = self.numbers, self.embedded, self.members, self.inputs
        places: list[tuple[str, tuple[int, ...]]] = [
            ("replaced", (p,)),
            ("frequency", (v, self.waves)),
            ("phase", (v, self.waves)),
            ("mix", (v, self.width, self.waves)),
            ("shift", (v, self.width)),
            ("tables", (int(self.levels.sum()), self.category_width)),
        ]
        for l, size in enumerate(self.sizes[:-1].tolist()):
            places += [(f"r{l}", (k, D)), (f"W{l}", (D, size)), (f"b{l}", (k, size))]
            D = size
        K = int(self.sizes[-1])
        return [*places, ("V", (k, D, K)), ("c", (k, K))]

    def parts(self, theta: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """The parts of the parameters (or of a vector like them) by name, as views."""
        theta = self.theta if theta is None else theta
        parts, at = {}, 0
        for name, shape in self.places():
            size = math.prod(shape)
            parts[name] = theta[at : at + size].reshape(shape)
            at += size
        return parts

    @property
    def n_parameters(self) -> int:
        """P"""
        return sum(math.prod(shape) for _, shape in self.places())

    def draw(self, random: np.random.Generator) -> None:
        """First parameters: members differ by the random signs of their input scales and by their output layers."""
        self.theta = np.zeros(self.n_parameters, dtype=np.float32)
        parts = self.parts()
        parts["frequency"][:] = random.normal(0, FREQUENCY_SPREAD, parts["frequency"].shape)
        parts["phase"][:] = random.uniform(-0.5, 0.5, parts["phase"].shape)
        parts["mix"][:] = random.normal(0, 1 / math.sqrt(max(self.waves, 1)), parts["mix"].shape)
        parts["tables"][:] = random.normal(0, 1 / math.sqrt(self.category_width), parts["tables"].shape)
        D = self.inputs
        for l, size in enumerate(self.sizes[:-1].tolist()):
            parts[f"r{l}"][:] = random.choice([-1.0, 1.0], parts["r0"].shape) if l == 0 else 1.0
            bound = 1 / math.sqrt(D)
            parts[f"W{l}"][:] = random.uniform(-bound, bound, (D, size)) * math.sqrt(2)
            parts[f"b{l}"][:] = random.uniform(-bound, bound, (self.members, size))
            D = size
        bound = 1 / math.sqrt(D)
        parts["V"][:] = random.uniform(-bound, bound, parts["V"].shape)

    # ------------------------------------------------------------------ native

    def _shape(self) -> Any:
        return native.Shape(
            numbers=self.numbers,
            plain=self.plain,
            waved=self.embedded,
            waves=self.waves,
            width=self.width,
            levels=np.ascontiguousarray(self.levels, dtype=np.int64),
            category_width=self.category_width,
            members=self.members,
            sizes=np.ascontiguousarray(self.sizes, dtype=np.int64),
            output=OUTPUTS[self.output],
            loss=LOSSES[self.loss],
            parameter=float(self.parameter),
        )

    @staticmethod
    def rows(block: tuple[np.ndarray, np.ndarray, np.ndarray]) -> Any:
        """Numbers, plain inputs and codes of rows as native code takes them."""
        return native.Rows(numbers=block[0], plain=block[1], codes=block[2])

    @staticmethod
    def targets(
        codes: np.ndarray | None = None,
        numbers: np.ndarray | None = None,
        weight: np.ndarray | None = None,
        smoothing: float = 0.0,
    ) -> Any:
        """Classes or numbers of rows as native code takes them."""
        return native.Targets(
            codes=None if codes is None else np.ascontiguousarray(codes, dtype=np.int32),
            numbers=None if numbers is None else np.ascontiguousarray(numbers, dtype=np.float32),
            weight=None if weight is None else np.ascontiguousarray(weight, dtype=np.float32),
            smoothing=float(smoothing),
        )

    def rule(self, decay: float, clip: float = 0.0, dropout: float = 0.0) -> Any:
        """AdamW with its own rates for input scales and waves; only weights decay; a share of the units is left out."""
        ends, factors, decays, at = [], [], [], 0
        for name, shape in self.places():
            at += math.prod(shape)
            ends.append(at)
            factors.append(
                LEARNED_SCALE if name == "r0" else SLOW_WAVES if name in ("frequency", "phase") else 1.0
            )
            decays.append(decay if name[0] in "WV" or name == "mix" else 0.0)
        return native.Rule(
            ends=np.array(ends, dtype=np.int64),
            factors=np.array(factors),
            decays=np.array(decays),
            first=BETA_1,
            second=BETA_2,
            epsilon=EPSILON,
            clip=float(clip),
            dropout=float(dropout),
        )

    def epoch(
        self,
        rows: Any,
        targets: Any,
        rule: Any,
        order: np.ndarray,
        batch_size: int,
        rates: np.ndarray,
        moment: np.ndarray,
        square: np.ndarray,
        t: int,
        seed: int = 0,
    ) -> float:
        """One pass over the rows in that order; the mean of the batches' losses, each before its step."""
        return native.epoch(
            rows=rows,
            targets=targets,
            shape=self._shape(),
            rule=rule,
            order=order,
            most=batch_size,
            rates=rates,
            theta=self.theta,
            moment=moment,
            square=square,
            t=t,
            seed=seed,
        )

    def answers(self, block: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
        """(n, K) the mean of the members' answers."""
        out = np.empty((len(block[0]), int(self.sizes[-1])))
        native.answers(self.rows(block), self._shape(), self.theta, out)
        return out

    def first_inputs(self, block: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
        """(n, D) a_0 of (1)."""
        out = np.empty((len(block[0]), self.inputs), dtype=np.float32)
        native.inputs(self.rows(block), self._shape(), self.theta, out)
        return out

    def member(self, m: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Weights and biases of member m as those of a dense network over a_0."""
        parts = {name: part.astype(np.float64) for name, part in self.parts().items()}
        hidden = range(len(self.sizes) - 1)
        coefs = [parts[f"r{l}"][m][:, None] * parts[f"W{l}"] for l in hidden]
        return [*coefs, parts["V"][m]], [*(parts[f"b{l}"][m] for l in hidden), parts["c"][m]]
