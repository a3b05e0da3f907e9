"""Synthetic tables: the columns of the table, copies counted, models that remember rows recognised."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.bayes import (
    GaussianNB,
    JointBayes,
    LaplaceNB,
    LinearDiscriminantAnalysis,
    MultinomialNB,
    NaiveBayes,
    synthetic_table,
)
from assay.densities import KernelDensity
from assay.errors import AssayWarning, DataError, ParameterError
from assay.linear import LogisticRegression
from assay.tables.data import load_iris

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {"kind": RNG.choice(list("abc"), 300), "size": RNG.normal(2, 1, 300), "age": RNG.normal(40, 9, 300)}
)
Y = np.where(FRAME["size"] + RNG.normal(size=300) > 2, "yes", "no")


@pytest.mark.capability("BC-04")
@pytest.mark.parametrize("model", [NaiveBayes(), JointBayes(alpha=1.0)])
def test_a_drawn_table_has_the_columns_and_kinds_of_the_table(model):
    drawn = synthetic_table(model.fit(FRAME, Y), 400, FRAME, random_state=1)
    frame = drawn.to_frame("sold")
    assert list(frame.columns) == ["kind", "size", "age", "sold"] and len(frame) == len(drawn) == 400
    assert set(frame["kind"]) == {"a", "b", "c"} and frame["size"].dtype == float
    assert set(frame["sold"]) == {"yes", "no"}
    assert len(drawn.copies) == 0 and "none equals a training row" in str(drawn)
    assert 0.25 < drawn.nearer < 0.65  # independent columns are drawn somewhat apart
    again = type(model)(**model.get_params()).fit(frame[["kind", "size", "age"]], frame["sold"])
    assert again.score(FRAME, Y) > 0.7


@pytest.mark.capability("BC-04")
def test_copies_are_counted_and_warned_about():
    """Oracle: by hand. Of nine cells of two columns the training rows have four, one of them twice."""
    table = pd.DataFrame({"a": list("xxyyz"), "b": list("ppqrp")})
    model = NaiveBayes().fit(table, [0, 0, 1, 1, 1])
    with pytest.warns(AssayWarning, match="of 200 drawn rows equal a training row"):
        drawn = synthetic_table(model, 200, table, random_state=0)
    pairs = list(zip(drawn.columns["a"], drawn.columns["b"]))
    rows = [("x", "p"), ("y", "q"), ("y", "r"), ("z", "p")]
    assert_array_equal(drawn.copies, [i for i, pair in enumerate(pairs) if pair in rows])
    assert_array_equal(drawn.unique_copies, [i for i, pair in enumerate(pairs) if pair in rows[1:]])


def test_a_model_that_remembers_rows_is_recognised():
    X, y = load_iris()
    new = synthetic_table(GaussianNB().fit(X, y), 600, X, random_state=0)
    remembered = synthetic_table(KernelDensity(bandwidth=1e-3).fit(X), 600, X, random_state=0)
    assert remembered.labels is None
    assert new.nearer < 0.6
    assert remembered.nearer > 0.9


@pytest.mark.capability("BC-04")
def test_draws_of_words_and_of_laplace_densities_give_the_parameters_back():
    counts = np.array([[6, 2, 2], [5, 3, 2], [1, 1, 8], [0, 2, 8]])
    words = MultinomialNB().fit(counts, [0, 0, 1, 1])
    rows, labels = words.sample(4000, random_state=0)
    assert_array_equal(rows.sum(axis=1), 10)  # as long as the training rows
    again = MultinomialNB(alpha=0.0, force_alpha=True).fit(rows, labels)
    assert_allclose(np.exp(again.feature_log_prob_), np.exp(words.feature_log_prob_), atol=0.01)
    assert words.sample(3, length=7)[0].sum() == 21
    X, y = load_iris()
    laplace = LaplaceNB().fit(X, y)
    rows, labels = laplace.sample(30_000, random_state=0)
    again = LaplaceNB().fit(rows, labels)
    assert_allclose(again.medians_, laplace.medians_, atol=0.03)
    assert_allclose(again.scales_, laplace.scales_, rtol=0.05)


def test_wrong_input_is_refused():
    with pytest.raises(ParameterError, match="n must be a whole number from 1 up, got 0"):
        synthetic_table(NaiveBayes().fit(FRAME, Y), 0, FRAME)
    with pytest.raises(ParameterError, match="LogisticRegression draws no rows"):
        synthetic_table(LogisticRegression().fit(FRAME, Y), 5, FRAME)
    with pytest.raises(DataError, match="draws indicators of categories"):
        synthetic_table(LinearDiscriminantAnalysis().fit(FRAME, Y), 5, FRAME)
