"""Impurities of two classes against the share of one of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.plots.canvas import axes_for
from assay.trees.criteria import impurity_function
from assay.types import Axes

__all__ = ["ImpurityCurvesDisplay"]

LINES = ("-", "--", "-.", ":")


class ImpurityCurvesDisplay:
    r"""The curves :math:`\phi(p, 1 - p)` for p from 0 to 1: how mixed two classes are by each criterion.

    Parameters
    ----------
    p : (g,) shares of the first class
    curves : dict of name to (g,) impurities

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import ImpurityCurvesDisplay
    >>> display = ImpurityCurvesDisplay.from_criteria(steps=11)
    >>> {name: float(curve[2].round(6)) for name, curve in display.curves.items()}  # p = 0.2
    {'entropy': 0.721928, 'gini': 0.32, 'error': 0.2}
    """

    def __init__(self, p: np.ndarray, curves: Mapping[str, np.ndarray]):
        self.p, self.curves = p, dict(curves)

    @classmethod
    def from_criteria(
        cls,
        criteria: Mapping[str, str | Callable[..., Any]] | Sequence[str] | None = None,
        *,
        steps: int = 201,
        ax: Axes | None = None,
        **options: Any,
    ) -> ImpurityCurvesDisplay:
        """Work out and draw the curves.

        Parameters
        ----------
        criteria : dict of name to criterion, or words, default entropy, Gini index and error rate
            A criterion is a word or a function of class shares, (m, 2) to (m,).
        steps : int
            How many values of p.
        options : as in ``plot``
        """
        p = np.linspace(0, 1, steps)
        both = np.column_stack([p, 1 - p])
        chosen = criteria or ("entropy", "gini", "error")
        if not isinstance(chosen, Mapping):
            chosen = {word: word for word in ([chosen] if isinstance(chosen, str) else chosen)}
        curves = {name: np.asarray(impurity_function(c)(both)) for name, c in chosen.items()}
        return cls(p, curves).plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, scaled: bool = False) -> ImpurityCurvesDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        scaled : bool
            Divide each curve by its greatest value, so that only the shapes differ.
        """
        self.ax_ = ax = axes_for(ax, (5.5, 3.8))
        self.figure_ = ax.figure
        for k, (name, curve) in enumerate(self.curves.items()):
            high = np.max(curve) if scaled and np.max(curve) > 0 else 1.0
            ax.plot(self.p, curve / high, color=class_colour(k), ls=LINES[k % len(LINES)], lw=1.8, label=name)
        ax.set(xlabel="share of the first class, p", ylabel="impurity", xlim=(0, 1))
        ax.set_ylim(bottom=0)
        ax.legend(frameon=False)
        return self
