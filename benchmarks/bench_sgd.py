"""Stochastic gradient descent against scikit-learn."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse
from sklearn import linear_model as peers
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from assay import linear
from benchmarks.harness import Race, growth

PASSES = {
    "max_iter": 5,
    "tol": 0.0,
    "n_iter_no_change": 10,
    "random_state": 0,
}  # five passes, the objective watched


def clouds(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that overlap."""
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=d) + rng.normal(size=n) > 0).astype(int)


def words(n: int, d: int, per_row: int = 50) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Rows like texts: column j is there as often as Zipf says, weighted by its rarity, each row of length 1."""
    rng = np.random.default_rng(n + d)
    share = 1 / np.arange(1, d + 1)
    share /= share.sum()
    columns = np.searchsorted(np.cumsum(share)[:-1], rng.random(n * per_row)).astype(np.int32)
    rarity = -np.log1p(-((1 - share) ** per_row))
    X = sparse.csr_matrix((rarity[columns], columns, np.arange(0, n * per_row + 1, per_row)), shape=(n, d))
    X.sum_duplicates()
    length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X = sparse.csr_matrix(sparse.diags(1 / length) @ X)
    weights = 10 * rng.normal(size=d) * (rng.random(d) < 0.2)
    return X, (rng.random(n) < 1 / (1 + np.exp(-(X @ weights)))).astype(int)


def races() -> list[Race]:
    warnings.simplefilter("ignore", ConvergenceWarning)  # five passes are not the end
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    found = [
        fitting("SGDClassifier, to the end", "iris", X, y, {"random_state": 0}, 20),
        fitting("SGDClassifier, one pass", "iris", X, y, {"max_iter": 1, "tol": None, "random_state": 0}, 50),
    ]
    for n, d in ((1_000, 10), (100_000, 20), (100_000, 100), (20_000, 784)):
        X, y = clouds(n, d)
        for loss in ("hinge", "log_loss"):
            found.append(
                fitting(f"SGDClassifier, {loss}", f"{n} x {d}", X, y, {"loss": loss}, 20 if n == 1000 else 1)
            )
    found += blocks("SGDClassifier partial_fit, 100 rows", "20000 x 784", X, y, 100)
    X, y = clouds(100_000, 20)
    for name, setting in (
        ("l1", {"penalty": "l1"}),
        ("elasticnet", {"penalty": "elasticnet"}),
        ("average", {"average": True}),
        ("no shuffling", {"shuffle": False}),
        ("pa1", {"learning_rate": "pa1", "eta0": 1.0}),
    ):
        found.append(fitting(f"SGDClassifier, {name}", "100000 x 20", X, y, setting))
    found.append(fitting("SGDClassifier, 32 bits", "100000 x 20", X.astype(np.float32), y, {}))
    found.append(fitting("SGDRegressor", "100000 x 20", X, X @ np.arange(20.0), {}, learner="SGDRegressor"))
    for n, d in ((20_000, 50_000), (100_000, 50_000), (100_000, 2_000)):
        X, y = words(n, d)
        for loss in ("hinge", "log_loss"):
            found.append(
                fitting(f"SGDClassifier, sparse, {loss}", f"{n} x {d}, 50 a row", X, y, {"loss": loss})
            )
    X, y = words(20_000, 50_000)
    found += blocks("SGDClassifier partial_fit, sparse, 1000 rows", "20000 x 50000, 50 a row", X, y, 1000)
    return found


def fitting(name, size, X, y, setting, repeat=1, learner="SGDClassifier"):
    setting = {**PASSES, **setting}
    return Race(
        f"{name} fit",
        size,
        lambda: getattr(linear, learner)(**setting).fit(X, y),
        lambda: getattr(peers, learner)(**setting).fit(X, y),
        repeat,
    )


def blocks(name, size, X, y, rows):
    def go(model):
        for first in range(0, X.shape[0], rows):
            some = slice(first, first + rows)
            model.partial_fit(X[some], y[some], classes=[0, 1])

    return [
        Race(
            name,
            size,
            lambda: go(linear.SGDClassifier(random_state=0)),
            lambda: go(peers.SGDClassifier(random_state=0)),
        )
    ]


def growths() -> list[str]:
    def fit(X, y):
        return lambda: linear.SGDClassifier(**PASSES).fit(X, y)

    in_n = growth(lambda n: fit(*clouds(n, 20)), [20_000, 80_000, 320_000])
    in_d = growth(lambda d: fit(*clouds(20_000, d)), [16, 64, 256])
    return [f"SGDClassifier: seconds of a pass grow as n^{in_n:.2f} and d^{in_d:.2f}"]
