"""The posterior of a difference of two learners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, PALE, draw_literally, legend_name
from assay.types import Axes

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison
    from assay.stats.bayesian.rope_posterior import RopePosterior

__all__ = ["PosteriorDisplay"]

MAX_DRAWS = 3000  # dots of a triangle
COLOURS = (class_colour(0), class_colour(8), class_colour(5))  # below, does not matter, above


class PosteriorDisplay:
    """The posterior of the difference of two learners, and how probable it is that it matters.

    Over the splits of one data set it is a density (the correlated t test), cut where the difference begins to
    matter. Over many data sets it is a cloud of draws in a triangle (the signed-rank test): the nearer a draw is
    to a corner, the more probable that outcome is on a new data set.

    Parameters
    ----------
    posterior : :class:`assay.stats.RopePosterior`
    first, second : names of the learners
    metric : str
        What the difference is of; stands at the axis.

    Attributes
    ----------
    parts_ : drawn regions below, within and above the region of practical equivalence; of a triangle the dots
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import PosteriorDisplay
    >>> differences = [.03, .00, .03, .01, .01, .01, .04, .02, .01, .04]
    >>> display = PosteriorDisplay.from_differences(differences, ratio=1 / 9, rope=0.01)
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['first lower: 0.001', 'practically equal: 0.078', 'first higher: 0.921']
    """

    def __init__(
        self, posterior: RopePosterior, first: str = "first", second: str = "second", *, metric: str = ""
    ):
        self.posterior, self.first, self.second, self.metric = posterior, first, second, metric

    @classmethod
    def from_differences(
        cls,
        differences: ArrayLike,
        *,
        ratio: float = 0.0,
        rope: float = 0.01,
        ax: Axes | None = None,
        **names: Any,
    ) -> PosteriorDisplay:
        """Draw the posterior of differences over splits, as :func:`assay.stats.correlated_t` finds it.

        Parameters
        ----------
        differences : (J,) first learner minus second
        ratio : test rows per training row
        rope : the largest difference that does not matter
        names : first, second and metric
        """
        from assay.stats.bayesian.correlated_t import correlated_t

        return cls(correlated_t(differences, ratio=ratio, rope=rope), **names).plot(ax)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        first: str,
        second: str,
        *,
        metric: str | None = None,
        rope: float = 0.01,
        ax: Axes | None = None,
    ) -> PosteriorDisplay:
        """Draw the posterior of the difference of two learners of a comparison."""
        posterior = comparison.bayes(first, second, rope=rope, metric=metric)
        return cls(posterior, first, second, metric=metric or comparison.metrics[0].name).plot(ax)

    def plot(self, ax: Axes | None = None) -> PosteriorDisplay:
        """Draw the density, or the triangle of a posterior that was drawn.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        if np.isnan(self.posterior.scale) and not len(self.posterior.samples):
            raise DataError("PosteriorDisplay: this posterior has neither a density nor draws.")
        cloud = np.isnan(self.posterior.scale)
        self.ax_ = ax = axes_for(ax, (5.2, 4.8) if cloud else (6.2, 3.8))
        self.figure_ = ax.figure
        self.parts_: list[Any] = []
        if cloud:
            self._draw_triangle(ax)
        else:
            self._draw_density(ax)
        draw_literally(ax)
        return self

    def _draw_density(self, ax: Any) -> None:
        posterior = self.posterior
        a, b = legend_name(self.first, 24), legend_name(self.second, 24)
        low, high = (
            np.array(posterior.interval(0.998))
            if posterior.scale > 0
            else (posterior.mean - 1e-3, posterior.mean + 1e-3)
        )
        low, high = min(low, -1.4 * posterior.rope), max(high, 1.4 * posterior.rope)
        words = (f"{a} lower: {posterior.left:.3f}", f"practically equal: {posterior.within:.3f}",
                 f"{a} higher: {posterior.right:.3f}")  # fmt: skip
        if posterior.rope:
            ax.axvspan(-posterior.rope, posterior.rope, color=PALE, zorder=0, lw=0)
        cuts = [low, -posterior.rope, posterior.rope, high]
        for k, word in enumerate(words):
            if k == 1 and not posterior.rope:
                continue
            x = np.linspace(cuts[k], cuts[k + 1], 201)
            y = posterior.density(x) if posterior.scale > 0 else np.zeros_like(x)
            look = {"color": COLOURS[k], "alpha": 0.65, "lw": 0}
            self.parts_.append(ax.fill_between(x, y, label=word, **look))
        if posterior.scale > 0:
            x = np.linspace(low, high, 601)
            ax.plot(x, posterior.density(x), color=INK, lw=1.2)
        else:
            ax.axvline(posterior.mean, color=INK, lw=2.0)  # all probability at one point
        ax.axvline(0, color=FAINT, lw=0.8)
        what = f" in {self.metric}" if self.metric else ""
        ax.set(xlim=(low, high), xlabel=f"difference{what}, {a} minus {b}", yticks=[])
        ax.set_ylim(bottom=0)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.legend(frameon=False)

    def _draw_triangle(self, ax: Any) -> None:
        posterior, samples = self.posterior, self.posterior.samples[:MAX_DRAWS]
        corners = np.array([[0.0, 0.0], [0.5, np.sqrt(3) / 2], [1.0, 0.0]])  # left, within, right
        ax.fill(*corners.T, facecolor="none", edgecolor=INK, lw=1.2)
        centre = corners.mean(axis=0)
        for i, j in ((0, 1), (1, 2), (2, 0)):
            ax.plot(*np.column_stack([centre, (corners[i] + corners[j]) / 2]), color=FAINT, lw=0.8, ls=":")
        spots = samples @ corners
        colour = np.array(COLOURS)[samples.argmax(axis=1)]
        self.parts_.append(ax.scatter(*spots.T, s=5, c=colour, alpha=0.25, linewidths=0))
        a, b = legend_name(self.first, 20), legend_name(self.second, 20)
        texts = [f"{a} lower\nthan {b}\n{posterior.left:.3f}", f"practically equal\n{posterior.within:.3f}",
                 f"{a} higher\nthan {b}\n{posterior.right:.3f}"]  # fmt: skip
        for (x, y), text, side in zip(corners, texts, ("top", "bottom", "top")):
            ax.text(x, y + (0.04 if side == "bottom" else -0.04), text, ha="center", va=side, color=INK)
        ax.set(xlim=(-0.2, 1.2), ylim=(-0.3, 1.1), aspect="equal")
        ax.axis("off")
