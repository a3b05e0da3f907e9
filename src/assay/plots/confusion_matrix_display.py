"""The confusion matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import ConfusionMatrixDisplay as Peer

from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import draw_literally, legend_name
from assay.plots.of_comparison import chosen_learners
from assay.types import Axes, Target

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["ConfusionMatrixDisplay"]


class ConfusionMatrixDisplay(Peer):
    """True classes down, predicted ones across, the count in each cell: scikit-learn's display, and more.

    Everything of scikit-learn's class is here under the same names. Beyond it: :meth:`from_comparison`, a
    column for rejected rows, labels drawn as they are written, and a figure that
    grows with the number of classes.

    Parameters
    ----------
    confusion_matrix : (K, K), or (K, K + 1) with the rejected rows last
    display_labels : (K,) names of the classes

    Attributes
    ----------
    im_, text_, ax_, figure_ : what was drawn, after ``plot``

    Examples
    --------
    >>> from assay.plots import ConfusionMatrixDisplay
    >>> display = ConfusionMatrixDisplay.from_predictions(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    >>> display.confusion_matrix
    array([[1, 1],
           [0, 2]])
    >>> [text.get_text() for text in display.text_.ravel()]
    ['1', '1', '0', '2']
    """

    display_labels: Any
    confusion_matrix: Any

    @classmethod
    def from_predictions(cls, y_true: Any, y_pred: Target, **options: Any) -> ConfusionMatrixDisplay:
        """Count and draw true against predicted labels; options as scikit-learn's."""
        if np.size(y_true) == 0:
            raise DataError("ConfusionMatrixDisplay: there are no rows.")
        return super().from_predictions(y_true, y_pred, **options)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        learner: str | None = None,
        *,
        normalize: str | None = None,
        **options: Any,
    ) -> ConfusionMatrixDisplay:
        """Draw the predictions of one learner (default: the best) on test rows, all splits together.

        Parameters
        ----------
        comparison : result of ``compare``
        learner : str
        normalize : "true" for shares of each true class, "pred" of each predicted class, "all" of all rows
        options : as in ``plot``
        """
        (name,) = chosen_learners(comparison, learner or comparison.best, "ConfusionMatrixDisplay")
        counts = np.asarray(comparison.confusion(name))
        if normalize is not None:
            if normalize not in ("true", "pred", "all"):
                raise DataError(
                    f"ConfusionMatrixDisplay: normalize must be true, pred or all, got {normalize!r}."
                )
            total = {"true": counts.sum(1, keepdims=True), "pred": counts.sum(0, keepdims=True)}
            counts = counts / np.maximum(total.get(normalize, counts.sum()), 1)
        display = cls(counts, display_labels=[str(label) for label in comparison.classes]).plot(**options)
        display.ax_.set_title(legend_name(name))
        draw_literally(display.ax_)
        return display

    def plot(self, *, ax: Axes | None = None, **options: Any) -> ConfusionMatrixDisplay:
        """Draw the table.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        options : include_values, cmap, xticks_rotation, values_format, colorbar, im_kw, text_kw as scikit-learn's
        """
        K, columns = np.shape(self.confusion_matrix)
        labels = range(K) if self.display_labels is None else self.display_labels
        if self.display_labels is None or len(labels) == K:
            labels = [legend_name(label, 24) for label in labels]
        side = min(max(2.6 + 0.5 * K, 4.2), 14.0)
        if ax is None:
            ax = axes_for(None, (side + 0.8, side))
        if (
            options.get("xticks_rotation", "horizontal") == "horizontal"
            and max(map(len, labels), default=0) * K > 9 * side
        ):
            options["xticks_rotation"] = "vertical"  # names that would run into each other
        original_labels, self.display_labels = self.display_labels, labels
        try:
            super().plot(ax=ax, **options)
        finally:
            self.display_labels = original_labels
        if columns == K + 1:
            self._draw_rejected(options)
        draw_literally(ax)
        return self

    def _draw_rejected(self, options: dict[str, Any]) -> None:
        """scikit-learn writes into K columns; the one of rejected rows comes after them."""
        K = len(self.confusion_matrix)
        names = [text.get_text() for text in self.ax_.get_xticklabels()]
        self.ax_.set_xticks(np.arange(K + 1), [*names, "no class"])
        for text in self.ax_.get_xticklabels():
            text.set_rotation(options.get("xticks_rotation", "horizontal"))
        if self.text_ is None:
            return
        middle = (self.confusion_matrix.max() + self.confusion_matrix.min()) / 2
        form = options.get("values_format") or (".2g" if self.confusion_matrix.dtype.kind == "f" else "d")
        for i, value in enumerate(self.confusion_matrix[:, K]):
            colour = self.im_.cmap(1.0) if value < middle else self.im_.cmap(0)
            look = {"ha": "center", "va": "center", "color": colour}
            self.text_[i, K] = self.ax_.text(K, i, format(value, form), **look)
