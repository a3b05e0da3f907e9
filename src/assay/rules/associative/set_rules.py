"""Item sets with the class they predict: ranking and pruning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import assay.rules.associative._class_sets as _class_sets

__all__ = ["SetRules", "most_general"]


@dataclass(frozen=True, eq=False)
class SetRules:
    """Item sets, each with the class that it predicts.

    Attributes
    ----------
    start : (R + 1,) int64      items : int32
        Set r holds ``items[start[r]:start[r + 1]]``, ascending.
    answer : (R,) int32
        The class of each set.
    correct : (R,) float64      n : (R,) float64
        The weight of the rows that hold the set and are of the class; of all rows that hold it.
    """

    start: np.ndarray
    items: np.ndarray
    answer: np.ndarray
    correct: np.ndarray
    n: np.ndarray

    def __len__(self) -> int:
        return len(self.answer)

    def __getitem__(self, r: int) -> tuple[int, ...]:
        return tuple(self.items[self.start[r] : self.start[r + 1]].tolist())

    @property
    def size(self) -> np.ndarray:
        """(R,) how many items each set has."""
        return np.diff(self.start)

    @property
    def confidence(self) -> np.ndarray:
        """(R,) the share of the rows of its class among those that hold the set."""
        return self.correct / self.n

    def take(self, which: np.ndarray) -> SetRules:
        """Some of the sets, in the order asked for."""
        which = np.flatnonzero(which) if np.asarray(which).dtype == bool else np.asarray(which, np.int64)
        size = self.size[which]
        start = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
        at = np.repeat(self.start[which] - start[:-1], size) + np.arange(start[-1])
        return SetRules(start, self.items[at], self.answer[which], self.correct[which], self.n[which])

    def ranked(self) -> SetRules:
        """Surest first, then the most frequent, the shortest, and the first by its items."""
        longest = int(self.size.max(initial=0))
        padded = np.full((len(self), longest), -1, np.int32)
        padded[np.repeat(np.arange(len(self)), self.size), _within(self.start)] = self.items
        sure, often = np.round(self.confidence, 12), np.round(self.correct, 9)
        return self.take(np.lexsort((*padded.T[::-1], self.size, -often, -sure)))

    @staticmethod
    def join(parts: list[SetRules]) -> SetRules:
        """Several lists of sets as one."""
        sizes = np.concatenate([np.zeros(1, np.int64), *(part.size for part in parts)])
        whole = (
            np.concatenate([getattr(part, name) for part in parts]) if parts else np.zeros(0)
            for name in ("items", "answer", "correct", "n")
        )
        items, answer, correct, n = whole
        return SetRules(np.cumsum(sizes), items.astype(np.int32), answer.astype(np.int32), correct, n)


def most_general(rules: SetRules) -> np.ndarray:
    """(R,) bool: which of the rules, best first, hold no rule that stands before them."""
    kept = np.zeros(len(rules), np.uint8)
    _class_sets.most_general(rules.start, rules.items, kept)
    return kept.astype(bool)


def _within(start: np.ndarray) -> np.ndarray:
    """The place of each item in its own set."""
    return np.arange(start[-1]) - np.repeat(start[:-1], np.diff(start))
