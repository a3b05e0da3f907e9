"""Fingerprints: equal for what is equal, different for what differs, in every process."""

import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from assay.errors import ParameterError
from assay.evaluate.rows import gather
from assay.experiments.fingerprint import data_print, digest, settings_text, split_print

X = {"a": [1.0, 2.0, 3.0, 4.0], "b": ["x", "y", "x", "y"]}
Y = ["p", "q", "p", "q"]


def of(X=X, y=Y, **more):
    return data_print(gather(X, y, "2-fold", **more).data)


def test_the_same_rows_have_the_same_print_however_they_come():
    import pandas as pd

    assert of() == of(pd.DataFrame(X), pd.Series(Y, name="class")) == of(dict(X))


@pytest.mark.parametrize(
    "changed",
    [
        {"X": {**X, "a": [1.0, 2.0, 3.0, 4.0000001]}},
        {"X": {"c": X["a"], "b": X["b"]}},
        {"X": {"a": X["a"], "b": ["x", "z", "x", "z"]}},
        {"X": {"b": X["b"], "a": X["a"]}},
        {"y": ["p", "q", "q", "p"]},
        {"y": ["p", "r", "p", "r"]},
        {"groups": [1, 1, 2, 2]},
        {"times": [1, 2, 3, 4]},
        {"X": {"a": X["a"][::-1], "b": X["b"][::-1]}},
    ],
)
def test_any_change_of_the_rows_changes_the_print(changed):
    assert of(**changed) != of()


def test_sparse_rows_have_a_print():
    from scipy.sparse import csr_matrix

    dense = np.eye(6)
    one, other = csr_matrix(dense), csr_matrix(2 * dense)
    y = [0, 1, 0, 1, 0, 1]
    assert of(one, y) == of(csr_matrix(dense), y) != of(other, y)


def test_a_split_is_its_place_and_its_rows():
    data = gather(np.arange(12.0).reshape(6, 2), [0, 1, 0, 1, 0, 1], "2x3")
    splits = list(data.design.splits(data.data.codes, 0))
    assert len({split_print(s) for s in splits}) == 6
    assert split_print(splits[0]) != split_print(splits[0]._replace(repetition=1))


def test_where_a_text_ends_counts():
    assert digest("a", "b") != digest("ab") != digest("ab", "")


def shifted(x, by=1):
    return x + by


def test_settings_show_every_parameter_and_no_address():
    made = make_pipeline(
        FunctionTransformer(shifted), LogisticRegression(C=0.5, class_weight={1: 2.0, 0: 1.0})
    )
    text = settings_text(made)
    assert "C=0.5" in text and "{0: 1.0, 1: 2.0}" in text and "shifted#" in text
    assert " at 0x" not in text
    assert text == settings_text(
        make_pipeline(FunctionTransformer(shifted), LogisticRegression(C=0.5, class_weight={0: 1.0, 1: 2.0}))
    )


def test_settings_tell_parameters_apart():
    assert settings_text(LogisticRegression(C=1)) != settings_text(LogisticRegression(C=2))
    assert settings_text(np.array([1.0, 2.0])) != settings_text(np.array([1.0, 2.5]))
    assert settings_text(np.array([1])) != settings_text(np.array([1.0]))
    assert settings_text(lambda v: v + 1) != settings_text(lambda v: v + 2)
    assert settings_text(True) != settings_text(1) != settings_text("1")
    assert settings_text([1, 2]) != settings_text((1, 2))
    assert settings_text({"b": 1, "a": {3, 1, 2}}) == "{'a': {1, 2, 3}, 'b': 1}"


def times(k):
    return lambda v: v * k


def plus(k):
    return lambda v, by=k: v + by


def walks(k):
    def step(v):
        return v if v > k else step(v + np.float64(1))  # calls itself

    return step


def test_functions_differ_by_the_values_they_hold():
    """Made by the same lines, so that their code is the same."""
    for make in (times, plus, walks, lambda k: partial(shifted, by=k), lambda k: partial(times(k), 1)):
        assert settings_text(make(1)) == settings_text(make(1)) != settings_text(make(2))
    assert settings_text("ab".join) == settings_text("ab".join) != settings_text("c".join)
    one, two = LogisticRegression(C=1), LogisticRegression(C=2)
    assert settings_text(one.fit) == settings_text(LogisticRegression(C=1).fit) != settings_text(two.fit)


def test_a_class_of_ones_own_is_known_by_its_code():
    """The same name and settings; the first two classes are alike, the third one's parent has another method."""

    def made(shift):
        space = {"__name__": "own"}
        exec(
            "from sklearn.base import BaseEstimator\n"
            "class Parent(BaseEstimator):\n"
            "    @property\n"
            f"    def shift(self): return {shift}\n"
            "class Mine(Parent):\n"
            "    def fit(self, X, y): return self\n",
            space,
        )
        return settings_text(space["Mine"]())

    assert made(1) == made(1) != made(2)
    assert "#" not in settings_text(LogisticRegression())


SCRIPT = """
from sklearn.linear_model import LogisticRegression
from assay.experiments.fingerprint import settings_text
print(settings_text(LogisticRegression(class_weight={"b": 1, "a": 2})), settings_text({"x", "y", "z"}))
print(settings_text(lambda v: v in {"p", "q", "r", "s"}))
"""


def test_another_process_writes_the_same():
    other = {**os.environ, "PYTHONHASHSEED": "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"}
    told = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=other, capture_output=True, text=True, check=True
    )
    here = settings_text(LogisticRegression(class_weight={"a": 2, "b": 1}))
    first, second = told.stdout.splitlines()
    assert first == f"{here} {{'x', 'y', 'z'}}"
    function = eval('lambda v: v in {"p", "q", "r", "s"}', {"__name__": "__main__"})
    assert second == settings_text(function)


def test_a_setting_that_cannot_be_written_down_is_explained():
    import threading

    with pytest.raises(ParameterError, match=r"a setting that is a _thread\.lock cannot be identified"):
        settings_text(LogisticRegression(C=threading.Lock()))
    assert settings_text(np.random.RandomState(3)) == settings_text(np.random.RandomState(3))
    assert settings_text(np.random.RandomState(3)) != settings_text(np.random.RandomState(4))
