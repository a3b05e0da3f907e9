"""Logistic regression on a file larger than memory should hold: ``python -m benchmarks.big_logistic [rows]``.

Writes a Parquet file of 10 million rows (or as many as asked for) with numbers and categories to a temporary folder,
trains on it in blocks, and prints the passes over the file, the time and the peak of resident memory. The same rows
on a Dask cluster of two workers, block by block, give the same weights.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys
import tempfile
import time

ROW_GROUP = 250_000
FILE = """
import resource, sys, time
import numpy as np
from assay.linear import LogisticRegression
start = time.perf_counter()
model = LogisticRegression(tol=1e-7).fit_blocks(sys.argv[1], target="label")
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"file: {model.n_iter_[0]} steps in {time.perf_counter() - start:.1f} s, peak {peak:.0f} MB")
np.savetxt(sys.argv[2], np.append(model.coef_, model.intercept_))
"""
CLUSTER = """
import sys, time
import dask.dataframe as dd
import numpy as np
from dask.distributed import Client, LocalCluster
from assay.linear import LogisticRegression
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers, Client(workers):
        frame = dd.read_parquet(sys.argv[1], split_row_groups=True).persist()
        start = time.perf_counter()
        model = LogisticRegression(tol=1e-7).fit(frame.drop(columns="label"), frame["label"])
        found = np.append(model.coef_, model.intercept_)
        gap = np.abs(found - np.loadtxt(sys.argv[2])).max()
        print(f"cluster: {model.n_iter_[0]} steps in {time.perf_counter() - start:.1f} s, weights differ by {gap:.1g}")
"""


def write(path: pathlib.Path, rows: int) -> None:
    """Rows of two classes: ten numbers of different scales and two columns of categories."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    weights, scales = rng.normal(size=10) * 0.5, 10.0 ** rng.uniform(-3, 3, 10)
    writer = None
    for start in range(0, rows, ROW_GROUP):
        n = min(ROW_GROUP, rows - start)
        Z = rng.normal(size=(n, 10))
        colour, city = rng.integers(0, 3, n), rng.integers(0, 20, n)
        y = Z @ weights + 0.5 * colour - 0.05 * city + rng.logistic(size=n) > 0
        columns: dict[str, object] = {f"x{j}": Z[:, j] * scales[j] for j in range(10)}
        columns["colour"] = pa.array(np.array(["red", "green", "blue"])[colour])
        columns["city"] = pa.array(np.char.add("city", city.astype(str)))
        columns["label"] = pa.array(np.where(y, "yes", "no"))
        block = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, block.schema)
        writer.write_table(block)
    assert writer is not None
    writer.close()


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, weights = pathlib.Path(folder) / "big.parquet", pathlib.Path(folder) / "weights.txt"
        start = time.perf_counter()
        write(path, rows)
        print(
            f"wrote {rows:,} rows, {path.stat().st_size / 1e6:.0f} MB, in {time.perf_counter() - start:.1f} s",
            flush=True,
        )
        for name, program in (("file.py", FILE), ("cluster.py", CLUSTER)):
            script = pathlib.Path(folder) / name
            script.write_text(program)
            subprocess.run([sys.executable, str(script), str(path), str(weights)], check=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
