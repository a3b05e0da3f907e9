"""The penalty of the ridge classifier by leave-one-out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from assay.errors import DataError
from assay.linear.discriminants.ridge_classifier import RidgeClassifier
from assay.linear.discriminants.ridge_classifier_cv import RidgeClassifierCV

ALPHAS = np.logspace(-3, 3, 7)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_same_choice_as_scikit_learn(load, class_weight, weighted):
    """Peer: RidgeClassifierCV, scikit-learn 1.9."""
    A, y = load(return_X_y=True)
    w = np.random.default_rng(0).uniform(0.1, 2, len(y)) if weighted else None
    made = {"alphas": ALPHAS, "class_weight": class_weight, "store_cv_results": True}
    ours, peer = RidgeClassifierCV(**made).fit(A, y, w), peers.RidgeClassifierCV(**made).fit(A, y, w)
    assert ours.alpha_ == peer.alpha_
    assert_allclose(ours.best_score_, peer.best_score_, rtol=1e-8)
    assert_allclose(ours.coef_, peer.coef_, atol=1e-6)
    assert_allclose(ours.cv_results_, peer.cv_results_, atol=1e-6)
    assert_array_equal(ours.predict(A), peer.predict(A))


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_accuracy_is_that_of_leaving_out(load):
    """Not compared with the peer, whose scorer for two classes sees one class only and calls every choice perfect."""
    A, y = load(return_X_y=True)
    rows = np.random.default_rng(1).permutation(len(y))[:40]
    A, y = A[rows], y[rows]
    result = RidgeClassifierCV([0.1, 10.0], scoring="accuracy").fit(A, y)
    shares = []
    for alpha in (0.1, 10.0):
        hits = []
        for i in range(len(y)):
            rest = np.arange(len(y)) != i
            hits.append(RidgeClassifier(alpha).fit(A[rest], y[rest]).predict(A[[i]])[0] == y[i])
        shares.append(np.mean(hits))
    assert_allclose(result.best_score_, max(shares))
    assert result.alpha_ == (0.1, 10.0)[int(np.argmax(shares))]


def test_cross_validation_like_scikit_learn():
    A, y = load_wine(return_X_y=True)
    made = {"alphas": ALPHAS, "cv": 3, "class_weight": "balanced"}
    ours, peer = RidgeClassifierCV(**made).fit(A, y), peers.RidgeClassifierCV(**made).fit(A, y)
    assert ours.alpha_ == peer.alpha_
    assert_allclose(ours.coef_, peer.coef_, atol=1e-8)


def test_blocks_give_the_same_model_and_few_rows_too():
    A, y = load_iris(return_X_y=True)
    order = np.random.default_rng(2).permutation(150)
    A, y = A[order], y[order]
    whole = RidgeClassifierCV(ALPHAS, class_weight="balanced").fit(A, y)
    blocks = RidgeClassifierCV(ALPHAS, class_weight="balanced").fit_blocks(
        [(A[:70], y[:70]), (A[70:], y[70:])]
    )
    assert blocks.alpha_ == whole.alpha_
    assert_allclose(blocks.coef_, whole.coef_, rtol=1e-9)
    wide = np.random.default_rng(3).normal(size=(20, 30))
    few = RidgeClassifierCV(ALPHAS).fit(wide, np.arange(20) % 3)
    assert few.alpha_ == peers.RidgeClassifierCV(ALPHAS).fit(wide, np.arange(20) % 3).alpha_
    with pytest.raises(DataError, match="all rows in memory"):
        RidgeClassifierCV(cv=3).fit_blocks([(A, y)])
