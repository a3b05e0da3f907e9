"""Comparisons: what is measured and tested beside the fits, and resampled errors."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from assay import compare
from assay.evaluate import Resampling, bootstrap_error
from assay.evaluate.candidates import as_candidates
from assay.evaluate.deal import bootstrap_rows
from assay.evaluate.fold import Data
from assay.metrics import Outcome, measures
from assay.tables import Table
from benchmarks.harness import Race

LEARNERS = ["majority", "naive bayes", "lda", "logistic", "c45"]


def rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n + d)
    X = rng.normal(size=(n, d))
    return X, (X[:, :3].sum(axis=1) + rng.normal(size=n) > 0).astype(np.int64)


def races() -> list[Race]:
    X, y = rows(10_000, 20)
    found = [_fits(X, y, "10x10"), _fits(*rows(1000, 10), "10x10")]
    found.append(_report(X, y))
    small = rows(500, 10)
    found.append(
        Race(
            "bootstrap_error, 200 samples; peer: a loop of fits with scikit-learn's learner",
            "500 x 10",
            partial(bootstrap_error, GaussianNB(), *small),
            partial(_bootstrap_loop, *small),
        )
    )
    return found


def _fits(X: np.ndarray, y: np.ndarray, design: str) -> Race:
    """Ours is the whole comparison with its table; the peer fits and predicts on the same prepared tables."""
    data = Data(X, Table.of(X), np.array([0, 1]), y)
    candidates = as_candidates(LEARNERS, data.table)
    splits = list(Resampling.of(design).splits(y, 0))

    def peer() -> None:
        for split in splits:
            fold = data.fold(split)
            for c in candidates:
                clone(c.estimator).fit(fold.train, fold.y_train).predict(fold.test)

    size = f"{len(X)} x {X.shape[1]}, {design}"
    return Race(
        "compare, five learners; peer: their fits", size, lambda: str(compare(LEARNERS, X, y, design)), peer
    )


def _report(X: np.ndarray, y: np.ndarray) -> Race:
    """Metrics and tests alone, as a share of the fits: how much of a comparison is not fitting."""
    result = compare(LEARNERS, X, y, "10x10", metrics=["error", "auc", "log-loss"])
    data = Data(X, Table.of(X), np.array([0, 1]), y)
    candidates = as_candidates(LEARNERS, data.table)
    splits = list(Resampling.of("10x10").splits(y, 0))
    seen = result.out_of_fold("lda")
    tested = [np.searchsorted(seen.rows, s.test) for s in splits]

    def ours() -> None:
        for _ in LEARNERS:
            for at in tested:
                measures()["error"].of(Outcome(seen.truth[at], seen.answer[at], seen.posterior[at], 2))
        vars(result).pop("_rankings", None)
        vars(result).pop("_tested", None)
        str(result)

    def peer() -> None:
        for split in splits:
            fold = data.fold(split)
            for c in candidates:
                clone(c.estimator).fit(fold.train, fold.y_train).predict(fold.test)

    return Race("metrics and tests of a comparison; peer: its fits", "10000 x 20, 10x10", ours, peer)


def _bootstrap_loop(X: np.ndarray, y: np.ndarray) -> float:
    errors = []
    for b in range(200):
        drawn = bootstrap_rows(y, np.random.default_rng([0, b]))
        left = np.setdiff1d(np.arange(len(y)), drawn)
        model = GaussianNB().fit(X[drawn], y[drawn])
        errors.append(
            0.632 * np.mean(model.predict(X[left]) != y[left]) + 0.368 * np.mean(model.predict(X) != y)
        )
    return float(np.mean(errors))
