"""Histogram boosting against scikit-learn, LightGBM and XGBoost."""

from __future__ import annotations

import multiprocessing
import os
import time
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from sklearn import ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris

from assay.core.parallel import threads
from assay.ensembles.hist_gradient_boosting import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from benchmarks.harness import Race, growth

ROUNDS, LEAVES = 100, 31


def waves(n: int, d: int = 28) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian columns; the class depends on four of them, bent and multiplied, and on chance."""
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d))
    score = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2 * X[:, 3]) + 0.5 * rng.normal(size=n)
    return X, (score > 0).astype(int)


def towns(n: int, columns: int = 10, values: int = 1000) -> tuple[Any, np.ndarray]:
    """Nominal columns only, every category with an effect of its own."""
    import pandas as pd

    rng = np.random.default_rng(n)
    codes = rng.integers(0, values, size=(n, columns))
    effects = rng.normal(size=(columns, values))
    y = effects[np.arange(columns), codes].sum(axis=1) + rng.normal(size=n) > 0
    return pd.DataFrame({f"c{j}": pd.Categorical(codes[:, j]) for j in range(columns)}), y.astype(int)


def ours(rounds: int = ROUNDS, leaves: int | None = LEAVES) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(max_iter=rounds, max_leaf_nodes=leaves, early_stopping=False)


def scikit_learn(rounds: int = ROUNDS) -> Any:
    return ensemble.HistGradientBoostingClassifier(
        max_iter=rounds, max_leaf_nodes=LEAVES, early_stopping=False
    )


def lightgbm(rounds: int = ROUNDS) -> Any:
    import lightgbm

    return lightgbm.LGBMClassifier(n_estimators=rounds, num_leaves=LEAVES, n_jobs=threads(), verbose=-1)


def xgboost(rounds: int = ROUNDS) -> Any:
    import xgboost

    return xgboost.XGBClassifier(
        n_estimators=rounds, learning_rate=0.1, max_leaves=LEAVES, max_depth=0, grow_policy="lossguide",
        tree_method="hist", max_bin=255, reg_lambda=0.0, min_child_weight=1e-3, n_jobs=threads(),
    )  # fmt: skip


PEERS = {"scikit-learn": scikit_learn, "LightGBM": lightgbm, "XGBoost": xgboost}


@cache
def fitted(make: Callable[[], Any], n: int) -> Any:
    return make().fit(*waves(n))


def predicting(make: Callable[[], Any], n: int, rows: np.ndarray) -> Callable[[], Any]:
    def run() -> Any:
        model = fitted(make, n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return model.predict_proba(rows)

    return run


def races() -> list[Race]:
    found = []
    for n in (20_000, 500_000):
        X, y = waves(n)
        for name, peer in PEERS.items():
            size = f"{n // 1000}k x 28, 100 x 31 leaves"
            found.append(
                Race(
                    f"HistGradientBoosting fit, {name}",
                    size,
                    lambda X=X, y=y: ours().fit(X, y),
                    lambda X=X, y=y, p=peer: p().fit(X, y),
                )
            )
            found.append(
                Race(
                    f"HistGradientBoosting predict, {name}",
                    size,
                    predicting(ours, n, X),
                    predicting(peer, n, X),
                )
            )
    for name, peer in PEERS.items():
        row = X[:1].copy()
        found.append(
            Race(
                f"HistGradientBoosting one row, {name}",
                "100 trees",
                predicting(ours, n, row),
                predicting(peer, n, row),
                100,
            )
        )
    X, y = towns(200_000)
    found.append(
        Race(
            "HistGradientBoosting categories, LightGBM",
            "200k x 10, 1000 categories each",
            lambda: ours().fit(X, y),
            lambda: lightgbm().fit(X, y),
        )
    )
    for load in (load_iris, load_breast_cancer, load_digits):
        A, b = load(return_X_y=True)
        for name, peer in (("scikit-learn", scikit_learn), ("LightGBM", lightgbm)):
            found.append(
                Race(
                    f"HistGradientBoosting fit, {name}",
                    load.__name__.removeprefix("load_"),
                    lambda A=A, b=b: ours(30).fit(A, b),
                    lambda A=A, b=b, p=peer: p(30).fit(A, b),
                )
            )
    A, b = load_diabetes(return_X_y=True)
    for loss in ("squared_error", "absolute_error", "poisson"):
        found.append(
            Race(
                f"HistGradientBoosting {loss}, scikit-learn",
                "diabetes",
                lambda loss=loss: HistGradientBoostingRegressor(loss=loss).fit(A, b),
                lambda loss=loss: ensemble.HistGradientBoostingRegressor(loss=loss).fit(A, b),
            )
        )
    return found


def growths() -> list[str]:
    def by_rows(n: int) -> Callable[[], Any]:
        X, y = waves(n)
        return lambda: ours(10).fit(X, y)

    def by_columns(d: int) -> Callable[[], Any]:
        X, y = waves(20_000, d)
        return lambda: ours(10).fit(X, y)

    def by_leaves(leaves: int) -> Callable[[], Any]:
        X, y = waves(50_000)
        return lambda: ours(10, leaves).fit(X, y)

    return [
        f"HistGradientBoosting fit grows as n^{growth(by_rows, [25_000, 50_000, 100_000, 200_000]):.2f}, "
        f"d^{growth(by_columns, [10, 20, 40, 80]):.2f}, leaves^{growth(by_leaves, [8, 16, 32, 64, 128]):.2f}.",
        _losses(),
        _scaling(),
        _crowded(),
    ]


def _losses() -> str:
    """Log-loss on rows that nobody has seen, beside the peers'."""
    from sklearn.metrics import log_loss

    X, y = waves(120_000)
    train, test = slice(0, 60_000), slice(60_000, None)
    found = {}
    for name, make in {"Assay": ours, **PEERS}.items():
        model = make().fit(X[train], y[train])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found[name] = log_loss(y[test], model.predict_proba(X[test]))
    told = ", ".join(f"{found['Assay'] / v:.4f} of {name}'s" for name, v in found.items() if name != "Assay")
    return f"Log-loss on 60k unseen rows after 100 rounds: {told}."


def _seconds(count: int, X: np.ndarray, y: np.ndarray, tries: int = 3) -> float:
    before = os.environ.get("ASSAY_NUM_THREADS")
    os.environ["ASSAY_NUM_THREADS"] = str(count)
    best = np.inf
    for _ in range(tries):
        start = time.perf_counter()
        ours(30).fit(X, y)
        best = min(best, time.perf_counter() - start)
    os.environ.pop("ASSAY_NUM_THREADS")
    if before is not None:
        os.environ["ASSAY_NUM_THREADS"] = before
    return best


def _scaling() -> str:
    X, y = waves(500_000)
    one, two = _seconds(1, X, y), _seconds(2, X, y)
    return f"HistGradientBoosting 500k x 28: two threads are {one / two:.2f} times as fast as one."


def _crowded() -> str:
    """With as many busy processes beside it as there are cores."""
    X, y = waves(200_000)
    quiet = _seconds(1, X, y)
    crowd = [multiprocessing.Process(target=_busy, daemon=True) for _ in range(os.cpu_count() or 1)]
    for one in crowd:
        one.start()
    try:
        crowded = _seconds(threads(), X, y)
    finally:
        for one in crowd:
            one.terminate()
    return f"HistGradientBoosting beside a busy process on every core: {crowded / quiet:.2f} times one quiet thread."


def _busy() -> None:
    while True:
        sum(range(1000))
