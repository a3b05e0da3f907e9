"""Nested fits compared by their likelihoods."""

import numpy as np
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.linear.inference.likelihood_ratio import likelihood_ratio_test
from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.linear.regression.linear_regression import LinearRegression
from assay.linear.regression.ridge import Ridge

TIGHT = {"C": float("inf"), "tol": 1e-10, "max_iter": 500}


def logistic_data(n=500, seed=0, effect=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X @ [1.0, effect, effect] + rng.logistic(size=n) > 0).astype(int)


def test_likelihood_ratio_of_nested_fits():
    """Peer: GLM and OLS of statsmodels, compare_lr_test."""
    X, y = logistic_data(effect=0.2)
    small = LogisticRegression(**TIGHT).fit(X[:, :1], y).summary(X[:, :1], y)
    large = LogisticRegression(**TIGHT).fit(X, y).summary(X, y)
    test = likelihood_ratio_test(small, large)
    few, all_ = (sm.Logit(y, sm.add_constant(A)).fit(disp=0, tol=1e-12) for A in (X[:, :1], X))
    assert_allclose(test.statistic, 2 * (all_.llf - few.llf), rtol=1e-8)
    assert test.df == 2 and str(test).startswith("x1 = x2 = 0: chi2(2)")
    number = X @ [1.0, 0.1, 0.0] + np.random.default_rng(1).normal(size=len(y))
    small, large = (LinearRegression().fit(A, number).summary(A, number) for A in (X[:, :2], X))
    few, all_ = (sm.OLS(number, sm.add_constant(A)).fit() for A in (X[:, :2], X))
    statistic, p, df = all_.compare_lr_test(few)
    test = likelihood_ratio_test(small, large)
    assert_allclose([test.statistic, test.p_value, test.df], [statistic, p, df], rtol=1e-7)


def test_the_constant_may_be_what_the_larger_model_has():
    """Peer: OLS of statsmodels, compare_lr_test."""
    X, y = logistic_data()
    few, all_ = sm.OLS(y, X).fit(), sm.OLS(y, sm.add_constant(X)).fit()
    small, large = (LinearRegression(fit_intercept=c).fit(X, y).summary(X, y) for c in (False, True))
    test = likelihood_ratio_test(small, large)
    assert_allclose([test.statistic, test.p_value, test.df], all_.compare_lr_test(few), rtol=1e-7)
    assert test.hypothesis == "constant = 0"


def test_nested_models_must_be_nested():
    X, y = logistic_data()
    tables = {
        name: LogisticRegression(**TIGHT).fit(A, b).summary(A, b)
        for name, A, b in (("small", X[:, :1], y), ("all", X, y), ("half", X[::2], y[::2]))
    }
    with pytest.raises(ParameterError, match="the smaller has 'x1', the larger has not"):
        likelihood_ratio_test(tables["all"], tables["small"])
    with pytest.raises(ParameterError, match="the same terms"):
        likelihood_ratio_test(tables["all"], tables["all"])
    with pytest.raises(DataError, match="not fitted on the same rows"):
        likelihood_ratio_test(tables["small"], tables["half"])
    number = LinearRegression().fit(X, y).summary(X, y)
    with pytest.raises(DataError, match="not fitted on the same rows and targets"):
        likelihood_ratio_test(tables["small"], number)
    ridge = Ridge().fit(X, y).summary(X, y)
    with pytest.raises(ParameterError, match="was fitted with a penalty"):
        likelihood_ratio_test(ridge, number)
    with pytest.raises(ParameterError, match="takes two summaries, got LogisticRegression"):
        likelihood_ratio_test(LogisticRegression(), number)
