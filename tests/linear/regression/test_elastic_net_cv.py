"""Elastic net with a penalty by cross-validation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit

from assay.errors import DataError, ParameterError
from assay.linear.regression.elastic_net import ElasticNet
from assay.linear.regression.elastic_net_cv import ElasticNetCV

X, Y = load_diabetes(return_X_y=True)
CELLS = load_breast_cancer(return_X_y=True)
EXACT = {"tol": 1e-11, "max_iter": 100_000}


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "settings",
    [
        {"l1_ratio": [0.3, 0.9], "alphas": 12},
        {"l1_ratio": 0.7, "alphas": [1.0, 0.01, 0.1], "cv": 3},
        {"alphas": 8, "fit_intercept": False, "eps": 0.01},
        {"alphas": 8, "positive": True, "cv": ShuffleSplit(3, random_state=0)},
    ],
)
def test_same_errors_and_choice_as_scikit_learn(settings, weighted, sparse):
    """Peer: ElasticNetCV, scikit-learn 1.9."""
    w = np.random.default_rng(0).uniform(0.2, 2, len(Y)) if weighted else None
    data = csr_matrix(X) if sparse else X
    ours = ElasticNetCV(**EXACT, **settings).fit(data, Y, sample_weight=w)
    peer = peers.ElasticNetCV(**EXACT, **settings).fit(X, Y, sample_weight=w)
    assert_allclose(ours.alphas_, peer.alphas_, rtol=1e-12)
    assert ours.mse_path_.shape == peer.mse_path_.shape
    assert_allclose(ours.mse_path_, peer.mse_path_, rtol=1e-5)
    assert_allclose([ours.alpha_, ours.l1_ratio_], [peer.alpha_, peer.l1_ratio_], rtol=1e-12)
    assert_allclose(ours.coef_, peer.coef_, atol=0.02)
    assert_allclose(ours.intercept_, peer.intercept_, atol=1e-3)


@pytest.mark.capability("IML-4-21")
def test_the_choice_is_the_least_left_out_error_of_models_fitted_one_by_one():
    alphas, folds = [0.3, 0.03, 0.003], KFold(4, shuffle=True, random_state=1)
    model = ElasticNetCV(alphas=alphas, l1_ratio=0.8, cv=folds, **EXACT).fit(X, Y)
    errors = np.array(
        [
            [
                np.mean((ElasticNet(a, l1_ratio=0.8, **EXACT).fit(X[r], Y[r]).predict(X[t]) - Y[t]) ** 2)
                for r, t in folds.split(X)
            ]
            for a in alphas
        ]
    )
    assert_allclose(model.mse_path_, errors, rtol=1e-6)
    assert model.alpha_ == alphas[int(np.argmin(errors.mean(axis=1)))]
    assert_allclose(model.coef_, ElasticNet(model.alpha_, l1_ratio=0.8, **EXACT).fit(X, Y).coef_, atol=1e-3)


def test_folds_out_of_cross_products_and_folds_on_their_own_agree():
    """One row left out; and a sparse copy, which never has cross products."""
    few = slice(0, 60)
    one, other = (
        ElasticNetCV(alphas=5, cv=LeaveOneOut(), **EXACT).fit(Z, Y[few]) for Z in (X[few], csr_matrix(X[few]))
    )
    assert_allclose(one.mse_path_, other.mse_path_, rtol=1e-4, atol=1e-3)
    assert one.mse_path_.shape == (5, 60)


def test_one_standard_error_takes_the_stronger_penalty():
    cells, y = CELLS
    cells = (cells - cells.mean(axis=0)) / cells.std(axis=0)
    best = ElasticNetCV(alphas=30).fit(cells, y)
    careful = ElasticNetCV(alphas=30, one_standard_error=True).fit(cells, y)
    curve = careful.curve_
    limit = curve.mean[curve.best] + curve.error[curve.best]
    assert careful.alpha_ > best.alpha_
    assert curve.mean[curve.chosen] <= limit < curve.mean[curve.chosen - 1]
    assert np.count_nonzero(careful.coef_) < np.count_nonzero(best.coef_)
    assert_array_equal(best.curve_.scores, best.mse_path_)


def test_threads_change_nothing():
    results = [ElasticNetCV(alphas=50, n_jobs=jobs).fit(X, Y) for jobs in (1, 2)]
    assert_array_equal(results[0].mse_path_, results[1].mse_path_)
    assert_array_equal(results[0].coef_, results[1].coef_)


def test_what_cannot_be_is_said():
    with pytest.raises(DataError, match="one output"):
        ElasticNetCV().fit(X, np.column_stack((Y, Y)))
    with pytest.raises(ParameterError, match=r"alphas\[1\] must be"):
        ElasticNetCV(alphas=[1.0, -2.0]).fit(X, Y)
    with pytest.raises(ParameterError, match="l1_ratio=0"):
        ElasticNetCV(l1_ratio=0.0).fit(X, Y)
    w = np.r_[np.zeros(200), np.ones(242)]
    with pytest.raises(DataError, match="weight 0"):
        ElasticNetCV(cv=[(np.arange(200), np.arange(200, 442))]).fit(X, Y, sample_weight=w)
    for wrong in ({"l1_ratio": 2.0}, {"alphas": 0}, {"eps": 0}, {"precompute": "yes"}, {"cv": "five"}):
        with pytest.raises(ValueError):
            ElasticNetCV(**wrong).fit(X, Y)


def test_degenerate_tables_have_sound_answers():
    flat = ElasticNetCV(alphas=5).fit(X, np.full(len(Y), 3.0))
    assert not flat.coef_.any()
    assert_allclose(flat.intercept_, 3.0, rtol=1e-14)
    with_constant = ElasticNetCV(alphas=5).fit(np.column_stack((X, np.full(len(Y), 1e6))), Y)
    assert with_constant.coef_[-1] == 0
    rare = np.column_stack((X, np.arange(len(Y)) == 0)).astype(float)  # constant in one training part
    assert np.isfinite(ElasticNetCV(alphas=5).fit(rare, Y).coef_).all()
    wide = ElasticNetCV(alphas=5).fit(X[:12].repeat(3, axis=1), Y[:12])
    assert np.isfinite(wide.mse_path_).all()


@pytest.mark.parametrize("weight", [1e-300, 1e300])
def test_only_the_shares_of_the_weights_count(weight):
    rng = np.random.default_rng(0)
    X, u = rng.normal(size=(40, 3)), rng.uniform(0.5, 2, 40)
    y = X[:, 0] + rng.normal(size=40)
    a, b = (ElasticNetCV(alphas=10).fit(X, y, sample_weight=w) for w in (u, weight * u))
    assert_allclose(b.coef_, a.coef_, rtol=1e-10)
    assert_allclose(b.mse_path_, a.mse_path_, rtol=1e-10)


def test_no_folds_and_ragged_alphas_are_refused():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20.0)
    for wrong in ({"cv": []}, {"alphas": [1, [2]]}, {"alphas": [np.inf, 1.0]}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            ElasticNetCV(**wrong).fit(X, y)
