"""Projection of points on a direction."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import ParameterError
from assay.stats.checks import as_points


def scalar_projection(x: ArrayLike, w: ArrayLike) -> NDArray[np.float64]:
    r"""How far x, (d,) or (n, d), lies along w: :math:`z = w^T x / \|w\|`.

    The length of w does not matter, its sense does.

    >>> float(scalar_projection([2, 1], w=[3, 4]))
    2.0
    """
    w = _direction(w, "scalar_projection")
    return as_points(x, "scalar_projection") @ (w / np.linalg.norm(w))


def vector_projection(x: ArrayLike, w: ArrayLike) -> NDArray[np.float64]:
    r"""The foot of the perpendicular from x on the line of w: :math:`p = z\,w/\|w\|`.

    >>> vector_projection([2, 1], w=[3, 4])
    array([1.2, 1.6])
    """
    w = _direction(w, "vector_projection")
    return scalar_projection(x, w)[..., None] * (w / np.linalg.norm(w))


def _direction(w: ArrayLike, who: str) -> NDArray[np.float64]:
    w = as_points(w, who)
    if w.ndim != 1 or not w.any():
        raise ParameterError(f"w must be a vector other than zero, got {w}.", who=who)
    return w / np.abs(w).max()  # so that squaring neither overflows nor vanishes
