"""Forests and bagging against scikit-learn, two threads each."""

from __future__ import annotations

import numpy as np
from sklearn import ensemble as peers
from sklearn.datasets import load_iris

from assay import ensembles
from benchmarks.bench_trees import clouds
from benchmarks.harness import Race, growth

JOBS = 2


def races() -> list[Race]:
    X, y = clouds(100_000, 20, 2)
    iris = load_iris(return_X_y=True)
    few = clouds(1_000, 10, 3)
    found = []
    for name in ("RandomForestClassifier", "ExtraTreesClassifier"):
        found += both(name, "iris, 100 trees", *iris, name, jobs=None)
        found += both(name, "1000 x 10, 100 trees", *few, name, jobs=None)
        found += both(name, "100000 x 20, 100 trees", X, y, name)
    target = X @ np.arange(20.0) + np.random.default_rng(3).normal(size=len(y))
    for name in ("RandomForestRegressor", "ExtraTreesRegressor"):
        found += both(name, "20000 x 20, 20 trees", X[:20_000], target[:20_000], name, n_estimators=20)
    with_missing = np.where(np.random.default_rng(2).random(X.shape) < 0.1, np.nan, X)
    found += both("RandomForestClassifier, 10 % missing", "20000 x 20, 100 trees", with_missing[:20_000], y[:20_000],
                  "RandomForestClassifier")  # fmt: skip
    found += both("BaggingClassifier", "10000 x 20, 10 trees", X[:10_000], y[:10_000], "BaggingClassifier")
    return found


def both(name, size, X, y, cls, jobs=JOBS, **settings):
    def ours():
        return getattr(ensembles, cls)(random_state=0, n_jobs=jobs, **settings)

    def peer():
        return getattr(peers, cls)(random_state=0, n_jobs=jobs, **settings)

    mine, theirs = ours().fit(X, y), peer().fit(X, y)
    row = X[:1]
    return [
        Race(f"{name} fit", size, lambda: ours().fit(X, y), lambda: peer().fit(X, y)),
        Race(f"{name} predict", size, lambda: mine.predict(X), lambda: theirs.predict(X)),
        Race(f"{name} predict, one row", size, lambda: mine.predict(row), lambda: theirs.predict(row), 5),
    ]


def growths() -> list[str]:
    def fit(X, y, trees=20):
        return lambda: ensembles.RandomForestClassifier(trees, random_state=0, n_jobs=JOBS).fit(X, y)

    in_n = growth(lambda n: fit(*clouds(n, 20, 2)), [5_000, 20_000, 80_000])
    in_d = growth(lambda d: fit(*clouds(5_000, d, 2)), [16, 64, 256])
    in_trees = growth(lambda t: fit(*clouds(5_000, 20, 2), trees=t), [10, 40, 160])
    return [
        f"RandomForestClassifier: seconds to fit grow as n^{in_n:.2f}, d^{in_d:.2f}, trees^{in_trees:.2f}"
    ]
