"""The sums of naive Bayes on mixed tables: counts, moments, and samples for densities that need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.bayes.counts import TOO_MANY, CategoryCounts, category_counts, class_weight, extent
from assay.core.moments import ClassMoments, class_moments
from assay.core.stored import BoolArray, Each, FloatArray, Mapped, NumberArray, Object
from assay.errors import DataError
from assay.tables import Schema


@dataclass
class MixedSums:
    """Sufficient statistics of naive Bayes.

    Attributes
    ----------
    class_count : (K,) total weight of each class
    counts : the counts of the categorical columns; the others have width 0
    moments : the moments of the number columns, or None if there are none
    binary : (q,) whether a number column holds nothing but 0 and 1
    ones : (K, q) the weighted sum of a number column as long as it is binary
    samples : of each column with a density of its own, all entries: values, classes, weights
    """

    class_count: np.ndarray
    counts: CategoryCounts
    moments: ClassMoments | None
    binary: np.ndarray
    ones: np.ndarray
    samples: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]]
    stored = {
        "class_count": FloatArray("K"),
        "counts": Object(CategoryCounts, K="K"),
        "moments": Object(ClassMoments, K="K") | None,
        "binary": BoolArray("q"),
        "ones": FloatArray("K", "q"),
        "samples": Mapped(Each(NumberArray("*"), 3)),
    }

    def __add__(self, other: MixedSums) -> MixedSums:
        moments = self.moments
        if moments is not None and other.moments is not None:
            moments = moments + other.moments
        return MixedSums(
            self.class_count + other.class_count,
            self.counts + other.counts,
            moments,
            self.binary & other.binary,
            self.ones + other.ones,
            {
                j: tuple(np.concatenate(pair) for pair in zip(part, other.samples[j]))  # type: ignore[misc]
                for j, part in self.samples.items()
            },
        )

    def recode(self, old: Schema, new: Schema) -> MixedSums:
        """The same sums by a schema with more categories."""
        samples = dict(self.samples)
        for j, (x, y, w) in samples.items():
            if new[j].coded:
                place = np.array([new[j].categories.index(value) for value in old[j].categories], dtype=float)
                samples[j] = (place[x.astype(np.intp)], y, w)
        counts = self.counts.recode(old, new)
        return MixedSums(self.class_count, counts, self.moments, self.binary, self.ones, samples)


def mixed_sums(
    X: np.ndarray, y: np.ndarray, w: np.ndarray | None, K: int, plan: Sequence[Any], schema: Schema, who: str
) -> MixedSums:
    """The sums of one block; ``plan`` has for each column "categorical", a kind of number, or a density."""
    if w is not None and not w.all():  # a row that weighs nothing is not there
        X, y, w = X[w > 0], y[w > 0], w[w > 0]
    counted = [j for j, family in enumerate(plan) if family == "categorical"]
    numbers = [j for j, family in enumerate(plan) if family in NUMBERS]
    sampled = [j for j, family in enumerate(plan) if not isinstance(family, str)]
    width = np.zeros(len(plan), dtype=np.int64)
    if counted:
        width[counted] = [len(schema[j].categories) for j in counted]
        codes = [j for j in counted if not schema[j].coded]
        if codes and len(X):
            width[codes] = _code_widths(X[:, codes], [schema[j].name for j in codes], who)
        counts = category_counts(X, y, w, K, width)
    else:
        counts = CategoryCounts(class_weight(y, w, K), width, np.zeros((0, K)))
    moments, binary, ones = None, np.ones(len(numbers), dtype=bool), np.zeros((K, len(numbers)))
    if numbers:
        Z = X if len(numbers) == X.shape[1] else X[:, numbers]
        complete = not np.isnan(np.add.reduce(Z, axis=None))
        moments = class_moments(Z, y, w, K, complete)
        head = Z[:256]  # most columns of numbers show in a few rows that they are not binary
        binary = ((head == 0) | (head == 1) | np.isnan(head)).all(axis=0)
        for c in np.flatnonzero(binary):
            column = Z[:, c]
            present = ~np.isnan(column)
            binary[c] = bool(((column == 0) | (column == 1) | ~present).all())
            if binary[c]:
                present &= column == 1
                ones[:, c] = class_weight(y[present], None if w is None else w[present], K)
    samples = {}
    for j in sampled:
        present = ~np.isnan(X[:, j])
        weights = np.ones(int(present.sum())) if w is None else w[present]
        samples[j] = (X[present, j].astype(np.float64), y[present], weights)
    return MixedSums(counts.class_count, counts, moments, binary, ones, samples)


NUMBERS = ("number", "gaussian", "bernoulli")


def _code_widths(X: np.ndarray, names: list[str], who: str) -> np.ndarray:
    """How many codes 0, 1, 2, ... the columns hold at least."""
    low, high, broken = extent(X)
    for j, name in enumerate(names):
        if low[j] < 0 or broken[j] or high[j] >= TOO_MANY:
            strange = low[j] if low[j] < 0 else high[j]
            content = (
                f"{broken[j]} numbers that are not whole" if broken[j] and low[j] >= 0 else f"{strange:g}"
            )
            raise DataError(
                f"{who}: column {name} is declared categorical and holds {content}, expected text, categories or "
                "codes 0, 1, 2, ... Discretise it, or leave its family to auto."
            )
    return np.maximum(high, -1.0).astype(np.int64) + 1
