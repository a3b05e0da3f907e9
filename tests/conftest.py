"""What all tests share: the ledger of capabilities, and where the package comes from."""

import gc
import importlib
import json
import os
import pathlib
import sys
import zlib

import pytest
from hypothesis import settings

ROOT = pathlib.Path(__file__).resolve().parent.parent

sys.path.insert(0, str(ROOT))  # for benchmarks, which are no part of the package
importlib.import_module("benchmarks.build_under_test").use()  # make sanitize: another build of the package

# The same examples on every run; HYPOTHESIS_PROFILE=explore draws new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

_proven: set[str] = set()


def pytest_collection_modifyitems(config, items):
    if shard := os.environ.get("ASSAY_SHARD"):  # 2/5: the second of five parts, each a bit of everything
        part, parts = map(int, shard.split("/"))
        mine = [item for item in items if zlib.crc32(item.nodeid.encode()) % parts == part - 1]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(mine)])
        items[:] = mine
    for item in items:
        if " at 0x" in item.nodeid:  # another address in each process, so that tests could not be shared out
            raise pytest.UsageError(
                f"{item.nodeid}: a name of a test must not hold an address; give its ids."
            )
        ids = [identity for mark in item.iter_markers("capability") for identity in mark.args]
        if ids:
            item.user_properties.append(("capability", ids))


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report):
    if report.when == "call" and report.passed:
        for name, ids in report.user_properties:
            if name == "capability":
                _proven.update(ids)


def pytest_unconfigure():
    """Hypothesis leaves a callback with the garbage collector, and through it all that tests were parametrized with.

    Models among them would outlive the interpreter, and nanobind would report their native objects as leaked.
    """
    gc.callbacks.clear()


def pytest_sessionfinish(session):
    if _proven and not hasattr(session.config, "workerinput"):
        target = ROOT / "build" / "capabilities.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(sorted(_proven)))
