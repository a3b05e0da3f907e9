"""Scores against the number of rows that teach."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import LearningCurveDisplay as Peer

from assay.plots.looks import coloured_axes, draw_literally
from assay.plots.validation_curve_display import check_scores

__all__ = ["LearningCurveDisplay"]


class LearningCurveDisplay(Peer):
    """How a learner improves with more rows: its score on the rows that taught it and on rows it has not seen.

    A wide gap between the two asks for more rows or a simpler learner; two curves that meet at a poor score
    ask for a richer one. Everything of scikit-learn's class is here under the same names.

    Parameters
    ----------
    train_sizes : (m,) rows that taught
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
    >>> display.lines_[1].get_ydata().tolist()
    [0.65, 0.75, 0.8]
    """

    def __init__(
        self, *, train_sizes: Any, train_scores: Any, test_scores: Any, score_name: str | None = None
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

    def plot(self, ax: Any = None, **options: Any) -> LearningCurveDisplay:
        """Draw the mean over the splits, and the spread around it.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        options : negate_score, score_name, score_type, std_display_style, line_kw, fill_between_kw and errorbar_kw
            as scikit-learn's
        """
        options["fill_between_kw"] = {"alpha": 0.2, **(options.get("fill_between_kw") or {})}
        super().plot(coloured_axes(ax, (6.0, 4.0)), **options)
        draw_literally(self.ax_)
        return self
