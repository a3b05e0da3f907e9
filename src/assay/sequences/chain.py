"""Forward, backward, expected counts and best paths of a chain of hidden states, for many sequences at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.sequences import _chain

__all__ = ["Chain", "Expected", "Frames", "Paths", "by_sequence", "pad", "padded"]

UNROLLED = (4, 8, 16, 20, 24, 32)  # numbers of columns for which the native loops are compiled
NO_WEIGHTS = np.empty(0)


def padded(n_states: int) -> int:
    """How many columns stand for so many states in the native code."""
    return next((width for width in UNROLLED if width >= n_states), -(-n_states // 8) * 8)


def pad(values: np.ndarray, fill: float = 0.0) -> np.ndarray:
    """The array with its last axis, of states, padded."""
    K = values.shape[-1]
    out = np.full((*values.shape[:-1], padded(K)), fill)
    out[..., :K] = values
    return out


class Frames:
    """What each row of observations says of each state.

    Parameters
    ----------
    n_states : K
    logs : (n, P) log densities, padded; None if ``densities`` are given
    make : function that gives (n, P) densities, padded with zeros, none above 1, or with True their logarithms
    """

    def __init__(
        self,
        n_states: int,
        logs: np.ndarray | None = None,
        make: Callable[[bool], np.ndarray] | None = None,
    ):
        self.n_states, self._logs, self._make = n_states, logs, make

    @cached_property
    def _scaled(self) -> tuple[np.ndarray, np.ndarray]:
        if self._make is not None:
            densities = self._make(False)
            return densities, np.zeros(len(densities))
        if self._logs is None:
            raise TypeError("Frames needs log densities, or a function that makes densities")
        densities, shift = np.empty(self._logs.shape), np.empty(len(self._logs))
        _chain.scale(self._logs, self.n_states, densities, shift)
        return densities, shift

    @property
    def densities(self) -> np.ndarray:
        """(n, P) densities, each row divided by a number."""
        return self._scaled[0]

    @property
    def shift(self) -> np.ndarray:
        """(n,) the logarithms of these numbers."""
        return self._scaled[1]

    def logs(self, rows: slice = slice(None)) -> np.ndarray:
        """(n, P) log densities of some rows, -inf where padded."""
        if self._make is not None:
            return self._make(True)[rows]
        if self._logs is None:
            raise TypeError("Frames needs log densities, or a function that makes densities")
        logs = self._logs[rows].copy()
        logs[:, self.n_states :] = -np.inf
        return logs

    def restricted(self, states: np.ndarray) -> Frames:
        """The same where the state of some rows is known: others have density 0 there; -1 is unknown."""
        known = np.flatnonzero(states >= 0)
        logs = self.logs()
        allowed = np.zeros((len(known), logs.shape[1]), dtype=bool)
        allowed[np.arange(len(known)), states[known]] = True
        logs[known] = np.where(allowed, logs[known], -np.inf)
        return Frames(self.n_states, logs)


@dataclass
class Expected:
    """Posterior of the states: the expectation step.

    gamma : (n, K) times the weight of the sequence      gamma_padded : (n, P)
    start : (K,) sum of the first rows      transitions : (K, K) expected counts, (n, K, K) for a matrix a row, or
        a list of (k, k) for independent chains
    log_likelihoods : (S,)      impossible : {sequence: row within it that nothing explains}
    """

    gamma_padded: np.ndarray
    start: np.ndarray
    transitions: Any
    log_likelihoods: np.ndarray
    impossible: dict[int, int]

    @property
    def gamma(self) -> np.ndarray:
        return self.gamma_padded[:, : len(self.start)]


@dataclass
class Paths:
    """The best path of each sequence: states (n,), and log joint probabilities (S,)."""

    states: np.ndarray
    log_probabilities: np.ndarray


class Chain:
    """A Markov chain of hidden states: where it starts and how it goes on.

    Parameters
    ----------
    start : (K,) probabilities
    transitions : (K, K), or (n, K, K): the matrix that leads from each row to the next within its sequence
    """

    def __init__(self, start: np.ndarray, transitions: np.ndarray):
        self.start, self.transitions = (np.asarray(v, dtype=np.float64) for v in (start, transitions))
        self.n_states = len(self.start)
        self._start, self._A = pad(self.start), pad(self.transitions)

    def _matrices(self) -> np.ndarray:
        return np.ascontiguousarray(self._A.reshape(-1, self._A.shape[-1]))

    def expect(self, frames: Frames, offsets: np.ndarray, weights: np.ndarray | None = None) -> Expected:
        """Posterior of all states, and the expected counts of starts and transitions."""
        K, w = (
            self.n_states,
            NO_WEIGHTS if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
        )
        P, many = self._A.shape[-1], self._A.ndim == 3
        gamma = np.zeros(frames.densities.shape)
        A = self._matrices()
        logs, lost = np.empty(len(offsets) - 1), np.empty(len(offsets) - 1, dtype=np.uint8)

        xi, first = np.zeros(A.shape), np.zeros(P)
        _chain.expect(
            F=frames.densities, begin=offsets, start=self._start, A=A, n_states=K, w=w, gamma=gamma, xi=xi,
            first=first, logs=logs, lost=lost,
        )  # fmt: skip
        xi = xi if many else xi * A
        impossible: dict[int, int] = {}
        if lost.any():
            xi, first, impossible = self._with_logs(frames, offsets, w, gamma, xi, first, logs, lost)
        shift = by_sequence(frames.shift, offsets)
        shape = self.transitions.shape
        return Expected(gamma, first[:K], xi[:, :K].reshape(shape), logs + shift, impossible)

    def _with_logs(
        self,
        frames: Frames,
        offsets: np.ndarray,
        w: np.ndarray,
        gamma: np.ndarray,
        xi: np.ndarray,
        first: np.ndarray,
        logs: np.ndarray,
        lost: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, dict[int, int]]:
        """The same where scaled numbers got lost in some sequences: these by logarithms, the others once more."""
        K, many = self.n_states, self._A.ndim == 3
        impossible: dict[int, int] = {}
        if (lost == 2).any():  # noticed after something was added
            xi, first = np.zeros_like(xi), np.zeros_like(first)
            for begin, end in _runs(lost == 0):
                a, b = offsets[begin], offsets[end]
                part = Chain(self.start, self.transitions[a:b] if many else self.transitions)
                some = part.expect(
                    _Part(K, frames.densities[a:b]),
                    offsets[begin : end + 1] - a,
                    w[begin:end] if len(w) else None,
                )
                gamma[a:b] = some.gamma_padded
                first[:K] += some.start
                if many:
                    xi.reshape(len(gamma), K, -1)[a:b, :, :K] = some.transitions
                else:
                    xi[:, :K] += some.transitions
        with np.errstate(divide="ignore"):
            start, A = np.log(self._start), np.log(self._A)
        for s in np.flatnonzero(lost):
            a, b = offsets[s], offsets[s + 1]
            L, M = frames.logs(slice(a, b)), A[a:b] if many else A
            alpha, beta = np.full(L.shape, -np.inf), np.full(L.shape, -np.inf)
            at = _chain.in_logs(
                L=L, start=start, A=np.ascontiguousarray(M.reshape(-1, M.shape[-1])), n_states=K, alpha=alpha,
                beta=beta,
            )  # fmt: skip
            weight = w[s] if len(w) else 1.0
            if at >= 0:
                impossible[int(s)], logs[s], gamma[a:b] = int(at), -np.inf, 0.0
                continue
            total = np.logaddexp.reduce(alpha[-1, :K])
            gamma[a:b] = weight * np.exp(alpha + np.where(np.isneginf(beta), 0.0, beta) - total)
            gamma[a:b, K:] = 0.0
            logs[s] = total - frames.shift[a:b].sum()
            first += gamma[a]
            if b - a > 1:
                steps = M[:-1] if many else M[None]
                pairs = alpha[:-1, :K, None] + steps[:, :K, :K] + (L + beta)[1:, None, :K] - total
                counts = weight * np.exp(np.where(np.isnan(pairs), -np.inf, pairs))
                if many:
                    xi.reshape(len(gamma), K, -1)[a : b - 1, :, :K] = counts
                else:
                    xi[:, :K] += counts.sum(axis=0)
        return xi, first, impossible

    def filter(self, frames: Frames, offsets: np.ndarray) -> Expected:
        """Posterior of each state by the observations up to it, without the future; no counts."""
        logs, lost = np.empty(len(offsets) - 1), np.empty(len(offsets) - 1, dtype=np.uint8)
        alpha, K = np.zeros(frames.densities.shape), self.n_states
        _chain.filter(
            F=frames.densities, begin=offsets, start=self._start, A=self._matrices(), n_states=K, alpha=alpha,
            logs=logs, lost=lost,
        )  # fmt: skip
        impossible: dict[int, int] = {}
        with np.errstate(divide="ignore"):
            start, A = np.log(self._start), np.log(self._A)
        for s in np.flatnonzero(lost):
            a, b = offsets[s], offsets[s + 1]
            L, M = frames.logs(slice(a, b)), A[a:b] if self._A.ndim == 3 else A
            forward, beta = np.full(L.shape, -np.inf), np.empty(L.shape)
            at = _chain.in_logs(
                L=L, start=start, A=np.ascontiguousarray(M.reshape(-1, M.shape[-1])), n_states=K,
                alpha=forward, beta=beta,
            )  # fmt: skip
            if at >= 0:
                impossible[int(s)] = int(at)
            totals = np.logaddexp.reduce(forward[:, :K], axis=1)
            logs[s] = totals[-1] - frames.shift[a:b].sum()
            with np.errstate(invalid="ignore"):
                alpha[a:b] = np.where((totals == -np.inf)[:, None], 0.0, np.exp(forward - totals[:, None]))
        shift = by_sequence(frames.shift, offsets)
        return Expected(alpha, alpha[:0].sum(axis=0)[:K], np.empty((0, 0)), logs + shift, impossible)

    def best_paths(self, frames: Frames, offsets: np.ndarray) -> Paths:
        """Viterbi: the jointly most probable states; ties go to the lowest index."""
        L, logs = frames.logs(), np.empty(len(offsets) - 1)
        states = np.empty(len(L), dtype=np.int64)
        with np.errstate(divide="ignore"):
            start, A = np.log(self._start), np.log(self._matrices())
        _chain.best_paths(
            L=L, begin=offsets, start=start, A=A, n_states=self.n_states, path=states, logs=logs
        )
        return Paths(states, logs)


class _Part(Frames):
    """Densities as they are."""

    def __init__(self, n_states: int, densities: np.ndarray):
        super().__init__(n_states, make=lambda log: densities)


def _runs(kept: np.ndarray) -> Iterator[tuple[int, int]]:
    """Neighbouring sequences that are kept: pairs of the first and the one after the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], kept, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist())


def by_sequence(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """(S,) sums of values over each sequence."""
    totals = np.zeros(len(offsets) - 1)
    some = np.flatnonzero(np.diff(offsets) > 0)
    if len(some):
        totals[some] = np.add.reduceat(values, offsets[some])
    return totals
