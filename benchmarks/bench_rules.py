"""RIPPER against wittgenstein."""

from __future__ import annotations

import importlib.util

import numpy as np
import pandas as pd

from assay.rules import RipperClassifier
from assay.tables.data import load_german_credit
from benchmarks.harness import Race, growth


def boxes(n: int, d: int = 20, K: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Classes that are boxes in six of the columns, with a twentieth of the labels drawn at random."""
    rng = np.random.default_rng(n + d + K)
    X = np.round(rng.normal(size=(n, d)), 4)
    y = np.zeros(n, int)
    for k in range(1, K):
        a, b = rng.choice(d, 2, replace=False)
        y[(X[:, a] > rng.normal()) & (X[:, b] < rng.normal())] = k
    noisy = rng.random(n) < 0.05
    y[noisy] = rng.integers(0, K, noisy.sum())
    return X, y


def mixed(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Half of the columns cut into nine categories."""
    X, y = boxes(n)
    frame = pd.DataFrame(X, columns=[f"a{j}" for j in range(20)])
    for j in range(10):
        codes = np.clip(np.floor(1.5 * X[:, j] + 4), 0, 8).astype(int)
        frame[f"a{j}"] = pd.Categorical.from_codes(codes, [f"v{c}" for c in range(9)])
    return frame, y


def races() -> list[Race]:
    if importlib.util.find_spec("wittgenstein") is None:
        print("wittgenstein is not installed: its races are left out.")
        return []
    credit = load_german_credit()
    found = both("German credit", credit.frame(target=False), np.asarray(credit.y), "bad", repeat=3)
    for n in (5_000, 100_000):
        X, y = boxes(n)
        found += both(f"{n} x 20", pd.DataFrame(X, columns=[f"a{j}" for j in range(20)]), y, 1)
    found += both("5000 x 20, half categories", *mixed(5_000), 1)
    return found


def both(size: str, X: pd.DataFrame, y: np.ndarray, positive: object, repeat: int = 1) -> list[Race]:
    """Both fit; both answer with the rules that they found."""
    from wittgenstein import RIPPER

    peer = RIPPER(random_state=0)
    ours = RipperClassifier(random_state=0).fit(X, y)
    made: list[object] = []

    def fit_peer() -> None:
        peer.fit(X, y=y, pos_class=positive)
        made.append(peer)

    def predict_peer() -> object:
        if not made:
            fit_peer()
        return peer.predict(X)

    fit = Race(
        "RipperClassifier fit", size, lambda: RipperClassifier(random_state=0).fit(X, y), fit_peer, repeat
    )
    return [fit, Race("RipperClassifier predict", size, lambda: ours.predict(X), predict_peer, repeat)]


def growths() -> list[str]:
    def fit(X: np.ndarray, y: np.ndarray) -> object:
        return lambda: RipperClassifier(random_state=0).fit(X, y)

    in_n = growth(lambda n: fit(*boxes(n)), [10_000, 40_000, 160_000])
    in_d = growth(lambda d: fit(*boxes(10_000, d)), [16, 64, 256])
    in_K = growth(lambda K: fit(*boxes(20_000, 16, K)), [3, 9, 27])
    return [f"RipperClassifier: seconds to fit grow as n^{in_n:.2f}, d^{in_d:.2f} and classes^{in_K:.2f}"]
