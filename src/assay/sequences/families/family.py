"""The protocol of emissions: densities of rows, sums over rows, and the family that follows from the sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.sequences.chain import Frames, pad

__all__ = ["Family", "Sums"]


class Sums(dict[str, Any]):
    """Named sums over rows, which add up name by name."""

    def __add__(self, other: Sums) -> Sums:
        return Sums({name: value + other[name] for name, value in self.items()})

    def scaled(self, factor: float) -> Sums:
        """All sums times a number."""
        scaled = {name: v.scaled(factor) if isinstance(v, Sums) else factor * v for name, v in self.items()}
        return Sums(scaled)


class Family:
    """What K states emit. A missing entry of a row says nothing of the state: its factor is left out.

    A family writes ``log_density``, ``sums``, ``updated``, ``sample`` and ``n_parameters``; ``mean`` and ``variance``
    if it emits numbers.
    """

    n_states: int

    def log_density(self, X: np.ndarray) -> np.ndarray:
        """(n, K) log densities of the rows."""
        raise TypeError(f"{type(self).__name__} must say its log density")

    def frames(self, X: np.ndarray) -> Frames:
        """What the rows say of the states, for the native loops."""
        return Frames(self.n_states, pad(self.log_density(X)))

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> Sums:
        """What the rows add, by the (n, P) padded posterior of their states."""
        raise TypeError(f"{type(self).__name__} must say what it sums")

    def updated(self, sums: Sums, which: str) -> Family:
        """The family that the sums make most likely; ``which`` names what may change, letter by letter."""
        raise TypeError(f"{type(self).__name__} must say what follows from sums")

    def sample(self, state: int, draw: np.random.RandomState) -> np.ndarray:
        """(d,) one row that a state emits."""
        raise TypeError(f"{type(self).__name__} must say how it is sampled")

    def n_parameters(self) -> int:
        """How many numbers are free."""
        raise TypeError(f"{type(self).__name__} must count its parameters")

    def emits_numbers(self) -> bool:
        """Whether ``mean`` and ``variance`` answer."""
        return type(self).mean is not Family.mean

    def mean(self) -> np.ndarray:
        """(K, d) expected rows of the states."""
        raise TypeError(f"{type(self).__name__} emits no numbers")

    def variance(self) -> np.ndarray:
        """(K, d) variances of the columns in each state."""
        raise TypeError(f"{type(self).__name__} emits no numbers")


def shares(counts: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Rows of counts as probabilities; a row without any keeps what it was before."""
    totals = counts.sum(axis=-1, keepdims=True)
    return np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), before)
