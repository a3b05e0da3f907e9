"""Losses against the margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.optimize.losses import Loss, margin_loss
from assay.plots.canvas import axes_for
from assay.types import Axes

__all__ = ["LossCurvesDisplay"]

LINES = ("-", "--", "-.", ":")
USUAL = ("zero_one", "perceptron", "hinge", "log_loss", "scaled_log_loss", "squared_error", "exponential")


class LossCurvesDisplay:
    r"""The loss of a row against its margin :math:`ys`, positive if it is classified correctly.

    A loss that is nowhere below the 0/1 loss is an upper bound of it.

    Parameters
    ----------
    margin : (g,) margins
    curves : dict of name to (g,) losses

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import LossCurvesDisplay
    >>> display = LossCurvesDisplay.from_losses(["zero_one", "hinge"], low=-2, high=2, steps=5)
    >>> {name: curve.tolist() for name, curve in display.curves.items()}
    {'zero_one': [1.0, 1.0, 1.0, 0.0, 0.0], 'hinge': [3.0, 2.0, 1.0, 0.0, 0.0]}
    """

    def __init__(self, margin: np.ndarray, curves: Mapping[str, np.ndarray]):
        self.margin, self.curves = margin, dict(curves)

    @classmethod
    def from_losses(
        cls,
        losses: Mapping[str, Loss] | Sequence[str] | None = None,
        *,
        low: float = -3.0,
        high: float = 3.0,
        steps: int = 601,
        ax: Axes | None = None,
        **options: Any,
    ) -> LossCurvesDisplay:
        """Work out and draw the curves.

        Parameters
        ----------
        losses : names of ``assay.optimize.MARGIN_LOSSES``, or dict of name to Loss; None for the usual seven
        low, high, steps : the margins
        options : as in ``plot``
        """
        margin = np.linspace(low, high, steps)
        chosen = losses if losses is not None else USUAL
        if not isinstance(chosen, Mapping):
            chosen = {name: margin_loss(name) for name in chosen}
        return cls(margin, {name: loss.value(margin) for name, loss in chosen.items()}).plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, top: float | None = None) -> LossCurvesDisplay:
        """Draw the curves, the 0/1 error as a thick step.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        top : upper end of the axis of losses
        """
        self.ax_ = ax = axes_for(ax, (6.0, 4.2))
        self.figure_ = ax.figure
        places = [
            *USUAL,
            *(name for name in self.curves if name not in USUAL),
        ]  # a loss looks alike in all figures
        for name, curve in self.curves.items():
            if name == "zero_one":
                ax.plot(self.margin, curve, color="#15202b", lw=2.6, label=_words(name))
                continue
            place = places.index(name) - 1
            style = LINES[place // 5 % len(LINES)]
            ax.plot(self.margin, curve, color=class_colour(place), ls=style, lw=1.6, label=_words(name))
        ax.axvline(0, color="#5f6975", lw=0.8)
        ax.set(xlabel="margin, y s", ylabel="loss", xlim=(self.margin[0], self.margin[-1]))
        ax.set_ylim(bottom=0, top=top)
        ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(0.5, 1.0))
        return self


def _words(name: str) -> str:
    return {"zero_one": "0/1 error", "scaled_log_loss": "log loss in bits"}.get(name, name.replace("_", " "))
