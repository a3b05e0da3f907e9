"""Scores against the number of training rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import LearningCurveDisplay as Peer

from assay.plots._curves import as_list, draw_curves
from assay.plots.looks import coloured_axes, draw_literally, short_labels
from assay.plots.validation_curve_display import check_scores
from assay.types import Axes

if TYPE_CHECKING:
    from assay.evaluate.curves import Curve

__all__ = ["LearningCurveDisplay"]


class LearningCurveDisplay(Peer):
    """How a learner improves with more rows: its score on training and on test rows.

    A wide gap between the two asks for more rows or a simpler learner; two curves that meet at a poor score
    ask for a richer one. Everything of scikit-learn's class is here under the same names.
    Beyond it, :meth:`from_curves` draws several learners with intervals corrected for splits that share rows.

    Parameters
    ----------
    train_sizes : (m,) numbers of training rows
    train_scores, test_scores : (m, J) one column per split
    score_name : str

    Attributes
    ----------
    lines_, fill_between_, errorbar_, ax_, figure_ : what was drawn, after ``plot``

    Examples
    --------
    >>> from assay.plots import LearningCurveDisplay
    >>> display = LearningCurveDisplay(train_sizes=[10, 20, 40], train_scores=[[1, 1], [0.9, 1], [0.9, 0.9]],
    ...                                test_scores=[[0.6, 0.7], [0.7, 0.8], [0.8, 0.8]]).plot()
    >>> display.lines_[1].get_ydata().round(2).tolist()
    [0.65, 0.75, 0.8]
    """

    def __init__(
        self,
        *,
        train_sizes: ArrayLike,
        train_scores: ArrayLike,
        test_scores: ArrayLike,
        score_name: str | None = None,
    ):
        train_scores, test_scores = check_scores(
            len(np.asarray(train_sizes)), train_scores, test_scores, "LearningCurveDisplay"
        )
        super().__init__(
            train_sizes=np.asarray(train_sizes),
            train_scores=train_scores,
            test_scores=test_scores,
            score_name=score_name,
        )

    @classmethod
    def from_curves(cls, curves: Curve | Sequence[Curve], *, ax: Any = None) -> LearningCurveDisplay:
        """Draw what :func:`assay.evaluate.learning_curve` found, of one learner or of several.

        Parameters
        ----------
        curves : Curve, or list of them with the same metric
        """
        curve_list = as_list(curves, "LearningCurveDisplay")
        display = cls(
            train_sizes=curve_list[0].ticks,
            train_scores=curve_list[0].train_scores,
            test_scores=curve_list[0].test_scores,
            score_name=curve_list[0].metric.name,
        )
        display.ax_, display.lines_, display.fill_between_ = draw_curves(
            ax, curve_list, "Number of samples in the training set", mark=False
        )
        display.figure_, display.errorbar_ = display.ax_.figure, None
        return display

    def plot(self, ax: Axes | None = None, **options: Any) -> LearningCurveDisplay:
        """Draw the mean over the splits, and the spread around it.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        options : negate_score, score_name, score_type, std_display_style, line_kw, fill_between_kw and errorbar_kw
            as scikit-learn's
        """
        super().plot(coloured_axes(ax, (6.0, 4.0)), **options)
        if options.get("score_name", self.score_name) is None:
            self.ax_.set_ylabel("Score")
        short_labels(self.ax_)
        draw_literally(self.ax_)
        return self
