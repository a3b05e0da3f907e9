"""What the cells of a grid world are worth, and where to go from each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.plots.canvas import amounts, axes_for, pyplot
from assay.plots.looks import INK
from assay.types import Axes

if TYPE_CHECKING:
    from assay.reinforcement import GridWorld, Solution

__all__ = ["GridWorldDisplay"]

STEP = 0.32  # half the length of an arrow, in cells
MOST_NUMBERS = 400  # cells beyond which their values are not written


class GridWorldDisplay:
    """A map of values, with arrows for the best moves; all of them where several are equally good.

    Parameters
    ----------
    world : :class:`assay.reinforcement.GridWorld`
    values : (S,) what each cell is worth
    q : (S, A), default None
        What each move is worth; None draws no arrows.

    Attributes
    ----------
    image_ : drawn values      arrows_ : drawn arrows, or None      numbers_ : drawn texts
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import GridWorldDisplay
    >>> from assay.reinforcement import GridWorld
    >>> display = GridWorldDisplay.from_solution(GridWorld("..G\\n.#.\\nS..", goal_reward=100).solve())
    >>> [text.get_text() for text in display.numbers_[:3]]
    ['90', '100', '0']
    """

    def __init__(self, world: GridWorld, values: ArrayLike, q: ArrayLike | None = None):
        self.world, self.values = world, np.asarray(values, dtype=np.float64)
        self.grid = world.on_grid(self.values)
        self.q = None if q is None else np.asarray(q, dtype=np.float64)

    @classmethod
    def from_solution(cls, solution: Solution, ax: Axes | None = None) -> GridWorldDisplay:
        """Draw the solution of a grid world."""
        return cls(solution.process, solution.values, solution.q).plot(ax)  # type: ignore[arg-type]

    @classmethod
    def from_agent(cls, world: GridWorld, agent: Any, ax: Axes | None = None) -> GridWorldDisplay:
        """Draw what an agent has learned of a grid world."""
        q = np.where(world.available, agent.q_, -np.inf) if agent.q_.shape == world.rewards.shape else None
        return cls(world, agent.values_, q).plot(ax)

    @classmethod
    def frames(cls, solution: Solution, dpi: int = 80) -> list[np.ndarray]:
        """The steps of a solution as pictures, (height, width, 4) numbers from 0 to 255, one after the other.

        The solution must have kept its steps: ``solve(method, history=True)``. All pictures share one scale of colours,
        so that they can be played as an animation.
        """
        pyplot()
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        from assay.errors import DataError

        if not solution.history:
            raise DataError("GridWorldDisplay: the solution kept no steps; call solve(..., history=True).")
        world: Any = solution.process
        steps = [step[1] if isinstance(step, tuple) else step for step in solution.history]
        low, high = float(np.min(steps)), float(np.max(steps))
        rows, columns = world.shape
        pictures = []
        for values in steps:
            figure = Figure((1.2 + 0.7 * columns, 0.6 + 0.7 * rows), dpi=dpi)
            display = cls(world, values, world.q_values(values)).plot(figure.add_subplot())
            display.image_.set_clim(low, high)
            canvas = FigureCanvasAgg(figure)
            canvas.draw()
            pictures.append(np.asarray(canvas.buffer_rgba()).copy())
        return pictures

    def plot(self, ax: Axes | None = None) -> GridWorldDisplay:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        rows, columns = self.world.shape
        self.ax_ = ax = axes_for(ax, (1.2 + 0.7 * columns, 0.6 + 0.7 * rows))
        self.figure_ = ax.figure
        colours = amounts().with_extremes(bad=INK)
        self.image_ = ax.imshow(np.ma.masked_invalid(self.grid), cmap=colours, alpha=0.55)
        self.figure_.colorbar(self.image_, ax=ax, label="value")
        self.arrows_ = None if self.q is None else self._arrows(ax, self.q)
        self.numbers_ = self._numbers(ax) if len(self.values) <= MOST_NUMBERS else []
        ax.set_xticks([])
        ax.set_yticks([])
        return self

    def _arrows(self, ax: Any, q: np.ndarray) -> Any:
        from assay.reinforcement.grid_world import MOVES
        from assay.reinforcement.solution import best_actions

        acting = ~self.world.terminal
        cells = np.array(self.world.cells)
        best = best_actions(np.where(acting[:, None], q, 0.0)) & acting[:, None]
        where, which = np.nonzero(best)
        step = np.array([MOVES[name] for name in self.world.actions])[which]
        i, j = cells[where].T
        return ax.quiver(
            j,
            i,
            step[:, 1] * STEP,
            step[:, 0] * STEP,
            angles="xy",
            scale_units="xy",
            scale=1,
            color=INK,
            width=0.006,
        )

    def _numbers(self, ax: Any) -> list[Any]:
        places = {"ha": "left", "va": "bottom", "fontsize": 7, "color": INK}
        return [
            ax.text(j - 0.46, i + 0.46, f"{value:.4g}", **places)
            for (i, j), value in zip(self.world.cells, self.values)
        ]
