"""Logistic regression on sparse rows against LIBLINEAR and SAGA.

All stop within 1e-4 of the least objective (the peers' tolerances are the loosest of 1e-1, 1e-2, ... that get there,
found once before the race; SAGA may make a thousand passes). No constant, since LIBLINEAR would penalise it.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse
from scipy.special import log_softmax
from sklearn import linear_model as peers

from assay.linear.logistic import sparse_logistic
from benchmarks.bench_sgd import words
from benchmarks.harness import Race


def scattered(n: int, d: int, per_row: int = 50) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Entries in any column, of either sign."""
    rng = np.random.default_rng(n + d)
    columns = rng.integers(0, d, n * per_row).astype(np.int32)
    X = sparse.csr_matrix(
        (rng.normal(size=n * per_row), columns, np.arange(0, n * per_row + 1, per_row)), shape=(n, d)
    )
    X.sum_duplicates()
    score = X @ (rng.normal(size=d) * (rng.random(d) < 0.2))
    return X, (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)


def races() -> list[Race]:
    found = []
    for name, make in (("scattered", scattered), ("like texts", words)):
        X, y = make(100_000, 50_000)
        for solver, dual in (("liblinear", False), ("liblinear", True), ("saga", False)):
            shown = f"logistic, {name}, against {solver}{' (dual)' if dual else ''}"
            found.append(race(shown, "100000 x 50000, 50 a row", X, y, 2, solver, dual))
    X, _ = words(50_000, 20_000)
    rng = np.random.default_rng(0)
    score = X @ (10 * rng.normal(size=(20_000, 5)))
    y = (score + rng.gumbel(size=score.shape)).argmax(axis=1)
    found.append(
        race(
            "softmax, 5 classes, like texts, against saga", "50000 x 20000, 50 a row", X, y, 5, "saga", False
        )
    )
    return found


def race(name, size, X, y, K, solver, dual):
    tol = tolerance(X, y, K, solver, dual)
    return Race(name, size, lambda: ours(X, y, K), lambda: theirs(X, y, solver, dual, tol))


def ours(X, y, K, tol=1e-4):
    return sparse_logistic.solve(X, y, None, K, 1.0, fit_intercept=False, tol=tol)


def theirs(X, y, solver, dual, tol):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return peers.LogisticRegression(
            solver=solver, dual=dual, fit_intercept=False, tol=tol, max_iter=1000, random_state=0
        ).fit(X, y)


def tolerance(X, y, K, solver, dual):
    """The loosest tolerance with which the peer comes as near as 1e-4 of the least objective; ours must, too."""
    least = ours(X, y, K, 1e-9).value
    assert ours(X, y, K).value <= least * (1 + 1e-4)
    for tol in 10.0 ** np.arange(-1, -8, -1):
        if objective(theirs(X, y, solver, dual, tol).coef_, X, y) <= least * (1 + 1e-4):
            return tol
    return tol


def objective(W, X, y):
    scores = np.asarray(X @ W.T)
    if scores.shape[1] == 1:
        loss = np.logaddexp(0, scores[:, 0]) - y * scores[:, 0]
    else:
        loss = -log_softmax(scores, axis=1)[np.arange(len(y)), y]
    return loss.mean() + (W * W).sum() / (2 * len(y))
