import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.calibration import assert_calibrated

from assay.stats import Bernoulli, DiscretePrior, Gaussian

COIN = DiscretePrior([0.2, 0.5, 0.8], Bernoulli, [0.25, 0.5, 0.25])


# Oracle: three heads and one tail, worked by hand.
@pytest.mark.capability("IML-16-01")
def test_three_value_coin():
    x = [1, 1, 0, 1]
    posterior = COIN.update(x)
    assert_allclose(np.exp(COIN.log_evidence(x)), 0.05845, rtol=1e-12)
    assert_allclose(posterior.prior, [0.02737382, 0.53464500, 0.43798118], atol=5e-9)
    assert_allclose(posterior.density().pdf([1]), 0.62318221, rtol=1e-8)
    assert (posterior.map, COIN.maximum_likelihood(x).p, posterior.density("map").p) == (0.5, 0.8, 0.5)


def test_updates_in_pieces_are_one_update_and_any_family_will_do():
    prior = DiscretePrior([0.0, 1.0, 4.0], lambda mean: Gaussian(mean, 2.0))
    x = [0.5, 2.0, 1.5]
    assert_allclose(prior.update(x).prior, prior.update(x[:1]).update(x[1:]).prior, rtol=1e-12)
    assert_allclose(prior.update(x, [2, 0, 1]).prior, prior.update([0.5, 0.5, 1.5]).prior, rtol=1e-12)
    assert_allclose(
        prior.log_evidence(x), prior.log_evidence(x[:1]) + prior.update(x[:1]).log_evidence(x[1:])
    )


def test_moments_intervals_and_sets():
    belief = DiscretePrior([3, 1, 2], [Bernoulli()] * 3, [0.2, 0.3, 0.5])
    assert_allclose([belief.mean, belief.var, belief.map], [1.9, 0.49, 2])
    assert belief.interval(0.5) == (1, 2) and belief.interval(0.9) == (1, 3)
    assert belief.hpd(0.75).tolist() == [1, 2] and belief.hpd(0.5).tolist() == [2]
    assert_allclose(np.exp(belief.logpdf([1, 2.5])), [0.3, 0])
    draws = belief.sample(20_000, random_state=0)
    assert_allclose([draws.mean(), draws.var()], [belief.mean, belief.var], rtol=0.03)
    assert repr(belief) == "DiscretePrior({3: 0.2, 1: 0.3, 2: 0.5})"


def test_the_posterior_is_calibrated():
    def simulate(rng):
        truth = COIN.sample(1, rng)[0]
        return truth, COIN.update(rng.binomial(1, truth, 3)).sample(49, rng)

    assert_calibrated(simulate, rounds=300)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DiscretePrior([0.1, 0.9], [Bernoulli()]), "2 values for 1 densities"),
        (lambda: DiscretePrior([0.1, 0.9], Bernoulli, [0.5, 0.6]), "2 probabilities that sum to 1"),
        (lambda: DiscretePrior([0.1, 0.9], 3), "expected densities, or a function that gives them, got int"),
        (lambda: DiscretePrior([0.1, 0.9], lambda v: v), "expected densities"),
        (lambda: COIN.density("bayes"), "predictive, map, got 'bayes'"),
        (lambda: DiscretePrior([0.0], Bernoulli).update([1]), "every model calls the data impossible"),
        (
            lambda: DiscretePrior([0.0], Bernoulli).maximum_likelihood([1]),
            "every value calls the data impossible",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
