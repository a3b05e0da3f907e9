"""Ridge regression on -1 and +1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from assay.errors import DataError, ParameterError
from assay.linear.discriminants.ridge_classifier import RidgeClassifier
from assay.linear.regression import least_squares_learner
from assay.linear.regression.ridge import Ridge

X, Y = load_breast_cancer(return_X_y=True)


@pytest.mark.capability("LS-17")
def test_the_sign_of_least_squares_decides():
    """Regression on -1 and +1 (LS-4), worked by hand: slope 6/10 and constant 0, so the sign of x decides."""
    x, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([-1, -1, 1, 1])
    model = RidgeClassifier(alpha=0.0).fit(x, y)
    assert_allclose(model.coef_, [0.6])
    assert_allclose(model.decision_function(x), 0.6 * x[:, 0], atol=1e-15)
    assert_array_equal(model.predict(x), np.sign(model.decision_function(x)))
    least = Ridge(0.0).fit(X, 2.0 * Y - 1)
    ours = RidgeClassifier(alpha=0.0).fit(X, Y)
    assert_allclose(ours.decision_function(X), least.predict(X), atol=1e-6)
    assert_array_equal(ours.predict(X), least.predict(X) > 0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0, 1: 0.5}])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_same_weights_as_scikit_learn(load, class_weight, weighted):
    """Peer: RidgeClassifier, scikit-learn 1.9, solver "svd". "balanced" counts rows, not their weights, as there."""
    A, y = load(return_X_y=True)
    w = np.random.default_rng(0).uniform(0.1, 2, len(y)) if weighted else None
    for settings in ({}, {"fit_intercept": False, "alpha": 20.0}):
        made = {"class_weight": class_weight, **settings}
        ours, peer = (
            RidgeClassifier(**made).fit(A, y, w),
            peers.RidgeClassifier(solver="svd", **made).fit(A, y, w),
        )
        assert_allclose(ours.coef_, peer.coef_, atol=1e-8)
        assert_allclose(ours.intercept_, peer.intercept_, atol=1e-7)
        assert_array_equal(ours.predict(A), peer.predict(A))
        sparse = RidgeClassifier(**made).fit(csr_matrix(A), y, w)
        assert_allclose(sparse.decision_function(A), ours.decision_function(A), atol=1e-8)


def test_fewer_rows_than_columns_like_scikit_learn():
    A, y = load_digits(return_X_y=True)
    few = slice(0, 40)
    for class_weight in (None, "balanced"):
        ours = RidgeClassifier(class_weight=class_weight).fit(A[few], y[few])
        peer = peers.RidgeClassifier(class_weight=class_weight, solver="svd").fit(A[few], y[few])
        assert_allclose(ours.coef_, peer.coef_, atol=1e-12)
        assert_array_equal(ours.predict(A), peer.predict(A))


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_blocks_dask_and_rows_added_later_give_the_same_weights(class_weight):
    da = pytest.importorskip("dask.array", reason="the dask extra is not installed")
    A, y = load_wine(return_X_y=True)
    order = np.random.default_rng(1).permutation(len(y))
    A, y = A[order], y[order]
    w = np.random.default_rng(2).uniform(0.5, 2, len(y))
    whole = RidgeClassifier(class_weight=class_weight).fit(A, y, w)
    cuts = [slice(0, 10), slice(10, 90), slice(90, None)]
    later = RidgeClassifier(class_weight=class_weight)
    for c in cuts:
        later.partial_fit(A[c], y[c], classes=[0, 1, 2], sample_weight=w[c])
    blocks = RidgeClassifier(class_weight=class_weight).fit_blocks([(A[c], y[c], w[c]) for c in cuts])
    dask = RidgeClassifier(class_weight=class_weight).fit(
        *(da.from_array(a, chunks=(50, *a.shape[1:])) for a in (A, y, w))
    )
    for model in (later, blocks, dask):
        assert_allclose(model.decision_function(A), whole.decision_function(A), atol=1e-8)


def test_sparse_tables_of_many_columns_go_by_iterations(monkeypatch):
    A, y = load_iris(return_X_y=True)
    direct = RidgeClassifier(class_weight="balanced").fit(A, y)
    monkeypatch.setattr(least_squares_learner, "PRODUCT_COLUMNS", 3)
    model = RidgeClassifier(class_weight="balanced", tol=1e-12).fit(csr_matrix(A), y)
    assert_allclose(model.coef_, direct.coef_, atol=1e-9)


def test_scores_are_no_probabilities_and_have_a_geometry():
    model = RidgeClassifier().fit(X, Y)
    assert not hasattr(model, "predict_proba")
    foot = model.project(X[:5])
    assert_allclose(foot @ model.coef_ + model.intercept_, 0, atol=1e-9)
    distance = np.linalg.norm(X[:5] - foot, axis=1)
    assert_allclose(np.abs(model.signed_distance(X[:5])), distance, rtol=1e-6)
    assert "score" in str(model.explain(X[:1]))


def test_degenerate_classes_and_weights():
    one = RidgeClassifier().fit(X[:20], np.zeros(20))
    assert_array_equal(one.predict(X[:3]), [0, 0, 0])
    with pytest.raises(ParameterError, match="label 7"):
        RidgeClassifier(class_weight={7: 1.0}).fit(X, Y)
    with pytest.raises(ParameterError, match="not all 0"):
        RidgeClassifier(class_weight={0: 0.0, 1: 0.0}).fit(X, Y)
    with pytest.raises(ParameterError, match="only when positive=True"):
        RidgeClassifier(solver="lbfgs").fit(X, Y)
    with pytest.raises(DataError, match="too large"):
        RidgeClassifier().fit(X * 1e200, Y)
    ignored = RidgeClassifier(class_weight={2: 0.0}).fit(*load_iris(return_X_y=True))
    assert 2 not in ignored.predict(load_iris().data)
