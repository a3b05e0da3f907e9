"""Where pictures are drawn: matplotlib, brought in only when something is drawn."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from assay.core.palette import shade
from assay.errors import MissingExtraError
from assay.types import Axes, Estimator

__all__ = ["amounts", "axes_for", "names_of", "own_width", "pyplot"]

_WIDTHS: WeakKeyDictionary[Any, float] = WeakKeyDictionary()  # figures made here, and how wide they began


def pyplot() -> Any:
    """Matplotlib's pyplot, which pictures alone need; a sentence where it is not installed."""
    try:
        import matplotlib.pyplot as plt
    except ModuleNotFoundError:
        raise MissingExtraError('Pictures need one more package: pip install "assay[plot]".') from None
    return plt


def axes_for(ax: Axes | None, size: tuple[float, float]) -> Any:
    """The axes given, or those of a new figure of some inches."""
    plt = pyplot()
    if ax is not None:
        return ax
    figure, ax = plt.subplots(figsize=size, layout="constrained")
    _WIDTHS[figure] = size[0]
    return ax


def own_width(figure: Any) -> float | None:
    """Inches across that a figure made by ``axes_for`` began with; None for a figure that was given."""
    return _WIDTHS.get(figure)


def amounts() -> Any:
    """The colours of numbers, from the least to the greatest, as matplotlib's colour map."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("amounts", [shade(s) for s in np.linspace(0, 1, 65)])


def names_of(model: Estimator, d: int) -> list[str]:
    """The names of a fitted model's columns; x0, x1, ... if it has none."""
    if hasattr(model, "schema_") and len(model.schema_) == d:
        return list(model.schema_.names)
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(d)] if names is None or len(names) != d else [str(name) for name in names]
