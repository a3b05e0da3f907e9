"""Margins and bounds of voting ensembles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from assay.bayes import GaussianNB
from assay.ensembles.adaboost_classifier import AdaBoostClassifier
from assay.ensembles.boosting_theory import (
    margin_distribution,
    margins,
    sample_weights,
    three_learner_error,
    training_error_bound,
)
from assay.errors import DataError, ParameterError

# Oracle: IML 17.7, ten points with the labels +++---+++- and stumps; worked through by hand and program.
TEN, SIGNS = np.arange(10.0)[:, None], np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
GROUPS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 0])  # rows that always have the same weight


@pytest.mark.capability("IML-17-12")
def test_margins_of_the_ten_points():
    model = AdaBoostClassifier(n_estimators=3).fit(TEN, SIGNS)
    assert_allclose(
        margins(model, TEN, SIGNS), np.array([0.17599660, 0.28819249, 0.53581091])[GROUPS], atol=5e-9
    )


@pytest.mark.capability("IML-17-12")
def test_bound_of_the_ten_points():
    model = AdaBoostClassifier(n_estimators=3).fit(TEN, SIGNS)
    bound = training_error_bound(model.estimator_errors_)
    assert_allclose(bound, [0.91651514, 0.75213980, 0.58019253], atol=5e-9)
    assert_allclose([record["bound"] for record in model.history_], bound, rtol=1e-13)


@pytest.mark.capability("IML-17-10")
def test_weights_of_the_ten_points_after_each_round():
    model = AdaBoostClassifier(n_estimators=3).fit(TEN, SIGNS)
    first, second, third = sample_weights(model, TEN, SIGNS)
    assert_allclose(first, np.array([1 / 14, 1 / 14, 1 / 6])[GROUPS], rtol=1e-12)
    assert_allclose(second, np.array([1 / 22, 1 / 6, 7 / 66])[GROUPS], rtol=1e-12)
    assert_allclose(third, np.array([0.125, 0.101852, 0.064815])[GROUPS], atol=5e-7)


@pytest.mark.capability("IML-17-09")
def test_error_of_three_learners():
    assert_allclose(three_learner_error([0.2, 0.3, 0.4]), [0.104, 0.216, 0.352], rtol=1e-12)
    assert_array_equal(three_learner_error([0.0, 0.5, 1.0]), [0.0, 0.5, 1.0])


@given(e=st.floats(0.001, 0.499), rate=st.floats(0.1, 1.9))
def test_the_bound_is_smallest_at_rate_one_and_falls(e, rate):
    assert training_error_bound([e])[0] <= training_error_bound([e], rate)[0] + 1e-15 < 1 + 1e-12
    assert_allclose(training_error_bound([e])[0], 2 * np.sqrt(e * (1 - e)), rtol=1e-12)


def test_no_error_bounds_the_training_error_by_nothing():
    assert_array_equal(training_error_bound([0.25, 0.0, 0.1])[1:], [0.0, 0.0])


@given(rounds=st.integers(1, 12), seed=st.integers(0, 99))
def test_the_training_error_stays_below_the_bound(rounds, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), rng.integers(2, size=40)
    for record in AdaBoostClassifier(n_estimators=rounds).fit(X, y).history_:
        assert record["training_error"] <= record["bound"] + 1e-9


def test_margins_are_positive_where_the_vote_is_right_and_lie_between_minus_one_and_one():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    rho = margins(model, X, y)
    assert_array_equal(rho > 0, model.predict(X) == y)
    assert rho.min() >= -1 and rho.max() <= 1


def test_the_distribution_of_margins_counts_weights():
    found, share = margin_distribution(np.array([0.5, -0.5, 0.5]), sample_weight=[1.0, 2.0, 1.0])
    assert_array_equal(found, [-0.5, 0.5])
    assert_allclose(share, [0.5, 1.0])


def test_what_has_no_votes_has_no_margins():
    with pytest.raises(ParameterError, match="GaussianNB is no voting ensemble"):
        margins(GaussianNB().fit(TEN, SIGNS), TEN, SIGNS)


def test_errors_that_are_no_shares_are_refused():
    with pytest.raises(DataError, match="from 0 to below 1"):
        training_error_bound([0.2, 1.0])
    with pytest.raises(DataError, match="a probability"):
        three_learner_error(1.5)
