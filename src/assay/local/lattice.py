"""Places of units on a map: chains, rings, grids of squares and of hexagons."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.errors import ParameterError

__all__ = ["TOPOLOGIES", "Lattice"]

TOPOLOGIES = ("grid", "hexagonal", "chain", "ring")


@dataclass(frozen=True)
class Lattice:
    """Where units stand on a map, and which are neighbours.

    Parameters
    ----------
    shape : (rows, columns)      topology : "grid", "hexagonal", "chain" or "ring"

    Examples
    --------
    >>> from assay.local.lattice import Lattice
    >>> Lattice((1, 4), "ring").gaps()[0]
    array([0., 1., 4., 1.])
    """

    shape: tuple[int, int]
    topology: str

    @classmethod
    def of(cls, shape: int | tuple[int, int], topology: str, who: str) -> Lattice:
        """A lattice by what a user says; chains and rings have one row."""
        sides = (1, shape) if isinstance(shape, (int, np.integer)) else tuple(shape)
        whole = len(sides) == 2 and all(
            isinstance(s, (int, np.integer)) and not isinstance(s, bool) and s >= 1 for s in sides
        )
        if not whole:
            raise ParameterError(
                f"{who}: shape must be a number of units, or (rows, columns), got {shape!r}."
            )
        if topology in ("chain", "ring") and min(sides) > 1:
            raise ParameterError(f"{who}: a {topology} has one number of units, got {shape!r}.")
        if topology in ("chain", "ring"):
            sides = (1, max(sides))
        return cls((int(sides[0]), int(sides[1])), topology)

    @property
    def size(self) -> int:
        """The number of units."""
        return self.shape[0] * self.shape[1]

    def places(self) -> np.ndarray:
        """(U, 2) row and column of each unit on the map; rows of hexagons are closer, every second one is shifted."""
        row, column = np.divmod(np.arange(self.size), self.shape[1])
        if self.topology == "hexagonal":
            return np.column_stack([row * np.sqrt(0.75), column + 0.5 * (row % 2)])
        if self.topology == "ring":
            turn = 2 * np.pi * column / self.size
            radius = self.size / (2 * np.pi)
            return radius * np.column_stack([np.sin(turn), np.cos(turn)])
        return np.column_stack([row, column]).astype(np.float64)

    def gaps(self, bubble: bool = False) -> np.ndarray:
        """(U, U) squared distances on the map; for a bubble, steps (the larger of rows and columns)."""
        if self.topology == "ring":
            apart = np.abs(np.subtract.outer(np.arange(self.size), np.arange(self.size)))
            steps = np.minimum(apart, self.size - apart).astype(np.float64)
            return steps if bubble else steps**2
        row, column = (np.subtract.outer(place, place) for place in self.places().T)
        if bubble and self.topology != "hexagonal":
            return np.maximum(np.abs(row), np.abs(column))
        row *= row
        column *= column
        row += column
        return np.sqrt(row) if bubble else row

    def adjacent(self) -> np.ndarray:
        """(U, U) bool, which units share a link: four neighbours on a grid, six among hexagons."""
        gaps = self.gaps()
        return (gaps > 0) & (gaps < 1 + 1e-9)
