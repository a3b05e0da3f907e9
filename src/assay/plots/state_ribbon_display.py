"""Data over time with the states below them as coloured ribbons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for, names_of
from assay.plots.looks import INK, bare, draw_literally, line_look
from assay.types import Axes, Estimator, SequencesLike

__all__ = ["StateRibbonDisplay"]

RIBBON = 0.12  # of the height that the ribbon takes


class StateRibbonDisplay:
    """Columns of one sequence as lines, and below them the states as a ribbon, or their probabilities stacked.

    Parameters
    ----------
    values : (T, d) numbers; missing entries break the line
    states : (T,) whole numbers, or (T, K) probabilities
    state_names, column_names : what they are called

    Attributes
    ----------
    lines_ : drawn lines, one for each column      ribbon_ : what was drawn below      ax_, figure_ : after ``plot``

    Examples
    --------
    >>> import numpy as np
    >>> from assay.plots import StateRibbonDisplay
    >>> display = StateRibbonDisplay([[0.1], [0.2], [4.0]], [0, 0, 1]).plot()
    >>> display.runs_
    [(0, 0, 2), (1, 2, 1)]
    """

    def __init__(
        self,
        values: ArrayLike,
        states: ArrayLike,
        *,
        state_names: Sequence[str] | None = None,
        column_names: Sequence[str] | None = None,
    ):
        self.values, self.states = np.asarray(values, dtype=np.float64), np.asarray(states)
        if self.values.ndim == 1:
            self.values = self.values[:, None]
        if len(self.states) != len(self.values) or self.states.ndim not in (1, 2) or not len(self.values):
            raise DataError(f"StateRibbonDisplay: {len(self.values)} rows need as many states, at least one.")
        K = int(self.states.max()) + 1 if self.states.ndim == 1 else self.states.shape[1]
        self.state_names = [f"state {k}" for k in range(K)] if state_names is None else list(state_names)
        d = self.values.shape[1]
        self.column_names = [f"x{j}" for j in range(d)] if column_names is None else list(column_names)

    @classmethod
    def from_model(
        cls,
        model: Estimator,
        X: SequencesLike,
        *,
        probabilities: bool = False,
        state_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> StateRibbonDisplay:
        """Draw one sequence with the states that a model finds.

        Parameters
        ----------
        model : fitted hidden Markov model
        X : one sequence of numbers
        probabilities : draw the posterior of the states instead of the path
        state_names : what states are called
        """
        from assay.sequences import Sequences

        data = Sequences.of(X, who="StateRibbonDisplay")
        if len(data) != 1:
            raise DataError(f"StateRibbonDisplay draws one sequence, got {len(data)}.")
        fitted: Any = model
        states = fitted.predict_proba(data) if probabilities else fitted.predict(data)
        names = names_of(model, data.values.shape[1])
        return cls(data.values, states, state_names=state_names, column_names=names).plot(ax)

    def plot(self, ax: Axes | None = None) -> StateRibbonDisplay:
        """Draw lines and ribbon.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        self.ax_ = ax = axes_for(ax, (8.0, 3.4))
        from matplotlib.patches import Patch

        self.figure_ = ax.figure
        T, d = self.values.shape
        at = np.arange(T)
        looks = [{"color": INK, "linewidth": 1.2}] if d == 1 else [line_look(j) for j in range(d)]
        self.lines_ = [
            ax.plot(at, self.values[:, j], label=name, **look)[0]
            for j, (name, look) in enumerate(zip(self.column_names, looks))
        ]
        finite = self.values[np.isfinite(self.values)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        span = high - low or 1.0
        top = low - 0.05 * span
        bottom = top - span * (RIBBON if self.states.ndim == 1 else 3 * RIBBON)
        self.ribbon_: list[Any] = []
        if self.states.ndim == 1:
            edges = np.concatenate([[0], np.flatnonzero(np.diff(self.states)) + 1, [T]])
            self.runs_ = [(int(self.states[a]), int(a), int(b - a)) for a, b in pairwise(edges)]
            for state, first, rows in self.runs_:
                bar = ax.barh(
                    0.5 * (top + bottom),
                    rows,
                    top - bottom,
                    left=first - 0.5,
                    color=class_colour(state),
                    lw=0,
                )
                self.ribbon_.append(bar)
        else:
            heights = np.vstack([np.zeros(T), np.cumsum(self.states, axis=1).T])
            for k in range(self.states.shape[1]):
                a, b = (bottom + (top - bottom) * heights[i] for i in (k, k + 1))
                self.ribbon_.append(ax.fill_between(at, a, b, color=class_colour(k), lw=0, step="mid"))
        ax.set(xlim=(-0.5, T - 0.5), ylim=(bottom, high + 0.05 * span), xlabel="row")
        ax.set_ylabel(self.column_names[0] if d == 1 else "value")
        bare(ax)
        used = sorted(set(self.states.tolist())) if self.states.ndim == 1 else range(self.states.shape[1])
        patches = [Patch(color=class_colour(int(k)), label=self.state_names[int(k)]) for k in used]
        ax.legend(
            handles=[*patches, *(self.lines_ if d > 1 else [])], loc="upper left", bbox_to_anchor=(1.0, 1.0),
            frameon=False,
        )  # fmt: skip
        draw_literally(ax)
        return self
