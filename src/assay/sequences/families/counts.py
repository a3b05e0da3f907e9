"""Counts: of several symbols in a number of trials, or of events."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlogy

from assay.errors import DataError
from assay.sequences.families.family import Family, Sums, shares
from assay.sequences.sequences import Sequences

__all__ = ["Multinomial", "Poisson", "refuse_what_is_no_count"]


def refuse_what_is_no_count(X: Sequences, what: str, who: str) -> None:
    """An error that names the first entry that is neither missing nor a whole number from 0 up."""
    if X.schema.coded.any():
        name = X.schema.names[int(np.argmax(X.schema.coded))]
        raise DataError(
            f"{what} should be whole numbers from 0 up; column {name!r} holds categories.", who=who
        )
    wrong = ~np.isnan(X.values) & ((X.values < 0) | (X.values != np.floor(X.values)))
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise DataError(
            f"{what} should be whole numbers from 0 up; row {row} (counted from 0) of column "
            f"{X.schema.names[column]!r} has {X.values[row, column]:g}.",
            who=who,
        )


class Multinomial(Family):
    """Each state draws a number of symbols: rows are the counts of M symbols. A row with a missing count is missing."""

    def __init__(self, probabilities: np.ndarray):
        self.probabilities = np.asarray(probabilities, dtype=np.float64)
        self.n_states, self.n_symbols = self.probabilities.shape

    def counts(self, X: np.ndarray) -> np.ndarray:
        """(n, M) counts, NaN in all columns of a row that misses one."""
        return np.where(np.isnan(X).any(axis=1)[:, None], np.nan, X)

    def base(self, X: np.ndarray) -> np.ndarray:
        """(n,) of the log densities, what no state changes: in how many orders the counts can come."""
        counts = np.where(np.isnan(X).any(axis=1)[:, None], 0.0, X)
        return gammaln(counts.sum(axis=1) + 1) - gammaln(counts + 1).sum(axis=1)

    def log_density(self, X: np.ndarray) -> np.ndarray:
        counts = np.where(np.isnan(X).any(axis=1)[:, None], 0.0, X)
        with np.errstate(divide="ignore"):
            logs = np.log(self.probabilities)
        impossible = np.isneginf(logs)
        terms = counts @ np.where(impossible, 0.0, logs).T
        terms[(counts @ impossible.T.astype(np.float64)) > 0] = -np.inf
        return terms + self.base(X)[:, None]

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> Sums:
        counts = np.where(np.isnan(X).any(axis=1)[:, None], 0.0, X)
        return Sums(symbols=gamma[:, : self.n_states].T @ counts)

    def updated(self, sums: Sums, which: str) -> Multinomial:
        return Multinomial(shares(sums["symbols"], self.probabilities)) if "e" in which else self

    def draw(self, state: int, n_trials: int, draw: np.random.RandomState) -> np.ndarray:
        """(M,) counts of so many trials."""
        return draw.multinomial(n_trials, self.probabilities[state])

    def n_parameters(self) -> int:
        return self.n_states * (self.n_symbols - 1)


class Poisson(Family):
    """Each state has a rate for every column of counts."""

    def __init__(self, rates: np.ndarray, prior: float | np.ndarray = 0.0, weight: float | np.ndarray = 0.0):
        self.rates, self.prior, self.weight = np.asarray(rates, dtype=np.float64), prior, weight
        self.n_states = len(self.rates)

    def counts(self, X: np.ndarray) -> np.ndarray:
        """(n, d) counts, NaN where missing."""
        return X

    def base(self, X: np.ndarray) -> np.ndarray:
        """(n,) of the log densities, what no state changes."""
        return -gammaln(np.where(np.isnan(X), 0.0, X) + 1).sum(axis=1)

    def log_density(self, X: np.ndarray) -> np.ndarray:
        observed = ~np.isnan(X)
        counts = np.where(observed, X, 0.0)
        zero = (self.rates == 0).astype(np.float64)
        logs = xlogy(1.0, np.where(self.rates > 0, self.rates, 1.0))
        terms = counts @ logs.T - observed @ self.rates.T + self.base(X)[:, None]
        terms[(counts @ zero.T) > 0] = -np.inf
        return terms

    def sums(self, X: np.ndarray, gamma: np.ndarray) -> Sums:
        observed = ~np.isnan(X)
        posterior = gamma[:, : self.n_states].T
        return Sums(events=posterior @ np.where(observed, X, 0.0), rows=posterior @ observed)

    def updated(self, sums: Sums, which: str) -> Poisson:
        if "l" not in which:
            return self
        below = self.weight + sums["rows"]
        rates = (self.prior + sums["events"]) / np.where(below > 0, below, 1.0)
        return Poisson(np.where(below > 0, rates, self.rates), self.prior, self.weight)

    def sample(self, state: int, draw: np.random.RandomState) -> np.ndarray:
        return draw.poisson(self.rates[state])

    def n_parameters(self) -> int:
        return self.rates.size

    def mean(self) -> np.ndarray:
        return self.rates

    def variance(self) -> np.ndarray:
        return self.rates
