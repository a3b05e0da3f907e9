"""Prototypes by a search: as few rows as possible that make as few errors as possible."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Each, Plain
from assay.distances.search import Searcher
from assay.errors import DataError
from assay.neighbors.condensed import condense
from assay.neighbors.prototypes import COMPARING, PrototypeClassifier
from assay.types import MetricLike, RandomState

__all__ = ["PrototypeSearch"]

MAX_ROWS = 20_000  # whose pairwise distances are kept: 3.2 GB


class PrototypeSearch(PrototypeClassifier):
    r"""Keep the rows Z that minimise the errors of the nearest neighbour plus a price for every row kept.

    .. math:: E'(Z \mid X) = \sum_i [\hat y_Z(x_i) \ne y_i] + \lambda |Z| \quad (1)

    From what Hart's procedure finds, the row to add, to drop or to exchange that lowers (1) most is taken
    (among equals: a drop before an addition before an exchange, then the lowest row) until none lowers it. With a
    small price the result is nearly consistent and nearly minimal; with a larger one it forgoes outlying rows, as
    editing does.

    Cost: fit O(n^2 d) once and O(n^2) a step, for up to a few thousand rows; predict O(m d) a row for m prototypes;
    memory O(n^2) to fit, O(m d) kept.

    Parameters
    ----------
    penalty : float, default 0.5
        :math:`\lambda`, in errors per row kept.
    max_iter : int, default 1000
        Steps at the most.
    metric : str or function, default "auto"
        Any name that :func:`assay.distances.metric_of` knows; "auto" compares mixed tables as they are.
    p : float, default 2
    metric_params : dict, default None
    random_state : int, RandomState or None, default None
        Of the order in which Hart's procedure goes through the rows.

    Attributes
    ----------
    sample_indices_ : (m,) the rows kept, ascending      share_kept_ : float
    n_iter_ : int, steps taken, at least 1
    history_ : list of dicts, one a step: move, errors, kept, objective (1)

    Examples
    --------
    >>> from assay.neighbors import PrototypeSearch
    >>> X = [[0.0], [1.0], [2.0], [2.9], [4.0], [6.0], [7.1], [8.0], [9.0], [10.0]]
    >>> model = PrototypeSearch(random_state=0).fit(X, list("aaaaabbbbb"))
    >>> len(model.sample_indices_), model.history_[-1]["objective"]
    (2, 1.0)

    See Also
    --------
    CondensedNearestNeighbor, EditedNearestNeighbors

    References
    ----------
    - Hart, P. E. (1968). The condensed nearest neighbor rule. IEEE Transactions on Information Theory 14(3),
      515-516.
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "prototype search",
        "nearest neighbour with the rows that are worth their price",
        scale=True,
        settings={"random_state": 0},
        learns=(
            "the class of the nearest stored row",
            "errors of the training rows + stored rows",
            "rows stored one after the other",
            "greedy",
        ),
    )
    accepts = {"penalty": Range(0), "max_iter": Count(1), **COMPARING, "random_state": Seed()}
    stored = {"history_": Each(Plain(dict))}
    n_neighbors = 1

    def __init__(
        self,
        penalty: float = 0.5,
        *,
        max_iter: int = 1000,
        metric: MetricLike = "auto",
        p: float = 2,
        metric_params: Mapping[str, Any] | None = None,
        random_state: RandomState = None,
    ):
        self.penalty = penalty
        self.max_iter = max_iter
        self.metric = metric
        self.p = p
        self.metric_params = metric_params
        self.random_state = random_state

    def _select(self, search: Searcher, y: np.ndarray) -> np.ndarray:
        n = len(y)
        if n > MAX_ROWS:
            raise DataError(
                f"PrototypeSearch: the distances of all pairs of {n} rows take {n * n * 8 / 1e9:.0f} GB. Use "
                "CondensedNearestNeighbor, or a sample of the rows."
            )
        D = search.metric.between(search.X, search.X)
        kept = sorted(condense(search, y, random_state_of(self.random_state).permutation(n))[0])
        errors = _errors(D, y, kept)
        self.history_ = [self._record("condense", errors, kept)]
        for _ in range(self.max_iter):
            end_if_abandoned()
            best_move = self._best_move(D, y, kept)
            if best_move is None:
                break
            move, better, left = best_move
            if left + self.penalty * len(better) >= errors + self.penalty * len(kept):  # (1)
                break
            kept, errors = better, left
            self.history_.append(self._record(move, errors, kept))
        self.n_iter_ = max(1, len(self.history_) - 1)
        return np.asarray(kept)

    def _record(self, move: str, errors: int, kept: list[int]) -> dict[str, Any]:
        return {
            "move": move,
            "errors": errors,
            "kept": len(kept),
            "objective": float(errors + self.penalty * len(kept)),
        }

    def _best_move(self, D: np.ndarray, y: np.ndarray, kept: list[int]) -> tuple[str, list[int], int] | None:
        """The move after which (1) is least: its name, the rows then kept, and the errors they make."""
        n, chosen = len(y), np.asarray(kept)
        outside = np.setdiff1d(np.arange(n), chosen)
        order = np.argsort(D[:, chosen], axis=1, kind="stable")[:, :2]
        first = chosen[order[:, 0]]
        second = chosen[order[:, 1]] if len(kept) > 1 else np.full(n, -1)
        wrong = int(np.count_nonzero(y[first] != y))
        added = _after(D, y, np.arange(n), first, outside)  # errors after adding each row outside
        moves: list[tuple[str, int, int, int]] = []
        if len(outside):
            moves.append(("add", -1, *_least(added, outside)))
        for z in kept:
            cell = np.flatnonzero(first == z)  # only its rows change when z goes
            if len(kept) > 1:
                fewer = np.count_nonzero(y[cell] != y[z]) - np.count_nonzero(y[cell] != y[second[cell]])
                moves.append(("drop", z, wrong - int(fewer), -1))
            if len(outside):
                changed = _after(D, y, cell, second, outside) - _after(D, y, cell, first, outside)
                moves.append(("swap", z, *_least(added + changed, outside)))
        if not moves:
            return None
        size = {"drop": -1, "add": 1, "swap": 0}
        rank = {"drop": 0, "add": 1, "swap": 2}
        name, z, left, a = min(
            moves, key=lambda m: (m[2] + self.penalty * size[m[0]], rank[m[0]], m[1], m[3])
        )
        return name, sorted([i for i in kept if i != z] + ([a] if a >= 0 else [])), left


def _errors(D: np.ndarray, y: np.ndarray, kept: list[int]) -> int:
    """How many rows are nearest to a kept row of another class."""
    nearest = np.asarray(kept)[np.argmin(D[:, kept], axis=1)]
    return int(np.count_nonzero(y[nearest] != y))


def _after(
    D: np.ndarray, y: np.ndarray, rows: np.ndarray, nearest: np.ndarray, outside: np.ndarray
) -> np.ndarray:
    """(outside,) the errors on these rows, whose nearest kept rows are given, when one more row is kept."""
    at = nearest[rows]
    none = at < 0
    distance = np.where(none, np.inf, D[rows, at])[:, None]
    apart = D[rows[:, None], outside]
    takes_over = (apart < distance) | ((apart == distance) & (outside < at[:, None])) | none[:, None]
    return np.where(takes_over, y[outside] != y[rows, None], (y[at] != y[rows])[:, None]).sum(axis=0)


def _least(errors: np.ndarray, outside: np.ndarray) -> tuple[int, int]:
    """The fewest errors, and the row that leaves so few."""
    best = int(np.argmin(errors))
    return int(errors[best]), int(outside[best])
