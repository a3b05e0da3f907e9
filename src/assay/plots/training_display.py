"""Errors of a network against passes, or against its size; and the fit as it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError, ParameterError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT
from assay.types import Axes

__all__ = ["TrainingDisplay"]

LINES = ("-", "--", "-.", ":")


class TrainingDisplay:
    """Errors while a network learns (or as it gets more units), with a mark at the least validation error.

    Parameters
    ----------
    steps : (m,) numbers of the passes, or sizes
    curves : dict of name to (m,) errors
    label : what the steps are
    kind : what the errors are
    scores : (m,) of validation rows, the higher the better, on an axis of their own; None without

    Attributes
    ----------
    ax_, figure_ : after ``plot``      score_ax_ : the axis of the scores, if there are any

    Examples
    --------
    >>> from assay.plots import TrainingDisplay
    >>> display = TrainingDisplay([1, 2, 3], {"training": [3.0, 2.0, 1.0], "validation": [3.0, 2.5, 2.8]})
    >>> display.best("validation")
    (2, 2.5)

    See Also
    --------
    NetworkDisplay, HiddenUnitsDisplay, ValidationCurveDisplay
    """

    def __init__(
        self,
        steps: ArrayLike,
        curves: Mapping[str, ArrayLike],
        *,
        label: str = "passes",
        kind: str = "error",
        scores: ArrayLike | None = None,
    ):
        self.steps = np.asarray(steps)
        self.curves = {str(name): np.asarray(values, dtype=float) for name, values in curves.items()}
        self.label, self.kind = label, kind
        self.scores = None if scores is None else np.asarray(scores, dtype=float)
        every = [*self.curves.values(), *([] if self.scores is None else [self.scores])]
        if any(len(values) != len(self.steps) for values in every):
            raise DataError("TrainingDisplay: each curve needs a value for each step.")

    @classmethod
    def from_history(cls, history: Sequence[Any], rows: int = 1, ax: Axes | None = None) -> Self:
        """Draw the history of a training, or ``history_`` of a multilayer perceptron.

        Parameters
        ----------
        history : records with ``number`` and ``error`` or ``loss``, and ``validation`` or ``score``
        rows : what sums of errors are divided by
        ax : matplotlib axes, default None for a new figure
        """
        if not history:
            raise ParameterError("TrainingDisplay: the history is empty; fit the network first.")
        sums = hasattr(history[0], "error")
        curves = {"training": [(r.error / rows) if sums else r.loss for r in history]}
        if sums and history[0].validation is not None:
            curves["validation"] = [r.validation / rows for r in history]
        kind = "error" if sums else "loss"
        judged = not sums and history[0].score is not None
        scores = [r.score for r in history] if judged else None
        return cls([r.number for r in history], curves, kind=kind, scores=scores).plot(ax)

    def best(self, name: str) -> tuple[int, float]:
        """The step with the least error of a curve, and that error."""
        if name not in self.curves:
            raise DataError(f"TrainingDisplay: no curve {name!r}. There are: {', '.join(self.curves)}.")
        at = int(np.argmin(self.curves[name]))
        return int(self.steps[at]), float(self.curves[name][at])

    def plot(self, ax: Axes | None = None, *, log: bool = False) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        log : bool
            Errors on a logarithmic axis.
        """
        self.ax_ = ax = axes_for(ax, (5.5, 3.8))
        self.figure_ = ax.figure
        for k, (name, values) in enumerate(self.curves.items()):
            ax.plot(self.steps, values, color=class_colour(k), ls=LINES[k % len(LINES)], lw=1.6, label=name)
        if "validation" in self.curves:
            step, error = self.best("validation")
            ax.plot(
                step, error, "o", mfc="white", mec=class_colour(list(self.curves).index("validation")), ms=7
            )
            ax.axvline(step, color=FAINT, lw=0.8, ls=":")
        ax.set(xlabel=self.label, ylabel=self.kind, yscale="log" if log else "linear")
        if not log:
            ax.set_ylim(bottom=0)
        if self.scores is not None:
            self._plot_scores(ax, self.scores)
        ax.legend(frameon=False)
        return self

    def _plot_scores(self, ax: Axes, scores: np.ndarray) -> None:
        """The scores on the right, with a mark at the highest; their name stands in the legend of the errors."""
        k = len(self.curves)
        look: dict[str, Any] = {"color": class_colour(k), "ls": LINES[k % len(LINES)], "lw": 1.6}
        self.score_ax_ = right = ax.twinx()
        right.plot(self.steps, scores, **look)
        ax.plot([], [], label="validation score (right)", **look)
        best = int(np.argmax(scores))
        right.plot(self.steps[best], scores[best], "o", mfc="white", mec=class_colour(k), ms=7)
        ax.axvline(self.steps[best], color=FAINT, lw=0.8, ls=":")
        right.set_ylabel("validation score")
