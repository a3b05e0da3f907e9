"""The landscape of a response over two factors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError, ParameterError
from assay.plots.canvas import amounts, axes_for
from assay.plots.looks import INK, draw_literally, legend_name
from assay.types import Axes

if TYPE_CHECKING:
    from assay.experiments.designs.response_surface import ResponseSurface

__all__ = ["ResponseSurfaceDisplay"]

STEPS = 101  # of the grid, each way


class ResponseSurfaceDisplay:
    """Contours of a fitted second-order surface, the runs it was fitted to, and its summit, valley or saddle.

    Parameters
    ----------
    surface : :class:`assay.experiments.ResponseSurface`
    runs : (n, F) in coded units, or None
    response : str
        What is measured; stands at the colour bar.

    Attributes
    ----------
    grid_ : pair of (101,) levels of the two factors; ``height_`` : (101, 101) the surface there
    contours_ : drawn contours
    stationary_ : drawn mark, or None if the point lies outside the picture or there is none
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.experiments import central_composite
    >>> from assay.plots import ResponseSurfaceDisplay
    >>> design = central_composite(2)
    >>> a, b = design.coded.T
    >>> display = ResponseSurfaceDisplay.from_runs(design, 80 + 4 * a + 2 * b - 3 * a**2 - 2 * b**2 + a * b)
    >>> display.surface.kind, [round(float(v[0]), 3) for v in display.stationary_.get_data()]
    ('maximum', [0.783, 0.696])
    """

    def __init__(self, surface: ResponseSurface, runs: Any = None, *, response: str = "response"):
        self.surface, self.response = surface, response
        self.runs = None if runs is None else np.asarray(runs, dtype=np.float64)
        F = len(surface.names)
        if F < 2:
            raise DataError("ResponseSurfaceDisplay: a landscape needs two factors, the surface has one.")
        if self.runs is not None and (self.runs.ndim != 2 or self.runs.shape[1] != F):
            raise DataError(
                f"ResponseSurfaceDisplay: runs need a column for each of {F} factors, got shape {self.runs.shape}."
            )

    @classmethod
    def from_runs(
        cls,
        design: Any,
        values: ArrayLike,
        *,
        response: str = "response",
        ax: Axes | None = None,
        **options: Any,
    ) -> ResponseSurfaceDisplay:
        """Fit a surface to the runs of an experiment and draw it.

        Parameters
        ----------
        design : RunTable such as ``central_composite``, or a matrix (n, F) in coded units
        values : (n,) responses
        response : str, what is measured
        options : as in ``plot``
        """
        from assay.experiments.designs.response_surface import ResponseSurface

        surface = ResponseSurface.fit(design, values)
        return cls(surface, getattr(design, "coded", design), response=response).plot(ax, **options)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        factors: tuple[str, str] | None = None,
        at: Mapping[str, float] | None = None,
        path: str | None = None,
    ) -> ResponseSurfaceDisplay:
        """Draw the contours.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        factors : the two on the axes; default the first two
        at : dict of the other factors to coded levels; default their centre, 0
        path : "maximum" or "minimum" for the path of steepest ascent or descent from the centre, or None
        """
        names = self.surface.names
        i, j = self._places(factors or (names[0], names[1]))
        fixed = np.zeros(len(names))
        for name, level in (at or {}).items():
            fixed[self._places((name, name))[0]] = level
        self.ax_ = ax = axes_for(ax, (6.4, 4.8))
        self.figure_ = ax.figure
        far = 1.5 if self.runs is None else max(1.2, 1.12 * float(np.abs(self.runs[:, [i, j]]).max()))
        side = np.linspace(-far, far, STEPS)
        X = np.tile(fixed, (STEPS * STEPS, 1))
        u, v = np.meshgrid(side, side)
        X[:, i], X[:, j] = u.ravel(), v.ravel()
        self.height_ = self.surface.predict(X).reshape(STEPS, STEPS)
        self.grid_ = (self._decoded(i, side), self._decoded(j, side))
        if np.ptp(self.height_) > 1e-12 * np.abs(self.height_).max():
            filled = ax.contourf(*self.grid_, self.height_, levels=14, cmap=amounts())
            self.contours_ = ax.contour(*self.grid_, self.height_, levels=14, colors="white", linewidths=0.6)
            ax.clabel(self.contours_, fontsize=8, fmt=lambda value: f"{value:g}")
            bar = ax.figure.colorbar(filled, ax=ax, label=legend_name(self.response))
            draw_literally(bar.ax)
        else:
            self.contours_ = None
            ax.text(0.5, 0.6, f"flat at {self.height_.mean():g}", transform=ax.transAxes, ha="center")
        self._draw_marks(ax, i, j, far, fixed, path)
        ax.set(xlabel=legend_name(names[i]), ylabel=legend_name(names[j]))
        others = [
            f"{legend_name(n, 20)} {self._decoded(k, fixed[k]):g}"
            for k, n in enumerate(names)
            if k not in (i, j)
        ]
        if others:
            ax.set_title("at " + ", ".join(others), size=10)
        draw_literally(ax)
        return self

    def _draw_marks(self, ax: Any, i: int, j: int, far: float, fixed: np.ndarray, path: str | None) -> None:
        if self.runs is not None:
            look = {"s": 30, "facecolor": "white", "edgecolor": INK, "zorder": 3, "label": "runs"}
            ax.scatter(self._decoded(i, self.runs[:, i]), self._decoded(j, self.runs[:, j]), **look)
        if path is not None:
            steepest = self.surface.steepest(goal=path)
            inside = (np.abs(steepest[:, [i, j]]) <= far).all(axis=1)
            x, y = self._decoded(i, steepest[inside, i]), self._decoded(j, steepest[inside, j])
            ax.plot(x, y, color="white", lw=1.6, marker=".", zorder=4, label=f"steepest way to a {path}")
        self.stationary_ = None
        centre = self.surface.stationary
        if np.isfinite(centre).all() and (np.abs(centre[[i, j]]) <= far).all():
            x, y = self._decoded(i, centre[i]), self._decoded(j, centre[j])
            look = {
                "ls": "none",
                "marker": "*",
                "ms": 16,
                "mfc": class_colour(5),
                "mec": "white",
                "zorder": 5,
            }
            (self.stationary_,) = ax.plot([x], [y], label=self.surface.kind, **look)
        if ax.get_legend_handles_labels()[1]:
            ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, frameon=False, facecolor="none",
                      handlelength=1.4, labelcolor=INK)  # fmt: skip
            if path is not None:
                for line in ax.get_legend().get_lines():
                    if line.get_color() == "white":
                        line.set_color(INK)  # a white line on white paper would not be seen

    def _decoded(self, place: int, coded: Any) -> Any:
        """Coded units as levels of the factor, where these are numbers."""
        ends = None if self.surface.ends is None else self.surface.ends[place]
        if ends is None or not all(isinstance(end, (int, float, np.number)) for end in ends):
            return coded
        return ends[0] + (np.asarray(coded) + 1) / 2 * (ends[1] - ends[0])

    def _places(self, factors: tuple[str, str]) -> tuple[int, int]:
        names = list(self.surface.names)
        for name in factors:
            if name not in names:
                raise ParameterError(
                    f"ResponseSurfaceDisplay: there is no factor {name!r}. Factors: {', '.join(names)}."
                )
        return names.index(factors[0]), names.index(factors[1])
