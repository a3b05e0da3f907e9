"""Scores against a setting that makes a learner simpler or richer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import ValidationCurveDisplay as Peer

from assay.errors import DataError
from assay.plots._curves import as_list, draw_curves
from assay.plots.looks import coloured_axes, draw_literally, short_labels
from assay.types import Axes

if TYPE_CHECKING:
    from assay.evaluate.curves import Curve

__all__ = ["ValidationCurveDisplay"]


class ValidationCurveDisplay(Peer):
    """How a learner's score depends on one of its settings: on training and on test rows.

    Left of the best setting the learner is too simple (both scores are poor), right of it too rich (the
    scores part). Everything of scikit-learn's class is here under the same names. Beyond it, :meth:`from_curves`
    draws several learners with intervals corrected for splits that share rows.

    Parameters
    ----------
    param_name : str
    param_range : (m,) settings
    train_scores, test_scores : (m, J) one column per split
    score_name : str

    Attributes
    ----------
    lines_, fill_between_, errorbar_, ax_, figure_ : what was drawn, after ``plot``

    Examples
    --------
    >>> from assay.plots import ValidationCurveDisplay
    >>> display = ValidationCurveDisplay(param_name="depth", param_range=[1, 2, 3], train_scores=[[0.7], [0.9], [1]],
    ...                                  test_scores=[[0.6], [0.8], [0.7]], score_name="accuracy").plot()
    >>> display.lines_[1].get_ydata().tolist(), display.ax_.get_xlabel()
    ([0.6, 0.8, 0.7], 'depth')
    """

    def __init__(
        self,
        *,
        param_name: str,
        param_range: ArrayLike,
        train_scores: ArrayLike,
        test_scores: ArrayLike,
        score_name: str | None = None,
    ):
        train_scores, test_scores = check_scores(
            len(np.asarray(param_range)), train_scores, test_scores, "ValidationCurveDisplay"
        )
        super().__init__(
            param_name=param_name,
            param_range=np.asarray(param_range),
            train_scores=train_scores,
            test_scores=test_scores,
            score_name=score_name,
        )

    @classmethod
    def from_curves(cls, curves: Curve | Sequence[Curve], *, ax: Any = None) -> ValidationCurveDisplay:
        """Draw curves of :func:`assay.evaluate.complexity_curve`, of one learner or of several; rings mark the best.

        Parameters
        ----------
        curves : Curve, or list of them along the same parameter
        """
        curve_list = as_list(curves, "ValidationCurveDisplay")
        display = cls(
            param_name=curve_list[0].along,
            param_range=curve_list[0].ticks,
            train_scores=curve_list[0].train_scores,
            test_scores=curve_list[0].test_scores,
            score_name=curve_list[0].metric.name,
        )
        display.ax_, display.lines_, display.fill_between_ = draw_curves(
            ax, curve_list, curve_list[0].along, mark=True
        )
        display.figure_, display.errorbar_ = display.ax_.figure, None
        return display

    def plot(self, ax: Axes | None = None, **options: Any) -> ValidationCurveDisplay:
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


def check_scores(m: int, train: Any, test: Any, who: str) -> tuple[np.ndarray, np.ndarray]:
    """Two tables with a row per point; a single column may be given flat."""
    if m < 2:
        raise DataError(f"{who}: a curve needs at least 2 points, got {m}.")
    tables = []
    for name, scores in (("train_scores", train), ("test_scores", test)):
        table = np.asarray(scores, dtype=np.float64)
        table = table[:, None] if table.ndim == 1 else table
        if table.ndim != 2 or len(table) != m or not table.shape[1]:
            raise DataError(f"{who}: {name} needs {m} rows of one score per split, got shape {table.shape}.")
        tables.append(table)
    return tables[0], tables[1]
