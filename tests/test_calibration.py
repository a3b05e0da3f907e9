"""The checks of posteriors notice a posterior that is wrong."""

import numpy as np
import pytest
from tests.calibration import assert_calibrated, assert_covers


def normal_mean(belief_is_wider=1.0, shift=0.0):
    """Truth N(0, 1), one observation with variance 1: the posterior is N(x/2, 1/2)."""

    def simulate(rng):
        truth = rng.normal(size=2)
        centre = rng.normal(truth) / 2 + shift
        return truth, centre + belief_is_wider * np.sqrt(0.5) * rng.normal(size=(99, 2))

    return simulate


def interval_of(simulate):
    def ends(rng):
        truth, draws = simulate(rng)
        return truth, np.quantile(draws, [0.025, 0.975], axis=0)

    return ends


def test_the_right_posterior_passes():
    assert_calibrated(normal_mean())
    assert_covers(interval_of(normal_mean()), slack=0.03)


@pytest.mark.parametrize("wrong", [{"belief_is_wider": 1.5}, {"belief_is_wider": 0.6}, {"shift": 0.3}])
def test_a_wrong_posterior_fails(wrong):
    with pytest.raises(AssertionError, match="ranks"):
        assert_calibrated(normal_mean(**wrong))
    with pytest.raises(AssertionError, match="hold the truth in"):
        assert_covers(interval_of(normal_mean(**wrong)))


def test_ties_of_whole_numbers_are_broken_at_random():
    def simulate(rng):
        return rng.integers(3), rng.integers(3, size=99)

    assert_calibrated(simulate)
