"""Probabilities of machines: they agree with the decision, and are worth as much as those of folds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris, load_wine, make_classification
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.preprocessing import scale

from assay.decide import SigmoidCalibrator
from assay.optimize.sigmoid import fit_sigmoid
from assay.svm import SVC, NuSVC
from assay.svm.probabilities import agreeing, coupled, side_probability
from assay.svm.votes import pairs_of


def two_classes(share=0.5, n=3000, seed=0):
    X, y = make_classification(
        n, 20, n_informative=10, n_redundant=2, flip_y=0.05, class_sep=0.5, weights=[share], random_state=seed
    )
    return scale(X), y


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("settings", [{}, {"class_weight": "balanced"}, {"C": 0.1}], ids=str)
def test_two_classes_agree_with_the_decision_and_keep_its_order(share, settings):
    X, y = two_classes(share)
    model = SVC(gamma=0.05, **settings).fit(X[:800], y[:800])
    p, scores = model.predict_proba(X[800:]), model.decision_function(X[800:])
    assert_array_equal(model.classes_[np.argmax(p, axis=1)], model.predict(X[800:]))
    assert_allclose(p.sum(axis=1), 1.0)
    rank = np.argsort(scores, kind="stable")
    assert (np.diff(p[rank, 1]) >= 0).all()
    assert_allclose(roc_auc_score(y[800:], p[:, 1]), roc_auc_score(y[800:], scores), atol=1e-3)


@pytest.mark.parametrize(
    "model", [SVC(), SVC(multi_class="ovr"), SVC(kernel="linear", C=0.01), NuSVC(nu=0.2)], ids=str
)
@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_many_classes_agree_with_the_decision(model, load):
    X, y = load(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[:600]
    X, y = scale(X)[rows], y[rows]
    half = len(y) // 2
    p = model.fit(X[:half], y[:half]).predict_proba(X[half:])
    assert_array_equal(np.argmax(p, axis=1), model.predict(X[half:]))
    assert_allclose(p.sum(axis=1), 1.0)
    assert (p >= 0).all()
    if model.multi_class == "ovo" or load is not load_digits:
        assert log_loss(y[half:], p) < 0.6


@pytest.mark.capability("IML-13-32")
def test_the_curve_is_platts_on_the_scores_left_out():
    X, y = two_classes(n=400)
    model = SVC(gamma=0.05).fit(X, y)
    curve = SigmoidCalibrator().fit([-1.0, 0.5, 2.0], [0, 0, 1])
    assert (curve.a_, curve.b_) == fit_sigmoid(np.array([-1.0, 0.5, 2.0]), np.array([0, 0, 1]), np.ones(3))
    scores = model.decision_function(X)
    platt = 1 / (1 + np.exp(model.probA_[0] * scores + model.probB_[0]))
    p = model.predict_proba(X)[:, 1]
    same_side = (platt > 0.5) == (scores > 0)
    assert_allclose(p[same_side], platt[same_side], atol=1e-6)
    assert_allclose(p[~same_side], 0.5, atol=1e-6)


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_they_are_as_good_as_those_of_five_folds(C):
    """Peer: Platt's curve on the scores of five folds, which costs four more fits."""
    X, y = two_classes()
    train, test = np.arange(1000), np.arange(1000, 3000)
    model = SVC(C=C, gamma=0.05)
    folds = cross_val_predict(
        SVC(C=C, gamma=0.05, probability=False), X[train], y[train], cv=5, method="decision_function"
    )
    ours = model.fit(X[train], y[train])
    curve = SigmoidCalibrator().fit(folds, y[train])
    peer = log_loss(y[test], curve.predict(ours.decision_function(X[test])))
    assert log_loss(y[test], ours.predict_proba(X[test])) < 1.01 * peer


def test_coupling_minimises_its_sum_of_squares():
    draw = np.random.default_rng(0)
    K, r = 5, draw.uniform(0.05, 0.95, (4, 10))

    def loss(p, row):
        return sum(((1 - r[row, k]) * p[i] - r[row, k] * p[j]) ** 2 for k, (i, j) in enumerate(pairs_of(K)))

    best = coupled(r, K)
    for row in range(4):
        for _ in range(50):
            other = np.abs(best[row] + draw.normal(size=K) * 0.05)
            assert loss(best[row], row) <= loss(other / other.sum(), row) + 1e-12


def test_probabilities_made_to_agree_are_the_nearest_that_do():
    draw = np.random.default_rng(0)
    p, winner = draw.dirichlet(np.ones(4), 200), draw.integers(0, 4, 200)
    q = agreeing(p, winner)
    assert_array_equal(np.argmax(q, axis=1), winner)
    assert_allclose(q.sum(axis=1), 1.0)
    for i in range(200):
        distance = ((q[i] - p[i]) ** 2).sum()
        for _ in range(20):
            other = draw.dirichlet(np.ones(4))
            other[[winner[i], np.argmax(other)]] = other[[np.argmax(other), winner[i]]]
            assert distance <= ((other - p[i]) ** 2).sum() + 1e-5


def test_a_curve_that_rises_the_wrong_way_is_flat():
    assert_allclose(
        side_probability(np.array([[-1.0], [1.0]]), np.array([0.0]), np.array([2.0])),
        [[0.1192], [0.5]],
        atol=1e-4,
    )
