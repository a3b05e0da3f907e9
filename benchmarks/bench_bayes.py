"""Bayes learners against scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn import discriminant_analysis, naive_bayes
from sklearn.datasets import load_iris

from assay import bayes
from benchmarks.harness import Race, growth

SIZES = [(1_000, 10, 3), (20_000, 50, 5), (200_000, 30, 3), (1_000_000, 20, 2)]

PAIRS = {
    "GaussianNB": (lambda: bayes.GaussianNB(), lambda: naive_bayes.GaussianNB()),
    "LDA (lsqr)": (
        lambda: bayes.LinearDiscriminantAnalysis(solver="lsqr"),
        lambda: discriminant_analysis.LinearDiscriminantAnalysis(solver="lsqr"),
    ),
    "LDA (svd)": (
        lambda: bayes.LinearDiscriminantAnalysis(),
        lambda: discriminant_analysis.LinearDiscriminantAnalysis(),
    ),
    "QDA": (
        lambda: bayes.QuadraticDiscriminantAnalysis(),
        lambda: discriminant_analysis.QuadraticDiscriminantAnalysis(),
    ),
    "Bayesian Gaussian (peer: QDA)": (
        lambda: bayes.BayesianGaussianClassifier(),
        lambda: discriminant_analysis.QuadraticDiscriminantAnalysis(),
    ),
    "Bayesian Gaussian, diagonal (peer: GaussianNB)": (
        lambda: bayes.BayesianGaussianClassifier("diag"),
        lambda: naive_bayes.GaussianNB(),
    ),
}

COUNT_PAIRS = {
    "CategoricalNB": (lambda: bayes.CategoricalNB(), lambda: naive_bayes.CategoricalNB()),
    "MultinomialNB": (lambda: bayes.MultinomialNB(), lambda: naive_bayes.MultinomialNB()),
    "ComplementNB": (lambda: bayes.ComplementNB(), lambda: naive_bayes.ComplementNB()),
    "BernoulliNB": (lambda: bayes.BernoulliNB(binarize=1.5), lambda: naive_bayes.BernoulliNB(binarize=1.5)),
}


def gaussian_classes(n: int, d: int, K: int) -> tuple[np.ndarray, np.ndarray]:
    """K Gaussian clouds with correlated columns."""
    rng = np.random.default_rng(n + d + K)
    y = rng.integers(0, K, n)
    mix = np.eye(d) + 0.3 * rng.normal(size=(d, d)) / np.sqrt(d)
    return (rng.normal(size=(n, d)) + rng.normal(size=(K, d))[y]) @ mix, y


def small_counts(n: int, d: int, K: int) -> tuple[np.ndarray, np.ndarray]:
    """Counts 0 to 4 whose distribution depends on the class."""
    rng = np.random.default_rng(n + d + K)
    y = rng.integers(0, K, n)
    return np.minimum(rng.poisson(0.5 + y[:, None] / K, size=(n, d)), 4), y


def races() -> list[Race]:
    found = []
    X, y = load_iris(return_X_y=True)
    for name, pair in PAIRS.items():
        found += both(name, "iris", X, y, pair, repeat=50)
    for n, d, K in SIZES:
        X, y = gaussian_classes(n, d, K)
        for name, pair in PAIRS.items():
            found += both(name, f"{n} x {d}, {K} classes", X, y, pair, repeat=20 if n <= 1000 else 1)
    for n, d, K in SIZES[:3]:
        X, y = small_counts(n, d, K)
        for name, pair in COUNT_PAIRS.items():
            found += both(name, f"{n} x {d}, {K} classes", X, y, pair, repeat=20 if n <= 1000 else 1)
    return found


def both(name, size, X, y, pair, repeat):
    ours, peer = pair[0]().fit(X, y), pair[1]().fit(X, y)
    return [
        Race(f"{name} fit", size, lambda: pair[0]().fit(X, y), lambda: pair[1]().fit(X, y), repeat),
        Race(
            f"{name} predict_proba",
            size,
            lambda: ours.predict_proba(X),
            lambda: peer.predict_proba(X),
            repeat,
        ),
    ]


def growths() -> list[str]:
    notes = []
    for name, (ours, _) in PAIRS.items():
        in_n = growth(
            lambda n, make=ours: fit_of(make, *gaussian_classes(n, 20, 3)), [20_000, 80_000, 320_000]
        )
        in_d = growth(lambda d, make=ours: fit_of(make, *gaussian_classes(50_000, d, 3)), [16, 64, 256])
        notes.append(f"{name}: seconds to fit grow as n^{in_n:.2f} and d^{in_d:.2f}")
    return notes


def fit_of(make, X, y):
    return lambda: make().fit(X, y)
