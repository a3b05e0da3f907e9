"""How much learners differ from one of them, split by split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.plots._interval_rows import draw_interval_rows
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, PALE, draw_literally, legend_name
from assay.plots.of_comparison import chosen_learners
from assay.types import Axes

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["PairedDifferenceDisplay"]


class PairedDifferenceDisplay:
    """Differences on the same splits, with intervals, around a line at zero and a region that does not matter.

    An interval without zero shows a difference; one within the region of practical equivalence shows that none
    matters; any other is inconclusive.

    Parameters
    ----------
    names : (L,) what is compared with the reference
    estimates, lows, highs : (L,) learner minus reference, with its interval; NaN where there is none
    reference : str
    values : list of (J,) differences on the splits, or None
    p : (L,) p-values, or None
    metric : str
    rope : half the width of the region of practical equivalence, or None

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    points_, intervals_ : what was drawn

    Examples
    --------
    >>> from assay import compare
    >>> from assay.plots import PairedDifferenceDisplay
    >>> from assay.tables.data import load_iris
    >>> result = compare(["majority", "lda"], load_iris(), design="5-fold")
    >>> display = PairedDifferenceDisplay.from_comparison(result, rope=0.01)
    >>> display.reference, display.names, display.estimates.round(3)
    ('lda', ['majority'], array([0.647]))
    """

    def __init__(
        self,
        names: Sequence[str],
        estimates: ArrayLike,
        lows: ArrayLike,
        highs: ArrayLike,
        *,
        reference: str = "reference",
        values: Sequence[Any] | None = None,
        p: ArrayLike | None = None,
        metric: str = "error",
        rope: float | None = None,
    ):
        self.names, self.reference, self.metric = [str(name) for name in names], str(reference), metric
        self.estimates, self.lows, self.highs = (
            np.asarray(a, dtype=np.float64) for a in (estimates, lows, highs)
        )
        self.values = None if values is None else [np.asarray(v, dtype=np.float64) for v in values]
        self.p = None if p is None else np.asarray(p, dtype=np.float64)
        self.rope = rope
        L = len(self.names)
        if not L:
            raise DataError("PairedDifferenceDisplay: there is nothing to compare with the reference.")
        for word, numbers in (("estimates", self.estimates), ("lows", self.lows), ("highs", self.highs),
                            ("values", self.values), ("p", self.p)):  # fmt: skip
            if numbers is not None and len(numbers) != L:
                raise DataError(f"PairedDifferenceDisplay: {len(numbers)} {word} for {L} learners.")
        if rope is not None and not (np.isfinite(rope) and rope >= 0):
            raise ParameterError(
                f"PairedDifferenceDisplay: rope must be a number of at least 0, got {rope!r}."
            )

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        against: str | None = None,
        *,
        metric: str | None = None,
        learners: Sequence[str] | str | None = None,
        rope: float | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> PairedDifferenceDisplay:
        """Draw every learner's difference from one of them; p is adjusted as in the comparison.

        Parameters
        ----------
        comparison : result of ``compare``
        against : the learner that is subtracted; default the best
        metric : name; default the first one
        learners : which to draw; default all others, best first
        rope : half the width of the region of practical equivalence
        options : as in ``plot``
        """
        who = "PairedDifferenceDisplay"
        order = [s.learner for s in comparison.ranking(metric) if not s.failure]
        selected = chosen_learners(comparison, learners, who) if learners is not None else order
        if against is None and not order:
            raise DataError(f"{who}: no learner of the comparison finished. See its failures.")
        (against,) = chosen_learners(comparison, against or order[0], who)
        names = [name for name in selected if name != against]
        verdicts = [comparison.test(name, against, metric) for name in names]
        base = comparison.values(against, metric)
        return cls(
            names,
            [v.result.estimate for v in verdicts],
            [v.result.low for v in verdicts],
            [v.result.high for v in verdicts],
            reference=against,
            values=[comparison.values(name, metric) - base for name in names],
            p=[v.adjusted for v in verdicts],
            metric=metric or comparison.metrics[0].name,
            rope=rope,
        ).plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, points: bool = True) -> PairedDifferenceDisplay:
        """Draw the differences from top to bottom.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        points : bool
            Whether the differences on the splits are drawn.
        """
        L = len(self.names)
        self.ax_ = ax = axes_for(ax, (6.6, 0.42 * L + 1.3))
        self.figure_ = ax.figure
        if self.rope:
            ax.axvspan(-self.rope, self.rope, color=PALE, zorder=0, label="does not matter")
        ax.axvline(0, color=FAINT, lw=1.0, zorder=1)
        self.points_, self.intervals_ = draw_interval_rows(
            ax, self.names, self.estimates, self.lows, self.highs, self.values if points else None
        )
        ax.set_xlabel(f"{self.metric}, learner minus {legend_name(self.reference, 32)}")
        if self.p is not None:
            for place, p in enumerate(self.p):
                text = "" if np.isnan(p) else "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
                ax.annotate(text, (1.02, place), xycoords=("axes fraction", "data"), va="center", size=9)
        draw_literally(ax)
        return self
