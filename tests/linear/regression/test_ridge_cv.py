"""The penalty by leave-one-out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn import linear_model as peers
from sklearn.datasets import load_diabetes, load_linnerud
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import KFold

from assay.errors import DataError, ParameterError
from assay.linear.regression.ridge import Ridge
from assay.linear.regression.ridge_cv import RidgeCV

X, Y = load_diabetes(return_X_y=True)
ALPHAS = np.logspace(-4, 3, 8)


KINDS = {"none": {"fit_intercept": False}, "free": {}, "penalised": {"penalize_intercept": True}}


def left_out(A, y, w, alpha, kind):
    """Leave-one-out residuals, by leaving out."""
    result = []
    for i in range(len(A)):
        rest = np.arange(len(A)) != i
        model = Ridge(alpha, **KINDS[kind]).fit(A[rest], y[rest], w[rest])
        result.append(y[i] - model.predict(A[[i]])[0])
    return np.array(result)


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 10**6), wide=st.booleans(), kind=st.sampled_from(sorted(KINDS)), sparse=st.booleans()
)
def test_errors_are_those_of_leaving_out(seed, wide, kind, sparse):
    rng = np.random.default_rng(seed)
    A, y = rng.normal(size=(9, 12 if wide else 4)) + 1, rng.normal(size=(9, 2))
    w = rng.uniform(0.2, 2, 9)
    w[3] = 0.0  # a row that weighs nothing is predicted by all others
    made = RidgeCV([0.1, 5.0], store_cv_results=True, **KINDS[kind])
    model = made.fit(csr_matrix(A) if sparse else A, y, w)
    for a, alpha in enumerate((0.1, 5.0)):
        errors = left_out(A, y, w, alpha, kind)
        assert_allclose(model.cv_results_[:, :, a], w[:, None] * errors**2, rtol=1e-6, atol=1e-10)
    alone = Ridge(model.alpha_, **KINDS[kind]).fit(A, y, w)
    assert_allclose(model.coef_, alone.coef_, rtol=1e-8, atol=1e-10)
    assert_allclose(model.intercept_, alone.intercept_, rtol=1e-8, atol=1e-10)
    guesses = RidgeCV([0.1, 5.0], store_cv_results=True, scoring="r2", **KINDS[kind]).fit(A, y, w)
    assert_allclose(guesses.cv_results_[:, :, 1], y - errors, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("scoring", [None, "r2", "neg_mean_absolute_error"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["diabetes", "bodies", "wide"])
def test_same_choice_as_scikit_learn(kind, weighted, fit_intercept, scoring):
    """Peer: RidgeCV, scikit-learn 1.9."""
    rng = np.random.default_rng(0)
    A, y = {
        "diabetes": lambda: (X, Y),
        "bodies": lambda: load_linnerud(return_X_y=True),
        "wide": lambda: (rng.normal(size=(20, 50)), rng.normal(size=20)),
    }[kind]()
    w = rng.uniform(0.1, 2, len(A)) if weighted else None
    made = {"alphas": ALPHAS, "fit_intercept": fit_intercept, "scoring": scoring, "store_cv_results": True}
    ours, peer = RidgeCV(**made).fit(A, y, w), peers.RidgeCV(**made).fit(A, y, w)
    assert ours.alpha_ == peer.alpha_
    assert_allclose(ours.best_score_, peer.best_score_, rtol=1e-9)
    assert_allclose(ours.coef_, peer.coef_, rtol=1e-7, atol=1e-8 * np.abs(peer.coef_).max())
    assert ours.cv_results_.shape == peer.cv_results_.shape
    assert_allclose(ours.cv_results_, peer.cv_results_, rtol=1e-6, atol=1e-7 * np.abs(peer.cv_results_).max())
    assert RidgeCV(**{**made, "store_cv_results": False}).fit(A, y, w).alpha_ == ours.alpha_


def test_each_output_may_have_its_own_penalty():
    rng = np.random.default_rng(1)
    targets = np.column_stack((Y, X[:, 0] + rng.normal(size=len(Y))))
    made = {"alphas": ALPHAS, "alpha_per_target": True}
    for scoring in (None, "r2"):
        ours = RidgeCV(**made, scoring=scoring).fit(X, targets)
        peer = peers.RidgeCV(**made, scoring=scoring).fit(X, targets)
        assert_allclose(ours.alpha_, peer.alpha_)
        assert_allclose(ours.best_score_, peer.best_score_, rtol=1e-9)
        assert_allclose(ours.coef_, peer.coef_, rtol=1e-8)
    wide = RidgeCV(**made).fit(X[:9], targets[:9])
    assert_allclose(wide.alpha_, peers.RidgeCV(**made).fit(X[:9], targets[:9]).alpha_)


def test_a_penalised_constant_is_cross_validated_and_added_up_in_blocks():
    settings = {"alphas": ALPHAS, "penalize_intercept": True}
    model = RidgeCV(cv=3, **settings).fit(X, Y)
    alone = Ridge(model.alpha_, penalize_intercept=True).fit(X, Y)
    assert_allclose(model.intercept_, alone.intercept_, rtol=1e-9)
    whole = RidgeCV(**settings).fit(X, Y)
    blocks = RidgeCV(**settings).fit_blocks([(X[:200], Y[:200]), (X[200:], Y[200:])])
    assert_allclose(blocks.intercept_, whole.intercept_, rtol=1e-9)
    assert blocks.alpha_ == whole.alpha_


def test_cross_validation_like_scikit_learn():
    for scoring in (None, make_scorer(mean_absolute_error, greater_is_better=False)):
        made = {"alphas": ALPHAS, "cv": KFold(4, shuffle=True, random_state=0), "scoring": scoring}
        ours, peer = RidgeCV(**made).fit(X, Y), peers.RidgeCV(**made).fit(X, Y)
        assert ours.alpha_ == peer.alpha_
        assert_allclose(ours.best_score_, peer.best_score_, rtol=1e-9)
        assert_allclose(ours.coef_, peer.coef_, rtol=1e-7)


def test_blocks_and_dask_choose_the_same_penalty():
    da = pytest.importorskip("dask.array", reason="the dask extra is not installed")
    w = np.random.default_rng(2).uniform(0.5, 2, len(Y))
    whole = RidgeCV(ALPHAS).fit(X, Y, w)
    cuts = [slice(0, 30), slice(30, 300), slice(300, None)]
    blocks = RidgeCV(ALPHAS).fit_blocks([(X[c], Y[c], w[c]) for c in cuts])
    dask = RidgeCV(ALPHAS).fit(*(da.from_array(a, chunks=(100, *a.shape[1:])) for a in (X, Y, w)))
    for model in (blocks, dask):
        assert model.alpha_ == whole.alpha_
        assert_allclose(model.best_score_, whole.best_score_, rtol=1e-10)
        assert_allclose(model.coef_, whole.coef_, rtol=1e-9)
    with pytest.raises(DataError, match="all rows in memory"):
        RidgeCV(scoring="r2").fit_blocks([(X, Y)])


def test_wrong_settings_are_refused():
    for settings_, text in (
        ({"alphas": [1.0, 0.0]}, r"alphas\[1\] == 0.0, must be > 0.0"),
        ({"alphas": [-1.0]}, "alphas == -1.0"),
        ({"alphas": [1.0, -1.0], "cv": 3}, r"alphas\[1\] == -1.0, must be >= 0.0"),
        ({"alphas": ["1.0"]}, "must be an instance of float"),
        ({"cv": 3, "store_cv_results": True}, "incompatible"),
        ({"cv": 3, "alpha_per_target": True}, "incompatible"),
        ({"cv": 1}, "cv must be"),
    ):
        with pytest.raises(ParameterError, match=text):
            RidgeCV(**settings_).fit(X, Y)


def test_degenerate_tables():
    x = np.arange(5.0)
    constant = RidgeCV().fit(np.full((5, 2), 2.0), x)
    assert_allclose(constant.coef_, 0)
    assert_allclose(RidgeCV().fit([[1.0, 2.0]], [3.0]).predict([[5.0, 5.0]]), [3.0])
    with pytest.raises(DataError, match="too large"):
        RidgeCV().fit(x[:, None] * 1e200, x)
    with pytest.raises(DataError, match="too large"):
        RidgeCV().fit(np.outer(np.arange(3), np.full(4, 1e200)), x[:3])


def test_svd_of_a_sparse_table_is_on_its_way_out():
    from scipy.sparse import csr_array

    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.warns(FutureWarning, match="gcv_mode"):
        RidgeCV(gcv_mode="svd").fit(csr_array(X), X[:, 0])
