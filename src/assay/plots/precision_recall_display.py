"""Precision against recall, over all thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sklearn.metrics import PrecisionRecallDisplay as Peer

from assay.plots._checks import both_classes
from assay.plots.looks import coloured_axes, draw_literally, legend_name, line_look
from assay.plots.of_comparison import scored

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["PrecisionRecallDisplay"]


class PrecisionRecallDisplay(Peer):
    """How pure the alarms are against how many of the positives they catch; upper right is better.

    Everything of scikit-learn's class is here under the same names. Beyond it: :meth:`from_comparison` with
    all learners in one picture, the palette's colours, and a clear refusal of rows of one class.

    Parameters
    ----------
    precision, recall : (m,), or lists of them for several curves
    average_precision : float, or a list of them
    name : str, or a list of them
    pos_label : label
    prevalence_pos_label : share of positives, the precision of an alarm at random

    Attributes
    ----------
    line_, chance_level_, ax_, figure_ : what was drawn, after ``plot``

    Examples
    --------
    >>> from assay.plots import PrecisionRecallDisplay
    >>> display = PrecisionRecallDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="tree")
    >>> round(display.average_precision, 4), display.ax_.get_legend().get_texts()[0].get_text()
    (0.8333, 'tree (AP = 0.83)')
    """

    @classmethod
    def from_predictions(cls, y_true: Any, y_score: Any = None, **options: Any) -> PrecisionRecallDisplay:
        """Draw the curve of scores; options as scikit-learn's."""
        both_classes(y_true, "PrecisionRecallDisplay")
        return super().from_predictions(y_true, y_score, **options)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        learners: Sequence[str] | str | None = None,
        *,
        positive: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> PrecisionRecallDisplay:
        """Draw one curve per learner into one picture, from the rows that it had not seen.

        Parameters
        ----------
        comparison : result of ``compare``
        learners : names; default all with probabilities, best first
        positive : label, needed for more than two classes
        options : as in ``plot``
        """
        label, rows = scored(comparison, learners, positive, "PrecisionRecallDisplay")
        return cls.from_scores({row.learner: (row.truth, row.score) for row in rows}, pos_label=label, ax=ax,
                               **options)  # fmt: skip

    @classmethod
    def from_scores(
        cls, scores: Any, *, pos_label: Any = None, ax: Any = None, **options: Any
    ) -> PrecisionRecallDisplay:
        """Draw several rankings into one picture.

        Parameters
        ----------
        scores : dict of name to (truth, score)
            Whether each row is positive, and the higher the score, the likelier.
        pos_label : what the positives are called
        options : as in ``plot``
        """
        from assay.metrics.areas import average_precision_score
        from assay.metrics.curves import precision_recall_curve

        precision, recall, area, share = [], [], [], []
        for truth, score in scores.values():
            both_classes(truth, "PrecisionRecallDisplay")
            p, r, _ = precision_recall_curve(truth, score, pos_label=True)
            precision.append(p)
            recall.append(r)
            area.append(float(average_precision_score(truth, score, pos_label=True)))
            share.append(float(sum(truth)) / len(truth))
        names = [legend_name(name) for name in scores]
        display = cls(precision, recall, average_precision=area, name=names, pos_label=pos_label,
                      prevalence_pos_label=share)  # fmt: skip
        looks = [{**line_look(k), "alpha": 1.0} for k in range(len(names))]
        return display.plot(ax, curve_kwargs=looks, **options)

    def plot(self, ax: Any = None, **options: Any) -> PrecisionRecallDisplay:
        """Draw the curve, or the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        options : name, curve_kwargs, plot_chance_level, chance_level_kw and despine as scikit-learn's
        """
        super().plot(coloured_axes(ax, (5.2, 5.0)), **options)
        draw_literally(self.ax_)
        return self
