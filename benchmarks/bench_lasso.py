"""Lasso, elastic net, their paths, and logistic regression with an absolute penalty, against scikit-learn.

The races of logistic regression are to a like objective; the notes say how far above the least value each side ends.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_diabetes

from assay import linear
from benchmarks.harness import Race, growth


def signal(n: int, d: int, informative: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns, some of which matter; centred, as paths want them."""
    rng = np.random.default_rng(n + d)
    X = np.asfortranarray(rng.normal(size=(n, d)))
    y = X[:, :informative] @ rng.normal(size=informative) * 2 + rng.normal(size=n)
    X -= X.mean(axis=0)
    return X, y - y.mean()


def sparse_signal(n: int, d: int, density: float) -> tuple[sparse.csc_array, np.ndarray]:
    rng = np.random.default_rng(n)
    X = sparse.random_array((n, d), density=density, rng=rng, format="csc")
    y = X @ np.r_[np.full(100, 3.0), np.zeros(d - 100)] + 0.1 * rng.normal(size=n)
    return X, y - y.mean()


def classes(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(n, 1))
    score = X[:, :20] @ rng.normal(size=20)
    return X, (score + rng.logistic(size=n) > 0).astype(int)


def documents(n: int, d: int, words: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Words drawn by Zipf's law, logarithms of their counts, rows of length 1."""
    rng = np.random.default_rng(n + d)
    share = 1 / (np.arange(d) + 10.0)
    columns = rng.choice(d, size=n * words, p=share / share.sum())
    X = sparse.csr_array((np.ones(n * words), (np.repeat(np.arange(n), words), columns)), shape=(n, d))
    X.sum_duplicates()
    X.data = np.log1p(X.data)
    X = sparse.csr_array(X.multiply(1 / np.sqrt(X.multiply(X).sum(axis=1))[:, None]))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # the peer takes no others
    w = np.zeros(d)
    w[rng.choice(2000, 200, replace=False)] = rng.normal(size=200) * 8
    score = X @ w
    return X, (score + rng.logistic(size=n) > np.median(score)).astype(int)


def races() -> list[Race]:
    warnings.simplefilter("ignore")  # saga stops before it has converged
    diabetes, target = load_diabetes(return_X_y=True)
    tables = {
        "diabetes": (diabetes, target - target.mean(), 20),
        "10000 x 100": (*signal(10_000, 100), 3),
        "1000 x 5000": (*signal(1000, 5000, 50), 1),
        "5000 x 20000, sparse": (*sparse_signal(5000, 20_000, 0.002), 1),
    }
    found = []
    for size, (X, y, repeat) in tables.items():
        found.append(path("lasso_path", size, X, y, repeat))
    for size in ("diabetes", "10000 x 100", "1000 x 5000"):
        X, y, repeat = tables[size]
        found.append(fitting("LassoCV", size, linear.LassoCV(), peers.LassoCV(), X, y, repeat))
    found.append(
        fitting(
            "ElasticNetCV, 3 ratios",
            "diabetes",
            linear.ElasticNetCV(l1_ratio=[0.1, 0.5, 0.9]),
            peers.ElasticNetCV(l1_ratio=[0.1, 0.5, 0.9]),
            diabetes,
            target,
            5,
        )
    )
    for size, (X, y, repeat) in tables.items():
        found.append(fitting("Lasso(0.01)", size, linear.Lasso(0.01), peers.Lasso(0.01), X, y, repeat))
    return found + logistic_races()


def logistic_races() -> list[Race]:
    found = []
    cells, malign = load_breast_cancer(return_X_y=True)
    cells = (cells - cells.mean(axis=0)) / cells.std(axis=0)
    for size, (X, y), Cs, repeat in (
        ("569 x 30", (cells, malign), (1.0,), 5),
        ("20000 x 100", classes(20_000, 100), (0.01, 1.0), 1),
        ("20000 x 20000, sparse", documents(20_000, 20_000, 60), (0.3, 1.0), 1),
    ):
        for C in Cs:
            ours, lib, saga = contestants(C)
            found.append(
                fitting(f"LogisticRegression, lasso, C={C:g}, liblinear", size, ours, lib, X, y, repeat)
            )
            with_intercept = linear.LogisticRegression(C=C, l1_ratio=1)
            found.append(
                fitting(f"LogisticRegression, lasso, C={C:g}, saga", size, with_intercept, saga, X, y, repeat)
            )
    found.append(
        fitting(
            "LogisticRegressionCV",
            "569 x 30",
            linear.LogisticRegressionCV(scoring="neg_log_loss"),
            peers.LogisticRegressionCV(
                l1_ratios=(0.0,), scoring="neg_log_loss", use_legacy_attributes=False, max_iter=1000
            ),
            cells,
            malign,
            1,
        )
    )
    return found


def contestants(C: float):
    """Ours and liblinear without an intercept, which liblinear would penalise; saga with one."""
    return (
        linear.LogisticRegression(C=C, l1_ratio=1, fit_intercept=False),
        peers.LogisticRegression(C=C, l1_ratio=1, fit_intercept=False, solver="liblinear"),
        peers.LogisticRegression(C=C, l1_ratio=1, solver="saga", tol=1e-3),
    )


def path(name, size, X, y, repeat):
    return Race(name, size, lambda: linear.lasso_path(X, y), lambda: peers.lasso_path(X, y), repeat)


def fitting(name, size, ours, peer, X, y, repeat):
    return Race(f"{name} fit", size, lambda: ours.fit(X, y), lambda: peer.fit(X, y), repeat)


def growths() -> list[str]:
    def walk(X, y):
        return lambda: linear.lasso_path(X, y)

    in_n = growth(lambda n: walk(*signal(n, 100)), [10_000, 40_000, 160_000])
    in_d = growth(lambda d: walk(*signal(500, d)), [1000, 4000, 16_000])
    return [f"lasso_path: seconds grow as n^{in_n:.2f} (n > d) and d^{in_d:.2f} (n < d)", *values()]


def value(model, X, y) -> float:
    """The objective of a lasso-penalised fit."""
    score = X @ model.coef_[0] + np.ravel(model.intercept_)[0]
    return float(model.C * (np.logaddexp(0, score) - y * score).sum() + np.abs(model.coef_).sum())


def values() -> list[str]:
    """What the contestants of the logistic races reach, relative to the least value."""
    warnings.simplefilter("ignore")
    said = []
    for size, (X, y), C in (
        ("20000 x 100", classes(20_000, 100), 1.0),
        ("20000 x 20000, sparse", documents(20_000, 20_000, 60), 1.0),
    ):
        ours, lib, saga = (model.fit(X, y) for model in contestants(C))
        free = linear.LogisticRegression(C=C, l1_ratio=1).fit(X, y)
        least = [
            value(
                linear.LogisticRegression(C=C, l1_ratio=1, tol=1e-9, fit_intercept=i, max_iter=500).fit(X, y),
                X,
                y,
            )
            for i in (False, True)
        ]
        excess = [value(m, X, y) / least[i] - 1 for m, i in ((ours, 0), (lib, 0), (free, 1), (saga, 1))]
        said.append(
            f"{size}, C={C:g}: above the least value by {excess[0]:.1e} (ours), {excess[1]:.1e} (liblinear); with an "
            f"intercept {excess[2]:.1e} (ours), {excess[3]:.1e} (saga)"
        )
    return said
