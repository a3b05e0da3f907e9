"""The examples of FOIL: domains of the arguments, and negative tuples by the closed-world assumption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.seeds import random_state_of
from assay.errors import DataError
from assay.rules.first_order.facts import Facts
from assay.types import RandomState

__all__ = ["Domains", "closed_world", "domains"]


@dataclass
class Domains:
    """The constants of each type, and the types of each predicate's arguments."""

    types: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, np.ndarray]

    def of(self, predicate: str) -> list[np.ndarray]:
        """What may stand in each argument of a predicate."""
        return [self.constants[kind] for kind in self.types[predicate]]

    def types_of_constants(self, facts: Facts) -> dict[Any, frozenset[str]]:
        """The types in which each constant occurs."""
        kinds_of: dict[Any, set[str]] = {}
        for kind, codes in self.constants.items():
            for code in codes.tolist():
                kinds_of.setdefault(facts.constants[code], set()).add(kind)
        return {constant: frozenset(kinds) for constant, kinds in kinds_of.items()}


def domains(facts: Facts, types: Mapping[str, tuple[str, ...]]) -> Domains:
    """The constants that occur in some argument of each type."""
    by_kind: dict[str, list[np.ndarray]] = {}
    for relations in (facts.relations, facts.denied):
        for predicate, rows in relations.items():
            for j, kind in enumerate(types.get(predicate, ())):
                by_kind.setdefault(kind, []).append(rows[:, j])
    return Domains(types, {kind: np.unique(np.concatenate(columns)) for kind, columns in by_kind.items()})


def closed_world(
    positive: np.ndarray, domain: Sequence[np.ndarray], limit: int, random_state: RandomState
) -> np.ndarray:
    """Every tuple of the domain that is not positive; if there are more than ``limit``, so many drawn at random."""
    sizes = [len(d) for d in domain]
    total = 1
    for size in sizes:
        total *= size
    if total >= 2**62:
        raise DataError(
            f"FOIL: {len(domain)} arguments have too many combinations to draw from. Give negatives, or types."
        )
    key = np.zeros(len(positive), np.int64)
    for d, size, column in zip(domain, sizes, positive.T):
        key = key * size + np.searchsorted(d, column)
    if total <= limit + len(positive):
        numbers = np.setdiff1d(np.arange(total), key)
    else:
        rng = random_state_of(random_state)
        # Drawn with a few to spare: repetitions and positives fall out.
        drawn = rng.randint(0, total, size=int(1.2 * limit) + len(positive) + 100, dtype=np.int64)
        first = np.sort(np.unique(drawn, return_index=True)[1])
        numbers = drawn[first]
        numbers = np.sort(numbers[~np.isin(numbers, key)][:limit])
    rows = np.empty((len(numbers), len(domain)), np.int64)
    for j in reversed(range(len(domain))):
        rows[:, j] = domain[j][numbers % sizes[j]]
        numbers = numbers // sizes[j]
    return rows
