"""What maps of units on a lattice share: the nearest unit of a row, pictures of the map, and how well it lies."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Transformer
from assay.core.stored import Each, FloatArray, Plain, Scalar
from assay.distances.squared_rows import SquaredRows
from assay.errors import DataError
from assay.local.lattice import Lattice
from assay.local.units import NUMBERS_AT_A_TIME, nearest_units, squared_distances
from assay.types import TableLike

__all__ = ["UnitMap", "map_errors", "plane_units"]


class UnitMap(SquaredRows, Transformer):
    """Base of maps: units on a lattice, row by row."""

    stored = {
        "units_": FloatArray("U", "p", finite=True),
        "history_": Each(Plain(dict)),
        "quantization_error_": Scalar(),
        "topographic_error_": Scalar(),
    }
    units_: np.ndarray
    topology: str

    @property
    def _lattice(self) -> Lattice:
        raise TypeError(f"{type(self).__name__} must define _lattice")

    def _refuse_other_size(self, lattice: Lattice) -> None:
        if "units_" in vars(self) and len(self.units_) != lattice.size:
            raise DataError(
                f"{type(self).__name__}: a map of the shape {lattice.shape} has no {len(self.units_)} units."
            )

    def _keep(self, units: np.ndarray, errors: np.ndarray) -> None:
        """The units, and what :func:`map_errors` says of them."""
        self.units_ = units
        self.quantization_error_, self.topographic_error_ = (errors[1:] / errors[0]).tolist()

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the number of the nearest unit of each row, row by row of the map."""
        return nearest_units(self._admit(X), self.units_)

    def hits(self, X: TableLike) -> np.ndarray:
        """(rows, columns) how many rows each unit is the nearest of."""
        lattice = self._lattice
        return np.bincount(self.predict(X), minlength=lattice.size).reshape(lattice.shape)

    def distance_map(self) -> np.ndarray:
        """(rows, columns) the mean distance of each unit to its neighbours on the map: high between groups."""
        lattice = self._lattice
        links, apart = lattice.adjacent(), np.sqrt(squared_distances(self.units_, self.units_))
        means = (apart * links).sum(axis=1) / np.maximum(links.sum(axis=1), 1)
        return means.reshape(lattice.shape)

    def _transform(self, X: Any) -> np.ndarray:
        """(n, 2) the place on the map (row, column) of the nearest unit; (n, 1) along a chain or ring."""
        unit = nearest_units(X, self.units_)
        if self.topology in ("chain", "ring"):
            return unit[:, None].astype(np.float64)
        return self._lattice.places()[unit]

    def _names_out(self) -> list[str]:
        return ["map position"] if self.topology in ("chain", "ring") else ["map row", "map column"]


def map_errors(X: np.ndarray, w: np.ndarray | None, units: np.ndarray, adjacent: np.ndarray) -> np.ndarray:
    """Weight of the rows, sum of their distances to the nearest unit, and weight of those whose two nearest units
    are no neighbours.

    >>> import numpy as np
    >>> from assay.local.unit_map import map_errors
    >>> links = np.array([[False, True, False], [True, False, True], [False, True, False]])  # a chain
    >>> map_errors(np.array([[1.0], [4.0]]), None, np.array([[0.0], [9.0], [3.0]]), links)
    array([2., 2., 2.])
    """
    total = np.zeros(3)
    size = max(1, NUMBERS_AT_A_TIME // len(units))
    for begin in range(0, len(X), size):
        D = squared_distances(X[begin : begin + size], units)
        rows = np.arange(len(D))
        weight = np.ones(len(D)) if w is None else w[begin : begin + size]
        first = D.argmin(axis=1)
        apart = weight @ np.sqrt(D[rows, first])
        broken = 0.0
        if len(units) > 1:
            D[rows, first] = np.inf
            broken = weight @ ~adjacent[first, D.argmin(axis=1)]
        total += weight.sum(), apart, broken
    return total


def plane_units(mean: np.ndarray, covariance: np.ndarray, lattice: Lattice) -> np.ndarray:
    """(U, d) units on the plane of the first two principal components, the longer side along the first."""
    values, axes = np.linalg.eigh(covariance)
    values, axes = np.maximum(values[::-1], 0.0), axes[:, ::-1]
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.where(axes[largest, np.arange(len(values))] < 0, -1.0, 1.0)
    places = lattice.places()
    places = places - places.mean(axis=0)
    width = np.abs(places).max(axis=0)
    plane = np.zeros((2, len(mean)))
    for k, side in enumerate(np.argsort(-width, kind="stable")[: min(2, len(values))]):
        if width[side] > 0:
            plane[side] = axes[:, k] * np.sqrt(values[k]) / width[side]
    return np.ascontiguousarray(mean + places @ plane)
