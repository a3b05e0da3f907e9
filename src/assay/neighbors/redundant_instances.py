"""Rows that nearest-neighbour answers do not need: those surrounded by rows of their own class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.complaints import missing_message
from assay.core.parameters import check_count
from assay.core.targets import encode_labels
from assay.distances.search import searcher
from assay.errors import DataError, DegenerateWarning, ParameterError, warn_user
from assay.tables import Design, Table
from assay.types import TableLike, Target

__all__ = ["RedundantInstances", "redundant_instances"]


@dataclass(frozen=True, eq=False)
class RedundantInstances:
    """Which rows matter for the boundary between classes, and which do not.

    Attributes
    ----------
    needed : (n,) bool
    """

    needed: np.ndarray

    @property
    def kept(self) -> np.ndarray:
        """The numbers of the rows that matter."""
        return np.flatnonzero(self.needed)

    @property
    def dropped(self) -> np.ndarray:
        """The numbers of the rows that do not."""
        return np.flatnonzero(~self.needed)

    @property
    def share(self) -> float:
        """The share of the rows that can be dropped."""
        return float(np.mean(~self.needed)) if len(self.needed) else 0.0

    def __str__(self) -> str:
        return f"{len(self.dropped)} of {len(self.needed)} rows are surrounded by their own class"


def redundant_instances(
    X: TableLike,
    y: Target,
    *,
    method: Literal["cells", "nearest", "own class"] = "nearest",
    n_neighbors: int = 5,
    scale: bool = False,
) -> RedundantInstances:
    """Find the rows that are surrounded by rows of their own class.

    With "cells", a row is needed if its Voronoi cell touches the cell of a row of another class, that is if the two are
    neighbours in the Delaunay triangulation. The answers of the nearest neighbour are then exactly the same with the
    needed rows alone. The triangulation is quick in two or three columns and grows very fast with their number.

    With "nearest", a row is needed if one of its nearest neighbours, or a row to which it is one, is of another class,
    or if it is the nearest row of another class to some row x, or the nearest of x's class to that one, so that
    classes that lie apart keep the sides that face each other; the boundary stays nearly the same, in any number of
    columns, in O(K n log n) for few of them and K classes. Rows of one class have no boundary, so none is needed.

    With "own class", a row is needed if one of its nearest neighbours is of another class: the usual filter before a
    support vector machine, which keeps the rows that can become support vectors. Where classes overlap the machine is
    nearly the same with these rows alone; where they lie wide apart no row has such a neighbour, and then all rows are
    kept, with a warning.

    Parameters
    ----------
    X : table; nominal columns count as indicators, missing values are refused
    y : (n,) labels
    method : "nearest", "own class" or "cells"
    n_neighbors : int
        For "nearest" and "own class": the number of neighbours of each row; 11 are usual before a machine.
    scale : bool
        Divide each column by its standard deviation first.

    Examples
    --------
    >>> from assay.neighbors.redundant_instances import redundant_instances
    >>> found = redundant_instances([[1.0], [2.0], [3.0], [7.0], [8.0]], list("aaabb"), method="cells")
    >>> print(found, found.kept)
    3 of 5 rows are surrounded by their own class [2 3]
    """
    who = "redundant_instances"
    if method not in ("cells", "nearest", "own class"):
        raise ParameterError(f"{who}: method must be 'cells', 'nearest' or 'own class', got {method!r}.")
    check_count(who, "n_neighbors", n_neighbors)
    table = Table.of(X, who=who)
    if not table.complete:
        raise DataError(
            missing_message(who, table, "Fill them in first (assay.prepare.SimpleImputer), or drop the rows.")
        )
    values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
    values = Design(table.schema, False).expand(values) if table.schema.coded.any() else values
    _, codes = encode_labels(y, len(values), who)
    values = _comparable(values, scale)
    if method == "own class":
        return _with_foreign_neighbors(values, codes, int(n_neighbors), who)
    points, place = np.unique(values, axis=0, return_inverse=True)
    place = place.ravel()
    pairs = _touching(points) if method == "cells" else _nearest(points, int(n_neighbors))
    first = np.full(len(points), -1)
    first[place] = codes
    mixed = np.zeros(len(points), bool)  # points that have rows of several classes
    np.logical_or.at(mixed, place, codes != first[place])
    foreign = (first[pairs[:, 0]] != first[pairs[:, 1]]) | mixed[pairs].any(axis=1)
    needed = mixed.copy()
    needed[pairs[foreign].ravel()] = True
    if method == "nearest":
        needed[_facing(points, first)] = True
    return RedundantInstances(needed[place])


def _with_foreign_neighbors(values: np.ndarray, codes: np.ndarray, k: int, who: str) -> RedundantInstances:
    """The rows of which one of the k nearest other rows is of another class; all rows if there are none."""
    n = len(values)
    needed = np.zeros(n, bool)
    if n > 1:
        _, near = searcher(values, "euclidean").nearest(None, min(k, n - 1), leave_out_self=True)
        needed = (codes[near] != codes[:, None]).any(axis=1)
    if not needed.any():
        warn_user(
            f"{who}: every row is surrounded by its own class, so all rows are kept. Ask for more neighbours, or use "
            "method='nearest'.",
            DegenerateWarning,
        )
        needed[:] = True
    return RedundantInstances(needed)


def _comparable(values: np.ndarray, scale: bool) -> np.ndarray:
    """Numbers whose squares are neither too large nor too small; with scale each column by its own spread."""
    largest = np.abs(values).max(axis=0) if scale else np.full(values.shape[1], np.abs(values).max())
    values = values / np.where(largest > 0, largest, 1.0)
    spread = values.std(axis=0) if scale else np.ones(values.shape[1])
    return values / np.where(spread > 0, spread, 1.0)


def _nearest(points: np.ndarray, k: int) -> np.ndarray:
    """Pairs of points of which one is among the k nearest of the other."""
    from scipy.spatial import cKDTree

    n = len(points)
    if n < 2:
        return np.zeros((0, 2), np.int64)
    neighbors = cKDTree(points).query(points, min(k + 1, n))[1].reshape(n, -1)
    pairs = np.column_stack([np.repeat(np.arange(n), neighbors.shape[1]), neighbors.ravel()])
    return pairs[pairs[:, 0] != pairs[:, 1]]


def _facing(points: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The points that are the nearest of another class to some point, and the nearest ones of its class to these."""
    from scipy.spatial import cKDTree

    facing = []
    for k in np.unique(codes):
        mine, others = np.flatnonzero(codes == k), np.flatnonzero(codes != k)
        if len(others):
            facing.append(np.unique(others[cKDTree(points[others]).query(points[mine])[1]]))
            facing.append(mine[cKDTree(points[mine]).query(points[facing[-1]])[1]])
    return np.concatenate(facing) if facing else np.zeros(0, np.int64)


def _touching(points: np.ndarray) -> np.ndarray:
    """Pairs of points whose Voronoi cells touch; points of lower dimension are triangulated within their subspace."""
    n = len(points)
    if n < 2:
        return np.zeros((0, 2), np.int64)
    centred = points - points.mean(axis=0)
    _, size, directions = np.linalg.svd(centred, full_matrices=False)
    rank = int((size > 1e-10 * size[0]).sum())
    flat = centred @ directions[:rank].T
    if rank == 1:
        order = np.argsort(flat[:, 0], kind="stable")
        return np.column_stack([order[:-1], order[1:]])
    if n <= rank + 1:  # a simplex: all touch
        return np.array([(i, j) for i in range(n) for j in range(i)], np.int64).reshape(-1, 2)
    from scipy.spatial import Delaunay

    mesh = Delaunay(flat, qhull_options="Qbb Qc Qt Q12")
    corners = mesh.simplices
    m = corners.shape[1]
    both = [corners[:, [a, b]] for a in range(m) for b in range(a)]
    both.append(mesh.coplanar[:, [0, 2]])  # points too close to another one to have a simplex of their own
    return np.unique(np.sort(np.concatenate(both), axis=1), axis=0).astype(np.int64)
