"""Sampling rows from generative models."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.tables import Schema


def draw_classes(rng: Any, prior: np.ndarray, n: int, who: str) -> np.ndarray:
    """(n,) class codes."""
    check_count(who, "the number of rows to draw", n, low=0)
    return rng.choice(len(prior), size=n, p=prior / prior.sum())


def draw_rows(rng: Any, tables: np.ndarray, which: np.ndarray) -> np.ndarray:
    """(n,) one draw from row ``which[i]`` of (K, m) probabilities for each i, by inverting their sums."""
    steps = np.cumsum(tables, axis=1)
    steps /= steps[:, -1:]
    u = rng.uniform(size=len(which))
    return (u[:, None] >= steps[which][:, :-1]).sum(axis=1).astype(np.float64)


def as_table(schema: Schema, values: np.ndarray, replaced: dict[str, np.ndarray] | None = None) -> Any:
    """Numbers as the table they stand for: an array if all columns are unnamed numbers, else a dict of columns."""
    replaced = replaced or {}
    if not schema.named and not schema.coded.any() and not replaced:
        return values
    return {
        column.name: replaced[column.name]
        if column.name in replaced
        else np.array(
            [schema.label(j, v) for v in values[:, j]], dtype=object if column.coded else np.float64
        )
        for j, column in enumerate(schema)
    }
