"""Which columns or words weigh most in each component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.core.explanation import Section, text_table

__all__ = ["ComponentWords"]


@dataclass(frozen=True)
class ComponentWords:
    """The words (columns) of largest weight in each direction, of either sign; prints as a table.

    words : k lists of words, the largest weight first      weights : (k, m) their weights, signed
    """

    words: list[list[str]]
    weights: np.ndarray

    @classmethod
    def of(cls, components: np.ndarray, names: Sequence[str], m: int) -> ComponentWords:
        """The m names of largest weight in each row of components (k, d); of equals the first."""
        places = np.argsort(-np.abs(components).round(9), axis=1, kind="stable")[:, :m]
        weights = np.take_along_axis(components, places, axis=1)
        return cls([[names[j] for j in row] for row in places.tolist()], weights)

    def section(
        self, names: Sequence[str], title: str = "Directions", what: str = "direction", of: str = "word"
    ) -> Section:
        """The table, one direction a row."""
        rows = [
            [name, ", ".join(f"{'-' if w < 0 else ''}{word}" for word, w in zip(words, weights))]
            for name, words, weights in zip(names, self.words, self.weights.tolist())
        ]
        note = "A minus: weight below 0." if self.weights.size and self.weights.min() < 0 else ""
        return Section(title, [what, f"{of}s of largest weight"], rows, note)

    def __str__(self) -> str:
        section = self.section([str(k) for k in range(len(self.words))])
        return text_table(section.columns, section.rows)

    __repr__ = __str__
