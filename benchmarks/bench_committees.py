"""Stacking and voting against scikit-learn, each around its own learners, as a user has them who changes the import."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sklearn import ensemble as peer_ensembles
from sklearn import linear_model, naive_bayes, neighbors, tree
from sklearn.datasets import make_classification, make_regression

from assay import ensembles
from assay.bayes import GaussianNB
from assay.linear import LogisticRegression, Ridge
from assay.neighbors import KNeighborsRegressor
from assay.trees import DecisionTreeClassifier, DecisionTreeRegressor
from assay.tuning import Tuned, judging
from benchmarks.harness import Race

SETTINGS, SPLITS = 30, 5  # of a search


def classifiers(ours: bool, forest: bool) -> list[tuple[str, Any]]:
    """Naive Bayes, logistic regression, and a tree or a forest."""
    bayes = GaussianNB() if ours else naive_bayes.GaussianNB()
    line = (LogisticRegression if ours else linear_model.LogisticRegression)(max_iter=1000)
    one = (DecisionTreeClassifier if ours else tree.DecisionTreeClassifier)(max_depth=8, random_state=0)
    many = (ensembles if ours else peer_ensembles).RandomForestClassifier(20, random_state=0)
    return [("bayes", bayes), ("line", line), ("last", many if forest else one)]


def regressors(ours: bool) -> list[tuple[str, Any]]:
    """Ridge regression, neighbours, a tree."""
    return [
        ("ridge", Ridge() if ours else linear_model.Ridge()),
        ("near", KNeighborsRegressor() if ours else neighbors.KNeighborsRegressor()),
        (
            "tree",
            (DecisionTreeRegressor if ours else tree.DecisionTreeRegressor)(max_depth=8, random_state=0),
        ),
    ]


def races() -> list[Race]:
    found = []
    for n in (5_000, 20_000):
        X, y = make_classification(n, 20, n_informative=8, random_state=0)
        Z, t = make_regression(n, 20, noise=10.0, random_state=0)
        size = f"{n} x 20, three members"
        for forest in (False, True):
            last = "a forest" if forest else "a tree"
            found += both(
                f"StackingClassifier, {last} among them", "StackingClassifier", size, X, y,
                lambda ours, forest=forest: classifiers(ours, forest),
            )  # fmt: skip
        found += both("StackingRegressor", "StackingRegressor", size, Z, t, regressors)
        found += both(
            "VotingClassifier",
            "VotingClassifier",
            size,
            X,
            y,
            lambda ours: classifiers(ours, False),
            voting="soft",
        )
    return found


def both(
    what: str, name: str, size: str, X: Any, y: Any, members: Callable[[bool], Any], **settings: Any
) -> list[Race]:
    """Fit and predict."""

    def made(ours: bool) -> Any:
        return getattr(ensembles if ours else peer_ensembles, name)(members(ours), **settings)

    mine, other = made(True).fit(X, y), made(False).fit(X, y)
    return [
        Race(f"{what} fit", size, lambda: made(True).fit(X, y), lambda: made(False).fit(X, y)),
        Race(f"{what} predict", size, lambda: mine.predict(X), lambda: other.predict(X)),
    ]


def beside_the_fits(search: str) -> float:
    """Seconds of CPU that a search takes for each setting beside fitting and judging, the least of three."""
    X, y = make_classification(500, 10, n_informative=5, random_state=0)
    run, spent, found = judging.run_cell, [0.0], []

    def timed(*arguments: Any) -> Any:
        start = time.process_time()
        cell = run(*arguments)
        spent[0] += time.process_time() - start
        return cell

    judging.run_cell = timed
    try:
        for _ in range(3):
            spent[0], start = 0.0, time.process_time()
            Tuned("svm", None, f"{SPLITS}-fold", n_iter=SETTINGS, search=search, random_state=0).fit(X, y)
            found.append((time.process_time() - start - spent[0]) / SETTINGS)
    finally:
        judging.run_cell = run
    return min(found)


def growths() -> list[str]:
    costs = {search: beside_the_fits(search) for search in ("bayes", "tree", "random")}
    words = ", ".join(f"{1e3 * cost:.1f} ms by {search!r}" for search, cost in costs.items())
    slow = costs["bayes"] / SPLITS / 0.05
    return [
        f"A search of {SETTINGS} settings takes, for each beside its {SPLITS} fits, {words}: below 5 % of the fits "
        f"where one takes {1e3 * slow:.0f} ms and more. Of quicker fits the share is larger: the model of what "
        "settings are worth is fitted anew for each setting; 'random' chooses at once"
    ]
