"""The rows of a block, sorted by the node of a tree that they have reached (see ``hist_passes.cpp``).

A block keeps ``order`` and ``node``, a row of each for every tree that grows on it. Chunk by chunk they say which row
stands at each place, and which node it has reached.
"""

from __future__ import annotations

import numpy as np

import assay.ensembles._hist_passes as _hist_passes
from assay.core.kept import Arrays

__all__ = ["at_root", "gather_at_root", "node_of_rows"]


def at_root(trees: int, n: int) -> Arrays:
    """What a block of n rows keeps for so many trees, all of whose rows are at the root."""
    arrays: Arrays = {"order": np.empty((trees, n), np.uint16), "node": np.empty((trees, n), np.int32)}
    gather_at_root(arrays)
    return arrays


def gather_at_root(arrays: Arrays) -> None:
    """Send all rows of a block back to the roots."""
    for order, node in zip(arrays["order"], arrays["node"]):
        _hist_passes.gather_at_root(order, node)


def node_of_rows(arrays: Arrays, tree: int = 0) -> np.ndarray:
    """(n,) the node of a tree that each row has reached.

    >>> from assay.ensembles.hist_order import at_root, node_of_rows
    >>> node_of_rows(at_root(1, 3)).tolist()
    [0, 0, 0]
    """
    order, node = arrays["order"][tree], arrays["node"][tree]
    out = np.empty(len(node), np.int32)
    _hist_passes.node_of_rows(order, node, out)
    return out
