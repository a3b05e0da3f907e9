"""The geometry of a hyperplane: distances, projections, and points to plot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DataError, ParameterError
from assay.linear.affine import length

__all__ = ["Hyperplane"]


@dataclass(frozen=True, eq=False)
class Hyperplane:
    r"""All x with :math:`g(x) = w^Tx + w_0 = 0`; w points to the positive side.

    .. math:: r(x) = \frac{g(x)}{\lVert w\rVert},\qquad x_p = x - r(x)\frac{w}{\lVert w\rVert},\qquad
              r_0 = \frac{w_0}{\lVert w\rVert}                                                        \quad (1)

    are the signed distance of x, the foot of its perpendicular, and the signed distance of the origin.

    Parameters
    ----------
    normal : (d,) w, not zero      offset : float, w_0

    Examples
    --------
    >>> from assay.linear import Hyperplane
    >>> plane = Hyperplane([3.0, 4.0], -10.0)
    >>> round(float(plane.distance([4.0, 3.0])), 12), plane.origin_distance
    (2.8, -2.0)
    >>> plane.project([4.0, 3.0])
    array([2.32, 0.76])
    """

    normal: NDArray[np.float64]
    offset: float = 0.0

    def __post_init__(self) -> None:
        w = np.asarray(self.normal, dtype=np.float64)
        if w.ndim != 1 or not w.any() or not np.isfinite(w).all():
            raise ParameterError(f"Hyperplane: normal must be a vector of numbers, not all zero, got {w}.")
        if not np.isfinite(self.offset):
            raise ParameterError(f"Hyperplane: offset must be a number, got {self.offset}.")
        object.__setattr__(self, "normal", w)
        object.__setattr__(self, "offset", float(self.offset))

    def __eq__(self, other: object) -> bool:
        """Whether weights and offset are the same; a multiple of them is the same plane, but other scores."""
        if not isinstance(other, Hyperplane):
            return NotImplemented
        return np.array_equal(self.normal, other.normal) and self.offset == other.offset

    def __hash__(self) -> int:
        return hash((*self.normal.tolist(), self.offset))

    @property
    def length(self) -> float:
        """The norm of the normal."""
        return float(length(self.normal))

    @property
    def origin_distance(self) -> float:
        """The signed distance of the origin, r_0 of (1); positive if it lies where w points."""
        return self.offset / self.length

    def score(self, x: ArrayLike) -> NDArray[np.float64]:
        """g(x) of x, (d,) or (n, d)."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self._points(x) @ self.normal + self.offset

    def distance(self, x: ArrayLike) -> NDArray[np.float64]:
        """r(x) of (1): positive on the side where w points."""
        return self._points(x) @ (self.normal / self.length) + self.origin_distance

    def project(self, x: ArrayLike) -> NDArray[np.float64]:
        """x_p of (1), the nearest point of the plane."""
        x = self._points(x)
        return x - np.multiply.outer(self.distance(x), self.normal / self.length)

    def _points(self, x: ArrayLike) -> NDArray[np.float64]:
        points = np.asarray(x, dtype=np.float64)
        if points.ndim not in (1, 2) or points.shape[-1] != len(self.normal):
            raise DataError(
                f"Hyperplane: expected points of {len(self.normal)} numbers, got an array of shape {points.shape}."
            )
        return points

    def line(self, xlim: tuple[float, float], ylim: tuple[float, float]) -> NDArray[np.float64] | None:
        """In two dimensions: (2, 2) the ends of the line inside a box; None if it passes outside.

        >>> from assay.linear import Hyperplane
        >>> Hyperplane([1.0, 1.0], -1.0).line((0.0, 2.0), (0.0, 2.0))
        array([[0., 1.],
               [1., 0.]])
        """
        if len(self.normal) != 2:
            raise ParameterError(f"Hyperplane: line needs two dimensions, the plane has {len(self.normal)}.")
        a, b = self.normal
        xlim, ylim = (min(xlim), max(xlim)), (min(ylim), max(ylim))  # an axis may run backwards
        ends = set()
        with np.errstate(over="ignore"):  # a line that is nearly upright meets the sides far away
            for x in xlim if b else ():
                ends.add((float(x), float(-(a * x + self.offset) / b)))
            for y in ylim if a else ():
                ends.add((float(-(b * y + self.offset) / a), float(y)))
        slack = 1e-9 * max(xlim[1] - xlim[0], ylim[1] - ylim[0])
        inside = sorted(
            p
            for p in ends
            if xlim[0] - slack <= p[0] <= xlim[1] + slack and ylim[0] - slack <= p[1] <= ylim[1] + slack
        )
        return np.array([inside[0], inside[-1]]) if len(inside) > 1 else None
