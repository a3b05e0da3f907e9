"""Train on a file larger than memory should hold: ``python -m benchmarks.big_file [rows]``.

Writes a Parquet file of 10 million rows (or as many as asked for) with numbers, categories and missing values to a
temporary folder, trains NaiveBayes on it in blocks, and prints the peak of resident memory.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import time

ROW_GROUP = 250_000
TRAIN = """
import resource, sys, time
from assay.bayes import NaiveBayes
start = time.perf_counter()
model = NaiveBayes().fit_blocks(sys.argv[1], target="label")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{int(model.class_count_.sum()):,} rows in {time.perf_counter() - start:.1f} s, peak {peak:.0f} MB")
"""


def write(path: pathlib.Path, rows: int) -> None:
    """Rows of two classes: ten numbers, two columns of categories, one missing value in a hundred."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    writer = None
    for start in range(0, rows, ROW_GROUP):
        n = min(ROW_GROUP, rows - start)
        y = rng.integers(0, 2, n)
        columns: dict[str, object] = {}
        for j in range(10):
            x = rng.normal(size=n) + 0.2 * j * y
            x[rng.random(n) < 0.01] = np.nan
            columns[f"x{j}"] = x
        columns["colour"] = pa.array(rng.choice(["red", "green", "blue"], n))
        columns["city"] = pa.array(np.char.add("city", rng.integers(0, 50, n).astype(str)))
        columns["label"] = pa.array(np.where(y == 1, "yes", "no"))
        block = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, block.schema)
        writer.write_table(block)
    assert writer is not None
    writer.close()


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "big.parquet"
        start = time.perf_counter()
        write(path, rows)
        print(
            f"wrote {rows:,} rows, {path.stat().st_size / 1e6:.0f} MB, in {time.perf_counter() - start:.1f} s"
        )
        subprocess.run([sys.executable, "-c", TRAIN, str(path)], check=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
