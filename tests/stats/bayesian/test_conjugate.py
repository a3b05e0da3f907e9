"""What all conjugate models promise, whatever their family."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.calibration import assert_calibrated, assert_covers

from assay import load, save
from assay.errors import DataError, ParameterError
from assay.stats import (
    BetaBernoulli,
    ConjugateModel,
    DirichletCategorical,
    GammaPoisson,
    NormalGamma,
    NormalInverseWishart,
    NormalMean,
    empirical_bayes,
)

RNG = np.random.default_rng(0)
MODELS = {
    "beta": (BetaBernoulli(2, 3.5), np.array([1, 0, 0, 1, 1, 1, 0])),
    "dirichlet": (DirichletCategorical([2, 1, 0.7]), np.array([0, 2, 2, 1, 2])),
    "normal mean": (NormalMean(1, 4, noise_var=2), RNG.normal(2, 1, 6)),
    "normal-gamma": (NormalGamma(1, 0.5, 2, 3), RNG.normal(2, 1, 6)),
    "known mean": (NormalGamma.known_mean(1, 2, 3), RNG.normal(2, 1, 6)),
    "normal-inverse-Wishart": (
        NormalInverseWishart([1, 0], [[2, 0.5], [0.5, 1]], kappa=0.5, nu=5),
        RNG.normal(size=(6, 2)),
    ),
    "gamma-Poisson": (GammaPoisson(2, 0.5), np.array([3, 0, 2, 7])),
}  # fmt: skip
ALL = pytest.mark.parametrize("name", MODELS)
ONE_PARAMETER = [BetaBernoulli(8, 4), BetaBernoulli(1, 3), BetaBernoulli(0.5, 3), BetaBernoulli(3, 1),
                 GammaPoisson(7, 4), GammaPoisson(0.5, 2), NormalMean(1, 4), BetaBernoulli(600, 1400)]  # fmt: skip


@ALL
def test_updates_in_pieces_are_one_update(name):
    prior, x = MODELS[name]
    whole, pieces = prior.update(x), prior.update(x[:1]).update(x[1:3]).update(x[3:])
    for attribute, value in vars(whole).items():
        if attribute != "categories":
            assert_allclose(getattr(pieces, attribute), value, rtol=1e-12, err_msg=attribute)


@ALL
def test_evidence_is_the_product_of_successive_predictions(name):
    prior, x = MODELS[name]
    belief, logs = prior, []
    for i in range(len(x)):
        logs.append(float(np.squeeze(belief.density().logpdf(x[i : i + 1]))))
        belief = belief.update(x[i : i + 1])
    assert_allclose(prior.log_evidence(x), np.sum(logs), rtol=1e-12)
    assert_allclose(prior.log_evidence(x[::-1]), np.sum(logs), rtol=1e-12)  # the order does not matter


@ALL
def test_a_weight_of_two_counts_twice(name):
    prior, x = MODELS[name]
    weights = np.array([2.0, 0, 1, 1, 3, 1, 1])[: len(x)]
    rows = np.repeat(np.arange(len(x)), weights.astype(int))
    for attribute, value in vars(prior.update(x[rows])).items():
        if attribute != "categories":
            assert_allclose(getattr(prior.update(x, weights), attribute), value, rtol=1e-12)
    assert_allclose(prior.log_evidence(x, weights), prior.log_evidence(x[rows]), rtol=1e-12)
    twice = prior.maximum_likelihood(x, weights), prior.maximum_likelihood(x[rows])
    assert_allclose(twice[0].logpdf(x[rows]), twice[1].logpdf(x[rows]), rtol=1e-10)


@ALL
def test_the_predictive_is_the_average_over_draws_of_the_parameters(name):
    prior, x = MODELS[name]
    belief = prior.update(x)
    draws = belief.sample(1500, random_state=1)
    values = np.exp([_log_likelihood(belief, theta, x[:1]) for theta in _rows(draws)])
    error = values.std() / np.sqrt(len(values))
    assert abs(values.mean() - float(np.squeeze(belief.density().pdf(x[:1])))) < 5 * error + 1e-12


@ALL
def test_maximum_likelihood_beats_every_draw_of_the_posterior(name):
    prior, x = MODELS[name]
    best = prior.maximum_likelihood(x).loglik(x)
    assert best >= max(
        _log_likelihood(prior, theta, x) for theta in _rows(prior.update(x).sample(200, random_state=2))
    )


@ALL
def test_the_same_words_everywhere(name, tmp_path):
    prior, x = MODELS[name]
    belief = prior.update(x)
    assert isinstance(belief, ConjugateModel) and type(belief) is type(prior) and belief.proper
    low, high = belief.interval(0.9)
    assert np.all(np.asarray(low) <= belief.mean) and np.all(belief.mean <= np.asarray(high))
    assert np.all(np.asarray(belief.var) >= 0) and belief.map is not None
    assert np.shape(belief.hpd(0.9)) == np.shape(belief.interval(0.9))
    assert repr(belief).startswith(type(belief).__name__)
    for level in (95, "wide", None, [0.9]):
        with pytest.raises(ParameterError, match="level must lie between 0 and 1"):
            belief.interval(level)
    with pytest.raises(ValueError, match="predictive, bayes, map"):
        belief.density("median")
    with pytest.raises(ValueError, match=r"needs the data: maximum_likelihood\(x\)"):
        belief.density("ml")
    save(belief, tmp_path / "belief.assay")
    assert repr(load(tmp_path / "belief.assay")) == repr(belief)


@pytest.mark.parametrize("belief", ONE_PARAMETER, ids=repr)
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_shortest_interval_is_shortest_and_holds_its_share(belief, level):
    low, high = belief.hpd(level)
    theta = np.sort(belief.sample(200_000, random_state=3))
    assert_allclose(np.mean((theta >= low) & (theta <= high)), level, atol=0.005)
    central = belief.interval(level)
    assert high - low <= (central[1] - central[0]) * (1 + 1e-12)
    edge = isinstance(belief, BetaBernoulli) and min(belief.a, belief.b) <= 1
    if not edge and not (isinstance(belief, GammaPoisson) and belief.a <= 1):
        assert_allclose(belief.logpdf(low), belief.logpdf(high), atol=1e-6)


def _rows(draws):
    return list(zip(*draws)) if isinstance(draws, tuple) else draws


def _log_likelihood(belief, theta, x):
    """Log likelihood of x under one draw of the parameters."""
    from assay.stats import Bernoulli, Categorical, Gaussian, MultivariateGaussian, Poisson

    if isinstance(belief, BetaBernoulli):
        return Bernoulli(theta).loglik(x)
    if isinstance(belief, DirichletCategorical):
        return Categorical(theta).loglik(x)
    if isinstance(belief, NormalMean):
        return Gaussian(theta, belief.noise_var).loglik(x)
    if isinstance(belief, GammaPoisson):
        return Poisson(theta).loglik(x)
    if isinstance(belief, NormalGamma):
        return Gaussian(theta[0], 1 / theta[1]).loglik(x)
    return MultivariateGaussian(*theta).loglik(x)


def _simulated(belief, theta, n, rng):
    if isinstance(belief, BetaBernoulli):
        return rng.binomial(1, theta, n)
    if isinstance(belief, DirichletCategorical):
        return rng.choice(len(theta), n, p=theta)
    if isinstance(belief, NormalMean):
        return rng.normal(theta, np.sqrt(belief.noise_var), n)
    if isinstance(belief, GammaPoisson):
        return rng.poisson(theta, n)
    if isinstance(belief, NormalGamma):
        return rng.normal(theta[0], theta[1] ** -0.5, n)
    return rng.multivariate_normal(theta[0], theta[1], n)


def _numbers(theta):
    """The parameters as one vector."""
    if not isinstance(theta, tuple):
        return np.atleast_1d(theta)
    mean, spread = theta
    return np.append(mean, spread if np.ndim(spread) == 0 else spread[np.tril_indices(len(spread))])


@ALL
def test_the_posterior_is_calibrated(name):
    prior, _ = MODELS[name]

    def simulate(rng):
        truth = _rows(prior.sample(1, rng))[0]
        draws = _rows(prior.update(_simulated(prior, truth, 4, rng)).sample(49, rng))
        numbers = np.array([_numbers(draw) for draw in draws])
        vary = np.ptp(numbers, axis=0) > 0  # a known mean does not
        return _numbers(truth)[vary], numbers[:, vary]

    assert_calibrated(simulate, rounds=250)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        *((name, "interval") for name in MODELS),
        ("beta", "hpd"),
        ("gamma-Poisson", "hpd"),
    ],
)
def test_intervals_hold_the_truth_as_often_as_they_say(name, method):
    prior, _ = MODELS[name]
    if name == "known mean":
        method = "precision_interval"

    def simulate(rng):
        truth = _rows(prior.sample(1, rng))[0]
        belief = prior.update(_simulated(prior, truth, 5, rng))
        value = truth[1] if name == "known mean" else truth[0] if isinstance(truth, tuple) else truth
        return value, getattr(belief, method)(0.95)

    assert_covers(simulate, rounds=600)


@pytest.mark.parametrize(
    ("prior", "x"),
    [
        (NormalMean.flat(2.0), [1.0]),
        (NormalGamma.jeffreys(), [1.0, 2.0]),
        (NormalGamma.jeffreys(mean=1), [3.0]),
        (NormalGamma.flat(), [1.0, 2.0]),
        (NormalInverseWishart.jeffreys(2), np.random.default_rng(0).normal(size=(4, 2))),
        (GammaPoisson.jeffreys(), [0]),
        (GammaPoisson.flat(), [3]),
    ],
    ids=repr,
)
def test_an_improper_prior_can_be_updated_and_says_what_it_lacks(prior, x):
    assert not prior.proper
    with pytest.raises(ValueError, match=r"improper .*no evidence.*proper prior"):
        prior.log_evidence(x)
    with pytest.raises(ValueError, match="improper"):
        prior.sample(3)
    belief = prior.update(x)
    assert belief.proper and np.isfinite(belief.sample(3, random_state=0)[0]).all()


@ALL
def test_the_same_belief_is_equal_and_counts_once(name, tmp_path):
    prior, x = MODELS[name]
    save(prior, tmp_path / "prior.assay")
    again = load(tmp_path / "prior.assay")
    assert again == prior and len({again, prior}) == 1
    assert prior.update(x) == prior.update(x) != prior
    assert prior != "a belief" and prior != GammaPoisson(123, 4)


@ALL
@pytest.mark.parametrize("n", [-1, 2.5, "many", None, True])
def test_a_number_of_draws_that_is_none_is_refused(name, n):
    with pytest.raises(ParameterError, match="number of draws must be a whole number"):
        MODELS[name][0].sample(n)


def test_a_missing_category_is_told_by_the_model_that_was_asked():
    with pytest.raises(DataError, match=r"^DirichletCategorical: row 2 is missing"):
        DirichletCategorical([1, 1]).update([0, np.nan])


def test_a_family_must_be_a_function():
    with pytest.raises(ParameterError, match="empirical_bayes: family must be a function"):
        empirical_bayes("beta", [[1, 0]], [1, 1])


def test_a_model_of_your_own_says_what_it_lacks():
    for call in (
        lambda m: m.update([1]),
        lambda m: m.logpdf(0),
        lambda m: m.sample(1),
        lambda m: m.density(),
        lambda m: m.interval(),
        lambda m: m.maximum_likelihood([1]),
    ):
        with pytest.raises(NotImplementedError, match="ConjugateModel"):
            call(ConjugateModel())


@ALL
@pytest.mark.parametrize("estimate", [np.ones((3, 2)), np.array(["predictive"]), 1.0, None])
def test_a_table_is_no_kind_of_density(name, estimate):
    with pytest.raises(ParameterError, match="estimate must be one of"):
        MODELS[name][0].density(estimate)


@pytest.mark.parametrize("category", [[0, 1], np.ones((2, 2)), []])
def test_several_categories_are_no_category(category):
    with pytest.raises(ParameterError, match="is no category"):
        DirichletCategorical([1, 2]).marginal(category)


def test_one_number_is_no_distribution_of_categories():
    with pytest.raises(ParameterError, match="expected 2 probabilities that sum to 1"):
        DirichletCategorical([1, 2]).logpdf(0.5)
