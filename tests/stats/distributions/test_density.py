import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay
from assay.errors import ParameterError
from assay.stats import (
    Bernoulli,
    BetaBernoulli,
    Categorical,
    Density,
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
    WithPrior,
)

RNG = np.random.default_rng(7)
SAMPLES = {
    "bernoulli": (Bernoulli(), (RNG.random(40) < 0.3).astype(int)),
    "categorical": (Categorical(), RNG.choice(["a", "b", "c"], 40)),
    "gaussian": (Gaussian(), RNG.normal(3, 2, 40)),
    "multivariate": (MultivariateGaussian(), RNG.normal(size=(40, 3)) @ RNG.normal(size=(3, 3))),
    "beta": (WithPrior(BetaBernoulli(2, 3)), (RNG.random(40) < 0.3).astype(int)),
    "dirichlet": (WithPrior(DirichletCategorical([1, 2, 3])), RNG.integers(0, 3, 40)),
    "normal mean": (WithPrior(NormalMean(0, 1, 4)), RNG.normal(3, 2, 40)),
    "gamma": (Gamma(), RNG.gamma(2, 3, 40)),
    "laplace": (Laplace(), RNG.laplace(1, 3, 40)),
    "poisson": (Poisson(), RNG.poisson(2, 40)),
    "normal-gamma": (WithPrior(NormalGamma(0, 1, 2, 4)), RNG.normal(3, 2, 40)),
    "gamma-poisson": (WithPrior(GammaPoisson(2, 1)), RNG.poisson(2, 40)),
    "by likelihood": (WithPrior(NormalGamma(0, 1, 2, 4), estimate="ml"), RNG.normal(3, 2, 40)),
    "wishart": (WithPrior(NormalInverseWishart(np.zeros(2), np.eye(2))), RNG.normal(size=(40, 2))),
}
every_family = pytest.mark.parametrize("name", SAMPLES)


@pytest.mark.capability("IML-4-01")
@every_family
def test_log_likelihood_is_the_sum_of_log_densities(name):
    family, x = SAMPLES[name]
    fitted = family.fit(x)
    assert isinstance(fitted, Density)
    assert_allclose(fitted.loglik(x), fitted.logpdf(x).sum(), rtol=1e-12)
    w = np.arange(len(x)) % 3
    assert_allclose(fitted.loglik(x, w), (w * fitted.logpdf(x)).sum(), rtol=1e-12)
    assert_allclose(fitted.pdf(x), np.exp(fitted.logpdf(x)))


@every_family
def test_a_weight_counts_rows(name):
    """Weights 0, 1, 2 give what leaving out, keeping and doubling rows gives."""
    family, x = SAMPLES[name]
    w = np.arange(len(x)) % 3
    weighted = family.fit(x, w).logpdf(x)
    repeated = family.fit(np.repeat(x, w, axis=0)).logpdf(x)
    assert_allclose(weighted, repeated, rtol=1e-10)


@every_family
def test_fit_forgets_the_fit_before(name):
    family, x = SAMPLES[name]
    family.fit(x[::2])
    again = family.fit(x).logpdf(x)
    fresh = pickle.loads(pickle.dumps(family)).fit(x).logpdf(x)
    assert_array_equal(again, fresh)


@every_family
def test_draws_follow_the_density(name):
    """The mean of many draws is the mean of the density, within 5 standard errors."""
    family, x = SAMPLES[name]
    fitted = family.fit(x)
    draws = fitted.sample(20_000, random_state=1)
    assert_array_equal(draws, fitted.sample(20_000, random_state=1))
    if draws.dtype.kind in "US" or name == "dirichlet":
        inner = fitted.posterior.density() if name == "dirichlet" else fitted
        draws = np.equal.outer(draws, inner.categories).astype(float)
    error = np.sqrt(np.asarray(fitted.var) / len(draws))
    assert (np.abs(draws.mean(axis=0) - fitted.mean) < 5 * error).all()


@every_family
def test_state_is_plain(name):
    """Numbers, text, flags, arrays; a family with a prior holds beliefs or a density, which are plain in turn."""
    family, x = SAMPLES[name]
    for value in vars(family.fit(x)).values():
        parts = vars(value).values() if hasattr(value, "logpdf") else [value]
        assert all(isinstance(part, float | bool | str | np.ndarray) for part in parts)


@every_family
def test_saved_and_loaded_it_answers_the_same(name, tmp_path):
    family, x = SAMPLES[name]
    assay.save(family.fit(x), tmp_path / "density.assay")
    loaded = assay.load(tmp_path / "density.assay")
    assert type(loaded) is type(family)
    assert_array_equal(loaded.logpdf(x), family.logpdf(x))
    assert_array_equal(loaded.fit(x[::2]).logpdf(x), family.fit(x[::2]).logpdf(x))


def test_zero_weight_hides_an_impossible_row():
    assert Bernoulli(1.0).loglik([1, 0], weights=[2, 0]) == 0.0
    assert Bernoulli(1.0).loglik([1, 0]) == -np.inf


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "one weight for each of the 2 rows"),
        ([1, -1], "Negative values in data passed to `weights`"),
        ([0, 0], "all are zero"),
        ([1, np.nan], "Input weights contains NaN"),
    ],
)
@pytest.mark.parametrize("family", [Bernoulli(), Categorical(), Gaussian(), NormalMean()])
def test_bad_weights_are_named(family, weights, message):
    with pytest.raises(ValueError, match=f"{type(family).__name__}.*{message}"):
        (family.update if isinstance(family, NormalMean) else family.fit)([0, 1], weights)


def test_an_unfinished_family_says_what_it_lacks():
    class Nothing(Density):
        pass

    for call in (lambda d: d.fit([1]), lambda d: d.logpdf([1]), lambda d: d.sample(1)):
        with pytest.raises(NotImplementedError, match="Nothing"):
            call(Nothing())


@pytest.mark.parametrize("wrong", ["x", None, [1.0, 2.0], np.nan, 1j], ids=repr)
@pytest.mark.parametrize(
    "make",
    [
        lambda v: Gaussian(v),
        lambda v: Gaussian(0, v),
        lambda v: Bernoulli(v),
        lambda v: Gamma(1, v),
        lambda v: Laplace(v, 1),
        lambda v: StudentT(0, 1, v),
        lambda v: Poisson(v),
        lambda v: NegativeBinomial(1, v),
        lambda v: BetaBernoulli(v, 1),
        lambda v: GammaPoisson(1, v),
        lambda v: NormalMean(0, v),
        lambda v: NormalGamma(0, 1, v, 1),
        lambda v: NormalInverseWishart([0], [[1]], kappa=v),
    ],
)
def test_a_parameter_that_is_no_number_is_named(make, wrong):
    with pytest.raises(ParameterError, match=r"^\w+: \w+ must be a number, got "):
        make(wrong)
