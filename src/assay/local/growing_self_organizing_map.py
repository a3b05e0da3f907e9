"""Growing self-organising map: rows and columns of units are added where the map is farthest from the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.local._som as _som
from assay.core import Card
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Integer
from assay.local.lattice import Lattice
from assay.local.self_organizing_map import NARROWEST, ROWS_OF_HISTORY
from assay.local.unit_map import UnitMap, map_errors, plane_units
from assay.local.units import squared_distances
from assay.types import RandomState

__all__ = ["GrowingSelfOrganizingMap"]

SIGMA = 0.9  # of the neighbourhood while the map grows: the next units only


class GrowingSelfOrganizingMap(UnitMap):
    r"""A self-organising map that begins with four units and adds rows and columns where it is worst.

    After some passes over the rows the unit with the largest sum of distances to its rows is found, and its most
    distant neighbour on the map; a row or column of units is put between them, each at the mean of its two neighbours
    (Fritzke 1995). The shape of the map follows from the rows: long groups get long maps. At the end rates and
    neighbourhood fall once more, as in an ordinary map.

    Cost: fit O(n U d) a pass, max_iter passes for each of about 2 sqrt(U) growths; transform O(U d) a row; memory
    O(U d + U^2).

    Parameters
    ----------
    max_units : int, default 64
        The map stops growing before it has more.
    target_error : float, default 0
        It also stops when the mean distance of the rows to their units is no larger.
    max_iter : int, default 3
        Passes after each growth; at the end four times as many.
    learning_rate : float, default 0.3
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    units_ : (U, d), row by row of the map      n_rows_, n_columns_ : int, the shape of the map      n_iter_ : int
    history_ : list of dicts, one a growth: pass, units, quantization_error
    quantization_error_ : float, mean distance of the training rows to their nearest unit
    topographic_error_ : float, share of training rows whose two nearest units are no neighbours

    Examples
    --------
    A long strip gets a long map:

    >>> import numpy as np
    >>> from assay.local import GrowingSelfOrganizingMap
    >>> X = np.random.default_rng(0).uniform(size=(500, 2)) * [8.0, 1.0]
    >>> model = GrowingSelfOrganizingMap(20, random_state=0).fit(X)
    >>> max(model.n_rows_, model.n_columns_) >= 2 * min(model.n_rows_, model.n_columns_)
    True

    See Also
    --------
    SelfOrganizingMap, GenerativeTopographicMapping

    References
    ----------
    - Fritzke, B. (1995). Growing grid: a self-organizing network with constant neighborhood range and adaptation
      strength. Neural Processing Letters 2(5), 9-13. doi:10.1007/BF02332159
    """

    card = Card(
        "growing self-organising map",
        "a map of units that grows where it is worst",
        also=("growing som", "growing grid"),
        scale=True,
        settings={"random_state": 0},
    )
    accepts = {
        "max_units": Count(4),
        "target_error": Range(0),
        "max_iter": Count(1),
        "learning_rate": Range(0, 1, open="low"),
        "random_state": Seed(),
    }
    stored = {"n_rows_": Integer(low=1), "n_columns_": Integer(low=1)}
    topology = "grid"
    neighborhood = "gaussian"

    def __init__(
        self,
        max_units: int = 64,
        *,
        target_error: float = 0.0,
        max_iter: int = 3,
        learning_rate: float = 0.3,
        random_state: RandomState = None,
    ):
        self.max_units = max_units
        self.target_error = target_error
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.random_state = random_state

    @property
    def _lattice(self) -> Lattice:
        lattice = Lattice((self.n_rows_, self.n_columns_), "grid")
        self._refuse_other_size(lattice)
        return lattice

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        draw = random_state_of(self.random_state)
        counted = np.arange(len(X)) if w is None else np.flatnonzero(w > 0)
        lattice = Lattice((2, 2), "grid")
        start = X[counted]
        covariance = np.atleast_2d(np.cov(start.T, bias=True))
        grid = plane_units(start.mean(axis=0), covariance, lattice).reshape(2, 2, -1)
        sample = counted[:: max(1, len(counted) // ROWS_OF_HISTORY)]
        self.history_ = list[dict[str, Any]]()
        passes = 0
        while True:
            grid = self._passes(X, w, counted, grid, self.max_iter, SIGMA, SIGMA, draw)
            passes += self.max_iter
            units = grid.reshape(-1, grid.shape[2])
            gaps = squared_distances(X[sample], units)
            nearest, apart = gaps.argmin(axis=1), np.sqrt(gaps.min(axis=1))
            error = float(apart.mean())
            self.history_.append({"pass": passes, "units": len(units), "quantization_error": error})
            larger = _grown(grid, np.bincount(nearest, apart, len(units)))
            if error <= self.target_error or larger.shape[0] * larger.shape[1] > self.max_units:
                break
            grid = larger
        grid = self._passes(X, w, counted, grid, 4 * self.max_iter, SIGMA, NARROWEST, draw)
        self.n_rows_, self.n_columns_ = grid.shape[:2]
        self.n_iter_ = passes + 4 * self.max_iter
        units = np.ascontiguousarray(grid.reshape(-1, grid.shape[2]))
        adjacent = Lattice((self.n_rows_, self.n_columns_), "grid").adjacent()
        self._keep(units, map_errors(X, w, units, adjacent))

    def _passes(
        self,
        X: np.ndarray,
        w: np.ndarray | None,
        counted: np.ndarray,
        grid: np.ndarray,
        passes: int,
        first_sigma: float,
        last_sigma: float,
        draw: np.random.RandomState,
    ) -> np.ndarray:
        """The grid after some passes over the rows."""
        M = np.ascontiguousarray(grid.reshape(-1, grid.shape[2]))
        gaps = Lattice((grid.shape[0], grid.shape[1]), "grid").gaps()
        rate = float(self.learning_rate)
        rule = _som.MapRule(
            first_rate=rate, last_rate=rate if first_sigma == last_sigma else rate / 50, first_sigma=first_sigma,
            last_sigma=last_sigma, bubble=False,
        )  # fmt: skip
        for step in range(passes):
            end_if_abandoned()
            _som.learn(
                X=X, weight=np.empty(0) if w is None else w / w.max(), order=draw.permutation(counted), M=M, gap=gaps,
                rule=rule, begin=step * len(counted), visits=passes * len(counted),
            )  # fmt: skip
        return M.reshape(grid.shape)


def _grown(grid: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """The grid with a row or column between the unit of the largest error and its most distant neighbour."""
    rows, columns = grid.shape[:2]
    i, j = np.unravel_index(int(errors.argmax()), (rows, columns))
    beside = [(i + a, j + b) for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    beside = [(a, b) for a, b in beside if 0 <= a < rows and 0 <= b < columns]
    a, b = max(beside, key=lambda place: float(((grid[place] - grid[i, j]) ** 2).sum()))
    if a != i:
        at = max(a, i)
        return np.insert(grid, at, (grid[at - 1] + grid[at]) / 2, axis=0)
    at = max(b, j)
    return np.insert(grid, at, (grid[:, at - 1] + grid[:, at]) / 2, axis=1)
