"""Inference across learners: agreement of the three tests, promises of the mixin."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.stats import kstest
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from assay.errors import DataError, DegenerateError, ParameterError
from assay.linear.inference.likelihood_ratio import likelihood_ratio_test
from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.linear.regression.linear_regression import LinearRegression

TIGHT = {"C": float("inf"), "tol": 1e-10, "max_iter": 500}


def logistic_data(n=500, seed=0, effect=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X @ [1.0, effect, effect] + rng.logistic(size=n) > 0).astype(int)


def test_the_three_tests_agree_for_many_rows():
    X, y = logistic_data(n=50_000, effect=0.02)
    small = LogisticRegression(**TIGHT).fit(X[:, :1], y)
    large = LogisticRegression(**TIGHT).fit(X, y)
    ratio = likelihood_ratio_test(small.summary(X[:, :1], y), large.summary(X, y))
    wald = large.summary(X, y).wald_test(["x1", "x2"])
    score = small.score_test(X[:, :1], y, X[:, 1:])
    assert ratio.statistic > 5
    assert_allclose([wald.statistic, score.statistic], ratio.statistic, rtol=2e-3)


def test_p_values_are_uniform_where_nothing_is_to_be_found():
    """200 data sets in which two columns mean nothing: the p of their test is as likely to be anywhere."""
    result = []
    for seed in range(200):
        X, y = logistic_data(n=200, seed=seed)
        result.append(LogisticRegression(**TIGHT).fit(X, y).summary(X, y).wald_test(["x1", "x2"]).p_value)
    assert kstest(result, "uniform").pvalue > 0.01


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([LogisticRegression, LinearRegression]))
def test_order_of_rows_and_doubling_them(seed, learner):
    """Row order changes nothing; each row twice makes standard errors smaller by the root of 2 (n large)."""
    X, y = logistic_data(n=80, seed=seed)
    model = learner(**TIGHT) if learner is LogisticRegression else learner()
    table = model.fit(X, y).summary(X, y)
    order = np.random.default_rng(seed).permutation(80)
    turned = model.fit(X[order], y[order]).summary(X[order], y[order])
    assert_allclose(turned.covariance, table.covariance, rtol=1e-6, atol=1e-12)
    twice = np.repeat(np.arange(80), 2)
    double = model.fit(X[twice], y[twice]).summary(X[twice], y[twice])
    shrink = 0.5 if learner is LogisticRegression else 0.5 * (80 - 4) / (80 - 2)
    assert_allclose(double.covariance, shrink * table.covariance, rtol=1e-6, atol=1e-12)


def test_extra_columns_of_a_score_test_are_checked():
    X, y = logistic_data()
    model = LogisticRegression(**TIGHT).fit(X, y)
    with pytest.raises(DataError, match="columns of 500 rows"):
        model.score_test(X, y, X[:10])
    square = X[:, 0] ** 2
    result = model.score_test(X, y, square)
    assert result.df == 1
    assert model.score_test(X, y, csr_array(square[:, None])) == result
    third = np.array(["low", "high", "middle"])[np.arange(500) % 3]
    assert model.score_test(X, y, pd.DataFrame({"third": third})).df == 2
    with pytest.raises(DegenerateError, match="same in all rows"):
        model.score_test(X, y, np.ones(500))
    with pytest.warns(ConvergenceWarning, match="standard errors away"):
        model.score_test(X, 1 - y, square)


def test_what_is_not_used_is_refused():
    X, y = logistic_data()
    model = LogisticRegression(**TIGHT).fit(X, y)
    with pytest.raises(ParameterError, match="groups are for covariance='cluster', got 'HC0'"):
        model.summary(X, y, covariance="HC0", groups=np.arange(500))
    with pytest.raises(ParameterError, match="reference must be one of"):
        model.summary(X, y, reference=[0])
    line = LinearRegression().fit(X, y)
    with pytest.raises(ParameterError, match="reference are for classes"):
        line.summary(X, y, reference=0)
    with pytest.raises(DataError, match="y has 2 columns, the model has one output"):
        line.summary(X, np.column_stack((y, y)))


def test_groups_are_there_and_more_than_one():
    X, y = logistic_data()
    model = LogisticRegression(**TIGHT).fit(X, y)
    named = np.array(["a", "b", None, "c", "d"], dtype=object)[np.arange(500) % 5]
    with pytest.raises(DataError, match="groups has missing entries"):
        model.summary(X, y, covariance="cluster", groups=named)
    with pytest.raises(DataError, match="groups has missing entries"):
        model.summary(X, y, covariance="cluster", groups=np.where(np.arange(500) % 5, np.nan, 1.0))
    w = (np.arange(500) < 400) * 1.0
    with pytest.raises(DataError, match="has one group"):  # the other one weighs nothing
        LogisticRegression(**TIGHT).fit(X, y, w).summary(X, y, w, covariance="cluster", groups=1 - w)


def test_a_level_may_be_any_number():
    X, y = logistic_data()
    model = LogisticRegression(**TIGHT).fit(X, y)
    table = model.summary(X, y, level=np.float32(0.5))
    assert table.level == 0.5 and type(table.level) is float


def test_an_unknown_label_is_an_error():
    X, y = logistic_data()
    model = LogisticRegression(**TIGHT).fit(X, y)
    with pytest.raises(DataError, match="not among classes"):
        model.summary(X, y + 5)


def test_single_precision_rows():
    X, y = logistic_data()
    low = LogisticRegression(**TIGHT).fit(X.astype(np.float32), y).summary(X.astype(np.float32), y)
    high = LogisticRegression(**TIGHT).fit(X, y).summary(X, y)
    assert_allclose(low.standard_error, high.standard_error, rtol=1e-5)


def test_rows_that_say_nothing():
    X, y = logistic_data(n=40)
    number, classes = LinearRegression().fit(X, y), LogisticRegression(**TIGHT).fit(X, y)
    for model in (number, classes):
        with pytest.raises(DataError, match="all are zero"):
            model.summary(X, y, np.zeros(40))
        with pytest.raises(ValueError, match=r"rows|samples"):
            model.summary(X, y[:10])
    with pytest.raises(DegenerateError, match="leave nothing to estimate the noise"):
        number.summary(X[:1], y[:1])
    wide = np.random.default_rng(0).normal(size=(10, 20))
    with pytest.warns(ConvergenceWarning):
        model = LogisticRegression(C=float("inf")).fit(wide, y[:10])
    with pytest.raises(DegenerateError, match="combination of the columns before it"):
        model.summary(wide, y[:10])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_of_any_library(library):
    from assay.tables import Table
    from assay.tables.frames import to_frame

    X, y = logistic_data()
    frame = to_frame(Table.of({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]}), library)
    table = LogisticRegression(**TIGHT).fit(frame, y).summary(frame, y)
    same = LogisticRegression(**TIGHT).fit(X, y).summary(X, y)
    assert table.terms == ["constant", "a", "b", "c"]
    assert_allclose(table.covariance, same.covariance, rtol=1e-9, atol=1e-14)


def test_the_number_of_threads_changes_nothing(monkeypatch):
    X, y = logistic_data(n=60_000)
    tables = []
    for threads in ("1", "3"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", threads)
        tables.append(LogisticRegression(**TIGHT).fit(X, y).summary(X, y, covariance="HC3"))
    assert (tables[0].covariance == tables[1].covariance).all()


def test_weights_kept_as_a_sparse_matrix():
    X, y = logistic_data()
    model = LogisticRegression(**TIGHT).fit(X, y)
    wanted = model.summary(X, y)
    assert_allclose(model.sparsify().summary(X, y).standard_error, wanted.standard_error, rtol=1e-12)


def test_inference_needs_a_fit():
    X, y = logistic_data(n=20)
    for ask in (LogisticRegression().summary, lambda X, y: LogisticRegression().score_test(X, y, X)):
        with pytest.raises(NotFittedError):
            ask(X, y)


@pytest.mark.parametrize("learner", [LinearRegression(), LogisticRegression()])
def test_a_summary_without_rows_says_what_it_needs(learner):
    X, y = [[0.0], [1], [2], [3]], [0, 1, 0, 1]
    model = learner.fit(X, y)
    for rows in ((), (X,), (None, y)):
        with pytest.raises(
            ParameterError, match=r"summary\(X, y\)\. The coefficients alone: model\.show\(\)"
        ):
            model.summary(*rows)
    assert model.show() is not None
