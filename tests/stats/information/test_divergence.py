import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.stats import (
    Bernoulli,
    BetaBernoulli,
    Categorical,
    DirichletCategorical,
    Gamma,
    GammaPoisson,
    Gaussian,
    Laplace,
    MultivariateGaussian,
    NegativeBinomial,
    NormalGamma,
    NormalInverseWishart,
    NormalMean,
    Poisson,
    StudentT,
    kl_divergence,
)

S = np.array([[2.0, 0.5], [0.5, 1.0]])
PAIRS = [
    (Gaussian(1, 2), Gaussian(0, 3)),
    (MultivariateGaussian([1, 0], S), MultivariateGaussian([0, 0.5], np.eye(2))),
    (Bernoulli(0.3), Bernoulli(0.6)),
    (Categorical([0.5, 0.3, 0.2]), Categorical([0.2, 0.2, 0.6])),
    (Poisson(3), Poisson(4)),
    (Laplace(1, 2), Laplace(0, 1.5)),
    (Gamma(3, 2), Gamma(2, 3)),
    (BetaBernoulli(3, 2), BetaBernoulli(1.5, 2)),
    (DirichletCategorical([3, 2, 1.5]), DirichletCategorical([2, 2, 2])),
    (NormalMean(1, 2), NormalMean(0, 3)),
    (GammaPoisson(3, 2), GammaPoisson(2, 3)),
    (NormalGamma(1, 2, 3, 4), NormalGamma(0.5, 1, 2, 2)),
    (NormalGamma.known_mean(1, 3, 4), NormalGamma.known_mean(1, 2, 2)),
    (NormalInverseWishart([1, 0], S, kappa=2, nu=7), NormalInverseWishart([0, 0], np.eye(2), kappa=1, nu=5)),
    (Gaussian(1, 2), StudentT(0, 2, dof=4)),
    (Gamma(4, 2), Gaussian(2, 1)),
    (Gaussian(0, 1), Laplace(0.5, 1)),
]


@pytest.mark.parametrize(("q", "p"), PAIRS, ids=lambda d: type(d).__name__)
def test_the_divergence_is_the_average_log_ratio_over_draws(q, p):
    draws = q.sample(2000, random_state=0)
    if isinstance(q, NormalInverseWishart):
        logs = np.array([q.logpdf(m, C) - p.logpdf(m, C) for m, C in zip(*(part[:600] for part in draws))])
    elif isinstance(draws, tuple):
        logs = q.logpdf(*draws) - p.logpdf(*draws)
    else:
        logs = q.logpdf(draws) - p.logpdf(draws)
    error = logs.std() / np.sqrt(len(logs))
    assert abs(kl_divergence(q, p) - logs.mean()) < 4 * error


@pytest.mark.parametrize(("q", "p"), PAIRS, ids=lambda d: type(d).__name__)
def test_it_is_zero_for_the_same_and_positive_for_another(q, p):
    assert kl_divergence(q, q) == pytest.approx(0, abs=1e-9)
    assert kl_divergence(q, p) > 0.001 and kl_divergence(p, q) > 0.001
    assert_allclose(kl_divergence(q, p, base=2), kl_divergence(q, p) / np.log(2))


# Oracle: worked by hand.
@pytest.mark.capability("IML-16-22")
def test_two_outcomes():
    q, p = [0.5, 0.5], [0.9, 0.1]
    assert_allclose([kl_divergence(q, p), kl_divergence(p, q)], [0.51082562, 0.36806421], rtol=1e-7)
    assert_allclose(kl_divergence(Categorical(q), Categorical(p)), 0.51082562, rtol=1e-7)
    assert_allclose(kl_divergence(Bernoulli(0.9), Bernoulli(0.5)), 0.36806421, rtol=1e-7)


def test_the_matrix_forms_agree_with_the_scalar_ones():
    wishart = [
        NormalInverseWishart([m], [[2 * b]], kappa=k, nu=2 * a)
        for m, k, a, b in ((1, 2, 3, 4), (0.5, 1, 2, 2))
    ]
    scalar = [NormalGamma(1, 2, 3, 4), NormalGamma(0.5, 1, 2, 2)]
    assert_allclose(kl_divergence(*wishart), kl_divergence(*scalar), rtol=1e-12)
    several = [MultivariateGaussian([1], [[2]]), MultivariateGaussian([0], [[3]])]
    assert_allclose(kl_divergence(*several), kl_divergence(Gaussian(1, 2), Gaussian(0, 3)), rtol=1e-12)


def test_what_is_impossible_is_infinitely_far():
    assert kl_divergence(Bernoulli(0.5), Bernoulli(1.0)) == np.inf
    assert kl_divergence(Poisson(1), Poisson(0)) == np.inf
    assert kl_divergence(NormalGamma.known_mean(1), NormalGamma.known_mean(2)) == np.inf
    assert kl_divergence(NormalGamma.known_mean(1), NormalGamma(1)) == np.inf
    assert kl_divergence(Gaussian(0, 1), Gamma(2, 1)) == np.inf


@pytest.mark.parametrize(
    ("q", "p", "message"),
    [
        (Poisson(1), NegativeBinomial(1, 0.5), "no formula for Poisson and NegativeBinomial"),
        (Gaussian(), [0.5, 0.5], "no formula for Gaussian and list"),
        (Categorical([0.5, 0.5]), Categorical([0.5, 0.5], categories=["a", "b"]), "the categories differ"),
        (MultivariateGaussian([0, 0]), MultivariateGaussian([0]), "2 and 1 variables"),
        (NormalMean.flat(), NormalMean(), "improper"),
        (GammaPoisson(), GammaPoisson.flat(), "improper"),
        (Gaussian(0, 0), Gaussian(), "variance 0"),
    ],
)  # fmt: skip
def test_bad_input_is_named(q, p, message):
    with pytest.raises(ValueError, match=message):
        kl_divergence(q, p)
