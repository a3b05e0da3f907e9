"""Kruskal-Wallis and its pairs: worked examples, SciPy, scikit-posthocs, size, ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import kruskal

from assay.errors import DataError, ParameterError
from assay.stats.significance.kruskal_wallis import dunn, kruskal_wallis

# Oracle: IML 19.12 (with ties) and 19.13.2 (without).
TIED = ([0.10, 0.12, 0.11, 0.13, 0.14], [0.15, 0.16, 0.14, 0.17, 0.18], [0.11, 0.13, 0.12, 0.12, 0.15])
PLAIN = ([1, 3, 5, 2], [8, 7, 9, 6], [4, 10, 12, 11])


@pytest.mark.capability("IML-19-17")
def test_worked_example_with_ties():
    result = kruskal_wallis(*TIED)
    assert_allclose(result.rank_sums, [25.5, 63, 31.5], rtol=1e-12)
    assert_allclose(result.uncorrected, 8.115, rtol=1e-12)
    assert_allclose(result.test.statistic, 8.23260870, atol=5e-9)
    assert_allclose(result.test.p, 0.01630466, atol=5e-9)
    assert_allclose(result.epsilon_squared, result.test.statistic / 14, rtol=1e-12)


@pytest.mark.capability("IML-19-17")
def test_worked_example_without_ties():
    result = kruskal_wallis(*PLAIN)
    assert result.rank_sums.tolist() == [11, 30, 37]
    assert_allclose([result.test.statistic, result.test.p], [6.96153846, 0.03078372], atol=5e-9)
    pairs = dunn(result)
    assert_allclose(pairs.adjusted[[0, 0, 1], [1, 2, 2]], [0.14951965, 0.02905616, 0.77143443], atol=5e-9)
    assert pairs.groups == [(2, 1), (1, 0)] and pairs.letters == ("b", "ab", "a")
    assert dunn(result, better="lower").letters == ("a", "ab", "b")


def test_pairs_are_scikit_posthocs():
    """Peer: scikit-posthocs 0.17.1, posthoc_dunn of TIED with holm and none; it corrects for ties as we do."""
    result = kruskal_wallis(*TIED)
    none = dunn(result, "none").adjusted[[0, 0, 1], [1, 2, 2]]
    assert_allclose(none, [0.0075671582, 0.6691408878, 0.0248666008], atol=5e-9)
    assert_allclose(
        dunn(result, "holm").adjusted[[0, 0, 1], [1, 2, 2]],
        [0.0227014747, 0.6691408878, 0.0497332016],
        atol=5e-9,
    )


@pytest.mark.parametrize("seed", range(4))
def test_same_as_scipy(seed):
    """Peer: scipy.stats.kruskal."""
    rng = np.random.default_rng(seed)
    samples = [rng.integers(0, 12, n) + j for j, n in enumerate((5, 9, 7, 11))]
    result = kruskal_wallis(*samples)
    assert_allclose([result.test.statistic, result.test.p], kruskal(*samples), rtol=1e-10)


@given(st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_only_the_order_matters(seed):
    X = np.random.default_rng(seed).normal(size=(6, 3))
    assert_allclose(kruskal_wallis(np.exp(X)).test.statistic, kruskal_wallis(X).test.statistic, rtol=1e-12)
    assert_allclose(dunn(kruskal_wallis(-X)).adjusted, dunn(kruskal_wallis(X)).adjusted, rtol=1e-9)


def test_level_holds_for_skewed_and_tied_samples():
    rng = np.random.default_rng(2)
    for X in (rng.exponential(size=(1200, 15, 4)), rng.integers(0, 4, (1200, 15, 4))):
        result = [kruskal_wallis(x) for x in X]
        wrong = np.mean([f.test.rejected for f in result])
        family = np.mean([dunn(f).differ.any() for f in result[:400]])
        assert abs(wrong - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 1200)
        assert abs(family - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 400)


def test_a_control():
    result = dunn(kruskal_wallis(*PLAIN), "bonferroni", control=0)
    assert np.isnan(result.adjusted[1, 2]) and result.differ[0].tolist() == [False, False, True]
    assert_allclose(result.adjusted[0, 1:], np.minimum(1, 2 * result.p[0, 1:]), rtol=1e-12)


def test_rounding_makes_no_difference():
    """0.1 + 0.2 and 0.3 are a tie."""
    a = kruskal_wallis([0.3, 0.1], [0.1 + 0.2, 0.5])
    assert a.mean_ranks.tolist() == [1.75, 3.25]


def test_all_equal_and_few_values_are_said():
    same = kruskal_wallis([1, 1], [1, 1])
    assert (same.test.statistic, same.test.p, same.test.why) == (0, 1, "All values are equal.")
    assert dunn(same).adjusted.tolist() == pytest.approx(np.ones((2, 2)))
    assert "rough approximation" in kruskal_wallis(*PLAIN).test.why
    assert "1 missing value left out" in kruskal_wallis([1, 2, np.nan], [3, 4, 5]).test.why


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kruskal_wallis([1.0], [2.0]), "every sample has one value"),
        (lambda: kruskal_wallis([1, 2]), "column per learner"),
        (lambda: dunn(PLAIN), "result of kruskal_wallis, got tuple"),
        (lambda: dunn(kruskal_wallis(*PLAIN), "duncan"), "method must be one of tukey"),
        (lambda: dunn(kruskal_wallis(*PLAIN), control=0), "all pairs"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((DataError, ParameterError), match=message):
        call()
