"""Rounds of histogram boosting: when they stop, how they go on, and that they can be interrupted."""

import numpy as np
import pytest
import sklearn.ensemble
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import train_test_split

from assay.core.progress import listen
from assay.ensembles.hist_gradient_boosting import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from assay.errors import DataError, DegenerateError, ParameterError

CANCER, DIABETES, IRIS = (load(return_X_y=True) for load in (load_breast_cancer, load_diabetes, load_iris))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"validation_fraction": None},
        {"validation_fraction": 60, "n_iter_no_change": 3},
        {"scoring": "accuracy", "n_iter_no_change": 4},
        {"scoring": None, "n_iter_no_change": 4},
        {"tol": 0.01},
    ],
)
@pytest.mark.parametrize("data", [IRIS, CANCER])
def test_stops_when_scikit_learn_does(data, settings):
    """Same split by the same seed; trees differ in ties, so scores are compared until the first of these."""
    settings = {"early_stopping": True, "random_state": 3, "max_iter": 40, "min_samples_leaf": 10, **settings}
    ours = HistGradientBoostingClassifier(**settings).fit(*data)
    peer = sklearn.ensemble.HistGradientBoostingClassifier(**settings).fit(*data)
    assert_allclose(ours.train_score_[:4], peer.train_score_[:4], rtol=1e-5)
    assert_allclose(ours.validation_score_[:4], peer.validation_score_[:4], rtol=1e-5)
    assert abs(ours.n_iter_ - peer.n_iter_) <= 4
    assert len(ours.train_score_) == ours.n_iter_ + 1
    assert ours.do_early_stopping_ is True


def test_scores_of_regression_are_scikit_learns():
    settings = {"early_stopping": True, "random_state": 0, "max_iter": 60, "n_iter_no_change": 5}
    ours = HistGradientBoostingRegressor(**settings).fit(*DIABETES)
    peer = sklearn.ensemble.HistGradientBoostingRegressor(**settings).fit(*DIABETES)
    assert ours.n_iter_ == peer.n_iter_
    assert_allclose(ours.train_score_, peer.train_score_, rtol=1e-6)
    assert_allclose(ours.validation_score_, peer.validation_score_, rtol=1e-6)


def test_a_function_scores_the_model_as_it_is():
    seen = []

    def count_rounds(model, X, y):
        seen.append((model.n_iter_, len(X), model.predict(X).shape == y.shape))
        return float(model.n_iter_)

    model = HistGradientBoostingClassifier(
        max_iter=3, early_stopping=True, scoring=count_rounds, random_state=0
    )
    model.fit(*IRIS)
    assert seen == [(r, n, True) for r in range(4) for n in (135, 15)]
    assert_array_equal(model.train_score_, [0, 1, 2, 3])


def test_auto_stops_early_only_with_many_rows():
    X = np.random.default_rng(0).normal(size=(10_001, 1))
    y = X[:, 0] > 0
    assert HistGradientBoostingClassifier(max_iter=1).fit(X, y).do_early_stopping_
    few = HistGradientBoostingClassifier(max_iter=1).fit(X[1:], y[1:])
    assert not few.do_early_stopping_
    assert len(few.train_score_) == len(few.validation_score_) == 0


def test_rows_to_judge_by_can_be_given():
    X, y = CANCER
    X, X_val, y, y_val = train_test_split(X, y, random_state=0)
    model = HistGradientBoostingClassifier(early_stopping=True, max_iter=50).fit(
        X, y, X_val=X_val, y_val=y_val
    )
    last = model.predict_proba(X_val)[np.arange(len(y_val)), y_val]
    assert_allclose(model.validation_score_[-1], np.log(last).mean(), rtol=1e-9)
    w = np.random.default_rng(0).random(len(y_val))
    model.fit(X, y, X_val=X_val, y_val=y_val, sample_weight_val=w)
    last = model.predict_proba(X_val)[np.arange(len(y_val)), y_val]
    assert_allclose(model.validation_score_[-1], np.average(np.log(last), weights=w), rtol=1e-9)


@pytest.mark.parametrize(
    ("given", "stopping", "words"),
    [
        ({"X_val": CANCER[0]}, True, "y_val was not provided"),
        ({"y_val": CANCER[1]}, True, "X_val was not provided"),
        ({"X_val": CANCER[0], "y_val": CANCER[1]}, False, "early_stopping is False"),
    ],
)
def test_half_of_what_is_needed_to_judge_is_refused(given, stopping, words):
    with pytest.raises(DataError, match=words):
        HistGradientBoostingClassifier(early_stopping=stopping).fit(*CANCER, **given)


@pytest.mark.parametrize("stopping", [False, True])
@pytest.mark.parametrize(
    ("learner", "data"), [(HistGradientBoostingClassifier, IRIS), (HistGradientBoostingRegressor, DIABETES)]
)
def test_a_warm_start_ends_where_a_long_fit_does(learner, data, stopping):
    settings = {"random_state": 1, "early_stopping": stopping, "max_features": 0.5, "n_iter_no_change": 20}
    once = learner(max_iter=12, **settings).fit(*data)
    twice = learner(max_iter=5, warm_start=True, **settings).fit(*data)
    twice.set_params(max_iter=12).fit(*data)
    assert_array_equal(once.predict(data[0]), twice.predict(data[0]))
    assert_array_equal(once.trees_.number, twice.trees_.number)
    assert_array_equal(once.train_score_, twice.train_score_)
    assert once.history_ == twice.history_


def test_a_warm_start_cannot_go_back():
    model = HistGradientBoostingRegressor(max_iter=5, warm_start=True).fit(*DIABETES)
    with pytest.raises(ParameterError, match=r"max_iter=4 must be larger than or equal to n_iter_=5"):
        model.set_params(max_iter=4).fit(*DIABETES)


def test_history_has_a_record_for_each_round():
    model = HistGradientBoostingClassifier(max_iter=3, max_depth=2, early_stopping=True, random_state=0).fit(
        *IRIS
    )
    assert [record["iteration"] for record in model.history_] == [1, 2, 3]
    assert all(record["depth"] <= 2 and 3 <= record["leaves"] <= 12 for record in model.history_)
    assert [record["train_score"] for record in model.history_] == model.train_score_[1:].tolist()
    assert [record["validation_score"] for record in model.history_] == model.validation_score_[1:].tolist()


def test_rounds_are_told_and_can_be_interrupted():
    class Enough(Exception):
        pass

    told = []

    def listener(event):
        told.append((event.description, event.total))
        if event.done >= 1:
            raise Enough

    model = HistGradientBoostingRegressor(max_iter=10_000)
    with listen(listener), pytest.raises(Enough):
        model.fit(*DIABETES)
    assert ("boosting rounds", 10_000) in told
    assert not hasattr(model, "trees_")  # a fit that fails leaves nothing behind


def test_scores_that_overflow_are_told():
    X = np.arange(100.0)[:, None]
    y = 10.0 ** (X[:, 0] % 7)
    with pytest.raises(DegenerateError, match="Lower learning_rate"):
        HistGradientBoostingRegressor(loss="poisson", learning_rate=np.inf).fit(X, y)
    large = HistGradientBoostingRegressor(loss="poisson", learning_rate=1e300).fit(X, y)
    assert np.isfinite(large.predict(X)).all()  # steps are no longer than what lowers the loss


def test_the_same_seed_gives_the_same_model():
    X = np.random.default_rng(0).normal(size=(800, 6))
    y = X[:, 0] * X[:, 1] > 0
    settings = {"max_features": 0.4, "max_iter": 10}
    one, two, other = (
        HistGradientBoostingClassifier(random_state=seed, **settings).fit(X, y).decision_function(X)
        for seed in (5, np.random.RandomState(5), 6)
    )
    assert_array_equal(one, two)
    assert not np.array_equal(one, other)
    HistGradientBoostingClassifier(random_state=np.random.default_rng(0), max_iter=1).fit(X, y)
