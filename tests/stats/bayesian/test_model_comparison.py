import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.stats import (
    Bernoulli,
    BetaBernoulli,
    GammaPoisson,
    Gaussian,
    NegativeBinomial,
    NormalMean,
    Poisson,
    aic,
    bayes_factor,
    bayesian_model_selection,
    bic,
    compare_models,
    gaussian_log_likelihood,
    log_evidence,
    model_probabilities,
)

# Oracle: a polynomial of degree 3 with noise of deviation 0.25 at 13 points.
x = np.arange(-1.5, 1.51, 0.25)
r = np.array([-1.09, -0.11, 0.66, 0.73, 0.49, 0.45, 0.33, -0.12, -0.80, -1.02, -0.66, 0.09, 0.54])
DESIGNS = [np.vander(x, degree + 1, increasing=True) for degree in range(9)]
SSE = [5.130292, 5.084084, 4.945111, 0.369332, 0.368401, 0.348238, 0.171697, 0.070326, 0.007282]
LOG_LIKELIHOOD = [-34.9667, -34.5970, -33.4853, 3.1210, 3.1284, 3.2897, 4.7021, 5.5130, 6.0174]
LOG_EVIDENCE = [-37.6386, -39.8757, -41.1966, -8.3918, -10.3926, -12.1765, -13.3911, -14.2132, -15.7767]
BIC = [-36.2492, -37.1620, -37.3327, -2.0089, -3.2840, -4.4051, -4.2753, -4.7468, -5.5249]


def sse(design):
    return float(np.sum((r - design @ np.linalg.lstsq(design, r)[0]) ** 2))


@pytest.mark.capability("IML-16-18")
@pytest.mark.parametrize(("heads", "factor"), [(6, 1024 / 2310), (9, 1024 / 110)])
def test_a_fair_coin_or_any_coin(heads, factor):
    throws = np.repeat([1, 0], [heads, 10 - heads])
    result = compare_models([Bernoulli(0.5), BetaBernoulli.uniform()], throws)
    assert_allclose(result.bayes_factor(1, 0).factor, factor, rtol=1e-12)
    assert_allclose(result.posterior[1] / result.posterior[0], factor, rtol=1e-12)
    if heads == 6:
        assert_allclose(result.log_evidence, [-6.93147181, -7.74500280], rtol=1e-8)
    else:
        likelihood = Bernoulli(0.9).loglik(throws)
        assert_allclose(bic(likelihood, 1, 10, convention="log"), -4.40212228, rtol=1e-8)
        assert_allclose(aic(likelihood, 1, convention="log"), -4.25082973, rtol=1e-8)


@pytest.mark.capability("IML-16-18", "IML-16-20")
def test_evidence_finds_the_degree_and_likelihood_does_not():
    assert_allclose([sse(D) for D in DESIGNS], SSE, atol=6e-7)
    likelihoods = [gaussian_log_likelihood(sse(D), 13, 1 / 16) for D in DESIGNS]
    assert_allclose(likelihoods, LOG_LIKELIHOOD, atol=6e-5)
    result = bayesian_model_selection(DESIGNS, r, precision=1.0, noise=1 / 16)
    assert_allclose(result.log_evidence, LOG_EVIDENCE, atol=6e-5)
    assert result.best == 3 and np.argmax(likelihoods) == 8
    criterion = [bic(v, D.shape[1], 13, convention="log") for v, D in zip(likelihoods, DESIGNS)]
    assert_allclose(criterion, BIC, atol=6e-5)
    assert np.argmax(criterion) == 3
    assert_allclose([bic(v, D.shape[1], 13) for v, D in zip(likelihoods, DESIGNS)], -2 * np.array(criterion))


@pytest.mark.capability("IML-16-20")
def test_criteria_fail_on_a_small_sample_if_the_noise_is_estimated_too():
    likelihoods = [gaussian_log_likelihood(sse(D), 13) for D in DESIGNS]
    by_bic = [bic(v, D.shape[1] + 1, 13, convention="log") for v, D in zip(likelihoods, DESIGNS)]
    by_aic = [aic(v, D.shape[1] + 1, convention="log") for v, D in zip(likelihoods, DESIGNS)]
    assert np.argmax(by_bic) == np.argmax(by_aic) == 8
    assert_allclose([by_bic[8], by_bic[3]], [17.3963, -1.7120], atol=6e-5)


@pytest.mark.capability("IML-16-20")
def test_the_convention_is_asked_for_by_name():
    with pytest.raises(ValueError, match="convention must be one of deviance, log, got 'larger'"):
        aic(-3.0, 2, convention="larger")
    with pytest.raises(ValueError, match="bic: convention"):
        bic(-3.0, 2, 10, convention="larger")


def test_posterior_odds_are_bayes_factor_times_prior_odds():
    result = model_probabilities([-10.0, -11.0, -np.inf], [0.2, 0.6, 0.2])
    assert_allclose(result.posterior.sum(), 1)
    assert result.posterior[2] == 0 and result.best == 1
    odds = result.bayes_factor(0, 1)
    assert_allclose(odds.posterior_odds, result.posterior[0] / result.posterior[1], rtol=1e-12)
    assert_allclose(bayes_factor(-10, -11, prior_odds=1 / 3).posterior_odds, odds.posterior_odds)


def test_very_small_evidences_do_not_vanish():
    assert_allclose(
        model_probabilities([-5000.0, -5001.0]).posterior, [0.7310585786, 0.2689414214], rtol=1e-9
    )
    assert bayes_factor(0.0, -5000.0).factor == np.inf and bayes_factor(0.0, -5000.0).log_factor == 5000


@pytest.mark.parametrize(
    ("log_factor", "words"),
    [(0.5, "mention"), (2.0, "positive"), (4.0, "strong"), (6.0, "very strong"),
     (-4.0, "second model (54.6 to 1) that is strong")],
)  # fmt: skip
def test_a_bayes_factor_in_words(log_factor, words):
    assert words in str(bayes_factor(log_factor, 0.0))


@pytest.mark.capability("IML-16-19")
def test_averaged_predictions_weigh_models_by_their_probability():
    data = [4, 6, 5, 9]
    result = compare_models([GammaPoisson(2, 0.5), Poisson(5.0), NegativeBinomial(3, 0.4)], data)
    average = result.density()
    parts = np.array([m.density().pdf([3]) if hasattr(m, "density") else m.pdf([3]) for m in result.models])
    assert_allclose(average.pdf([3]), result.posterior @ parts, rtol=1e-12)
    mean, variance = result.average_of(
        [d.mean for d in average.densities], [d.var for d in average.densities]
    )
    assert_allclose([average.mean, average.var], [mean, variance], rtol=1e-12)
    draws = average.sample(40_000, random_state=0)
    assert_allclose([draws.mean(), draws.var()], [mean, variance], rtol=0.03)


def test_the_width_of_a_prior_costs_evidence():
    data = [0.3, -0.2, 0.4]
    evidences = [NormalMean(0, var, noise_var=1).log_evidence(data) for var in (1, 100, 10_000)]
    assert evidences[0] > evidences[1] > evidences[2]
    with pytest.raises(ValueError, match="improper"):
        compare_models([NormalMean.flat(), Gaussian()], data)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: model_probabilities([]), "a log evidence for each model"),
        (lambda: model_probabilities([0.0, np.nan]), "finite or minus infinity"),
        (lambda: model_probabilities([-np.inf, -np.inf]), "every model calls the data impossible"),
        (lambda: model_probabilities([0.0, 0.0], [0.7, 0.7]), "2 probabilities that sum to 1"),
        (lambda: bayes_factor(0.0, 0.0, prior_odds=0), "prior_odds must be above 0"),
        (lambda: compare_models([3], [1]), "expected conjugate models or densities, got int"),
        (lambda: compare_models([], [1]), "no model to compare"),
        (lambda: model_probabilities([0.0, 0.0]).average_of([1.0]), "2 models, got 1 predictions"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_log_evidence_of_the_fifth_degree_is_what_the_table_says():
    assert_allclose(log_evidence(DESIGNS[5], r, 1.0, 1 / 16), LOG_EVIDENCE[5], atol=6e-5)
