"""Bayesian linear regression: the oracles of IML 16.4 to 16.6, and what holds for any rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import chisquare
from sklearn.datasets import load_diabetes
from sklearn.linear_model import BayesianRidge as PeerRidge
from sklearn.linear_model import Ridge as Peer
from tests.calibration import assert_calibrated

from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError
from assay.linear import (
    BayesianLinearRegression,
    Lasso,
    ModelAveragingRegressor,
    PolynomialRegressor,
    Ridge,
    lasso_penalty,
    ridge_penalty,
)
from assay.stats import log_evidence

X, r = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 3.0, 4.0, 8.0])
CURVE_X = np.arange(-1.5, 1.51, 0.25)[:, None]
CURVE_R = np.array([-1.09, -0.11, 0.66, 0.73, 0.49, 0.45, 0.33, -0.12, -0.80, -1.02, -0.66, 0.09, 0.54])


def whole(**settings):
    """As the formulas of the book have it: the constant is a weight like the others."""
    return BayesianLinearRegression(penalize_intercept=True, **settings)


@pytest.mark.capability("IML-16-08")
@pytest.mark.parametrize(
    "alpha, beta, mean, new, variance",
    [
        (1, 1, (0.76923077, 2.02564103), 8.87179487, 2.20512821),
        (2, 1, (0.76666667, 1.9), 8.36666667, 2.06666667),
        (10, 1, (0.58, 1.31333333), 5.83333333, 1.66666667),
        (1, 0.1, (0.58, 1.31333333), 5.83333333, 16.66666667),
        (0, 1, (0.7, 2.2), 9.5, 2.5),
    ],
)
def test_four_points(alpha, beta, mean, new, variance):
    model = whole(alpha=alpha, beta=beta).fit(X, r)
    assert_allclose([model.intercept_, *model.coef_], mean, atol=5e-9)
    answer, sd = model.predict([[4.0]], return_std=True)
    assert_allclose([answer[0], sd[0] ** 2], [new, variance], atol=5e-9)


@pytest.mark.capability("IML-16-09")
@pytest.mark.parametrize("penalised", [True, False])
def test_ridge_is_the_most_probable_weight(penalised):
    """lambda = alpha / beta, whether or not the constant has a prior."""
    A, b = load_diabetes(return_X_y=True)
    model = BayesianLinearRegression(2.0, 0.5, penalize_intercept=penalised).fit(A, b)
    ridge = Ridge(ridge_penalty(2.0, 0.5), penalize_intercept=penalised).fit(A, b)
    assert_allclose(model.coef_, ridge.coef_, rtol=1e-8)
    assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-8)
    if not penalised:
        assert_allclose(model.coef_, Peer(4.0).fit(A, b).coef_, rtol=1e-8)


@pytest.mark.capability("IML-16-10")
def test_a_constant_with_a_prior_is_a_column_of_ones():
    """Prior and noise give the penalty of ridge and lasso; the constant's choice is explicit for both."""
    design = np.column_stack((np.ones(4), X))
    ridge = Ridge(ridge_penalty(1.0, 0.1), penalize_intercept=True).fit(X, r)
    assert_allclose([ridge.intercept_, *ridge.coef_], [0.58, 1.31333333], atol=5e-9)
    lasso = Lasso(lasso_penalty(2.0, 0.5, 4), fit_intercept=False, tol=1e-14).fit(design, r)
    gradient = 0.5 * design.T @ (r - design @ lasso.coef_)  # of the likelihood; the prior pulls with rate 2
    assert_allclose(gradient[lasso.coef_ != 0], 2.0, rtol=1e-6)
    free = Lasso(lasso_penalty(2.0, 0.5, 4), tol=1e-14).fit(X, r)
    assert_allclose((r - free.predict(X)).sum(), 0, atol=1e-9)  # a free constant leaves no mean
    with pytest.raises(ParameterError, match="beta above 0"):
        ridge_penalty(1.0, 0.0)
    with pytest.raises(ParameterError, match="n must be above 0"):
        lasso_penalty(1.0, 1.0, 0)


@pytest.mark.capability("IML-16-11")
def test_unknown_noise():
    model = whole(alpha=1.0, beta="gamma", a_0=1.0, b_0=1.0).fit(X, r)
    assert_allclose([model.intercept_, *model.coef_], [0.76923077, 2.02564103], atol=5e-9)
    assert_allclose([model.posterior_.dof / 2, model.posterior_.rate], [3, 4.39743590], atol=5e-9)
    assert_allclose(model.log_evidence_, -9.25745264, atol=5e-9)
    new = model.predict_distribution([[4.0]])
    assert_allclose([new.dof[0], new.location[0], new.scale[0] ** 2], [6, 8.87179487, 3.23230331], atol=5e-9)
    assert_allclose(model.predict([[4.0]], return_std=True)[1] ** 2, 4.84845496, atol=5e-9)


@pytest.mark.capability("IML-16-12")
@pytest.mark.parametrize("beta", [1.0, "gamma"])
def test_the_average_of_draws_is_the_closed_form(beta):
    model = whole(alpha=1.0, beta=beta, a_0=1.0, b_0=1.0).fit(X, r)
    lines = model.sample_y([[4.0], [0.0]], 20_000, 0, noise=False)
    assert_allclose(lines.mean(axis=1), model.predict([[4.0], [0.0]]), atol=0.03)
    numbers = model.sample_y([[4.0]], 40_000, 1)
    assert_allclose(numbers.std(), model.predict([[4.0]], return_std=True)[1], rtol=0.02)
    draws = model.sample_coef(10_000, 2)
    assert_allclose(draws.flat("coef").mean(axis=0), model.coef_, atol=0.02)
    assert ("noise_variance" in list(draws)) == (beta == "gamma")
    # one draw is no better than maximum likelihood; their average is
    truth = CURVE_X[:, 0] ** 3 - 1.5 * CURVE_X[:, 0]
    curve = whole(alpha=1.0, beta=16.0, degree=8).fit(CURVE_X, CURVE_R)
    draws = curve.sample_y(CURVE_X, 10, 3, noise=False)
    errors = ((draws - truth[:, None]) ** 2).mean(axis=0)
    assert ((draws.mean(axis=1) - truth) ** 2).mean() < errors.mean()


@pytest.mark.capability("IML-16-13")
def test_equivalent_kernel():
    model = whole(alpha=1.0, beta=1.0).fit(X, r)
    K = model.equivalent_kernel([[4.0]], X)
    assert_allclose(K[0], [-0.23076923, 0.12820513, 0.48717949, 0.84615385], atol=5e-9)
    assert_allclose(K @ r, 8.87179487, atol=5e-9)
    quadratic = whole(alpha=1.0, beta=1.0, degree=2).fit(X, r)
    weights = [quadratic.intercept_, *quadratic.coef_]
    assert_allclose(weights, [0.85889571, 0.59100204, 0.58282209], atol=5e-9)
    answer, sd = quadratic.predict([[4.0]], return_std=True)
    assert_allclose([answer[0], sd[0] ** 2], [12.54805726, 5.37832311], atol=5e-9)
    assert_allclose(quadratic.equivalent_kernel([[4.0]], X) @ r, answer, atol=1e-9)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 99), penalised=st.booleans(), degree=st.integers(1, 2))
def test_the_dual_form_is_the_prediction(seed, penalised, degree):
    random = np.random.default_rng(seed)
    A, b = random.normal(size=(9, 2)), random.normal(size=9)
    model = BayesianLinearRegression(
        [0.5, 3.0], [1.0, 4.0], penalize_intercept=penalised, degree=degree, keep_rows=True
    ).fit(A, b)
    assert_allclose(model.equivalent_kernel(A) @ b, model.predict(A), atol=1e-9)


@pytest.mark.capability("IML-16-17")
def test_precisions_by_evidence():
    """IML 16.5: the maximisers, to 1e-5, and their evidence."""
    assert_allclose(whole(alpha=1.0, beta=1.0).fit(X, r).log_evidence_, -8.90497085, atol=5e-9)
    one = whole(alpha="evidence", beta=1.0).fit(X, r)
    assert_allclose([one.alpha_, one.log_evidence_], [0.34510346, -8.17307448], atol=1e-5)
    both = whole(alpha="evidence", beta="evidence").fit(X, r)
    assert_allclose([both.alpha_, both.beta_], [0.34899385, 1.20934951], atol=1e-5)
    assert_allclose([both.log_evidence_, both.effective_], [-8.15333408, 1.78791623], atol=1e-5)
    w = np.array([both.intercept_, *both.coef_])
    assert_allclose(both.alpha_, both.effective_ / (w @ w), rtol=1e-5)  # the fixed point
    sse = ((r - both.predict(X)) ** 2).sum()
    assert_allclose(both.beta_, (4 - both.effective_) / sse, rtol=1e-5)
    assert whole(alpha=both.alpha_, beta="evidence").fit(X, r).beta_ == pytest.approx(both.beta_, rel=1e-4)


@pytest.mark.capability("IML-16-18")
@pytest.mark.parametrize(
    "degree, known, gamma",
    [
        (1, -39.8757, -16.4799),
        (2, -41.1966, -17.4780),
        (3, -8.3918, -14.9002),
        (4, -10.3926, -15.9577),
        (5, -12.1765, -15.6144),
        (6, -13.3911, -16.7936),
        (7, -14.2132, -18.0180),
        (8, -15.7767, -19.2817),
    ],
)
def test_evidence_of_a_polynomial(degree, known, gamma):
    """IML 16.6, the table: it peaks at the true degree 3."""
    by_known = whole(alpha=1.0, beta=16.0, degree=degree).fit(CURVE_X, CURVE_R)
    by_gamma = whole(alpha=1.0, beta="gamma", a_0=1.0, b_0=1.0, degree=degree).fit(CURVE_X, CURVE_R)
    assert_allclose([by_known.log_evidence_, by_gamma.log_evidence_], [known, gamma], atol=5e-5)
    powers = np.vander(CURVE_X[:, 0], degree + 1, increasing=True)
    assert_allclose(by_known.log_evidence_, log_evidence(powers, CURVE_R, 1.0, 1 / 16), rtol=1e-9)


@pytest.mark.capability("IML-16-18")
@pytest.mark.parametrize("beta, expected", [(16.0, -37.6386), ("gamma", -15.2669)])
def test_evidence_of_a_constant(beta, expected):
    """The first row of that table: a polynomial of degree 0."""
    model = BayesianLinearRegression(alpha=1.0, beta=beta, a_0=1.0, b_0=1.0, fit_intercept=False)
    assert_allclose(model.fit(np.ones((13, 1)), CURVE_R).log_evidence_, expected, atol=5e-5)


def test_a_flat_constant_is_the_limit_of_a_wide_prior():
    """Its density counts as 1: the evidence under N(0, v) times the density's height at 0, for large v."""
    A, b = X[:, 0], r
    flat = BayesianLinearRegression(2.0, 0.7).fit(X, r)
    v = 1e8
    Sigma = np.diag([1 / v, 2.0])
    wide = whole(alpha=1.0, beta=0.7, Sigma_0=Sigma).fit(X, r)
    assert_allclose(flat.log_evidence_, wide.log_evidence_ + 0.5 * np.log(2 * np.pi * v), atol=1e-5)
    assert_allclose(flat.predict([[1.0]], return_std=True), wide.predict([[1.0]], return_std=True), rtol=1e-6)
    assert A.shape == b.shape


def test_a_grid_is_integrated_out():
    alphas, betas = np.array([0.1, 1.0, 10.0]), np.array([0.5, 2.0])
    model = whole(alpha=alphas, beta=betas).fit(X, r)
    each = [whole(alpha=a, beta=b).fit(X, r) for a in alphas for b in betas]
    odds = np.exp([m.log_evidence_ for m in each])
    p = odds / odds.sum()
    assert_allclose(model.grid_posterior_, p, rtol=1e-9)
    assert_allclose(model.log_evidence_, np.log(odds.mean()), rtol=1e-9)
    means, sds = np.array([[v[0] for v in m.predict([[4.0]], return_std=True)] for m in each]).T
    answer, sd = model.predict([[4.0]], return_std=True)
    assert_allclose(answer[0], p @ means, rtol=1e-9)
    assert_allclose(sd[0] ** 2, p @ (sds**2 + means**2) - answer[0] ** 2, rtol=1e-9)
    draws = model.sample_y([[4.0]], 30_000, 0)
    low, high = model.predict_interval([[4.0]], 0.9)[0]
    assert_allclose(np.mean((draws > low) & (draws < high)), 0.9, atol=0.01)
    table = model.summary()
    assert (table.lower < table.mean).all()
    assert (table.mean < table.upper).all()


@pytest.mark.parametrize("beta", [2.0, "gamma"])
def test_ranks_of_the_truth_among_draws_are_uniform(beta):
    """Simulation-based calibration: weights and noise from the prior, rows from them, draws from the posterior."""
    random, ranks = np.random.default_rng(0), []
    for _ in range(400):
        precision = 2.0 if beta == 2.0 else random.gamma(3.0) / 2.0
        w = random.normal(size=3) / np.sqrt(1.5 * (1.0 if beta == 2.0 else precision))
        A = random.normal(size=(8, 2))
        b = w[0] + A @ w[1:] + random.normal(size=8) / np.sqrt(precision)
        model = whole(alpha=1.5, beta=beta, a_0=3.0, b_0=2.0).fit(A, b)
        ranks.append((model.sample_coef(9, random).flat("coef") < w[1:]).sum(axis=0))
    for column in np.array(ranks).T:
        assert chisquare(np.bincount(column, minlength=10)).pvalue > 1e-4


def test_intervals_cover_even_with_few_rows():
    random, inside = np.random.default_rng(5), []
    for _ in range(120):
        w, A = random.normal(size=3), random.normal(size=(12, 3))
        model = BayesianLinearRegression().fit(A, 5 + A @ w + random.normal(size=12))
        new = random.normal(size=(20, 3))
        low, high = model.predict_interval(new, 0.95).T
        truth = 5 + new @ w + random.normal(size=20)
        inside.append((low < truth) & (truth < high))
    assert 0.93 < np.mean(inside) < 0.97


def test_a_noise_of_several_precisions_is_calibrated():
    """Weights from their prior, the noise's precision from its list: their ranks among draws are uniform."""

    def simulate(random):
        precision = random.choice([1.0, 4.0, 16.0])
        w = random.normal(size=3) / np.sqrt(2.0)
        A = np.column_stack([np.ones(9), random.normal(size=(9, 2))])
        b = A @ w + random.normal(size=9) / np.sqrt(precision)
        model = BayesianLinearRegression(alpha=2.0, beta=[1.0, 4.0, 16.0], penalize_intercept=True)
        draws = model.fit(A[:, 1:], b).sample_coef(99, random_state=random)
        numbers = [np.ravel(draws["intercept"]), *draws["coef"][0].T, np.ravel(draws["noise_variance"])]
        return np.append(w, 1.0 / precision), np.column_stack(numbers)

    assert_calibrated(simulate)


@pytest.mark.parametrize(
    ("beta", "known"), [(1.0, True), ("evidence", True), ("gamma", False), ([1.0, 1e9], False)]
)
def test_one_draw_has_the_names_of_many(beta, known):
    """A single draw of the noise was left out, as if it were known."""
    model = BayesianLinearRegression(alpha=1.0, beta=beta).fit(*load_diabetes(return_X_y=True))
    for n in (1, 5):
        assert ("noise_variance" in model.sample_coef(n)) is not known


def test_evidence_on_real_rows_is_where_scikit_learn_goes():
    """Peer: BayesianRidge, scikit-learn 1.9, without priors of its precisions; it counts the free constant's row."""
    A, b = load_diabetes(return_X_y=True)
    peer = PeerRidge(tol=1e-12, max_iter=5000, alpha_1=0, alpha_2=0, lambda_1=0, lambda_2=0).fit(A, b)
    ours = BayesianLinearRegression(beta="evidence").fit(A, b)
    assert_allclose([ours.alpha_, ours.beta_], [peer.lambda_, peer.alpha_], rtol=5e-3)
    assert_allclose(ours.coef_, peer.coef_, rtol=0.02, atol=1)


def test_blocks_and_partial_fit_add_up():
    A, b = load_diabetes(return_X_y=True)
    model = BayesianLinearRegression(degree=2, alpha=1.0).fit(A[:, :3], b)
    blocks = BayesianLinearRegression(degree=2, alpha=1.0).fit_blocks(
        [(A[:200, :3], b[:200]), (A[200:, :3], b[200:])]
    )
    parts = BayesianLinearRegression(degree=2, alpha=1.0)
    for some in (slice(0, 4), slice(4, 300), slice(300, 442)):
        parts.partial_fit(A[some, :3], b[some])
    for other in (blocks, parts):
        assert_allclose(other.coef_, model.coef_, rtol=1e-7)
        assert_allclose(other.log_evidence_, model.log_evidence_, rtol=1e-9)


def test_a_flat_polynomial_is_least_squares():
    model = BayesianLinearRegression(0.0, 1.0, degree=4).fit(CURVE_X, CURVE_R)
    peer = PolynomialRegressor(4).fit(CURVE_X, CURVE_R)
    assert_allclose(model.predict(CURVE_X), peer.predict(CURVE_X), atol=1e-9)
    assert np.isnan(model.log_evidence_)


def test_prior_mean_and_precision():
    """A prior surer than any rows is the answer; one that is centred elsewhere pulls there."""
    sure = whole(alpha=1e12, beta=1.0, mu_0=[5.0, -1.0]).fit(X, r)
    assert_allclose([sure.intercept_, *sure.coef_], [5.0, -1.0], atol=1e-6)
    Sigma = np.array([[2.0, 0.5], [0.5, 1.0]])
    model = whole(alpha=2.0, beta=3.0, mu_0=[1.0, 2.0], Sigma_0=Sigma).fit(X, r)
    design = np.column_stack((np.ones(4), X))
    P = 2 * Sigma + 3 * design.T @ design
    expected = np.linalg.solve(P, 2 * Sigma @ [1.0, 2.0] + 3 * design.T @ r)
    assert_allclose(model.posterior_.mean, expected, rtol=1e-9)
    assert_allclose(model.posterior_.covariance, np.linalg.inv(P), rtol=1e-9)


def test_explanations_list_terms_and_rows():
    text = str(BayesianLinearRegression(keep_rows=True).fit(X, r).explain([[4.0]]))
    assert "Uncertainty of the terms" in text
    assert "Training rows of largest weight" in text
    assert "4 rows together" in text
    curve = str(BayesianLinearRegression(degree=3).fit(CURVE_X, CURVE_R).explain([[1.0]]))
    assert "x0^3" in curve


def test_awkward_tables():
    A, b = load_diabetes(return_X_y=True)
    few = BayesianLinearRegression().fit(A[:6], b[:6])
    assert np.isfinite(few.predict(A, return_std=True)).all()
    twins = BayesianLinearRegression().fit(np.column_stack((A, A, np.ones(len(A)))), b)
    assert_allclose(
        twins.predict(np.column_stack((A, A, np.ones(len(A))))),
        BayesianLinearRegression().fit(A, b).predict(A),
        rtol=0.05,
    )
    huge = BayesianLinearRegression().fit(1e100 * A, 1e100 * b)
    assert_allclose(
        huge.predict(1e100 * A), 1e100 * BayesianLinearRegression().fit(A, b).predict(A), rtol=1e-3
    )
    with pytest.warns(DegenerateWarning, match="does not depend"):
        same = BayesianLinearRegression().fit(A, np.full(len(b), 3.0))
    assert_allclose(same.predict(A), 3.0)
    one = BayesianLinearRegression(1.0, 1.0).fit(A[:1], b[:1])
    assert_allclose(one.predict(A[:1]), b[:1])


def test_what_cannot_be_believed_is_said():
    with pytest.raises(DegenerateError, match="the same in all rows"):
        BayesianLinearRegression(beta="evidence").fit(X, np.ones(4))
    with pytest.raises(DegenerateError, match="flat about weights"):
        BayesianLinearRegression(0.0, 1.0).fit(np.column_stack((X, X)), r)
    with pytest.raises(ParameterError, match="mu_0 must be a number or 1 numbers"):
        BayesianLinearRegression(1.0, 1.0, mu_0=[1.0, 2.0]).fit(X, r)
    with pytest.raises(ParameterError, match="were not kept"):
        BayesianLinearRegression(1.0, 1.0).fit(X, r).equivalent_kernel(X)
    with pytest.raises(DataError, match="1d array"):
        BayesianLinearRegression().fit(X, np.column_stack((r, r)))
    with pytest.raises(ParameterError, match="whole number"):
        BayesianLinearRegression(1.0, 1.0).fit(X, r).sample_coef(0)


def test_columns_near_the_largest_number():
    random = np.random.default_rng(0)
    A = random.normal(size=(30, 3))
    b = A @ [1.0, 2.0, 0.0] + 0.1 * random.normal(size=30)
    large, usual = BayesianLinearRegression().fit(1e150 * A, b), BayesianLinearRegression().fit(A, b)
    assert_allclose(large.predict(1e150 * A), usual.predict(A), atol=1e-5)


def test_the_precisions_are_found_to_all_digits_so_that_rounding_of_the_sums_does_not_show():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    order = rng.permutation(60)
    for priors in ({}, {"beta": "evidence"}, {"beta": 2.0}, {"alpha": 0.5, "beta": "evidence"}):
        one, other = (BayesianLinearRegression(**priors).fit(X[r], y[r]) for r in (np.arange(60), order))
        np.testing.assert_allclose(one.grid_, other.grid_, rtol=1e-11)


@pytest.mark.parametrize("learner", [BayesianLinearRegression, ModelAveragingRegressor])
def test_too_many_products_are_refused_before_they_are_made(learner):
    X = np.random.default_rng(0).normal(size=(40, 12))
    with pytest.raises(
        ParameterError, match="products of 12 columns up to degree 30 are more than 10000 terms"
    ):
        learner(degree=30).fit(X, X[:, 0])


UNITS = np.random.default_rng(0).normal(size=(40, 3))
IN_UNITS = UNITS @ [1.0, 2.0, 0.0] + 0.1 * np.random.default_rng(1).normal(size=40) + 3


@pytest.mark.parametrize("unit", [1e-140, 1e-100, 1e100, 1e150])
@pytest.mark.parametrize("of", ["columns", "y", "both"])
def test_by_evidence_the_answer_knows_no_units(unit, of):
    columns, target = unit if of != "y" else 1.0, unit if of != "columns" else 1.0
    mean, sd = BayesianLinearRegression(beta="evidence").fit(UNITS, IN_UNITS).predict(UNITS, return_std=True)
    model = BayesianLinearRegression(beta="evidence")
    if not 1e-299 < (target / columns) ** 2 < 1e299 or (of == "columns" and unit == 1e150):
        with pytest.raises(
            DataError, match=r"alpha is not between 1e-299 and 1e\+299.*Divide the columns by a power"
        ):
            model.fit(UNITS * columns, IN_UNITS * target)
        return
    there, spread = model.fit(UNITS * columns, IN_UNITS * target).predict(UNITS * columns, return_std=True)
    assert_allclose(there / target, mean, rtol=1e-9)
    assert_allclose(spread / target, sd, rtol=1e-9)


@pytest.mark.parametrize(
    ("columns", "target", "beta", "of"),
    [
        (1e-150, 1.0, "gamma", "the columns"),
        (1e-150, 1e-140, "evidence", "the columns"),
        (1e-10, 1e-150, "evidence", "y"),
    ],
)
def test_precisions_that_no_number_holds_are_refused(columns, target, beta, of):
    """They were cut off at 1e-300, which shrank the weights without a word."""
    model = BayesianLinearRegression(beta=beta)
    with pytest.raises(DataError, match=f"Divide {of} by a power of ten that brings the values near 1"):
        model.fit(UNITS * columns, IN_UNITS * target)
