"""Priors and likelihoods as users write them (mappings, sequences, tables), read into arrays."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, ParameterError


def read_priors(priors: Any) -> tuple[tuple[Any, ...], NDArray[Any]]:
    """Class names, and their probabilities, which must sum to 1."""
    if isinstance(priors, Mapping):
        classes, values = tuple(priors), list(priors.values())
    else:
        values = list(priors)
        classes = tuple(range(len(values)))
    P = np.empty(len(values), dtype=object)
    P[:] = values
    if not values or any(not v >= 0 for v in values) or not is_one(sum(values)):
        raise ParameterError(
            f"bayes_rule: priors must be probabilities that sum to 1, got {', '.join(map(str, values))}. "
            "Divide counts by their sum first."
        )
    return classes, P


def read_likelihoods(
    likelihoods: Any, classes: tuple[Any, ...]
) -> tuple[tuple[Any, ...] | None, NDArray[Any]]:
    """Row names (None for a single observation), and likelihoods, (n, K), in the order of the classes."""
    if not isinstance(likelihoods, Mapping):
        L = np.asarray(likelihoods, dtype=object)
        if L.ndim not in (1, 2) or L.shape[-1] != len(classes):
            raise DataError(
                f"bayes_rule: expected {len(classes)} likelihoods a row, one per class, got {L.shape}."
            )
        return (None, L[None]) if L.ndim == 1 else (tuple(range(len(L))), L)
    if set(likelihoods) != set(classes):
        raise DataError(
            f"bayes_rule: priors are for {sorted(map(str, classes))}, "
            f"likelihoods for {sorted(map(str, likelihoods))}."
        )
    parts = [likelihoods[c] for c in classes]
    if not all(isinstance(part, Mapping) for part in parts):
        L = np.empty((1, len(classes)), dtype=object)
        L[0, :] = parts
        return None, L
    rows = tuple(parts[0])
    for c, part in zip(classes, parts):
        if set(part) != set(rows):
            raise DataError(
                f"bayes_rule: class {c!r} lists values {sorted(map(str, part))}, expected {list(rows)}."
            )
        if not is_one(sum(part.values())):
            raise DataError(
                f"bayes_rule: the conditionals of class {c!r} sum to {sum(part.values())}, expected 1."
            )
    L = np.empty((len(rows), len(classes)), dtype=object)
    for k, part in enumerate(parts):
        L[:, k] = [part[r] for r in rows]
    return rows, L


def check_likelihoods(L: NDArray[Any], log: bool) -> None:
    """Raise unless likelihoods are finite and not negative."""
    values = L.astype(float)
    if np.isnan(values).any() or np.isposinf(values).any() or (not log and (values < 0).any()):
        raise DataError(
            "bayes_rule: likelihoods must be finite and not negative (or, with log=True, logarithms)."
        )


def is_one(total: Any) -> bool:
    """Whether probabilities sum to 1: exactly for fractions, else up to rounding."""
    return bool(total == 1 if isinstance(total, Rational) else abs(float(total) - 1) <= 1e-8)


def all_rational(values: NDArray[Any]) -> bool:
    """Whether all numbers are whole or fractions, so that results can be exact."""
    return all(isinstance(v, Rational | np.integer) and not isinstance(v, bool) for v in values.flat)


def as_fractions(values: NDArray[Any]) -> NDArray[Any]:
    """The same numbers as exact fractions."""
    exact = np.empty(values.size, dtype=object)
    exact[:] = [Fraction(int(v)) if isinstance(v, np.integer) else Fraction(v) for v in values.flat]
    return exact.reshape(values.shape)
