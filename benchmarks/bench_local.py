"""Maps against MiniSom, python-som and ugtm, adaptive resonance against artlib, where they are installed."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from assay.cluster import FuzzyART
from assay.local import GenerativeTopographicMapping, SelfOrganizingMap
from benchmarks.harness import Race


def races() -> list[Race]:
    return [*_maps(), *_generative(), *_resonance()]


def _generative() -> list[Race]:
    try:
        import ugtm
    except ImportError:
        return []
    X = load_digits().data

    def ours():
        return GenerativeTopographicMapping((10, 10)).fit(X)

    def peer():
        return ugtm.runGTM(X, k=10, m=4, s=0.3, regul=0.1)

    return [Race("generative topographic mapping", "digits, 10 x 10 points", ours, peer)]


def _resonance() -> list[Race]:
    try:
        from artlib import FuzzyART as Peer
    except ImportError:
        return []
    X = np.random.default_rng(0).uniform(size=(3000, 8))

    def ours():
        return FuzzyART(0.75, max_iter=1).fit(X)

    def peer():
        model = Peer(rho=0.75, alpha=1e-3, beta=1.0)
        return model.fit(model.prepare_data(X), max_iter=1)

    return [Race("fuzzy ART, one pass", "3000 x 8", ours, peer)]


def _maps() -> list[Race]:
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
            model.train(X, len(X))
            return model.quantization_error(X), model.topographic_error(X)

        compared.append(
            Race("map, row by row, with its errors", f"{side} x {side} units, {n} x {d}", ours, peer)
        )
    return [*compared, *_batch_maps()]


def _batch_maps() -> list[Race]:
    try:
        from python_som import SOM
    except ImportError:
        return []
    X = np.random.default_rng(0).normal(size=(10_000, 16))

    def ours():
        return SelfOrganizingMap((20, 20), training="batch", max_iter=10).fit(X)

    def peer():
        model = SOM(20, 20, 16, neighborhood_radius=10.0, random_seed=0)
        model.weight_initialization(mode="linear", data=X)
        return model.train(X, 10, mode="batch")

    return [Race("map, ten passes over 10000 rows at once", "20 x 20 units, 10000 x 16", ours, peer)]
