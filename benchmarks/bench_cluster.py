"""Clustering against scikit-learn and, where it is installed, kmodes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import cluster as peers
from sklearn import metrics as peer_metrics
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_circles,
    make_moons,
)
from sklearn.mixture import GaussianMixture as PeerMixture
from sklearn.preprocessing import StandardScaler

from assay import cluster
from assay.mixture import GaussianMixture
from benchmarks.harness import Race, growth


def rows(n: int, d: int, groups: int = 0, spread: float = 4.0) -> np.ndarray:
    """Rows in groups, or without structure."""
    if not groups:
        return np.random.default_rng(n + d).normal(size=(n, d))
    return make_blobs(n, d, centers=groups, cluster_std=spread, random_state=0)[0]


def quietly(fit: Callable[[], Any]) -> Callable[[], Any]:
    """The same without warnings."""

    def run() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fit()

    return run


def race(name: str, X: np.ndarray, label: str = "", repeat: int = 1, **settings: Any) -> Race:
    """The same fit by both."""
    size = f"{X.shape[0]} x {X.shape[1]}" + (
        f", k = {settings['n_clusters']}" if "n_clusters" in settings else ""
    )
    ours, peer = getattr(cluster, name), getattr(peers, name)
    return Race(
        f"{name} {label}".strip(),
        size,
        quietly(lambda: ours(**settings).fit(X)),
        quietly(lambda: peer(**settings).fit(X)),
        repeat,
    )


def races() -> list[Race]:
    made = []
    for n, d, k, groups in (
        (2_000, 5, 8, 8),
        (200_000, 20, 10, 10),
        (200_000, 20, 100, 100),
        (200_000, 20, 10, 0),
    ):
        X = rows(n, d, groups)
        label = "" if groups else "no structure"
        made.append(race("KMeans", X, label, 5 if n < 10_000 else 1, n_clusters=k, n_init=1, random_state=0))
    for k in (10, 100):
        X = rows(200_000, 20, k)
        made.append(
            Race(
                "kmeans_plusplus",
                f"200000 x 20, k = {k}",
                lambda X=X, k=k: cluster.kmeans_plusplus(X, k, random_state=0),
                lambda X=X, k=k: peers.kmeans_plusplus(X, k, random_state=0),
            )
        )
    X = rows(200_000, 20, 10)
    made.append(race("MiniBatchKMeans", X, n_clusters=10, random_state=0))
    made.append(race("BisectingKMeans", X, n_clusters=20, random_state=0))
    X = rows(10_000, 10, 8)
    for linkage in ("ward", "average", "complete", "single"):
        made.append(race("AgglomerativeClustering", X, linkage, n_clusters=8, linkage=linkage))
    made.append(race("DBSCAN", rows(100_000, 3), "eps 0.1", eps=0.1))
    made.append(race("HDBSCAN", rows(20_000, 3, 8, 1.0), copy=False))
    X = rows(5_000, 3, 5, 1.0)
    graph = {"n_clusters": 5, "affinity": "nearest_neighbors", "random_state": 0}
    made.append(race("SpectralClustering", X, "neighbours", **graph))
    X = rows(20_000, 10, 5)
    labels = np.arange(20_000) % 5
    made.append(
        Race(
            "silhouette_score",
            "20000 x 10",
            lambda: cluster.silhouette_score(X, labels),
            lambda: peer_metrics.silhouette_score(X, labels),
        )
    )
    return made + mixed_races()


def mixed_races() -> list[Race]:
    """k-prototypes against kmodes, where it is installed."""
    try:
        from kmodes.kprototypes import KPrototypes as Peer
    except ImportError:
        return []
    rng = np.random.default_rng(0)
    numbers, words = rng.normal(size=(10_000, 5)), rng.integers(0, 4, (10_000, 5)).astype(str)
    import pandas as pd

    table = pd.DataFrame(np.column_stack([numbers.astype(object), words]))
    table[list(range(5))] = numbers
    return [
        Race(
            "KPrototypes",
            "10000 x 10, k = 8",
            lambda: cluster.KPrototypes(8, n_init=1, random_state=0).fit(table),
            lambda: Peer(8, n_init=1, random_state=0).fit(table.to_numpy(), categorical=list(range(5, 10))),
        )
    ]


def spirals(arms: int) -> tuple[np.ndarray, np.ndarray]:
    """Arms that wind around each other, and the arm of each row."""
    rng = np.random.default_rng(arms)
    turn, arm = np.sqrt(rng.uniform(0.05, 1, 600)) * 2.5 * np.pi, np.arange(600) % arms
    angle = turn + 2 * np.pi * arm / arms
    X = np.column_stack([turn * np.cos(angle), turn * np.sin(angle)])
    return X + 0.2 * rng.normal(size=(600, 2)), arm


def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """A spread of shapes: rows, and the groups that they were made of, or their classes."""
    rng = np.random.default_rng(0)
    made = {f"moons {noise}": make_moons(600, noise=noise, random_state=0) for noise in (0.05, 0.1)}
    for factor in (0.3, 0.6):
        made[f"rings {factor}"] = make_circles(600, noise=0.05, factor=factor, random_state=0)
    for arms in (2, 3):
        made[f"spirals {arms}"] = spirals(arms)
    for k, spread in ((3, 1.0), (6, 1.0), (10, 0.8)):
        made[f"blobs {k}"] = make_blobs(600, centers=k, cluster_std=spread, random_state=k)
    for d in (5, 20):
        made[f"blobs in {d} columns"] = make_blobs(600, d, centers=5, cluster_std=3.0, random_state=d)
    for seed in (7, 8):
        X, y = make_blobs(600, centers=3, random_state=seed)
        made[f"stretched {seed}"] = (X @ [[0.6, -0.6], [-0.4, 0.8]], y)
    made["unequal sizes"] = make_blobs([400, 150, 50], centers=[[0, 0], [6, 0], [3, 5]], random_state=0)
    made["unequal widths"] = make_blobs(
        [200] * 3, centers=[[0, 0], [8, 0], [4, 8]], cluster_std=[0.4, 1.0, 2.0], random_state=0
    )
    ball, turn = rng.normal(0, 0.3, (300, 2)), rng.uniform(0, 2 * np.pi, 300)
    ring = np.column_stack([3 * np.cos(turn), 3 * np.sin(turn)]) + 0.2 * rng.normal(size=(300, 2))
    made["ball in a ring"] = (np.vstack([ball, ring]), np.repeat([0, 1], 300))
    bars = [np.column_stack([rng.uniform(-4, 4, 200), c + 0.15 * rng.normal(size=200)]) for c in range(3)]
    made["bars"] = (np.vstack(bars), np.repeat([0, 1, 2], 200))
    forms, means = rng.normal(size=(4, 4, 4)) * 0.6 + np.eye(4), 4 * rng.normal(size=(4, 4))
    y = rng.integers(4, size=600)
    made["ellipsoids"] = (np.einsum("nij,nj->ni", forms[y], rng.normal(size=(600, 4))) + means[y], y)
    for name, load in (("iris", load_iris), ("wine", load_wine), ("breast cancer", load_breast_cancer)):
        X, y = load(return_X_y=True)
        made[name] = (StandardScaler().fit_transform(X), y)
    made["digits"] = load_digits(return_X_y=True)
    return made


def agreements() -> list[str]:
    """How well groups of many forms are found, their number known: the mean adjusted Rand index."""
    models: dict[str, Callable[[int], Any]] = {
        "Genie": cluster.Genie,
        "GaussianMixture": lambda k: GaussianMixture(k, n_init=5, random_state=0),
        "scikit-learn's": lambda k: PeerMixture(k, n_init=5, random_state=0),
        "KMeans": lambda k: cluster.KMeans(k, n_init=10, random_state=0),
        "Ward": cluster.AgglomerativeClustering,
    }
    try:
        import genieclust

        models["genieclust"] = lambda k: genieclust.Genie(n_clusters=k)
    except ImportError:
        pass
    made = tables()
    means = {
        name: np.mean(
            [
                cluster.adjusted_rand_score(y, model(len(np.unique(y))).fit_predict(X))
                for X, y in made.values()
            ]
        )
        for name, model in models.items()
    }
    listed = ", ".join(
        f"{name} {mean:.3f}" for name, mean in sorted(means.items(), key=lambda pair: -pair[1])
    )
    return [f"Mean adjusted Rand index on {len(made)} tables ({', '.join(made)}): {listed}"]


NOTES = (
    "kmeans_plusplus: rows are looked at in single precision and measured where that leaves a doubt: the same rows. "
    "At k = 10 a third of the time goes into writing the rows down in single precision and into the second seed, to "
    "which most rows come nearer.",
    "KMeans, 2000 x 5: some 28 steps of 25 microseconds, of which the native pass is half; the rest is checking, seeds "
    "and what Python does between steps.",
    "BisectingKMeans: memory is the rows less their mean, and the largest group that is cut.",
    "AgglomerativeClustering, average and complete: the distances of a row are computed when the chain of nearest "
    "neighbours first comes to it, and only those of groups and of the chain are kept; how much that is depends on the "
    "rows.",
    "SpectralClustering neighbours: two thirds are the sparse factorisation by SuperLU and solving with it, on both "
    "sides.",
)


def growths() -> list[str]:
    """How well groups are found, and how time grows."""
    lines = [*NOTES, *agreements()]

    def fitted(n: int) -> Callable[[], Any]:
        X = rows(n, 10, 10)
        return quietly(lambda: cluster.KMeans(10, random_state=0).fit(X))

    in_n = growth(fitted, [5_000, 20_000, 80_000])
    lines.append(f"KMeans, k = 10: seconds grow as n^{in_n:.2f}")
    return lines
