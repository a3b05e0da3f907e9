"""Deviances: like scikit-learn, homogeneous in the unit, refused out of range."""

import numpy as np
import pytest
import sklearn.metrics as peers
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.exceptions import UndefinedMetricWarning

from assay.errors import DataError, ParameterError
from assay.metrics import (
    Outcome,
    d2_tweedie_score,
    mean_gamma_deviance,
    mean_poisson_deviance,
    mean_tweedie_deviance,
    measure_named,
    measures,
    with_interval,
)

POWERS = (-1.2, 0, 1, 1.5, 2, 3, 3.5)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), power=st.sampled_from(POWERS), weighted=st.booleans())
def test_same_as_scikit_learn(seed, power, weighted):
    rng = np.random.default_rng(seed)
    y, z = rng.gamma(2, size=(2, 12)) + 0.1
    w = rng.uniform(0.1, 2, 12) if weighted else None
    for ours, peer in (
        (mean_tweedie_deviance, peers.mean_tweedie_deviance),
        (d2_tweedie_score, peers.d2_tweedie_score),
    ):
        expected = peer(y, z, sample_weight=w, power=power)
        assert_allclose(ours(y, z, sample_weight=w, power=power), expected, rtol=1e-9)


def test_more_rows_than_are_taken_at_a_time():
    y, z = np.random.default_rng(0).gamma(2, size=(2, 40_000))
    assert_allclose(mean_poisson_deviance(y, z), peers.mean_poisson_deviance(y, z))
    assert_allclose(mean_gamma_deviance(y, z), peers.mean_gamma_deviance(y, z))
    assert_allclose(d2_tweedie_score(y, z, power=1), peers.d2_tweedie_score(y, z, power=1))


@pytest.mark.parametrize("power", POWERS)
def test_another_unit_multiplies_the_deviance_by_its_power(power):
    y, z = np.random.default_rng(1).gamma(3, size=(2, 20))
    plain = mean_tweedie_deviance(y, z, power=power)
    for unit in (1e-3, 1e3):
        assert_allclose(
            mean_tweedie_deviance(y * unit, z * unit, power=power), plain * unit ** (2 - power), rtol=1e-9
        )
    for unit in (1e-150, 1e150):
        score = d2_tweedie_score(y * unit, z * unit, power=power)
        assert_allclose(score, d2_tweedie_score(y, z, power=power), rtol=1e-9)


def test_what_a_power_does_not_allow_is_refused():
    for power, y, z, sentence in (
        (-1, [1.0], [0.0], "strictly positive y_pred"),
        (1, [-1.0], [1.0], "non-negative y and strictly positive y_pred"),
        (2, [0.0], [1.0], "strictly positive y and y_pred"),
    ):
        with pytest.raises(DataError, match=sentence):
            mean_tweedie_deviance(y, z, power=power)
        name = "poisson deviance" if power == 1 else "gamma deviance" if power == 2 else "tweedie deviance -1"
        assert sentence in measure_named(name).estimate(Outcome.of_numbers(y, z)).why
    for power in (0.5, np.nan, "1"):
        with pytest.raises(ParameterError, match="power must be"):
            mean_tweedie_deviance([1.0], [1.0], power=power)
    with pytest.raises(DataError, match="Multioutput not supported"):
        mean_poisson_deviance(np.ones((2, 2)), np.ones((2, 2)))
    with pytest.warns(UndefinedMetricWarning, match="less than two samples"):
        assert np.isnan(d2_tweedie_score([1.0], [1.0]))


def test_measures_of_deviances():
    y, z = np.random.default_rng(2).gamma(3, size=(2, 60))
    outcome = Outcome.of_numbers(y, z)
    assert_allclose(measures()["poisson deviance"].of(outcome), mean_poisson_deviance(y, z))
    assert_allclose(measures()["gamma deviance"].of(outcome), mean_gamma_deviance(y, z))
    assert_allclose(measure_named("tweedie deviance 1.5").of(outcome), mean_tweedie_deviance(y, z, power=1.5))
    assert_allclose(measure_named("d2 tweedie 1.5").of(outcome), d2_tweedie_score(y, z, power=1.5))
    estimate = with_interval("d2 poisson", y, z)
    assert estimate.method == "delta method" and estimate.low < estimate.value < estimate.high < 1
    drawn = with_interval("d2 poisson", y, z, method="bca")
    assert_allclose(
        [drawn.low, drawn.high], [estimate.low, estimate.high], atol=0.3 * (drawn.high - drawn.low)
    )
    constant = measures()["d2 gamma"].estimate(Outcome.of_numbers([2.0, 2.0], [1.0, 3.0]))
    assert constant.why == "all true values are equal"
