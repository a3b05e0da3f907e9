"""Gradient boosting of classes: scikit-learn, probabilities, and its ends."""

import numpy as np
import pandas as pd
import pytest
import sklearn.ensemble
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

import assay
from assay.bayes import GaussianNB
from assay.ensembles.gradient_boosting_classifier import GradientBoostingClassifier
from assay.errors import DataError, ParameterError


def single(load):
    """In single precision, which is what scikit-learn's trees see; a little noise breaks the ties."""
    X, y = load(return_X_y=True)
    noise = np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0) * 1e-3
    return (X + noise).astype(np.float32).astype(np.float64), y


@pytest.mark.capability("IML-17-11")
@pytest.mark.parametrize(
    "load, given",
    [
        (load_breast_cancer, {}),
        (load_breast_cancer, {"loss": "exponential", "max_depth": 1}),
        (load_breast_cancer, {"init": "zero", "max_leaf_nodes": 4, "learning_rate": 0.5}),
        (load_breast_cancer, {"init": GaussianNB(), "max_depth": 1}),
        (load_iris, {"max_depth": 2}),
        (load_wine, {"max_depth": 2, "min_samples_leaf": 5}),
    ],
)
def test_same_answers_as_scikit_learn(load, given):
    """Peer: GradientBoostingClassifier, scikit-learn 1.9."""
    X, y = single(load)
    w = np.random.default_rng(1).uniform(0.5, 2, len(y))
    ours = GradientBoostingClassifier(n_estimators=8, **given).fit(X, y, sample_weight=w)
    peer = sklearn.ensemble.GradientBoostingClassifier(n_estimators=8, random_state=0, **given)
    peer.fit(X, y, sample_weight=w)
    assert_allclose(ours.train_score_, peer.train_score_, rtol=1e-7)
    assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-7)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-8)
    for ours_now, peer_now in zip(ours.staged_predict_proba(X), peer.staged_predict_proba(X), strict=True):
        assert_allclose(ours_now, peer_now, atol=1e-8)


def test_as_good_as_scikit_learn_on_digits():
    X, y = load_digits(return_X_y=True)
    ours = GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X[:900], y[:900])
    peer = sklearn.ensemble.GradientBoostingClassifier(n_estimators=10, random_state=0).fit(X[:900], y[:900])
    assert abs(ours.score(X[900:], y[900:]) - peer.score(X[900:], y[900:])) < 0.02


def test_stages_end_in_the_whole():
    X, y = load_iris(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=5).fit(X, y)
    assert model.estimators_.shape == (5, 3) and model.apply(X).shape == (150, 5, 3)
    assert_allclose(list(model.staged_decision_function(X))[-1], model.decision_function(X), rtol=1e-12)
    assert_allclose(list(model.staged_predict_proba(X))[-1], model.predict_proba(X), rtol=1e-12)
    assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert [sorted(record) for record in model.history_] == [["round", "train_score"]] * 5


def test_sampled_and_stopped_early():
    X, y = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=300, subsample=0.7, n_iter_no_change=5, random_state=0)
    assert model.fit(X, y).n_estimators_ < 300
    assert {"oob_score", "oob_improvement", "validation_score"} < model.history_[0].keys()
    again = GradientBoostingClassifier(n_estimators=300, subsample=0.7, n_iter_no_change=5, random_state=0)
    assert_array_equal(again.fit(X, y).predict_proba(X), model.predict_proba(X))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 999), K=st.integers(2, 4))
def test_contributions_add_up_to_the_score_and_the_loss_falls(seed, K):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % K
    model = GradientBoostingClassifier(n_estimators=5).fit(X, y)
    assert (np.diff(model.train_score_) < 1e-12).all()
    scores, added = model.explain(X[:1]).sections
    k = 0 if K == 2 else int(np.argmax([row[1] for row in scores.rows]))
    assert_allclose(added.rows[-1][2], scores.rows[k][1], atol=1e-10)


def test_dense_sparse_and_frame_give_the_same():
    X, y = load_wine(return_X_y=True)
    dense = GradientBoostingClassifier(n_estimators=3).fit(X, y).predict_proba(X)
    for other in (sparse.csr_matrix(X), sparse.csc_array(X), pd.DataFrame(X)):
        assert_array_equal(
            GradientBoostingClassifier(n_estimators=3).fit(other, y).predict_proba(other), dense
        )


def test_raw_tables_and_model_files(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"kind": rng.choice(list("wxyz"), 300), "size": rng.normal(size=300)})
    y = np.where(table["kind"].isin(["w", "y"]) == (table["size"] > 0), "yes", "no")
    table.loc[::11, "kind"] = None
    model = GradientBoostingClassifier(n_estimators=10, max_depth=2).fit(table, y)
    assert model.score(table, y) > 0.9
    assay.save(model, tmp_path / "model.assay")
    again = assay.load(tmp_path / "model.assay")
    assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    assert again.history_ == model.history_


def test_one_class_one_row_and_what_is_refused():
    assert GradientBoostingClassifier().fit([[0.0], [1.0]], ["a", "a"]).predict_proba([[0.0]]).tolist() == [
        [1.0]
    ]
    assert GradientBoostingClassifier().fit([[0.0]], ["a"]).predict([[0.0]]).tolist() == ["a"]
    X, y = load_iris(return_X_y=True)
    with pytest.raises(DataError, match="only suitable for a binary classification problem"):
        GradientBoostingClassifier(loss="exponential").fit(X, y)
    with pytest.raises(ParameterError, match="subsample must be a number above 0 to 1"):
        GradientBoostingClassifier(subsample=0.0).fit(X, y)


def test_rows_that_are_sure_do_no_harm():
    X, y = np.arange(8.0)[:, None], np.arange(8) > 3
    model = GradientBoostingClassifier(n_estimators=400, learning_rate=1.0).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all() and model.score(X, y) == 1


def test_a_warm_start_keeps_to_its_columns_and_classes():
    X, y = load_iris(return_X_y=True, as_frame=True)
    for columns, classes in (
        (X[X.columns[::-1]], y),
        (X[X.columns[:2]], y),
        (X, y > 0),
        (X, y.replace(2, 1)),
    ):
        model = (
            GradientBoostingClassifier(n_estimators=2, warm_start=True).fit(X, y).set_params(n_estimators=4)
        )
        with pytest.raises(DataError, match="the columns, their categories and the classes must be the same"):
            model.fit(columns, classes)


def test_a_warm_start_goes_on_after_a_round_trip(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=2, warm_start=True, random_state=0).fit(X, y)
    assay.save(model, tmp_path / "model.assay")
    loaded = assay.load(tmp_path / "model.assay").set_params(n_estimators=4).fit(X, y)
    whole = GradientBoostingClassifier(n_estimators=4, random_state=0).fit(X, y)
    assert_array_equal(loaded.predict_proba(X), whole.predict_proba(X))


def test_a_rate_without_measure_lowers_the_loss_nevertheless():
    X = np.random.default_rng(0).normal(size=(60, 4))
    y = np.random.default_rng(1).integers(0, 2, 60)
    model = GradientBoostingClassifier(loss="exponential", learning_rate=1e3, n_estimators=30).fit(X, y)
    assert (np.diff(model.train_score_) <= 0).all() and model.train_score_[-1] < 0.1


@pytest.mark.parametrize("verbose, lines", [(0, 0), (1, 1 + 10 + 2), (2, 1 + 35)])
def test_verbose_prints_the_loss_of_some_rounds(verbose, lines, capsys):
    X, y = np.arange(20.0)[:, None], np.arange(20) > 9
    model = GradientBoostingClassifier(n_estimators=35, subsample=0.7, random_state=0, verbose=verbose).fit(
        X, y
    )
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == lines
    if verbose:
        assert printed[0].split() == ["Iter", "Train", "Loss", "OOB", "Improve", "Remaining", "Time"]
        number, loss, gained, _ = printed[2].split()
        assert (number, loss) == ("2", f"{model.train_score_[1]:.4f}")
        assert gained == f"{model.oob_improvement_[1]:.4f}"


def test_trees_of_a_warm_start_keep_their_own_depth(tmp_path):
    X, y = np.arange(20.0)[:, None], np.arange(20) % 5 > 2
    model = GradientBoostingClassifier(n_estimators=4, max_depth=1, warm_start=True).fit(X, y)
    model.set_params(n_estimators=6, max_depth=2).fit(X, y)
    assay.save(model, tmp_path / "model.assay")
    for one in (model, assay.load(tmp_path / "model.assay")):
        assert [tree.max_depth for tree in one.estimators_[:, 0]] == [1] * 4 + [2] * 2
