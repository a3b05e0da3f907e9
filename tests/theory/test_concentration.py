"""Deviations of means: oracles, exact binomial tails, and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from assay.errors import ParameterError
from assay.theory.concentration import (
    bernstein,
    binary_kl,
    chernoff,
    empirical_bernstein_epsilon,
    hoeffding,
    hoeffding_epsilon,
    hoeffding_sample_size,
    mcdiarmid,
    simulate_deviation,
)

N = st.integers(1, 2000)
P = st.floats(0.001, 0.999)


@pytest.mark.capability("BC-49")
def test_hoeffding_at_the_worked_numbers_and_in_simulation():
    """N = 100, eps = 0.1: 2 e^-2; N = 1000, eps = 0.05: 2 e^-5. The simulation is held against the exact tail."""
    assert hoeffding(100, 0.1) == pytest.approx(0.270671, abs=5e-7)
    assert hoeffding(1000, 0.05) == pytest.approx(0.013476, abs=5e-7)
    seen = simulate_deviation(100, [0.05, 0.1, 0.15], p=0.5, runs=20_000, random_state=1)
    exact = np.array([2 * binom.cdf(44, 100, 0.5), 2 * binom.cdf(39, 100, 0.5), 2 * binom.cdf(34, 100, 0.5)])
    band = 4 * np.sqrt(exact * (1 - exact) / 20_000)
    assert (np.abs(seen - exact) < band).all()
    assert (seen < hoeffding(100, np.array([0.05, 0.1, 0.15]))).all()


@given(N, st.floats(0.01, 0.5), P)
@settings(deadline=None, max_examples=60)
def test_every_bound_is_above_the_exact_tail_and_chernoff_below_hoeffding(n, eps, p):
    above = binom.sf(np.ceil(n * (p + eps) - 1e-9) - 1, n, p)  # P(share >= p + eps)
    below = binom.cdf(np.floor(n * (p - eps) + 1e-9), n, p)
    assert above <= chernoff(n, p, eps) * (1 + 1e-6) + 1e-12
    assert below <= chernoff(n, p, eps, side="below") * (1 + 1e-6) + 1e-12
    assert chernoff(n, p, eps) <= hoeffding(n, eps, sides=1) * (1 + 1e-9)
    assert above + below <= bernstein(n, eps, p * (1 - p), bound=max(p, 1 - p)) + 1e-9


@given(st.floats(0.001, 0.9), st.floats(0.001, 0.99), st.floats(0.1, 10))
@settings(deadline=None, max_examples=40)
def test_sample_size_and_epsilon_are_inverses(eps, delta, width):
    n = hoeffding_sample_size(eps * width, delta, width=width)
    assert hoeffding(n, eps * width, width=width) <= delta * (1 + 1e-9)
    assert n == 1 or hoeffding(n - 1, eps * width, width=width) > delta * (1 - 1e-9)
    assert hoeffding(n, hoeffding_epsilon(n, delta)) == pytest.approx(delta)


def test_mcdiarmid_contains_hoeffding():
    assert mcdiarmid(np.full(50, 2 / 50), 0.3) == pytest.approx(hoeffding(50, 0.3, width=2))
    assert mcdiarmid([1.0, 0.0], 10.0, sides=1) == pytest.approx(np.exp(-200))


def test_the_empirical_bernstein_distance_covers():
    """2000 samples of 200 values: the mean plus the distance is below the expectation in delta of them at most."""
    rng, delta = np.random.default_rng(0), 0.1
    samples = (rng.random((2000, 200)) < 0.05).astype(float)
    missed = np.mean([s.mean() + empirical_bernstein_epsilon(s, delta) < 0.05 for s in samples])
    assert missed <= delta
    # by hand: S^2 = 0.25 * 4/3, ln(2/0.05) = 3.6889
    assert empirical_bernstein_epsilon([0, 1, 0, 1], 0.05) == pytest.approx(
        np.sqrt(2 / 3 * np.log(40) / 4) + 7 * np.log(40) / 9
    )


def test_binary_kl_at_the_ends():
    np.testing.assert_allclose(
        binary_kl([0, 1, 0, 1, 0.5], [0, 1, 0.5, 0.5, 1]), [0, 0, np.log(2), np.log(2), np.inf]
    )
    assert chernoff(10, 0.0, 0.1) == 0 and chernoff(10, 0.3, 0.8) == 0 and chernoff(10, 0.3, 0.0) == 1


def test_arrays_in_arrays_out_and_vacuous_bounds_are_one():
    assert hoeffding([1, 10], 0.01).tolist() == [1.0, 1.0] and isinstance(hoeffding(1, 0.01), float)
    assert hoeffding_sample_size([0.1, 0.05], 0.05).tolist() == [185, 738]
    assert bernstein(5, 0.0, 0.0) == 1.0


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: hoeffding(0, 0.1), "n must be a whole number from 1 up, got 0"),
        (lambda: hoeffding(10.5, 0.1), "n must be a whole number"),
        (lambda: hoeffding("many", 0.1), "n must be a whole number from 1 up, got 'many'"),
        (lambda: hoeffding(10, np.nan), "eps must be a number from 0 up, got nan"),
        (lambda: hoeffding(10, 0.1, sides=3), "sides must be 1 or 2"),
        (lambda: hoeffding_sample_size(0.1, 1.0), "delta must be a number above 0 and below 1"),
        (lambda: hoeffding_sample_size(0.0, 0.1), "eps must be a number above 0"),
        (lambda: hoeffding_sample_size(1e-12, 0.1), "more rows than"),
        (lambda: chernoff(5, 0.5, 0.1, side="left"), "side must be above or below"),
        (lambda: mcdiarmid([], 0.1), "changes must be one number per value"),
        (lambda: hoeffding(True, 0.1), "n must be a whole number"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


def test_extreme_numbers_have_their_limits():
    assert hoeffding(10, 1e200) == 0 and hoeffding(10, 0.1, width=1e-300) == 0
    assert bernstein(10, 1e200, 0) == 0 and bernstein(10, 1e-200, 0) == 1
    assert mcdiarmid([1e-200], 1) == 0 and mcdiarmid([1e200], 1) == 1
    assert mcdiarmid([3e-200, 4e-200], 5e-200) == pytest.approx(2 * np.exp(-2))
    assert hoeffding_epsilon(1, 1e-320) == pytest.approx(
        np.sqrt((np.log(2) + 320 * np.log(10)) / 2), rel=1e-3
    )
    with pytest.raises(ParameterError, match="more rows than"):
        hoeffding_sample_size(1e-200, 0.1)


def test_the_divergence_of_nearly_equal_coins():
    """kl(q || q + g) = g² / (2 q (1 - q)) up to terms of g³."""
    assert binary_kl(0.3, 0.3 + 1e-9) == pytest.approx(1e-18 / 0.42, rel=1e-5)
    assert binary_kl(1e-300, 2e-300) == pytest.approx(1e-300 * (1 - np.log(2)))


@pytest.mark.parametrize(
    "call",
    [
        lambda: simulate_deviation(10, 0.1, p=[0.1, 0.2]),
        lambda: simulate_deviation(10, 0.1, random_state="a"),
        lambda: empirical_bernstein_epsilon([0, 1], [0.1, 0.2]),
    ],
)
def test_one_number_is_asked_for(call):
    with pytest.raises(ParameterError, match="must be"):
        call()
