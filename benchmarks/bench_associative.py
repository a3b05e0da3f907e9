"""Associative classifiers against the trees and rules of this package; there is no peer of theirs in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.rules import (
    AssociativeClassifier,
    CBAClassifier,
    CMARClassifier,
    CPARClassifier,
    MaximalPatternClassifier,
    PatternFeatures,
    RipperClassifier,
)
from assay.stats import mdl_cuts
from assay.tables import Column, Schema, Table
from assay.tables.data import load_breast_cancer, load_german_credit
from benchmarks.harness import Race


def categories(n: int, d: int, values: int) -> tuple[Table, np.ndarray]:
    """Classes that follow combinations of two columns each, with a tenth of the labels turned over."""
    rng = np.random.default_rng(n + d)
    X = rng.integers(0, values, (n, d)).astype(np.float64)
    y = (X[:, 0] == X[:, 1]) | ((X[:, 2] > 2) & (X[:, 3] < 2))
    labels = tuple("abcdefghij"[:values])
    schema = Schema([Column(f"c{j}", "nominal", labels) for j in range(d)])
    return Table(X, schema, True), (y ^ (rng.random(n) < 0.1)).astype(np.int64)


def races() -> list[Race]:
    found = []
    for size, data in (("1000 x 20", load_german_credit()), ("569 x 30", load_breast_cancer())):
        for learner in LEARNERS:
            found.append(against_ripper(learner(), size, data.X, data.y))
    X, y = categories(100_000, 20, 5)
    for model in (CBAClassifier(), CMARClassifier(), AssociativeClassifier(max_length=2), PatternFeatures()):
        found.append(against_ripper(model, "100000 x 20, nominal", X, y))
    numbers = np.random.default_rng(0).normal(size=100_000)
    classes = (np.random.default_rng(1).random(100_000) < 1 / (1 + np.exp(-numbers))).astype(np.int64)
    found.append(
        Race("mdl_cuts, against a sort", "100000", lambda: mdl_cuts(numbers, classes), sort(numbers))
    )
    return found


LEARNERS: list[Any] = [
    CBAClassifier,
    CMARClassifier,
    CPARClassifier,
    AssociativeClassifier,
    MaximalPatternClassifier,
    PatternFeatures,
]


def against_ripper(model: Any, size: str, X: Any, y: Any) -> Race:
    """What the complete search costs beside the greedy one."""
    ripper = RipperClassifier(random_state=0)
    name = f"{type(model).__name__}, against RIPPER"
    return Race(name, size, lambda: model.fit(X, y), lambda: ripper.fit(X, y))


def sort(numbers: np.ndarray) -> Callable[[], Any]:
    return lambda: np.argsort(numbers, kind="stable")
