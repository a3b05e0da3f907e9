"""BayesianRidge and ARDRegression: scikit-learn's answers, from sums; draws, intervals and evidence."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.datasets import load_diabetes
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import ARDRegression as PeerARD
from sklearn.linear_model import BayesianRidge as Peer
from sklearn.preprocessing import scale

from assay.errors import DataError, DegenerateError, DegenerateWarning
from assay.linear import ARDRegression, BayesianLinearRegression, BayesianRidge

X, y = load_diabetes(return_X_y=True)
BOTH = [BayesianRidge, ARDRegression]


def some_rows(n=60, d=4, seed=0):
    random = np.random.default_rng(seed)
    A = random.normal(size=(n, d)) + 3
    return A, A @ np.array([1.0, -2.0, 0.0, 0.5])[:d] + 4 + 0.3 * random.normal(size=n)


def assert_same(ours, peer, rows, rtol=1e-6):
    assert_allclose(ours.coef_, peer.coef_, rtol=rtol, atol=1e-7)
    assert_allclose(ours.intercept_, peer.intercept_, rtol=rtol)
    assert_allclose(ours.alpha_, peer.alpha_, rtol=rtol)
    assert_allclose(ours.lambda_, peer.lambda_, rtol=rtol)
    assert_allclose(ours.sigma_, peer.sigma_, rtol=rtol, atol=1e-6 * np.abs(peer.sigma_).max())
    assert_allclose(ours.scores_[:-1], np.array(peer.scores_)[:-1], rtol=1e-9)
    assert_allclose(
        ours.scores_[-1:], np.array(peer.scores_)[-1:], rtol=1e-6
    )  # the peer's mixes old and new weights
    assert_allclose(ours.X_offset_, peer.X_offset_, atol=1e-12)
    assert ours.n_iter_ == peer.n_iter_
    for a, b in zip(ours.predict(rows, return_std=True), peer.predict(rows, return_std=True)):
        assert_allclose(a, b, rtol=rtol)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {
            "fit_intercept": False,
            "lambda_init": 1.0,
        },  # None tries another start where this rests near weights of 0
        {
            "compute_score": True,
            "lambda_init": 1.0,
            "alpha_1": 0.1,
            "alpha_2": 0.2,
            "lambda_1": 0.3,
            "lambda_2": 0.4,
        },
        {"alpha_init": 1.0, "lambda_init": 1e-3, "tol": 1e-8},
    ],
)
@pytest.mark.parametrize("rows", [442, 9])
@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_as_scikit_learn(settings, rows, weighted):
    """Peer: BayesianRidge, scikit-learn 1.9; 9 rows are fewer than the columns."""
    w = np.random.default_rng(1).integers(0, 4, rows).astype(float) if weighted else None
    peer = Peer(**settings).fit(X[:rows], y[:rows], w)
    assert_same(BayesianRidge(**settings).fit(X[:rows], y[:rows], w), peer, X)


@pytest.mark.parametrize(
    "settings",
    [{}, {"fit_intercept": False}, {"compute_score": True, "alpha_1": 0.1, "threshold_lambda": 1e3}],
)
@pytest.mark.parametrize("rows", [442, 8])
def test_ard_as_scikit_learn(settings, rows):
    """Peer: ARDRegression, scikit-learn 1.9."""
    peer = PeerARD(**settings).fit(X[:rows], y[:rows])
    assert_same(ARDRegression(**settings).fit(X[:rows], y[:rows]), peer, X)


@pytest.mark.parametrize("Learner", BOTH)
@pytest.mark.parametrize("rows", [442, 9])
def test_blocks_and_partial_fit_add_up(Learner, rows):
    whole = Learner().fit(X[:rows], y[:rows])
    parts = [(X[a : min(a + 100, rows)], y[a : min(a + 100, rows)]) for a in range(0, rows, 100)]
    blocks, partial = Learner().fit_blocks(parts), Learner()
    for part in parts:
        partial.partial_fit(*part)
    for other in (blocks, partial):
        assert_allclose(other.coef_, whole.coef_, rtol=1e-6, atol=1e-6)
        assert_allclose(other.alpha_, whole.alpha_, rtol=1e-8)


@pytest.mark.parametrize("Learner", BOTH)
def test_evidence_is_the_density_of_the_targets(Learner):
    A, b = some_rows(20)
    model = Learner(fit_intercept=False, alpha_1=0, lambda_1=0, alpha_2=1e-300, lambda_2=1e-300).fit(A, b)
    kept = np.atleast_1d(model.lambda_) < 1e4
    columns = A[:, kept] if len(kept) > 1 else A
    precision = np.broadcast_to(model.lambda_, 4)[kept if len(kept) > 1 else slice(None)]
    C = np.eye(20) / model.alpha_ + (columns / precision) @ columns.T
    assert_allclose(model.log_evidence_, multivariate_normal(np.zeros(20), C).logpdf(b), rtol=1e-9)


def test_evidence_rises_to_a_maximum():
    A, b = some_rows(200)
    settings = {"alpha_1": 0.0, "lambda_1": 0.0, "alpha_2": 0.0, "lambda_2": 0.0, "compute_score": True}
    model = BayesianRidge(tol=1e-12, max_iter=2000, **settings).fit(A, b)
    assert np.diff(model.scores_).min() > -1e-9 * abs(model.scores_[-1])
    for alpha, lam in [(1.01, 1), (0.99, 1), (1, 1.01), (1, 0.99)]:
        start = {"alpha_init": alpha * model.alpha_, "lambda_init": lam * model.lambda_}
        nearby = BayesianRidge(max_iter=1, **start, **settings).fit(A, b)
        assert nearby.scores_[0] < model.log_evidence_


@pytest.mark.parametrize("Learner", BOTH)
def test_posterior_is_what_the_attributes_say(Learner):
    A, b = some_rows()
    model = Learner().fit(A, b)
    kept = model._weighted()
    assert_allclose(model.posterior_.mean, np.append(model.intercept_, model.coef_[kept]), rtol=1e-9)
    assert_allclose(model.posterior_.covariance[1:, 1:], model.sigma_, rtol=1e-8)
    distribution = model.predict_distribution(A)
    full = model.posterior_.density(np.column_stack((np.ones(len(A)), A[:, kept])))
    assert_allclose(distribution.mean, full.mean)
    assert_allclose(distribution.sd, full.sd, rtol=1e-9)


@pytest.mark.parametrize("Learner", BOTH)
def test_intervals_of_new_numbers_cover_them(Learner):
    """The precisions are taken as known, which for 30 rows would leave 92 % in the intervals."""
    random, inside = np.random.default_rng(3), []
    for _ in range(150):
        w = random.normal(size=3)
        A = random.normal(size=(100, 3))
        model = Learner().fit(A, A @ w + random.normal(size=100))
        new = random.normal(size=(10, 3))
        low, high = model.predict_interval(new, 0.95).T
        truth = new @ w + random.normal(size=10)
        inside.append((low < truth) & (truth < high))
    assert 0.93 < np.mean(inside) < 0.97


@pytest.mark.parametrize("Learner", BOTH)
def test_draws_and_summary(Learner):
    A, b = some_rows()
    model = Learner().fit(A, b)
    draws = model.sample_coef(4000, 0)
    assert_allclose(draws.mean["coef"], model.coef_, atol=0.02)
    table = model.summary(0.9)
    assert table.terms[0] == "constant"
    row = table["x0"]
    assert row["lower"] < row["mean"] < row["upper"]
    assert_allclose(row["sd"], np.sqrt(model.sigma_[0, 0]), rtol=1e-9)
    assert "credible intervals of 90 %" in str(table)
    assert "<td>x0</td>" in table.to_html()
    sampled = model.sample_y(A[:3], 5000, 1)
    assert_allclose(sampled.mean(axis=1), model.predict(A[:3]), atol=0.03)
    assert_allclose(sampled.std(axis=1), model.predict_distribution(A[:3]).sd, rtol=0.05)


def test_ard_drops_what_is_not_needed():
    random = np.random.default_rng(0)
    A = random.normal(size=(100, 20))
    model = ARDRegression().fit(A, A[:, 3] - 2 * A[:, 7] + 0.1 * random.normal(size=100))
    assert {3, 7} <= set(np.flatnonzero(np.abs(model.coef_) > 0.05)) <= {3, 7}
    assert model.sigma_.shape[0] == len(model._weighted()) == (model.lambda_ < 1e4).sum()


@pytest.mark.parametrize("Learner", BOTH)
def test_more_columns_than_rows(Learner):
    """The covariance by its definition, which inverts a matrix of all columns."""
    random = np.random.default_rng(0)
    A = random.normal(size=(12, 40))
    model = Learner(fit_intercept=False).fit(A, A[:, 0] + 0.1 * random.normal(size=12))
    kept = A[:, model._weighted()]
    precision = np.diag(np.broadcast_to(model.lambda_, 40)[model._weighted()])
    covariance = np.linalg.inv(precision + model.alpha_ * kept.T @ kept)
    assert_allclose(model.sigma_, covariance, rtol=1e-5, atol=1e-9 * covariance.max())
    variance = np.einsum("ij,jk,ik->i", kept, covariance, kept)
    assert_allclose(
        model.predict(A, return_std=True)[1] ** 2 - 1 / model.alpha_, variance, rtol=1e-4, atol=1e-9
    )


@pytest.mark.parametrize("Learner", BOTH)
@pytest.mark.parametrize("size", [1e-150, 1e140])
def test_columns_of_any_size(Learner, size):
    A, b = some_rows()
    if size > 1 and Learner is ARDRegression:
        with pytest.warns(DegenerateWarning, match="scale them alike"):
            model = Learner().fit(size * A, b)
        assert np.isfinite(model.predict(size * A)).all()
    elif size > 1:
        model = Learner().fit(size * A, b)
        assert np.isfinite(model.predict(size * A)).all()
    else:
        model = Learner().fit(A, size * b)
        assert np.isfinite(model.predict(A)).all()
    with pytest.raises(DataError, match="too large"):
        Learner().fit(1e160 * A, b)


@pytest.mark.parametrize("Learner", BOTH)
@pytest.mark.parametrize("size", [1e5, 1e8, 1e150])
def test_targets_of_any_size(Learner, size):
    """From precisions of 1 the fixed point rests at weights of nearly 0 if y is large: the prior is too narrow."""
    A, b = some_rows()
    model, usual = Learner().fit(A, size * b), Learner().fit(A, b)
    assert_allclose(model.coef_ / size, usual.coef_, atol=0.03)
    mean, sd = model.predict(A, return_std=True)
    assert_allclose(sd / size, usual.predict(A, return_std=True)[1], rtol=0.03)


def test_large_columns_and_small_targets():
    A, b = some_rows()
    mean, sd = BayesianRidge().fit(1e140 * A, 1e-150 * b).predict(1e140 * A, return_std=True)
    assert_allclose(1e150 * mean, b, atol=1.0)
    assert np.isfinite(sd).all()


@pytest.mark.parametrize("learner", [BayesianRidge, ARDRegression])
def test_weights_whose_squares_are_no_numbers_are_refused(learner):
    A, b = some_rows()
    with pytest.raises(
        DataError, match=r"the weight of column 'x1' would be about .*, whose square is not a number"
    ):
        learner().fit(A * np.where(np.arange(A.shape[1]) == 1, 1e-150, 1.0), 1e100 * b)
    near, far = learner().fit(A, b), learner().fit(1e-150 * A, b)
    assert_allclose(far.predict(1e-150 * A), near.predict(A), rtol=1e-4, atol=1e-4)
    if learner is ARDRegression:
        with pytest.raises(DataError, match="column 'x0' is so large beside y"):
            learner().fit(1e150 * A, 1e-150 * b)


def test_ard_says_if_it_drops_what_matters_and_then_all_is_noise():
    A, b = some_rows()
    with pytest.warns(DegenerateWarning, match="clearly not 0: x0, x1, x3. The threshold_lambda of 10000"):
        model = ARDRegression().fit(1e4 * A, b)
    assert not model.coef_.any()
    assert_allclose(model.predict(1e4 * A[:1], return_std=True)[1], b.std(), rtol=1e-4)
    kept = ARDRegression(threshold_lambda=1e12).fit(1e4 * A, b)
    assert_allclose(1e4 * kept.coef_, ARDRegression().fit(A, b).coef_, atol=0.03)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("Learner", BOTH)
def test_awkward_tables_have_an_answer(Learner):
    A, b = some_rows()
    constant = Learner().fit(np.column_stack((A, np.full(len(A), 7.0))), b)
    assert constant.coef_[-1] == 0
    twins = Learner().fit(np.column_stack((A, A)), b)
    assert_allclose(twins.predict(np.column_stack((A, A))), b, atol=1.5)
    weights = np.r_[np.ones(30), np.zeros(30)]
    if Learner is BayesianRidge:
        assert_allclose(Learner().fit(A, b, weights).coef_, Learner().fit(A[:30], b[:30]).coef_, rtol=1e-7)
    exact = Learner().fit(A, A @ [1.0, 2.0, 3.0, 4.0])
    assert_allclose(exact.coef_, [1, 2, 3, 4], rtol=1e-5)
    assert Learner().fit(A, np.full(60, 5.0)).predict(A[:1]) == pytest.approx(5.0)


def test_what_cannot_be_learned_is_said():
    A, b = some_rows()
    with pytest.raises(DataError, match="1d array"):
        BayesianRidge().fit(A, np.column_stack((b, b)))
    with pytest.raises(DegenerateError, match="minimum of 2 is required"):
        ARDRegression().fit(A[:1], b[:1])
    with pytest.raises(DegenerateError, match="alpha_2 above 0"):
        BayesianRidge(alpha_2=0).fit(A, np.zeros(60))
    with pytest.raises(NotFittedError, match="no row so far weighs"):
        BayesianRidge().partial_fit(A, b, sample_weight=np.zeros(60)).predict(A)


def test_single_precision_stays():
    model = BayesianRidge().fit(X.astype(np.float32), y)
    assert model.coef_.dtype == model.sigma_.dtype == np.float32
    assert model.predict(X.astype(np.float32), return_std=True)[1].dtype == np.float32


def test_explanation_tells_how_sure_the_terms_are():
    text = str(BayesianRidge().fit(scale(X), y).explain(scale(X)[:1]))
    assert "Uncertainty of the terms" in text
    assert "noise of a new number" in text


@pytest.mark.parametrize("Learner", BOTH)
def test_the_same_model_on_dask(Learner):
    da = pytest.importorskip("dask.array", reason="clusters need the extra assay[dask]")
    whole = Learner().fit(X, y)
    other = Learner().fit(da.from_array(X, (100, 10)), da.from_array(y, 100))
    assert_allclose(other.coef_, whole.coef_, rtol=1e-6, atol=1e-6)
    assert_allclose(other.alpha_, whole.alpha_, rtol=1e-8)


@pytest.mark.parametrize("learner", [BayesianRidge, ARDRegression, BayesianLinearRegression])
@pytest.mark.parametrize("rows", [3, 30])
def test_targets_whose_squares_overflow_are_refused(learner, rows):
    X = np.random.default_rng(0).normal(size=(rows, 4))
    with pytest.raises(DataError, match="squares of y are too large"):
        learner().fit(X, X[:, 0] * 1e200)
