"""AdaBoost.R2: by the book, with scikit-learn, and at its ends."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
import sklearn.tree
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_score

import assay
from assay.ensembles.adaboost_regressor import AdaBoostRegressor, _weighted_median
from assay.errors import DataError


@pytest.mark.capability("IML-17-11")
@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_same_answers_as_scikit_learn(loss):
    """Peer: AdaBoostRegressor, scikit-learn 1.9, boosting the same trees of its own.

    It seeds only members that have a random_state, ours draws a seed in every round: others see other samples.
    """
    X, y = load_diabetes(return_X_y=True)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    members = sklearn.tree.DecisionTreeRegressor(max_depth=2)
    settled = {"n_estimators": 8, "loss": loss, "random_state": 2}
    ours = AdaBoostRegressor(members, **settled).fit(X, y, sample_weight=w)
    peer = sklearn.ensemble.AdaBoostRegressor(members, **settled).fit(X, y, sample_weight=w)
    assert_allclose(ours.estimator_errors_, peer.estimator_errors_, rtol=1e-9)
    assert_allclose(ours.estimator_weights_, peer.estimator_weights_, rtol=1e-9)
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-9)
    for ours_now, peer_now in zip(ours.staged_predict(X), peer.staged_predict(X), strict=True):
        assert_allclose(ours_now, peer_now, rtol=1e-9)


def test_own_trees_do_as_well_as_scikit_learns():
    X, y = load_diabetes(return_X_y=True)
    ours = cross_val_score(AdaBoostRegressor(random_state=0), X, y, cv=5).mean()
    peer = cross_val_score(sklearn.ensemble.AdaBoostRegressor(random_state=0), X, y, cv=5).mean()
    assert abs(ours - peer) < 0.03


@pytest.mark.capability("IML-17-11")
def test_history_by_the_book():
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRegressor(n_estimators=5, random_state=0).fit(X, y)
    p = np.full(len(y), 1 / len(y))
    for member, record in zip(model.members_, model.history_):
        off = np.abs(member.predict(X)[:, 0] - y)
        loss = off / off.max()
        mean = (p * loss).sum()
        beta = mean / (1 - mean)
        assert_allclose([record["loss"], record["beta"]], [mean, beta], rtol=1e-10)
        p = p * beta ** (1 - loss)
        p /= p.sum()
    assert_allclose(model.estimator_weights_, [r["log_inverse_beta"] for r in model.history_], rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999))
def test_the_weighted_median_has_half_of_the_weight_on_either_side(seed):
    rng = np.random.default_rng(seed)
    answers, weights = rng.normal(size=(4, 7)), rng.uniform(0.1, 1, 7)
    for row, median in zip(answers, _weighted_median(answers, weights)):
        assert median in row
        assert weights[row <= median].sum() >= weights.sum() / 2 - 1e-12
        assert weights[row < median].sum() < weights.sum() / 2 + 1e-12


def test_a_perfect_fit_ends_it_and_so_does_a_mean_loss_of_one_half():
    model = AdaBoostRegressor(random_state=0).fit([[1.0], [1.0], [1.0]], [2.0, 2.0, 2.0])
    assert len(model) == 1 and model.estimator_weights_[0] == 1.0 and model.predict([[9.0]]).tolist() == [2.0]
    X, y = np.zeros((6, 1)), np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    model = AdaBoostRegressor(random_state=0, n_estimators=20).fit(X, y)
    assert len(model) < 20 and np.isfinite(model.predict(X)).all()


def test_learners_without_weights_raw_tables_and_model_files(tmp_path):
    from sklearn.neighbors import KNeighborsRegressor

    X, y = load_diabetes(return_X_y=True)
    assert (
        AdaBoostRegressor(KNeighborsRegressor(), n_estimators=3, random_state=0).fit(X, y).score(X, y) > 0.4
    )
    table = pd.DataFrame({"kind": np.where(X[:, 1] > 0, "m", "f"), "bmi": X[:, 2], "bp": X[:, 3]})
    table.loc[::9, "bp"] = np.nan
    model = AdaBoostRegressor(n_estimators=5, random_state=0).fit(table, y)
    assert model.score(table, y) > 0.4
    told = model.explain(table.iloc[:1])
    assert told.answer in [row[1] for row in told.sections[0].rows]
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").predict(table), model.predict(table))


def test_several_targets_are_refused():
    with pytest.raises(DataError, match="1d array"):
        AdaBoostRegressor().fit([[1.0], [2.0]], [[1.0, 2.0], [3.0, 4.0]])
