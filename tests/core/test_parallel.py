"""Threads: in order, not too many, and with errors that come through."""

import os
import threading
import time

import pytest
from threadpoolctl import threadpool_info

from assay import system
from assay.core import parallel
from assay.core.parallel import in_threads, one_blas_thread, threads
from assay.core.progress import progress


@pytest.fixture
def four_cores(monkeypatch):
    monkeypatch.setattr("assay.threads._cores", lambda: 4)
    monkeypatch.delenv("ASSAY_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


@pytest.mark.parametrize(
    ("limit", "expected"), [(None, 4), (1, 1), (3, 3), (9, 4), (-1, 4), (-2, 3), (-9, 1), (0, 4)]
)
def test_a_limit_counts_up_or_down_like_n_jobs(four_cores, limit, expected):
    assert threads(limit) == expected


@pytest.mark.parametrize(
    ("ours", "omp", "expected"),
    [
        ("2", None, 2),
        (None, "3", 3),
        ("2", "1", 2),
        ("8", None, 4),
        ("0", None, 4),
        ("many", None, 4),
        ("many", "2", 2),
    ],
)
def test_the_surroundings_may_ask_for_less(four_cores, monkeypatch, ours, omp, expected):
    for name, value in (("ASSAY_NUM_THREADS", ours), ("OMP_NUM_THREADS", omp)):
        if value is not None:
            monkeypatch.setenv(name, value)
    assert threads() == expected


@pytest.mark.parametrize("quota", ["max 100000", "50000 100000", "150000 100000", "nonsense", ""])
def test_a_container_quota_leaves_at_least_one(monkeypatch, tmp_path, quota):
    (tmp_path / "cpu.max").write_text(quota)
    real = open
    monkeypatch.setattr(
        "builtins.open",
        lambda path, *a, **k: real(tmp_path / "cpu.max" if "cpu.max" in str(path) else path, *a, **k),
    )
    system.cores.cache_clear()
    try:
        cores = system.cores()
    finally:
        monkeypatch.undo()
        system.cores.cache_clear()
    assert cores >= 1 and (not quota[:1].isdigit() or cores == 1)


def test_results_come_in_the_order_of_the_items(four_cores):
    def slow_for_the_first(i):
        time.sleep(0.02 * (i == 0))
        return i

    assert in_threads(slow_for_the_first, range(20)) == list(range(20))


def test_several_items_run_at_the_same_time_and_one_alone_on_the_callers_thread(four_cores):
    meet = threading.Barrier(2, timeout=20)
    in_threads(lambda _: meet.wait(), [1, 2], n_threads=2)  # would time out if one waited for the other
    here = threading.current_thread()
    assert in_threads(lambda _: threading.current_thread(), [1]) == [here]
    assert in_threads(lambda _: threading.current_thread(), [1, 2], n_threads=1) == [here, here]


def test_no_items_give_no_results(four_cores):
    assert in_threads(len, []) == []
    assert in_threads(abs, (v for v in (-1, 2))) == [1, 2]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_comes_through(four_cores, error):
    def fails(i):
        if i == 3:
            raise error("three")
        return i

    with pytest.raises(error, match="three"):
        in_threads(fails, range(6))


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_work_beside_one_that_fails_ends_at_its_next_step(four_cores, error):
    begun, ended = threading.Event(), threading.Event()

    def work(item):
        if item:
            begun.wait(30)
            raise error("no more")
        begun.set()
        try:
            with progress(description="without end") as bar:
                while True:
                    bar.advance()
                    time.sleep(0.001)
        finally:
            ended.set()

    with pytest.raises(error, match="no more"):
        parallel.in_threads(work, [1, 0])
    assert ended.wait(30)
    assert parallel.in_threads(abs, [-1, -2]) == [1, 2]  # the same threads, at other work


def test_blas_has_one_thread_inside_and_its_own_number_after():
    def blas():
        return {
            pool["filepath"]: pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"
        }

    import scipy.linalg.blas  # noqa: F401  so that all BLAS libraries are there

    before = blas()
    with one_blas_thread():
        assert before and set(blas().values()) == {1}
    assert blas() == before


def test_a_task_may_call_for_threads_itself(four_cores):
    """The inner call stays on its thread: all of the pool's threads could be waiting for each other."""
    table = parallel.in_threads(lambda a: parallel.in_threads(lambda b: a * b, range(4)), range(8))
    assert table == [[a * b for b in range(4)] for a in range(8)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings(
    "ignore:.*fork.*:DeprecationWarning"
)  # newer Pythons warn of any fork beside threads
def test_a_forked_process_gets_threads_of_its_own(four_cores):
    import multiprocessing

    assert parallel.in_threads(abs, [-1, -2, -3]) == [1, 2, 3]  # now there is a pool
    child = multiprocessing.get_context("fork").Process(target=parallel.in_threads, args=(abs, [-1, -2]))
    child.start()
    child.join(60)
    assert child.exitcode == 0
