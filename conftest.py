"""For all tests, also the examples in docstrings: pictures are closed when a test is over."""

import sys

import pytest

collect_ignore_glob = ["docs/reference/*/*.md"]  # of `make docs`, from docstrings, which are tests themselves


@pytest.fixture(autouse=True)
def no_pictures_left_open():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
