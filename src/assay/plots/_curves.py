"""How learning and complexity curves of several learners are drawn into one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, ON_TOP, bare, curve_legend, draw_literally, legend_name
from assay.plots.scale import Scale
from assay.types import Axes

if TYPE_CHECKING:
    from assay.evaluate.curves import Curve

__all__ = ["as_list", "draw_curves"]


def as_list(curves: Any, who: str) -> list[Curve]:
    """One curve or several, of one metric along one axis."""
    as_given = [curves] if hasattr(curves, "test_scores") else list(curves)
    if not as_given:
        raise DataError(f"{who}: there is no curve to draw.")
    for what, values in (
        ("metric", {c.metric.name for c in as_given}),
        ("axis", {c.along for c in as_given}),
    ):
        if len(values) > 1:
            raise DataError(
                f"{who}: curves in one picture share the {what}, got {', '.join(sorted(values))}."
            )
    return as_given


def draw_curves(
    ax: Axes, curves: Sequence[Curve], label: str, *, mark: bool
) -> tuple[Any, list[Any], list[Any]]:
    """Test means solid with the interval of the mean, training means dashed; returns axes, lines and bands.

    ``mark`` puts a ring on the best tick of each test curve.
    """
    ax = axes_for(ax, (6.2, 4.2))
    lines, bands = [], []
    for k, curve in enumerate(curves):
        x = Scale.at(curve.ticks)[1]
        look: dict[str, Any] = {
            "color": class_colour(k),
            "lw": 1.7,
            "marker": "osD^v"[k % 5],
            "ms": 4,
            **ON_TOP,
        }
        name = legend_name(curve.learner)
        lines += ax.plot(x, curve.test_mean, label=f"{name}, rows not seen", **look)
        lines += ax.plot(
            x, curve.train_mean, label=f"{name}, rows it learned from", ls="--", **{**look, "lw": 1.1}
        )
        low, high = np.clip(curve.band, *curve.metric.bounds).T
        bands.append(ax.fill_between(x, low, high, color=class_colour(k), alpha=0.15, lw=0))
        if mark:
            ring: dict[str, Any] = {"mfc": "none", "mec": class_colour(k), "mew": 1.6, "ms": 11}
            ax.plot([x[curve.best]], [curve.test_mean[curve.best]], "o", **ring)
    ticks = [np.asarray(curve.ticks) for curve in curves]
    numbers = all(np.issubdtype(each.dtype, np.number) for each in ticks)
    scale, _ = Scale.at(np.unique(np.concatenate(ticks)) if numbers else ticks[-1])
    bounds = curves[0].metric.bounds
    reached = [np.clip(v, *bounds) for c in curves for v in (c.test_mean, c.train_mean, *c.band.T)]
    Scale.over(np.concatenate(reached), within=bounds).draw(ax, "y")
    replace(scale, names=[legend_name(name, 16) for name in scale.names or ()]).draw(ax, "x")
    ax.set(xlabel=label, ylabel=curves[0].metric.name)
    ax.tick_params(color=FAINT)
    curve_legend(ax, "best", frameon=False)
    bare(ax)
    draw_literally(ax)
    return ax, lines, bands
