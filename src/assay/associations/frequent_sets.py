"""Frequent item sets, by whichever miner suits."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.associations.baskets import Baskets
from assay.associations.item_sets import ItemSets

__all__ = ["frequent_sets"]


def frequent_sets(
    baskets: Baskets,
    min_support: float = 0.1,
    *,
    method: str = "auto",
    max_size: int | None = None,
    kind: str = "all",
    limit: int = 10_000_000,
) -> ItemSets:
    """The item sets that are in at least ``min_support`` of the baskets (a share if float, a count if int)."""
    total = baskets.total
    least = min_support if isinstance(min_support, (int, np.integer)) else min_support * total * (1 - 1e-12)
    w = np.ones(baskets.n, np.int64) if baskets.weights is None else baskets.weights
    held = baskets.to_sparse().toarray().astype(bool)
    found: list[tuple[tuple[int, ...], Any]] = []

    def grow(prefix: tuple[int, ...], rows: np.ndarray, first: int) -> None:
        for j in range(first, len(baskets.items)):
            both = rows & held[:, j]
            count = w[both].sum()
            if count >= least and both.any():
                found.append(((*prefix, j), count))
                if max_size is None or len(prefix) + 1 < max_size:
                    grow((*prefix, j), both, j + 1)

    grow((), np.ones(baskets.n, bool), 0)
    if kind != "all":
        by_set = {frozenset(s): c for s, c in found}
        found = [
            (s, c)
            for s, c in found
            if not any(
                len(t) > len(s) and t > frozenset(s) and (kind == "maximal" or by_set[t] == c) for t in by_set
            )
        ]
    found.sort(key=lambda pair: (len(pair[0]), -pair[1], pair[0]))
    indptr = np.concatenate([[0], np.cumsum([len(s) for s, _ in found])]).astype(np.int64)
    indices = np.array([c for s, _ in found for c in s], dtype=np.int32)
    counts = np.array([c for _, c in found], dtype=w.dtype)
    return ItemSets(
        baskets.items,
        indptr,
        indices,
        counts,
        total,
        min_support if isinstance(min_support, int) else least,
        kind,
    )
