"""The map of a correspondence analysis: rows and columns as points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, draw_literally
from assay.types import Axes, TableLike

__all__ = ["CorrespondenceDisplay"]

MOST_NAMED = 60  # points whose names are written


class CorrespondenceDisplay:
    """Rows and columns (or categories) of a table in one plane, with the share of inertia that each axis shows.

    Parameters
    ----------
    rows : (n, k) coordinates of rows      columns : (m, k) coordinates of columns
    column_names : m names      row_names : n names, default None for points without names
    shares : (k,) shares of the inertia

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import CorrespondenceDisplay
    >>> from assay.reduce import CorrespondenceAnalysis
    >>> staff = [[4, 2, 3, 2], [4, 3, 7, 4], [25, 10, 12, 4], [18, 24, 33, 13], [10, 6, 7, 2]]
    >>> display = CorrespondenceDisplay.from_estimator(CorrespondenceAnalysis().fit(staff), staff)
    >>> display.ax_.get_xlabel()
    'axis 1 (87.8% of the inertia)'
    """

    def __init__(
        self,
        rows: ArrayLike,
        columns: Sequence[str | int],
        column_names: Sequence[str],
        row_names: Sequence[str] | None = None,
        shares: ArrayLike = (),
    ):
        self.rows, self.columns = np.asarray(rows, dtype=float), np.asarray(columns, dtype=float)
        if (
            self.rows.ndim != 2
            or self.columns.ndim != 2
            or min(self.rows.shape[1], self.columns.shape[1]) < 2
        ):
            raise DataError(
                "CorrespondenceDisplay: a map needs two coordinates of rows and columns, got the shapes "
                f"{self.rows.shape} and {self.columns.shape}. Fit with n_components=2."
            )
        self.column_names, self.row_names = list(column_names), None if row_names is None else list(row_names)
        self.shares = np.asarray(shares, dtype=float)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: TableLike,
        *,
        row_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> CorrespondenceDisplay:
        """Draw the map of a fitted analysis with the rows of X.

        Parameters
        ----------
        estimator : fitted CorrespondenceAnalysis or MultipleCorrespondenceAnalysis
        X : rows      row_names : their names, default None
        ax : matplotlib axes, default None for a new figure
        """
        rows, columns = estimator.transform(X), estimator.column_coordinates_
        return cls(rows, columns, estimator._names, row_names, estimator.inertia_shares_).plot(ax)

    def plot(self, ax: Axes | None = None) -> CorrespondenceDisplay:
        """Draw rows as points and columns as triangles, both with their names.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        self.ax_ = ax = axes_for(ax, (6.0, 5.0))
        self.figure_ = ax.figure
        ax.axhline(0, color=FAINT, lw=0.6)
        ax.axvline(0, color=FAINT, lw=0.6)
        places = np.concatenate([self.rows[:, 0], self.columns[:, 0]])
        rightmost = places.max() - 0.3 * np.ptp(places)  # beyond it names stand left of their points
        for points, names, k, mark, label in (
            (self.rows, self.row_names, 0, "o", "rows"),
            (self.columns, self.column_names, 1, "^", "columns"),
        ):
            ax.scatter(
                points[:, 0], points[:, 1], s=18, color=class_colour(k), marker=mark, alpha=0.75, label=label
            )
            for point, name in zip(points[:MOST_NAMED], names or []):
                to: dict[str, Any] = (
                    {"xytext": (-4, 4), "ha": "right"} if point[0] > rightmost else {"xytext": (4, 4)}
                )
                ax.annotate(
                    str(name), point[:2], textcoords="offset points", fontsize=8, color=class_colour(k), **to
                )
        of_axis = [f" ({100 * s:.1f}% of the inertia)" for s in self.shares[:2]] or ["", ""]
        ax.set(xlabel=f"axis 1{of_axis[0]}", ylabel=f"axis 2{of_axis[1]}")
        ax.margins(0.12)
        ax.set_aspect("equal", adjustable="datalim")  # distances between rows are read off
        ax.legend(frameon=False)
        draw_literally(ax)
        return self
