"""Tables as columns of states, for counting: codes of categories, intervals of numbers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.graphs.node import Node
from assay.tables import Table
from assay.types import TableLike

__all__ = ["WITH_EM", "StateTable", "interval_names", "state_table"]

REMEDIES = {
    "state": "Take them as a state of their own: missing='state'",
    "em": "Sum them out by EM: missing='em'",
}
WITH_EM = ("raise", "state", "em")
MOST_STATES = 256  # of one column, whose codes are bytes


class StateTable:
    """Rows of codes.

    Attributes
    ----------
    nodes : list of Node without parents      codes : (d, n) bytes, a column after the other
    missing : (d,) how many values each column lacks      cuts : dict of name to the cuts of a column of numbers
    gaps : (d, n) bool, where values are missing and codes say nothing; None if there are none
    copies : int, how many rows stand for one of the data
    """

    def __init__(
        self,
        nodes: list[Node],
        codes: np.ndarray,
        missing: np.ndarray,
        cuts: dict[str, np.ndarray],
        gaps: np.ndarray | None = None,
        copies: int = 1,
    ):
        self.nodes, self.codes, self.missing, self.cuts = nodes, codes, missing, cuts
        self.gaps, self.copies = gaps, copies
        self.cards = np.array([len(node.states) for node in nodes], np.int64)
        self.names = [node.name for node in nodes]

    def take(self, rows: np.ndarray) -> StateTable:
        """Some rows."""
        gaps = None if self.gaps is None else self.gaps[:, rows]
        return StateTable(
            self.nodes, np.ascontiguousarray(self.codes[:, rows]), self.missing, self.cuts, gaps
        )

    def rows(self) -> np.ndarray:
        """(n, d) codes, -1 where a value is missing."""
        codes = self.codes.T.astype(np.int64)
        return codes if self.gaps is None else np.where(self.gaps.T, -1, codes)


def state_table(
    X: TableLike,
    who: str,
    cuts: int | Mapping[str, Any] | None = None,
    missing: str = "raise",
    ways: tuple[str, ...] = ("raise", "state"),
) -> StateTable:
    """A table as codes of states; numbers are cut into intervals, missing values are refused, a state, or gaps.

    Whole numbers of which there are no more than intervals are states as they are.
    """
    if missing not in ways:
        listed = " or ".join(map(repr, ways))
        raise ParameterError(f"missing must be {listed}, got {missing!r}.", who=who)
    table = Table.of(X, who=who)
    if not isinstance(table.values, np.ndarray):
        raise DataError("X is sparse; give a dense table of categories.", who=who)
    nodes, columns, lacking, used = [], [], [], {}
    where = []
    for j, column in enumerate(table.schema):
        values = table.values[:, j]
        if column.coded:
            states: list[Any] = list(column.categories)
            codes = values
        else:
            asked = cuts.get(column.name) if isinstance(cuts, Mapping) else cuts
            distinct = np.unique(values[~np.isnan(values)])
            whole = bool((distinct == np.floor(distinct)).all())
            few = whole and isinstance(cuts, (int, np.integer)) and 0 < len(distinct) <= cuts
            if asked is None or few:
                if not few and (len(distinct) > 10 or not whole):
                    raise DataError(
                        f"column {column.name!r} has {len(distinct)} distinct numbers, expected states.",
                        who=who,
                        remedy=f"Cut it into intervals: cuts=4, or cuts={{{column.name!r}: [10, 20]}}.",
                        code="uncut-numbers",
                    )
                states = [int(v) for v in distinct]
                codes = np.where(np.isnan(values), np.nan, np.searchsorted(distinct, values))
            else:
                edges = _edges(values, asked, column.name, who)
                used[column.name] = edges
                states = interval_names(edges)
                codes = np.where(np.isnan(values), np.nan, np.searchsorted(edges, values, side="left"))
        gaps = np.isnan(codes) | (codes < 0)
        if gaps.any():
            if missing == "raise":
                raise DataError(
                    f"column {column.name!r} has {int(gaps.sum())} missing values.",
                    who=who,
                    remedy=" or ".join(REMEDIES[way] for way in reversed(ways) if way in REMEDIES) + ".",
                )
            if missing == "em":
                codes = np.where(gaps, 0, codes)
            else:
                codes = np.where(gaps, len(states), codes)
                states = [*states, "missing"]
        if len(states) > MOST_STATES:
            raise DataError(
                f"column {column.name!r} has {len(states)} states, at most {MOST_STATES} can be counted. Leave it out: "
                "a column that names rows says nothing.",
                who=who,
            )
        if not states:
            raise DataError(f"column {column.name!r} has no value at all. Leave it out.", who=who)
        nodes.append(Node(column.name, states))
        columns.append(codes.astype(np.uint8))
        lacking.append(int(gaps.sum()))
        where.append(gaps)
    if not nodes or not len(table):
        raise DataError("X has no rows or no columns.", who=who)
    codes = np.ascontiguousarray(np.stack(columns))
    left = np.stack(where) if missing == "em" and any(lacking) else None
    return StateTable(nodes, codes, np.array(lacking), used, left)


def _edges(values: np.ndarray, asked: Any, name: str, who: str) -> np.ndarray:
    """Cuts: as listed, or quantiles for a number of intervals with equally many rows."""
    if isinstance(asked, (int, np.integer)) and not isinstance(asked, bool):
        if asked < 2:
            raise ParameterError(f"cuts must be a number of intervals from 2 up, got {asked}.", who=who)
        present = values[~np.isnan(values)]
        if not len(present):
            return np.zeros(0)
        edges = np.unique(np.quantile(present, np.arange(1, asked) / asked, method="inverted_cdf"))
        return edges[edges < present.max()]
    edges = np.asarray(asked, np.float64).ravel()
    if not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
        raise ParameterError(f"the cuts of {name!r} must be finite numbers in ascending order.", who=who)
    return edges


def interval_names(edges: np.ndarray) -> list[str]:
    """What the intervals between cuts are called; each holds its upper end.

    >>> from assay.graphs.learning.states import interval_names
    >>> interval_names([10.0, 20.0])
    ['<= 10', '10 to 20', '> 20']
    """
    texts = [f"{edge:.6g}" for edge in edges]
    if len(set(texts)) < len(texts):
        texts = [repr(float(edge)) for edge in edges]
    if not texts:
        return ["any"]
    between = [f"{a} to {b}" for a, b in itertools.pairwise(texts)]
    return [f"<= {texts[0]}", *between, f"> {texts[-1]}"]
