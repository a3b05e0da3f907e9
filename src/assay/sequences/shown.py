"""What a hidden Markov model has learned, as tables: the chain, and what its states emit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.explanation import Section
from assay.sequences.families import Categorical, Family, Multinomial, Product
from assay.tables import Schema

__all__ = ["chain_section", "emission_sections", "matrix_section"]

MOST_HEADS = 12  # columns of a table; beyond, each number has a row
LEAST_SHOWN = 0.01  # probability, where each has a row


def chain_section(start: np.ndarray, transitions: np.ndarray, names: Sequence[Any] | None = None) -> Section:
    """Start and transitions of each state."""
    names = range(len(start)) if names is None else names
    if len(start) <= MOST_HEADS:
        rows = [[name, float(p), *map(float, row)] for name, p, row in zip(names, start, transitions)]
        return Section("Chain", ["state", "start", *(f"to {name}" for name in names)], rows)
    moves = [["start", name, float(p)] for name, p in zip(names, start)]
    moves += [[a, b, float(p)] for a, row in zip(names, transitions) for b, p in zip(names, row)]
    return _likely("Chain", ["from", "to", "probability"], moves)


def matrix_section(title: str, rows: Sequence[str], columns: Sequence[str], matrix: np.ndarray) -> Section:
    """A matrix with names on both sides."""
    if len(columns) <= MOST_HEADS:
        lines = [[name, *line] for name, line in zip(rows, np.asarray(matrix, dtype=float).tolist())]
        return Section(title, ["", *columns], lines)
    long = [[a, b, float(matrix[i, j])] for i, a in enumerate(rows) for j, b in enumerate(columns)]
    return Section(title, ["row", "column", "value"], long)


def emission_sections(
    family: Family, schema: Schema | None, columns: Sequence[int] | None = None
) -> list[Section]:
    """What the states of a family emit: probabilities of symbols, or mean and spread of numbers.

    Parameters
    ----------
    columns : numbers of those of the table that the family emits; None is all
    """
    if isinstance(family, Product):
        parts = zip(family.families, family.columns)
        return [section for f, c in parts for section in emission_sections(f, schema, c)]
    if isinstance(family, (Categorical, Multinomial)):
        return [_symbols(family, schema, columns)]
    if not family.emits_numbers():
        return []
    mean, variance = family.mean(), family.variance()
    names = _names(schema, mean.shape[1], columns)
    spread = np.sqrt(np.maximum(variance, 0.0))
    if len(names) == 1:
        both = np.hstack([mean, spread])
        return [_by_state(f"{names[0]} by state", ["mean", "standard deviation"], both, "of")]
    return [
        _by_state("Means by state", names, mean),
        _by_state("Standard deviations by state", names, spread),
    ]


def _symbols(family: Any, schema: Schema | None, columns: Sequence[int] | None) -> Section:
    shares = family.probabilities
    M, title, symbols = shares.shape[1], "Symbols by state", [str(m) for m in range(shares.shape[1])]
    if isinstance(family, Multinomial):
        symbols = _names(schema, M, columns)
    elif schema is not None and len(schema.columns) > (columns or [0])[0]:
        column = schema.columns[(columns or [0])[0]]
        title = f"{column.name} by state"
        if column.coded and len(column.categories) == M:
            symbols = [str(c) for c in column.categories]
    return _by_state(title, symbols, shares, "symbol", likely=True)


def _by_state(
    title: str, names: Sequence[str], values: np.ndarray, head: str = "column", likely: bool = False
) -> Section:
    """A row for each column or symbol, a column for each state."""
    K = len(values)
    if K <= MOST_HEADS:
        rows = [[name, *values[:, j].tolist()] for j, name in enumerate(names)]
        return Section(title, [head, *(f"state {k}" for k in range(K))], rows)
    long = [[k, name, float(values[k, j])] for k in range(K) for j, name in enumerate(names)]
    heads = ["state", head, "probability" if likely else "value"]
    return _likely(title, heads, long) if likely else Section(title, heads, long)


def _likely(title: str, heads: list[str], rows: list[list[Any]]) -> Section:
    kept = [row for row in rows if row[-1] >= LEAST_SHOWN]
    note = f"Probabilities below {LEAST_SHOWN:g} are left out." if len(kept) < len(rows) else ""
    return Section(title, heads, kept, note)


def _names(schema: Schema | None, d: int, columns: Sequence[int] | None) -> list[str]:
    names = list(schema.names) if schema is not None else []
    if columns is not None and names:
        return [names[j] for j in columns]
    return names if len(names) == d else [f"x{j}" for j in range(d)]
