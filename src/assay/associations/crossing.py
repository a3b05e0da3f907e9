"""Two item sets crossed: how many baskets hold both, one of them, or neither."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import DataError

__all__ = ["Crossing"]


@dataclass(frozen=True)
class Crossing:
    """The four cells of a table of two yes-or-no questions: is X in the basket, and is Y?

    Parameters
    ----------
    xy : array of the baskets (or their weight) that hold X and Y
    x, y : array of those that hold X, and of those that hold Y
    n : all baskets

    Examples
    --------
    >>> from assay.associations.crossing import Crossing
    >>> cells = Crossing(3, 4, 5, 6)
    >>> float(cells.only_x), float(cells.only_y), float(cells.neither), float(cells.excess)
    (1.0, 2.0, 0.0, -2.0)
    """

    xy: np.ndarray
    x: np.ndarray
    y: np.ndarray
    n: np.ndarray

    def __post_init__(self) -> None:
        fields = ("xy", "x", "y", "n")
        arrays = np.broadcast_arrays(*(np.asarray(getattr(self, f), np.float64) for f in fields))
        for field, array in zip(fields, arrays):
            object.__setattr__(self, field, array)
        # Weighted counts are sums in some order, so that both sides may differ by rounding.
        slack = 1e-9 * np.abs(self.n)
        fits = (self.xy >= 0) & (self.xy <= np.minimum(self.x, self.y) + slack)
        fits &= (np.maximum(self.x, self.y) <= self.n + slack) & (self.n > 0) & np.isfinite(self.n)
        fits &= self.x + self.y - self.xy <= self.n + slack
        if not fits.all():
            i = np.unravel_index(int(np.argmin(fits)), fits.shape)
            raise DataError(
                f"interest: {self.xy[i]:g} baskets with X and Y, {self.x[i]:g} with X and {self.y[i]:g} with Y out of "
                f"{self.n[i]:g} cannot be. Expected 0 <= both <= each, and each together with the other <= all."
            )
        for field in ("x", "y"):
            object.__setattr__(self, field, np.minimum(getattr(self, field), self.n))
        object.__setattr__(self, "xy", np.minimum(self.xy, np.minimum(self.x, self.y)))

    @property
    def only_x(self) -> np.ndarray:
        """Baskets with X and without Y."""
        return np.maximum(self.x - self.xy, 0.0)

    @property
    def only_y(self) -> np.ndarray:
        """Baskets with Y and without X."""
        return np.maximum(self.y - self.xy, 0.0)

    @property
    def neither(self) -> np.ndarray:
        """Baskets without X and without Y."""
        return np.maximum(self.n - self.x - self.y + self.xy, 0.0)

    @property
    def excess(self) -> np.ndarray:
        """n xy - x y, exactly zero where X and Y are independent; n^2 times the leverage."""
        return self.n * self.xy - self.x * self.y
