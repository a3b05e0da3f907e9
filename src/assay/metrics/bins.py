"""Bins of predicted probabilities: equal values, equal width, equal mass."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.errors import ParameterError

__all__ = ["binned", "grouped"]


def grouped(p: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(m,) mass, forecast and mean outcome of equal forecasts, rising.

    >>> import numpy as np
    >>> from assay.metrics.bins import grouped
    >>> grouped(np.array([0.5, 0.1, 0.5]), np.array([1.0, 0.0, 0.0]), np.ones(3))
    (array([1., 2.]), array([0.1, 0.5]), array([0. , 0.5]))
    """
    order = np.argsort(p, kind="stable")
    p, y, w = p[order], y[order], w[order]
    starts = np.append(0, np.flatnonzero(np.diff(p)) + 1)
    mass = np.add.reduceat(w, starts)
    return mass, p[starts], np.add.reduceat(w * y, starts) / mass


def binned(
    p: np.ndarray, y: np.ndarray, w: np.ndarray, bins: Any, strategy: str, who: str = "bins"
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Mass, mean forecast and mean outcome of the bins that hold rows; each row's bin; the edges.

    "uniform" cuts 0..1 into equal widths, upper edges inside; "quantile" cuts where each bin gets about as many rows,
    equal forecasts staying together.

    >>> import numpy as np
    >>> from assay.metrics.bins import binned
    >>> binned(np.array([0.1, 0.2, 0.9]), np.array([0.0, 1.0, 1.0]), np.ones(3), 2, "uniform")[:3]
    (array([2., 1.]), array([0.15, 0.9 ]), array([0.5, 1. ]))
    """
    check_count(who, "bins", bins)
    if strategy == "uniform":
        edges = np.linspace(0, 1, bins + 1)
    elif strategy == "quantile":
        cuts = np.quantile(p, np.linspace(0, 1, bins + 1)[1:], method="inverted_cdf")
        edges = np.append(-np.inf, np.unique(cuts))
    else:
        raise ParameterError(f"strategy must be uniform or quantile, got {strategy!r}.", who=who)
    place = np.clip(np.searchsorted(edges, p, side="left") - 1, 0, len(edges) - 2)
    mass = np.bincount(place, weights=w, minlength=len(edges) - 1)
    filled = mass > 0
    number = np.cumsum(filled) - 1
    sums = [np.bincount(place, weights=w * v, minlength=len(edges) - 1)[filled] for v in (p, y)]
    return mass[filled], sums[0] / mass[filled], sums[1] / mass[filled], number[place], edges
