"""Symbols."""

from __future__ import annotations

import numpy as np

import assay.sequences._emissions as _emissions
from assay.sequences.chain import Frames, padded
from assay.sequences.families.family import Family, Sums, shares

__all__ = ["Categorical"]


class Categorical(Family):
    """Each state draws one of M symbols: rows are one column of codes 0..M-1; NaN and codes beyond M are missing."""

    def __init__(self, probabilities: np.ndarray, prior: float | np.ndarray = 1.0):
        self.probabilities, self.prior = np.asarray(probabilities, dtype=np.float64), prior
        self.n_states, self.n_symbols = self.probabilities.shape

    def codes(self, X: np.ndarray) -> np.ndarray:
        """(n,) codes, M where missing."""
        column, M = X[:, 0], self.n_symbols
        known = (column >= 0) & (column < M)  # False for NaN
        if known.all():
            return column.astype(np.int64)
        return np.where(known, np.where(known, column, 0.0).astype(np.int64), M)

    def frames(self, X: np.ndarray) -> Frames:
        K, M = self.n_states, self.n_symbols
        table = np.zeros((M + 1, padded(K)))
        table[:M, :K] = self.probabilities.T
        table[M, :K] = 1.0
        codes = self.codes(X)

        def make(log: bool) -> np.ndarray:
            out = np.empty((len(codes), padded(K)))
            with np.errstate(divide="ignore"):
                _emissions.symbol_densities(codes, np.log(table) if log else table, out)
            return out

        return Frames(K, make=make)

    def log_density(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            table = np.log(np.vstack([self.probabilities.T, np.ones(self.n_states)]))
        return table[self.codes(X)]

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> Sums:
        counts = np.zeros((self.n_symbols + 1, gamma.shape[1]))
        _emissions.symbol_sums(self.codes(X), gamma, counts)
        return Sums(symbols=counts[:-1, : self.n_states].T.copy())

    def updated(self, sums: Sums, which: str) -> Categorical:
        if "e" not in which:
            return self
        counts = np.maximum(np.asarray(self.prior) - 1 + sums["symbols"], 0)
        return Categorical(shares(counts, self.probabilities), self.prior)

    def sample(self, state: int, draw: np.random.RandomState) -> np.ndarray:
        return np.array([(np.cumsum(self.probabilities[state]) > draw.rand()).argmax()])

    def n_parameters(self) -> int:
        return self.n_states * (self.n_symbols - 1)
