"""Friedman's test: worked examples, SciPy, exact agreement, ties, missing cells, size."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import f as F
from scipy.stats import friedmanchisquare

from assay.errors import DataError, ParameterError
from assay.stats.significance.friedman import friedman, friedman_from_ranks

# Oracle: IML 19.13.2, five data sets, three algorithms.
FIVE = np.array(
    [[0.80, 0.85, 0.82], [0.70, 0.76, 0.74], [0.91, 0.90, 0.93], [0.65, 0.72, 0.70], [0.88, 0.92, 0.89]]
)

# Oracle: Demsar (2006), table 6, AUC of C4.5 and three variants on 14 data sets. The printed .975 and .975 of
# the data set voting rank second and third there, so that the third variant's is a little larger here.
FOURTEEN = pd.DataFrame(
    [
        [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
    ],
    columns=["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"],
)  # fmt: skip
RANKS = [3.14285714, 2, 2.89285714, 1.96428571]


@pytest.mark.capability("IML-19-18")
def test_fourteen_data_sets():
    result = friedman(FOURTEEN)
    assert_allclose(result.average_ranks, RANKS, atol=5e-9)
    assert_allclose(result.chi2.statistic, 9.27857143, atol=5e-9)
    assert_allclose([result.test.statistic, result.test.p], [3.68631303, 0.01982301], atol=5e-9)
    assert result.test.df == (3, 39) and result.test.rejected
    assert_allclose(F.isf(0.05, 3, 39), 2.84506781, atol=5e-9)
    assert_allclose(result.cd, 1.25355915, atol=5e-9)
    assert [result.names[j] for j in result.order] == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    assert result.groups == [(3, 1, 2, 0)]  # Nemenyi sees no difference that F sees


@pytest.mark.capability("IML-19-18")
def test_average_ranks_are_enough():
    result = friedman_from_ranks(RANKS, 14, names=list(FOURTEEN.columns))
    full = friedman(FOURTEEN)
    assert_allclose(result.chi2.statistic, 9.27857143, atol=5e-7)
    assert_allclose(result.test.statistic, full.test.statistic, atol=1e-6)
    assert result.cd == full.cd and result.groups == full.groups and result.names == full.names


@pytest.mark.capability("IML-19-18")
def test_five_data_sets():
    result = friedman(FIVE)
    assert_allclose(result.average_ranks, [2.8, 1.4, 1.8], rtol=1e-12)
    assert_allclose([result.chi2.statistic, result.chi2.p], [5.2, 0.07427358], atol=5e-9)
    assert_allclose([result.test.statistic, result.test.p], [4.33333333, 0.05308416], atol=5e-9)
    assert_allclose(result.cd, 1.48228640, atol=5e-9)
    assert_allclose(result.kendall_w, 0.52, rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_corrected_for_ties_it_is_scipys(seed):
    """Peer: scipy.stats.friedmanchisquare, which always corrects."""
    X = np.random.default_rng(seed).integers(0, 5, (9, 4))
    result = friedman(X, ties=True)
    assert_allclose([result.chi2.statistic, result.chi2.p], friedmanchisquare(*X.T), rtol=1e-9)
    assert result.chi2.statistic >= friedman(X).chi2.statistic
    assert "corrected for ties" in result.test.test


def test_same_ranks_as_autorank_in_both_directions():
    """Peer: autorank 1.3.0, nonparametric mode; its critical difference comes from a table of rounded quantiles."""
    X = np.round(np.random.default_rng(3).exponential(size=(20, 5)) + np.arange(5) * 0.5, 2)
    high, low = friedman(X), friedman(X, better="lower")
    assert_allclose(high.average_ranks, [4.70, 3.35, 3.05, 1.95, 1.95], rtol=1e-12)
    assert_allclose(low.average_ranks, [1.30, 2.65, 2.95, 4.05, 4.05], rtol=1e-12)
    assert_allclose([high.cd, high.chi2.p], [1.3638754419, 1.870589686e-08], rtol=2e-5)
    assert high.order.tolist() == [3, 4, 2, 1, 0] and low.order.tolist() == [0, 1, 2, 3, 4]


@given(st.integers(2, 9), st.integers(2, 6), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_direction_order_of_rows_and_scale_do_not_matter(N, k, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (N, k)) / 8
    a = friedman(X)
    assert_allclose(a.average_ranks, friedman(-X, better="lower").average_ranks)
    assert_allclose(a.average_ranks, k + 1 - friedman(X, better="lower").average_ranks)
    b = friedman(X[rng.permutation(N)] * 7 + 3)
    assert_allclose([a.test.statistic, a.test.p], [b.test.statistic, b.test.p], rtol=1e-9)
    assert_allclose(a.average_ranks.mean(), (k + 1) / 2)
    assert 0 <= a.test.p <= 1 and -1e-12 <= a.kendall_w <= 1 + 1e-12


def test_level_holds():
    """F keeps the level for few data sets; chi-squared is too careful there."""
    X = np.random.default_rng(5).normal(size=(2000, 8, 5))
    result = [friedman(x) for x in X]
    f = np.mean([t.test.rejected for t in result])
    chi2 = np.mean([t.chi2.rejected for t in result])
    assert abs(f - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 2000) and chi2 < f


def test_data_sets_that_agree_are_certain():
    result = friedman([[1, 2, 3]] * 4)
    assert result.test.statistic == np.inf and result.kendall_w == 1
    assert_allclose(
        result.test.p, 1 / 216, rtol=1e-12
    )  # the F distribution would say 0, of two data sets, too
    assert_allclose(friedman([[1, 2], [2, 3], [3, 4]]).test.p, 1 / 4, rtol=1e-12)  # as the sign test
    assert_allclose(
        friedman([[1, 1, 2]] * 3, ties=True).test.p, 1 / 9, rtol=1e-12
    )  # one of three may stand out
    assert "0.0046" in result.test.why  # (1/6)^3
    assert "order the learners alike" in str(result)


def test_all_tied_is_no_difference():
    for ties in (False, True):
        result = friedman(np.ones((5, 3)), ties=ties)
        assert (result.test.statistic, result.test.p) == (0, 1) and "ranks are equal" in result.test.why
        assert result.groups == [(0, 1, 2)]


def test_two_learners_are_sent_to_a_sharper_test():
    assert "wilcoxon_signed_rank" in friedman([[1, 2], [2, 3], [4, 3]]).test.why


def test_rows_with_a_missing_cell_are_left_out_and_said():
    with_missing = FOURTEEN.copy()
    with_missing.iloc[3, 1] = np.nan
    result = friedman(with_missing)
    assert "1 of 14 rows left out" in result.test.why and result.datasets == 13
    assert result.rows.tolist() == [i for i in range(14) if i != 3]
    assert_allclose(result.test.statistic, friedman(FOURTEEN.drop(index=3)).test.statistic)


def test_rounding_does_not_break_ties():
    result = friedman([[0.3, 0.1 + 0.2, 0.5], [0.1, 0.2, 0.3]])
    assert result.ranks[0].tolist() == [2.5, 2.5, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: friedman([[1, 2, 3]]), "at least 2 complete rows, got 1"),
        (lambda: friedman([[1], [2]]), "two or more learners"),
        (lambda: friedman([1, 2, 3]), "column per learner"),
        (lambda: friedman([[1, np.nan], [np.nan, 2], [1, 2]]), "2 of 3 rows left out"),
        (lambda: friedman([[1, np.inf], [1, 2]]), "row 1, column 2 is infinite"),
        (lambda: friedman({"a": [1, 2], "b": [1]}), "differ in length"),
        (lambda: friedman([["x", "y"], ["z", "w"]]), "table of numbers"),
        (lambda: friedman(FIVE, better="more"), "higher, lower"),
        (lambda: friedman_from_ranks([1, 1, 1], 5), "average 2, these average 1"),
        (lambda: friedman_from_ranks([1, 2], 1), "at least 2"),
        (lambda: friedman_from_ranks([1], 5), "two or more"),
        (lambda: friedman_from_ranks([1, 2], "x"), "datasets must be at least 2, got 'x'"),
        (lambda: friedman({}), "two or more learners, got 0"),
        (lambda: friedman(None), "column per learner"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((DataError, ParameterError), match=message):
        call()
