"""What all tests share: the ledger of capabilities, and where the package comes from."""

import json
import os
import pathlib
import sys

import pytest
from hypothesis import settings

ROOT = pathlib.Path(__file__).resolve().parent.parent

if "ASSAY_FROM" in os.environ:  # make sanitize: another build of the package, ahead of the editable one
    sys.meta_path[:] = [
        finder for finder in sys.meta_path if "editable" not in type(finder).__module__.lower()
    ]
    sys.path.insert(0, str(ROOT / os.environ["ASSAY_FROM"]))

# The same examples on every run; HYPOTHESIS_PROFILE=explore draws new ones.
settings.register_profile("same", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

_proven: set[str] = set()
_WITH_KERNELS = {path.parent.name for path in (ROOT / "src" / "assay").rglob("*.cpp")}


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.stem == "test_every_learner" or item.path.parent.name in _WITH_KERNELS:
            item.add_marker("kernel")
        ids = [identity for mark in item.iter_markers("capability") for identity in mark.args]
        if ids:
            item.user_properties.append(("capability", ids))


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report):
    if report.when == "call" and report.passed:
        for name, ids in report.user_properties:
            if name == "capability":
                _proven.update(ids)


def pytest_sessionfinish(session):
    if _proven and not hasattr(session.config, "workerinput"):
        target = ROOT / "build" / "capabilities.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(sorted(_proven)))
