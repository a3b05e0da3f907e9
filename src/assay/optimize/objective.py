"""Input and output of the optimisers: objective, history records, optimum."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from assay.core.stored import FloatArray, Integer

__all__ = ["Objective", "Optimum", "Record"]


class Objective(Protocol):
    """A function to be minimised, as an optimiser sees it; w is a vector of weights.

    The rows behind it may be in memory, in a file or on a cluster.
    """

    def value_gradient(self, w: np.ndarray, /) -> tuple[float, np.ndarray]:
        """E(w) and its gradient."""
        ...

    def curvature(self, w: np.ndarray, /) -> tuple[float, np.ndarray, np.ndarray]:
        """E(w), its gradient and its matrix of second derivatives; only ``newton`` uses it."""
        ...


@dataclass(frozen=True)
class Record:
    """One step of an optimiser, as ``history_`` keeps it.

    Attributes
    ----------
    iteration : from 0, the start
    value : E(w) after the step
    gradient : largest absolute entry of the gradient there
    step : length of the step that led there (0 at the start)
    weights : (p,) w at that step, if the weights are kept
    """

    iteration: int
    value: float
    gradient: float
    step: float = 0.0
    weights: np.ndarray | None = None
    stored = {
        "iteration": Integer(),
        "weights": FloatArray("*") | FloatArray("*", "*") | None,
    }


@dataclass(frozen=True)
class Optimum:
    """Where an optimiser stopped, and how it got there.

    Attributes
    ----------
    w : (p,)      value : float      gradient : (p,)
    converged : whether the gradient (or what the optimiser watches) fell below its tolerance
    reason : one word why it stopped: "gradient", "value", "iterations", "stuck", "diverged" or "watch"
    history : list of Record, the start first
    curvature : (p, p) second derivatives at w or next to it, where the optimiser has them; else None
    """

    w: np.ndarray
    value: float
    gradient: np.ndarray
    converged: bool
    reason: str
    history: list[Record] = field(default_factory=list)
    curvature: np.ndarray | None = None

    @property
    def n_iter(self) -> int:
        """Steps made."""
        return self.history[-1].iteration if self.history else 0
