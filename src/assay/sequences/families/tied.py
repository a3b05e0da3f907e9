"""States that share emissions: each joint state emits as one state of a smaller family."""

from __future__ import annotations

import numpy as np

from assay.sequences.chain import padded
from assay.sequences.families.family import Family, Sums

__all__ = ["Tied"]


class Tied(Family):
    """State s emits as state ``index[s]`` of a family, of which all states that share it are added up.

    Parameters
    ----------
    family : of fewer states
    index : (K,) for each state the state of the family
    """

    def __init__(self, family: Family, index: np.ndarray):
        self.family, self.index = family, np.asarray(index, dtype=np.int64)
        self.n_states = len(self.index)

    def log_density(self, X: np.ndarray) -> np.ndarray:
        return self.family.log_density(X)[:, self.index]

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> Sums:
        membership = np.zeros((self.n_states, padded(self.family.n_states)))
        membership[np.arange(self.n_states), self.index] = 1.0
        return self.family.sums(X, np.ascontiguousarray(gamma[:, : self.n_states] @ membership))

    def updated(self, sums: Sums, which: str) -> Tied:
        return Tied(self.family.updated(sums, which), self.index)

    def sample(self, state: int, draw: np.random.RandomState) -> np.ndarray:
        return self.family.sample(int(self.index[state]), draw)

    def n_parameters(self) -> int:
        return self.family.n_parameters()

    def emits_numbers(self) -> bool:
        return self.family.emits_numbers()

    def mean(self) -> np.ndarray:
        return self.family.mean()[self.index]

    def variance(self) -> np.ndarray:
        return self.family.variance()[self.index]
