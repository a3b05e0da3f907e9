"""Several families side by side, each of its own columns, independent of each other in each state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.sequences.families.family import Family, Sums

__all__ = ["Product"]


class Product(Family):
    """Families of groups of columns: their log densities add up, and each has its own sums."""

    def __init__(self, families: Sequence[Family], columns: Sequence[Sequence[int]]):
        self.families, self.columns = list(families), [list(c) for c in columns]
        self.n_states = families[0].n_states

    def log_density(self, X: np.ndarray) -> np.ndarray:
        return np.sum([f.log_density(X[:, c]) for f, c in zip(self.families, self.columns)], axis=0)

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> Sums:
        parts = enumerate(zip(self.families, self.columns))
        return Sums({str(i): f.sums(X[:, c], gamma) for i, (f, c) in parts})

    def updated(self, sums: Sums, which: str) -> Product:
        fresh = [f.updated(sums[str(i)], which) for i, f in enumerate(self.families)]
        return Product(fresh, self.columns)

    def sample(self, state: int, draw: np.random.RandomState) -> np.ndarray:
        row = np.empty(sum(map(len, self.columns)))
        for f, c in zip(self.families, self.columns):
            row[c] = f.sample(state, draw)
        return row

    def n_parameters(self) -> int:
        return sum(f.n_parameters() for f in self.families)

    def _placed(self, name: str) -> np.ndarray:
        out = np.full((self.n_states, sum(map(len, self.columns))), np.nan)
        for f, c in zip(self.families, self.columns):
            if f.emits_numbers():
                out[:, c] = getattr(f, name)()
        return out

    def mean(self) -> np.ndarray:
        return self._placed("mean")

    def variance(self) -> np.ndarray:
        return self._placed("variance")
