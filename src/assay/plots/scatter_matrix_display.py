"""All pairs of columns, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.errors import DataError, ParameterError
from assay.plots.canvas import axes_for
from assay.plots.looks import classes_with_rows, legend_name
from assay.tables import Table
from assay.types import TableLike, Target

__all__ = ["ScatterMatrixDisplay"]

MOST_COLUMNS = 12  # more panels than 144 cannot be read
INCHES = 1.7  # of a panel


class ScatterMatrixDisplay:
    """A scatter-plot matrix: every column against every other, and histograms on the diagonal, by class.

    Ellipses say normal, bent clouds say not; clouds of other shapes in other classes say that covariances differ. The
    tests: :func:`~assay.stats.mardia`, :func:`~assay.stats.henze_zirkler`, :func:`~assay.stats.box_m`. Missing values
    are left out, pair by pair.

    Parameters
    ----------
    X : (n, d) table of numbers, at most 12 columns
    y : (n,) classes, or None
    columns : names or numbers of the columns to draw, in this order; None draws all numeric ones

    Attributes
    ----------
    axes_ : (d, d) matplotlib axes, after ``plot``      figure_ : the figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.plots import ScatterMatrixDisplay
    >>> data = load_iris()
    >>> ScatterMatrixDisplay.from_data(data.data, data.target_names[data.target]).axes_.shape
    (4, 4)
    """

    def __init__(self, X: TableLike, y: Target | None = None, columns: Sequence[str | int] | None = None):
        table = Table.of(X, who="ScatterMatrixDisplay")
        numeric = [j for j, column in enumerate(table.schema) if column.kind != "nominal"]
        chosen = numeric if columns is None else [self._place(table, column) for column in columns]
        if not 1 <= len(chosen) <= MOST_COLUMNS:
            raise ParameterError(
                f"ScatterMatrixDisplay: draws 1 to {MOST_COLUMNS} numeric columns, got {len(chosen)}. Choose some: "
                "columns=[...]."
            )
        block = table.values.toarray() if hasattr(table.values, "tocsr") else table.values
        self.values = np.asarray(block, dtype=np.float64)[:, chosen]
        self.names = [table.schema.names[j] for j in chosen]
        self.y = None if y is None else np.asarray(y)
        if self.y is not None and self.y.shape != (len(self.values),):
            raise DataError(
                f"ScatterMatrixDisplay: {len(self.values)} rows need as many classes, got {self.y.shape}."
            )

    @staticmethod
    def _place(table: Table, column: Any) -> int:
        if isinstance(column, (int, np.integer)) and 0 <= column < len(table.schema):
            return int(column)
        if column in table.schema.names:
            return table.schema.names.index(column)
        raise ParameterError(f"ScatterMatrixDisplay: there is no column {column!r}.")

    @classmethod
    def from_data(
        cls,
        X: TableLike,
        y: Target | None = None,
        *,
        columns: Sequence[str | int] | None = None,
        **options: Any,
    ) -> ScatterMatrixDisplay:
        """Draw the columns of a table."""
        return cls(X, y, columns).plot(**options)

    def plot(self, *, size: float = 8.0, bins: int = 15) -> ScatterMatrixDisplay:
        """Draw the matrix in a new figure.

        Parameters
        ----------
        size : float, default 8
            Area of a point.
        bins : int, default 15
            Of the histograms.
        """
        d = len(self.names)
        whole = axes_for(None, (INCHES * max(d, 2) + 0.8, INCHES * max(d, 2)))
        self.figure_ = whole.figure
        whole.remove()
        self.axes_ = self.figure_.subplots(d, d, squeeze=False, sharex="col")
        everything = ("", np.ones(len(self.values), dtype=bool), class_colour(0))
        groups = [everything] if self.y is None else classes_with_rows(self.y)
        for i in range(d):
            for j in range(d):
                for _, rows, colour in groups:
                    self._panel(self.axes_[i, j], self.values[rows], i, j, colour, size, bins)
                self._dress(self.axes_[i, j], i, j)
        if self.y is not None:
            handles = [
                self.axes_[0, 0].plot([], [], "o", ms=5, color=colour, label=legend_name(label))[0]
                for label, _, colour in groups
            ]
            self.figure_.legend(handles=handles, loc="outside right upper", frameon=False)
        return self

    def _panel(self, ax: Any, rows: np.ndarray, i: int, j: int, colour: str, size: float, bins: int) -> None:
        if i != j:
            ax.scatter(rows[:, j], rows[:, i], s=size, color=colour, alpha=0.6, lw=0)
            return
        known = rows[~np.isnan(rows[:, i]), i]
        column = self.values[~np.isnan(self.values[:, i]), i]
        ends = (column.min(), column.max()) if len(column) else (0.0, 0.0)
        ax.hist(known, bins=bins, range=ends if ends[0] < ends[1] else None, color=colour, alpha=0.55)

    def _dress(self, ax: Any, i: int, j: int) -> None:
        ax.tick_params(labelsize=6)
        if i < len(self.names) - 1:
            ax.tick_params(labelbottom=False)
        else:
            ax.set_xlabel(legend_name(self.names[j], 18), fontsize=7)
        if j == 0:
            ax.set_ylabel(legend_name(self.names[i], 18), fontsize=7)
        if j > 0 or i == 0:
            ax.tick_params(labelleft=False)
