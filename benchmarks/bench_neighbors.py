"""Neighbours against scikit-learn, and mixed distances against NumPy."""

from __future__ import annotations

import numpy as np
from sklearn import neighbors as peers
from sklearn.datasets import load_breast_cancer, make_classification

from assay import neighbors
from assay.distances import Gower
from assay.tables.data import load_german_credit
from benchmarks.harness import Race, growth


def normal(n: int, d: int, dtype: type = np.float64) -> np.ndarray:
    return np.random.default_rng(n + d).normal(size=(n, d)).astype(dtype)


def races() -> list[Race]:
    found = []
    for dtype in (np.float64, np.float32):
        X, Q = normal(50_000, 50, dtype), normal(5_000, 50, dtype)
        found.append(
            search(
                f"kneighbors, brute, {dtype.__name__}", "50000 x 50, 5000 queries", X, Q, algorithm="brute"
            )
        )
    X, Q = normal(500_000, 3), normal(50_000, 3)
    found += [
        fitting("NearestNeighbors fit, kd-tree", "500000 x 3", X, algorithm="kd_tree"),
        search("kneighbors, kd-tree", "500000 x 3, 50000 queries", X, Q, algorithm="kd_tree"),
        search("kneighbors, auto", "500000 x 3, 50000 queries", X, Q),
    ]
    X, Q = normal(20_000, 30), normal(1_000, 30)
    found += [
        search(f"kneighbors, brute, p={p:g}", "20000 x 30, 1000 queries", X, Q, algorithm="brute", p=p)
        for p in (1, 3, np.inf)
    ]
    X, y = load_breast_cancer(return_X_y=True)
    ours, peer = (room.KNeighborsClassifier().fit(X, y) for room in (neighbors, peers))
    found += [
        Race(
            "KNeighborsClassifier predict",
            "breast cancer",
            lambda: ours.predict(X),
            lambda: peer.predict(X),
            20,
        ),
        Race(
            "KNeighborsClassifier predict",
            "one row",
            lambda: ours.predict(X[:1]),
            lambda: peer.predict(X[:1]),
            200,
        ),
        radius("radius_neighbors, kd-tree", "50000 x 3, 2000 queries", normal(50_000, 3), normal(2_000, 3)),
    ]
    rows, kinds = make_classification(2_000, 20, n_informative=8, n_classes=4, random_state=0)
    found.append(
        Race(
            "LMNN fit, against NeighborhoodComponentsAnalysis",
            "2000 x 20",
            lambda: neighbors.LMNN().fit(rows, kinds),
            lambda: peers.NeighborhoodComponentsAnalysis(random_state=0).fit(rows, kinds),
        )
    )
    table = load_german_credit().X
    values, coded = table.values, table.schema.coded
    metric = Gower(coded).learn(values)
    found.append(
        Race(
            "Gower",
            "German credit",
            lambda: metric.between(values, values),
            lambda: by_columns(values, coded),
        )
    )
    return found


def search(name, size, X, Q, k=10, **settings):
    ours, peer = (room.NearestNeighbors(n_neighbors=k, **settings).fit(X) for room in (neighbors, peers))
    return Race(name, size, lambda: ours.kneighbors(Q), lambda: peer.kneighbors(Q))


def fitting(name, size, X, **settings):
    return Race(
        name,
        size,
        lambda: neighbors.NearestNeighbors(**settings).fit(X),
        lambda: peers.NearestNeighbors(**settings).fit(X),
    )


def radius(name, size, X, Q):
    ours, peer = (
        room.NearestNeighbors(radius=0.2, algorithm="kd_tree").fit(X) for room in (neighbors, peers)
    )
    return Race(name, size, lambda: ours.radius_neighbors(Q), lambda: peer.radius_neighbors(Q))


def by_columns(X: np.ndarray, coded: np.ndarray) -> np.ndarray:
    """Gower's distance as it is written in Python: one array operation a column."""
    total, there = np.zeros((len(X), len(X))), np.zeros((len(X), len(X)))
    for j in range(X.shape[1]):
        apart = np.abs(X[:, None, j] - X[:, j])
        known = ~np.isnan(apart)
        spread = np.nanmax(X[:, j]) - np.nanmin(X[:, j])
        delta = (apart != 0) if coded[j] else apart / spread
        total += np.where(known, delta, 0.0)
        there += known
    return total / there


def growths() -> list[str]:
    def ask(n: int, d: int, **settings):
        model, Q = neighbors.NearestNeighbors(n_neighbors=10, **settings).fit(normal(n, d)), normal(500, d)
        return lambda: model.kneighbors(Q)

    in_n = growth(lambda n: ask(n, 30, algorithm="brute"), [10_000, 40_000, 160_000])
    in_d = growth(lambda d: ask(20_000, d, algorithm="brute"), [16, 64, 256])
    tree = growth(lambda n: ask(n, 3, algorithm="kd_tree"), [10_000, 40_000, 160_000])
    return [
        f"kneighbors: seconds of a scan grow as n^{in_n:.2f} and d^{in_d:.2f}, of a kd-tree as n^{tree:.2f}"
    ]
