"""Self-organising map: units on a lattice that spread over the rows, neighbours beside neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.local._som as _som
from assay.core import Card, Transformer
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Plain, Scalar
from assay.errors import DataError
from assay.local.lattice import TOPOLOGIES, Lattice
from assay.local.units import squared_distances
from assay.types import RandomState, TableLike

__all__ = ["SelfOrganizingMap"]

NARROWEST = 0.3  # sigma at the end: the nearest unit alone moves
ROWS_AT_A_TIME = 4096  # of a batch pass
ROWS_OF_HISTORY = 1000  # by which the error of each pass is judged


class SelfOrganizingMap(Transformer):
    r"""Lay a map of units over the rows, so that units that are neighbours on the map are neighbours among the rows.

    For each row x the nearest unit i is found, and all units l move towards the row, those near i on the map most
    (Kohonen 1982):

    .. math:: m_l \leftarrow m_l + \eta\,e(l, i)\,(x - m_l), \qquad e(l, i) = e^{-\|u_l - u_i\|^2/2\sigma^2}   \quad (1)

    with places u on the map. :math:`\eta` and :math:`\sigma` fall by a constant factor a visit until the nearest unit
    alone moves. ``training="batch"`` sets every unit to the mean of all rows, weighted by e, instead: the order of the
    rows then does not matter. A chain is a principal curve in pieces, a grid a drawing of the rows in the plane.

    Cost: fit O(n U d) a pass for U units; transform O(U d) a row; memory O(U d + U^2).

    Parameters
    ----------
    shape : int or (rows, columns), default (8, 8)
        Of the map.
    topology : "grid", "hexagonal", "chain" or "ring", default "grid"
    training : "online" or "batch", default "online"
    max_iter : int, default 20
        Passes over all rows.
    learning_rate : float, default 0.5
        At first; it falls to a fiftieth.
    sigma : float, default None
        Width of the neighbourhood at first; None is half the longer side. It falls to 0.3.
    neighborhood : "gaussian" or "bubble", default "gaussian"
        "bubble" moves units up to sigma steps away, by less the farther they are.
    start : "plane" or "rows", default "plane"
        Units begin on the plane of the first two principal components, or at rows drawn at random.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    units_ : (U, d), row by row of the map      n_iter_ : int
    history_ : list of dicts, one a pass: pass, quantization_error (of a thousand rows or so)
    quantization_error_ : float, mean distance of the training rows to their nearest unit
    topographic_error_ : float, share of training rows whose two nearest units are no neighbours

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local import SelfOrganizingMap
    >>> X = np.random.default_rng(0).uniform(size=(500, 2))
    >>> model = SelfOrganizingMap((5, 5), random_state=0).fit(X)
    >>> model.transform(X[:1]).shape, bool(model.topographic_error_ < 0.1)
    ((1, 2), True)

    See Also
    --------
    KMeans, MDS, LVQClassifier

    References
    ----------
    - Kohonen, T. (1982). Self-organized formation of topologically correct feature maps. Biological Cybernetics 43(1),
      59-69. doi:10.1007/BF00337288
    - Kohonen, T. (2013). Essentials of the self-organizing map. Neural Networks 37, 52-65.
      doi:10.1016/j.neunet.2012.09.018
    """

    card = Card(
        "self-organising map",
        "a map of units, neighbours beside neighbours",
        also=("som", "self-organizing map", "kohonen map"),
        scale=True,
        settings={"random_state": 0},
    )
    accepts = {
        "shape": Any_(),
        "topology": Choice(*TOPOLOGIES),
        "training": Choice("online", "batch"),
        "max_iter": Count(1),
        "learning_rate": Range(0, 1, open="low"),
        "sigma": Range(0, open="both") | None,
        "neighborhood": Choice("gaussian", "bubble"),
        "start": Choice("plane", "rows"),
        "random_state": Seed(),
    }
    stored = {
        "units_": FloatArray("U", "p", finite=True),
        "history_": Each(Plain(dict)),
        "quantization_error_": Scalar(),
        "topographic_error_": Scalar(),
    }

    def __init__(
        self,
        shape: int | tuple[int, int] = (8, 8),
        *,
        topology: str = "grid",
        training: str = "online",
        max_iter: int = 20,
        learning_rate: float = 0.5,
        sigma: float | None = None,
        neighborhood: str = "gaussian",
        start: str = "plane",
        random_state: RandomState = None,
    ):
        self.shape = shape
        self.topology = topology
        self.training = training
        self.max_iter = max_iter
        self.learning_rate = learning_rate
        self.sigma = sigma
        self.neighborhood = neighborhood
        self.start = start
        self.random_state = random_state

    @property
    def _lattice(self) -> Lattice:
        lattice = Lattice.of(self.shape, self.topology, type(self).__name__)
        self._refuse_other_size(lattice)
        return lattice

    def _refuse_other_size(self, lattice: Lattice) -> None:
        if "units_" in vars(self) and len(self.units_) != lattice.size:
            raise DataError(
                f"{type(self).__name__}: a map of the shape {lattice.shape} has no {len(self.units_)} units."
            )

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        lattice = Lattice.of(self.shape, self.topology, type(self).__name__)
        draw = random_state_of(self.random_state)
        counted = np.arange(len(X)) if w is None else np.flatnonzero(w > 0)
        M = self._first_units(X[counted], lattice, draw)
        first = max(lattice.shape) / 2 if self.sigma is None else float(self.sigma)
        first = max(first, NARROWEST)
        gaps = lattice.gaps(self.neighborhood == "bubble")
        self.history_ = list[dict[str, Any]]()
        sample = counted[:: max(1, len(counted) // ROWS_OF_HISTORY)]
        for step in range(self.max_iter):
            end_if_abandoned()
            if self.training == "batch":
                share = step / max(self.max_iter - 1, 1)
                sigma = first * (NARROWEST / first) ** share
                M = _means(X, w, M, self._nearness(gaps, sigma))
            else:
                weight = np.empty(0) if w is None else w / w.max()
                rule = _som.MapRule(
                    first_rate=float(self.learning_rate), last_rate=self.learning_rate / 50, first_sigma=first,
                    last_sigma=NARROWEST, bubble=self.neighborhood == "bubble",
                )  # fmt: skip
                _som.learn(
                    X=X, weight=weight, order=draw.permutation(counted), M=M, gap=gaps, rule=rule,
                    begin=step * len(counted), visits=self.max_iter * len(counted),
                )  # fmt: skip
            apart = np.sqrt(squared_distances(X[sample], M).min(axis=1))
            self.history_.append({"pass": step + 1, "quantization_error": float(apart.mean())})
        self.units_, self.n_iter_ = M, self.max_iter
        self.quantization_error_ = float(np.sqrt(squared_distances(X[counted], M).min(axis=1)).mean())
        self.topographic_error_ = self._topographic(X[counted])

    def _first_units(self, X: np.ndarray, lattice: Lattice, draw: np.random.RandomState) -> np.ndarray:
        if self.start == "rows":
            return np.ascontiguousarray(X[draw.choice(len(X), lattice.size, replace=len(X) < lattice.size)])
        return self._plane(X, lattice)

    @staticmethod
    def _plane(X: np.ndarray, lattice: Lattice) -> np.ndarray:
        """(U, d) units on the plane of the first two principal components."""
        middle = X.mean(axis=0)
        _, s, V = np.linalg.svd(X - middle, full_matrices=False)
        places = lattice.places()
        places = places - places.mean(axis=0)
        width = np.maximum(np.abs(places).max(axis=0), 1e-300)
        order = np.argsort(-width)  # the longer side along the first component
        axes = np.zeros((2, X.shape[1]))
        for k, side in enumerate(order[: min(2, len(V))]):
            axes[side] = V[k] * s[k] / np.sqrt(max(len(X), 1)) * (width[side] > 1e-299)
        return np.ascontiguousarray(middle + (places / width) @ axes)

    def _nearness(self, gaps: np.ndarray, sigma: float) -> np.ndarray:
        if self.neighborhood == "bubble":
            return np.where(gaps <= sigma, 1 - gaps / (np.floor(sigma) + 1), 0.0)
        return np.exp(-gaps / (2 * sigma**2))

    def _topographic(self, X: np.ndarray) -> float:
        if len(self.units_) < 2:
            return 0.0
        D = squared_distances(X, self.units_)
        first = D.argmin(axis=1)
        D[np.arange(len(D)), first] = np.inf
        return float(np.mean(~self._lattice.adjacent()[first, D.argmin(axis=1)]))

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the number of the nearest unit of each row, row by row of the map."""
        return squared_distances(self._admit(X), self.units_).argmin(axis=1)

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
        unit = squared_distances(X, self.units_).argmin(axis=1)
        if self.topology in ("chain", "ring"):
            return unit[:, None].astype(np.float64)
        return self._lattice.places()[unit]

    def _names_out(self) -> list[str]:
        return ["map position"] if self.topology in ("chain", "ring") else ["map row", "map column"]


def _means(X: np.ndarray, w: np.ndarray | None, M: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The units of a batch pass: means of all rows, weighted by how near their unit is; one without weight stays."""
    sums, counts = np.zeros_like(M), np.zeros(len(M))
    for begin in range(0, len(X), ROWS_AT_A_TIME):
        rows = X[begin : begin + ROWS_AT_A_TIME]
        unit = squared_distances(rows, M).argmin(axis=1)
        weight = np.ones(len(rows)) if w is None else w[begin : begin + ROWS_AT_A_TIME]
        counts += np.bincount(unit, weight, minlength=len(M))
        np.add.at(sums, unit, weight[:, None] * rows)
    total = near @ counts
    return np.where(total[:, None] > 0, (near @ sums) / np.where(total > 0, total, 1.0)[:, None], M)
