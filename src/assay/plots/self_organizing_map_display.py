"""A self-organising map: its lattice among the rows, its hits, and the distances between its units."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.errors import ParameterError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, draw_literally
from assay.types import Axes, TableLike

__all__ = ["SelfOrganizingMapDisplay"]

KINDS = ("lattice", "hits", "distances")


class SelfOrganizingMapDisplay:
    """A fitted map in one of three views.

    "lattice" draws units with their links over two columns of the rows; "hits" how many rows each unit has, on the map;
    "distances" how far each unit is from its neighbours, so that walls between groups are dark.

    Parameters
    ----------
    model : a fitted SelfOrganizingMap
    X : table, the rows that are drawn or counted

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local import SelfOrganizingMap
    >>> from assay.plots import SelfOrganizingMapDisplay
    >>> X = np.random.default_rng(0).uniform(size=(100, 2))
    >>> display = SelfOrganizingMapDisplay(SelfOrganizingMap((3, 3), random_state=0).fit(X), X).plot("hits")
    >>> display.ax_.get_title()
    'rows of each unit'
    """

    def __init__(self, model: Any, X: TableLike):
        self.model, self.X = model, X

    def plot(
        self, kind: str = "lattice", ax: Axes | None = None, *, columns: tuple[int, int] = (0, 1)
    ) -> SelfOrganizingMapDisplay:
        """Draw one view.

        Parameters
        ----------
        kind : "lattice", "hits" or "distances"
        ax : matplotlib axes, default None for a new figure
        columns : of the lattice, which two
        """
        if kind not in KINDS:
            raise ParameterError(
                f"SelfOrganizingMapDisplay: kind must be one of {', '.join(KINDS)}, got {kind!r}."
            )
        self.ax_ = ax = axes_for(ax, (4.8, 4.4))
        self.figure_ = ax.figure
        if kind == "lattice":
            self._lattice(ax, columns)
        else:
            self._table(ax, kind)
        draw_literally(ax)
        return self

    def _lattice(self, ax: Any, columns: tuple[int, int]) -> None:
        model, (a, b) = self.model, columns
        rows, units = model._admit(self.X), model.units_
        d = units.shape[1]
        if not (0 <= a < d and 0 <= b < d):
            raise ParameterError(
                f"SelfOrganizingMapDisplay: columns must be from 0 to {d - 1}, got {columns}."
            )
        ax.plot(rows[:, a], rows[:, b], ".", color=FAINT, ms=3, zorder=1)
        first, second = np.nonzero(np.triu(model._lattice.adjacent()))
        ax.plot(units[[first, second], a], units[[first, second], b], color=class_colour(0), lw=0.9, zorder=2)
        ax.plot(units[:, a], units[:, b], "o", color=class_colour(0), ms=4, zorder=3)
        ax.set_xlabel(model._names[a])
        ax.set_ylabel(model._names[b])
        ax.set_title("units and their links among the rows")

    def _table(self, ax: Any, kind: str) -> None:
        model = self.model
        values = model.hits(self.X) if kind == "hits" else model.distance_map()
        places = model._lattice.places()
        hexagons = model.topology == "hexagonal"
        marks = ax.scatter(
            places[:, 1], places[:, 0], c=values.ravel(), s=6.5e4 / max(values.shape) ** 2, cmap="Greys",
            marker="h" if hexagons else "s", edgecolors=FAINT,
        )  # fmt: skip
        self.figure_.colorbar(marks, ax=ax, shrink=0.8)
        ax.set_aspect("equal")
        ax.invert_yaxis()
        ax.margins(0.12)
        ax.set_xlabel("column of the map")
        ax.set_ylabel("row of the map")
        ax.set_title("rows of each unit" if kind == "hits" else "mean distance to the neighbours")
