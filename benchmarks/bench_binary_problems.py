"""One against the rest, one against one, output codes, and ranking by pairs, against scikit-learn.

The wrappers are measured twice: around the same estimator of scikit-learn, where only the wrapper differs, and around
the logistic regression or discriminant of each side, as a user would who changes the import.
"""

from __future__ import annotations

import numpy as np
from sklearn import discriminant_analysis, linear_model, multiclass
from sklearn.datasets import load_digits, load_iris

from assay import ensembles
from assay.bayes import LinearDiscriminantAnalysis
from assay.linear import LogisticRegression, PairwiseRanker
from benchmarks.harness import Race, growth


def rows(n: int, d: int, K: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes that overlap a little."""
    rng = np.random.default_rng(n + d + K)
    y = rng.integers(0, K, n)
    return rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(K, d))[y], y


def races() -> list[Race]:
    ridge = linear_model.RidgeClassifier()
    pairs = {
        "around the same ridge classifier": (ridge, ridge),
        "around each one's logistic regression": (LogisticRegression(), linear_model.LogisticRegression()),
        "around each one's discriminant": (
            LinearDiscriminantAnalysis(),
            discriminant_analysis.LinearDiscriminantAnalysis(),
        ),
    }
    X, y = load_digits(return_X_y=True)
    spread = X.std(axis=0)
    data = {
        "iris": load_iris(return_X_y=True),
        "digits": ((X[:, spread > 0] / spread[spread > 0]), y),
        "20000 x 20, 5 classes": rows(20_000, 20, 5),
    }
    found = []
    for name in ("OneVsRestClassifier", "OneVsOneClassifier"):
        for what, (mine, other) in pairs.items():
            for size, (X, y) in data.items():
                found += both(name, what, size, X, y, mine, other, repeat=5 if size == "iris" else 1)
    X, y = data["20000 x 20, 5 classes"]
    code = {"code_size": 2.0, "random_state": 0}
    return found + both(
        "OutputCodeClassifier", "around the same ridge classifier", "20000 x 20", X, y, ridge, ridge, **code
    )


def both(name, what, size, X, y, mine, other, repeat=1, **settings) -> list[Race]:
    def ours():
        return getattr(ensembles, name)(mine, **settings)

    def peer():
        return getattr(multiclass, name)(other, **settings)

    a, b = ours().fit(X, y), peer().fit(X, y)
    return [
        Race(f"{name} fit, {what}", size, lambda: ours().fit(X, y), lambda: peer().fit(X, y), repeat),
        Race(f"{name} predict, {what}", size, lambda: a.predict(X), lambda: b.predict(X), 3 * repeat),
    ]


def growths() -> list[str]:
    def ranking(n: int):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, 20))
        y = X[:, 0] + rng.normal(size=n)
        return lambda: PairwiseRanker(max_iter=3, patience=2, random_state=0).fit(X, y)

    def queries(m: int):
        rng = np.random.default_rng(0)
        X, group = rng.normal(size=(20 * m, 20)), np.repeat(np.arange(m), 20)
        grade = np.digitize(X[:, 0] + rng.normal(size=20 * m), [-1, 0, 1])
        return lambda: PairwiseRanker(max_iter=3, patience=2, random_state=0).fit(X, grade, group=group)

    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # three passes do not converge
        return [
            f"PairwiseRanker, one list of n rows: seconds grow as n^{growth(ranking, [500, 1000, 2000]):.2f} "
            "(it has n (n - 1) / 2 pairs)",
            f"PairwiseRanker, m queries of 20 rows: seconds grow as m^{growth(queries, [500, 1000, 2000]):.2f}",
        ]
