"""How learning and complexity curves of several learners are drawn into one picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, bare, curve_legend, draw_literally, legend_name

if TYPE_CHECKING:
    from assay.evaluate.curves import Curve

__all__ = ["as_list", "draw_curves"]


def as_list(curves: Any, who: str) -> list[Curve]:
    """One curve or several, of one metric along one axis."""
    given = [curves] if hasattr(curves, "test_scores") else list(curves)
    if not given:
        raise DataError(f"{who}: there is no curve to draw.")
    for what, found in (("metric", {c.metric.name for c in given}), ("axis", {c.along for c in given})):
        if len(found) > 1:
            raise DataError(f"{who}: curves in one picture share the {what}, got {', '.join(sorted(found))}.")
    return given


def draw_curves(
    ax: Any, curves: Sequence[Curve], label: str, *, mark: bool
) -> tuple[Any, list[Any], list[Any]]:
    """Test means solid with the interval of the mean, training means dashed; returns axes, lines and bands.

    ``mark`` puts a ring on the best tick of each test curve.
    """
    ax = axes_for(ax, (6.2, 4.2))
    lines, bands = [], []
    for k, curve in enumerate(curves):
        x, names = _places(curve.ticks)
        look = {"color": class_colour(k), "lw": 1.7, "marker": "osD^v"[k % 5], "ms": 4}
        name = legend_name(curve.learner)
        lines += ax.plot(x, curve.test_mean, label=f"{name}, rows not seen", **look)
        lines += ax.plot(
            x, curve.train_mean, label=f"{name}, rows it learned from", ls="--", **{**look, "lw": 1.1}
        )
        low, high = np.clip(curve.band, *curve.metric.bounds).T
        bands.append(ax.fill_between(x, low, high, color=class_colour(k), alpha=0.15, lw=0))
        if mark:
            ring = {"mfc": "none", "mec": class_colour(k), "mew": 1.6, "ms": 11}
            ax.plot([x[curve.best]], [curve.test_mean[curve.best]], "o", **ring)
        if names is not None:
            ax.set_xticks(x, names)
        elif len(x) > 2 and (x > 0).all() and np.ptp(np.diff(x)) > 0 and x.max() / x.min() >= 20:
            ax.set_xscale("log")
    ax.set(xlabel=label, ylabel=curves[0].metric.name)
    ax.tick_params(color=FAINT)
    curve_legend(ax, "best", frameon=False)
    bare(ax)
    draw_literally(ax)
    return ax, lines, bands


def _places(ticks: np.ndarray) -> tuple[np.ndarray, list[str] | None]:
    """Numbers stand where they are; words, and numbers mixed with None, one after another."""
    if np.issubdtype(np.asarray(ticks).dtype, np.number):
        return np.asarray(ticks, dtype=np.float64), None
    return np.arange(len(ticks), dtype=np.float64), [legend_name(tick, 16) for tick in ticks]
