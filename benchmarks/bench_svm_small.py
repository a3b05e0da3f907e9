"""Kernel machines on small tables and many classes against scikit-learn.

All use one thread and the same tolerance; ours end at the exact solution. Small tables are ruled by what is done around
the solver, many classes by how much of the kernel matrix is computed.
"""

from __future__ import annotations

from typing import Any

from sklearn import svm as sklearn_svm
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from assay import svm
from benchmarks.bench_svm import GAMMA, alone, classes, numbers
from benchmarks.harness import Race, run


def races() -> list[Race]:
    X, y = load_digits(return_X_y=True)
    made = [
        pair(f"SVC fit, {kernel}", "digits", "SVC", X, y, kernel=kernel)
        for kernel in ("rbf", "poly", "linear")
    ]
    for name, load in (("iris", load_iris), ("wine", load_wine), ("breast cancer", load_breast_cancer)):
        X, y = load(return_X_y=True)
        made.append(pair("SVC fit, rbf", name, "SVC", (X - X.mean(axis=0)) / X.std(axis=0), y, 20))
    X, y = classes(200)
    for C in (1.0, 100.0):
        made.append(pair("SVC fit, rbf", f"200 x 20, C={C:g}", "SVC", X, y, 20, C=C, gamma=GAMMA))
    made.append(pair("NuSVC fit, rbf", "200 x 20, nu=0.3", "NuSVC", X, y, 20, nu=0.3, gamma=GAMMA))
    X, y = numbers(200)
    for name in ("SVR", "NuSVR"):
        made.append(pair(f"{name} fit, rbf", "200 x 20", name, X, y, 20))
    for n in (200, 1_000, 4_000):
        X = classes(n)[0]
        for nu in (0.01, 0.05, 0.5):
            size = f"{n} x 20, nu={nu}"
            made.append(
                pair("OneClassSVM fit, rbf", size, "OneClassSVM", X, None, 4_000 // n, nu=nu, gamma=GAMMA)
            )
    return made


def pair(name: str, size: str, learner: str, X: Any, y: Any, repeat: int = 1, **settings: Any) -> Race:
    plain = {"probability": False} if learner.endswith("SVC") else {}  # the peer's default
    return Race(
        name,
        size,
        alone(lambda: getattr(svm, learner)(**settings, **plain).fit(X, y)),
        lambda: getattr(sklearn_svm, learner)(**settings).fit(X, y),
        repeat,
    )


NOTES = (
    "1000 x 20, C=1000: 624 of the rows are free support vectors. The factor of their matrix and the inverse "
    "of its last 512 rows take a third of the fit; fewer spans would make the curve less certain",
    "digits: the 45 pairs, and their spans, are one native call; what is left is the solver and laying out the "
    "rows. iris and wine: most is checks, parameters and copies, of which none takes more than a twentieth. "
    "NuSVC with 164 of 200 rows as support vectors: a quarter is the solver, an eighth the last digits, by "
    "linear systems too large for it",
)


def growths() -> list[str]:
    """What probabilities add to a fit without them."""
    jobs = [("digits", load_digits(return_X_y=True), 1.0)]
    for n, C in ((200, 1.0), (200, 1000.0), (1_000, 1.0), (1_000, 1000.0), (2_000, 1000.0), (5_000, 1000.0)):
        jobs.append((f"{n} x 20, C={C:g}", classes(n), C))
    notes = []
    for words, (X, y), C in jobs:
        both = [
            alone(lambda X=X, y=y, C=C, p=p: svm.SVC(C=C, probability=p).fit(X, y)) for p in (True, False)
        ]
        notes.append(
            f"probabilities add to the fit without them, {words}: {run(Race('', '', *both)).cpu_ratio - 1:.2f}"
        )
    return [*notes, *NOTES]
