"""Rows in the order of their scores, coloured by what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.metrics.ranks import ranked
from assay.plots._checks import both_classes, score_of
from assay.plots.canvas import axes_for
from assay.plots.looks import INK, draw_literally, legend_name
from assay.plots.of_comparison import scored
from assay.types import Axes, Estimator, Label, Scores, TableLike, Target

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["RankStripDisplay"]

TILES = 800


class RankStripDisplay:
    """One strip per ranking: the row with the highest score first, positives and negatives in two colours.

    The ideal ranking has all positives before all negatives; a cut anywhere turns a ranking into answers.
    Rows of equal score stand in the order in which they came, and are counted at the strip. Of more than 800
    rows, neighbours share a tile in a mixed colour.

    Parameters
    ----------
    strips : dict of name to (n,) bool
        Whether each row is positive, from the highest score to the lowest.
    tied : dict of name to int
        How many rows share their score with another.
    pos_label : label of the positives

    Attributes
    ----------
    images_ : list of drawn strips, top to bottom
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import RankStripDisplay
    >>> display = RankStripDisplay.from_predictions([0, 1, 1, 0], [0.7, 0.2, 0.9, 0.1])
    >>> {name: strip.tolist() for name, strip in display.strips.items()}
    {'ideal': [True, True, False, False], 'Classifier': [True, False, True, False]}
    """

    def __init__(
        self,
        strips: Mapping[str, Any],
        *,
        tied: Mapping[str, int] | None = None,
        pos_label: Label | None = None,
    ):
        self.strips = {str(name): np.asarray(strip, dtype=bool) for name, strip in strips.items()}
        self.tied, self.pos_label = dict(tied or {}), pos_label
        if not self.strips or any(strip.ndim != 1 or not len(strip) for strip in self.strips.values()):
            raise DataError("RankStripDisplay: there are no rows to draw.")

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        y: Target,
        *,
        pos_label: Label | None = None,
        name: str | None = None,
        **options: Any,
    ) -> RankStripDisplay:
        """Draw the rows of X, whose true classes are y, as a fitted classifier of two classes ranks them."""
        pos_label, score = score_of(estimator, X, pos_label, "RankStripDisplay")
        name = name or type(estimator).__name__
        return cls.from_predictions(y, score, pos_label=pos_label, name=name, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Target,
        y_score: Scores,
        *,
        pos_label: Label | None = None,
        name: str | None = None,
        ideal: bool = True,
        ax: Axes | None = None,
        **options: Any,
    ) -> RankStripDisplay:
        """Rank rows by their scores and draw them.

        Parameters
        ----------
        y_true : (n,) labels of two classes
        y_score : (n,) the higher, the more likely positive; or dict of name to such scores
        pos_label : label of the positives; default 1, or the later of two labels
        name : str
        ideal : bool
            Whether the best possible ranking is drawn above.
        options : as in ``plot``
        """
        both_classes(y_true, "RankStripDisplay")
        labels = np.asarray(y_true)
        pos_label = np.unique(labels)[-1] if pos_label is None else pos_label
        truth = labels == pos_label
        if not truth.any():
            raise DataError(f"RankStripDisplay: no row is of class {pos_label!r}.")
        scores = y_score if isinstance(y_score, Mapping) else {name or "Classifier": y_score}
        ranked = {str(who): ranked_truth(truth, score, str(who)) for who, score in scores.items()}
        strips = {"ideal": np.sort(truth)[::-1]} if ideal else {}
        strips |= {who: strip for who, (strip, _) in ranked.items()}
        tied = {who: count for who, (_, count) in ranked.items()}
        return cls(strips, tied=tied, pos_label=pos_label).plot(ax, **options)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        learners: Sequence[str] | str | None = None,
        *,
        positive: Label | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> RankStripDisplay:
        """Draw a strip per learner, of the rows that it had not seen.

        Parameters
        ----------
        comparison : result of ``compare``
        learners : names; default all with probabilities, best first
        positive : label, needed for more than two classes
        options : as in ``plot``
        """
        label, rows = scored(comparison, learners, positive, "RankStripDisplay")
        ranked = {row.learner: ranked_truth(row.truth, row.score, row.learner) for row in rows}
        strips = {"ideal": np.sort(rows[0].truth)[::-1]} | {who: strip for who, (strip, _) in ranked.items()}
        tied = {who: count for who, (_, count) in ranked.items()}
        return cls(strips, tied=tied, pos_label=label).plot(ax, **options)

    def plot(self, ax: Any = None) -> RankStripDisplay:
        """Draw the strips.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        m, n = len(self.strips), max(len(strip) for strip in self.strips.values())
        self.ax_ = ax = axes_for(ax, (7.5, 0.6 * m + 1.2))
        from matplotlib.colors import LinearSegmentedColormap
        from matplotlib.patches import Patch

        self.figure_ = ax.figure
        colours = LinearSegmentedColormap.from_list("two", [class_colour(1), class_colour(0)])
        self.images_ = []
        for place, strip in enumerate(self.strips.values()):
            extent = (0.5, len(strip) + 0.5, place + 0.36, place - 0.36)
            look = {"cmap": colours, "vmin": 0, "vmax": 1, "aspect": "auto", "interpolation": "nearest"}
            self.images_.append(ax.imshow(_shares(strip)[None, :], extent=extent, **look))
            if len(strip) <= 120:  # each row a tile
                edges = np.arange(0.5, len(strip) + 1)
                ax.vlines(edges, place - 0.36, place + 0.36, color="white", lw=1.2 if n <= 60 else 0.5)
        ax.set(xlim=(0.5, n + 0.5), ylim=(m - 0.5, -0.5), xlabel="rank by score, highest first")
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_yticks(range(m), [self._word(name) for name in self.strips])
        ax.tick_params(axis="y", length=0)
        ax.spines[:].set_visible(False)
        what = "" if self.pos_label is None else f" ({legend_name(self.pos_label, 24)})"
        faces = [Patch(color=class_colour(0)), Patch(color=class_colour(1))]
        ax.legend(faces, [f"positive{what}", "negative"], frameon=False, ncols=2, labelcolor=INK,
                  loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1)  # fmt: skip
        draw_literally(ax)
        return self

    def _word(self, name: str) -> str:
        tied = self.tied.get(name, 0)
        return legend_name(name, 28) + (f"\n({tied} rows tied)" if tied else "")


def ranked_truth(truth: np.ndarray, score: Scores, who: str) -> tuple[np.ndarray, int]:
    """Truth from the highest score to the lowest, and how many rows share their score.

    >>> import numpy as np
    >>> from assay.plots.rank_strip_display import ranked_truth
    >>> ranked_truth(np.array([True, False, True]), [0.5, 0.5, 0.9], "tree")
    (array([ True,  True, False]), 2)
    """
    s = np.asarray(score, dtype=np.float64)
    if s.shape != truth.shape:
        raise DataError(f"RankStripDisplay: {who} has scores of shape {s.shape} for {len(truth)} rows.")
    if np.isnan(s).any():
        raise DataError(f"RankStripDisplay: {who} has NaN for {int(np.isnan(s).sum())} scores.")
    _, counts = np.unique(s, return_counts=True)
    return ranked(truth, s, pos_label=True).positive, int(counts[counts > 1].sum())


def _shares(strip: np.ndarray) -> np.ndarray:
    """(m,) the share of positives in each tile: a row, or neighbours where there are more rows than a page shows."""
    n = len(strip)
    if n <= TILES:
        return strip.astype(np.float64)
    starts = np.arange(TILES) * n // TILES
    return np.add.reduceat(strip.astype(np.float64), starts) / np.diff(np.append(starts, n))
