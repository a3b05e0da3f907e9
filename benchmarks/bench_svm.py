"""Kernel machines against scikit-learn, scikit-learn-intelex and LIBSVM.

The last two take part where they are installed (scikit-learn-intelex, libsvm-official). All use one thread, a cache of
200 MB and the same tolerance; the notes say by how much the objective of each ends above the lowest.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import svm as sklearn_svm
from sklearn.datasets import load_breast_cancer, make_classification, make_friedman1

from assay import svm
from benchmarks.harness import Race

GAMMA = 0.05

# Measured once, by hand: beside the races because they take long or ask for a quiet machine.
MEASURED_ONCE = [
    "linear kernel, classes that are nearly separated (breast cancer, scaled): steps of pairs find 40 to 60 "
    "support vectors in half a millisecond. Where C=10 they need 24 steps a row, are left after five, "
    "and the interior point method begins. Drawn rows of such classes, 450 x 10 at C=1, took 0.58 of the "
    "peer's time, 300 x 20 at C=1 0.75 and at C=100 0.09",
    "two threads, measured once on a quiet machine: 1.38 times as fast with 20000 rows, 1.18 with "
    "10000, about as fast with 5000. Of 10000 rows a quarter of the time are the steps within a block, "
    "which follow each other, and a tenth is the choice of blocks and of rows to set aside; of 5000 "
    "nearly all but the matrix. What is shared out goes 1.8 times as fast where it stays in the cache "
    "of a core (gradients anew), but 1.2 to 1.6 times where it goes through memory (rows stored and "
    "subtracted). Rows computed by the second thread while the first one does steps gain nothing: half "
    "of them are never asked for, and processor time rises by a fifth. Smaller pieces of either gain "
    "nothing",
    "a grid of 10 C by 10 gammas with five folds, SVCCV: with C from 0.01 to 1000 and gamma from 0.005 "
    "to 0.5, 55 fits of the average pair of C and gamma at 1000 rows, as SVC fits by default, or 94 "
    "without probabilities (of 500 that it stands for), which end sooner, too; 51 and 87 by leave-one-"
    "out. C=1000 alone takes a quarter to a half of it. Two thirds are steps of two multipliers, some "
    "2700 for each machine, at 0.35 microseconds. Held-out signs that are certain before the tolerance "
    "is met would allow an earlier end, but a gap in the objective bounds a score by sqrt(2 gap): at "
    "ten times tol that is 1 to 40 with C from 10 to 1000 and no held-out row is certain; nearly all "
    "are after three to six times as many steps. Steps on a part of the matrix without rows at a bound "
    "take as long in all: they are more. Starts from the machines of all rows save no more than a tenth"
    " of the steps beside those along C, and free multipliers that grow with C, by any power of it, "
    "none. Steps across the last direction (conjugate ones) save a fifth of the steps and take up to "
    "three times as long in all; Newton steps on the face of the free multipliers take 1.3 to 2.3 times"
    " as long: of some 900 to 2700 such steps 50 to 90 met no bound",
]


def classes(n: int, d: int = 20) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(
        n, d, n_informative=10, n_redundant=2, flip_y=0.05, class_sep=0.5, random_state=0
    )
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def numbers(n: int, d: int = 20) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_friedman1(n, d, noise=1.0, random_state=0)
    return (X - 0.5) * np.sqrt(12), (y - y.mean()) / y.std()


def documents(n: int, d: int, words: int) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Words drawn by Zipf's law, rows of length 1."""
    rng = np.random.default_rng(n)
    share = 1 / (np.arange(d) + 10.0)
    columns = rng.choice(d, size=n * words, p=share / share.sum())
    X = sparse.csr_matrix((np.ones(n * words), (np.repeat(np.arange(n), words), columns)), shape=(n, d))
    X.sum_duplicates()
    X.data /= np.repeat(np.sqrt(X.multiply(X).sum(axis=1).A1), np.diff(X.indptr))
    score = X @ rng.normal(size=d)
    return X, (score + 0.3 * rng.normal(size=n) > np.median(score)).astype(int)


def alone(job: Callable[[], Any]) -> Callable[[], Any]:
    """The job on one thread."""

    def run() -> Any:
        before = os.environ.get("ASSAY_NUM_THREADS")
        os.environ["ASSAY_NUM_THREADS"] = "1"
        try:
            return job()
        finally:
            os.environ.pop("ASSAY_NUM_THREADS")
            if before is not None:
                os.environ["ASSAY_NUM_THREADS"] = before

    return run


def intelex() -> Any:
    """scikit-learn-intelex on one thread, or None."""
    try:
        import daal4py
        import sklearnex.svm
    except ImportError:
        return None
    daal4py.daalinit(nthreads=1)
    return sklearnex.svm


def libsvm(X: Any, y: np.ndarray, C: float) -> Callable[[], Any] | None:
    """LIBSVM's own fit of a table that it has taken over already, or None."""
    try:
        from libsvm.svmutil import svm_parameter, svm_problem, svm_train
    except ImportError:
        return None
    table = svm_problem(np.where(y > 0, 1.0, -1.0), X)
    return lambda: svm_train(table, svm_parameter(f"-s 0 -t 2 -g {GAMMA} -c {C} -m 200 -e 0.001 -q"))


SIZES = [
    (200, 1.0),
    (1_000, 1.0),
    (5_000, 1.0),
    (5_000, 10.0),
    (5_000, 1000.0),
    (10_000, 10.0),
    (20_000, 1.0),
]


def races() -> list[Race]:
    found = []
    other = intelex()
    for n, C in SIZES:
        X, y = classes(n)
        settings = {"C": C, "gamma": GAMMA}
        ours = alone(lambda X=X, y=y, s=settings: svm.SVC(**s, probability=False).fit(X, y))
        size, repeat = f"{n} x 20, C={C:g}", max(1, 2_000 // n)
        found.append(
            Race(
                "SVC fit, RBF",
                size,
                ours,
                lambda X=X, y=y, s=settings: sklearn_svm.SVC(**s).fit(X, y),
                repeat,
            )
        )
        if other is not None:
            found.append(
                Race(
                    "SVC fit, RBF, intelex",
                    size,
                    ours,
                    lambda X=X, y=y, s=settings: other.SVC(**s).fit(X, y),
                    repeat,
                )
            )
        if n >= 5_000 and (rival := libsvm(X, y, C)) is not None:
            found.append(Race("SVC fit, RBF, LIBSVM", size, ours, rival))
    for n, C in [(500, 0.01), (500, 1.0), (2_000, 1.0), (5_000, 1.0), (1_000, 100.0)]:
        X, y = classes(n)
        found.append(pair("SVC fit, linear kernel", f"{n} x 20, C={C:g}", "SVC", X, y, C=C, kernel="linear"))
    X, y = load_breast_cancer(return_X_y=True)
    found.append(
        pair("SVC fit, linear kernel, own units", "breast cancer, C=1", "SVC", X, y, C=1.0, kernel="linear")
    )
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    for C in (0.1, 1.0, 10.0):
        found.append(
            pair(
                "SVC fit, linear kernel, scaled", f"breast cancer, C={C:g}", "SVC", X, y, C=C, kernel="linear"
            )
        )
    X, y = numbers(5_000)
    found.append(pair("SVR fit, linear kernel", "5000 x 20", "SVR", X, y, C=1.0, kernel="linear"))
    found.append(pair("SVR fit, RBF", "5000 x 20", "SVR", X, y, C=1.0, gamma=GAMMA))
    found.append(pair("NuSVR fit, RBF", "2000 x 20", "NuSVR", X[:2_000], y[:2_000], C=1.0, gamma=GAMMA))
    X, y = classes(5_000)
    found.append(pair("NuSVC fit, RBF", "5000 x 20", "NuSVC", X, y, nu=0.4, gamma=GAMMA))
    found.append(pair("OneClassSVM fit, RBF", "5000 x 20", "OneClassSVM", X, None, nu=0.1, gamma=GAMMA))
    S, y = documents(4_000, 20_000, 60)
    found.append(pair("SVC fit, RBF, sparse", "4000 x 20000", "SVC", S, y, C=1.0, gamma=1.0))
    X, y = classes(17_000)
    fitted = [
        room.SVC(C=1.0, gamma=GAMMA, probability=False).fit(X[:15_000], y[:15_000])
        for room in (svm, sklearn_svm, *([other] if other else []))
    ]
    size = f"2000 rows, {len(fitted[0].support_)} vectors"
    for name, model in zip(("", ", intelex"), fitted[1:], strict=False):
        found.append(
            Race(
                f"SVC predict, RBF{name}",
                size,
                alone(lambda: fitted[0].predict(X[15_000:])),
                lambda m=model: m.predict(X[15_000:]),
            )
        )
    return found


def pair(name: str, size: str, learner: str, X: Any, y: Any, **settings: Any) -> Race:
    plain = {"probability": False} if learner.endswith("SVC") else {}  # the peer's default
    return Race(
        name,
        size,
        alone(lambda: getattr(svm, learner)(**settings, **plain).fit(X, y)),
        lambda: getattr(sklearn_svm, learner)(**settings).fit(X, y),
    )


def growths() -> list[str]:
    """By how much each ends above the lowest objective, as a share of it."""
    notes, other = [], intelex()
    for n, C in SIZES[2:]:
        X, y = classes(n)
        models = {"ours": svm.SVC(C=C, gamma=GAMMA, probability=False).fit(X, y)}
        models["scikit-learn"] = sklearn_svm.SVC(C=C, gamma=GAMMA).fit(X, y)
        if other is not None:
            models["intelex"] = other.SVC(C=C, gamma=GAMMA).fit(X, y)
        values = {name: objective(model, X) for name, model in models.items()}
        least = min(values.values())
        parts = ", ".join(f"{name} {(value - least) / abs(least):.1e}" for name, value in values.items())
        notes.append(f"objective above the lowest, {n} x 20, C={C:g}: {parts}")
    return notes + MEASURED_ONCE


def objective(model: Any, X: np.ndarray) -> float:
    """The dual objective of two classes, from what the model says of itself."""
    coef, rows = np.asarray(model.dual_coef_)[0], X[model.support_]
    score = np.ravel(model.decision_function(rows)) - np.ravel(model.intercept_)[0]
    return 0.5 * float(coef @ score) - float(np.abs(coef).sum())
