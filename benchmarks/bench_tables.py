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


def growths() -> list[str]:
    notes = []
    for ending in ("csv", "arff"):
        in_n = growth(lambda n, e=ending: reading(written(n, 10, e)), [10_000, 40_000, 160_000])
        notes.append(f"{ending.upper()}: seconds to read grow as n^{in_n:.2f}")
    return notes


def reading(path):
    return lambda: read_table(path, target="class")
