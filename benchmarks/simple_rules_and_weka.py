"""``WEKA_JAR=... python -m benchmarks.simple_rules_and_weka``: simple rule learners and Weka's on the same folds.

Each data set is cut into ten stratified folds, three times; both sides learn and answer on the same rows. Prints, as
Markdown, the accuracy (numbers: the relative absolute error, in per cent) and the number of rules, both as means over
the folds, and for 100,000 rows the seconds that learning takes: Weka's own "Time taken to build model", ours those of
``fit`` on one thread. WEKA_JAR may be a list of jars, as Java's class path.

Weka's DecisionTable (3.6) has fewer rules: it leaves the first row of every entry uncounted, so that small entries look
worse to its search than they are (an entry with a single row answers the first class), and it cuts numbers with a
cheaper code for the place of a cut. Its PRISM leaves a row without a rule unanswered, and so not right.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from assay.rules import (
    DecisionTableClassifier,
    M5RulesRegressor,
    OneRClassifier,
    PartClassifier,
    PrismClassifier,
)
from assay.tables import Column, Schema, Table, data
from assay.tables.writers import write_arff
from benchmarks.c45_and_j48 import tables

CLASSIFIERS: dict[str, tuple[str, Callable[[], Any]]] = {
    "OneR": ("weka.classifiers.rules.OneR", OneRClassifier),
    "PART": ("weka.classifiers.rules.PART", PartClassifier),
    "DecisionTable": ("weka.classifiers.rules.DecisionTable", DecisionTableClassifier),
    "Prism": ("weka.classifiers.rules.Prism", PrismClassifier),
}
DATA = {
    "weather": lambda: data.load_weather(numeric=False),
    "contact lenses": data.load_contact_lenses,
    "iris": data.load_iris,
    "wine": data.load_wine,
    "breast cancer": data.load_breast_cancer,
    "breast cancer Ljubljana": data.load_breast_cancer_ljubljana,
    "German credit": data.load_german_credit,
}


def arff(X: Table, y: np.ndarray, labels: tuple[str, ...] | None, file: pathlib.Path) -> None:
    column = Column("target") if labels is None else Column("target", "nominal", labels)
    whole = Table(np.column_stack([X.values, y]), Schema([*X.schema, column]), X.complete)
    write_arff(whole, file)


def weka(learner: str, train: tuple[Table, np.ndarray], test: tuple[Table, np.ndarray], labels: Any) -> str:
    with tempfile.TemporaryDirectory() as place:
        files = [pathlib.Path(place, name) for name in ("train.arff", "test.arff")]
        for (X, y), file in zip((train, test), files):
            arff(X, y, labels, file)
        command = ["java", "-cp", os.environ["WEKA_JAR"], learner, "-t", files[0], "-T", files[1]]
        return subprocess.run(command, capture_output=True, text=True).stdout


def found(said: str, *patterns: str) -> float:
    for pattern in patterns:
        if match := re.search(pattern, said):
            return float(match[1])
    return float("nan")


def rules_of(learner: str, said: str) -> float:
    if learner.endswith("OneR"):
        return float(len(re.findall(r"\t-> ", said)))
    if learner.endswith("Prism"):
        return float(len(re.findall(r"^\s*If ", said, re.M)))
    return found(said, r"Number of Rules\s*:\s*(\d+)")


def part(X: Table, rows: np.ndarray) -> Table:
    return Table(X.values[rows], X.schema, X.complete)


def classify(name: str, repeats: int) -> None:
    learner, ours = CLASSIFIERS[name]
    for title, load in DATA.items():
        bunch = load()
        X, (labels, y) = Table.of(bunch.X), np.unique(np.asarray(bunch.y), return_inverse=True)
        plain = all(column.coded for column in X.schema) and X.complete
        if name == "Prism" and not plain:
            continue  # Weka's takes categories without missing values only
        folds = RepeatedStratifiedKFold(n_splits=10 if len(y) > 50 else 4, n_repeats=repeats, random_state=0)
        rows = []
        for train, test in folds.split(X.values, y):
            model = ours().fit(part(X, train), y[train])
            said = weka(
                learner, (part(X, train), y[train]), (part(X, test), y[test]), tuple(map(str, labels))
            )
            there = said.partition("Error on test data")[2]
            peer = found(there, r"Correctly Classified Instances\s+\d+\s+([\d.]+)")
            own = 100 * model.score(part(X, test), y[test])
            default = name == "PART"  # the last rule of Weka's list is the default
            rows.append((own, peer, model.n_rules_ + default, rules_of(learner, said)))
        a, b, m, n = np.mean(rows, axis=0)
        print(f"| {name} | {title} | {a:.1f}, {b:.1f} | {m:.1f}, {n:.1f} |", flush=True)


def regress(repeats: int) -> None:
    numbers = {
        "diabetes": load_diabetes(return_X_y=True),
        "Friedman 1": make_friedman1(500, noise=1, random_state=0),
    }
    for title, (values, y) in numbers.items():
        X = Table.of(values)
        rows = []
        for train, test in RepeatedKFold(n_splits=10, n_repeats=repeats, random_state=0).split(values):
            model = M5RulesRegressor().fit(part(X, train), y[train])
            said = weka(
                "weka.classifiers.rules.M5Rules", (part(X, train), y[train]), (part(X, test), y[test]), None
            )
            off = np.abs(model.predict(part(X, test)) - y[test]).mean()
            own = 100 * off / np.abs(y[test] - y[train].mean()).mean()
            there = said.partition("Error on test data")[2]
            rows.append(
                (
                    own,
                    found(there, r"Relative absolute error\s+([\d.]+)"),
                    model.n_rules_ + 1,
                    found(said, r"Number of Rules\s*:\s*(\d+)"),
                )
            )
        a, b, m, n = np.mean(rows, axis=0)
        print(f"| M5Rules | {title} | {a:.1f}, {b:.1f} | {m:.1f}, {n:.1f} |", flush=True)


def clock(n: int) -> None:
    print(f"\n| {n} x 20 | table | ours / Weka, seconds | rules |\n|---|---|---|---|")
    for name in ("OneR", "PART", "DecisionTable"):
        learner, ours = CLASSIFIERS[name]
        for title, (table, y) in tables().items():
            X, y = part(table, np.arange(n)), y[:n]
            start = time.perf_counter()
            model = ours().fit(X, y)
            seconds = time.perf_counter() - start
            few = (part(X, np.arange(10)), y[:10])
            said = weka(learner, (X, y), few, ("0", "1"))
            peer = found(said, r"build model: ([\d.]+)")
            print(
                f"| {name} | {title} | {seconds / peer:.4f} | {model.n_rules_}, {rules_of(learner, said):.0f} |"
            )
            sys.stdout.flush()


def main() -> None:
    os.environ["ASSAY_NUM_THREADS"] = "1"
    if "WEKA_JAR" not in os.environ:
        print("WEKA_JAR is not set: skipped. It names weka.jar (Debian package weka).")
        return
    repeats = int(os.environ.get("REPEATS", "3"))
    print(
        "| learner | data | accuracy or error, ours and Weka's | rules, ours and Weka's |\n|---|---|---|---|"
    )
    for name in CLASSIFIERS:
        classify(name, repeats)
    regress(repeats)
    clock(int(os.environ.get("ROWS", "100000")))


if __name__ == "__main__":
    main()
