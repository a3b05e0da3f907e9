"""Smoothing splines through the same rows for any λ, and the choice of λ."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import assay.smoothers._reinsch as _reinsch
from assay.errors import DegenerateError

__all__ = ["LEFT", "Splines", "spline_at"]

LOOKS, STEPS = 61, 45  # how many λ the first look has, and how many steps the nearer one
LEFT = 0.25  # degrees of freedom that the noise must keep: where both go to 0, their ratio says nothing
GOLDEN = (5**0.5 - 1) / 2


def spline_at(
    x: np.ndarray, y: np.ndarray, w: np.ndarray, lam: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values and bends of the spline at its knots, and how much each knot decides its own value.

    Parameters
    ----------
    x : (m,) rising      y : (m,)      w : (m,) above 0      lam : λ
    """
    m = len(x)
    g, c, leverage = np.empty(m), np.zeros(m), np.ones(m)
    if m <= 2:
        return y.copy(), c, leverage
    x, w, lam, unit = in_units(x, w, lam)
    _reinsch.smooth(x=x, y=y, w=w, penalty=lam, g=g, c=c, leverages=leverage)
    with np.errstate(over="ignore"):
        c /= unit
        c /= unit
    if not (np.isfinite(g).all() and np.isfinite(c).all() and np.isfinite(leverage).all()):
        raise DegenerateError(
            "SmoothingSpline: some x are too near to each other for a curve through both. Round them first, or divide "
            f"by their spread: they span about {unit:.2g}."
        )
    return g, c, leverage


def in_units(x: np.ndarray, w: np.ndarray, lam: float) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Knots, weights and λ of the same spline in units in which none is very large or small, and the unit of x.

    The units are powers of 2, so that nothing is rounded.
    """
    unit = float(np.ldexp(1.0, np.frexp(x[-1] - x[0])[1]))
    weight = float(np.ldexp(1.0, np.frexp(w.max())[1]))
    return x / unit, w / weight, lam / weight / unit / unit / unit, unit


class Splines:
    """The rows as knots: one for each distinct x, at the mean of its numbers, with the sum of their weights.

    Attributes
    ----------
    x, y, w : (m,) the knots, their means and weights
    """

    def __init__(self, x: np.ndarray, y: np.ndarray, counts: np.ndarray | None):
        counted = np.ones(len(x), bool) if counts is None else counts > 0
        self.counts = np.ones(len(x)) if counts is None else counts[counted]
        self.numbers = y[counted]
        self.x, self.place = np.unique(x[counted], return_inverse=True)
        self.w = np.bincount(self.place, self.counts)
        self.y = np.bincount(self.place, self.counts * self.numbers) / self.w
        self.total = float(self.w.sum())
        self.unit = float(np.abs(self.numbers).max(initial=0.0)) or 1.0  # in which squares are numbers

    def at(self, lam: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The spline for one λ."""
        return spline_at(self.x, self.y, self.w, lam)

    def error(self, lam: float, way: str, charge: float = 1.0) -> float:
        """The criterion "gcv", in which a degree of freedom counts as ``charge``, or "loo"."""
        g, _, leverage = self.at(lam)
        squares = self.counts * ((self.numbers - g[self.place]) / self.unit) ** 2
        if way == "gcv":
            left = 1 - charge * leverage.sum() / self.total
            return np.inf if left < LEFT else float(squares.sum() / self.total / left**2)
        left = 1 - (leverage / self.w)[self.place] * np.minimum(self.counts, 1.0)  # of a double row, one
        return np.inf if (left < 1e-12).any() else float(np.sum(squares / left**2) / self.total)

    def best(self, way: str, charge: float = 1.0) -> float:
        """The λ with the least error."""
        low, high = self._ends()
        places = np.linspace(high, low, LOOKS)  # of equals the smoothest
        errors = [self.error(np.exp(v), way, charge) for v in places]
        k = int(np.argmin(errors))
        if np.isinf(errors[k]):
            raise DegenerateError(
                f'SmoothingSpline: the rows count as {self.total:.3g}, too few to choose λ by "{way}". Give '
                "lam, or more rows."
            )
        a, b = places[min(k + 1, LOOKS - 1)], places[max(k - 1, 0)]
        best = _lowest(lambda v: self.error(np.exp(v), way, charge), a, b)
        return float(np.exp(best if self.error(np.exp(best), way, charge) < errors[k] else places[k]))

    def with_freedom(self, df: float) -> float:
        """The λ whose leverages add up to df."""
        low, high = self._ends()
        high += 14.0
        for _ in range(2 * STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.at(np.exp(middle))[2].sum() > df else (low, middle)
        return float(np.exp((low + high) / 2))

    def _ends(self) -> tuple[float, float]:
        """log λ of a curve that follows every knot, and of a line."""
        unit = np.log(self.total) + 3 * np.log(self.x[-1] - self.x[0])  # a slow wave: both sums alike
        low, high = float(unit - 4 * np.log(len(self.x)) - 12), float(unit + 5)
        if low < -690 or high > 690:
            raise DegenerateError(
                f"SmoothingSpline: x spans {self.x[-1] - self.x[0]:.3g} and the weights sum to {self.total:.3g}, so "
                "λ is no number. Divide x by its spread and the weights by their mean."
            )
        return low, high


def _lowest(f: Callable[[float], float], a: float, b: float) -> float:
    """The lowest place between a and b by golden sections."""
    c, d = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
    at_c, at_d = f(c), f(d)
    for _ in range(STEPS):
        if at_c < at_d:
            b, d, at_d = d, c, at_c
            c = b - GOLDEN * (b - a)
            at_c = f(c)
        else:
            a, c, at_c = c, d, at_d
            d = a + GOLDEN * (b - a)
            at_d = f(d)
    return (a + b) / 2
