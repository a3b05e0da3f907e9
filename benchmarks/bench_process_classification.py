"""Gaussian process classification against scikit-learn's, its whole choice of parameters included."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.gaussian_process import GaussianProcessClassifier as Peer
from sklearn.gaussian_process.kernels import RBF as PeerRBF

from assay.kernels import RBF
from assay.processes import GaussianProcessClassifier
from benchmarks.harness import Race, growth


def two_classes(n: int, d: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d))
    return X, (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n) > 0).astype(int)


def races() -> list[Race]:
    warnings.simplefilter("ignore")  # of parameters at their bounds
    made = []
    for n in (200, 500, 1_000):
        X, y = two_classes(n)
        Q = two_classes(2_001)[0]
        for words, scale in (("one length scale", 1.0), ("one for each column", np.ones(5))):
            if n == 1_000 and np.ndim(scale):
                continue  # a minute of the peer's
            made.append(fitting(words, scale, X, y))
        ours = GaussianProcessClassifier(2.0 * RBF(1.5), optimizer=None).fit(X, y)
        peer = Peer(2.0 * PeerRBF(1.5), optimizer=None).fit(X, y)
        made.append(answering(n, ours, peer, Q))
    return made


def fitting(words: str, scale: float | np.ndarray, X: np.ndarray, y: np.ndarray) -> Race:
    return Race(
        f"GaussianProcessClassifier fit, {words}",
        f"{len(X)} x 5",
        lambda: GaussianProcessClassifier(1.0 * RBF(scale)).fit(X, y),
        lambda: Peer(1.0 * PeerRBF(scale)).fit(X, y),
    )


def answering(n: int, ours: GaussianProcessClassifier, peer: Peer, Q: np.ndarray) -> Race:
    return Race(
        "GaussianProcessClassifier predict_proba",
        f"{n} x 5, 2001 rows",
        lambda: ours.predict_proba(Q),
        lambda: peer.predict_proba(Q),
    )


def growths() -> list[str]:
    def fit(n: int):
        X, y = two_classes(n)
        return lambda: GaussianProcessClassifier(1.0 * RBF(1.0)).fit(X, y)

    return [
        f"GaussianProcessClassifier: seconds of a fit grow as n^{growth(fit, [250, 500, 1_000]):.2f}",
        "GaussianProcessClassifier 200 x 5, one length scale: 15 ms, of which nine evaluations with 50 rows take 3.5, "
        "six with all rows 10 and reading the table 1; of an evaluation a third are the derivatives, half the mode, by "
        "LAPACK's calls on 200 rows, which scikit-learn makes as well",
    ]
