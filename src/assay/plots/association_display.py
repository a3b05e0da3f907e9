"""Association rules: support against confidence, or a matrix of antecedents and consequents."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.words import one_line
from assay.errors import DataError, ParameterError
from assay.plots.canvas import amounts, axes_for
from assay.types import Axes

__all__ = ["AssociationDisplay"]


class AssociationDisplay:
    """A dot for each rule: support, confidence, and by its colour another measure.

    Parameters
    ----------
    rules : AssociationRules
    kind : "scatter" or "matrix"
        "scatter" draws a dot for each rule at support and confidence; the dotted line is support = confidence, which
        no rule can cross. "matrix" draws left sides against right sides: the size of a dot is the support.
    measure : str
        Shown by the colour; default lift.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    labelled_ : numbers of the rules whose names are written, for "scatter"
    rows_, columns_ : the sides that are shown, for "matrix"

    Examples
    --------
    >>> from assay.associations import Baskets, association_rules, frequent_sets
    >>> from assay.plots import AssociationDisplay
    >>> baskets = Baskets.from_lists([["beer", "chips"]] * 7 + [["beer"]] * 3 + [["tea"]] * 5)
    >>> display = AssociationDisplay.from_rules(association_rules(frequent_sets(baskets, 2), 0.5))
    >>> display.ax_.get_xlabel(), display.ax_.get_ylabel()
    ('support', 'confidence')
    """

    def __init__(self, rules: Any, *, kind: str = "scatter", measure: str = "lift"):
        if kind not in ("scatter", "matrix"):
            raise ParameterError(f"AssociationDisplay: kind must be 'scatter' or 'matrix', got {kind!r}.")
        self.rules, self.kind, self.measure = rules, kind, measure

    @classmethod
    def from_rules(
        cls,
        rules: Any,
        *,
        kind: str = "scatter",
        measure: str = "lift",
        ax: Axes | None = None,
        **options: Any,
    ) -> AssociationDisplay:
        """Draw association rules; options are those of ``plot``."""
        return cls(rules, kind=kind, measure=measure).plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, label: int = 5, max_sides: int = 15) -> AssociationDisplay:
        """Draw the rules.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        label : int
            How many rules, those of the highest measure, are named in the scatter.
        max_sides : int
            How many left and right sides the matrix shows at most: those of the rules of the highest measure.
        """
        if not len(self.rules):
            raise DataError("AssociationDisplay: there are no rules to draw.")
        (self._scatter if self.kind == "scatter" else self._matrix)(ax, label, max_sides)
        self.figure_ = self.ax_.figure
        return self

    def _colours(self, values: np.ndarray) -> np.ndarray:
        """The measure, an infinite one as the greatest finite one."""
        finite = values[np.isfinite(values)]
        return np.minimum(values, finite.max() if len(finite) else 1.0)

    def _scatter(self, ax: Any, label: int, max_sides: int) -> None:
        rules, values = self.rules, self.rules.measure(self.measure)
        self.ax_ = ax = axes_for(ax, (6.4, 4.4))
        order = np.argsort(values, kind="stable")  # the strongest on top
        dots = ax.scatter(
            rules.support[order],
            rules.confidence[order],
            c=self._colours(values[order]),
            cmap=amounts(),
            s=28,
            edgecolors="#15202b",
            linewidths=0.3,
        )
        ax.figure.colorbar(dots, ax=ax, label=self.measure.replace("_", " "))
        right = 1.08 * float(rules.support.max())
        ax.plot([0, min(right, 1.05)], [0, min(right, 1.05)], ":", color="#5f6975", lw=1)
        low = float(rules.confidence.min())
        ax.set(xlabel="support", ylabel="confidence", xlim=(0, right), ylim=(max(low - 0.08, -0.02), 1.05))
        self.labelled_ = np.argsort(-values, kind="stable")[:label]
        _write(
            ax, [(rules.support[i], rules.confidence[i], one_line(rules[int(i)], 44)) for i in self.labelled_]
        )
        ax.spines[["top", "right"]].set_visible(False)

    def _matrix(self, ax: Any, label: int, max_sides: int) -> None:
        rules, values = self.rules, self.rules.measure(self.measure)
        order = np.argsort(-values, kind="stable")
        self.rows_: list[tuple[Any, ...]] = []
        self.columns_: list[tuple[Any, ...]] = []
        selected = []
        for i in order.tolist():  # a rule is shown if there is room for both of its sides
            left, right = rules.sides(i)
            new = left not in self.rows_, right not in self.columns_
            if (new[0] and len(self.rows_) == max_sides) or (new[1] and len(self.columns_) == max_sides):
                continue
            self.rows_ += [left] * new[0]
            self.columns_ += [right] * new[1]
            selected.append((self.columns_.index(right), self.rows_.index(left), i))
        x, y, which = (np.array(column) for column in zip(*selected))
        self.ax_ = ax = axes_for(ax, (2.8 + 0.45 * len(self.columns_), 1.8 + 0.32 * len(self.rows_)))
        size = 20 + 200 * rules.support[which] / rules.support.max()
        dots = ax.scatter(
            x, y, s=size, c=self._colours(values[which]), cmap=amounts(), edgecolors="#15202b", linewidths=0.3
        )
        ax.figure.colorbar(dots, ax=ax, label=self.measure.replace("_", " "))
        ax.set_xticks(
            range(len(self.columns_)), [_side(names) for names in self.columns_], rotation=40, ha="right"
        )
        ax.set_yticks(range(len(self.rows_)), [_side(names) for names in self.rows_])
        ax.set(xlabel="THEN also", ylabel="IF the basket has")
        ax.set_xlim(-0.6, len(self.columns_) - 0.4)
        ax.set_ylim(len(self.rows_) - 0.4, -0.6)
        ax.grid(color="#d5dae0", lw=0.5)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)


def _side(names: tuple[Any, ...]) -> str:
    return one_line(", ".join(map(str, names)), 28)


def _write(ax: Any, labels: list[tuple[float, float, str]]) -> None:
    """Names beside their dots: to the left in the right half, and apart from each other in height."""
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2.5, foreground="white")]
    low, high = ax.get_ylim()
    middle, step = sum(ax.get_xlim()) / 2, 0.055 * (high - low)
    for side in (False, True):
        entries = sorted(
            (entry for entry in labels if (entry[0] > middle) == side), key=lambda entry: -entry[1]
        )
        last = np.inf
        for x, y, name in entries:
            at = min(y, last - step)
            last = at
            gap = 0.02 * (ax.get_xlim()[1] - ax.get_xlim()[0])
            look: dict[str, Any] = {
                "path_effects": halo,
                "fontsize": 8,
                "va": "center",
                "ha": "right" if side else "left",
            }
            if at != y:
                look["arrowprops"] = {
                    "arrowstyle": "-",
                    "lw": 0.4,
                    "color": "#5f6975",
                    "shrinkA": 0,
                    "shrinkB": 2,
                }
            ax.annotate(name, (x, y), (x - gap if side else x + gap, at), **look)
