import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.stats import BetaBernoulli, GammaPoisson, empirical_bayes

HEADS = np.array([2, 5, 8, 3])
COUNTS = {"samples": [[1, 0]] * 4, "weights": [[k, 10 - k] for k in HEADS]}


# Oracle: symmetric Beta(a, a), 2, 5, 8, 3 heads of 10; the maximiser to 1e-5.
@pytest.mark.capability("IML-16-17")
def test_rates_of_four_coins_are_drawn_together():
    result = empirical_bayes(lambda a: BetaBernoulli(a, a), COUNTS["samples"], 1.0, weights=COUNTS["weights"])
    assert_allclose(result.parameters, 3.56419093, atol=1e-5)
    assert_allclose(result.means, [0.32485211, 0.5, 0.67514789, 0.38323474], atol=1e-5)
    assert_allclose(result.prior.a, result.parameters[0])


def test_two_hyperparameters_and_no_direction_rises():
    result = empirical_bayes(BetaBernoulli, COUNTS["samples"], [1.0, 1.0], weights=COUNTS["weights"])

    def evidence(logs):
        prior = BetaBernoulli(*np.exp(logs))
        return sum(prior.log_evidence(x, w) for x, w in zip(COUNTS["samples"], COUNTS["weights"]))

    top = np.log(result.parameters)
    assert_allclose(evidence(top), result.log_evidence, rtol=1e-12)
    for step in 1e-3 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1]]):
        assert evidence(top + step) < evidence(top)


def test_the_prior_that_made_the_groups_is_nearly_recovered():
    rng = np.random.default_rng(0)
    groups = [rng.poisson(rate, 5) for rate in rng.gamma(4, 1 / 2, 60)]
    result = empirical_bayes(GammaPoisson, groups, [1.0, 1.0])
    at_truth = sum(GammaPoisson(4, 2).log_evidence(group) for group in groups)
    assert at_truth <= result.log_evidence < at_truth + 4  # half a chi-squared of two degrees of freedom
    assert_allclose(result.prior.mean, 2, rtol=0.15)
    raw = np.array([group.mean() for group in groups])
    assert np.ptp(result.means) < np.ptp(raw)  # shrunken


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: empirical_bayes(BetaBernoulli, [], [1, 1]), "no group"),
        (
            lambda: empirical_bayes(BetaBernoulli, [[1]], [1, 1], weights=[[1], [1]]),
            "1 groups and weights of 2",
        ),
        (lambda: empirical_bayes(BetaBernoulli, [[1]], [0, 1]), "start must be numbers above 0"),
        (
            lambda: empirical_bayes(lambda a: BetaBernoulli(a, a), [[1, 0]] * 3, 1, weights=[[5, 5]] * 3),
            "flat or rises without end",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_one_group_of_one_outcome_has_no_best_prior():
    with pytest.raises(ValueError, match="the evidence has no best point"):
        empirical_bayes(BetaBernoulli, [[1, 1, 1]], start=[1, 1])
