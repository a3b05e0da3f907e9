"""A picture of how a rule grew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.core.palette import class_colour
from assay.core.words import one_line, shorter
from assay.plots.canvas import axes_for
from assay.rules.covering.rule_growth import Growth, Tried
from assay.tables import Schema
from assay.types import Axes

__all__ = ["RuleGrowthDisplay"]

PAPER, INK, GREY, PALE = "#ffffff", "#15202b", "#5f6975", "#c3c9d0"
BOX_WIDTH, BOX_HEIGHT = 0.92, 0.56  # of a box; boxes stand one apart


class RuleGrowthDisplay:
    """One level for each condition: the chosen one continues, beside those that were tried.

    Each box shows the condition, the rows of the rule's class and of others that it leaves, the measure, and the
    shares of the classes as a bar.

    Parameters
    ----------
    growth : Growth
        One of a learner's ``history_``, or what ``learn_one_rule`` and ``growth_along`` give.
    schema : Schema      classes : labels
    measure : str, default ""
        What the values are called.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    boxes_ : list of (level, words, taken)
        What is drawn, from the empty rule down and from left to right.

    Examples
    --------
    >>> from assay.plots import RuleGrowthDisplay
    >>> from assay.rules import SequentialCoveringClassifier
    >>> from assay.tables.data import load_charity_donors
    >>> charity = load_charity_donors()
    >>> model = SequentialCoveringClassifier(order=["Y"]).fit(charity.X, charity.y)
    >>> RuleGrowthDisplay.from_estimator(model).boxes_
    [(0, 'anything', True), (1, 'Salary > 55500', True), (1, 'Age > 47.5', False)]
    """

    def __init__(self, growth: Growth, schema: Schema, classes: Sequence[Any], measure: str = ""):
        self.growth = growth
        self.schema = schema
        self.classes = list(classes)
        self.measure = measure

    @classmethod
    def from_estimator(
        cls, estimator: Any, rule: int = 0, *, ax: Any = None, **options: Any
    ) -> RuleGrowthDisplay:
        """Draw how one rule of a fitted learner grew; options are those of ``plot``."""
        history = getattr(estimator, "history_", None)
        if not history or not isinstance(history[0], Growth):
            raise TypeError(
                f"RuleGrowthDisplay: {type(estimator).__name__} remembers no growth of rules. "
                "SequentialCoveringClassifier, CN2Classifier and PrismClassifier do, once they have found a rule."
            )
        if not 0 <= rule < len(history):
            raise ValueError(f"RuleGrowthDisplay: there are rules 0 to {len(history) - 1}, got {rule}.")
        name = str(getattr(estimator, "measure", None) or "")
        classes = estimator.classes_.tolist()
        return cls(history[rule], estimator.schema_, classes, name).plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, fontsize: float = 9) -> RuleGrowthDisplay:
        """Draw the growth from the empty rule down.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure that is large enough
        fontsize : float, default 9
        """
        steps = self.growth.steps
        widest = max((len(step.tried) for step in steps), default=1)
        self.ax_ = ax = axes_for(ax, (max(4.0, 2.0 * widest + 0.6), 1.15 * (len(steps) + 1) + 0.3))
        self.figure_ = ax.figure
        self.boxes_: list[tuple[int, str, bool]] = []
        self._font = fontsize
        x = left = right = 0.0
        start = steps[0].counts if steps else self.growth.counts
        self._box(0, x, "anything", start, None, True)
        for level, step in enumerate(steps, 1):
            places = [x + i - (len(step.tried) - 1) / 2 for i in range(len(step.tried))]
            left, right = min([left, *places]), max([right, *places])
            for place, candidate in zip(places, step.tried):
                self._edge(level, x, place, candidate)
            for place, candidate in zip(places, step.tried):
                words = candidate.condition.words(self.schema, missing=False)
                self._box(level, place, words, candidate.counts, candidate.value, candidate.taken)
            x = next((place for place, candidate in zip(places, step.tried) if candidate.taken), x)
        ax.set(xlim=(left - 0.6, right + 0.6), ylim=(-len(steps) - 0.5, 0.5))
        ax.set_title(f"rule for {one_line(self.growth.answer, 40)}", fontsize=fontsize + 1, color=INK)
        ax.axis("off")
        return self

    def _edge(self, level: int, above: float, below: float, candidate: Tried) -> None:
        ends = [above, below], [1 - level - BOX_HEIGHT / 2, -level + BOX_HEIGHT / 2]
        colour = self._colour() if candidate.taken else PALE
        self.ax_.plot(*ends, color=colour, lw=2.4 if candidate.taken else 1.0, zorder=1 + candidate.taken)

    def _box(
        self, level: int, x: float, words: str, counts: tuple[float, ...], value: float | None, taken: bool
    ) -> None:
        from matplotlib.patches import Rectangle

        self.boxes_.append((level, words, taken))
        class_index = self.classes.index(self.growth.answer)
        lines = [
            one_line(words, 26),
            f"{shorter(counts[class_index], 6)} right, {shorter(sum(counts) - counts[class_index], 6)} wrong",
        ]
        if value is not None:
            lines.append(f"{self.measure} {shorter(value, 4)}".strip())
        edge, ink = (self._colour(), INK) if taken else (PALE, GREY)
        shape: dict[str, Any] = {
            "facecolor": PAPER,
            "edgecolor": edge,
            "lw": 2.0 if taken else 1.0,
            "zorder": 3,
        }
        self.ax_.add_patch(
            Rectangle((x - BOX_WIDTH / 2, -level - BOX_HEIGHT / 2), BOX_WIDTH, BOX_HEIGHT, **shape)
        )
        self.ax_.text(
            x, -level + 0.05, "\n".join(lines), ha="center", va="center", fontsize=self._font, color=ink,
            linespacing=1.2, zorder=4,
        )  # fmt: skip
        at, total = x - BOX_WIDTH / 2 + 0.08, sum(counts)
        for k, count in enumerate(counts):
            wide = (BOX_WIDTH - 0.16) * count / total if total else 0.0
            bar = Rectangle(
                (at, -level - BOX_HEIGHT / 2 + 0.05), wide, 0.05, facecolor=class_colour(k), lw=0, zorder=4
            )
            self.ax_.add_patch(bar)
            at += wide

    def _colour(self) -> str:
        return class_colour(self.classes.index(self.growth.answer))
