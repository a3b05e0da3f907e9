import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import norm
from scipy.stats import t as student
from tests.calibration import assert_calibrated, assert_covers

from assay.stats import (
    BetaBernoulli,
    Gaussian,
    GridPosterior,
    Laplace,
    NormalMean,
    StudentT,
    normal_from_interval,
)

X = np.array([5, 6, 7, 6, 5, 8, 6, 5])
GRID = np.linspace(0, 14, 2801)
PRIOR = normal_from_interval(5, 9, 0.9, quantile=1.64)


def likelihood(theta, noise=4.0):
    return np.array([Gaussian(t, noise).loglik(X) for t in theta])


@pytest.mark.capability("IML-4-07", "IML-4-08")
def test_normal_posterior_on_a_grid():
    # IML 4.4: posterior mean 6.2516090406, variance 0.3741954797; MAP = Bayes
    belief = GridPosterior(GRID, likelihood, PRIOR.logpdf)
    assert_allclose([belief.mean, belief.var], [6.2516090406, 0.3741954797], atol=1e-9)
    assert_allclose(belief.map, belief.mean, atol=1e-9)
    assert_allclose(belief.ml, X.mean(), atol=1e-9)
    closed = NormalMean(PRIOR.mean, PRIOR.var, 4).update(X)
    assert_allclose(np.log(belief.density), closed.logpdf(GRID), atol=1e-8)
    # quantiles are interpolated linearly on a grid of step h = 0.005: off by about h²
    assert_allclose(belief.interval(0.9), closed.interval(0.9), atol=2.5e-5)
    # evidence: the sample is jointly normal with covariance 4 I + prior variance
    S = 4 * np.eye(8) + PRIOR.var
    r = X - PRIOR.mean
    exact = -0.5 * (8 * np.log(2 * np.pi) + np.linalg.slogdet(S)[1] + r @ np.linalg.solve(S, r))
    assert_allclose(belief.log_evidence, exact, atol=1e-8)


@pytest.mark.capability("IML-4-07")
def test_flat_prior_makes_map_equal_ml():
    belief = GridPosterior(GRID, likelihood)
    assert belief.map == belief.ml
    assert_allclose(belief.map, 6, atol=1e-9)


@pytest.mark.capability("IML-4-07")
@given(ones=st.integers(1, 20), zeros=st.integers(1, 20))
@settings(max_examples=20, deadline=None)
def test_coin_with_a_flat_prior(ones, zeros):
    theta = np.linspace(0, 1, 4001)  # the ends have probability 0
    belief = GridPosterior(theta, lambda p: ones * np.log(p) + zeros * np.log(1 - p))
    exact = BetaBernoulli(1 + ones, 1 + zeros)
    assert_allclose(belief.map, exact.map, atol=1e-4)
    assert_allclose(belief.mean, exact.mean, atol=1e-5)
    # the posterior mean minimises the expected squared error (4-17)
    c = exact.mean + 0.1
    assert_allclose(belief.expect((theta - c) ** 2), belief.var + (belief.mean - c) ** 2, rtol=1e-10)


@pytest.mark.capability("IML-4-07")
def test_predictive_and_draws():
    belief = GridPosterior(GRID, likelihood, PRIOR.logpdf)
    x = np.array([3.0, 6.0, 9.0])
    exact = NormalMean(PRIOR.mean, PRIOR.var, 4).update(X).density().pdf(x)
    ours = belief.predictive(lambda point, theta: -0.5 * np.log(8 * np.pi) - (point - theta) ** 2 / 8, x)
    assert_allclose(ours, exact, rtol=1e-8)
    draws = belief.sample(20_000, random_state=0)
    assert abs(draws.mean() - belief.mean) < 5 * np.sqrt(belief.var / len(draws))


def test_huge_log_likelihoods_do_not_vanish():
    belief = GridPosterior([0, 1, 2], [-1e5, -1e5 + 1, -1e5])
    assert_allclose(belief.density[1] / belief.density[0], np.e)


def test_the_mode_may_sit_at_the_end_of_an_uneven_grid():
    assert GridPosterior([0, 1, 5], [3, 2, 1]).map == 0
    # uneven grid: the parabola -(t - 2)^2 is found exactly
    t = np.array([0.0, 1.5, 2.2, 4.0])
    assert_allclose(GridPosterior(t, -((t - 2) ** 2)).map, 2, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: GridPosterior([0, 1], [0, 0]), "at least 3"),
        (lambda: GridPosterior([0, 2, 1], [0, 0, 0]), "increasing"),
        (lambda: GridPosterior([0, 1, 2], [0, 0]), "log_likelihood must give 3"),
        (lambda: GridPosterior([0, 1, 2], [0, 0, 0], [0, np.nan, 0]), "log_prior must give 3"),
        (lambda: GridPosterior([0, 1, 2], np.full(3, -np.inf)), "every grid point has probability 0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.capability("IML-16-16")
def test_a_heavy_tailed_prior_gives_way_to_data_that_contradict_it():
    """One observation 8 of variance 1 against a prior around 0 with the same quartiles."""
    theta = np.linspace(-10, 20, 6001)
    likelihood = Gaussian(8, 1).logpdf(theta)
    quartile = norm.ppf(0.75)
    priors = {
        "Gaussian": Gaussian(0, 1),
        "Laplace": Laplace(0, quartile / np.log(2)),
        "Student": StudentT(0, (quartile / student(3).ppf(0.75)) ** 2, dof=3),
    }
    means = {name: GridPosterior(theta, likelihood, prior.logpdf).mean for name, prior in priors.items()}
    assert_allclose(means["Gaussian"], 4, atol=1e-6)
    assert_allclose(
        means["Laplace"], 8 - np.log(2) / quartile, atol=1e-3
    )  # an exponential tail shifts by its rate
    assert 7 < means["Student"] < 8 and means["Gaussian"] < means["Laplace"] < means["Student"]


def test_shortest_interval_and_density_of_the_grid():
    closed = BetaBernoulli(3, 9)
    theta = np.linspace(1e-4, 1 - 1e-4, 5000)
    grid = GridPosterior(theta, closed.logpdf)
    assert_allclose(grid.hpd(0.9), closed.hpd(0.9), atol=5e-4)
    assert_allclose(grid.logpdf([0.1, 0.5]), closed.logpdf([0.1, 0.5]), rtol=1e-5)
    assert grid.logpdf(1.5) == -np.inf


def test_the_posterior_of_a_heavy_tailed_prior_is_calibrated():
    prior, theta = StudentT(0, 1, dof=3), np.linspace(-40, 40, 4001)
    log_prior = prior.logpdf(theta)

    def belief(rng):
        truth = prior.sample(1, rng)[0]
        x = rng.normal(truth, 1.5, 3)
        return truth, GridPosterior(
            theta, -np.sum((x[:, None] - theta) ** 2, axis=0) / (2 * 1.5**2), log_prior
        )

    def draws(rng):
        truth, posterior = belief(rng)
        return truth, posterior.sample(49, rng)

    def interval(rng):
        truth, posterior = belief(rng)
        return truth, posterior.hpd()

    assert_calibrated(draws, rounds=300)
    assert_covers(interval, rounds=600)
