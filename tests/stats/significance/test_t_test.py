"""Student's t test in its three forms: worked numbers, SciPy, size by simulation, samples without spread."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.significance.summary import Summary
from assay.stats.significance.t_test import t_test
from assay.stats.significance.wilcoxon import wilcoxon_signed_rank

ERRORS = [0.12, 0.15, 0.11, 0.14, 0.13, 0.16, 0.10, 0.12, 0.15, 0.12]


@pytest.mark.capability("IML-19-10", "IML-19-09")
def test_ten_error_rates_against_eleven_percent():
    # Oracle: IML 19.10.3.
    result = t_test(ERRORS, mean=0.11, alternative="greater")
    assert_allclose([result.statistic, result.p], [3.25395687, 0.00496714], atol=5e-9)
    assert result.df == 9 and result.rejected
    assert_allclose(result.estimate, 0.13)


@pytest.mark.capability("IML-19-21")
def test_two_regressors_by_their_losses_and_two_policies_by_their_returns():
    # Oracle: IML 19.16, exercise 9; exercise 10 uses the same tests on returns over matched random starts.
    first, second = [1.2, 0.8, 1.5, 1.1, 0.9, 1.4], [1.0, 0.7, 1.6, 0.9, 0.7, 1.1]
    result = t_test(first, second, paired=True)
    assert_allclose([result.statistic, result.p], [2.66556995, 0.04458482], atol=5e-9)
    ranks = wilcoxon_signed_rank(np.subtract(second, first))
    assert ranks.statistic == 1.5 and ranks.p == 0.09375
    returns = -np.array(first), -np.array(second)
    assert_allclose(t_test(*returns, paired=True).statistic, -2.66556995, atol=5e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("n1", "n2"), [(5, 5), (3, 20), (40, 7)])
def test_same_as_scipy(n1, n2, alternative):
    """Peer: SciPy 1.17: ttest_1samp, ttest_rel, ttest_ind, with their intervals."""
    from scipy.stats import ttest_1samp, ttest_ind, ttest_rel

    rng = np.random.default_rng(n2)
    a, b = rng.normal(0.5, 1, n1), rng.normal(0, 2, n2)
    side = {"alternative": alternative}
    pairs = [
        (t_test(a, mean=0.2, alpha=0.1, **side), ttest_1samp(a, 0.2, **side)),
        (t_test(a, b, alpha=0.1, **side), ttest_ind(a, b, equal_var=False, **side)),
        (t_test(a, b, equal_variances=True, alpha=0.1, **side), ttest_ind(a, b, **side)),
    ]
    if n1 == n2:
        pairs.append((t_test(a, b, paired=True, alpha=0.1, **side), ttest_rel(a, b, **side)))
    for ours, theirs in pairs:
        low, high = theirs.confidence_interval(0.9)
        assert_allclose([ours.statistic, ours.p, ours.df, ours.low, ours.high],
                        [theirs.statistic, theirs.pvalue, theirs.df, low, high], rtol=1e-9)  # fmt: skip


def test_summaries_are_enough():
    a, b = [1.0, 2, 4, 8], [2.0, 3, 3]
    whole, brief = t_test(a, b), t_test(Summary.of(a), Summary.of(b))
    assert_allclose([whole.statistic, whole.p, whole.df], [brief.statistic, brief.p, brief.df], rtol=1e-12)


def test_welch_keeps_its_level_where_pooling_does_not():
    rng, worlds = np.random.default_rng(1), 2000
    A, B = rng.normal(0, 4, (worlds, 5)), rng.normal(0, 1, (worlds, 25))
    welch = np.mean([t_test(a, b).rejected for a, b in zip(A, B)])
    pooled = np.mean([t_test(a, b, equal_variances=True).rejected for a, b in zip(A, B)])
    assert abs(welch - 0.05) < 4 * np.sqrt(0.05 * 0.95 / worlds) and pooled > 0.15


def test_samples_without_spread_are_judged_by_counting():
    one = t_test([0.3, 0.3, 0.3], mean=0.1)
    assert (
        one.p == 0.25 and one.statistic == np.inf and "coin" in one.why and one.estimate == pytest.approx(0.3)
    )
    assert t_test([0.3, 0.3], mean=0.3).p == 1.0
    two = t_test([1, 1, 1], [2, 2, 2])
    assert two.p == 0.1 and two.statistic == -np.inf and "deal" in two.why
    assert t_test([1, 1, 1], [2, 2, 2], alternative="less").p == 0.05
    assert t_test([1, 1, 1], [2, 2, 2], alternative="greater").p == 1.0
    none = t_test([0.1, 0.1], [0.1, 0.1, 0.1])
    assert none.p == 1.0 and none.why
    half = t_test([1.0, 1.0, 1.0], [2.0, 3.0, 4.0])  # one constant sample is no obstacle
    assert 0 < half.p < 0.1 and half.df == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: t_test([1.0]), "one value"), (lambda: t_test([1, 2], paired=True), "second one is missing"),
     (lambda: t_test([1, 2], [1, 2, 3], paired=True), "one length"), (lambda: t_test([1, 2], [1]), "at least 2"),
     (lambda: t_test([1, 2], mean=np.inf), "finite"), (lambda: t_test([1, np.inf], [1, 2]), "row 2 "),
     (lambda: t_test(Summary(1, 1, 3), [1, 2, 3], paired=True), "belong together")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()


def test_same_as_the_examples_of_r():
    """R 4, help of t.test: the hours of sleep gained by ten patients with two drugs (Student 1908)."""
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    welch, pairs = t_test(first, second), t_test(first, second, paired=True)
    assert_allclose([welch.statistic, welch.df, welch.p], [-1.8608, 17.776, 0.07939], rtol=6e-5)
    assert_allclose([welch.low, welch.high], [-3.3654832, 0.2054832], atol=5e-8)
    assert_allclose([pairs.statistic, pairs.df, pairs.p], [-4.0621, 9, 0.002833], rtol=2e-4)
    assert_allclose([pairs.low, pairs.high], [-2.4598858, -0.7001142], atol=5e-8)


def test_pairs_that_differ_by_rounding_alone_are_equal():
    """0.3 and 0.1 + 0.2 are the same error rate."""
    result = t_test([0.3, 0.3, 0.7], [0.1 + 0.2, 0.1 + 0.2, 0.7], paired=True)
    assert result.p == 1 and result.statistic == 0


def test_a_small_spread_far_from_zero_is_a_spread():
    values = np.arange(6) * 0.01
    assert_allclose(t_test(values + 1.7e9, mean=1.7e9).p, t_test(values).p, rtol=1e-3)


@pytest.mark.parametrize("wrong", [np.ma.array([1, 2, 3], mask=[0, 1, 0]), np.array(["2020-01-01"], "M8[D]")])
def test_masked_values_and_dates_are_no_numbers(wrong):
    with pytest.raises(DataError, match="t_test"):
        t_test(wrong)
