"""Filters against scikit-learn, and ReliefF against skrebate where that is installed."""

from __future__ import annotations

import numpy as np
from scipy.sparse import random as random_sparse
from sklearn import feature_selection

from assay import select
from benchmarks.harness import Race, growth

SIZES = [(150, 4), (2_000, 50), (100_000, 30)]
CLASSES = ("f_classif", "chi2", "mutual_info_classif")
NUMBERS = ("r_regression", "f_regression", "mutual_info_regression")
NEIGHBOURS = ("mutual_info_classif", "mutual_info_regression")


def rows(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positive measurements, three classes and a number, told by some of the columns."""
    rng = np.random.default_rng(seed)
    X = np.abs(rng.normal(3.0, 1.0, size=(n, d)))
    score = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, [1 / 3, 2 / 3])), score


def races() -> list[Race]:
    compared = []
    for n, d in SIZES:
        X, y, target = rows(n, d)
        repeat = 20 if n < 1000 else 1
        for name in (*CLASSES, *NUMBERS):
            block = X[:20_000, :10] if name in NEIGHBOURS and n > 20_000 else X
            answer = (y if name in CLASSES else target)[: len(block)]
            options = {"random_state": 0} if name in NEIGHBOURS else {}
            compared.append(race(name, f"{len(block)} x {block.shape[1]}", block, answer, repeat, options))
        compared.append(fits("SelectKBest", f"{n} x {d}", X, y, repeat, k=2))
        compared.append(fits("VarianceThreshold", f"{n} x {d}", X, y, repeat))
    words = random_sparse(20_000, 5_000, density=0.01, format="csr", random_state=0)
    labels = np.random.default_rng(0).integers(0, 5, 20_000)
    for name in ("f_classif", "chi2"):
        compared.append(race(name, "sparse 20000 x 5000", words, labels, 1, {}))
    return compared + relieff_races()


def race(name: str, size: str, X, y, repeat: int, options: dict) -> Race:
    ours, peer = getattr(select, name), getattr(feature_selection, name)
    return Race(name, size, lambda: ours(X, y, **options), lambda: peer(X, y, **options), repeat)


def fits(name: str, size: str, X, y, repeat: int, **options) -> Race:
    ours, peer = getattr(select, name), getattr(feature_selection, name)
    return Race(
        f"{name} fit", size, lambda: ours(**options).fit(X, y), lambda: peer(**options).fit(X, y), repeat
    )


def relieff_races() -> list[Race]:
    try:
        from skrebate import ReliefF
    except ImportError:
        return []
    X, y, _ = rows(1_000, 50)

    def peer():
        return ReliefF(n_features_to_select=5, n_neighbors=10, n_jobs=1).fit(X, y)

    return [Race("relieff", "1000 x 50", lambda: select.relieff(X, y, n_neighbors=10), peer)]


def growths() -> list[str]:
    notes = []
    for name in ("mutual_info_classif", "mutual_info_regression"):

        def run(n, name=name):
            X, y, target = rows(n, 5)
            return lambda: getattr(select, name)(X, y if name in CLASSES else target, random_state=0)

        notes.append(f"{name}: seconds grow as n^{growth(run, [5_000, 20_000, 80_000]):.2f}")

    def relief(n):
        X, y, _ = rows(n, 20)
        return lambda: select.relieff(X, y)

    notes.append(f"relieff: seconds grow as n^{growth(relief, [500, 1_000, 2_000]):.2f}")
    return notes
