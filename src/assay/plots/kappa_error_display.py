"""Pairs of members of an ensemble: agreement beyond chance against their mean error."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.core.words import one_line
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, draw_literally
from assay.types import Axes

__all__ = ["KappaErrorDisplay"]


class KappaErrorDisplay:
    """One point a pair of members: kappa of their answers to the right, the mean of their errors upwards.

    Low and to the left are pairs that are good and different: there a committee gains. A cloud to the right says that
    the members are alike, one high up that they are weak.

    Parameters
    ----------
    diversity : what :func:`assay.ensembles.diversity` gave

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    pairs_ : list of (i, j), the pairs drawn; those without a kappa are left out
    kappa_, error_ : (pairs,) what is drawn

    Examples
    --------
    >>> from assay.ensembles import diversity
    >>> from assay.plots import KappaErrorDisplay
    >>> found = diversity([[1, 1, 0, 1], [1, 0, 0, 0], [0, 1, 1, 0]], [1, 1, 0, 0])
    >>> KappaErrorDisplay(found).plot().error_.round(3)
    array([0.25 , 0.375, 0.375])

    References
    ----------
    - Margineantu, D. D. and Dietterich, T. G. (1997). Pruning adaptive boosting. International Conference on Machine
      Learning, 211-218.
    """

    def __init__(self, diversity: Any):
        self.diversity = diversity
        self.pairs_ = [pair for pair, kappa in diversity.kappas.items() if kappa is not None]
        self.kappa_ = np.array([diversity.kappas[pair] for pair in self.pairs_])
        self.error_ = np.array([diversity.errors[list(pair)].mean() for pair in self.pairs_])

    def plot(self, ax: Axes | None = None, *, max_names: int = 10) -> KappaErrorDisplay:
        """Draw the pairs.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        max_names : int
            Up to so many pairs are named.
        """
        self.ax_ = ax = axes_for(ax, (6.0, 4.4))
        self.figure_ = ax.figure
        if len(self.pairs_) and self.kappa_.min() <= 0 <= self.kappa_.max():
            ax.axvline(0, color=FAINT, lw=0.8)
        ax.plot(self.kappa_, self.error_, "o", color=class_colour(0), ms=5, alpha=0.8)
        if len(self.pairs_) <= max_names:
            middle = 0.5 * (self.kappa_.min() + self.kappa_.max()) if len(self.pairs_) else 0.0
            for (i, j), kappa, error in zip(self.pairs_, self.kappa_, self.error_):
                left = kappa > middle
                ax.annotate(
                    f"{one_line(self.diversity.names[i])}, {one_line(self.diversity.names[j])}",
                    (kappa, error),
                    xytext=(-7 if left else 7, 0),
                    textcoords="offset points",
                    ha="right" if left else "left",
                    va="center",
                    fontsize=8,
                )
        ax.margins(0.3, 0.15)
        ax.set_xlabel("kappa: agreement of the two members beyond chance")
        ax.set_ylabel("mean error of the two members")
        draw_literally(ax)
        return self
