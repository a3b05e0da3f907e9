"""``python -m benchmarks.accuracy_trees [data set, or part of a title ...]``: are our trees as accurate as others?

Repeated stratified cross-validation on real data; each of ours is paired with the peer of its kind and judged by the
corrected resampled t test. Weka takes part when the variable WEKA_JAR names its jar. Prints Markdown.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
from sklearn import ensemble, tree
from sklearn.model_selection import RepeatedStratifiedKFold

from assay import ensembles, trees
from assay.evaluate import paired_t
from assay.tables import Column, Design, Schema, Table, data
from assay.tables.writers import write_arff

SETS = ("iris", "wine", "breast_cancer", "digits", "german_credit", "breast_cancer_ljubljana")
REPEATS = 3
SMALL = {"max_iter": 50, "early_stopping": False}


def pairs() -> dict[str, tuple]:
    """Name: our learner, the peer as a maker of scikit-learn style or a Weka class name."""
    import lightgbm

    lgb = lightgbm.LGBMClassifier(n_estimators=50, verbose=-1, n_jobs=1)
    found = {
        "DecisionTree / scikit-learn": (
            trees.DecisionTreeClassifier(random_state=0), tree.DecisionTreeClassifier(random_state=0)),
        "RandomForest / scikit-learn": (
            ensembles.RandomForestClassifier(random_state=0), ensemble.RandomForestClassifier(random_state=0)),
        "HistGradientBoosting / scikit-learn": (
            ensembles.HistGradientBoostingClassifier(**SMALL), ensemble.HistGradientBoostingClassifier(**SMALL)),
        "HistGradientBoosting / LightGBM": (ensembles.HistGradientBoostingClassifier(**SMALL), lgb),
    }  # fmt: skip
    if "WEKA_JAR" in os.environ:
        found["C45 / Weka J48"] = (trees.C45Classifier(), "weka.classifiers.trees.J48")
        found["C45, reduced error / Weka REPTree"] = (
            trees.C45Classifier(pruning="reduced-error"), "weka.classifiers.trees.REPTree")  # fmt: skip
        found["RandomForest / Weka RandomForest"] = (
            ensembles.RandomForestClassifier(random_state=0), "weka.classifiers.trees.RandomForest -I 100")  # fmt: skip
    return found


def main(chosen: list[str]) -> None:
    print("| data | ours / peer | errors, % | difference, 95 % interval | p |\n|---|---|---|---|---|")
    words = [word for word in chosen if word not in SETS]
    for name in [s for s in SETS if s in chosen] or SETS:
        loaded = data.load_dataset(name)
        table, y = loaded.X, np.asarray(loaded.y)
        table = table if isinstance(table, Table) else Table.of(table)
        splits = list(RepeatedStratifiedKFold(n_splits=10, n_repeats=REPEATS, random_state=1).split(y, y))
        done: dict[str, np.ndarray] = {}
        for title, (ours, peer) in pairs().items():
            if words and not any(word in title for word in words):
                continue
            a = done.setdefault(repr(ours), errors(ours, table, y, splits))
            b = errors(peer, table, y, splits)
            verdict = paired_t(a - b, ratio=1 / 9)
            told = f"{100 * verdict.estimate:+.2f} [{100 * verdict.low:+.2f}, {100 * verdict.high:+.2f}]"
            means = f"{100 * a.mean():.2f}, {100 * b.mean():.2f}"
            print(f"| {name} | {title} | {means} | {told} | {verdict.p:.2f} |", flush=True)


def errors(learner, table: Table, y: np.ndarray, splits) -> np.ndarray:
    """The share of wrong answers on each split."""
    if isinstance(learner, str):
        return np.array([weka(learner, table, y, train, test) for train, test in splits])
    from sklearn.base import clone

    own = type(learner).__module__.startswith("assay")
    X = table if own else Design(table.schema).expand(table.values)
    return np.array(
        [
            np.mean(clone(learner).fit(X[train], y[train]).predict(X[test]) != y[test])
            for train, test in splits
        ]
    )


def weka(command: str, table: Table, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
    classes, codes = np.unique(y, return_inverse=True)
    columns = [*table.schema, Column("class", "nominal", tuple(str(c) for c in classes))]
    whole = Table(np.column_stack([table.values, codes]), Schema(columns), table.complete)
    with tempfile.TemporaryDirectory() as place:
        files = [pathlib.Path(place, f"{part}.arff") for part in ("train", "test")]
        for file, rows in zip(files, (train, test)):
            write_arff(whole[rows], file)
        said = subprocess.run(
            ["java", "-cp", os.environ["WEKA_JAR"], *command.split(), "-t", files[0], "-T", files[1], "-o"],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
    after = said[said.index("Error on test data") :]
    return int(re.search(r"Incorrectly Classified Instances\s+(\d+)", after)[1]) / len(test)


if __name__ == "__main__":
    main(sys.argv[1:])
