"""Predicted numbers against the true ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics import PredictionErrorDisplay as Peer

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import draw_literally
from assay.types import Axes, Target

__all__ = ["PredictionErrorDisplay"]


class PredictionErrorDisplay(Peer):
    """Residuals, or true values, against predictions: what is left over should show no pattern.

    Everything of scikit-learn's class is here under the same names, in the palette's colours.

    Parameters
    ----------
    y_true, y_pred : (n,)

    Attributes
    ----------
    line_, scatter_, ax_, figure_ : what was drawn, after ``plot``

    Examples
    --------
    >>> from assay.plots import PredictionErrorDisplay
    >>> display = PredictionErrorDisplay.from_predictions([1.0, 2.0, 3.5], [1.0, 2.5, 3.0])
    >>> display.scatter_.get_offsets().data.tolist()
    [[1.0, 0.0], [2.5, -0.5], [3.0, 0.5]]
    """

    def __init__(self, *, y_true: Target, y_pred: Target):
        super().__init__(y_true=np.asarray(y_true), y_pred=np.asarray(y_pred))
        if self.y_true.shape != self.y_pred.shape or self.y_true.ndim != 1:
            raise DataError(
                f"PredictionErrorDisplay: expected one prediction per number, got shapes {self.y_true.shape} "
                f"and {self.y_pred.shape}."
            )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        scatter_kwargs: Mapping[str, Any] | None = None,
        line_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> PredictionErrorDisplay:
        """Draw the rows and the line of perfect predictions.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        scatter_kwargs, line_kwargs : for matplotlib's ``scatter`` and ``plot``
        options : ``kind``, "residual_vs_predicted" or "actual_vs_predicted"
        """
        if np.size(self.y_true) == 0:
            raise DataError("PredictionErrorDisplay: there are no rows.")
        scatter_options = dict(scatter_kwargs or {})
        if not {"c", "color", "facecolor", "fc", "facecolors"} & scatter_options.keys():
            scatter_options["color"] = class_colour(0)
        ax = axes_for(None, (5.4, 4.4)) if ax is None else ax
        super().plot(ax, scatter_kwargs=scatter_options, line_kwargs=line_kwargs, **options)
        draw_literally(self.ax_)
        return self
