"""Every labelling of some points, and a hypothesis that realises it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, PALE, draw_literally
from assay.types import Axes

if TYPE_CHECKING:
    from assay.theory.shatter import Shattering

__all__ = ["ShatteringDisplay"]

MAX_POINTS = 6  # 64 labellings
CELL_MARGIN = 0.22  # of a cell, around the points
GRID_SIZE = 121  # points along each side of the grid of a region
RING_POINTS = 8  # around each point


class ShatteringDisplay:
    """One small picture per labelling: the points, and the region that a hypothesis of the class calls positive.

    A class shatters the points if it realises every labelling. Labellings that no hypothesis realises are shown
    on grey.

    Parameters
    ----------
    shattering : result of :func:`assay.theory.shatters` for at most 6 points on a line or in a plane

    Attributes
    ----------
    cells_ : (2^n,) numbers of the drawn labellings, in reading order: from no positive point to all
    regions_ : dict of labelling to (121, 121) bool, its hypothesis on a grid
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import ShatteringDisplay
    >>> display = ShatteringDisplay.from_points("lines", [(0, 0), (1, 0), (0.4, 0.9)])
    >>> display.shattering.count, len(display.regions_)
    (8, 8)
    """

    def __init__(self, shattering: Shattering):
        self.shattering = shattering
        n, d = shattering.points.shape
        if n > MAX_POINTS:
            raise DataError(
                f"ShatteringDisplay: {n} points have {2**n} labellings; at most {MAX_POINTS} points can be drawn."
            )
        if d > 2:
            raise DataError(f"ShatteringDisplay: points lie on a line or in a plane, these have {d} columns.")

    @classmethod
    def from_points(
        cls, hypotheses: Any, points: ArrayLike, *, ax: Axes | None = None, **options: Any
    ) -> ShatteringDisplay:
        """Find which labellings a class realises, and draw them.

        Parameters
        ----------
        hypotheses : as in :func:`assay.theory.shatters`, such as "lines" or "boxes"
        points : (n, 2), or n numbers on a line
        options : as in ``plot``
        """
        from assay.theory.shatter import shatters

        return cls(shatters(hypotheses, points)).plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, columns: int | None = None) -> ShatteringDisplay:
        """Draw all labellings.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        columns : how many pictures stand side by side
        """
        labels = self.shattering.labellings
        m = len(labels)
        across = columns or min(m, 4 if m <= 16 else 8)
        down = -(-m // across)
        self.cells_ = np.array(
            sorted(range(m), key=lambda c: (labels[c].sum(), tuple(-labels[c].astype(int))))
        )
        self.ax_ = ax = axes_for(ax, (1.7 * across, 1.7 * down + 0.35))
        self.figure_ = ax.figure
        self.regions_: dict[int, np.ndarray] = {}
        at, centre, scale = self._placed()
        for place, c in enumerate(self.cells_.tolist()):
            corner = np.array([place % across, place // across], dtype=np.float64)
            self._draw_region(ax, c, corner, centre, scale)
            for positive, mark, colour in ((True, "o", class_colour(0)), (False, "s", class_colour(1))):
                x, y = (at[labels[c] == positive] + corner).T
                ax.scatter(
                    x, y, s=42, marker=mark, color=colour, edgecolors="white", linewidths=0.8, zorder=4
                )
        for k in range(across + 1):
            ax.axvline(k, color="white", lw=4, zorder=3)
        for k in range(down + 1):
            ax.axhline(k, color="white", lw=4, zorder=3)
        ax.set(xlim=(0, across), ylim=(down, 0), aspect="equal")
        ax.axis("off")
        shattering = self.shattering
        ax.set_title(
            f"{shattering.hypotheses.name}: {shattering.count} of {m} labellings", size=11, color=INK
        )
        draw_literally(ax)
        return self

    def _placed(self) -> tuple[np.ndarray, np.ndarray, float]:
        """The points in a unit cell, y upwards, and how they came there."""
        points = self.shattering.points
        plane = points if points.shape[1] == 2 else np.column_stack([points[:, 0], np.zeros(len(points))])
        centre = (plane.min(axis=0) + plane.max(axis=0)) / 2
        scale = (1 - 2 * CELL_MARGIN) / (float(np.ptp(plane, axis=0).max()) or 1.0)
        return 0.5 + (plane - centre) * scale * [1, -1], centre, scale

    def _draw_region(self, ax: Any, c: int, corner: np.ndarray, centre: np.ndarray, scale: float) -> None:
        from matplotlib.colors import ListedColormap

        box = (corner[0], corner[0] + 1, corner[1] + 1, corner[1])
        look = {"extent": box, "interpolation": "nearest", "aspect": "auto", "zorder": 1}
        rule = self._roomy_rule(self.shattering.labellings[c]) if self.shattering.realised[c] else None
        if rule is None:
            ax.imshow([[0.0]], cmap=ListedColormap([PALE]), **look)
            x, y = corner[0] + 0.5, corner[1] + 0.94
            ax.text(x, y, "none", ha="center", va="center", size=8, color=FAINT, zorder=4)
            return
        side = np.linspace(0, 1, GRID_SIZE)
        u, v = np.meshgrid(side, side)
        X = np.column_stack([u.ravel() - 0.5, 0.5 - v.ravel()]) / scale + centre
        d = self.shattering.points.shape[1]
        region = np.asarray(rule(X[:, :d]), dtype=bool).reshape(u.shape)
        self.regions_[c] = region
        colours = ListedColormap(["#fdf3dd", "#dcebf6"])  # pale orange and pale blue
        ax.imshow(region.astype(float), cmap=colours, vmin=0, vmax=1, **look)
        if region.any() and not region.all():
            x, y = corner[0] + side, corner[1] + side
            ax.contour(x, y, region.astype(float), levels=[0.5], colors=[FAINT], linewidths=1.0, zorder=2)

    def _roomy_rule(self, label: np.ndarray) -> Any:
        """A hypothesis that keeps its distance: every point stands for a small ring of points, as wide as may be."""
        shattering = self.shattering
        n, d = shattering.points.shape
        turn = 2 * np.pi * np.arange(RING_POINTS) / RING_POINTS
        ring = np.array([[-1.0], [1.0]]) if d == 1 else np.column_stack([np.cos(turn), np.sin(turn)])
        size = float(np.ptp(shattering.points, axis=0).max()) or 1.0
        for width in (0.24, 0.16, 0.08, 0.04):
            wide = (shattering.points[:, None] + width * size * ring).reshape(-1, d)
            rule = shattering.hypotheses.rule(wide, np.repeat(label, len(ring)))
            if rule is not None and np.array_equal(np.asarray(rule(shattering.points), dtype=bool), label):
                return rule
        return shattering.rule(label)
