"""Logistic regression against scikit-learn: many rows, bad scales, few rows, sparse rows."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Peer

from assay.linear import LogisticRegression
from benchmarks.harness import Race, growth

DOCUMENTS, WORDS, LENGTH = 100_000, 50_000, 50


def clouds(n: int, d: int, K: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of correlated columns whose classes overlap."""
    rng = np.random.default_rng(n + d + K)
    mix = np.eye(d) + 0.6 * rng.normal(size=(d, d)) / np.sqrt(d)
    X = rng.normal(size=(n, d)) @ mix
    scores = X @ rng.normal(size=(d, K)) * 0.5
    return X, (scores + rng.gumbel(size=(n, K))).argmax(axis=1)


def documents(classes: int = 2) -> tuple[csr_matrix, np.ndarray]:
    """Rows of 50 words out of 50,000, common words more often, of which some tell the class."""
    rng = np.random.default_rng(3)
    words = np.minimum((WORDS * rng.random((DOCUMENTS, LENGTH)) ** 3).astype(np.int64), WORDS - 1)
    values = np.abs(rng.normal(size=words.shape)) + 0.1
    X = csr_matrix(
        (values.ravel(), words.ravel(), np.arange(0, DOCUMENTS * LENGTH + 1, LENGTH)), (DOCUMENTS, WORDS)
    )
    X.sum_duplicates()
    scores = X @ (rng.normal(size=(WORDS, classes)) * (rng.random((WORDS, 1)) < 0.1))
    return X, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


def races() -> list[Race]:
    """Both sides stop at the same gradient; the peer gets as many steps as it needs, except where it says."""
    X, y = clouds(200_000, 50, 5)
    found = [
        fitting("softmax", "200000 x 50, 5 classes", X, y),
        fitting("softmax, newton-cholesky", "200000 x 50, 5 classes", X, y, solver="newton-cholesky"),
    ]
    scales = 10.0 ** np.random.default_rng(0).uniform(-3, 3, 50)
    found.append(fitting("softmax, columns of scales 1e-3 to 1e3", "200000 x 50, 5 classes", X * scales, y))
    found.append(fitting("softmax, weighted", "200000 x 50, 5 classes", X, y, w=np.linspace(0.5, 2, len(y))))
    X, y = clouds(1_000_000, 30, 2)
    found.append(fitting("two classes", "1000000 x 30", X, y))
    found.append(fitting("two classes, single precision", "1000000 x 30", X.astype(np.float32), y))
    for name, load in (
        ("iris", load_iris),
        ("wine", load_wine),
        ("breast cancer", load_breast_cancer),
        ("digits", load_digits),
    ):
        X, y = load(return_X_y=True)
        Z = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
        for table, how in ((X, ""), (Z, ", standardised")):
            found.append(fitting("small" + how, name, table, y, repeat=10, max_iter=100))
        found += predicting(name, X, y)
    X, y = documents()
    found.append(
        fitting("sparse, two classes, liblinear", "100000 x 50000, 50 a row", X, y, solver="liblinear")
    )
    found.append(fitting("sparse, two classes, saga", "100000 x 50000, 50 a row", X, y, peer_solver="saga"))
    found.append(fitting("sparse, two classes, lbfgs", "100000 x 50000, 50 a row", X, y))
    return found


def fitting(
    name: str,
    size: str,
    X: np.ndarray | csr_matrix,
    y: np.ndarray,
    *,
    solver: str = "lbfgs",
    peer_solver: str | None = None,
    w: np.ndarray | None = None,
    repeat: int = 1,
    max_iter: int = 1000,
) -> Race:
    ours = LogisticRegression(solver=solver if solver == "liblinear" else "lbfgs", max_iter=max_iter)
    peer = Peer(solver=peer_solver or solver, max_iter=max_iter)
    return Race(
        f"LogisticRegression fit, {name}",
        size,
        lambda: quietly(ours, X, y, w),
        lambda: quietly(peer, X, y, w),
        repeat,
    )


def predicting(name: str, X: np.ndarray, y: np.ndarray) -> list[Race]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours, peer = LogisticRegression().fit(X, y), Peer().fit(X, y)
    return [
        Race(
            f"LogisticRegression {method}",
            name,
            lambda method=method: getattr(ours, method)(X),  # type: ignore[misc]
            lambda method=method: getattr(peer, method)(X),  # type: ignore[misc]
            repeat=200,
        )
        for method in ("predict", "predict_proba")
    ]


def quietly(
    model: LogisticRegression | Peer, X: np.ndarray | csr_matrix, y: np.ndarray, w: np.ndarray | None
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y, sample_weight=w)


def growths() -> list[str]:
    in_n = growth(lambda n: fit_of(*clouds(n, 20, 3)), [50_000, 100_000, 200_000, 400_000])
    in_d = growth(lambda d: fit_of(*clouds(50_000, d, 3)), [10, 20, 40, 80])
    return [f"LogisticRegression: seconds to fit grow as n^{in_n:.2f} and d^{in_d:.2f}"]


def fit_of(X: np.ndarray, y: np.ndarray):
    return lambda: LogisticRegression().fit(X, y)
