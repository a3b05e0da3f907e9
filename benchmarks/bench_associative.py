"""Class association rules against mlxtend, and how associative classifiers grow.

mlxtend mines all rules; those that say a class are picked from them, as one would do it there. No package in Python has
CBA, CMAR or CPAR.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from assay.rules import (
    CBAClassifier,
    CMARClassifier,
    CPARClassifier,
    PatternFeatures,
    class_association_rules,
)
from assay.tables import Column, Schema, Table
from assay.tables.data import load_german_credit
from benchmarks.harness import Race, growth

try:
    from mlxtend import frequent_patterns as peers
except ImportError:
    peers = None


def categories(n: int, d: int = 20, values: int = 5) -> tuple[Table, np.ndarray]:
    """Classes that follow combinations of two columns each, with a tenth of the labels turned over."""
    rng = np.random.default_rng(n + d)
    X = rng.integers(0, values, (n, d)).astype(np.float64)
    y = (X[:, 0] == X[:, 1]) | ((X[:, 2] > 2) & (X[:, 3] < 2))
    labels = tuple("abcdefghij"[:values])
    schema = Schema([Column(f"c{j}", "nominal", labels) for j in range(d)])
    return Table(X, schema, True), (y ^ (rng.random(n) < 0.1)).astype(np.int64)


def races() -> list[Race]:
    if peers is None:
        print("mlxtend is not installed: no race of class association rules.")
        return []
    credit = load_german_credit()
    nominal = [j for j, c in enumerate(credit.X.schema) if c.kind == "nominal"]
    values = credit.X.values[:, nominal]
    table = Table(values, Schema([credit.X.schema[j] for j in nominal]), True)
    many, y = categories(10_000)
    return [
        mining("German credit, support 0.05", table, np.asarray(credit.y), 0.05, 2),
        mining("German credit, support 0.05", table, np.asarray(credit.y), 0.05, 3),
        mining("10000 x 20", many, y, 0.02, 2),
    ]


def mining(size: str, X: Table, y: np.ndarray, support: float, longest: int) -> Race:
    """All rules of at most so many items; the peer's items are columns of True and False, the class among them."""
    frame = pd.DataFrame(X.values.astype(int).astype(str), columns=X.schema.names)
    wide = pd.get_dummies(frame.assign(_class=y.astype(str)), prefix_sep="=").astype(bool)
    answers = {frozenset([name]) for name in wide.columns if name.startswith("_class=")}

    def peer() -> Any:
        sets = peers.fpgrowth(wide, min_support=support, use_colnames=True, max_len=longest + 1)
        rules = peers.association_rules(sets, metric="confidence", min_threshold=0.5)
        return rules[rules["consequents"].isin(answers)]

    def ours() -> Any:
        return class_association_rules(X, y, min_support=support, max_length=longest, extend_sure=True)

    return Race(f"class association rules, {longest} items", size, ours, peer)


def growths() -> list[str]:
    notes = []
    for model in (CBAClassifier(max_length=3), CMARClassifier(max_length=3), PatternFeatures(max_length=2)):

        def fit(X: Any, y: Any, model: Any = model) -> Any:
            return lambda: model.fit(X, y)

        in_n = growth(lambda n, fit=fit: fit(*categories(n)), [10_000, 40_000, 160_000])
        in_d = growth(lambda d, fit=fit: fit(*categories(10_000, d)), [10, 20, 40])
        notes.append(f"{type(model).__name__}: seconds to fit grow as n^{in_n:.2f}, d^{in_d:.2f}")
    in_n = growth(lambda n: lambda: CPARClassifier(min_gain=n / 1000).fit(*categories(n)), [10_000, 40_000])
    return [*notes, f"CPARClassifier, least gain n / 1000: seconds to fit grow as n^{in_n:.2f}"]
