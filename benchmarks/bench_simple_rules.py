"""Simple rule learners: OneR against mlxtend, C4.5rules and PART against the tree they begin with, and their growth.

mlxtend's OneR takes whole numbers as categories only, so both get columns cut into ten. PART and C4.5rules have no peer
in Python; Weka's is raced by ``benchmarks.simple_rules_and_weka``.
"""

from __future__ import annotations

import numpy as np

from assay import rules, trees
from assay.tables import Column, Schema, Table
from benchmarks.harness import Race, growth


def clouds(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n + d)
    X = np.round(rng.normal(size=(n, d)), 3)
    y = (X[:, :4] @ np.ones(4) + np.sin(3 * X[:, 4]) + rng.normal(size=n) > 0).astype(int)
    return X, y


def categories(X: np.ndarray) -> Table:
    """The same columns cut into ten."""
    codes = np.clip(np.floor(2 * X + 5), 0, 9)
    schema = Schema([Column(f"x{j}", "nominal", tuple(range(10))) for j in range(X.shape[1])])
    return Table(codes, schema, True)


def races() -> list[Race]:
    found = []
    X, y = clouds(20_000, 20)
    table = categories(X)
    try:
        from mlxtend.classifier import OneRClassifier as Peer

        codes = table.values.astype(int)
        found.append(
            Race(
                "OneRClassifier fit",
                "20000 x 20, categories",
                lambda: rules.OneRClassifier().fit(table, y),
                lambda: Peer().fit(codes, y),
            )
        )
    except ImportError:
        print("mlxtend is not installed: OneR runs without a peer.")
    found.append(
        Race(
            "PartClassifier fit against C45Classifier",
            "20000 x 20",
            lambda: rules.PartClassifier().fit(X, y),
            lambda: trees.C45Classifier().fit(X, y),
        )
    )
    found.append(
        Race(
            "C45RulesClassifier fit against C45Classifier",
            "2000 x 20",
            lambda: rules.C45RulesClassifier().fit(X[:2000], y[:2000]),
            lambda: trees.C45Classifier().fit(X[:2000], y[:2000]),
        )
    )
    return found


def growths() -> list[str]:
    def fit(learner, n: int, d: int):
        X, y = clouds(n, d)
        return lambda: learner().fit(X, y)

    lines = []
    for learner in (rules.OneRClassifier, rules.DecisionTableClassifier, rules.PartClassifier):
        in_n = growth(lambda n, learner=learner: fit(learner, n, 10), [5_000, 20_000, 80_000])
        in_d = growth(lambda d, learner=learner: fit(learner, 5_000, d), [8, 32, 128])
        lines.append(f"{learner.__name__}: seconds to fit grow as n^{in_n:.2f} and d^{in_d:.2f}")
    return lines
