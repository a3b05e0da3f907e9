"""A run whose process is killed leaves no process behind."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

SCRIPT = """
import pathlib, sys, time
from assay import compare
from assay.bayes import GaussianNB
from assay.experiments import Experiment

class Slow(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        import os
        (pathlib.Path({folder!r}) / str(os.getpid())).touch()
        time.sleep(600)

X, y = [[float(i)] for i in range(40)], [i % 2 for i in range(40)]
if {how!r} == "compare":
    compare([Slow()], X, y, design="4-fold", n_jobs=2)
else:
    Experiment([Slow(), "nb"], ["iris", "wine"], design="4-fold").run(n_jobs=2)
"""


def running(pid):
    """Whether a process computes: one that has ended and is not yet collected does not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="tells processes by /proc")
@pytest.mark.parametrize("how", ["compare", "experiment"])
def test_workers_end_with_a_killed_parent(tmp_path, how):
    begun = tmp_path / "begun"
    begun.mkdir()
    parent = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(folder=str(begun), how=how)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "JOBLIB_TEMP_FOLDER": str(tmp_path)},
    )
    try:
        while len(workers := [int(path.name) for path in begun.iterdir()]) < 2:
            assert parent.poll() is None, parent.stderr.read().decode()
            time.sleep(0.1)
        assert parent.pid not in workers
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        while any(map(running, workers)):  # the test's time limit ends it where they live on
            time.sleep(0.1)
    finally:
        parent.kill()
        parent.wait()
        parent.stderr.close()
        for pid in [int(path.name) for path in begun.iterdir()]:
            if running(pid):
                os.kill(pid, signal.SIGKILL)
