"""Ridge regression."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix, random_array
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_diabetes, load_linnerud

from assay.errors import DataError, ParameterError
from assay.linear.regression import least_squares_learner
from assay.linear.regression.linear_regression import LinearRegression
from assay.linear.regression.ridge import Ridge
from assay.linear.regression.ridge_cv import RidgeCV

INPUTS = np.array([[1, 1], [2, 1], [3, 2], [4, 3], [5, 5], [6, 4]], dtype=float)
OUTPUTS = np.array([3.0, 5.0, 6.0, 8.0, 9.0, 12.0])
X, Y = load_diabetes(return_X_y=True)
CELLS = load_breast_cancer().data


@pytest.mark.capability("IML-4-21")
def test_six_points_with_a_free_and_with_a_penalised_constant():
    """Oracle: IML 4.8 and 5.8, lambda = 1: (D'D + I)^-1 D'r, and the same with the constant left free."""
    free = Ridge(alpha=1.0).fit(INPUTS, OUTPUTS)
    assert_allclose([free.intercept_, *free.coef_], [1.585542, 1.592771, 0.002410], atol=5e-7)
    every = Ridge(alpha=1.0, penalize_intercept=True).fit(INPUTS, OUTPUTS)
    assert_allclose([every.intercept_, *every.coef_], [0.866930, 1.753623, 0.006588], atol=5e-7)
    D = np.column_stack((np.ones(6), INPUTS))
    assert_allclose(
        [every.intercept_, *every.coef_], np.linalg.solve(D.T @ D + np.eye(3), D.T @ OUTPUTS), rtol=1e-11
    )


@pytest.mark.capability("IML-4-21")
def test_the_penalty_by_cross_validation_is_the_one_of_least_left_out_error():
    alphas = np.logspace(-3, 2, 11)
    errors = []
    for alpha in alphas:
        left = [
            Ridge(alpha).fit(np.delete(INPUTS, i, 0), np.delete(OUTPUTS, i)).predict(INPUTS[[i]])[0]
            for i in range(6)
        ]
        errors.append(np.mean((OUTPUTS - left) ** 2))
    chosen = RidgeCV(alphas).fit(INPUTS, OUTPUTS)
    assert chosen.alpha_ == alphas[np.argmin(errors)]
    assert_allclose(-chosen.best_score_, min(errors), rtol=1e-10)
    assert_allclose(chosen.coef_, Ridge(chosen.alpha_).fit(INPUTS, OUTPUTS).coef_, rtol=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-6, 1.0, 1e4])
@pytest.mark.parametrize(
    "data", [(X, Y), load_linnerud(return_X_y=True), (CELLS, CELLS[:, ::-1] @ np.ones(30))]
)
def test_same_weights_as_scikit_learn(data, alpha, fit_intercept, weighted):
    """Peer: Ridge, scikit-learn 1.9, solver "svd"."""
    A, y = data
    w = np.random.default_rng(0).uniform(0, 2, len(A)) if weighted else None
    ours = Ridge(alpha, fit_intercept=fit_intercept).fit(A, y, w)
    peer = peers.Ridge(alpha, fit_intercept=fit_intercept, solver="svd").fit(A, y, w)
    assert_allclose(ours.coef_, peer.coef_, rtol=1e-6, atol=1e-7 * np.abs(peer.coef_).max())
    assert_allclose(ours.intercept_, peer.intercept_, rtol=1e-7, atol=1e-7 * np.abs(y).max())
    sparse = Ridge(alpha, fit_intercept=fit_intercept).fit(csr_matrix(A), y, w)
    assert_allclose(sparse.predict(A), ours.predict(A), rtol=1e-6, atol=1e-7 * np.abs(y).max())


@pytest.mark.parametrize("solver", ["auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga"])
def test_every_solver_name_gives_the_same_weights(solver):
    assert_array_equal(Ridge(solver=solver, random_state=0).fit(X, Y).coef_, Ridge().fit(X, Y).coef_)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), penalised=st.booleans(), wide=st.booleans())
def test_the_gradient_vanishes(seed, penalised, wide):
    rng = np.random.default_rng(seed)
    A, y, w = rng.normal(size=(12, 20 if wide else 4)) + 2, rng.normal(size=12), rng.uniform(0, 2, 12)
    alpha = 10.0 ** rng.uniform(-3, 3)
    model = Ridge(alpha, penalize_intercept=penalised).fit(A, y, w)
    residual = w * (y - model.predict(A))
    assert_allclose(residual @ A, alpha * model.coef_, atol=1e-8)
    assert_allclose(residual.sum(), alpha * model.intercept_ if penalised else 0, atol=1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), wide=st.booleans())
def test_weights_below_zero_can_be_forbidden(seed, wide):
    """The gradient vanishes where a weight is above 0, and does not pull upwards where it is 0."""
    rng = np.random.default_rng(seed)
    A, y = rng.normal(size=(15, 25 if wide else 5)), rng.normal(size=15)
    model = Ridge(0.5, positive=True).fit(A, y)
    assert (model.coef_ >= 0).all() and model.solver_ == "lbfgs"
    pull = (y - model.predict(A)) @ A - 0.5 * model.coef_
    assert_allclose(pull[model.coef_ > 0], 0, atol=1e-9)
    assert (pull < 1e-9).all()


def test_each_output_may_have_its_own_penalty():
    rng = np.random.default_rng(1)
    targets = np.column_stack((Y, X[:, 0] + rng.normal(size=len(Y)), Y))
    alphas = [0.1, 3.0, 0.1]
    for rows in (slice(None), slice(0, 8)):
        model = Ridge(alphas).fit(X[rows], targets[rows])
        alone = [Ridge(a).fit(X[rows], t[rows]) for a, t in zip(alphas, targets.T)]
        assert_allclose(model.coef_, [m.coef_ for m in alone], rtol=1e-12)
        assert_allclose(model.intercept_, [m.intercept_ for m in alone], rtol=1e-12)
    with pytest.raises(ParameterError, match="2 != 3"):
        Ridge([1.0, 2.0]).fit(X, targets)


@pytest.mark.parametrize("penalised", [False, True])
def test_blocks_dask_and_rows_added_later_give_the_same_weights(penalised):
    da = pytest.importorskip("dask.array", reason="the dask extra is not installed")
    w = np.random.default_rng(2).uniform(0.5, 2, len(Y))
    made = lambda: Ridge(2.0, penalize_intercept=penalised)  # noqa: E731
    whole = made().fit(X, Y, w)
    cuts = [slice(0, 4), slice(4, 300), slice(300, None)]
    later = made()
    for c in cuts:
        later.partial_fit(X[c], Y[c], sample_weight=w[c])
    blocks = made().fit_blocks([(X[c], Y[c], w[c]) for c in cuts])
    dask = made().fit(*(da.from_array(a, chunks=(100, *a.shape[1:])) for a in (X, Y, w)))
    for model in (later, blocks, dask):
        assert_allclose(model.coef_, whole.coef_, rtol=1e-10)
        assert_allclose(model.intercept_, whole.intercept_, rtol=1e-12)


@pytest.mark.parametrize("penalised", [False, True])
def test_sparse_tables_of_many_columns_go_by_iterations(penalised, monkeypatch):
    rng = np.random.default_rng(3)
    S = random_array((200, 15), density=0.3, rng=rng, format="csr")
    y, w = rng.normal(size=200) + 2, rng.uniform(0.1, 2, 200)
    direct = Ridge(0.3, penalize_intercept=penalised).fit(S, y, w)
    monkeypatch.setattr(least_squares_learner, "PRODUCT_COLUMNS", 5)
    model = Ridge(0.3, tol=1e-12, penalize_intercept=penalised).fit(S, y, w)
    assert_allclose(model.coef_, direct.coef_, atol=1e-9)
    assert_allclose(model.intercept_, direct.intercept_, atol=1e-9)


def test_tiny_penalties_on_dependent_columns_stay_sound():
    rng = np.random.default_rng(4)
    Z = rng.normal(size=(60, 3))
    A = np.column_stack((Z, Z[:, 0]))
    model = Ridge(1e-12).fit(A, Z @ [2.0, 1.0, -1.0])
    assert_allclose(model.coef_, [1, 1, -1, 1], atol=1e-6)
    assert_allclose(Ridge(0.0).fit(Z, Z @ [2.0, 1.0, -1.0]).coef_, [2, 1, -1], rtol=1e-12)
    wide = rng.normal(size=(5, 9))
    wide[4] = wide[3]  # a row twice
    assert_allclose(
        Ridge(1e-13).fit(wide, [1.0, 2.0, 3.0, 4.0, 4.0]).predict(wide), [1, 2, 3, 4, 4], atol=1e-8
    )


def test_degenerate_tables():
    x = np.arange(6.0)
    constant = Ridge().fit(np.column_stack((x, np.full(6, 1e6))), x)
    assert constant.coef_[1] == 0
    assert_allclose(constant.coef_[0], 17.5 / 18.5)
    one = Ridge().fit([[1.0, 2.0]], [5.0])
    assert_array_equal(one.coef_, [0, 0])
    scale = 10.0 ** np.array([-12.0, 12.0])
    A = np.random.default_rng(5).normal(size=(50, 2))
    extreme = Ridge(1e-3).fit(A * scale, A @ [1.0, 1.0])
    assert_allclose(extreme.coef_[0], 0, atol=1e-7)  # too dear for such a small column
    assert np.isfinite(extreme.coef_).all()
    with pytest.raises(DataError, match="too large"):
        Ridge().fit(x[:, None] * 1e180, x)


def test_what_scikit_learn_refuses_is_refused():
    with pytest.raises(ParameterError, match="only when positive=True"):
        Ridge(solver="lbfgs").fit(X, Y)
    with pytest.raises(ParameterError, match="does not support positive"):
        Ridge(solver="svd", positive=True).fit(X, Y)
    with pytest.raises(ParameterError, match="alpha"):
        Ridge(-1.0).fit(X, Y)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_shapes_for_a_table_of_one_target_are_those_of_scikit_learn(fit_intercept):
    for name in ("Ridge", "RidgeCV", "LinearRegression"):
        made = {"Ridge": Ridge, "RidgeCV": RidgeCV, "LinearRegression": LinearRegression}[name]
        ours = made(fit_intercept=fit_intercept).fit(X, Y[:, None])
        peer = getattr(peers, name)(fit_intercept=fit_intercept).fit(X, Y[:, None])
        for part in ("coef_", "intercept_"):
            assert np.shape(getattr(ours, part)) == np.shape(getattr(peer, part)), name
        assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-8)


def test_without_a_penalty_it_is_linear_regression():
    assert_allclose(Ridge(0.0).fit(X, Y).coef_, LinearRegression().fit(X, Y).coef_, rtol=1e-9)
