"""Self-organising map: units on a lattice that spread over the rows, neighbours beside neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

import assay.local._som as _som
from assay.core import Card
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Any_, Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.sum_learner import WithoutTarget
from assay.core.sums import Block, Rows, Source
from assay.errors import DataError, ParameterError
from assay.local.lattice import TOPOLOGIES, Lattice
from assay.local.unit_map import UnitMap, map_errors, plane_units
from assay.local.units import nearest_units
from assay.mixture.mixture_learner import row_moments
from assay.types import RandomState, TableLike

__all__ = ["SelfOrganizingMap"]

NARROWEST = 0.3  # sigma at the end: the nearest unit alone moves
ROWS_AT_A_TIME = 4096  # of a batch pass
ROWS_OF_HISTORY = 1000  # by which the error of each pass is judged


class SelfOrganizingMap(WithoutTarget, UnitMap):
    r"""Lay a map of units over the rows, so that units that are neighbours on the map are neighbours among the rows.

    For each row x the nearest unit i is found, and all units l move towards the row, those near i on the map most
    (Kohonen 1982):

    .. math:: m_l \leftarrow m_l + \eta\,e(l, i)\,(x - m_l), \qquad e(l, i) = e^{-\|u_l - u_i\|^2/2\sigma^2}   \quad (1)

    with places u on the map. :math:`\eta` and :math:`\sigma` fall by a constant factor a visit until the nearest unit
    alone moves. ``training="batch"`` sets every unit to the mean of all rows, weighted by e, instead: the order of the
    rows then does not matter, and as a sum over rows it is the same from memory, from blocks on disk and on Dask.
    Online, blocks come one after the other, the rows of each in an order drawn at random.

    A chain is a principal curve in pieces, a grid a drawing of the rows in the plane, a ring a round trip, whose stops
    ``tour`` puts in order (short, but seldom the shortest).

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
    quantization_error_ : float, mean distance of the training rows to their nearest unit, by weight
    topographic_error_ : float, share of the training rows whose two nearest units are no neighbours

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

    def tour(self, X: TableLike) -> np.ndarray:
        """(n,) the rows in the order in which a chain or ring passes them: a short way through points, nearly.

        Rows of one unit follow each other by how far they lie along the way from the unit before it to the one after
        it, and rows that are alike in this too by their number.
        """
        if self.topology not in ("chain", "ring"):
            raise ParameterError(
                f"{type(self).__name__}: a tour follows a line of units. Set topology to 'ring' or 'chain'."
            )
        rows = self._admit(X)
        unit = nearest_units(rows, self.units_)
        if self.topology == "ring":
            ways = np.roll(self.units_, -1, axis=0) - np.roll(self.units_, 1, axis=0)
        else:
            ends = np.arange(len(self.units_))
            ways = self.units_[np.minimum(ends + 1, ends[-1])] - self.units_[np.maximum(ends - 1, 0)]
        along = np.einsum("ij,ij->i", rows - self.units_[unit], ways[unit])
        order: np.ndarray = np.lexsort((along, unit))
        return order

    def _learn_from(self, source: Source) -> None:
        lattice = Lattice.of(self.shape, self.topology, type(self).__name__)
        draw = random_state_of(self.random_state)
        rows: _Survey = source.numbered().add_up(_survey)
        if not len(rows.counted):
            raise DataError("no row counts: all weights are 0.", who=type(self).__name__)
        M = self._first_units(source, rows, lattice, draw)
        first = max(lattice.shape) / 2 if self.sigma is None else float(self.sigma)
        first = max(first, NARROWEST)
        gaps, adjacent = lattice.gaps(self.neighborhood == "bubble"), lattice.adjacent()
        self.history_ = list[dict[str, Any]]()
        sample = source.take(rows.counted[:: max(1, len(rows.counted) // ROWS_OF_HISTORY)])
        order = _InTurn(
            _som.MapRule(
                first_rate=float(self.learning_rate), last_rate=self.learning_rate / 50, first_sigma=first,
                last_sigma=NARROWEST, bubble=self.neighborhood == "bubble",
            ),
            gaps, rows.largest, self.max_iter * len(rows.counted),
        )  # fmt: skip
        at = _Visit(M, draw, 0)
        for step in range(self.max_iter):
            end_if_abandoned()
            if self.training == "batch":
                share = step / max(self.max_iter - 1, 1)
                near = self._nearness(gaps, first * (NARROWEST / first) ** share)
                M = _means(source, M, near)
            else:
                at = order.one_pass(source, at)
                M = at.units
            self.history_.append({"pass": step + 1, "quantization_error": _mean_distance(sample, M)})
        self.n_iter_ = self.max_iter
        units = M
        self._keep(units, source.add_up(lambda block: map_errors(_rows(block), block.w, units, adjacent)))

    def _first_units(
        self, source: Source, rows: _Survey, lattice: Lattice, draw: np.random.RandomState
    ) -> np.ndarray:
        if self.start == "rows":
            n = len(rows.counted)
            return np.ascontiguousarray(
                source.take(rows.counted[draw.choice(n, lattice.size, replace=n < lattice.size)]), np.float64
            )
        moments = row_moments(source)
        return plane_units(moments.mean[0], moments.scatter[0] / moments.count[0], lattice)

    def _nearness(self, gaps: np.ndarray, sigma: float) -> np.ndarray:
        if self.neighborhood == "bubble":
            return np.where(gaps <= sigma, 1 - gaps / (np.floor(sigma) + 1), 0.0)
        return np.exp(-gaps / (2 * sigma**2))


@dataclass(frozen=True)
class _Survey:
    """The numbers of the rows that count, and the largest weight."""

    counted: np.ndarray
    largest: float

    def __add__(self, other: _Survey) -> _Survey:
        return _Survey(np.append(self.counted, other.counted), max(self.largest, other.largest))


def _survey(block: Block) -> _Survey:
    if block.w is None:
        return _Survey(block.start + np.arange(len(block.X)), 1.0)
    return _Survey(block.start + np.flatnonzero(block.w > 0), float(np.max(block.w, initial=0.0)))


@dataclass
class _Visit:
    """Units while rows are shown to them, the random numbers, and how many rows have been shown."""

    units: np.ndarray
    draw: np.random.RandomState
    shown: int


@dataclass(frozen=True)
class _InTurn:
    """How rows are shown one after the other; of rows that are not in memory, block after block."""

    rule: Any
    gaps: np.ndarray
    largest: float
    visits: int

    def one_pass(self, source: Source, at: _Visit) -> _Visit:
        if isinstance(source, Rows):
            return self.show(at, Block(source.X, None, source.w))
        return source.in_turn(self.show, at)

    def show(self, at: _Visit, block: Block) -> _Visit:
        counted = np.arange(len(block.X)) if block.w is None else np.flatnonzero(block.w > 0)
        _som.learn(
            X=_rows(block), weight=np.empty(0) if block.w is None else block.w / self.largest,
            order=at.draw.permutation(counted), M=at.units, gap=self.gaps, rule=self.rule, begin=at.shown,
            visits=self.visits,
        )  # fmt: skip
        return _Visit(at.units, at.draw, at.shown + len(counted))


def _rows(block: Block) -> np.ndarray:
    return np.ascontiguousarray(block.X, dtype=np.float64)


def _mean_distance(X: np.ndarray, units: np.ndarray) -> float:
    gaps = X - units[nearest_units(X, units)]
    return float(np.sqrt(np.einsum("ij,ij->i", gaps, gaps)).mean())


def _means(source: Source, M: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The units of a batch pass: means of all rows, weighted by how near their unit is; one without weight stays."""
    U = len(M)

    def summarize(block: Block) -> np.ndarray:
        X, sums = _rows(block), np.zeros((U, M.shape[1] + 1))
        for begin in range(0, len(X), ROWS_AT_A_TIME):
            rows = X[begin : begin + ROWS_AT_A_TIME]
            unit = nearest_units(rows, M)
            weight = np.ones(len(rows)) if block.w is None else block.w[begin : begin + ROWS_AT_A_TIME]
            belongs = csr_matrix((weight, (unit, np.arange(len(rows)))), shape=(U, len(rows)))
            sums[:, :-1] += belongs @ rows
            sums[:, -1] += belongs.sum(axis=1).A1
        return sums

    sums = near @ source.add_up(summarize)
    total = sums[:, -1:]
    return np.where(total > 0, sums[:, :-1] / np.where(total > 0, total, 1.0), M)
