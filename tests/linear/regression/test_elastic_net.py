"""Elastic net."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_diabetes, load_linnerud
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from assay.errors import DataError, DegenerateWarning, ParameterError
from assay.linear.regression.elastic_net import ElasticNet
from assay.linear.regression.ridge import Ridge

DIABETES = load_diabetes(return_X_y=True)
CELLS, MALIGN = load_breast_cancer(return_X_y=True)
CELLS = StandardScaler().fit_transform(CELLS)


def test_two_equal_columns_share_the_weight():
    """Oracle: by hand. With s = w_1 = w_2, (2/3)(2 - 2s) = 0.05 + 0.05 s, so s = 77/83."""
    model = ElasticNet(alpha=0.1, tol=1e-15, max_iter=10_000).fit([[-1, -1], [0, 0], [1, 1]], [-2, 0, 2])
    assert_allclose(model.coef_, [77 / 83, 77 / 83], atol=1e-6)


@pytest.mark.capability("IML-4-21")
def test_without_the_absolute_penalty_it_is_ridge_regression():
    """Oracle: IML 4.8, lambda = 1 on six points with a free constant; lambda of ridge is n alpha here."""
    X = [[1, 1], [2, 1], [3, 2], [4, 3], [5, 5], [6, 4]]
    model = ElasticNet(alpha=1 / 6, l1_ratio=0, tol=1e-15, max_iter=10_000).fit(X, [3, 5, 6, 8, 9, 12])
    assert_allclose([model.intercept_, *model.coef_], [1.585542, 1.592771, 0.002410], atol=5e-7)
    X, y = DIABETES
    ours = ElasticNet(alpha=0.01, l1_ratio=0, tol=1e-14, max_iter=10_000).fit(X, y)
    assert_allclose(ours.coef_, Ridge(alpha=0.01 * len(y)).fit(X, y).coef_, rtol=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "settings",
    [
        {"alpha": 0.01},
        {"alpha": 0.05, "l1_ratio": 0.9},
        {"alpha": 0.02, "fit_intercept": False},
        {"alpha": 0.02, "positive": True},
        {"alpha": 0.02, "selection": "random", "random_state": 0},
    ],
)
@pytest.mark.parametrize("data", [DIABETES, (CELLS, MALIGN)], ids=["diabetes", "cells"])
def test_same_weights_as_scikit_learn(data, settings, sparse, weighted):
    """Peer: ElasticNet, scikit-learn 1.9.

    The objective is alpha (1 - l1_ratio) strongly convex, so that a gap g leaves the weights within the root of
    2 g / (alpha (1 - l1_ratio)) of the one minimum; here both gaps are 1e-13 of the mean square of y.
    """
    X, y = data
    w = np.random.default_rng(0).uniform(0.1, 3, len(y)) if weighted else None
    X = csr_matrix(X) if sparse else X
    ours = ElasticNet(tol=1e-13, max_iter=100_000, **settings).fit(X, y, sample_weight=w)
    peer = peers.ElasticNet(tol=1e-13, max_iter=100_000, **settings).fit(X, y, sample_weight=w)
    ridge = settings["alpha"] * (1 - settings.get("l1_ratio", 0.5))
    near = 2 * np.sqrt(2 * 1e-13 * np.average(y**2, weights=w) / ridge)
    assert_allclose(ours.coef_, peer.coef_, atol=near)
    assert_allclose(ours.intercept_, peer.intercept_, rtol=1e-7, atol=near)
    assert_array_equal(ours.predict(X).shape, y.shape)
    assert_array_equal(ours.sparse_coef_.toarray()[0], ours.coef_)


def test_several_outputs_are_so_many_models():
    X, Y = load_linnerud(return_X_y=True)
    together = ElasticNet(alpha=0.5, tol=1e-10).fit(X, Y)
    assert together.coef_.shape == (3, 3) and together.intercept_.shape == (3,)
    assert len(together.n_iter_) == len(together.history_) == len(together.dual_gap_) == 3
    for k in range(3):
        alone = ElasticNet(alpha=0.5, tol=1e-10).fit(X, Y[:, k])
        assert_allclose(together.coef_[k], alone.coef_, rtol=1e-12)
        assert_allclose(together.predict(X)[:, k], alone.predict(X), rtol=1e-12)


@pytest.mark.parametrize("precompute", [False, True, "given"])
def test_the_way_of_computing_changes_nothing(precompute):
    X, y = DIABETES
    if precompute == "given":
        centred = X - X.mean(axis=0)
        precompute = centred.T @ centred
    model = ElasticNet(alpha=0.01, tol=1e-12, precompute=precompute, max_iter=5000).fit(X, y)
    assert_allclose(model.coef_, ElasticNet(alpha=0.01, tol=1e-12, max_iter=5000).fit(X, y).coef_, rtol=1e-4)


def test_cross_products_of_another_table_are_refused():
    X, y = DIABETES
    with pytest.raises(ParameterError, match="shape"):
        ElasticNet(precompute=np.eye(3)).fit(X, y)
    with pytest.raises(ParameterError, match="cross products"):
        ElasticNet(precompute=np.eye(10), fit_intercept=False).fit(X, y)
    with pytest.warns(DegenerateWarning, match="computed again"):
        model = ElasticNet(alpha=0.01, precompute=(X + 1).T @ (X + 1)).fit(X + 1, y)
    assert_allclose(model.predict(X + 1), ElasticNet(alpha=0.01).fit(X + 1, y).predict(X + 1), rtol=1e-3)


def test_a_warm_start_needs_no_more_sweeps():
    X, y = DIABETES
    model = ElasticNet(alpha=0.001, tol=1e-8, warm_start=True, max_iter=5000).fit(X, y)
    first = model.n_iter_
    again = model.fit(X, y).n_iter_
    assert again < first
    model.fit(X[:, :5], y)  # another table: from zero
    assert model.coef_.shape == (5,)


def test_the_descent_goes_over_to_cross_products_when_it_takes_long():
    rng = np.random.default_rng(0)
    common = rng.normal(size=(300, 1))
    X = common + 0.05 * rng.normal(size=(300, 20))
    y = X @ rng.normal(size=20)
    model = ElasticNet(alpha=1e-4, tol=1e-10, max_iter=100_000).fit(X, y)
    assert [h.iteration for h in model.history_][:2] == [10, 20]
    assert model.n_iter_ == model.history_[-1].iteration > 20
    assert (np.diff([h.value for h in model.history_]) <= 1e-14).all()


def test_it_says_when_it_stopped_too_early():
    X, y = DIABETES
    with pytest.warns(ConvergenceWarning, match=r"did not converge in 3 sweeps.*Raise max_iter"):
        model = ElasticNet(alpha=1e-5, max_iter=3, tol=1e-10).fit(X, y)
    assert model.n_iter_ == 3 and model.dual_gap_ > 0


def test_names_and_categories_are_used_as_they_are():
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "colour": list("rgbrgb")})
    y = frame["size"] * 2 + (frame["colour"] == "r") * 5
    model = ElasticNet(alpha=0.001, tol=1e-12, max_iter=100_000).fit(frame, y)
    assert model.coef_.shape == (4,)
    assert_allclose(model.predict(frame), y, atol=0.1)
    text = str(model.explain(frame.head(1)))
    assert "colour" in text and "size" in text


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_scales_change_units_not_answers(scale):
    """Without a penalty, a column in other units has a weight in other units."""
    X, y = DIABETES
    unit = np.r_[scale, np.ones(9)]
    settings = {"alpha": 0.0, "tol": 1e-9, "max_iter": 100_000}
    plain, other = (ElasticNet(**settings).fit(Z, y) for Z in (X, X * unit))
    assert_allclose(other.predict(X * unit), plain.predict(X), rtol=1e-3)


def test_degenerate_tables_have_sound_answers():
    X, y = DIABETES
    same = ElasticNet(alpha=0.1).fit(X, np.full(len(y), 7.0))
    assert not same.coef_.any() and same.intercept_ == 7.0
    one_row = ElasticNet().fit(X[:1], y[:1])
    assert not one_row.coef_.any() and one_row.predict(X[:1])[0] == y[0]
    wide = ElasticNet(alpha=0.1).fit(X[:5], y[:5])
    assert np.isfinite(wide.coef_).all()
    twice = ElasticNet(alpha=0.01, tol=1e-12, max_iter=20_000).fit(np.hstack((X, X)), y)
    assert_allclose(twice.coef_[:10], twice.coef_[10:], atol=1e-3 * np.abs(twice.coef_).max())
    flat = ElasticNet(alpha=1e-3).fit(np.column_stack((X, np.full(len(y), 0.1))), y)
    assert flat.coef_[-1] == 0
    with pytest.raises(DataError, match="too large"):
        ElasticNet().fit(X * 1e200, y)
    with pytest.raises(DataError, match="zero"):
        ElasticNet().fit(X, y, sample_weight=np.zeros(len(y)))


def test_rows_of_weight_two_are_two_rows():
    X, y = DIABETES
    w = np.random.default_rng(1).integers(0, 3, len(y))
    settings = {"alpha": 0.01, "tol": 1e-13, "max_iter": 20_000}
    weighted = ElasticNet(**settings).fit(X, y, sample_weight=w)
    repeated = ElasticNet(**settings).fit(X.repeat(w, axis=0), y.repeat(w))
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-4)


def test_rows_of_weight_zero_are_no_rows():
    X, y = DIABETES
    w = np.r_[np.zeros(100), np.ones(342)]
    zero, gone = (
        ElasticNet(0.01).fit(X, y * (1 + 9 * (w == 0)), sample_weight=w),
        ElasticNet(0.01).fit(X[100:], y[100:]),
    )
    assert_array_equal(zero.coef_, gone.coef_)


def test_parameters_are_checked():
    X, y = DIABETES
    for wrong in (
        {"alpha": -1},
        {"l1_ratio": 1.5},
        {"selection": "best"},
        {"precompute": "auto"},
        {"max_iter": 0},
    ):
        with pytest.raises(ParameterError, match=f"ElasticNet: {next(iter(wrong))} must be"):
            ElasticNet(**wrong).fit(X, y)


def test_sparse_columns_far_from_zero_keep_their_weights():
    """Once they grew to 1e200, and nobody said so."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4, 150)) + 10 ** rng.uniform(-2, 6, 150)
    y = rng.normal(size=4)
    settings = {"alpha": 1e-3, "l1_ratio": 0.0, "selection": "random", "random_state": 0, "max_iter": 100_000}
    sparse, dense = (ElasticNet(**settings, tol=1e-6).fit(form(X), y) for form in (csr_matrix, np.asarray))
    assert_array_equal(sparse.coef_, dense.coef_)


def test_an_infinite_penalty_is_refused():
    with pytest.raises(ParameterError, match="alpha must be a number from 0 up, got inf"):
        ElasticNet(alpha=np.inf).fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("tol", [1e-8, 1e-10, 1e-14])
@pytest.mark.parametrize("alpha, l1_ratio", [(0.1, 0.5), (0.01, 0.7), (0.001, 0.3)])
def test_tight_tolerances_give_the_weights_of_scikit_learn(alpha, l1_ratio, tol, weighted):
    """A gap of 1e-10 leaves weights that differ by its root; they must also have come to rest."""
    A, b = load_diabetes(return_X_y=True)
    w = np.random.default_rng(0).uniform(0.2, 3, len(b)) if weighted else None
    given = {"alpha": alpha, "l1_ratio": l1_ratio, "max_iter": 100_000}
    peer = peers.ElasticNet(tol=1e-15, **given).fit(A, b, sample_weight=w)
    for table in (A, np.tile(A, (5, 1))):
        again = w if w is None or len(table) == len(A) else np.tile(w, 5)
        ours = ElasticNet(tol=tol, **given).fit(table, np.tile(b, len(table) // len(b)), sample_weight=again)
        assert_allclose(ours.coef_, peer.coef_, rtol=1e-6, atol=1e-6 * np.abs(peer.coef_).max())


def test_a_warm_start_of_whole_numbers_is_no_rounding():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([0.5, 0.25, 0.75])
    model = ElasticNet(alpha=1e-8, fit_intercept=False, warm_start=True, tol=1e-12)
    model.coef_ = np.array([1, 1000])
    assert_allclose(model.fit(X, y).coef_, [0.5, 0.25], atol=1e-6)


def test_cross_products_that_are_not_those_of_centred_columns_are_refused():
    X, y = DIABETES
    garbage = np.random.default_rng(0).normal(size=X.shape)
    with pytest.raises(ValueError, match="did not pass validation"):
        ElasticNet(alpha=0.01, precompute=garbage.T @ garbage).fit(X - X.mean(axis=0), y)


@pytest.mark.parametrize("check_input", [True, False])
def test_rows_are_checked_whatever_check_input_says(check_input):
    X, y = DIABETES
    assert ElasticNet(0.1).fit(X, y, check_input=check_input).coef_.any()
    with pytest.raises(ValueError, match="missing"):
        ElasticNet(0.1).fit(np.full_like(X, np.nan), y, check_input=check_input)
