"""What a belief between two states is worth: lines of plans, and the most of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.palette import class_colour
from assay.errors import ParameterError
from assay.plots.canvas import axes_for
from assay.plots.looks import INK
from assay.types import Axes

if TYPE_CHECKING:
    from assay.reinforcement import BeliefValue

__all__ = ["BeliefValueDisplay"]


class BeliefValueDisplay:
    """The lines of plans over the probability of the first state, and their envelope, the value.

    Parameters
    ----------
    value : :class:`assay.reinforcement.BeliefValue` of a process of two states

    Attributes
    ----------
    lines_ : drawn lines, one for each plan      envelope_ : the drawn value
    bounds_ : probabilities at which the best plan changes
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import BeliefValueDisplay
    >>> from assay.reinforcement import tiger
    >>> display = BeliefValueDisplay(tiger().plan(2, last=["open left", "open right"])).plot()
    >>> [round(float(p), 4) for p in display.bounds_]
    [0.2941, 0.6831]
    """

    def __init__(self, value: BeliefValue):
        if len(value.plans[0].values) != 2:
            raise ParameterError("BeliefValueDisplay: lines are drawn for processes of two states.")
        self.value = value

    def plot(self, ax: Axes | None = None) -> BeliefValueDisplay:
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        self.ax_ = ax = axes_for(ax, (6.0, 4.2))
        self.figure_ = ax.figure
        parts = self.value.intervals()
        actions = list(dict.fromkeys(str(plan.action) for _, _, plan in parts))
        self.lines_: list[Any] = []
        for _, _, plan in parts:
            name = str(plan.action)
            ends = [float(plan.values[1]), float(plan.values[0])]
            colour = class_colour(actions.index(name))
            label = name if name not in [line.get_label() for line in self.lines_] else "_"
            self.lines_ += ax.plot([0, 1], ends, color=colour, alpha=0.75, linewidth=1.2, label=label)
        self.bounds_ = [high for _, high, _ in parts[:-1]]
        corners = np.array([0.0, *(float(p) for p in self.bounds_), 1.0])
        heights = [float(self.value.value([p, 1 - p])) for p in corners]
        (self.envelope_,) = ax.plot(corners, heights, color=INK, linewidth=2, label="the best")
        first = self.value.states[0] if self.value.states else "the first state"
        ax.set_xlabel(f"probability of {first}")
        left = "1 step" if self.value.horizon == 1 else f"{self.value.horizon} steps"
        steps = f", {left} left" if self.value.horizon > 0 else ""
        ax.set_ylabel(f"expected reward{steps}")
        ax.set_xlim(0, 1)
        ax.legend(frameon=False, fontsize=8)
        return self
