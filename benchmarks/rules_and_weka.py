"""``WEKA_JAR=... python -m benchmarks.rules_and_weka``: RipperClassifier and Weka's JRip by repeated cross-validation.

Both sides cut each data set into ten stratified folds, ``REPEATS`` times (10 unless told), each by its own random
numbers. Weka runs in one Java machine, so that neither its start nor the reading of files counts, and the best of
several fits counts for both, on one thread. Prints Markdown: accuracy, rules (the default not counted) and seconds.
``ROWS`` (100000 unless told; 0 for none) is the size of the tables that are timed only: JRip takes minutes for some.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
import time
from typing import Any

import numpy as np

from assay.rules import RipperClassifier
from assay.tables import Column, Schema, Table, data
from assay.tables.writers import write_arff
from benchmarks.bench_rules import boxes
from benchmarks.c45_and_j48 import tables

DATA = {
    "weather": data.load_weather,
    "contact lenses": data.load_contact_lenses,
    "iris": data.load_iris,
    "wine": data.load_wine,
    "breast cancer": data.load_breast_cancer,
    "breast cancer Ljubljana": data.load_breast_cancer_ljubljana,
    "German credit": data.load_german_credit,
    "digits": data.load_digits,
}

# repeats, fits to time, file: accuracy and rules by cross-validation, then the best seconds and the rules of a fit.
DRIVER = """
import java.io.*;
import java.util.Random;
import weka.classifiers.rules.JRip;
import weka.core.Instances;

public class Driver {
    public static void main(String[] given) throws Exception {
        int repeats = Integer.parseInt(given[0]), fits = Integer.parseInt(given[1]);
        Instances all = new Instances(new BufferedReader(new FileReader(given[2])));
        all.setClassIndex(all.numAttributes() - 1);
        double right = 0, rules = 0;
        for (int r = 0; r < repeats; r++) {
            Instances mixed = new Instances(all);
            mixed.randomize(new Random(r));
            mixed.stratify(10);
            for (int k = 0; k < 10; k++) {
                JRip learner = new JRip();
                learner.setSeed(10 * r + k + 1);
                learner.buildClassifier(mixed.trainCV(10, k, new Random(r)));
                rules += learner.getRuleset().size() - 1;
                Instances test = mixed.testCV(10, k);
                for (int i = 0; i < test.numInstances(); i++)
                    if (learner.classifyInstance(test.instance(i)) == test.instance(i).classValue()) right++;
            }
        }
        double best = Double.MAX_VALUE;
        int found = 0;
        for (int t = 0; t < fits; t++) {
            JRip learner = new JRip();
            long start = System.nanoTime();
            learner.buildClassifier(all);
            best = Math.min(best, (System.nanoTime() - start) / 1e9);
            found = learner.getRuleset().size() - 1;
        }
        double n = Math.max(1, (double) repeats * all.numInstances());
        System.out.println(right / n + " " + rules / Math.max(1, 10 * repeats) + " " + best + " " + found);
    }
}
"""


def jrip(table: Table, y: np.ndarray, repeats: int, fits: int) -> list[float]:
    """Accuracy, rules, best seconds, and rules of the fit on all rows."""
    labels = tuple(f"c{k}" for k in range(int(y.max()) + 1))
    columns = [Column(f"a{j}", c.kind, c.categories) for j, c in enumerate(table.schema)]
    whole = Table(
        np.column_stack([table.values, y]),
        Schema([*columns, Column("class", "nominal", labels)]),
        table.complete,
    )
    with tempfile.TemporaryDirectory() as place:
        file, driver = pathlib.Path(place, "all.arff"), pathlib.Path(place, "Driver.java")
        write_arff(whole, file)
        driver.write_text(DRIVER)
        command = ["java", "-Xmx4g", "-cp", os.environ["WEKA_JAR"], driver, str(repeats), str(fits), file]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [float(word) for word in said.split()[-4:]]


def ripper(table: Table, y: np.ndarray, repeats: int, fits: int) -> list[float]:
    """The same of ours."""
    right = rules = 0.0
    for r in range(repeats):
        mixed = np.random.default_rng(r).permutation(len(y))
        fold = np.empty(len(y), int)
        fold[mixed[np.argsort(y[mixed], kind="stable")]] = np.arange(len(y)) % 10
        for k in range(10):
            train, test = (
                Table(table.values[rows], table.schema, table.complete) for rows in (fold != k, fold == k)
            )
            model = RipperClassifier(random_state=10 * r + k).fit(train, y[fold != k])
            right += np.count_nonzero(model.predict(test) == y[fold == k])
            rules += model.n_rules_
    best = np.inf
    for _ in range(fits):
        start = time.perf_counter()
        model = RipperClassifier(random_state=0).fit(table, y)
        best = min(best, time.perf_counter() - start)
    n = max(1, repeats * len(y))
    return [right / n, rules / max(1, 10 * repeats), best, model.n_rules_]


def large(n: int) -> dict[str, tuple[Table, np.ndarray]]:
    """Two classes that no short list of rules separates; boxes that a few rules do; five classes; 26 classes."""
    found = {
        name: (Table(table.values[:n], table.schema, table.complete), y[:n])
        for name, (table, y) in tables().items()
    }
    plain = {"boxes": (n, 20, 2), "boxes, 5 classes": (n, 20, 5), "boxes, 26 classes": (n // 5, 16, 26)}
    for name, (rows, d, K) in plain.items():
        X, y = boxes(rows, d, K)
        found[name] = Table.of(X), y
    return found


def main() -> None:
    os.environ["ASSAY_NUM_THREADS"] = "1"
    if "WEKA_JAR" not in os.environ:
        print("WEKA_JAR is not set: skipped. It names weka.jar (Debian package weka).")
        return
    repeats, rows = int(os.environ.get("REPEATS", "10")), int(os.environ.get("ROWS", "100000"))
    print(
        "| data | accuracy, ours and JRip's | rules, ours and JRip's | ours / JRip, seconds |\n|---|---|---|---|"
    )
    for name, load in DATA.items():
        bunch: Any = load()
        X, y = Table.of(bunch.X), np.unique(np.asarray(bunch.y), return_inverse=True)[1]
        few = max(1, repeats // 5) if len(y) > 1500 else repeats
        ours, peer = ripper(X, y, few, 20), jrip(X, y, few, 20)
        print(
            f"| {name} | {ours[0]:.3f}, {peer[0]:.3f} | {ours[1]:.1f}, {peer[1]:.1f} | {ours[2] / peer[2]:.2f} |",
            flush=True,
        )
    if rows:
        print("\n| table | size | ours / JRip, seconds | rules of both |\n|---|---|---|---|")
        for name, (X, y) in large(rows).items():
            ours, peer = ripper(X, y, 0, 3), jrip(X, y, 0, 1)
            size = f"{X.shape[0]} x {X.shape[1]}"
            print(f"| {name} | {size} | {ours[2] / peer[2]:.4f} | {ours[3]:.0f}, {peer[3]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
