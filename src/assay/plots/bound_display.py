"""Generalisation bounds against observed gaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, bare, draw_literally, legend_name, line_look
from assay.types import Axes

if TYPE_CHECKING:
    from assay.theory.gap import GapStudy

__all__ = ["BoundDisplay"]


class BoundDisplay:
    """Bounds on the gap between risk and empirical risk, and the gaps observed, against the number of rows.

    Bounds hold for every distribution, and so lie far above what one distribution shows; above 1 they are
    vacuous.

    Parameters
    ----------
    n : (m,) sample sizes
    bounds : dict of name to (m,)
    observed : dict of name to (m,)

    Attributes
    ----------
    lines_ : dict of name to drawn line
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import BoundDisplay
    >>> from assay.theory import simulate_gap
    >>> display = BoundDisplay.from_study(simulate_gap([100, 1000], runs=20))
    >>> list(display.bounds)
    ['bound for 100 hypotheses', 'bound by the VC dimension']
    """

    def __init__(self, n: ArrayLike, bounds: Mapping[str, Any], observed: Mapping[str, Any] | None = None):
        self.n = np.asarray(n, dtype=np.float64)
        self.bounds = {str(name): np.asarray(values, np.float64) for name, values in bounds.items()}
        self.observed = {str(name): np.asarray(v, np.float64) for name, v in (observed or {}).items()}
        if self.n.ndim != 1 or not len(self.n):
            raise DataError("BoundDisplay: n must be a list of sample sizes.")
        for name, values in {**self.bounds, **self.observed}.items():
            if values.shape != self.n.shape:
                raise DataError(f"BoundDisplay: {name} has {values.size} values for {len(self.n)} sizes.")

    @classmethod
    def from_study(cls, study: GapStudy, *, ax: Axes | None = None, **options: Any) -> BoundDisplay:
        """Draw the result of :func:`assay.theory.simulate_gap`."""
        bounds = {
            f"bound for {study.size} hypotheses": study.finite,
            "bound by the VC dimension": study.vc,
        }
        observed = {
            f"observed, {1 - study.delta:.0%} of the samples": study.high,
            "observed, mean": study.mean,
        }
        return cls(study.n, bounds, observed).plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, log: bool = True) -> BoundDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        log : bool
            Whether both axes are logarithmic.
        """
        self.ax_ = ax = axes_for(ax, (6.2, 4.2))
        self.figure_ = ax.figure
        self.lines_ = {}
        order = np.argsort(self.n, kind="stable")
        for k, (name, values) in enumerate({**self.bounds, **self.observed}.items()):
            look = {**line_look(k), "linestyle": "-" if name in self.bounds else "--"}
            mark = "" if name in self.bounds else "o"
            label = legend_name(name)
            (line,) = ax.plot(self.n[order], values[order], marker=mark, ms=4, label=label, **look)
            self.lines_[name] = line
        if log:
            ax.set(xscale="log", yscale="log")
        top = max(float(values.max()) for values in {**self.bounds, **self.observed}.values())
        if top > 1:
            ax.axhline(1, color=FAINT, lw=0.8, ls=":")
        ax.set(xlabel="rows", ylabel="gap between risk and empirical risk")
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, frameon=False)  # lines fall all across
        bare(ax)
        draw_literally(ax)
        return self
