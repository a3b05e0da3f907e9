"""What models share that give each row of a sequence a label."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from assay.core.explanation import Explanation
from assay.core.learner import Learner
from assay.core.targets import encode_labels
from assay.errors import DataError, DegenerateError
from assay.sequences.chain import Chain, Frames
from assay.sequences.explain import explain_trellis
from assay.types import SequencesLike, Target

__all__ = ["SequenceLabeler", "flat_labels"]


def flat_labels(y: Any, offsets: np.ndarray, who: str) -> tuple[np.ndarray, np.ndarray]:
    """Classes, and (n,) codes of labels that come as one vector of all rows, or as a list for each sequence."""
    n, S = int(offsets[-1]), len(offsets) - 1
    nested = len(y) > 0 and not isinstance(y[0], str) and np.ndim(y[0]) == 1
    if nested:
        lengths = np.array([len(part) for part in y])
        if len(lengths) != S or (lengths != np.diff(offsets)).any():
            at = int(np.argmax(lengths[:S] != np.diff(offsets)[: len(lengths)]))
            raise DataError(
                f"X has {S} sequences and y {len(y)}, each needs a label for each row; sequence {at} differs first.",
                who=who,
            )
        y = np.concatenate([np.asarray(part) for part in y])
    if len(y) != n:
        raise DataError(
            f"X has {n} rows in all and y {len(y)} labels, expected a label for each row.", who=who
        )
    return encode_labels(y, n, who)


class SequenceLabeler(Learner):
    """A chain of labels over the rows of a sequence. A model writes ``fit`` and ``_potentials``."""

    takes_sequences = True
    classes_: np.ndarray

    def _potentials(self, X: Any, lengths: Any) -> tuple[np.ndarray, Frames, np.ndarray, np.ndarray]:
        """Offsets of the sequences, what rows say of labels, and factors of first labels and of steps."""
        raise TypeError(f"{type(self).__name__} must say its potentials")

    def predict(self, X: SequencesLike, lengths: ArrayLike | None = None) -> np.ndarray:
        """(n,) the labels of all rows that are jointly the most probable in their sequence."""
        check_is_fitted(self, "classes_")
        offsets, frames, start, steps = self._potentials(X, lengths)
        return self.classes_[Chain(start, steps).best_paths(frames, offsets).states]

    def predict_proba(self, X: SequencesLike, lengths: ArrayLike | None = None) -> np.ndarray:
        """(n, L) the probability of each label at each row, given the whole sequence."""
        check_is_fitted(self, "classes_")
        offsets, frames, start, steps = self._potentials(X, lengths)
        expected = Chain(start, steps).expect(frames, offsets)
        for s, t in expected.impossible.items():
            raise DegenerateError(
                f"row {t} (counted from 0) of sequence {s} is impossible under every label that can be reached.",
                who=type(self).__name__,
            )
        return expected.gamma.copy()

    def score(self, X: SequencesLike, y: Target, lengths: ArrayLike | None = None) -> float:
        """The share of rows whose label is right."""
        check_is_fitted(self, "classes_")
        offsets, frames, start, steps = self._potentials(X, lengths)
        classes, codes = flat_labels(y, offsets, type(self).__name__)
        path = Chain(start, steps).best_paths(frames, offsets).states
        return float(np.mean(self.classes_[path] == classes[codes]))

    def explain(self, X: SequencesLike) -> Explanation:
        """How the labels of one sequence were found: the trellis, and where the runner-up left the best path."""
        check_is_fitted(self, "classes_")
        offsets, frames, start, steps = self._potentials(X, None)
        if len(offsets) != 2 or not offsets[1]:
            raise DataError(
                f"explain takes one sequence at a time, got {len(offsets) - 1}.", who=type(self).__name__
            )
        evidence = float(Chain(start, steps).filter(frames, offsets).log_likelihoods[0])
        logs = frames.logs()[:, : len(start)]
        logs[0] -= evidence  # so that scores are log probabilities of paths, given the rows
        labels = [str(label) for label in self.classes_]
        return explain_trellis(type(self).__name__, logs, start, steps, labels)
