"""Analysis of variance and contrasts: the worked example, statsmodels, SciPy, size by simulation, no spread."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import f as F
from scipy.stats import f_oneway
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from assay.errors import DataError, ParameterError
from assay.stats.significance.anova import anova, contrast

# Oracle: IML 19.12, error rates of three learners on five folds.
ERRORS = {
    "A1": [0.10, 0.12, 0.11, 0.13, 0.14],
    "A2": [0.15, 0.16, 0.14, 0.17, 0.18],
    "A3": [0.11, 0.13, 0.12, 0.12, 0.15],
}
TABLE = np.column_stack(list(ERRORS.values()))


@pytest.mark.capability("IML-19-14")
def test_worked_example():
    result = anova(ERRORS)
    assert_allclose(result.means, [0.12, 0.16, 0.126], rtol=1e-12)
    learners, error, total = result.table
    assert_allclose([learners.ss, error.ss, total.ss], [0.00465333, 0.00292, 0.00757333], atol=5e-9)
    assert_allclose(result.test.statistic, 9.56164384, atol=5e-9)
    assert_allclose(result.test.p, 0.00328530, atol=5e-9)
    assert result.test.df == (2, 12) and result.test.rejected
    assert_allclose(F.isf(0.05, *result.test.df), 3.88529383, atol=5e-9)


@pytest.mark.capability("IML-19-14")
def test_worked_example_with_folds_as_blocks():
    result = anova(ERRORS, blocked=True)
    learners, blocks, error, total = result.table
    assert_allclose([blocks.ss, error.ss], [0.00257333, 0.00034667], atol=5e-9)
    assert_allclose(result.test.statistic, 53.69230769, atol=5e-9)
    assert_allclose(result.test.p, 2.3108e-5, atol=5e-10)
    assert_allclose(total.ss, learners.ss + blocks.ss + error.ss, rtol=1e-12)


@pytest.mark.capability("IML-19-15")
def test_contrast_of_the_worked_example():
    result = contrast(anova(ERRORS), [-0.5, 1, -0.5])
    assert_allclose([result.estimate, result.statistic], [0.037, 4.33052245], atol=5e-9)
    assert_allclose(result.p, 0.00097781, atol=5e-9)
    assert_allclose(contrast(anova(ERRORS), [-1, 2, -1]).statistic, result.statistic, rtol=1e-12)
    other = contrast(anova(ERRORS), [0.5, -1, 0.5], alternative="less")
    assert_allclose(other.p, result.p / 2, rtol=1e-12)
    assert other.low == -np.inf and other.high < 0


def test_interval_of_a_contrast_decides_as_its_test_does():
    for planned in (True, False):
        p = contrast(anova(ERRORS), [1, -0.5, -0.5], planned=planned).p
        touching = contrast(anova(ERRORS), [1, -0.5, -0.5], planned=planned, alpha=p)
        assert min(abs(touching.low), abs(touching.high)) < 1e-12


def test_a_contrast_found_afterwards_is_judged_by_scheffe():
    """The best contrast of all, weights m_j - m for equal samples, has exactly the p-value of the F test."""
    result = anova(ERRORS)
    best = contrast(result, result.means - result.means.mean(), planned=False)
    assert_allclose(best.p, result.test.p, rtol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_same_table_as_statsmodels(seed):
    """Peer: statsmodels 0.15, anova_lm of ols with learner, and learner + fold."""
    X = np.random.default_rng(seed).normal(size=(7, 4)) + np.arange(4) * 0.5
    frame = pd.DataFrame(
        {"y": X.ravel(), "learner": np.tile(list("abcd"), 7), "fold": np.repeat(np.arange(7), 4)}
    )
    one, two = anova(X), anova(X, blocked=True)
    peer = anova_lm(ols("y ~ learner", frame).fit())
    assert_allclose([s.ss for s in one.table[:2]], peer["sum_sq"], rtol=1e-10)
    assert_allclose([one.test.statistic, one.test.p], peer.loc["learner", ["F", "PR(>F)"]].astype(float))
    peer = anova_lm(ols("y ~ learner + C(fold)", frame).fit())
    assert_allclose([s.ss for s in two.table[:3]], peer["sum_sq"], rtol=1e-10)
    assert_allclose([s.p for s in two.table[:2]], peer["PR(>F)"][:2], rtol=1e-9)


def test_unequal_samples_are_scipys():
    """Peer: scipy.stats.f_oneway."""
    rng = np.random.default_rng(5)
    samples = [rng.normal(j / 3, 1, n) for j, n in enumerate((3, 8, 5, 12))]
    assert_allclose([anova(*samples).test.statistic, anova(*samples).test.p], f_oneway(*samples), rtol=1e-10)


@given(st.floats(-100, 100), st.floats(0.01, 100), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_units_do_not_matter_and_sums_add_up(shift, scale, seed):
    X = np.random.default_rng(seed).normal(size=(6, 3))
    for blocked in (False, True):
        a, b = anova(X, blocked=blocked), anova(shift + scale * X, blocked=blocked)
        assert_allclose(a.test.statistic, b.test.statistic, rtol=1e-6)
        assert_allclose(sum(s.ss for s in a.table[:-1]), np.sum((X - X.mean()) ** 2), rtol=1e-10)
        assert_allclose([a.eta_squared, a.omega_squared], [b.eta_squared, b.omega_squared], atol=1e-6)


def test_effect_sizes_by_hand():
    result = anova(ERRORS)
    assert_allclose(result.eta_squared, 0.00465333 / 0.00757333, atol=1e-6)
    ms = 0.00292 / 12
    assert_allclose(result.omega_squared, (0.0046533333 - 2 * ms) / (0.0075733333 + ms), atol=1e-7)


def test_two_learners_give_the_squared_t():
    from scipy.stats import ttest_ind, ttest_rel

    X = TABLE[:, :2]
    assert_allclose(anova(X).test.statistic, ttest_ind(*X.T).statistic ** 2, rtol=1e-10)
    assert_allclose(anova(X, blocked=True).test.statistic, ttest_rel(*X.T).statistic ** 2, rtol=1e-10)
    assert anova(X, blocked=True).epsilon == pytest.approx(1)


def test_level_holds_where_all_means_are_equal():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1500, 6, 4)) + rng.normal(size=(1500, 6, 1)) * 2  # folds that are hard for all
    p = np.array([[anova(x).test.p, anova(x, blocked=True).test.p] for x in X])
    band = 4 * np.sqrt(0.05 * 0.95 / 1500)
    assert abs(np.mean(p[:, 1] <= 0.05) - 0.05) < band
    assert np.mean(p[:, 0] <= 0.05) < 0.02  # unblocked, the folds drown everything


def test_epsilon_keeps_the_level_where_learners_vary_unequally():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 12, 5)) * [0.1, 0.1, 0.1, 1, 5]
    result = [anova(x, blocked=True) for x in X]
    plain = np.mean([f.test.p <= 0.05 for f in result])
    corrected = np.mean([f.corrected_p <= 0.05 for f in result])
    assert plain > 0.08 and abs(corrected - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 1500)
    assert any("the decision changes" in d for f in result for d in f.doubts)


def test_unequal_variances_are_said():
    rng = np.random.default_rng(0)
    result = anova(rng.normal(size=30), rng.normal(size=30) * 8)
    assert "variances differ" in result.doubts[0] and "variances differ" in str(result)


def test_no_spread_has_an_answer():
    same = anova([1, 1, 1], [1, 1, 1])
    assert (same.test.statistic, same.test.p) == (0, 1) and same.test.why == "All values are equal."
    assert (same.eta_squared, same.omega_squared) == (0, 0)
    sure = anova([0.1] * 3, [0.1 + 0.2] * 3)
    assert sure.test.statistic == np.inf and sure.test.p == 0 and "Nothing varies" in sure.test.why
    assert anova([0.3] * 3, [0.1 + 0.2] * 3).test.p == 1  # equal but for rounding
    assert contrast(sure, [1, -1]).statistic == -np.inf
    assert contrast(same, [1, -1]).p == 1
    shifted = anova(np.array([[1, 2.0], [3, 4], [7, 8]]), blocked=True)
    assert shifted.test.p == 0 and np.isnan(shifted.epsilon)


def test_missing_values_are_left_out_and_said():
    with_missing = {"a": [1, 2, np.nan, 4], "b": [2, 3, 4, 6], "c": [1, np.nan, 1, 2]}
    assert "2 missing values left out" in anova(with_missing).test.why
    result = anova(pd.DataFrame(with_missing), blocked=True)
    assert "2 of 4 rows left out" in result.test.why and result.counts.tolist() == [2, 2, 2]
    assert result.names == ("a", "b", "c")


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_any_table_will_do(make):
    for blocked in (False, True):
        result = anova(make(ERRORS), blocked=blocked)
        assert result.test == anova(ERRORS, blocked=blocked).test and result.names == ("A1", "A2", "A3")


def test_samples_and_columns_are_the_same():
    for blocked in (False, True):
        a = anova(TABLE, blocked=blocked, names=["A1", "A2", "A3"])
        b = anova(*ERRORS.values(), blocked=blocked)
        c = anova(pd.DataFrame(ERRORS), blocked=blocked)
        assert a.test == b.test == c.test
        assert a.names == c.names


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: anova([1, 2, 3]), "column per learner"),
        (lambda: anova([[1], [2]]), "two or more samples"),
        (lambda: anova(), "two or more samples, got 0"),
        (lambda: anova(blocked=True), "two or more learners, got 0"),
        (lambda: contrast([1, 2], [1, -1]), "result of anova, got list"),
        (lambda: contrast(anova(ERRORS), "abc"), "expected numbers"),
        (lambda: anova([1e200, 2], [3, 4]), "largest value is 1e.200"),
        (lambda: anova([1e-200, 2e-200], [0, 0]), "largest value is 2e-200"),
        (lambda: anova([1.0], [2.0]), "without replication"),
        (lambda: anova([1, np.inf], [2, 3]), "1 holds an infinite value"),
        (lambda: anova([1, 2], [np.nan]), "2 has no values"),
        (lambda: anova(["x", "y"], [1, 2]), "expected numbers"),
        (lambda: anova([1, 2], [1, 2, 3], blocked=True), "differ in length"),
        (lambda: anova([[1, 2]], blocked=True), "at least 2 complete rows, got 1"),
        (lambda: anova([1, 2], [3, 4], names=["a"]), "expected 2 names"),
        (lambda: anova([1, 2], [3, 4], names=["a", "a"]), "'a' is given twice"),
        (lambda: anova([1, 2], [3, 4], alpha=2), "alpha must be"),
        (lambda: contrast(anova(ERRORS), [1, 1, 1]), "sum to 0"),
        (lambda: contrast(anova(ERRORS), [0, 0, 0]), "not all be 0"),
        (lambda: contrast(anova(ERRORS), [1, -1]), "3 finite weights"),
        (lambda: contrast(anova(ERRORS), [1, -1, 0], planned=False, alternative="less"), "two sides"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((DataError, ParameterError), match=message):
        call()
