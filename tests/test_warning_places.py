"""Warnings name the line of the user's own code, from whatever depth and thread they come."""

import pathlib
import warnings

import numpy as np

import assay
from assay.core.parallel import in_threads
from assay.errors import AssayWarning, warn_user


def test_a_warning_names_the_line_that_called():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        warn_user("odd", AssayWarning)
        warn_user(AssayWarning("odd"))
    assert [w.filename for w in said] == [__file__] * 2
    assert said[0].lineno + 1 == said[1].lineno
    assert {w.category for w in said} == {AssayWarning}


def test_a_warning_of_a_learner_names_the_call_of_the_learner():
    from assay.linear import LogisticRegression

    X = np.random.default_rng(0).normal(size=(60, 3))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        LogisticRegression(max_iter=1, C=1e6).fit(X, X[:, 0] > 0.1)
    assert said
    assert {w.filename for w in said} == {__file__}


def test_a_warning_of_a_worker_thread_names_the_place_that_gave_the_work(monkeypatch):
    monkeypatch.setenv("ASSAY_NUM_THREADS", "2")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        in_threads(lambda i: warn_user(f"odd {i}"), range(4))
    assert len(said) == 4
    assert {w.filename for w in said} == {__file__}  # not sys, line 1


def test_the_same_place_warns_once_by_default():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        for _ in range(3):
            warn_user("odd once")
    assert len(said) == 1


def test_nothing_else_in_the_source_counts_stack_levels():
    """A number of levels is right for one caller only, and names sys:1 where there are fewer."""
    source = pathlib.Path(assay.__file__).parent
    assert [str(f) for f in source.rglob("*.py") if "stacklevel=" in f.read_text()] == []
