"""Partial least squares: parity with scikit-learn, sums, intervals, the number of components."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import cross_decomposition as peers
from sklearn.datasets import load_diabetes, load_linnerud
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_predict

from assay import reduce
from assay.errors import DataError, ParameterError
from assay.reduce import CCA, PLSSVD, PLSCanonical, PLSRegression

X, Y = load_linnerud(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
ATTRIBUTES = (
    "x_weights_",
    "x_loadings_",
    "x_rotations_",
    "y_weights_",
    "y_loadings_",
    "y_rotations_",
    "coef_",
)


def tables(kind):
    rng = np.random.default_rng(5)
    if kind == "linnerud":
        return X, Y
    if kind == "wide":
        return rng.normal(size=(12, 30)), rng.normal(size=(12, 3))
    return DIABETES[0], np.column_stack([DIABETES[1], rng.normal(size=442), 1e4 * DIABETES[0][:, 2] ** 2])


@pytest.mark.parametrize("kind", ["linnerud", "diabetes", "wide"])
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("name", ["PLSRegression", "PLSCanonical", "PLSSVD"])
def test_same_attributes_as_scikit_learn(name, kind, scale):
    """Peers: scikit-learn 1.9, iterated until nothing changes; signs agree as well. Not compared: n_iter_."""
    A, B = tables(kind)
    exact = {} if name == "PLSSVD" else {"tol": 1e-24, "max_iter": 100_000}
    peer = getattr(peers, name)(n_components=3, scale=scale, **exact).fit(A, B)
    ours = getattr(reduce, name)(n_components=3, scale=scale).fit(A, B)
    for attribute in (*ATTRIBUTES, "intercept_", "x_scores_", "y_scores_"):
        if hasattr(peer, attribute):
            expected = getattr(peer, attribute)
            size = np.abs(expected).max()
            assert_allclose(getattr(ours, attribute), expected, atol=1e-6 * size, err_msg=attribute)
    for a, b in zip(ours.transform(A, B), peer.transform(A, B)):
        assert_allclose(a, b, atol=1e-6 * np.abs(b).max())
    if name != "PLSSVD":
        assert_allclose(ours.predict(A), peer.predict(A), rtol=1e-6)


@pytest.mark.parametrize(
    "learner", [CCA(), PLSCanonical(), PLSRegression(), PLSSVD()], ids=lambda m: type(m).__name__
)
def test_memory_blocks_partial_fit_weights_and_dask_agree(learner):
    from dask import array
    from sklearn.base import clone

    A, B = tables("diabetes")
    counts = np.random.default_rng(0).integers(0, 3, len(A))
    whole = clone(learner).fit(A, B)
    blocks = clone(learner).fit_blocks([(A[:100], B[:100]), (A[100:], B[100:])])
    parts = clone(learner).partial_fit(A[:300], B[:300]).partial_fit(A[300:], B[300:])
    chunks = clone(learner).fit(array.from_array(A, chunks=(150, -1)), array.from_array(B, chunks=(150, -1)))
    for other in (blocks, parts, chunks):
        for a, b in zip(whole.transform(A, B), other.transform(A, B)):
            assert_allclose(a, b, atol=1e-10 * np.abs(a).max())
    weighted = clone(learner).fit(A, B, sample_weight=counts)
    repeated = clone(learner).fit(np.repeat(A, counts, axis=0), np.repeat(B, counts, axis=0))
    for a, b in zip(weighted.transform(A, B), repeated.transform(A, B)):
        assert_allclose(a, b, atol=1e-10 * np.abs(a).max())


def test_all_components_are_least_squares():
    A, y = DIABETES
    full = PLSRegression(n_components=10).fit(A, y)
    assert_allclose(full.coef_[0], LinearRegression().fit(A, y).coef_, rtol=1e-7)
    assert_allclose(full.predict(A).shape, (442,))
    assert full.fit(A, y[:, None]).predict(A).shape == (442, 1)


def test_intervals_of_all_components_are_those_of_least_squares():
    from assay.linear import LinearRegression as Ours

    A, y = DIABETES
    pls = PLSRegression(n_components=10).fit(A, y)
    assert_allclose(pls.predict_interval(A[:5]), Ours().fit(A, y).predict_interval(A[:5]), rtol=1e-7)
    unscaled = PLSRegression(n_components=10, scale=False).fit(A, y)
    assert_allclose(unscaled.predict_interval(A[:5]), pls.predict_interval(A[:5]), rtol=1e-7)
    with pytest.raises(DataError, match="one target"):
        PLSRegression().fit(X, Y).predict_interval(X)


@pytest.mark.parametrize(
    "A", [DIABETES[0], np.random.default_rng(3).normal(size=(40, 60))], ids=["tall", "wide"]
)
def test_the_number_of_components_by_cross_validation_is_that_of_refitting(A):
    y = DIABETES[1][: len(A)] + 50 * A[:, 0]
    model = PLSRegression("cv", cv=4).fit(A, y)
    for k in (1, 2, 5):
        answers = cross_val_predict(peers.PLSRegression(k), A, y, cv=KFold(4))
        folds = np.concatenate([np.full(len(t), y[r].std(ddof=1)) for r, t in KFold(4).split(A)])
        assert_allclose(model.cv_errors_[k - 1], np.mean(((y - answers) / folds) ** 2), rtol=1e-8)
    assert 1 <= model.n_components_ == model.x_rotations_.shape[1] <= np.argmin(model.cv_errors_) + 1
    with pytest.raises(ParameterError, match="more than once"):
        PLSRegression("cv").partial_fit(A, y)


def test_explanation_adds_up_to_the_answer():
    model = PLSRegression().fit(X, Y[:, 0])
    parts = model.explain(X[:3]).reasons.contributions(np.arange(3))
    assert_allclose(parts.values.sum(axis=1)[:, 0] + parts.base[0], model.predict(X[:3]), rtol=1e-12)
    assert "Terms of the answer" in str(model.explain(X[:1]))


def test_a_constant_target_warns_and_answers_its_mean():
    with pytest.warns(UserWarning, match="y residual is constant at iteration 0"):
        model = PLSRegression().fit(X, np.full(20, 3.0))
    assert_allclose(model.predict(X), 3.0)


@pytest.mark.parametrize("size", [1e-150, 1e150])
@pytest.mark.parametrize("scale", [True, False])
def test_units_change_the_units_of_the_answer_alone(size, scale):
    plain = PLSRegression(scale=scale).fit(X, Y)
    scaled = PLSRegression(scale=scale).fit(X * size, Y / size)
    assert_allclose(scaled.predict(X * size) * size, plain.predict(X), rtol=1e-9)


def test_frames_with_categories_are_taken():
    import pandas as pd

    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, 6.0], "kind": ["u", "v", "u", "v", "w"]})
    model = PLSRegression(n_components=1).fit(frame, [1.0, 2.0, 2.5, 4.0, 6.0])
    assert model.predict(frame).shape == (5,)
    assert model.get_feature_names_out().tolist() == ["plsregression0"]
