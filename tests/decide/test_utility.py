"""Expected value and utility. Oracle: IML exercise 3.6, the coin that pays on tails."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.decide import certainty_equivalent, decide, expected_utility
from assay.errors import DataError, ParameterError


@pytest.mark.capability("IML-3-15")
def test_the_coin_game_is_worth_2_50_and_for_the_large_prize_250():
    assert expected_utility([0, 5], [0.5, 0.5]) == 2.5
    assert expected_utility([0, 500], [0.5, 0.5]) == 250
    assert certainty_equivalent([0, 500], [0.5, 0.5], np.sqrt) < 250  # risk averse


@given(
    outcomes=st.lists(st.floats(0.1, 100), min_size=2, max_size=6),
    seed=st.integers(0, 100),
)
@settings(max_examples=40, deadline=None)
def test_a_concave_utility_pays_less_than_the_expected_value(outcomes, seed):
    P = np.random.default_rng(seed).dirichlet(np.ones(len(outcomes)))
    value = expected_utility(outcomes, P)
    sure = certainty_equivalent(outcomes, P, np.log)
    assert sure <= value + 1e-9
    assert_allclose(np.log(sure), expected_utility(outcomes, P, np.log), atol=1e-9)


def test_the_action_of_largest_expected_gain_has_the_least_risk():
    gains = np.array([[10.0, -5.0], [2.0, 1.0], [0.0, 4.0]])
    P = np.array([0.4, 0.6])
    worth = expected_utility(gains, P)
    assert_allclose(worth, [1.0, 1.4, 2.4])
    assert decide(P[None], -gains).chosen[0] == worth.argmax()


def test_an_impossible_disaster_does_not_count():
    assert expected_utility([0.0, 1.0], [0.0, 1.0], lambda v: np.where(v > 0, v, -np.inf)) == 1


def test_sure_things_and_bad_input():
    assert certainty_equivalent([3, 3], [0.5, 0.5], np.sqrt) == 3
    with pytest.raises(ParameterError, match="probabilities must be probabilities that sum to 1"):
        expected_utility([1, 2], [0.5, 0.6])
    with pytest.raises(DataError, match="finite outcomes"):
        expected_utility([1, np.nan], [0.5, 0.5])
    with pytest.raises(ParameterError, match="increase with the outcome"):
        certainty_equivalent([1, 2], [0.5, 0.5], np.negative)
    with pytest.raises(ParameterError, match="one number per outcome"):
        expected_utility([1, 2], [0.5, 0.5], np.sum)
    with pytest.raises(DataError, match="utility of an outcome is NaN"):
        expected_utility([1, 2], [0.5, 0.5], lambda v: v * np.nan)
    with pytest.raises(DataError, match="outcomes of one action"):
        certainty_equivalent([[1, 2]], [0.5, 0.5], np.sqrt)
