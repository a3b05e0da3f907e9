"""How the answers of a model move with a column, or with two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.palette import class_colour
from assay.errors import DataError, ParameterError
from assay.plots.canvas import amounts, axes_for
from assay.plots.looks import FAINT, bare, curve_legend, draw_literally, legend_name, line_look, short_labels
from assay.types import Axes, Estimator, TableLike

if TYPE_CHECKING:
    from assay.evaluate.dependence import PartialDependence

__all__ = ["PartialDependenceDisplay"]

MOST_CURVES = 200  # of single rows in one picture


class PartialDependenceDisplay:
    """The mean answer along a column with its interval, a line per class; bars for categories, a map for two columns.

    With ``kind="both"`` thin lines show single rows: where they are not parallel, the column acts together with others.
    The marks at the foot are deciles of the column, in accumulated effects the ends of the intervals: where they are
    far apart, few rows stand behind the line.

    Parameters
    ----------
    dependence : :class:`assay.evaluate.PartialDependence`
    marks : values of the column at the foot of the picture, or None

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    lines_ : what was drawn for each answer

    Examples
    --------
    >>> from assay.bayes import GaussianNB
    >>> from assay.plots import PartialDependenceDisplay
    >>> from assay.tables.data import load_iris
    >>> X, y = load_iris()
    >>> model = GaussianNB().fit(X, y)
    >>> display = PartialDependenceDisplay.from_estimator(model, X, "petal width (cm)", kind="accumulated")
    >>> [line.get_label() for line in display.lines_]
    ['setosa', 'versicolor', 'virginica']
    """

    def __init__(self, dependence: PartialDependence, marks: Sequence[float] | None = None):
        self.dependence, self.marks = dependence, marks

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        features: int | str | Sequence[int | str],
        *,
        target: Any = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> PartialDependenceDisplay:
        """Compute and draw.

        Parameters
        ----------
        estimator, X, features, options : as in :func:`assay.evaluate.partial_dependence`
        target : the one class that is drawn; needed for two columns where there are more than two classes
        ax : matplotlib axes, default None for a new figure
        """
        from assay.evaluate import partial_dependence
        from assay.tables import Table

        dependence = partial_dependence(estimator, X, features, **options)
        marks = None
        if (
            dependence.kind != "accumulated"
            and len(dependence.names) == 1
            and _is_number(dependence.grid_values[0])
        ):
            table = Table.of(X)
            column = table.values[:, [table.schema.index(dependence.names[0])]]
            values = np.asarray(
                column.toarray() if hasattr(column, "toarray") else column, np.float64
            ).ravel()
            marks = np.quantile(values[np.isfinite(values)], np.linspace(0.1, 0.9, 9)).tolist()
        return cls(dependence, marks).plot(ax, target=target)

    def plot(self, ax: Axes | None = None, *, target: Any = None) -> PartialDependenceDisplay:
        """Draw curves, bars or a map.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        target : the one class that is drawn, default all
        """
        dependence = self.dependence
        drawn = self._answers(target)
        self.ax_ = ax = axes_for(ax, (5.6, 3.8))
        self.figure_ = ax.figure
        self.lines_: list[Any] = []
        if len(dependence.names) == 2:
            self._draw_map(ax, drawn[0])
        elif _is_number(dependence.grid_values[0]):
            self._draw_curves(ax, drawn)
        else:
            self._draw_bars(ax, drawn)
        bare(ax)
        draw_literally(ax)
        return self

    def _answers(self, target: Any) -> list[int]:
        """Which of the answers are drawn."""
        dependence = self.dependence
        if target is not None:
            chosen = [k for k, answer in enumerate(dependence.answers) if _class_of(answer) == str(target)]
            if not chosen:
                classes = ", ".join(map(_class_of, dependence.answers))
                raise ParameterError(
                    f"PartialDependenceDisplay: target must be one of {classes}, got {target!r}."
                )
            return chosen
        if len(dependence.names) == 2 and len(dependence.answers) > 1:
            raise ParameterError("PartialDependenceDisplay: a map shows one class. Name it: target=...")
        return list(range(len(dependence.answers)))

    def _draw_curves(self, ax: Any, drawn: list[int]) -> None:
        dependence = self.dependence
        x = dependence.grid_values[0]
        for k in drawn:
            look = line_look(k)
            if dependence.individual is not None:
                rows = np.linspace(0, len(dependence.individual[k]) - 1, MOST_CURVES).astype(int)
                shown = dependence.individual[k][np.unique(rows)]
                ax.plot(x, shown.T, color=look.get("color", class_colour(k)), lw=0.5, alpha=0.25)
            if dependence.kind != "individual":
                self.lines_ += ax.plot(x, dependence.average[k], label=self._name(k), **look)
                ax.fill_between(
                    x, dependence.low[k], dependence.high[k], color=class_colour(k), alpha=0.18, lw=0
                )
        marks = x if dependence.kind == "accumulated" else self.marks
        if marks is not None:
            ends = ax.get_xaxis_transform()
            ax.vlines(marks, 0.0, 0.03, transform=ends, color=FAINT, lw=0.8)
        ax.set(xlabel=legend_name(dependence.names[0]), ylabel=self._scale(drawn))
        if len(self.lines_) > 1:
            curve_legend(ax, "best")

    def _draw_bars(self, ax: Any, drawn: list[int]) -> None:
        dependence = self.dependence
        labels = [legend_name(label, 24) for label in dependence.grid_values[0]]
        width = 0.8 / len(drawn)
        for i, k in enumerate(drawn):
            at = np.arange(len(labels)) + (i - (len(drawn) - 1) / 2) * width
            below, above = (
                dependence.average[k] - dependence.low[k],
                dependence.high[k] - dependence.average[k],
            )
            bars = ax.bar(at, dependence.average[k], width * 0.92, color=class_colour(k), label=self._name(k))
            ax.errorbar(at, dependence.average[k], [below, above], fmt="none", ecolor=FAINT, lw=1)
            self.lines_.append(bars)
        ax.set_xticks(range(len(labels)), labels)
        short_labels(ax)
        ax.set(xlabel=legend_name(dependence.names[0]), ylabel=self._scale(drawn))
        if len(drawn) > 1:
            curve_legend(ax, "best")

    def _draw_map(self, ax: Any, k: int) -> None:
        dependence = self.dependence
        if not all(map(_is_number, dependence.grid_values)):
            raise DataError(
                "PartialDependenceDisplay: a map needs two columns of numbers. Draw a category by itself."
            )
        x, y = dependence.grid_values
        drawn = ax.contourf(x, y, dependence.average[k].T, levels=12, cmap=amounts())
        self.lines_.append(drawn)
        ax.figure.colorbar(drawn, ax=ax, label=self._scale([k]))
        ax.set(xlabel=legend_name(dependence.names[0]), ylabel=legend_name(dependence.names[1]))

    def _name(self, k: int) -> str:
        return legend_name(_class_of(self.dependence.answers[k]))

    def _scale(self, drawn: list[int]) -> str:
        """What the height is."""
        dependence = self.dependence
        answer = dependence.answers[drawn[0]]
        if len(drawn) > 1:
            answer = answer.partition(" of ")[0]
        return f"effect on {answer}" if dependence.kind == "accumulated" else f"mean {answer}"


def _class_of(answer: str) -> str:
    """virginica, of "probability of virginica"."""
    return answer.partition(" of ")[2] or answer


def _is_number(values: Any) -> bool:
    return isinstance(values, np.ndarray)
