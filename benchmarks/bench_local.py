"""Self-organising maps against MiniSom, where it is installed."""

from __future__ import annotations

import numpy as np

from assay.local import SelfOrganizingMap
from benchmarks.harness import Race


def races() -> list[Race]:
    try:
        from minisom import MiniSom
    except ImportError:
        return []
    compared = []
    for side, d, n in ((10, 4, 10_000), (30, 64, 3_000)):
        X = np.random.default_rng(0).normal(size=(n, d))

        def ours(X=X, side=side):
            return SelfOrganizingMap((side, side), max_iter=1, random_state=0).fit(X)

        def peer(X=X, side=side):
            model = MiniSom(side, side, X.shape[1], sigma=side / 2, learning_rate=0.5, random_seed=0)
            return model.train(X, len(X))

        compared.append(Race("map, row by row", f"{side} x {side} units, {n} x {d}", ours, peer))
    X = np.random.default_rng(0).normal(size=(10_000, 16))

    def passes():
        return SelfOrganizingMap((20, 20), training="batch", max_iter=10).fit(X)

    def peer_passes():
        model = MiniSom(20, 20, 16, sigma=10, learning_rate=0.5, random_seed=0)
        return (
            model.train_batch_offline(X, 10)
            if hasattr(model, "train_batch_offline")
            else model.train(X, 10_000)
        )

    return [
        *compared,
        Race("map, ten passes over 10000 rows at once", "20 x 20 units, 10000 x 16", passes, peer_passes),
    ]
