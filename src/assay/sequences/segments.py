"""A chain of segments: forward, backward, expected counts and best paths, with the interface of `Chain`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.sequences import _durations
from assay.sequences.chain import NO_WEIGHTS, Expected, Frames, Paths, pad

__all__ = ["ExpectedSegments", "SegmentChain"]


@dataclass
class ExpectedSegments(Expected):
    """The posterior of the states, and lasted (K, D): expected segments of each length."""

    lasted: np.ndarray


class SegmentChain:
    """States that are entered, stay for a drawn number of rows, and are then left for another.

    Parameters
    ----------
    start : (K,) probabilities
    transitions : (K, K) of the next state once one is left
    durations : (K, D) probabilities of 1 to D rows
    """

    def __init__(self, start: np.ndarray, transitions: np.ndarray, durations: np.ndarray):
        self.start, self.transitions, self.durations = (
            np.ascontiguousarray(v, dtype=np.float64) for v in (start, transitions, durations)
        )
        self.n_states, self.longest = self.durations.shape

    def _native(self, log: bool = False) -> _durations.Segments:
        with np.errstate(divide="ignore"):
            parts = [np.log(v) if log else v for v in (self.start, self.transitions, self.durations)]
        return _durations.Segments(start=parts[0], A=parts[1], durations=parts[2])

    def expect(
        self, frames: Frames, offsets: np.ndarray, weights: np.ndarray | None = None
    ) -> ExpectedSegments:
        """Posterior of all states, and the expected counts of starts, changes and lengths."""
        K, D, S = self.n_states, self.longest, len(offsets) - 1
        w = NO_WEIGHTS if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        F = np.ascontiguousarray(frames.densities[:, :K])
        gamma, first, moves, lasted = np.zeros(F.shape), np.zeros(K), np.zeros((K, K)), np.zeros((K, D))
        logs, impossible = np.empty(S), np.empty(S, dtype=np.int64)
        _durations.expect(
            segments=self._native(), F=F, begin=offsets, w=w, gamma=gamma, first=first, moves=moves, lasted=lasted,
            logs=logs, impossible=impossible,
        )  # fmt: skip
        for s in np.flatnonzero(impossible >= 0):
            a, b = offsets[s], offsets[s + 1]
            once = self._in_logs(frames.logs(slice(a, b))[:, :K], float(w[s]) if len(w) else 1.0)
            if isinstance(once, int):
                impossible[s] = once
                continue
            impossible[s] = -1
            logs[s] = once[0] - frames.shift[a:b].sum()
            gamma[a:b] = once[1]
            first, moves, lasted = first + once[2], moves + once[3], lasted + once[4]
        places = {int(s): int(impossible[s]) for s in np.flatnonzero(impossible >= 0)}
        return ExpectedSegments(pad(gamma), first, moves, logs + _shifts(frames, offsets), places, lasted)

    def _in_logs(self, L: np.ndarray, weight: float) -> int | tuple[Any, ...]:
        """One sequence by logarithms, where scaled numbers got lost: its log likelihood, (T, K) posterior, sums, and
        (T, K D) filtered; or the row that is impossible indeed.
        """
        K, D = self.durations.shape
        T = len(L)
        with np.errstate(divide="ignore", invalid="ignore"):
            start, A, d = np.log(self.start), np.log(self.transitions), np.log(self.durations)
            alpha, entered = np.full((T, K, D), -np.inf), np.empty((T, K))
            for t in range(T):
                entered[t] = start if t == 0 else np.logaddexp.reduce(alpha[t - 1, :, :1] + A, axis=0)
                fresh = entered[t][:, None] + d
                if t:
                    fresh[:, :-1] = np.logaddexp(fresh[:, :-1], alpha[t - 1, :, 1:])
                alpha[t] = fresh + L[t][:, None]
                if np.isneginf(alpha[t]).all():
                    return t
            total = np.logaddexp.reduce(alpha[-1], axis=None)
            beta, gamma = np.zeros((K, D)), np.empty((T, K))
            moves, lasted = np.zeros((K, K)), np.zeros((K, D))
            for t in range(T - 1, -1, -1):
                gamma[t] = np.exp(np.logaddexp.reduce(alpha[t] + beta, axis=1) - total)
                both = d + L[t][:, None] + beta
                lasted += np.exp(entered[t][:, None] + both - total)
                stay = np.logaddexp.reduce(both, axis=1)
                if t:
                    moves += np.exp(alpha[t - 1, :, :1] + A + stay - total)
                    beta = np.hstack(
                        [np.logaddexp.reduce(A + stay, axis=1)[:, None], (L[t][:, None] + beta)[:, :-1]]
                    )
            first = np.exp(start + stay - total)
        parts = (weight * np.nan_to_num(v) for v in (gamma, first, moves, lasted))
        filtered = np.exp(alpha - np.logaddexp.reduce(alpha, axis=(1, 2), keepdims=True))
        return float(total), *parts, filtered.reshape(T, K * D)

    def filter(self, frames: Frames, offsets: np.ndarray) -> Expected:
        """Posterior of each state by the observations up to it, without the future; no counts."""
        joint, logs, impossible = self.filter_lengths(frames, offsets)
        K = self.n_states
        gamma = joint.reshape(len(joint), K, self.longest).sum(axis=2)
        places = {int(s): int(impossible[s]) for s in np.flatnonzero(impossible >= 0)}
        return Expected(pad(gamma), np.zeros(K), np.empty((0, 0)), logs + _shifts(frames, offsets), places)

    def filter_lengths(
        self, frames: Frames, offsets: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(n, K D) posterior of states and rows left, log likelihoods, and impossible rows (-1: none)."""
        K, D, S = self.n_states, self.longest, len(offsets) - 1
        alpha = np.zeros((len(frames.densities), K * D))
        logs, impossible = np.empty(S), np.empty(S, dtype=np.int64)
        F = np.ascontiguousarray(frames.densities[:, :K])
        _durations.filter(self._native(), F, offsets, alpha, logs, impossible)
        for s in np.flatnonzero(impossible >= 0):
            a, b = offsets[s], offsets[s + 1]
            once = self._in_logs(frames.logs(slice(a, b))[:, :K], 1.0)
            if isinstance(once, int):
                impossible[s] = once
            else:
                logs[s], impossible[s], alpha[a:b] = once[0] - frames.shift[a:b].sum(), -1, once[5]
        return alpha, logs, impossible

    def best_paths(self, frames: Frames, offsets: np.ndarray) -> Paths:
        """Viterbi over states and lengths; ties go to the lowest index."""
        return self.best_segments(frames, offsets)[0]

    def best_segments(self, frames: Frames, offsets: np.ndarray) -> tuple[Paths, np.ndarray]:
        """The best path, and (n,) rows of each row's segment that are left, itself included."""
        L = np.ascontiguousarray(frames.logs()[:, : self.n_states])
        path, left = np.zeros(len(L), dtype=np.int64), np.ones(len(L), dtype=np.int64)
        logs = np.empty(len(offsets) - 1)
        _durations.best_paths(self._native(log=True), L, offsets, path, left, logs)
        return Paths(path, logs), left


def _shifts(frames: Frames, offsets: np.ndarray) -> np.ndarray:
    """(S,) what was divided out of the densities of each sequence, as logarithms."""
    ends = np.concatenate([[0.0], np.cumsum(frames.shift)])
    return ends[offsets[1:]] - ends[offsets[:-1]]
