"""The automaton of a Markov chain: states as circles, transitions as arrows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, draw_literally
from assay.types import Axes, Estimator

__all__ = ["AutomatonDisplay"]

RADIUS = 0.27  # of a circle
MOST_STATES = 30  # that can be distinguished on a ring


class AutomatonDisplay:
    """States as circles with arrows between them, their width by the probability; arrows from outside are starts.

    Parameters
    ----------
    transitions : (K, K) probabilities
    start : (K,) probabilities, or None
    state_names : what states are called
    least : probabilities below it are left out
    layout : "ring" or "line"
        On a line arcs bend over the states between: for chains that go from left to right.

    Attributes
    ----------
    arrows_ : dict from (i, j) to what was drawn      ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import AutomatonDisplay
    >>> display = AutomatonDisplay([[0.4, 0.6], [0.0, 1.0]], state_names=["on", "off"]).plot()
    >>> sorted(display.arrows_)
    [(0, 0), (0, 1), (1, 1)]
    """

    def __init__(
        self,
        transitions: ArrayLike,
        start: ArrayLike | None = None,
        *,
        state_names: Sequence[str] | None = None,
        least: float = 0.0,
        layout: str = "ring",
    ):
        self.transitions = np.asarray(transitions, dtype=np.float64)
        self.start = None if start is None else np.asarray(start, dtype=np.float64)
        K = len(self.transitions)
        if (
            self.transitions.shape != (K, K)
            or K == 0
            or (self.start is not None and self.start.shape != (K,))
        ):
            raise DataError(f"AutomatonDisplay: {K} states need a square matrix and as many starts.")
        if K > MOST_STATES:
            raise DataError(
                f"AutomatonDisplay: {K} states are too many to be distinguished (at most {MOST_STATES})."
            )
        if layout not in ("ring", "line"):
            raise DataError(f'AutomatonDisplay: layout must be "ring" or "line", got {layout!r}.')
        self.state_names = (
            [str(k) for k in range(K)] if state_names is None else [str(n) for n in state_names]
        )
        self.least, self.layout = least, layout

    @classmethod
    def from_model(
        cls,
        model: Estimator,
        *,
        state_names: Sequence[str] | None = None,
        least: float = 0.005,
        layout: str = "ring",
        ax: Axes | None = None,
    ) -> AutomatonDisplay:
        """Draw the chain of a Markov chain or hidden Markov model.

        Parameters
        ----------
        model : with startprob_ and transmat_
        state_names, least, layout : as in the constructor
        """
        names = state_names if state_names is not None else getattr(model, "states_", None)
        fitted: Any = model
        display = cls(fitted.transmat_, fitted.startprob_, state_names=names, least=least, layout=layout)
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> AutomatonDisplay:
        """Draw circles and arrows.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        from matplotlib.patches import Circle, FancyArrowPatch

        K = len(self.transitions)
        line = self.layout == "line"
        self.ax_ = ax = axes_for(ax, (1.5 + 1.4 * K, 2.6) if line else (5.2, 5.0))
        self.figure_ = ax.figure
        if line:
            places = np.column_stack([np.arange(K, dtype=np.float64), np.zeros(K)])
            outward = np.tile([0.0, 1.0], (K, 1))
        else:
            angle = np.pi / 2 - 2 * np.pi * np.arange(K) / K
            outward = np.column_stack([np.cos(angle), np.sin(angle)])
            places = outward * (0.0 if K == 1 else max(1.0, K * 0.22))
        self.arrows_: dict[tuple[int, int], Any] = {}
        for i, j in zip(*np.nonzero(self.transitions > self.least)):
            p = float(self.transitions[i, j])
            if i == j:
                self._loop(ax, places[i], outward[i], p, (int(i), int(j)))
                continue
            step = places[j] - places[i]
            bend = (
                (0.0 if j == i + 1 else 0.35) if line else 0.18
            )  # on a line others go round, below or above
            ends = RADIUS * step / np.linalg.norm(step)
            arrow = FancyArrowPatch(
                _pair(places[i] + ends),
                _pair(places[j] - ends),
                connectionstyle=f"arc3,rad={bend}",
                arrowstyle="-|>",
                mutation_scale=12,
                shrinkA=0,
                shrinkB=0,
                lw=0.6 + 2.2 * p,
                color=FAINT,
            )
            ax.add_patch(arrow)
            self.arrows_[int(i), int(j)] = arrow
            normal = np.array([step[1], -step[0]])  # to the right of the way: where a positive bend goes
            middle = places[i] + 0.5 * step + 0.5 * bend * normal
            self._label(ax, middle, p)
        for k, place in enumerate(places):
            ax.add_patch(Circle(_pair(place), RADIUS, facecolor="white", edgecolor=INK, lw=1.4, zorder=3))
            ax.text(*_pair(place), self.state_names[k], ha="center", va="center", zorder=4)
            if self.start is not None and self.start[k] > self.least:
                side = np.array([-outward[k][1], outward[k][0]])
                toward = (side if k == 0 else -outward[k]) if line else 0.8 * side + 0.6 * outward[k]
                arrow = FancyArrowPatch(
                    _pair(place + 0.75 * toward),
                    _pair(place + RADIUS * toward),
                    arrowstyle="-|>",
                    mutation_scale=11,
                    shrinkA=0,
                    shrinkB=0,
                    lw=1.0,
                    color=INK,
                )
                ax.add_patch(arrow)
                x, y = _pair(place + 0.87 * toward)
                ax.text(x, y, _short(float(self.start[k])), ha="center", va="center", fontsize=9)
        reach = np.abs(places).max(axis=0) + 0.8
        ax.set(xlim=(-1.1 if line else -reach[0] - 0.1, places[:, 0].max() + 0.7 if line else reach[0] + 0.1))
        ax.set(ylim=(-1.0, 1.1) if line else (-reach[1] - 0.1, reach[1] + 0.1), aspect="equal")
        ax.axis("off")
        draw_literally(ax)
        return self

    def _loop(self, ax: Any, place: np.ndarray, outward: np.ndarray, p: float, pair: tuple[int, int]) -> None:
        from matplotlib.patches import FancyArrowPatch

        side = np.array([-outward[1], outward[0]])
        begin, end = (place + RADIUS * (0.85 * outward + s * 0.5 * side) for s in (1, -1))
        arrow = FancyArrowPatch(
            _pair(begin),
            _pair(end),
            connectionstyle="arc3,rad=-1.7",
            arrowstyle="-|>",
            mutation_scale=10,
            lw=0.6 + 2.2 * p,
            color=FAINT,
        )
        ax.add_patch(arrow)
        self.arrows_[pair] = arrow
        self._label(ax, place + outward * (RADIUS + 0.36), p)

    def _label(self, ax: Any, place: np.ndarray, p: float) -> None:
        ax.text(
            *_pair(place),
            _short(p),
            ha="center",
            va="center",
            fontsize=9,
            color=INK,
            zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85},
        )


def _pair(place: np.ndarray) -> tuple[float, float]:
    return float(place[0]), float(place[1])


def _short(p: float) -> str:
    return f"{p:.2f}".rstrip("0").rstrip(".") or "0"
