"""Families of nodes in rows of codes: look-ups and counts."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.graphs._families as _native

__all__ = ["blanket_scores", "family_codes"]


def blanket_scores(network: Any, i: int, rows: np.ndarray) -> np.ndarray:
    """(n, r) the log probability of each state of node i with the other nodes as in each complete row, up to a term."""
    families = [i, *(network.index(c) for c in network.graph.children[network.names[i]])]
    scopes = [[*(network.index(p) for p in network.nodes[f].parents), f] for f in families]
    with np.errstate(divide="ignore"):
        logs = np.concatenate([np.log(network._tables[f]).ravel() for f in families])
    out = np.empty((len(rows), int(network._cards[i])))
    _native.blanket_scores(
        rows=np.ascontiguousarray(rows, np.int64),
        cards=network._cards,
        begin=np.cumsum([0, *map(len, scopes)], dtype=np.int64),
        vars=np.array([v for scope in scopes for v in scope], np.int64),
        logs=logs,
        variable=i,
        out=out,
    )
    return out


def family_codes(network: Any, i: int, rows: np.ndarray) -> np.ndarray:
    """(n,) the place of each complete row in the table of node i."""
    node = network.nodes[i]
    return network.configuration(node, rows) * int(network._cards[i]) + rows[:, i].astype(np.int64)
