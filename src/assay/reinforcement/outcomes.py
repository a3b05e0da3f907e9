"""What decision processes are made of, read from arrays and sparse matrices."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from assay.errors import DataError, ParameterError

__all__ = [
    "checked_discount",
    "listed",
    "names_of",
    "numbers_of",
    "outcomes_of",
    "reached",
    "rewards_of",
    "some_of",
]


def reached(source: np.ndarray, target: np.ndarray, first: np.ndarray, n: int) -> np.ndarray:
    """(n,) whether each of n nodes can be reached from the first ones, along edges from source to target."""
    rows = np.concatenate([source, np.full(len(first), n)])
    columns = np.concatenate([target, first])
    graph = sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(n + 1, n + 1)).tocsr()
    reachable = np.zeros(n + 1, dtype=bool)
    reachable[breadth_first_order(graph, n, return_predecessors=False)] = True
    return reachable[:n]


def numbers_of(given: Any) -> np.ndarray:
    """An array of numbers; a ValueError for text, even where it could be read as a number."""
    array = np.asarray(given)
    if array.dtype.kind in "USM" or (
        array.dtype == object and any(isinstance(v, (str, bytes)) for v in array.flat)
    ):
        raise ValueError("text")
    return array.astype(np.float64)


def checked_discount(discount: Any, who: str = "MDP") -> float:
    """A discount, which must be a number from 0 to 1."""
    if (
        isinstance(discount, bool)
        or not isinstance(discount, (int, float, Fraction, np.number))
        or not 0 <= discount <= 1
    ):
        raise ParameterError(f"{who}: discount must be a number from 0 to 1, got {discount!r}.")
    return float(discount)


def listed(names: Any, who: str, what: str) -> list[Any]:
    """Some names of states or actions; text is one name, and not the list of its letters."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise ParameterError(f"{who}: {what}, got {names!r}. Of one name: [{names!r}].")
    return list(names)


def outcomes_of(transitions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]:
    """Row s A + a, next state and probability of all outcomes, and (S, A)."""
    if (
        isinstance(transitions, np.ndarray)
        and transitions.ndim == 3
        and transitions.shape[0] == transitions.shape[2]
    ):
        S, A, _ = transitions.shape
        parts = [transitions[:, a, :] for a in range(A)]
    else:
        parts = list(transitions) if isinstance(transitions, Iterable) else []
        A = len(parts)
        S = 0 if not A else 1 if not np.shape(parts[0]) else int(np.shape(parts[0])[0])
    if not A or not S:
        raise DataError("MDP: there must be a state and an action.")
    rows, columns, chances = [], [], []
    for a, part in enumerate(parts):
        try:
            matrix = sparse.coo_array(part if sparse.issparse(part) else numbers_of(part))
        except (TypeError, ValueError):
            matrix = None
        if matrix is None or matrix.shape != (S, S):
            got = (
                "what is no matrix of numbers" if matrix is None else f"a matrix of the shape {matrix.shape}"
            )
            raise DataError(
                f"MDP: transitions must be (S, A, S), or a list of a square matrix for each action; action {a} has "
                f"{got} where the first has {S} states."
            )
        matrix.sum_duplicates()
        rows.append(matrix.row.astype(np.int64) * A + a)
        columns.append(matrix.col.astype(np.int64))
        chances.append(matrix.data.astype(np.float64))
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(chances), (S, A)


def rewards_of(rewards: Any, row: np.ndarray, column: np.ndarray, S: int, A: int) -> np.ndarray:
    """The reward of each outcome."""
    state, action = row // A, row % A
    if isinstance(rewards, (list, tuple)) and any(sparse.issparse(part) for part in rewards):
        stack = [sparse.csr_array(part) for part in rewards]
        if len(stack) == A and all(part.shape == (S, S) for part in stack):
            earned = np.empty(len(row))
            for a, part in enumerate(stack):
                earned[action == a] = part[state[action == a], column[action == a]]
            return earned
        raise DataError(f"MDP: rewards as sparse matrices must be {A} of the shape ({S}, {S}).")
    matrices = isinstance(rewards, (list, tuple)) and len(rewards) == A
    if matrices and all(np.shape(part) == (S, S) for part in rewards):
        rewards = np.stack([np.asarray(part) for part in rewards], axis=1)  # one for each action
    try:
        array = numbers_of(rewards)
    except (TypeError, ValueError):
        raise DataError("MDP: rewards must be numbers.") from None
    if array.shape == (S, A):
        return array[state, action]
    if array.shape == (S,):
        return array[state]
    if array.shape == (A, S, S) and A != S:
        return array[action, state, column]
    if array.shape == (S, A, S):
        return array[state, action, column]
    raise DataError(
        f"MDP: rewards must have the shape ({S}, {A}), ({S},) or ({S}, {A}, {S}), got {array.shape}."
    )


def names_of(names: Sequence[Hashable] | None, m: int, what: str, who: str = "MDP") -> list[Any]:
    """Names of m states or actions; their numbers, if there are none."""
    if names is None:
        return list(range(m))
    given = listed(names, who, f"{what} must be a list of {m} names")
    try:
        different = len(given) == m and len(set(given)) == m
    except TypeError:  # a name that is a list
        different = False
    if not different:
        raise ParameterError(f"{who}: {what} must be {m} different names, got {some_of(given)}.")
    return given


def some_of(names: Sequence[Any]) -> str:
    """The first of some names, for messages."""
    shown = ", ".join(repr(name) for name in list(names)[:8])
    return shown + (", ..." if len(names) > 8 else "")
