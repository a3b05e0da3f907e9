"""Features of states that are numbers: tiles that overlap, and radial basis functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parameters import check_count
from assay.errors import DataError, ParameterError
from assay.reinforcement.outcomes import numbers_of
from assay.stats.checks import is_number

__all__ = ["RadialFeatures", "TileCoding"]


class _Features:
    """A function of a state, (p,) numbers, that gives ``n_features`` numbers."""

    n_features: int

    def __call__(self, state: ArrayLike) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define __call__")

    def _read(self, low: ArrayLike, high: ArrayLike) -> None:
        try:
            self.low, self.high = (np.atleast_1d(numbers_of(v)) for v in (low, high))
        except (TypeError, ValueError):
            self.low, self.high = np.zeros(1), np.zeros(1)
        fits = self.low.ndim == 1 and self.low.shape == self.high.shape and len(self.low)
        if not fits or not np.isfinite([self.low, self.high]).all() or not (self.low < self.high).all():
            raise ParameterError(
                f"{type(self).__name__}: low must be numbers below high, one for each number of a state."
            )

    def _place(self, state: ArrayLike) -> np.ndarray:
        """Where a state lies in the box, from 0 to 1; outside, at its rim."""
        given = np.asarray(state)
        x = np.atleast_1d(given.astype(np.float64)) if given.dtype.kind in "biuf" else np.zeros((0, 0))
        if x.shape != self.low.shape or not np.isfinite(x).all():
            raise DataError(
                f"{type(self).__name__}: a state must be {len(self.low)} finite numbers, got {state!r}."
            )
        return np.minimum(np.maximum((x - self.low) / (self.high - self.low), 0.0), 1.0)


class TileCoding(_Features):
    """Several grids over the states, each shifted a little: in each one the tile that holds the state has feature 1.

    States that are near share most of their tiles, so that what is learned of one holds for the other.

    Parameters
    ----------
    low, high : (p,) the box of the states
    bins : int, default 8
        Tiles of a grid in each direction.
    tilings : int, default 8
        Grids.

    Examples
    --------
    >>> from assay.reinforcement import TileCoding
    >>> tiles = TileCoding([0.0], [1.0], bins=4, tilings=2)
    >>> tiles.n_features, tiles([0.3]).nonzero()[0].tolist(), tiles([0.45]).nonzero()[0].tolist()
    (10, [1, 6], [1, 7])

    See Also
    --------
    RadialFeatures, LinearSarsa

    References
    ----------
    - Sutton, R. S. and Barto, A. G. (2018). Reinforcement Learning: An Introduction, second edition, section 9.5. MIT
      Press.
    """

    def __init__(self, low: ArrayLike, high: ArrayLike, *, bins: int = 8, tilings: int = 8):
        self._read(low, high)
        for name, number in (("bins", bins), ("tilings", tilings)):
            check_count("TileCoding", name, number)
        self.bins, self.tilings = int(bins), int(tilings)
        p = len(self.low)
        self.n_features = self.tilings * (self.bins + 1) ** p
        self._shift = np.outer(np.arange(self.tilings), 2 * np.arange(p) + 1) % self.tilings / self.tilings
        self._step = (self.bins + 1) ** np.arange(p)

    def active(self, state: ArrayLike) -> np.ndarray:
        """(tilings,) the numbers of the features that are 1."""
        tile = np.floor(self._place(state) * self.bins + self._shift).astype(np.int64)
        return tile @ self._step + np.arange(self.tilings) * (self.bins + 1) ** len(self.low)

    def __call__(self, state: ArrayLike) -> np.ndarray:
        row = np.zeros(self.n_features)
        row[self.active(state)] = 1.0
        return row


class RadialFeatures(_Features):
    r"""Bells on a grid of centres, :math:`e^{-\|x - c\|^2/2s^2}`, scaled to sum 1, and a constant.

    Parameters
    ----------
    low, high : (p,) the box of the states
    bins : int, default 5
        Centres in each direction.
    width : float, default 1.0
        s, in steps of the grid.

    Examples
    --------
    >>> from assay.reinforcement import RadialFeatures
    >>> RadialFeatures([0.0], [1.0], bins=3)([0.5]).round(4)
    array([1.    , 0.2741, 0.4519, 0.2741])

    See Also
    --------
    TileCoding, LinearSarsa

    References
    ----------
    - Moody, J. and Darken, C. J. (1989). Fast learning in networks of locally-tuned processing units. Neural
      Computation 1(2), 281-294.
    """

    def __init__(self, low: ArrayLike, high: ArrayLike, *, bins: int = 5, width: float = 1.0):
        self._read(low, high)
        check_count("RadialFeatures", "bins", bins, low=2)
        if not (is_number(width) and width > 0):
            raise ParameterError(f"RadialFeatures: width must be a number above 0, got {width!r}.")
        self.bins, self.width = int(bins), float(width)
        axes: Any = [np.linspace(0, 1, self.bins)] * len(self.low)
        self._centres = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(self.low))
        self.n_features = len(self._centres) + 1

    def __call__(self, state: ArrayLike) -> np.ndarray:
        square = ((self._place(state) - self._centres) ** 2).sum(axis=1) * (self.bins - 1) ** 2
        bells = np.exp(-(square - square.min()) / (2 * self.width**2))
        return np.concatenate([[1.0], bells / bells.sum()])
