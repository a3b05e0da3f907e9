"""Starting, and sharing the machine."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import time

from benchmarks.bench_bayes import gaussian_classes
from benchmarks.harness import Race

BUSY = "while True: pass"


def races() -> list[Race]:
    return []


def growths() -> list[str]:
    """Figures without a peer that does the same job."""
    numpy, assay = (
        min(_wall([sys.executable, "-c", f"import {m}"]) - _nothing() for _ in range(7))
        for m in ("numpy", "assay")
    )
    command = pathlib.Path(sys.executable).with_name("assay")
    shown = min(_wall([str(command), "--help"]) for _ in range(7))
    return [
        f"import assay takes {max(assay, 0) / numpy:.2f} times as long as import numpy",
        f"assay --help takes {shown:.2f} s",
        f"beside one busy process a fit takes {_beside_a_busy_process():.2f} times its quiet time on one thread",
    ]


def _nothing() -> float:
    return min(_wall([sys.executable, "-c", "pass"]) for _ in range(3))


def _wall(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _beside_a_busy_process() -> float:
    """The median of several fits of LDA with all threads, over the best one on a single thread."""
    from assay.bayes import LinearDiscriminantAnalysis

    X, y = gaussian_classes(400_000, 30, 3)

    def seconds() -> float:
        start = time.perf_counter()
        LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
        return time.perf_counter() - start

    before = os.environ.get("ASSAY_NUM_THREADS")
    os.environ["ASSAY_NUM_THREADS"] = "1"
    quiet = min(seconds() for _ in range(5))
    if before is None:
        del os.environ["ASSAY_NUM_THREADS"]
    else:
        os.environ["ASSAY_NUM_THREADS"] = before
    other = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        return sorted(seconds() for _ in range(9))[4] / quiet
    finally:
        other.kill()
        other.wait()
