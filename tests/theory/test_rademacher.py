"""Rademacher complexity: exact values, simulation against enumeration, bounds."""

import numpy as np
import pytest

from assay.errors import DataError
from assay.theory.labellings import labellings
from assay.theory.rademacher import massart, rademacher, rademacher_bound, rademacher_linear


def test_a_shattering_class_follows_every_noise_and_a_single_hypothesis_none():
    assert rademacher(labellings(5)).value == 1.0
    assert rademacher([[1, 1, -1, 1]]).value == 0.0 and rademacher([[1, 1, -1, 1]]).exact


def test_thresholds_by_hand():
    """Signs and answers on 2 points, thresholds (--, -+, ++): the maxima over h are 1, 1, 0 and 1 times 2/2."""
    result = rademacher([[-1, -1], [-1, 1], [1, 1]])
    assert result.value == pytest.approx((1 + 1 + 1 + 0) / 4)


def test_the_simulation_agrees_with_enumeration():
    rng = np.random.default_rng(0)
    A = np.where(rng.random((40, 14)) < 0.5, -1, 1)
    exact = rademacher(A)
    wide = np.hstack([A, A])  # 28 points: simulated; every answer twice
    seen = rademacher(wide, draws=4000)
    # two points with one answer: the sum of their signs is -2, 0, 2; enumerate by 3^14 is too many, so by another seed
    again = rademacher(wide, draws=4000, random_state=1)
    assert exact.exact and not seen.exact
    assert abs(seen.value - again.value) < 5 * np.hypot(seen.standard_error, again.standard_error)
    assert seen.value < exact.value <= massart(40, 14)


def test_linear_functions_by_hand_and_below_their_bound():
    """Two points (1, 0), (0, 1): every signed sum has length sqrt 2, so the value is sqrt(2)/2."""
    assert rademacher_linear([[1.0, 0.0], [0.0, 1.0]]).value == pytest.approx(np.sqrt(2) / 2)
    X = np.random.default_rng(2).normal(size=(200, 5))
    result = rademacher_linear(X, radius=3, draws=2000)
    bound = 3 / 200 * np.sqrt((X**2).sum())
    assert 0.9 * bound < result.value < bound


def test_the_bound_holds_for_all_thresholds_at_once_in_simulation():
    rng, n, delta = np.random.default_rng(0), 200, 0.1
    t = np.linspace(0, 1, 21)
    risk = 0.1 + 0.8 * np.abs(t - 0.5)
    broken = 0
    for _ in range(100):
        x = rng.random(n)
        y = (x >= 0.5) ^ (rng.random(n) < 0.1)
        text = x >= t[:, None]
        bound = rademacher_bound((text != y).mean(axis=1), rademacher(text, draws=50).value, n, delta)
        broken += bool((risk > bound).any())
    assert broken <= delta * 100
    assert rademacher_bound(0.1, 0.05, 1000) == pytest.approx(0.15 + 3 * np.sqrt(np.log(40) / 2000))


def test_bad_input_is_named():
    with pytest.raises(DataError, match="must be -1 and"):
        rademacher([[0, 1]])
    with pytest.raises(DataError, match="a row per hypothesis"):
        rademacher([1, -1])


def test_lengths_of_points_far_from_1():
    assert rademacher_linear([[3e300, 4e300]]).value == pytest.approx(5e300)
    assert rademacher_linear([[3e-300, 4e-300]]).value == pytest.approx(5e-300)
    with pytest.raises(DataError, match="-1 and"):
        rademacher([["a"]])
