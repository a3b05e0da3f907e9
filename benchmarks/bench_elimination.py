"""Recursive elimination against scikit-learn, shadow columns against BorutaPy where that is installed."""

from __future__ import annotations

import warnings
from typing import Any

import sklearn.ensemble
import sklearn.linear_model
import sklearn.svm
from sklearn import feature_selection
from sklearn.datasets import make_classification, make_regression
from sklearn.exceptions import ConvergenceWarning

from assay import select
from assay.ensembles import RandomForestClassifier
from assay.linear import Lasso, LinearRegression, LogisticRegression, Ridge
from assay.svm import SVC, LinearSVC
from benchmarks.harness import Race, growth

TREES = {"n_estimators": 100, "max_depth": 7, "n_jobs": 1}


def two_classes(n: int, d: int, classes: int = 2) -> tuple[Any, Any]:
    return make_classification(n, d, n_informative=max(4, d // 5), n_classes=classes, random_state=0)


def numbers(n: int, d: int) -> tuple[Any, Any]:
    return make_regression(n, d, n_informative=max(4, d // 5), noise=10.0, random_state=0)


def races() -> list[Race]:
    warnings.simplefilter("ignore", ConvergenceWarning)  # of the peers, at their default number of steps
    pairs = [
        ("ridge", Ridge(), sklearn.linear_model.Ridge(), numbers(2_000, 50)),
        ("least squares", LinearRegression(), sklearn.linear_model.LinearRegression(), numbers(2_000, 50)),
        ("logistic", LogisticRegression(), sklearn.linear_model.LogisticRegression(), two_classes(2_000, 50)),
        (
            "logistic, 3 classes",
            LogisticRegression(),
            sklearn.linear_model.LogisticRegression(),
            two_classes(2_000, 30, 3),
        ),
        ("linear svm", LinearSVC(), sklearn.svm.LinearSVC(), two_classes(2_000, 50)),
        (
            "svc, linear",
            SVC(kernel="linear", C=0.01),
            sklearn.svm.SVC(kernel="linear", C=0.01),
            two_classes(600, 20),
        ),
    ]
    compared = []
    for name, ours, peer, (X, y) in pairs:
        size = f"{X.shape[0]} x {X.shape[1]}"
        compared.append(race("RFECV", name, size, ours, peer, X, y, cv=5, n_jobs=1))
    X, y = two_classes(2_000, 50)
    compared.append(race("RFE", "logistic", "2000 x 50", pairs[2][1], pairs[2][2], X, y))
    X, y = numbers(2_000, 200)
    lasso = Lasso(1.0), sklearn.linear_model.Lasso(1.0)
    compared.append(race("SelectFromModel", "lasso", "2000 x 200", *lasso, X, y))
    return compared + shadow_races()


def race(name: str, learner: str, size: str, ours: Any, peer: Any, X: Any, y: Any, **options: Any) -> Race:
    mine, theirs = getattr(select, name), getattr(feature_selection, name)
    return Race(
        f"{name}: {learner}",
        size,
        lambda: mine(ours, **options).fit(X, y),
        lambda: theirs(peer, **options).fit(X, y),
    )


def shadow_races() -> list[Race]:
    """By the coin of the original, and by our own test, with the same number of trees a round."""
    try:
        from boruta import BorutaPy
    except ImportError:
        return []
    X, y = two_classes(1_000, 20)

    def peer() -> Any:
        forest = sklearn.ensemble.RandomForestClassifier(**TREES)
        return BorutaPy(forest, n_estimators=100, random_state=0, max_iter=100).fit(X, y)

    def ours(test: str) -> Any:
        forest = RandomForestClassifier(**TREES)
        return lambda: select.AllRelevantSelection(forest, test=test, random_state=0).fit(X, y)

    return [
        Race("all relevant, coin", "1000 x 20", ours("coin"), peer),
        Race("all relevant", "1000 x 20", ours("permutation"), peer),
    ]


def growths() -> list[str]:
    def rfecv(d: int) -> Any:
        X, y = numbers(2_000, d)
        return lambda: select.RFECV(Ridge(), n_jobs=1).fit(X, y)

    def stability(d: int) -> Any:
        X, y = numbers(200, d)
        return lambda: select.StabilitySelection(random_state=0, n_jobs=1).fit(X, y)

    return [
        f"RFECV around ridge: seconds grow as d^{growth(rfecv, [25, 50, 100]):.2f}",
        f"StabilitySelection: seconds grow as d^{growth(stability, [100, 200, 400]):.2f}",
    ]
