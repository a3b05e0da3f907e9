"""Families of nodes in rows of codes: look-ups and counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import assay.graphs._families as _native

__all__ = ["blanket_scores", "family_codes", "family_counts", "pair_cells"]


def blanket_scores(network: Any, i: int, rows: np.ndarray, others: Sequence[int] = ()) -> np.ndarray:
    """(n, r) the log probability of each state of node i with the other nodes as in each complete row, up to a term.

    ``others`` are nodes whose tables are looked at as well: where one has probability 0 all states have -inf.
    """
    families = [i, *(network.index(c) for c in network.graph.children[network.names[i]])]
    with np.errstate(divide="ignore"):
        tables = [np.log(network._tables[f]).ravel() for f in families]
    for f in others:
        if f not in families:
            families.append(f)
            tables.append(np.where(network._tables[f] > 0, 0.0, -np.inf).ravel())
    scopes = [[*(network.index(p) for p in network.nodes[f].parents), f] for f in families]
    out = np.empty((len(rows), int(network._cards[i])))
    _native.blanket_scores(
        rows=np.ascontiguousarray(rows, np.int64),
        cards=network._cards,
        begin=np.cumsum([0, *map(len, scopes)], dtype=np.int64),
        vars=np.array([v for scope in scopes for v in scope], np.int64),
        logs=np.concatenate(tables),
        variable=i,
        out=out,
    )
    return out


def family_codes(network: Any, i: int, rows: np.ndarray) -> np.ndarray:
    """(n,) the place of each complete row in the table of node i."""
    node = network.nodes[i]
    return network.configuration(node, rows) * int(network._cards[i]) + rows[:, i].astype(np.int64)


def family_counts(network: Any, rows: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(E,) the weight of the rows in each cell of all tables, in one line; a missing value (-1) counts nowhere."""
    scopes = [[*(network.index(p) for p in node.parents), i] for i, node in enumerate(network.nodes)]
    out = np.zeros(sum(int(np.prod(network._cards[scope], dtype=np.int64)) for scope in scopes))
    _native.count_families(
        rows=np.ascontiguousarray(rows, np.int64),
        w=np.ascontiguousarray(w, np.float64),
        cards=network._cards,
        begin=np.cumsum([0, *map(len, scopes)], dtype=np.int64),
        vars=np.array([v for scope in scopes for v in scope], np.int64),
        out=out,
    )
    return out


def pair_cells(codes: np.ndarray, y: np.ndarray, K: int, cards: np.ndarray) -> np.ndarray:
    """(K, S, S) how many rows of each class have both of two states; -1 is missing, S are the states of all columns."""
    start = np.concatenate([[0], np.cumsum(cards)]).astype(np.int64)
    cells = np.zeros((K * int(start[-1]), int(start[-1])))
    _native.pair_cells(
        codes=np.ascontiguousarray(codes, np.int64),
        y=np.ascontiguousarray(y, np.int64),
        start=start,
        K=K,
        cells=cells,
    )
    return cells.reshape(K, len(cells[0]), len(cells[0]))
