"""Sequential covering against wittgenstein."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pandas as pd

from assay.rules import CN2Classifier, PrismClassifier, SequentialCoveringClassifier
from assay.tables.data import load_german_credit
from benchmarks.bench_rules import boxes, mixed
from benchmarks.harness import Race, growth


def covering() -> SequentialCoveringClassifier:
    """As IREP does: two thirds to grow on, the last conditions tried first on the others, and an end at half wrong."""
    return SequentialCoveringClassifier(
        pruning="reverse", pruning_error="plain", validation_fraction=1 / 3, random_state=0
    )


def races() -> list[Race]:
    if importlib.util.find_spec("wittgenstein") is None:
        print("wittgenstein is not installed: its races are left out.")
        return []
    credit = load_german_credit()
    X, y = boxes(5_000)
    return [
        against_irep("German credit", credit.frame(target=False), np.asarray(credit.y), "bad", 3),
        against_irep("5000 x 20", pd.DataFrame(X, columns=[f"a{j}" for j in range(20)]), y, 1),
        against_irep("5000 x 20, half categories", *mixed(5_000), 1),
    ]


def against_irep(size: str, X: pd.DataFrame, y: np.ndarray, positive: Any, repeat: int = 1) -> Race:
    """Rules for one of two classes, without a second look at any of them."""
    from wittgenstein import IREP

    return Race(
        "SequentialCoveringClassifier fit, IREP's way",
        size,
        lambda: covering().fit(X, y),
        lambda: IREP(random_state=0).fit(X, y=y, pos_class=positive),
        repeat,
    )


def whole(n: int, d: int = 20, K: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """The same boxes with few values in each column."""
    X, y = boxes(n, d, K)
    return np.round(X), y


def growths() -> list[str]:
    """CN2 and PRISM have no peer in Python: how their cost grows."""
    found = []
    for name, make in (
        ("CN2Classifier", CN2Classifier),
        ("CN2Classifier(ordered=False)", lambda: CN2Classifier(ordered=False)),
        ("PrismClassifier", PrismClassifier),
        ("SequentialCoveringClassifier(mdl_bits=64)", lambda: SequentialCoveringClassifier(mdl_bits=64)),
    ):

        def fit(X: np.ndarray, y: np.ndarray, make: Any = make) -> Any:
            return lambda: make().fit(X, y)

        in_n = growth(lambda n, fit=fit: fit(*whole(n)), [1_000, 4_000, 16_000])
        in_d = growth(lambda d, fit=fit: fit(*whole(2_000, d)), [8, 24, 72])
        found.append(f"{name}: seconds to fit grow as n^{in_n:.2f} and d^{in_d:.2f}")
    return found
