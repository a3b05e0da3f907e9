"""Histogram boosting by two threads and by two Dask workers: ``python -m benchmarks.big_cluster [rows] [trees]``.

The same rows of 20 numbers, in memory for the threads, a partition with each worker for the cluster, and the same trees
to the last bit. Printed are seconds, and the CPU time of all processes, which a busy machine lengthens less. Two
workers took 1.05 of the threads' time with 10 million rows and 10 trees, 1.44 with 4 million and 8 trees, 1.7 with 2
million: docs/scaling.md says where the rest goes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np


def clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def main(rows: int, trees: int) -> None:
    import dask.array as da
    import distributed

    from assay.ensembles import HistGradientBoostingClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 20))
    y = (X @ np.linspace(-1, 1, 20) + rng.logistic(size=rows) > 0).astype(int)
    models = []

    def fit(*data: object) -> None:
        model = HistGradientBoostingClassifier(max_iter=trees, early_stopping=False, random_state=0)
        models.append(model.fit(*data))

    def measured(work: Callable[[], None], of_workers: Callable[[], float]) -> tuple[float, float]:
        (wall, own), others = clocks(), of_workers()
        work()
        return clocks()[0] - wall, clocks()[1] - own + of_workers() - others

    threads = min(measured(lambda: fit(X, y), lambda: 0.0) for _ in range(2))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as workers,
        distributed.Client(workers) as client,
    ):
        parts = [(X[a : a + rows // 2], y[a : a + rows // 2]) for a in (0, rows // 2)]
        held = [client.scatter(part, workers=[w]) for part, w in zip(parts, client.nthreads())]
        table = da.concatenate([da.from_delayed(f, (len(p[0]), 20), float) for (f, _), p in zip(held, parts)])
        target = da.concatenate([da.from_delayed(f, (len(p[0]),), int) for (_, f), p in zip(held, parts)])

        def of_workers() -> float:
            return sum(client.run(time.process_time).values())

        cluster = min(measured(lambda: fit(table, target), of_workers) for _ in range(2))
    same = (models[0].predict_proba(X[:10_000]) == models[-1].predict_proba(X[:10_000])).all()
    print("| rows | trees | threads, s | CPU, s | workers, s | CPU, s | ratio | of CPU |")
    print(
        f"| {rows:.0e} | {trees} | {threads[0]:.2f} | {threads[1]:.2f} | {cluster[0]:.2f} | {cluster[1]:.2f} | "
        f"{cluster[0] / threads[0]:.2f} | {cluster[1] / threads[1]:.2f} |  same trees: {same}"
    )


if __name__ == "__main__":
    words = [float(w) for w in sys.argv[1:]]
    main(int(words[0] if words else 4e6), int(words[1] if len(words) > 1 else 10))
