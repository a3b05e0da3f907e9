"""Which transitions are possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.parameters import Count, check
from assay.errors import ParameterError

__all__ = ["left_to_right", "mask_of"]


def left_to_right(n_states: int, jump: int = 1) -> np.ndarray:
    """(K, K) mask of a chain that never goes back and passes over at most ``jump`` - 1 states.

    >>> from assay.sequences import left_to_right
    >>> left_to_right(4, jump=2).astype(int)
    array([[1, 1, 1, 0],
           [0, 1, 1, 1],
           [0, 0, 1, 1],
           [0, 0, 0, 1]])
    """
    check("left_to_right", {"n_states": Count(1), "jump": Count(0)}, {"n_states": n_states, "jump": jump})
    ahead = np.arange(n_states)[None, :] - np.arange(n_states)[:, None]
    return (ahead >= 0) & (ahead <= jump)


def mask_of(topology: Any, n_states: int, who: str) -> tuple[np.ndarray, np.ndarray]:
    """The transitions (K, K) and the first states (K,) that a topology allows, as 0 and 1."""
    if topology is None or (isinstance(topology, str) and topology == "ergodic"):
        return np.ones((n_states, n_states)), np.ones(n_states)
    mask = left_to_right(n_states) if isinstance(topology, str) else np.asarray(topology) != 0
    if mask.shape != (n_states, n_states):
        raise ParameterError(
            f"topology must be a matrix of {n_states} x {n_states}, its shape is {mask.shape}.", who=who
        )
    if not mask.any(axis=1).all():
        lost = int(np.argmin(mask.any(axis=1)))
        raise ParameterError(f"topology leaves no way out of state {lost}, not even to itself.", who=who)
    forward = not np.tril(mask, -1).any()
    starts = np.eye(n_states)[0] if forward and n_states > 1 else np.ones(n_states)
    return mask.astype(np.float64), starts
