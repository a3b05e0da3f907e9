"""Clustering against scikit-learn and, where it is installed, kmodes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import cluster as peers
from sklearn import metrics as peer_metrics
from sklearn.datasets import make_blobs, make_circles, make_moons

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


def growths() -> list[str]:
    """How well groups of several forms are found, by the adjusted Rand index."""
    shapes = {
        "moons": make_moons(600, noise=0.06, random_state=0),
        "rings": make_circles(600, noise=0.04, factor=0.5, random_state=0),
        "blobs": make_blobs(600, centers=4, cluster_std=1.2, random_state=3),
        "stretched": (make_blobs(600, centers=3, random_state=7)[0] @ [[0.6, -0.6], [-0.4, 0.8]],
                      make_blobs(600, centers=3, random_state=7)[1]),
        "unequal": make_blobs([400, 150, 50], centers=[[0, 0], [6, 0], [3, 5]], random_state=0),
    }  # fmt: skip
    lines = []
    for name in ("Genie", "KMeans", "Ward", "GaussianMixture"):
        scores = []
        for X, y in shapes.values():
            k = len(np.unique(y))
            model = {
                "Genie": lambda k=k: cluster.Genie(k),
                "KMeans": lambda k=k: cluster.KMeans(k, n_init=10, random_state=0),
                "Ward": lambda k=k: cluster.AgglomerativeClustering(k),
                "GaussianMixture": lambda k=k: GaussianMixture(k, n_init=5, random_state=0),
            }[name]()
            scores.append(cluster.adjusted_rand_score(y, model.fit_predict(X)))
        each = ", ".join(f"{shape} {score:.2f}" for shape, score in zip(shapes, scores))
        lines.append(f"{name}: mean adjusted Rand index {np.mean(scores):.2f} ({each})")

    def fitted(n: int) -> Callable[[], Any]:
        X = rows(n, 10, 10)
        return quietly(lambda: cluster.KMeans(10, random_state=0).fit(X))

    in_n = growth(fitted, [5_000, 20_000, 80_000])
    lines.append(f"KMeans, k = 10: seconds grow as n^{in_n:.2f}")
    return lines
