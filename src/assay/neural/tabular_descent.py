"""The passes of one tabular network over its rows, and what is kept of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.neural.checkpoint import State
from assay.neural.mlp import Epoch
from assay.neural.schedules import cycle_ends, rates_of
from assay.neural.tabular_network import TabularNetwork

__all__ = ["Block", "Descent", "Pace", "TabularGoal"]

Block = tuple[np.ndarray, np.ndarray, np.ndarray]

ROWS_AT_ONCE = 2**14  # rows of one native call, after which Ctrl-C is heard


@dataclass(frozen=True)
class TabularGoal:
    """What is learned of each row: classes (codes) or numbers, and the kind of output that goes with it."""

    output: str
    loss: str
    width: int
    codes: np.ndarray | None = None
    numbers: np.ndarray | None = None
    parameter: float = 0.0
    smoothing: float = 0.0
    start: np.ndarray | None = None  # (K,) the first output, before its link

    def targets(self, w: np.ndarray | None) -> Any:
        """The goal of all rows as native code takes it."""
        return TabularNetwork.targets(self.codes, self.numbers, w, self.smoothing)

    def take(self, rows: np.ndarray) -> TabularGoal:
        """The goal of some rows."""
        from dataclasses import replace

        return replace(
            self,
            codes=None if self.codes is None else self.codes[rows],
            numbers=None if self.numbers is None else self.numbers[rows],
        )


@dataclass(frozen=True)
class Pace:
    """How the passes go: their number, the rows of a step, the rate and decay of AdamW, and the share left out."""

    epochs: int
    batch: int
    rate: float
    alpha: float
    dropout: float

    @property
    def ends(self) -> list[int]:
        """The passes after which a cycle of the rate has ended, the last one included."""
        return [*cycle_ends(self.epochs), self.epochs]


class Descent:
    """The passes of one network by AdamW, with a rate that rises and falls in cycles; the best parameters are kept.

    Parameters
    ----------
    net : whose parameters are changed      pace : of the passes
    block, goal, w : all rows, what is learned of them, and what each counts (None: 1)
    learn : numbers of the rows to learn from      random : generator of the orders and the units left out

    Attributes
    ----------
    history : one Epoch a pass      kept : (P,) the best parameters      best, best_iter : their loss, and their pass
    """

    def __init__(
        self,
        net: TabularNetwork,
        pace: Pace,
        block: Block,
        goal: TabularGoal,
        w: np.ndarray | None,
        learn: np.ndarray,
        random: np.random.Generator,
    ):
        self.net, self.pace, self.learn, self.random = net, pace, learn, random
        self.rows, self.targets, self.rule = (
            net.rows(block),
            goal.targets(w),
            net.rule(pace.alpha, clip=1.0, dropout=pace.dropout),
        )
        self.moment, self.square = np.zeros_like(net.theta), np.zeros_like(net.theta)
        self.seed = int(random.integers(2**31))
        self.history: list[Epoch] = []
        self.kept, self.best, self.before, self.best_iter = net.theta.copy(), math.inf, math.inf, 1

    def advance(self) -> tuple[float, float]:
        """One more pass: the mean of its losses, and its highest rate."""
        net, n, batch, number = self.net, len(self.learn), self.pace.batch, len(self.history) + 1
        batches, calls = (
            -(-n // batch),
            max(1, ROWS_AT_ONCE // batch),
        )  # batches of a pass, and of a native call
        order = self.learn[self.random.permutation(n)]
        rates = rates_of("cycles", self.pace.rate, number, self.pace.epochs, batches)
        loss = 0.0
        for at in range(0, batches, calls):
            part = order[at * batch : (at + calls) * batch]
            loss += len(part) * net.epoch(
                self.rows,
                self.targets,
                self.rule,
                part,
                batch,
                rates[at : at + calls],
                self.moment,
                self.square,
                (number - 1) * batches + at,
                self.seed,
            )
        return loss / n, float(rates.max())

    def sound(self, loss: float) -> bool:
        """Whether the parameters are still numbers."""
        return math.isfinite(loss) and bool(np.isfinite(self.net.theta).all())

    def keep(self, loss: float, rate: float, judged: float | None) -> None:
        """Remember the pass; its parameters too if it judged best, or if none judge."""
        number = len(self.history) + 1
        self.history.append(Epoch(number, loss, rate, None if judged is None else -judged))
        if judged is None or judged < self.best:
            self.best, self.best_iter = (judged if judged is not None else loss), number
            self.kept[:] = self.net.theta

    def brought_nothing(self) -> bool:
        """Whether a cycle ends with this pass that did not judge better than those before."""
        if len(self.history) not in self.pace.ends:
            return False
        better, self.before = self.best < self.before, min(self.before, self.best)
        return not better

    def state(self) -> State:
        """All that the next pass depends on."""
        arrays = {"theta": self.net.theta, "kept": self.kept, "moment": self.moment, "square": self.square}
        plain = {
            "best": self.best,
            "before": self.before,
            "best_iter": self.best_iter,
            "history": [[e.number, e.loss, e.rate, e.score] for e in self.history],
            "random": self.random.bit_generator.state,
        }
        return State(arrays, plain)

    def restore(self, state: State) -> None:
        """Go on from a state."""
        arrays, plain = state.arrays, state.plain
        self.net.theta[:], self.kept = arrays["theta"], arrays["kept"]
        self.moment[:], self.square[:] = arrays["moment"], arrays["square"]
        self.best, self.before, self.best_iter = plain["best"], plain["before"], plain["best_iter"]
        self.history = [Epoch(*record) for record in plain["history"]]
        self.random.bit_generator.state = plain["random"]
