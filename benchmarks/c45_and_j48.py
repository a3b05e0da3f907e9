"""``WEKA_JAR=... python -m benchmarks.c45_and_j48``: C45Classifier and Weka's J48 on the same rows.

Weka's seconds are its own "Time taken to build model", so that neither the start of Java nor the reading of the file
counts; ours are those of ``fit`` on one thread, by the same clock on the wall. The best of three counts for both; run
it on a quiet machine. Prints Markdown; the sizes and training errors of both trees must agree.
"""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import tempfile
import time

import numpy as np

from assay.tables import Column, Schema, Table
from assay.tables.writers import write_arff
from assay.trees import C45Classifier

N, D, ROUNDS = 100_000, 20, 3


def tables() -> dict[str, tuple[Table, np.ndarray]]:
    """Numbers; half of the columns cut into nine categories; the same with 3 % missing."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(N, D)), 4)
    y = (X[:, :5] @ rng.normal(size=5) + np.sin(3 * X[:, 5]) + rng.normal(size=N) > 0).astype(int)
    mixed = X.copy()
    mixed[:, : D // 2] = np.clip(np.floor(1.5 * X[:, : D // 2] + 4), 0, 8)
    with_missing = np.where(rng.random(mixed.shape) < 0.03, np.nan, mixed)
    numbers = [Column(f"a{j}") for j in range(D)]
    words = [Column(f"a{j}", "nominal", tuple(f"v{c}" for c in range(9))) for j in range(D // 2)]
    both = Schema(words + numbers[D // 2 :])
    return {
        "numbers": (Table(X, Schema(numbers), True), y),
        "mixed": (Table(mixed, both, True), y),
        "mixed, 3 % missing": (Table(with_missing, both, False), y),
    }


def j48(table: Table, y: np.ndarray) -> tuple[float, int, int]:
    """Seconds, nodes and training errors of Weka's tree."""
    columns = [*table.schema, Column("class", "nominal", ("n", "y"))]
    whole = Table(np.column_stack([table.values, y]), Schema(columns), table.complete)
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place, "train.arff")
        write_arff(whole, file)
        command = ["java", "-cp", os.environ["WEKA_JAR"], "weka.classifiers.trees.J48", "-t", file, "-no-cv"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = [
        r"build model: ([\d.]+)",
        r"Size of the tree :\s+(\d+)",
        r"Incorrectly Classified Instances\s+(\d+)",
    ]
    seconds, nodes, errors = (re.search(pattern, said)[1] for pattern in found)
    return float(seconds), int(nodes), int(errors)


def c45(table: Table, y: np.ndarray) -> tuple[float, int, int]:
    best = np.inf
    for _ in range(ROUNDS):
        start = time.perf_counter()
        model = C45Classifier().fit(table, y)
        best = min(best, time.perf_counter() - start)
    return best, model.tree_.node_count, int((model.predict(table) != y).sum())


def main() -> None:
    os.environ["ASSAY_NUM_THREADS"] = "1"
    print(f"| {N} x {D} | ours / J48, seconds | nodes | training errors |\n|---|---|---|---|")
    for name, (table, y) in tables().items():
        (a, *ours), (b, *peer) = c45(table, y), j48(table, y)
        print(f"| {name} | {a / b:.3f} | {ours[0]}, {peer[0]} | {ours[1]}, {peer[1]} |", flush=True)


if __name__ == "__main__":
    main()
