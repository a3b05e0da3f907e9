"""Tables as columns of states, for counting: codes of categories, intervals of numbers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.sums import Block, DaskRows, Source, Stream, is_dask
from assay.errors import DataError, ParameterError
from assay.graphs.node import Node
from assay.tables import Column, Schema, Table
from assay.types import TableLike

__all__ = ["WITH_EM", "StateTable", "interval_names", "missing_state", "row_blocks", "state_table"]

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

    def take(self, rows: np.ndarray | slice) -> StateTable:
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

    Blocks and Dask frames are read in two passes, the first for the categories; a code takes a byte. Whole numbers of
    which there are no more than intervals are states as they are.
    """
    if missing not in ways:
        listed = " or ".join(map(repr, ways))
        raise ParameterError(f"missing must be {listed}, got {missing!r}.", who=who)
    nodes, columns, lacking, used = [], [], [], {}
    where = []
    for column, values in _columns_of(X, who):
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
                states = [*states, missing_state(states)]
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
    if not nodes or not len(columns[0]):
        raise DataError("X has no rows or no columns.", who=who)
    codes = np.ascontiguousarray(np.stack(columns))
    left = np.stack(where) if missing == "em" and any(lacking) else None
    return StateTable(nodes, codes, np.array(lacking), used, left)


def _columns_of(X: Any, who: str) -> Iterator[tuple[Column, np.ndarray]]:
    """The columns of a table, of blocks of one, or of a Dask frame, each in one piece; NaN where missing."""
    source = row_blocks(X, who)
    if source is None:
        table = Table.of(X, who=who)
        if not isinstance(table.values, np.ndarray):
            raise DataError("X is sparse; give a dense table of categories.", who=who)
        yield from ((column, table.values[:, j]) for j, column in enumerate(table.schema))
        return
    merged = source.add_up(lambda block: _Columns(Table.of(block.X, who=who).schema, []))
    schema = merged.schema

    def read(block: Block) -> _Columns:
        return _Columns(schema, [_narrow(Table.like(block.X, schema, who))])

    pieces = source.add_up(read).pieces
    for j, column in enumerate(schema):
        codes = np.concatenate([piece[j] for piece in pieces])
        yield column, codes if codes.dtype.kind == "f" else np.where(codes < 0, np.nan, codes)


@dataclass
class _Columns:
    """The columns of some blocks, and for each block the list of its columns; they add."""

    schema: Schema
    pieces: list[list[np.ndarray]]

    def __add__(self, other: _Columns) -> _Columns:
        return _Columns(self.schema.merge(other.schema), self.pieces + other.pieces)


def _narrow(table: Table) -> list[np.ndarray]:
    """The columns, codes in two bytes (-1: missing); such a column has far fewer states, or is refused."""
    made = []
    for j, column in enumerate(table.schema):
        values = np.asarray(table.values[:, j], np.float64)
        small = column.coded and len(column.categories) < np.iinfo(np.int16).max
        made.append(np.where(np.isnan(values), -1, values).astype(np.int16) if small else values)
    return made


def row_blocks(
    X: Any, who: str, prepare: Callable[[Any, Any, Any], Block] = Block, w: Any = None
) -> Source | None:
    """A Dask frame, files, a list of frames, or a function that returns an iterable of them; None for a table."""
    if is_dask(X):
        return DaskRows(X, None, w, prepare)
    if isinstance(X, (str, Path)) or (
        isinstance(X, (list, tuple)) and X and all(isinstance(part, (str, Path)) for part in X)
    ):
        from assay.tables.readers import read_blocks

        return Stream(read_blocks(X), lambda raw: prepare(raw, None, None), f"{who}: counting")
    if callable(X) or (isinstance(X, (list, tuple)) and X and _is_block(X[0])):
        return Stream(X, lambda raw: prepare(raw, None, None), f"{who}: counting")
    return None


def _is_block(part: Any) -> bool:
    """Whether this is a table by itself, not a row or a column of one."""
    if isinstance(part, Mapping):
        return np.ndim(next(iter(part.values()), 0)) > 0
    return hasattr(part, "columns") or getattr(part, "ndim", 0) == 2


def missing_state(states: Sequence[Any]) -> str:
    """A name for missing values as a state, which no other state has.

    >>> from assay.graphs.learning.states import missing_state
    >>> missing_state(["low", "high"]), missing_state(["low", "missing"])
    ('missing', 'missing_')
    """
    name = "missing"
    while name in map(str, states):
        name += "_"
    return name


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
