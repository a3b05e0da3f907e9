"""Native densities and sums against NumPy; missing entries against marginal densities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from assay.sequences.chain import pad
from assay.sequences.families import Categorical, Gaussian, GaussianMixtures, Multinomial, Poisson

rng = np.random.default_rng(0)
K, d, n = 3, 4, 30
means = rng.normal(size=(K, d))
roots = rng.normal(size=(K, d, d))
matrices = roots @ roots.transpose(0, 2, 1) + np.eye(d)
COVARS = {
    "full": matrices,
    "tied": matrices[0],
    "diag": rng.uniform(0.5, 2, size=(K, d)),
    "spherical": np.repeat(rng.uniform(0.5, 2, size=(K, 1)), d, axis=1),
}
X = rng.normal(size=(n, d))


def dense(kind, k):
    covars = COVARS[kind]
    return covars[k] if kind == "full" else covars if kind == "tied" else np.diag(covars[k])


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("kind", COVARS)
def test_gaussian_densities_are_those_of_what_is_there(kind, gaps):
    rows = np.where(rng.uniform(size=X.shape) < 0.3, np.nan, X) if gaps else X
    rows[0] = np.nan if gaps else X[0]
    found = Gaussian(means, COVARS[kind], kind).log_density(rows)
    for t, k in np.ndindex(n, K):
        there = ~np.isnan(rows[t])
        if not there.any():
            assert_allclose(found[t, k], 0.0, atol=1e-12)
            continue
        density = multivariate_normal(means[k, there], dense(kind, k)[np.ix_(there, there)])
        assert_allclose(found[t, k], density.logpdf(rows[t, there]), rtol=1e-9)


def sums_by_the_book(gamma, mean):
    gap = X - mean
    return gamma.sum(), gamma @ gap, (gap * gamma[:, None]).T @ gap


@pytest.mark.parametrize("kind", COVARS)
def test_gaussian_sums_equal_the_definition(kind):
    gamma = rng.dirichlet(np.ones(K), size=n)
    sums = Gaussian(means, COVARS[kind], kind).sums(X, pad(gamma))
    lower = np.tril_indices(d)
    for k in range(K):
        count, first, second = sums_by_the_book(gamma[:, k], means[k])
        assert_allclose(sums["counts"][k], count)
        assert_allclose(sums["first"][k], first, atol=1e-12)
        assert_allclose(
            sums["second"][k], second[lower] if kind in ("full", "tied") else np.diag(second), atol=1e-12
        )


@pytest.mark.capability("IML-15-12")
def test_maximisation_of_given_responsibilities():
    # Oracle: IML 15.8, exercise 7, recomputed.
    gamma = np.array([[1, 0], [0.8, 0.2], [0.3, 0.7], [0, 1]])
    rows = np.array([[1.0, 0], [2, 1], [4, 1], [5, 3]])
    start = Gaussian(np.zeros((2, 2)), np.tile(np.eye(2), (2, 1, 1)), "full")
    new = start.updated(start.sums(rows, pad(gamma)), "mc")
    assert_allclose(new.means, [[1.80952381, 0.52380952], [4.31578947, 2.05263158]], atol=5e-9)
    assert_allclose(new.covars[0], [[1.01133787, 0.38548753], [0.38548753, 0.24943311]], atol=5e-9)
    assert_allclose(new.covars[1], [[0.84764543, 0.72022161], [0.72022161, 0.99722992]], atol=5e-9)
    scalar = Gaussian(np.zeros((2, 1)), np.ones((2, 1)), "diag")
    one = scalar.updated(scalar.sums(rows[:, :1], pad(gamma)), "mc")
    assert_allclose(one.covars.ravel(), [1.01133787, 0.84764543], atol=5e-9)


def test_symbols_beyond_and_missing_say_nothing():
    family = Categorical(np.array([[0.5, 0.5], [0.1, 0.9]]))
    rows = np.array([[0.0], [np.nan], [5.0]])
    assert_allclose(np.exp(family.log_density(rows)), [[0.5, 0.1], [1, 1], [1, 1]])
    assert_allclose(family.frames(rows).densities[:, :2], [[0.5, 0.1], [1, 1], [1, 1]])
    assert_allclose(family.sums(rows, pad(np.ones((3, 2))))["symbols"], [[1, 0], [1, 0]])


def test_counts_that_a_state_cannot_have_are_impossible():
    family = Multinomial(np.array([[1.0, 0.0], [0.5, 0.5]]))
    assert_allclose(np.exp(family.log_density(np.array([[2.0, 0], [1, 1]]))), [[1, 0.25], [0, 0.5]])
    rates = Poisson(np.array([[0.0], [2.0]]))
    assert_allclose(
        np.exp(rates.log_density(np.array([[0.0], [1.0]]))), [[1, np.exp(-2)], [0, 2 * np.exp(-2)]]
    )


@pytest.mark.parametrize("kind", COVARS)
def test_the_moments_of_a_mixture_are_those_of_many_draws(kind):
    M = 2
    centers = rng.normal(size=(K, M, 2))
    shapes = {"full": (K, M, 2, 2), "tied": (K, 2, 2), "diag": (K, M, 2), "spherical": (K, M)}
    covars = np.broadcast_to(np.eye(2), shapes[kind]) if kind in ("full", "tied") else np.ones(shapes[kind])
    family = GaussianMixtures(np.full((K, M), 0.5), centers, covars, kind, shared=False)
    draws = np.array([family.sample(1, np.random.RandomState(i)) for i in range(2000)])
    assert_allclose(draws.mean(axis=0), family.mean()[1], atol=0.15)
    assert_allclose(draws.var(axis=0), family.variance()[1], atol=0.25)
