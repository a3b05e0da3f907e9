"""AdaBoost.M2: the pseudo-loss, its bound, and many classes with stumps."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split

import assay
from assay.bayes import GaussianNB
from assay.ensembles.adaboost_classifier import AdaBoostClassifier
from assay.ensembles.adaboost_m2 import AdaBoostM2Classifier
from assay.errors import DegenerateError


def played_back(model, X, y):
    """Pseudo-losses and weights, straight from the definition, with what the members say."""
    n, K = len(y), len(model.classes_)
    D = {(i, k): 1 / (n * (K - 1)) for i in range(n) for k in range(K) if k != y[i]}
    losses = []
    for member in model.members_:
        h = model._plausibility(member, X)
        loss = 0.5 * sum(d * (1 - h[i, y[i]] + h[i, k]) for (i, k), d in D.items())
        beta = loss / (1 - loss)
        D = {(i, k): d * beta ** (0.5 * (1 + h[i, y[i]] - h[i, k])) for (i, k), d in D.items()}
        total = sum(D.values())
        D = {pair: d / total for pair, d in D.items()}
        losses.append(loss)
    return losses


@pytest.mark.capability("IML-17-11")
@pytest.mark.parametrize("estimator", [None, GaussianNB()])
def test_pseudo_losses_by_the_book(estimator):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3] + np.random.default_rng(0).normal(0, 0.5, (50, 4)), y[::3]
    model = AdaBoostM2Classifier(estimator, n_estimators=6).fit(X, y)
    losses = [record["pseudo_loss"] for record in model.history_]
    assert_allclose(losses, played_back(model, X, y), rtol=1e-10)
    assert_allclose(model.estimator_weights_, [np.log((1 - e) / e) for e in losses], rtol=1e-12)


@pytest.mark.capability("IML-17-11")
def test_for_two_classes_the_pseudo_loss_is_the_error():
    """With votes of 0 and 1 for two classes, M2 weighs rows as M1 does: IML 17.7, the ten points."""
    X, y = np.arange(10.0)[:, None], np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])
    model = AdaBoostM2Classifier(n_estimators=3).fit(X, y)
    assert_allclose(model.estimator_errors_, [0.3, 3 / 14, 2 / 11], rtol=1e-12)
    assert_allclose(model.history_[-1]["bound"], 0.58019253, atol=5e-9)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 999), K=st.integers(2, 5))
def test_the_training_error_stays_below_the_bound(seed, K):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)), rng.integers(K, size=40)
    for record in AdaBoostM2Classifier(n_estimators=8).fit(X, y).history_:
        assert record["training_error"] <= record["bound"] + 1e-9
        assert record["pseudo_loss"] < 0.5


def test_stumps_tell_ten_digits_apart():
    """SAMME with stumps needs far more rounds: each stump names two digits of ten."""
    X, y = load_digits(return_X_y=True)
    A, B, a, b = train_test_split(X, y, random_state=0)
    ours = AdaBoostM2Classifier(n_estimators=100).fit(A, a)
    assert ours.score(B, b) > 0.9 > AdaBoostClassifier(n_estimators=100).fit(A, a).score(B, b)


def test_the_classes_plausible_in_a_leaf_are_the_best_choice_for_it():
    """No other set of classes for a leaf of the first tree has a smaller pseudo-loss."""
    X, y = load_iris(return_X_y=True)
    model = AdaBoostM2Classifier(n_estimators=1).fit(X, y)
    tree, leaf = model.members_[0], model.members_[0].apply(X)
    D = np.where(np.eye(3)[y] == 1, 0.0, 1 / 300)

    def pseudo_loss(h):
        return 0.5 * (D * (1 - h[np.arange(150), y][:, None] + h)).sum()

    best = pseudo_loss((tree.values > 0)[leaf].astype(float))
    assert_allclose(best, model.estimator_errors_[0], rtol=1e-12)
    for at in np.unique(leaf):
        for bits in range(8):
            other = (tree.values > 0).astype(float)
            other[at] = [bits & 1, bits >> 1 & 1, bits >> 2]
            assert pseudo_loss(other[leaf]) >= best - 1e-12
    assert model.estimators_[0].predict(X).shape == (150, 3)


def test_stages_end_in_the_whole_and_shares_in_probabilities():
    X, y = load_wine(return_X_y=True)
    model = AdaBoostM2Classifier(n_estimators=7).fit(X, y)
    P = model.predict_proba(X)
    assert_allclose(P.sum(axis=1), 1)
    assert_allclose(list(model.staged_predict_proba(X))[-1], P, rtol=1e-12)
    assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    assert_allclose(P, model.vote_shares(X) / model.vote_shares(X).sum(axis=1, keepdims=True), rtol=1e-12)
    told = model.explain(X[:1])
    k = int(np.argmax(model.vote_shares(X[:1])))
    assert_allclose(told.sections[1].rows[-1][2], told.sections[0].rows[k][1], atol=1e-12)


def test_no_error_one_class_one_row_and_no_hope():
    alone = AdaBoostM2Classifier().fit([[0.0], [1.0]], ["a", "b"])
    assert len(alone) == 1 and alone.predict([[0.0], [1.0]]).tolist() == ["a", "b"]
    assert AdaBoostM2Classifier().fit([[0.0], [1.0]], ["a", "a"]).predict_proba([[0.0]]).tolist() == [[1.0]]
    assert AdaBoostM2Classifier().fit([[0.0]], ["a"]).predict([[0.0]]).tolist() == ["a"]
    with pytest.raises(DegenerateError, match="no better than chance"):
        AdaBoostM2Classifier().fit(np.zeros((4, 1)), [0, 1, 0, 1])


def test_raw_tables_and_model_files(tmp_path):
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"kind": rng.choice(list("xyz"), 90), "size": rng.normal(size=90)})
    y = np.where(table["size"] > 1, "big", table["kind"])
    table.loc[::9, "size"] = np.nan
    model = AdaBoostM2Classifier(n_estimators=20).fit(table, y)
    assert model.score(table, y) > 0.9
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").predict_proba(table), model.predict_proba(table))
