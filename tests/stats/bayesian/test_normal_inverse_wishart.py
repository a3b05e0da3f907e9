import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.stats import invwishart, multivariate_normal, t, wishart

from assay.stats import MultivariateGaussian, NormalInverseWishart, covariance

# Oracle: IML 5.2, data set T5, eleven points in the plane.
T5 = np.array(
    [[1, 2], [2, 3], [3, 3], [4, 5], [5, 7], [4, 1], [5, 3], [6, 2], [7, 3], [8, 6], [6, 3]], dtype=float
)


@pytest.mark.capability("IML-5-20")
def test_flat_prior_gives_maximum_likelihood():
    mean, cov = NormalInverseWishart.flat(2).update(T5).map
    assert_allclose(mean, T5.mean(axis=0), rtol=1e-14)
    assert_allclose(cov, covariance(T5), rtol=1e-12)


@pytest.mark.capability("IML-5-20")
@given(strength=st.floats(1e-12, 1e-6))
@settings(max_examples=20, deadline=None)
def test_a_weak_prior_tends_to_maximum_likelihood(strength):
    weak = NormalInverseWishart([100, -100], strength * np.eye(2), kappa=strength, nu=-4 + strength)
    mean, cov = weak.update(T5).map
    assert_allclose(mean, T5.mean(axis=0), atol=1e3 * strength)
    assert_allclose(cov, covariance(T5), atol=1e5 * strength)


@pytest.mark.capability("IML-5-20")
def test_many_rows_outweigh_any_prior():
    prior = NormalInverseWishart([50, 50], 10 * np.eye(2), kappa=5, nu=20)
    gaps = []
    for times in (100, 10_000, 1_000_000):
        mean, cov = prior.update(T5, weights=np.full(11, times)).map
        gaps.append(np.abs(mean - T5.mean(axis=0)).max() + np.abs(cov - covariance(T5)).max())
    assert gaps[0] > 50 * gaps[1] > 50 * 50 * gaps[2]  # a prior's pull fades like 1/n


@pytest.mark.capability("IML-5-20")
def test_map_maximises_prior_times_likelihood():
    """Peers: scipy's inverse Wishart and normal densities, and a numerical search."""
    m0, psi, kappa, nu = np.array([4.0, 2.0]), np.array([[3.0, 0.5], [0.5, 2.0]]), 2.0, 6.0

    def loss(t):
        L = np.array([[np.exp(t[2]), 0], [t[3], np.exp(t[4])]])
        mu, S = t[:2], L @ L.T
        return -(
            invwishart(nu, psi).logpdf(S)
            + multivariate_normal(m0, S / kappa).logpdf(mu)
            + multivariate_normal(mu, S).logpdf(T5).sum()
        )

    result = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-6}).x
    L = np.array([[np.exp(result[2]), 0], [result[3], np.exp(result[4])]])
    mean, cov = NormalInverseWishart(m0, psi, kappa=kappa, nu=nu).update(T5).map
    assert_allclose(result[:2], mean, atol=1e-4)
    assert_allclose(L @ L.T, cov, atol=1e-4)


def test_update_in_pieces_is_update_at_once():
    prior = NormalInverseWishart([1, 2], np.eye(2))
    whole, pieces = prior.update(T5), prior.update(T5[:3]).update(T5[3:])
    for name in ("mean", "scale", "kappa", "nu"):
        assert_allclose(getattr(whole, name), getattr(pieces, name), rtol=1e-12)


def test_one_row_is_enough_for_an_invertible_covariance():
    posterior = NormalInverseWishart([0, 0], np.eye(2)).update(T5[:1])
    assert np.isfinite(posterior.density("map").logpdf(T5)).all()
    assert isinstance(posterior.density("bayes"), MultivariateGaussian)
    assert_allclose(posterior.bayes[1], posterior.scale / (posterior.nu - 3))


def test_predictive_is_the_average_over_the_belief():
    """Monte Carlo over inverse Wishart and normal draws, against the closed t density."""
    posterior = NormalInverseWishart([4, 3], 2 * np.eye(2), kappa=3, nu=8)
    x = np.array([5.0, 4.0])
    covs = invwishart(posterior.nu, posterior.scale).rvs(4000, random_state=np.random.default_rng(5))
    # given S, the next row is N(m, S (1 + 1/kappa))
    values = [MultivariateGaussian(posterior.mean, S * (1 + 1 / 3)).pdf(x) for S in covs]
    error = np.std(values) / np.sqrt(len(values))
    assert abs(posterior.density().pdf(x) - np.mean(values)) < 4 * error


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: NormalInverseWishart([0, 0], np.eye(3)), "2 by 2"),
        (lambda: NormalInverseWishart([0, 0], np.eye(2), kappa=-1), "kappa"),
        (lambda: NormalInverseWishart([0, 0], np.eye(2), nu=-5), "nu must be at least"),
        (lambda: NormalInverseWishart([0, 0], np.eye(2), nu=2).bayes, "no expected covariance"),
        (lambda: NormalInverseWishart.flat(2).map, "no mode"),
        (lambda: NormalInverseWishart.flat(2).density(), "predict nothing"),
        (lambda: NormalInverseWishart([0, 0], np.eye(2)).update([[1, 2, 3]]), "rows of 2 values"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# Oracle: four points in the plane, prior Wishart(4, I/4) of the precision; worked by hand.
@pytest.mark.capability("IML-16-07")
def test_four_points_in_words_of_the_precision():
    X = np.array([[1.0, 2], [2, 1], [3, 4], [4, 3]])
    prior = NormalInverseWishart.from_wishart([0, 0], np.eye(2) / 4, kappa=1, nu=4)
    posterior = prior.update(X)
    assert (posterior.kappa, posterior.nu) == (5, 8)
    assert_allclose(posterior.mean, [2, 2], rtol=1e-14)
    assert_allclose(posterior.scale, [[14, 8], [8, 14]], rtol=1e-12)
    assert_allclose(np.linalg.inv(posterior.V), posterior.scale, rtol=1e-12)
    predictive = posterior.density()
    assert predictive.dof == 7
    assert_allclose(predictive.shape, [[2.4, 1.37142857], [1.37142857, 2.4]], rtol=1e-8)
    assert_allclose(predictive.pdf([2.0, 2.0]), 0.08080718, rtol=1e-6)
    assert_allclose(prior.log_evidence(X), -17.06087239, rtol=1e-9)


def test_density_and_modes_of_both_words():
    """Peers: scipy's inverse Wishart, Wishart and normal densities."""
    belief = NormalInverseWishart([4, 3], [[2.0, 0.5], [0.5, 1.0]], kappa=3, nu=8)
    mean, cov = np.array([4.5, 2.5]), np.array([[0.6, 0.1], [0.1, 0.3]])
    peer = invwishart(8, belief.scale).logpdf(cov) + multivariate_normal(belief.mean, cov / 3).logpdf(mean)
    assert_allclose(belief.logpdf(mean, cov), peer, rtol=1e-12)

    def log_density_of_precision(S):
        P = np.linalg.inv(S)
        return wishart(8, belief.V).logpdf(P) + multivariate_normal(belief.mean, S / 3).logpdf(belief.mean)

    for of, log_density in (
        ("covariance", lambda S: belief.logpdf(belief.mean, S)),
        ("precision", log_density_of_precision),
    ):
        top = belief.mode(of)[1]
        for step in (0.02 * np.eye(2), np.array([[0, 0.01], [0.01, 0]]), np.diag([0.01, -0.01])):
            assert log_density(top) > max(log_density(top + step), log_density(top - step))
    with pytest.raises(ValueError, match="covariance, precision"):
        belief.mode("variance")


def test_jeffreys_prior_gives_the_classical_intervals():
    low, high = NormalInverseWishart.jeffreys(2).update(T5).interval()
    n, d = T5.shape
    half = t(n - d).ppf(0.975) * np.sqrt(T5.var(axis=0) / (n - d))
    assert_allclose([low, high], [T5.mean(axis=0) - half, T5.mean(axis=0) + half], rtol=1e-12)
