"""What each column tells of the classes by itself, and beside another column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.core.targets import encode_labels
from assay.core.words import one_line
from assay.errors import DataError, ParameterError
from assay.plots.canvas import pyplot
from assay.plots.looks import draw_literally, legend_name
from assay.tables import Table
from assay.types import TableLike, Target

__all__ = ["FeaturePairsDisplay", "FeatureStripsDisplay"]

MARKERS = "os^Dv<>P*X"


class _OfColumns:
    """Numeric columns of a table, and the classes of its rows."""

    def __init__(self, X: TableLike, y: Target, columns: Sequence[int | str] | None = None):
        who = type(self).__name__
        table = Table.of(X, who=who)
        self.classes, self.codes = encode_labels(y, len(table), who)
        names = table.schema.names
        wanted = [j for j in range(len(names)) if not table.schema[j].coded] if columns is None else columns
        self.places = [_place(c, names, who) for c in wanted]
        coded = [names[j] for j in self.places if table.schema[j].coded]
        if coded or not self.places:
            what = f"{coded[0]!r} holds categories" if coded else "there is no column of numbers"
            raise DataError(f"{who}: {what}. Give numeric columns.")
        values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
        self.values, self.names = values[:, self.places], [names[j] for j in self.places]

    def _scatter(self, ax: Any, x: np.ndarray, y: np.ndarray) -> None:
        for k, label in enumerate(self.classes):
            rows = self.codes == k
            ax.scatter(
                x[rows], y[rows], s=24, marker=MARKERS[k % len(MARKERS)], color=class_colour(k), alpha=0.75, lw=0,
                label=legend_name(label),
            )  # fmt: skip


class FeatureStripsDisplay(_OfColumns):
    """One strip per column: its values along the axis, one line and one mark for each class.

    A column that tells the classes apart by itself has marks of one class in one place.

    Parameters
    ----------
    X : table of any kind      y : (n,) classes      columns : names or numbers, default all numeric ones

    Attributes
    ----------
    axes_, figure_ : matplotlib axes, one a column, and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import FeatureStripsDisplay
    >>> display = FeatureStripsDisplay([[1.0, 5.0], [2.0, 4.0], [8.0, 5.0]], ["a", "a", "b"]).plot()
    >>> display.names, len(display.axes_)
    (['x0', 'x1'], 2)
    """

    def plot(self, figure: Any = None) -> FeatureStripsDisplay:
        """Draw the strips, one below the other, in a new figure or in the one given."""
        plt = pyplot()
        d, K = len(self.names), len(self.classes)
        height = 0.35 + 0.22 * K
        figure = (
            plt.figure(figsize=(6.6, d * height + 0.6), layout="constrained") if figure is None else figure
        )
        self.figure_, self.axes_ = figure, np.atleast_1d(figure.subplots(d, 1))
        for ax, name, column in zip(self.axes_, self.names, self.values.T):
            self._scatter(ax, column, -self.codes.astype(np.float64))
            ax.set(yticks=[], ylim=(-K + 0.4, 0.6))
            ax.set_xlabel(one_line(name, 40), labelpad=1)
            ax.spines[["top", "right", "left"]].set_visible(False)
            draw_literally(ax)
        self.axes_[0].legend(
            loc="lower left", bbox_to_anchor=(0, 1), ncols=min(K, 5), frameon=False, fontsize=8
        )
        return self


class FeaturePairsDisplay(_OfColumns):
    """Scatter plots of one column against each of the others, one mark for each class.

    Parameters
    ----------
    X : table of any kind      y : (n,) classes
    against : the column that all plots share on their vertical axis, by name or number
    columns : those of the horizontal axes, default all other numeric ones

    Attributes
    ----------
    axes_, figure_ : matplotlib axes, one a pair, and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import FeaturePairsDisplay
    >>> X = [[1.0, 5.0, 0.0], [2.0, 4.0, 1.0], [8.0, 5.0, 0.0]]
    >>> display = FeaturePairsDisplay(X, ["a", "a", "b"], against="x2").plot()
    >>> display.names, display.against
    (['x0', 'x1'], 'x2')
    """

    def __init__(
        self, X: TableLike, y: Target, against: int | str, columns: Sequence[int | str] | None = None
    ):
        super().__init__(X, y, None if columns is None else [*columns, against])
        names = Table.of(X, who=type(self).__name__).schema.names
        shared = self.places.index(_place(against, names, type(self).__name__))
        self.against, self.shared = self.names[shared], self.values[:, shared]
        others = [i for i in range(len(self.names)) if i != shared]
        if not others:
            raise DataError(f"{type(self).__name__}: there is no column beside {self.against!r}.")
        self.names, self.values = [self.names[i] for i in others], self.values[:, others]

    def plot(self, figure: Any = None, *, max_across: int = 3) -> FeaturePairsDisplay:
        """Draw the pairs, ``max_across`` of them in a row, in a new figure or in the one given."""
        plt = pyplot()
        d = len(self.names)
        across = min(d, max_across)
        down = -(-d // across)
        figure = (
            plt.figure(figsize=(3.3 * across, 3.0 * down), layout="constrained") if figure is None else figure
        )
        grid = np.atleast_1d(figure.subplots(down, across, sharey=True)).ravel()
        for ax in grid[d:]:
            ax.set_visible(False)
        self.figure_, self.axes_ = figure, grid[:d]
        for i, (ax, name) in enumerate(zip(self.axes_, self.names)):
            self._scatter(ax, self.values[:, i], self.shared)
            ax.set_xlabel(one_line(name, 32))
            if i % across == 0:
                ax.set_ylabel(one_line(self.against, 32))
            ax.spines[["top", "right"]].set_visible(False)
            draw_literally(ax)
        self.axes_[0].legend(fontsize=8, frameon=False)
        return self


def _place(column: Any, names: list[str], who: str) -> int:
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, (int, np.integer)) and 0 <= column < len(names):
        return int(column)
    raise ParameterError(f"there is no column {column!r}. Columns: {', '.join(names[:30])}.", who=who)
