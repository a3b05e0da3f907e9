"""Errors and warnings: one tree, and one full stop at the end of a sentence."""

import io
import pickle
import warnings

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneGroupOut

from assay import errors
from assay.bayes import GaussianNB, NaiveBayes
from assay.evaluate import compare
from assay.tables import read_table

KINDS = [getattr(errors, name) for name in errors.__all__ if isinstance(getattr(errors, name), type)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a.. b.", "a. b."),
        ("no such file.. Check it..", "no such file. Check it."),
        ("Columns: a, ....", "Columns: a, ..."),
        ("Columns: a, .... Give one.", "Columns: a, ... Give one."),
        ("to be continued ...", "to be continued ..."),
        ("../data/a..b", "../data/a..b"),
        ("1...", "1..."),
    ],
)
def test_a_sentence_ends_in_one_full_stop(kind, given, shown):
    error = kind(given)
    assert str(error) == shown
    assert str(pickle.loads(pickle.dumps(error))) == shown


def test_warnings_as_they_are_given():
    with pytest.warns(errors.SchemaWarning) as caught:
        warnings.warn("column a.. treated as missing..", errors.SchemaWarning, stacklevel=1)
    assert str(caught[0].message) == "column a. treated as missing."


def test_errors_that_quote_others_end_in_one_full_stop():
    X, y = np.arange(12.0)[:, None], np.repeat(["a", "b"], 6)
    with pytest.raises(errors.DataError, match="cannot split these rows") as caught:
        compare([NaiveBayes(), GaussianNB()], X, y, design=LeaveOneGroupOut())
    assert ".." not in str(caught.value)
    names = ",".join(f"c{i}" for i in range(40))
    with pytest.raises(errors.SchemaError, match=r"Columns: c0, .*, \.\.\.$"):
        read_table(io.StringIO(f"{names}\n{names.replace('c', '1')}\n"), target="nothing")
