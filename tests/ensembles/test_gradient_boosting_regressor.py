"""Gradient boosting of numbers: the textbook's residuals, scikit-learn, and its ends."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.dummy import DummyRegressor

import assay
from assay.ensembles.gradient_boosting_regressor import GradientBoostingRegressor
from assay.errors import DataError, ParameterError

FIVE, R = np.arange(1.0, 6.0)[:, None], np.array([1.0, 1.2, 3.0, 3.1, 5.0])


def diabetes():
    """In single precision, which is what scikit-learn's trees see."""
    X, y = load_diabetes(return_X_y=True)
    return X.astype(np.float32).astype(np.float64), y


@pytest.mark.capability("IML-17-11")
def test_least_squares_boosting_of_five_points():
    """Oracle: IML 17.7, stumps, rate 1: thresholds, fits and sums of squares."""
    model = GradientBoostingRegressor(n_estimators=3, learning_rate=1.0, max_depth=1).fit(FIVE, R)
    assert_allclose(model.start_, [2.66])
    assert_allclose(((model.start_ - R) ** 2).sum(), 10.672, rtol=1e-12)
    assert [tree.threshold[0] for tree in model.members_] == [2.5, 4.5, 2.5]
    fits = list(model.staged_predict(FIVE))
    assert_allclose(fits[0], [1.1, 1.1, 3.7, 3.7, 3.7], rtol=1e-12)
    assert_allclose(fits[1], [0.775, 0.775, 3.375, 3.375, 5.0], rtol=1e-12)
    assert_allclose(fits[2], [1.1, 1.1, 3.15833333, 3.15833333, 4.78333333], atol=5e-9)
    squares = [((F - R) ** 2).sum() for F in fits]
    assert_allclose(squares, [2.56, 0.4475, 0.09541667], atol=5e-9)
    assert_allclose(model.train_score_ * 5, squares, rtol=1e-10)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"loss": "absolute_error", "max_depth": 2},
        {"loss": "huber", "alpha": 0.8},
        {"loss": "quantile", "alpha": 0.3, "max_depth": 2},
        {"max_leaf_nodes": 5, "max_depth": None, "learning_rate": 0.5},
        {"min_samples_leaf": 20, "min_samples_split": 0.2},
        {"init": "zero", "max_depth": 1},
        {"init": DummyRegressor(strategy="constant", constant=100.0)},
        {"ccp_alpha": 50.0},
    ],
)
def test_same_answers_as_scikit_learn(given):
    """Peer: GradientBoostingRegressor, scikit-learn 1.9; its trees break ties by chance; here there are few."""
    X, y = diabetes()
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    ours = GradientBoostingRegressor(n_estimators=15, **given).fit(X, y, sample_weight=w)
    peer = sklearn.ensemble.GradientBoostingRegressor(n_estimators=15, random_state=0, **given)
    peer.fit(X, y, sample_weight=w)
    assert_allclose(ours.train_score_, peer.train_score_, rtol=1e-8)
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-8)
    for ours_now, peer_now in zip(ours.staged_predict(X), peer.staged_predict(X), strict=True):
        assert_allclose(ours_now, peer_now, rtol=1e-8)


def test_same_importances_as_scikit_learn():
    """Leaves of 20 rows: no two columns divide a node alike, so no tie is broken by chance."""
    X, y = make_friedman1(400, random_state=0)
    X, given = X.astype(np.float32), {"n_estimators": 10, "min_samples_leaf": 20}
    ours = GradientBoostingRegressor(**given).fit(X, y)
    peer = sklearn.ensemble.GradientBoostingRegressor(random_state=0, **given).fit(X, y)
    assert_allclose(ours.feature_importances_, peer.feature_importances_, atol=1e-8)


def test_sampled_rounds_have_scores_of_the_rows_left_out():
    X, y = diabetes()
    model = GradientBoostingRegressor(n_estimators=12, subsample=0.5, random_state=1).fit(X, y)
    assert model.oob_improvement_.shape == model.oob_scores_.shape == (12,)
    assert_allclose(model.oob_improvement_[1:], -np.diff(model.oob_scores_), rtol=1e-10)
    assert model.oob_score_ == model.oob_scores_[-1] < model.oob_scores_[0]
    again = GradientBoostingRegressor(n_estimators=12, subsample=0.5, random_state=1).fit(X, y)
    assert_array_equal(again.predict(X), model.predict(X))
    assert not hasattr(GradientBoostingRegressor(n_estimators=2).fit(X, y), "oob_scores_")


def test_it_stops_when_the_rows_held_out_no_longer_improve():
    X, y = make_friedman1(400, noise=1.0, random_state=0)
    model = GradientBoostingRegressor(n_estimators=1000, n_iter_no_change=5, random_state=0).fit(X, y)
    assert model.n_estimators_ == len(model) < 400
    scores = [record["validation_score"] for record in model.history_]
    assert min(scores[-5:]) > min(scores) - 1e-4
    peer = sklearn.ensemble.GradientBoostingRegressor(n_estimators=1000, n_iter_no_change=5, random_state=0)
    assert abs(peer.fit(X, y).n_estimators_ - model.n_estimators_) <= 40


def test_more_rounds_can_be_added():
    X, y = diabetes()
    grown = GradientBoostingRegressor(n_estimators=5, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=12).fit(X, y)
    at_once = GradientBoostingRegressor(n_estimators=12).fit(X, y)
    assert_allclose(grown.predict(X), at_once.predict(X), rtol=1e-10)
    assert len(grown.history_) == len(grown.train_score_) == 12
    with pytest.raises(ParameterError, match="must be larger or equal to the 12 rounds"):
        grown.set_params(n_estimators=3).fit(X, y)


def test_a_monitor_sees_every_round_and_can_end_it():
    X, y = diabetes()
    seen = []
    model = GradientBoostingRegressor(n_estimators=50)
    model.fit(X, y, monitor=lambda i, model, state: seen.append(len(model.train_score_)) or i == 3)
    assert seen == [1, 2, 3, 4] and len(model) == 4


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 999))
def test_contributions_add_up_to_the_answer(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 4)), rng.normal(size=40)
    model = GradientBoostingRegressor(n_estimators=6).fit(X, y)
    told = model.explain(X[:1])
    assert_allclose(told.sections[-1].rows[-1][2], model.predict(X[:1])[0], atol=1e-10)
    assert_allclose(told.answer, model.predict(X[:1])[0])


def test_raw_tables_trees_to_look_at_and_model_files(tmp_path):
    X, y = diabetes()
    table = pd.DataFrame({"sex": np.where(X[:, 1] > 0, "m", "f"), "bmi": X[:, 2], "bp": X[:, 3]})
    table.loc[::9, "bp"] = np.nan
    model = GradientBoostingRegressor(n_estimators=20, max_depth=2).fit(table, y)
    assert model.score(table, y) > 0.4
    assert model.estimators_.shape == (20, 1) and model.apply(table).shape == (442, 20)
    first = model.estimators_[0, 0]
    assert_allclose(first.predict(table), model.members_[0].predict(first._admit(table))[:, 0])
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").predict(table), model.predict(table))


def test_one_row_a_constant_target_and_several_targets():
    assert GradientBoostingRegressor().fit([[1.0]], [3.0]).predict([[5.0]]).tolist() == [3.0]
    model = GradientBoostingRegressor(n_estimators=3).fit([[1.0], [2.0]], [4.0, 4.0])
    assert model.predict([[5.0]]).tolist() == [4.0]
    assert_array_equal(model.feature_importances_, [0.0])
    with pytest.raises(DataError, match="1d array"):
        GradientBoostingRegressor().fit([[1.0], [2.0]], [[1.0, 2.0], [3.0, 4.0]])
    with pytest.warns(FutureWarning, match="no effect"):
        GradientBoostingRegressor(n_estimators=1, criterion="friedman_mse").fit([[1.0], [2.0]], [4.0, 4.0])


def test_each_round_keeps_the_learning_rate_it_was_made_with():
    """Scores of the model are those that boosting saw, also if a warm start changes the rate, or nobody refits."""
    X, y = load_diabetes(return_X_y=True)
    model = GradientBoostingRegressor(n_estimators=4, learning_rate=0.5, warm_start=True, random_state=0).fit(
        X, y
    )
    first = model.predict(X)
    model.set_params(learning_rate=0.01)
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), first)
    model.set_params(n_estimators=6).fit(X, y)
    assert_array_equal(model.rates_, [0.5] * 4 + [0.01] * 2)
    *_, before, _, last = model.staged_predict(X)
    assert_allclose(before, first, rtol=1e-12)
    assert_allclose(last, model.predict(X), rtol=1e-12)
    assert_allclose(np.mean((y - model.predict(X)) ** 2), model.train_score_[-1], rtol=1e-12)
