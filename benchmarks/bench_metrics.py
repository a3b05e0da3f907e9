"""Measures and curves against scikit-learn.

Every function that both have, at 100, 10,000 and a million rows, and 10,000 resampled areas against a loop.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn import metrics as peer
from sklearn.exceptions import UndefinedMetricWarning

from assay import metrics as ours
from assay.metrics.intervals import with_interval
from benchmarks.harness import Race, growth

SIZES = [100, 10_000, 1_000_000]

OF_ANSWERS = {
    "accuracy_score": {},
    "balanced_accuracy_score": {},
    "confusion_matrix": {},
    "precision_recall_fscore_support": {"average": None},
    "f1_score": {"average": "macro"},
    "jaccard_score": {"average": "weighted"},
    "cohen_kappa_score": {"weights": "quadratic"},
    "matthews_corrcoef": {},
}
OF_SCORES = ["roc_auc_score", "average_precision_score", "roc_curve", "precision_recall_curve", "det_curve"]
OF_NUMBERS = [
    "mean_squared_error",
    "root_mean_squared_error",
    "mean_absolute_error",
    "median_absolute_error",
    "r2_score",
    "explained_variance_score",
    "max_error",
    "mean_absolute_percentage_error",
    "mean_squared_log_error",
    "mean_pinball_loss",
    "mean_poisson_deviance",
    "mean_gamma_deviance",
    "d2_tweedie_score",
    "d2_pinball_score",
]
OF_PROBABILITIES = ["log_loss", "brier_score_loss", "top_k_accuracy_score"]


def answers(n: int, K: int):
    rng = np.random.default_rng(n + K)
    truth = rng.integers(K, size=n)
    truth[:K] = np.arange(K)
    answer = np.where(rng.random(n) < 0.8, truth, rng.integers(K, size=n))
    posterior = rng.dirichlet(np.ones(K), size=n)
    return truth, answer, posterior, rng.normal(size=n) + truth


def races() -> list[Race]:
    warnings.simplefilter("ignore", UndefinedMetricWarning)
    found = []
    for n in SIZES:
        repeat = {100: 20, 10_000: 3}.get(n, 1)
        truth, answer, _, score = answers(n, 2)
        for name, options in OF_ANSWERS.items():
            found.append(race(name, f"{n} rows", (truth, answer), options, repeat))
        words = np.array(["no", "yes"])
        found.append(
            race("f1_score", f"{n} words", (words[truth], words[answer]), {"average": "macro"}, repeat)
        )
        for name in OF_SCORES:
            found.append(race(name, f"{n} rows", (truth, score), {}, repeat))
        w = np.random.default_rng(0).random(n) + 0.1
        for name in ("roc_auc_score", "average_precision_score"):
            found.append(race(name, f"{n} rows, weighted", (truth, score), {"sample_weight": w}, repeat))
        rng = np.random.default_rng(n)
        target = rng.gamma(2, size=n)
        predicted = target * rng.uniform(0.5, 1.5, n)
        for name in OF_NUMBERS:
            found.append(race(name, f"{n} rows", (target, predicted), {}, repeat))
        for name in ("mean_squared_error", "median_absolute_error", "r2_score"):
            found.append(race(name, f"{n} rows, weighted", (target, predicted), {"sample_weight": w}, repeat))
        truth, _, posterior, _ = answers(n, 4)
        for name in OF_PROBABILITIES:
            found.append(race(name, f"{n} rows, 4 classes", (truth, posterior), {}, repeat))
        for how in ("ovr", "ovo"):
            found.append(
                race(
                    "roc_auc_score",
                    f"{n} rows, 4 classes, {how}",
                    (truth, posterior),
                    {"multi_class": how},
                    repeat,
                )
            )
    return [*found, *resampled()]


def race(name: str, size: str, given: tuple, options: dict, repeat: int) -> Race:
    mine, theirs = getattr(ours, name), getattr(peer, name)
    return Race(name, size, lambda: mine(*given, **options), lambda: theirs(*given, **options), repeat)


def resampled() -> list[Race]:
    """10,000 resamples; the loop makes a hundredth of them, and ours a hundred times as many."""
    found = []
    for n in (1_000, 10_000):
        truth, _, _, score = answers(n, 2)
        rng = np.random.default_rng(1)

        def loop(truth=truth, score=score, n=n, rng=rng):
            for _ in range(100):
                rows = rng.integers(n, size=n)
                peer.roc_auc_score(truth[rows], score[rows])

        def whole(truth=truth, score=score):
            return with_interval("auc", truth, score, method="percentile", resamples=10_000)

        found.append(Race("bootstrap of areas, 10,000 against a loop of 100", f"{n} rows", whole, loop))
        target = rng.gamma(2, size=n)
        predicted = target * rng.uniform(0.5, 1.5, n)

        def loop_of_numbers(target=target, predicted=predicted, n=n, rng=rng):
            for _ in range(100):
                rows = rng.integers(n, size=n)
                peer.r2_score(target[rows], predicted[rows])

        def all_of_numbers(target=target, predicted=predicted):
            return with_interval("r2", target, predicted, method="bca", resamples=10_000)

        found.append(
            Race(
                "bootstrap of R2, 10,000 against a loop of 100", f"{n} rows", all_of_numbers, loop_of_numbers
            )
        )
    return found


def growths() -> list[str]:
    notes = []
    for name in ("roc_auc_score", "average_precision_score", "confusion_matrix"):
        mine = getattr(ours, name)

        def job(n, mine=mine, name=name):
            truth, answer, _, score = answers(n, 2)
            return lambda: mine(truth, answer if name == "confusion_matrix" else score)

        notes.append(f"{name}: seconds grow as n^{growth(job, [100_000, 400_000, 1_600_000]):.2f}")
    return notes
