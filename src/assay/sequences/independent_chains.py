"""Passes over independent hidden chains, chain by chain instead of over pairs of joint states."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from assay.sequences import _independent_chains
from assay.sequences.chain import NO_WEIGHTS, Chain, Expected, Frames, Paths, by_sequence, pad

__all__ = ["IndependentChains"]


class IndependentChains:
    """What :class:`Chain` does, for a chain of joint states whose transitions are a product of those of its chains.

    A step takes K (k_1 + ... + k_M) products instead of K squared. Where numbers become so small that a state may be
    lost, the pass over pairs of joint states answers. ``transitions`` of the expectation is a list, a chain an entry.

    Parameters
    ----------
    start : (K,) probabilities of joint states      matrices : list of (k_m, k_m)
    joint : function that gives the (K, K) transitions of joint states
    """

    def __init__(self, start: np.ndarray, matrices: list[np.ndarray], joint: object):
        self.start, self.matrices, self._joint = start, matrices, joint
        self.sizes = np.array([len(A) for A in matrices], np.int64)

    @cached_property
    def _dense(self) -> Chain:
        return Chain(self.start, self._joint())  # type: ignore[operator]

    @property
    def transitions(self) -> np.ndarray:
        """(K, K) of the joint states."""
        return self._dense.transitions

    def expect(self, frames: Frames, offsets: np.ndarray, weights: np.ndarray | None = None) -> Expected:
        """Posterior of all joint states, and the expected counts of starts and of each chain's transitions."""
        made = self._pass(frames, offsets, weights, True)
        if made is not None:
            return made
        dense = self._dense.expect(frames, offsets, weights)
        sizes, M = tuple(self.sizes.tolist()), len(self.sizes)
        moves = dense.transitions.reshape(sizes + sizes)
        dense.transitions = [
            moves.sum(axis=tuple(i for i in range(2 * M) if i not in (m, M + m))) for m in range(M)
        ]
        return dense

    def filter(self, frames: Frames, offsets: np.ndarray) -> Expected:
        """Posterior of each joint state by the observations up to it; no counts."""
        made = self._pass(frames, offsets, None, False)
        return self._dense.filter(frames, offsets) if made is None else made

    def best_paths(self, frames: Frames, offsets: np.ndarray) -> Paths:
        """Viterbi, over pairs of joint states."""
        return self._dense.best_paths(frames, offsets)

    def _pass(
        self, frames: Frames, offsets: np.ndarray, weights: np.ndarray | None, backward: bool
    ) -> Expected | None:
        F, K = frames.densities, len(self.start)
        A = np.concatenate([np.ravel(matrix) for matrix in self.matrices]).astype(np.float64)
        gamma, counts, first = np.zeros(F.shape), np.zeros(len(A)), np.zeros(F.shape[1])
        logs = np.empty(len(offsets) - 1)
        whole = _independent_chains.expect_independent(
            F=F,
            begin=offsets,
            start=pad(np.asarray(self.start, np.float64)),
            sizes=self.sizes,
            A=A,
            w=NO_WEIGHTS if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
            backward=backward,
            gamma=gamma,
            counts=counts,
            first=first,
            logs=logs,
        )
        if not whole:
            return None
        logs += by_sequence(frames.shift, offsets)
        ends = np.cumsum(self.sizes**2)[:-1]
        parts = [part.reshape(k, k) for part, k in zip(np.split(counts, ends), self.sizes)]
        return Expected(gamma, first[:K], parts, logs, {})
