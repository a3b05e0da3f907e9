"""The style of plots: colours, line styles, and names without mathtext."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from assay.core.palette import CLASS_COLOURS, class_colour
from assay.core.targets import is_missing
from assay.core.words import one_line
from assay.plots.canvas import axes_for, own_width
from assay.types import Axes

__all__ = [
    "FAINT",
    "INK",
    "ON_TOP",
    "PALE",
    "bare",
    "classes_with_rows",
    "coloured_axes",
    "curve_legend",
    "draw_literally",
    "legend_name",
    "line_look",
    "short_labels",
    "with_ends",
]

INK = "#15202b"  # text and data
FAINT = "#5f6975"  # reference lines, ticks
PALE = "#dfe4ea"  # regions, bands
ON_TOP: dict[str, Any] = {
    "clip_on": False,
    "zorder": 3,
}  # a line along an axis is seen, not half hidden by it
MAX_INSIDE = 6  # names in a legend that lies on the curves
MARGINS = 1.0  # inches that labels and ticks take from a picture's width
LINES = ("-", "--", "-.", ":")


def coloured_axes(ax: Axes | None, size: tuple[float, float]) -> Any:
    """The axes given, or new ones whose lines take the palette's colours, one after another."""
    if ax is not None:
        return ax
    ax = axes_for(None, size)
    ax.set_prop_cycle(color=CLASS_COLOURS)
    return ax


def line_look(k: int) -> dict[str, Any]:
    """The look of line number k: neighbours differ in colour and in style, so that print shows them too.

    >>> from assay.plots.looks import line_look
    >>> line_look(1)
    {'color': '#e69f00', 'linestyle': '--', 'linewidth': 1.6}
    """
    return {"color": class_colour(k), "linestyle": LINES[k % len(LINES)], "linewidth": 1.6}


def legend_name(name: object, limit: int = 40) -> str:
    """A name in one short line; matplotlib hides names that begin with an underscore, so a space goes before.

    >>> from assay.plots.looks import legend_name
    >>> legend_name("_private"), legend_name("a name that is much too long", 12)
    (' _private', 'a name th...')
    """
    line = one_line(name, limit)
    return " " + line if line.startswith("_") else line


def classes_with_rows(y: Any) -> list[tuple[Any, np.ndarray, str]]:
    """Each class of y, which rows are of it, and its colour, in sorted order; last, in grey, rows without a class.

    >>> from assay.plots.looks import classes_with_rows
    >>> [(label, rows.tolist()) for label, rows, _ in classes_with_rows(["b", None, "a"])]
    [('a', [False, False, True]), ('b', [True, False, False]), ('missing', [False, True, False])]
    """
    labels = np.asarray(y)
    missing = np.array([is_missing(label) for label in labels.tolist()], dtype=bool)
    known = labels[~missing]
    try:
        classes = list(np.unique(known))
    except TypeError:  # words and numbers, which have no order
        classes = sorted(set(known.tolist()), key=lambda label: (type(label).__name__, str(label)))
    groups: list[tuple[Any, np.ndarray, str]] = []
    for k, label in enumerate(classes):
        rows = ~missing
        rows[rows] = known == label
        groups.append((label, rows, class_colour(k)))
    return [*groups, ("missing", missing, FAINT)] if missing.any() else groups


def curve_legend(ax: Any, loc: str, max_names: int = MAX_INSIDE, **look: Any) -> None:
    """The legend of curves: among them, or beside them where many or long names would cover them.

    A new figure grows by the names' width, if there are more than ``max_names``; the user's figure keeps its size.
    """
    inside, width = ax.legend(loc=loc, **look), own_width(ax.figure)
    fits = len(inside.get_texts()) <= (MAX_INSIDE if width is None else max_names)
    if fits and (width is None or _inches(inside) <= width - MARGINS):
        return
    beside = ax.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    ax.set_anchor("W")  # a square leaves its room at the right to the names
    if width is not None:
        ax.figure.set_figwidth(width + _inches(beside) + 0.3)


def _inches(legend: Any) -> float:
    """How wide a legend is, its names taken as they are written."""
    import warnings

    for text in legend.get_texts():
        text.set_parse_math(False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # matplotlib warns of missing glyphs when drawing
        return float(legend.get_window_extent().width) / legend.figure.dpi


def short_labels(ax: Axes) -> None:
    """Axis labels that name a class in one line, whatever the class is called."""
    for label in (ax.xaxis.label, ax.yaxis.label):
        label.set_text(one_line(label.get_text(), 70))


def with_ends(estimate: Any) -> str:
    """A value and the ends of its interval, if it has one.

    >>> from assay.metrics import Estimate
    >>> from assay.plots.looks import with_ends
    >>> with_ends(Estimate(0.84, 0.41, 0.975)), with_ends(Estimate(0.84))
    ('0.840, 0.410 to 0.975', '0.840')
    """
    has_interval = not (math.isnan(estimate.low) or math.isnan(estimate.high))
    return f"{estimate.value:.3f}" + (f", {estimate.low:.3f} to {estimate.high:.3f}" if has_interval else "")


def draw_literally(ax: Any, more: Iterable[Any] = ()) -> None:
    """Names are names: ``$`` in a title, label, legend, text or named tick starts no formula."""
    from matplotlib.ticker import FixedFormatter, FuncFormatter

    texts = [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts, *more]
    if ax.get_legend() is not None:
        texts += [ax.get_legend().get_title(), *ax.get_legend().get_texts()]
    for axis in (ax.xaxis, ax.yaxis):
        if isinstance(axis.get_major_formatter(), (FixedFormatter, FuncFormatter)):  # ticks that are names
            texts += axis.get_ticklabels()
    for text in texts:
        text.set_parse_math(False)


def bare(ax: Axes) -> None:
    """No frame above and at the right."""
    ax.spines[["top", "right"]].set_visible(False)
