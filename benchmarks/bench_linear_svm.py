"""Linear machines against scikit-learn's (its copy of LIBLINEAR), and against LIBLINEAR itself where it is installed.

Peers run at the loosest tolerance of 1e-1, 1e-2, ... at which their objective is within 1e-6 of ours, found once before
the race, or at the last of them that ends within a minute.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import svm as peers
from sklearn.datasets import load_wine

from assay.svm import LinearSVC
from benchmarks.bench_sgd import words
from benchmarks.harness import Race

MAX_SECONDS = 20.0  # of a peer's fit, beyond which no finer tolerance is tried
CLOSE = 1e-6  # how near to our objective a peer must come


def table(n: int, d: int, noise: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns, a linear score with noise: about a fifth of the labels are wrong."""
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=d) + noise * rng.normal(size=n) > 0).astype(int)


def races() -> list[Race]:
    warnings.simplefilter("ignore")
    found = []
    for n, d, repeat in ((100_000, 50, 1), (5_000, 20, 5), (200, 10, 50)):
        X, y = table(n, d)
        for loss in ("squared_hinge", "hinge"):
            found += against(f"LinearSVC, {loss}, dense", X, y, {"loss": loss}, repeat)
    X, y = words(50_000, 50_000)
    for loss in ("squared_hinge", "hinge"):
        found += against(f"LinearSVC, {loss}, like texts", X, y, {"loss": loss})
    X, y = table(20_000, 40)
    found += against("LinearSVC, l1", X, y, {"penalty": "l1", "dual": False, "C": 0.01})
    X, y = table(2_000, 20)
    y = (X @ np.random.default_rng(1).normal(size=(20, 5))).argmax(axis=1)
    found += against(
        "LinearSVC, Crammer and Singer, 5 classes", X, y, {"multi_class": "crammer_singer", "C": 0.1}
    )
    X, y = load_wine(return_X_y=True)  # columns of very different units: the peer ends far above the minimum
    found += against(
        "LinearSVC, Crammer and Singer, wine as it comes", X, y, {"multi_class": "crammer_singer"}
    )
    return found


def against(name: str, X: Any, y: np.ndarray, settings: dict[str, Any], repeat: int = 1) -> list[Race]:
    """A race with scikit-learn, and one with LIBLINEAR."""
    ours = LinearSVC(**settings)
    best = float(ours.fit(X, y).objective_.sum())
    size = f"{X.shape[0]} x {X.shape[1]}"

    def theirs(tol: float) -> Callable[[], Any]:
        return lambda: peers.LinearSVC(tol=tol, max_iter=100_000, **settings).fit(X, y)

    tol = tolerance(theirs, lambda m: value(m.coef_, m.intercept_, X, y, settings), best)
    found = [Race(f"{name}, against scikit-learn", size, lambda: ours.fit(X, y), theirs(tol), repeat)]
    try:
        from liblinear import liblinearutil
    except ImportError:
        return found
    kind = {"hinge": 3, "squared_hinge": 2}[settings.get("loss", "squared_hinge")]
    kind = 5 if settings.get("penalty") == "l1" else 4 if "multi_class" in settings else kind
    problem = liblinearutil.problem(y.astype(float), sparse.csr_matrix(X), bias=1)

    def core(tol: float) -> Callable[[], Any]:
        options = f"-s {kind} -c {settings.get('C', 1.0)} -e {tol} -q"
        return lambda: liblinearutil.train(problem, liblinearutil.parameter(options))

    def core_value(model: Any) -> float:
        labels = np.array(model.get_labels())
        rows = [model.get_decfun(k) for k in range(1 if len(labels) == 2 and kind != 4 else len(labels))]
        W, b = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
        order = np.argsort(labels)
        flip = -1.0 if len(W) == 1 and labels[0] < labels[1] else 1.0
        return value(
            flip * W if len(W) == 1 else W[order], flip * b if len(b) == 1 else b[order], X, y, settings
        )

    tol = tolerance(core, core_value, best)
    return [*found, Race(f"{name}, against LIBLINEAR", size, lambda: ours.fit(X, y), core(tol), repeat)]


def tolerance(
    job: Callable[[float], Callable[[], Any]], value_of: Callable[[Any], float], best: float
) -> float:
    """The loosest tolerance at which the peer is as good as we are."""
    tol = 0.1
    while tol > 1e-9:
        start = time.perf_counter()
        here = value_of(job(tol)())
        if here <= best * (1 + CLOSE):
            break
        if time.perf_counter() - start > MAX_SECONDS:
            print(f"    the peer ends {here / best - 1:.1e} above our objective, at tol={tol:g}")
            break
        tol /= 10
    return tol


def value(W: np.ndarray, b: np.ndarray, X: Any, y: np.ndarray, settings: dict[str, Any]) -> float:
    """The objective, of one score or of all."""
    F, C = np.asarray(X @ W.T) + b, settings.get("C", 1.0)
    size = (
        np.abs(W).sum() + np.abs(b).sum()
        if settings.get("penalty") == "l1"
        else 0.5 * ((W**2).sum() + (b**2).sum())
    )
    if "multi_class" in settings:
        rows = np.arange(len(y))
        short = 1 + F - F[rows, y][:, None]
        short[rows, y] = 0
        return float(size + C * short.max(axis=1).sum())
    slack = np.maximum(
        0, 1 - np.where(y[:, None] == (1 if F.shape[1] == 1 else np.arange(F.shape[1])), 1, -1) * F
    )
    return float(size + C * (slack ** (1 if settings.get("loss") == "hinge" else 2)).sum())
