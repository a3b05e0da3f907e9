"""Embeddings by distances and neighbours against scikit-learn: the same settings, coordinates equal up to signs."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.manifold as peers
from sklearn.datasets import make_swiss_roll

import assay.reduce as ours
from benchmarks.harness import Race


def races() -> list[Race]:
    roll = make_swiss_roll(5000, random_state=0)[0]
    small = roll[:1000]
    wide = np.random.default_rng(0).normal(size=(800, 20))
    return [
        race("Isomap", roll, "Isomap", n_neighbors=5),
        Race(
            "landmark Isomap, 200 landmarks, against Isomap",
            "5000 x 3",
            lambda: ours.LandmarkIsomap(200, n_neighbors=5, random_state=0).fit(roll),
            lambda: peers.Isomap(n_neighbors=5).fit(roll),
        ),
        *(
            race(f"locally linear embedding, {method}", roll, "LocallyLinearEmbedding", n_neighbors=12,
                 method=method, random_state=0)
            for method in ("standard", "ltsa")
        ),
        race("locally linear embedding, modified", small, "LocallyLinearEmbedding", n_neighbors=12, method="modified",
             eigen_solver="dense"),
        race("Laplacian eigenmaps", roll, "SpectralEmbedding", n_neighbors=10, random_state=0),
        race("metric scaling", wide, "MDS", random_state=0, init="random", max_iter=50, eps=0.0),
        race("non-metric scaling", wide[:300], "MDS", random_state=0, init="random", metric_mds=False, max_iter=50,
             eps=0.0),
        race("classical scaling, given distances", wide, "ClassicalMDS", metric="manhattan"),
        race("classical scaling", wide, "ClassicalMDS"),
    ]  # fmt: skip


def race(name: str, X: np.ndarray, learner: str, **settings: Any) -> Race:
    return Race(
        name,
        f"{len(X)} x {X.shape[1]}",
        lambda: getattr(ours, learner)(**settings).fit(X),
        lambda: getattr(peers, learner)(**settings).fit(X),
    )
