"""Edited nearest neighbours: drop the rows that their own neighbours would put into another class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Count
from assay.distances.search import Searcher, searcher
from assay.neighbors.prototypes import PROTOTYPES, PrototypeClassifier, vote_counts
from assay.types import MetricLike

__all__ = ["EditedNearestNeighbors"]


class EditedNearestNeighbors(PrototypeClassifier):
    r"""Keep the rows that their neighbours agree with, and answer by the nearest of these.

    Row i is dropped if the vote of its k nearest other rows is not its own class (Wilson 1972),

    .. math:: \arg\max_c \#\{j \in N_k(i) : y_j = c\} \ne y_i \quad (1)

    or, with ``kind="all"``, if one of them is of another class. All rows are judged before any is dropped; this can be
    repeated. It removes mislabelled rows and smooths the boundary, where condensing keeps exactly those rows: edit
    first, then condense. Should all rows of a class go, those of them with the most votes for the class stay.

    Cost: fit the k nearest neighbours of all rows, at most O(n^2 d), for each repeat; predict at most O(m d) a row for
    m rows kept; memory O(n d) to fit, O(m d) kept.

    Parameters
    ----------
    n_neighbors : int, default 3
        k, for the judgement and for the answers; more than n - 1 are taken as n - 1.
    kind : "mode" or "all", default "mode"
    repeats : int, default 1
        Rounds at the most; they end when none is dropped.
    metric : str or function, default "auto"
        Any name that :func:`assay.distances.metric_of` knows; "auto" compares mixed tables as they are.
    p : float, default 2
    metric_params : dict, default None

    Attributes
    ----------
    sample_indices_ : (m,) the rows kept, ascending
    share_kept_ : float

    Examples
    --------
    >>> from assay.neighbors import EditedNearestNeighbors
    >>> X = [[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0]]
    >>> EditedNearestNeighbors().fit(X, list("aaabbbbb")).sample_indices_
    array([0, 1, 2, 4, 5, 6, 7])

    See Also
    --------
    CondensedNearestNeighbor, PrototypeSearch, KNeighborsClassifier

    References
    ----------
    - Wilson, D. L. (1972). Asymptotic properties of nearest neighbor rules using edited data. IEEE Transactions on
      Systems, Man, and Cybernetics 2(3), 408-421.
    """

    card = Card(
        "edited neighbours",
        "nearest neighbours without the rows that their neighbours outvote",
        also=("edited neighbors", "enn"),
        scale=True,
        learns=(
            "the classes of the nearest kept rows",
            "disagreement with the neighbours",
            "rows that disagree are dropped",
            "greedy",
        ),
    )
    accepts = {**PROTOTYPES, "kind": Choice("mode", "all"), "repeats": Count(1)}

    def __init__(
        self,
        n_neighbors: int = 3,
        *,
        kind: str = "mode",
        repeats: int = 1,
        metric: MetricLike = "auto",
        p: float = 2,
        metric_params: Mapping[str, Any] | None = None,
    ):
        self.n_neighbors = n_neighbors
        self.kind = kind
        self.repeats = repeats
        self.metric = metric
        self.p = p
        self.metric_params = metric_params

    def _select(self, search: Searcher, y: np.ndarray) -> np.ndarray:
        rows = np.arange(len(y))
        for _ in range(self.repeats):
            if len(rows) < 2:
                break
            few = searcher(search.X[rows], search.metric)
            k = min(self.n_neighbors, len(rows) - 1)
            _, near = few.nearest(None, k, leave_out_self=True)
            votes = vote_counts(y[rows][near], len(self.classes_))
            agreeing = votes[np.arange(len(rows)), y[rows]]
            good = votes.argmax(axis=1) == y[rows] if self.kind == "mode" else agreeing == k  # (1)
            for c in np.unique(y[rows]):
                mine = y[rows] == c
                if not good[mine].any():
                    good |= mine & (agreeing == agreeing[mine].max())
            if good.all():
                break
            rows = rows[good]
        return rows
