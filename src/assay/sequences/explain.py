"""How a best path was found."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.explanation import Explanation, Section
from assay.errors import DataError
from assay.sequences.chain import Frames
from assay.sequences.sequences import Sequences

__all__ = ["Trellis", "explain_paths", "explain_trellis"]

ROWS_SHOWN = 50  # of the trellis in an explanation: the first ones
RIVAL_MARGIN = 1e-12  # of log probability, below which two paths are equally good


class Trellis:
    """The scores of Viterbi's algorithm.

    scores : (T, K) log probability of the best path that ends there      origins : (T, K) where it came from
    path : (T,) the best path      rival : (T,) the best path with another last state, or None
    """

    def __init__(self, logs: np.ndarray, start: np.ndarray, transitions: np.ndarray):
        T, K = logs.shape
        self.scores, self.origins = np.empty((T, K)), np.zeros((T, K), dtype=np.int64)
        with np.errstate(divide="ignore"):
            first, A = np.log(start), np.log(transitions)
        self.scores[0] = first + logs[0]
        for t in range(1, T):
            ways = self.scores[t - 1][:, None] + (A[t - 1] if A.ndim == 3 else A)
            self.origins[t] = ways.argmax(axis=0)
            self.scores[t] = ways.max(axis=0) + logs[t]
        order = np.argsort(-self.scores[-1], kind="stable")
        self.path = self.back_from(int(order[0]))
        possible = K > 1 and np.isfinite(self.scores[-1, order[1]])
        self.rival = self.back_from(int(order[1])) if possible else None

    def back_from(self, state: int) -> np.ndarray:
        """(T,) the best path that ends in a state."""
        path = np.empty(len(self.scores), dtype=np.int64)
        path[-1] = state
        for t in range(len(path) - 1, 0, -1):
            path[t - 1] = self.origins[t, path[t]]
        return path


def explain_paths(who: str, X: Sequences, frames: Frames, start: Any, transitions: Any) -> Explanation:
    """The trellis of one sequence as a table, and where the runner-up left the best path."""
    if len(X) != 1 or not len(X.values):
        raise DataError(f"explain takes one sequence at a time, got {len(X)}.", who=who)
    return explain_trellis(
        who, frames.logs()[:, : frames.n_states], np.asarray(start), np.asarray(transitions)
    )


def explain_trellis(
    who: str, logs: np.ndarray, start: np.ndarray, transitions: np.ndarray, labels: list[str] | None = None
) -> Explanation:
    """The same from log densities (T, K); ``labels`` say what the states are called, numbers if None."""
    trellis = Trellis(logs, start, transitions)
    T, K = logs.shape
    names: list[Any] = list(range(K)) if labels is None else labels
    lines = [
        [
            t,
            names[trellis.path[t]],
            *(float(v) for v in trellis.scores[t]),
            *(names[v] for v in trellis.origins[t]),
        ]
        for t in range(min(T, ROWS_SHOWN))
    ]
    columns = ["row", "best", *(f"score {k}" for k in names), *(f"from {k}" for k in names)]
    note = "" if T <= ROWS_SHOWN else f"The first {ROWS_SHOWN} of {T} rows."
    sections = [
        Section(
            "Trellis: log probability of the best way to each state, and whence it came", columns, lines, note
        )
    ]
    best = float(trellis.scores[-1, trellis.path[-1]])
    if trellis.rival is not None:
        apart = np.flatnonzero(trellis.rival != trellis.path)
        gap = best - float(trellis.scores[-1, trellis.rival[-1]])
        tie = " (a tie: the lowest state is taken)" if gap < RIVAL_MARGIN else ""
        sections.append(
            Section(
                "Runner-up, among paths with another last state",
                ["leaves at row", "ends in", "log odds"],
                [[int(apart[0]), names[trellis.rival[-1]], gap]],
                f"Other rows: {len(apart)} of {T}{tie}.",
            )
        )
    answer = " ".join(str(names[v]) for v in trellis.path[:ROWS_SHOWN])
    return Explanation(who, answer, {}, {"rows": T, "log probability": best}, sections)
