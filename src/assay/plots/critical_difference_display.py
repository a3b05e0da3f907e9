"""Average ranks over data sets, and which of them differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError, ParameterError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, PALE, draw_literally, legend_name
from assay.plots.rank_layout import NamePlace, RankLayout
from assay.types import Axes, TableLike

if TYPE_CHECKING:
    from assay.experiments.study import Study
    from assay.stats.significance.post_hoc_result import PostHoc

__all__ = ["CriticalDifferenceDisplay"]


class CriticalDifferenceDisplay:
    """Learners on an axis of average ranks, 1 (best) at the left; bars join those that do not differ.

    After Demsar (2006). With a control learner a band of one critical difference around its rank takes the
    place of the bars: learners outside it differ from the control.

    Parameters
    ----------
    names : (k,) learners
    ranks : (k,) average ranks
    groups : list of tuples of indices
        Learners that do not differ from each other; each group is drawn as a bar.
    cd : float
        The critical difference, drawn as a ruler; None for none.
    control : index of the learner that the others are compared with, or None
    title : str

    Attributes
    ----------
    order_ : (k,) learners from the best rank to the worst
    bars_ : list of (left, right) ends of the bars that were drawn
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import CriticalDifferenceDisplay
    >>> scores = [[0.80, 0.85, 0.82], [0.70, 0.76, 0.74], [0.91, 0.90, 0.93], [0.65, 0.72, 0.70], [0.88, 0.92, 0.89]]
    >>> display = CriticalDifferenceDisplay.from_scores(scores, ["tree", "forest", "bayes"])
    >>> display.ranks.round(4).tolist(), round(display.cd, 4), display.bars_
    ([2.8, 1.4, 1.8], 1.4823, [(1.4, 2.8)])
    """

    def __init__(
        self,
        names: Sequence[str],
        ranks: ArrayLike,
        groups: Sequence[Sequence[int]] = (),
        *,
        cd: float | None = None,
        control: int | None = None,
        title: str = "",
    ):
        self.names = [str(name) for name in names]
        self.ranks = np.asarray(ranks, dtype=np.float64)
        self.groups = [tuple(int(j) for j in group) for group in groups]
        self.cd, self.control, self.title = cd, control, title
        k = len(self.names)
        if k < 2:
            raise DataError(f"CriticalDifferenceDisplay: ranks compare at least 2 learners, got {k}.")
        if self.ranks.shape != (k,):
            raise DataError(
                f"CriticalDifferenceDisplay: {k} names for ranks of shape {self.ranks.shape}; expected ({k},)."
            )
        if not np.isfinite(self.ranks).all() or self.ranks.min() < 0.99 or self.ranks.max() > k + 0.01:
            raise DataError(
                f"CriticalDifferenceDisplay: average ranks of {k} learners lie from 1 to {k}, got "
                f"{self.ranks.min():g} to {self.ranks.max():g}."
            )
        if control is not None and not 0 <= control < k:
            raise ParameterError(
                f"CriticalDifferenceDisplay: control must be a number from 0 to {k - 1}, got {control}."
            )

    @classmethod
    def from_scores(
        cls,
        table: TableLike,
        names: Sequence[str] | None = None,
        *,
        better: str = "higher",
        control: int | str | None = None,
        alpha: float = 0.05,
        ax: Axes | None = None,
        **options: Any,
    ) -> CriticalDifferenceDisplay:
        """Rank learners on each data set, compare their average ranks, and draw them.

        Parameters
        ----------
        table : (N, k) a row per data set and a column per learner: array, data frame, or dict of columns
        names : (k,) learners
        better : "higher" or "lower" values
        control : name or number of a learner; with one, Bonferroni-Dunn's test against it, else Nemenyi's
        alpha : float
        options : as in ``plot``
        """
        from assay.stats.significance.friedman import friedman
        from assay.stats.significance.rank_post_hoc import bonferroni_dunn

        result = friedman(table, better=better, names=names, alpha=alpha)
        pairs = result.nemenyi if control is None else bonferroni_dunn(result, control)
        return cls.from_post_hoc(pairs, ax=ax, **options)

    @classmethod
    def from_ranks(
        cls,
        average_ranks: ArrayLike,
        datasets: int,
        names: Sequence[str] | None = None,
        *,
        control: int | str | None = None,
        alpha: float = 0.05,
        ax: Axes | None = None,
        **options: Any,
    ) -> CriticalDifferenceDisplay:
        """Compare average ranks over so many data sets, as publications print them, and draw them."""
        from assay.stats.significance.friedman import friedman_from_ranks
        from assay.stats.significance.rank_post_hoc import bonferroni_dunn

        result = friedman_from_ranks(average_ranks, datasets, names=names, alpha=alpha)
        pairs = result.nemenyi if control is None else bonferroni_dunn(result, control)
        return cls.from_post_hoc(pairs, ax=ax, **options)

    @classmethod
    def from_study(
        cls,
        study: Study,
        metric: str | None = None,
        *,
        control: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> CriticalDifferenceDisplay:
        """Draw what an experiment over several data sets concludes about more than two learners."""
        conclusion = study.conclusion(metric, control=control)
        if conclusion.pairs is None or conclusion.friedman is None:
            raise DataError(
                "CriticalDifferenceDisplay: the study compares no average ranks; that takes three learners or "
                "more on two data sets or more."
            )
        return cls.from_post_hoc(conclusion.pairs, ax=ax, **options)

    @classmethod
    def from_post_hoc(
        cls, pairs: PostHoc, *, ax: Axes | None = None, **options: Any
    ) -> CriticalDifferenceDisplay:
        """Draw comparisons of average ranks, such as those of ``nemenyi`` or ``compare_ranks``."""
        cd = None if np.isnan(pairs.critical) else pairs.critical
        against = "" if pairs.control is None else f" against {legend_name(pairs.names[pairs.control], 24)}"
        title = f"{pairs.method}{against}, level {pairs.alpha:g}"
        groups = pairs.groups if pairs.control is None or cd is None else []  # the band shows it
        display = cls(pairs.names, pairs.centre, groups, cd=cd, control=pairs.control, title=title)
        return display.plot(ax, **options)

    def plot(self, ax: Any = None, *, width: float | None = None) -> CriticalDifferenceDisplay:
        """Draw the axis, the bars and the names: the better half at the left, the others at the right.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        width : inches of a new figure; default as the names and ranks need
        """
        k = len(self.names)
        layout = RankLayout.of(self.ranks, self.groups, self.cd)
        self.order_ = np.array([place.learner for place in layout.names])
        first = 0.55 + 0.32 * layout.lanes  # below the axis and the bars
        bottom = first + 0.42 * layout.rows
        letters = max(min(len(name), 24) for name in self.names) + 6
        names = 0.08 * letters  # inches beside the axis, at either end
        width = width or 2 * names + min(max(3.4, 0.3 * k), 9.0)
        self.ax_ = ax = axes_for(ax, (width, 0.95 + 0.62 * bottom))
        self.figure_ = ax.figure
        across = ax.get_position().width * ax.figure.get_figwidth()
        side = (k - 1) * names / max(across - 2 * names, 0.4 * across)  # the names' room, in ranks
        ax.set(xlim=(1 - side, k + side), ylim=(bottom, -0.7 if self.cd is None else -1.25))
        ax.axis("off")
        self._draw_axis(ax, layout)
        self.bars_ = [(bar.left, bar.right) for bar in layout.bars]
        for bar in layout.bars:
            y, over = 0.32 + 0.32 * bar.lane, 0.008 * (k - 1)
            ax.plot(
                [bar.left - over, bar.right + over],
                [y, y],
                color=INK,
                lw=4.5,
                solid_capstyle="butt",
                zorder=3,
            )
        if self.control is not None and self.cd is not None:
            at = self.ranks[self.control]
            ends = (max(at - self.cd, 1), min(at + self.cd, k))
            ax.fill_betweenx([-0.12, bottom], *ends, color=PALE, zorder=0, lw=0)
        for place in layout.names:
            self._draw_name(ax, place, first, k)
        if self.title:
            ax.set_title(self.title, color=INK, size=11)
        draw_literally(ax)
        return self

    def _draw_axis(self, ax: Any, layout: RankLayout) -> None:
        ax.plot([1, layout.last], [0, 0], color=INK, lw=1.2)
        for tick in layout.ticks:
            ax.plot([tick, tick], [0, -0.14], color=INK, lw=1.2)
            ax.text(tick, -0.22, str(tick), ha="center", va="bottom", color=INK, size=10)
        if layout.critical is not None:
            end, fits = layout.critical
            ax.plot([1, end], [-0.85, -0.85], color=FAINT, lw=1.4)
            for x in (1, end) if fits else (1,):  # an open end: wider than the axis
                ax.plot([x, x], [-0.93, -0.77], color=FAINT, lw=1.4)
            word = f"critical difference {self.cd:.3g}"
            ax.text(1, -0.97, word, ha="left", va="bottom", color=FAINT, size=9)

    def _draw_name(self, ax: Any, place: NamePlace, first: float, k: int) -> None:
        """An elbow from the rank down and outwards to the name."""
        j, left, row = place
        y = first + 0.42 * row
        edge = 1 - 0.04 * (k - 1) if left else k + 0.04 * (k - 1)
        mine = j == self.control
        colour = class_colour(5) if mine else class_colour(0)
        ax.plot([self.ranks[j], self.ranks[j], edge], [0, y, y], color=colour, lw=1.1, zorder=2)
        ax.plot([self.ranks[j]], [0], "o", color=colour, ms=4.5, zorder=4)
        word = f"{legend_name(self.names[j], 24)}  {self.ranks[j]:.2f}"
        if not left:
            word = f"{self.ranks[j]:.2f}  {legend_name(self.names[j], 24)}"
        pad = -0.02 * (k - 1) if left else 0.02 * (k - 1)
        ax.text(edge + pad, y, word, ha="right" if left else "left", va="center", color=INK,
                size=10, weight="bold" if mine else "normal")  # fmt: skip
