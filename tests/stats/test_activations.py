"""Activations: identities, the books' numbers, derivatives, and the ends of the floats."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError
from assay.stats import log_odds, odds, sigmoid, softmax, softmax_jacobian

SCORES = st.lists(st.floats(-30, 30), min_size=1, max_size=5)


@pytest.mark.capability("C3-19", "LS-12", "BC-27", "IML-10-10")
@given(a=st.floats(-30, 30))
@settings(max_examples=60, deadline=None)
def test_sigmoid_odds_and_logit_are_one_scale(a):
    """theta(-a) = 1 - theta(a), theta' = theta (1 - theta); the logit is the inverse; three equal rules."""
    p = sigmoid(a)
    assert_allclose(sigmoid(-a), 1 - p, atol=1e-15)
    assert_allclose(np.exp(a), p / sigmoid(-a), rtol=1e-12)
    step = 1e-5
    assert_allclose((sigmoid(a + step) - sigmoid(a - step)) / (2 * step), p * sigmoid(-a), atol=1e-9)
    if abs(a) < 10:
        assert_allclose(log_odds(p), a, atol=1e-10)
        assert_allclose(odds(p), np.exp(a), rtol=1e-10)
        assert (p > 0.5) == (odds(p) > 1) == (log_odds(p) > 0)


def test_ends_of_the_floats():
    assert_array_equal(sigmoid([0.0, 1e300, -1e300, np.inf, -np.inf]), [0.5, 1, 0, 1, 0])
    assert_allclose(sigmoid(-700.0), np.exp(-700.0), rtol=1e-12)  # not rounded to 0
    assert_array_equal(sigmoid(log_odds([0.0, 0.5, 1.0])), [0, 0.5, 1])
    assert_allclose(softmax([[1e300, 1e300], [-1e300, 0.0]]), [[0.5, 0.5], [0, 1]])


@pytest.mark.capability("IML-10-18", "BC-36")
def test_softmax_of_one_two_three():
    """C3 3.1.3 and IML 10.7.2."""
    assert_allclose(softmax([1, 2, 3]), [0.09003057, 0.24472847, 0.66524096], atol=5e-9)
    expected = [
        [0.081925, -0.022033, -0.059892],
        [-0.022033, 0.184836, -0.162803],
        [-0.059892, -0.162803, 0.222695],
    ]
    assert_allclose(softmax_jacobian([1, 2, 3]), expected, atol=5e-7)


@pytest.mark.capability("IML-10-18", "BC-36")
@given(a=SCORES, shift=st.floats(-100, 100))
@settings(max_examples=60, deadline=None)
def test_softmax_and_its_derivative(a, shift):
    """BC exercise 7, by differences; a constant added to all scores changes nothing."""
    a = np.array(a)
    assert_allclose(softmax(a).sum(), 1, rtol=1e-12)
    assert_allclose(softmax(a + shift), softmax(a), rtol=1e-9, atol=1e-300)
    step = 1e-5 * np.eye(len(a))
    slopes = (softmax(a + step) - softmax(a - step)).T / 2e-5  # row k: y_k by each score
    assert_allclose(softmax_jacobian(a), slopes, atol=1e-9)
    assert_allclose(softmax_jacobian(a).sum(axis=0), 0, atol=1e-12)
    pair = np.array([a[0], shift / 10])
    assert_allclose(softmax(pair)[0], sigmoid(pair[0] - pair[1]), rtol=1e-9)  # IML exercise 10-4


def test_rows_of_scores_have_rows_of_answers():
    a = np.random.default_rng(0).normal(size=(4, 5, 3))
    assert_allclose(softmax(a)[2, 1], softmax(a[2, 1]), rtol=1e-12)
    assert softmax_jacobian(a).shape == (4, 5, 3, 3)
    assert_allclose(softmax_jacobian(a)[2, 1], softmax_jacobian(a[2, 1]), rtol=1e-12)


def test_what_is_no_score_is_refused():
    with pytest.raises(DataError, match="missing"):
        sigmoid([1.0, np.nan])
    with pytest.raises(DataError, match="softmax: expected at least one score"):
        softmax(3.0)
    with pytest.raises(DataError, match="softmax_jacobian"):
        softmax_jacobian([1.0, np.inf])
