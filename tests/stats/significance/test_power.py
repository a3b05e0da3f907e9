"""Power, sample size and the smallest difference: worked numbers, statsmodels, sums over all outcomes."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import ParameterError
from assay.stats.significance.binomial_test import binomial_test, proportion_test
from assay.stats.significance.mcnemar import mcnemar
from assay.stats.significance.paired_t import paired_t_all
from assay.stats.significance.power import power_of, sample_size_for, smallest_difference


@pytest.mark.capability("IML-19-09")
def test_worked_power_and_size_of_the_z_test():
    # Oracle: IML 19.9. mu <= 5 against 5.5, sigma = 2.
    assert_allclose(power_of("z", 0.5, 100, sd=2, alternative="greater"), 0.80376494, atol=5e-9)
    result = sample_size_for("z", 0.5, 0.8, sd=2, alternative="greater")
    assert_allclose(result.exact, 98.92, atol=5e-3)
    assert result.n == int(result) == 99 and result.power >= 0.8


@pytest.mark.capability("IML-19-10")
def test_exact_power_of_two_tests_of_an_error_rate():
    # Oracle: IML 19.10, N = 100, p0 = 0.1; exercise 2 without simulation.
    side = {"p0": 0.1, "alternative": "greater"}
    assert_allclose(power_of("binomial", 0.0, 100, **side), 0.03989053, atol=5e-9)
    assert_allclose(power_of("proportion", 0.0, 100, **side), 0.07257297, atol=5e-9)
    assert_allclose(power_of("binomial", 0.05, 100, **side), 0.43168483, atol=5e-9)
    assert_allclose(power_of("proportion", 0.05, 100, **side), 0.54277579, atol=5e-9)
    assert_allclose(power_of("binomial", 0.10, 100, **side), 0.87149449, atol=5e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_same_as_statsmodels(alternative):
    """Peer: statsmodels 0.15: NormalIndPower, TTestPower, TTestIndPower; effect = difference / sd."""
    from statsmodels.stats.power import NormalIndPower, TTestIndPower, TTestPower

    side = {"greater": "larger", "less": "smaller"}.get(alternative, alternative)
    sign = -1 if alternative == "less" else 1
    for d, n, alpha in [(0.2, 30, 0.05), (0.5, 12, 0.01), (1.0, 5, 0.1), (0.05, 2000, 0.05)]:
        ours = {"alpha": alpha, "alternative": alternative, "sd": 2.0}
        peer = TTestPower().power(sign * d, n, alpha, alternative=side)
        assert_allclose(power_of("t", 2 * sign * d, n, **ours), peer, rtol=1e-7)
        peer = TTestIndPower().power(sign * d, n, alpha, alternative=side)
        assert_allclose(power_of("two-sample t", 2 * sign * d, n, **ours), peer, rtol=1e-7)
        peer = NormalIndPower(ddof=0).power(sign * d, n, alpha, ratio=0, alternative=side)
        assert_allclose(power_of("z", 2 * sign * d, n, **ours), peer, rtol=1e-9)
    wanted = sample_size_for("t", sign * 0.3, 0.9, alternative=alternative)
    assert_allclose(
        wanted.exact, TTestPower().solve_power(sign * 0.3, power=0.9, alpha=0.05, alternative=side), rtol=1e-5
    )


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_counted_powers_are_sums_over_all_outcomes(alternative):
    from scipy.stats import binom

    sign = -1 if alternative == "less" else 1
    for n, p0, d in [(30, 0.4, 0.2), (25, 0.5, 0.5), (7, 0.3, 0.1)]:
        p1 = p0 + sign * d if p0 + sign * d >= 0 else 0.0
        for name, test in (("binomial", binomial_test), ("proportion", proportion_test)):
            hit = [k for k in range(n + 1) if test(k, n, p0, alternative=alternative).rejected]
            ours = power_of(name, p1 - p0, n, p0=p0, alternative=alternative)
            assert_allclose(ours, binom.pmf(hit, n, p1).sum(), rtol=1e-9, atol=1e-12)
    n, disagree, gap = 25, 0.4, 0.2 * sign
    expected = sum(
        binom.pmf(split, n, disagree) * binom.pmf(k, split, (disagree + gap) / 2 / disagree)
        for split, k in product(range(n + 1), range(n + 1))
        if k <= split and mcnemar(k, split - k, "exact", alternative=alternative).rejected
    )
    assert_allclose(
        power_of("mcnemar", gap, n, disagree=disagree, alternative=alternative), expected, rtol=1e-9
    )


@settings(max_examples=25, deadline=None)
@given(test=st.sampled_from(["z", "t", "two-sample t", "binomial", "proportion", "mcnemar"]),
       gap=st.floats(0.05, 0.25), power=st.floats(0.3, 0.95),
       alternative=st.sampled_from(["two-sided", "greater"]))  # fmt: skip
def test_the_size_is_enough_and_one_less_is_not(test, gap, power, alternative):
    options = {"p0": 0.3, "disagree": 0.3, "alternative": alternative, "sd": 0.5}
    result = sample_size_for(test, gap, power, **options)
    least = 2 if "t" in test.split()[-1:] else 1
    assert result.power >= power - 1e-9
    assert result.n <= least or power_of(test, gap, result.n - 1, **options) < power + 1e-7
    for more in (1, 2, 3, 7, 20, 50):
        assert power_of(test, gap, result.n + more, **options) >= power - 1e-9
    smallest = smallest_difference(test, result.n, power, **options)
    assert smallest <= gap * (1 + 1e-6)
    assert_allclose(power_of(test, smallest, result.n, **options), power, atol=1e-6)


def test_many_rows_by_the_approximation():
    result = sample_size_for("binomial", 0.005, p0=0.1)
    assert 28_000 < result.n < 30_000 and 0.8 <= result.power < 0.805
    assert np.isnan(result.exact)


def test_splits_that_share_rows_have_a_ceiling():
    """The corrected t test: more repetitions do not help for ever. Simulated with the correlation it assumes."""
    J, ratio, gap = 20, 1 / 9, 0.6
    rng, worlds = np.random.default_rng(2), 4000
    shared = ratio / (1 / J + ratio)  # differences whose mean has exactly the variance (1/J + ratio) s^2
    own = rng.normal(size=(J, worlds))
    common = rng.normal(size=worlds) * np.sqrt(ratio)
    result = np.mean([r.rejected for r in paired_t_all(own + common + gap, ratio)])
    assert 0 < shared < 1
    assert_allclose(power_of("t", gap, J, ratio=ratio), result, atol=4 * np.sqrt(0.25 / worlds))
    with pytest.raises(ParameterError, match="not more splits"):
        sample_size_for("t", 0.5, 0.9, ratio=ratio)
    assert sample_size_for("t", 1.5, 0.9, ratio=ratio).power >= 0.9


def test_out_of_reach_is_nan():
    assert np.isnan(smallest_difference("mcnemar", 10, disagree=0.1))
    assert smallest_difference("z", 100, alternative="less") == -smallest_difference(
        "z", 100, alternative="greater"
    )


def test_extremes_stay_probabilities():
    for test, gap, n in product(["z", "t", "two-sample t"], [0.0, 1e-9, 5.0, 1e6], [2, 10**6]):
        for side in ("two-sided", "greater", "less"):
            assert 0 <= power_of(test, gap, n, alternative=side) <= 1
    assert_allclose(power_of("t", 0.0, 10), 0.05, rtol=1e-6)
    assert power_of("mcnemar", 0.0, 1, disagree=0.5) == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: power_of("chi", 1, 2), "test must be one of"), (lambda: power_of("t", 1, 1), "n must be"),
     (lambda: power_of("z", np.nan, 5), "difference"), (lambda: power_of("binomial", 0.1, 5), "needs p0"),
     (lambda: power_of("mcnemar", 0.1, 5), "needs disagree"), (lambda: power_of("z", 1, 5, sd=0), "sd"),
     (lambda: power_of("mcnemar", 0.3, 5, disagree=0.2), "differ by that at most"),
     (lambda: power_of("binomial", 0.5, 5, p0=0.6), r"p0 \+ difference"), (lambda: power_of("z", 1, 2.5), "n must be"),
     (lambda: sample_size_for("z", 0), "must not be 0"), (lambda: sample_size_for("z", 1, 0.01), "power"),
     (lambda: sample_size_for("z", -1, alternative="greater"), "side"),
     (lambda: smallest_difference("z", 5, 1), "power")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


def test_same_as_the_examples_of_r():
    """R 4, help of power.t.test. R leaves the far tail out of a two-sided power: 2e-7 here."""
    assert_allclose(power_of("two-sample t", 1.0, 20), 0.8689528, atol=3e-7)
    assert_allclose(sample_size_for("two-sample t", 1.0, 0.9).exact, 22.02110, atol=2e-5)


def test_sizes_beyond_what_an_integer_of_32_bits_holds():
    """By the normal approximation, z^2 p (1 - p) / d^2."""
    assert_allclose(
        power_of("binomial", 1e-5, 10**10, p0=0.3), power_of("z", 1e-5, 10**10, sd=np.sqrt(0.21)), atol=1e-4
    )
    result = sample_size_for("mcnemar", 1e-5, disagree=0.1)
    assert_allclose(result.n, 0.1 * (1.959964 + 0.841621) ** 2 / 1e-10, rtol=5e-3)
    assert 0.8 <= result.power < 0.802
