"""Power of a test against sample size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, bare, curve_legend, draw_literally, legend_name, line_look
from assay.types import Axes

__all__ = ["PowerDisplay"]


class PowerDisplay:
    """Power against sample size: one curve per difference, and the size at which each reaches the target.

    Parameters
    ----------
    n : (m,) sample sizes
    curves : dict of name to (m,) powers
    target : the target power, drawn as a line; None for none
    sizes : dict of name to the sample size at which the target is reached
    test : str
        Stands at the axis.

    Attributes
    ----------
    lines_ : dict of name to drawn line
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import PowerDisplay
    >>> display = PowerDisplay.from_test("z", 0.5, sd=2, alternative="greater", n=[50, 100, 200])
    >>> display.curves["0.5"].round(4), display.sizes
    (array([0.5489, 0.8038, 0.9707]), {'0.5': 99})
    """

    def __init__(
        self,
        n: ArrayLike,
        curves: Mapping[str, Any],
        *,
        target: float | None = 0.8,
        sizes: Mapping[str, int] | None = None,
        test: str = "",
    ):
        self.n = np.asarray(n, dtype=np.float64)
        self.curves = {str(name): np.asarray(values, dtype=np.float64) for name, values in curves.items()}
        self.target, self.sizes, self.test = target, dict(sizes or {}), test
        if self.n.ndim != 1 or not len(self.n) or not self.curves:
            raise DataError("PowerDisplay: expected sample sizes and at least one curve.")
        for name, values in self.curves.items():
            if values.shape != self.n.shape:
                raise DataError(f"PowerDisplay: {name} has {values.size} powers for {len(self.n)} sizes.")

    @classmethod
    def from_test(
        cls,
        test: str,
        difference: float | Sequence[float],
        *,
        n: Any = None,
        target: float = 0.8,
        ax: Axes | None = None,
        **setting: Any,
    ) -> PowerDisplay:
        """Work out and draw the power of a test.

        Parameters
        ----------
        test : "z", "t", "two-sample t", "binomial", "proportion" or "mcnemar", as in ``assay.stats.power_of``
        difference : what the truth differs by; several for several curves
        n : (m,) sample sizes; default up to where the smallest difference has a power of 0.95
        target : the target power
        setting : sd, ratio, p0, disagree, alpha and alternative, as in ``assay.stats.power_of``
        """
        from assay.stats.significance.power import power_of, sample_size_for

        gaps = [float(d) for d in np.atleast_1d(np.asarray(difference, dtype=np.float64))]
        if not gaps or 0.0 in gaps:
            raise ParameterError("PowerDisplay: difference must be one or more numbers other than 0.")
        sizes = {f"{gap:g}": sample_size_for(test, gap, target, **setting).n for gap in gaps}
        if n is None:
            largest = sample_size_for(test, min(gaps, key=abs), max(0.95, target), **setting).n
            n = np.unique(np.linspace(2, max(largest, 10), 80).astype(int))
        curves = {f"{gap:g}": [power_of(test, gap, int(k), **setting) for k in n] for gap in gaps}
        return cls(
            n, curves, target=target, sizes=sizes, test=f"{'McNemar' if test == 'mcnemar' else test} test"
        ).plot(ax)

    def plot(self, ax: Axes | None = None) -> PowerDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        self.ax_ = ax = axes_for(ax, (6.0, 4.0))
        self.figure_ = ax.figure
        self.lines_: dict[str, Any] = {}
        for k, (name, power) in enumerate(self.curves.items()):
            size = f": n = {self.sizes[name]}" if name in self.sizes else ""
            label = f"difference {legend_name(name)}{size}"
            (self.lines_[name],) = ax.plot(self.n, power, label=label, **line_look(k))
            if name in self.sizes and self.target is not None:
                ax.plot([self.sizes[name]], [self.target], "o", color=line_look(k)["color"], ms=5, zorder=4)
        if self.target is not None:
            ax.axhline(self.target, color=FAINT, lw=0.8, ls=":")
        ax.set(
            ylim=(0, 1.02), xlabel="sample size", ylabel=f"power{' of the ' + self.test if self.test else ''}"
        )
        ax.set_xlim(left=0, right=float(self.n.max()))
        curve_legend(ax, "lower right", max_names=2, frameon=False)  # curves of all effects leave no room
        bare(ax)
        draw_literally(ax)
        return self
