"""The 5 x 2 cv t and F tests against worked numbers, by symmetry and by simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import f

from assay.errors import DataError, ParameterError
from assay.stats.significance.five_by_two import five_by_two_f, five_by_two_t

# Oracle: IML 19.11.3 and 19.11.4.
WORKED = np.array([[0.03, 0.01], [0.02, 0.04], [0.05, 0.03], [0.01, 0.02], [0.04, 0.02]])


@pytest.mark.capability("IML-19-13")
def test_t_keeps_and_f_rejects():
    spread = np.sum((WORKED - WORKED.mean(axis=1, keepdims=True)) ** 2, axis=1)
    assert_allclose(spread, [0.0002, 0.0002, 0.0002, 0.00005, 0.0002], rtol=1e-12)
    t = five_by_two_t(WORKED)
    assert_allclose([t.statistic, t.p, t.estimate], [2.30089497, 0.06969456, 0.027], atol=5e-9)
    assert t.df == 5 and not t.rejected and t.statistic < 2.57058184
    F = five_by_two_f(WORKED)
    assert_allclose([F.statistic, F.p, F.estimate], [5.23529412, 0.04080568, 0.027], atol=5e-9)
    assert F.df == (10, 5) and F.rejected and F.statistic > 4.73506307


@pytest.mark.capability("IML-19-13")
def test_the_ten_numerators_of_t():
    """Any of the ten differences may come first: swap folds, or move another replication to the front."""
    result = []
    for i in range(5):
        first = np.roll(WORKED, -i, axis=0)
        result += [five_by_two_t(first).statistic, five_by_two_t(first[:, ::-1]).statistic]
    assert_allclose([min(result), max(result)], [0.767, 3.835], atol=5e-4)
    assert_allclose(
        np.array(result) ** 2 / 2,
        np.ravel(WORKED**2) * 2.5 / np.sum((WORKED - WORKED.mean(axis=1, keepdims=True)) ** 2),
    )


@settings(max_examples=30, deadline=None)
@given(scale=st.floats(1e-6, 1e6), seed=st.integers(0, 10**6))
def test_neither_the_unit_nor_for_f_the_order_matters(scale, seed):
    rng = np.random.default_rng(seed)
    p = rng.normal(0.3, 1, (5, 2))
    shuffled = rng.permutation([rng.permutation(row) for row in p])
    assert_allclose(five_by_two_f(scale * shuffled).statistic, five_by_two_f(p).statistic, rtol=1e-9)
    assert_allclose(five_by_two_t(-scale * p).statistic, -five_by_two_t(p).statistic, rtol=1e-9)
    less, more = (five_by_two_t(p, alternative=a).p for a in ("less", "greater"))
    assert_allclose([less + more, 2 * min(less, more)], [1, five_by_two_t(p).p], rtol=1e-9)


@pytest.mark.parametrize("test", [five_by_two_t, five_by_two_f])
def test_wrong_input_is_named(test):
    with pytest.raises(DataError, match=r"shape \(5, 2\)"):
        test(np.zeros((2, 5)))
    with pytest.raises(DataError, match="row 1, column 0 is nan"):
        test(np.full((5, 2), np.nan))
    with pytest.raises(ParameterError, match="alpha"):
        test(WORKED, alpha=1)


def test_worked_by_hand():
    """Each replication 0.1 and 0.3: mean 0.2, variance 2 * 0.1^2; F = 5 * 0.1 / (2 * 5 * 0.02) = 2.5."""
    result = five_by_two_f([[0.1, 0.3]] * 5)
    assert_allclose(result.statistic, 2.5)
    assert_allclose(result.p, f.sf(2.5, 10, 5))


def test_against_the_formula():
    p = np.random.default_rng(0).normal(0.02, 0.03, (5, 2))
    top, bottom = 0.0, 0.0
    for first, second in p:
        mean = (first + second) / 2
        top += first**2 + second**2
        bottom += (first - mean) ** 2 + (second - mean) ** 2
    result = five_by_two_f(p)
    assert_allclose(result.statistic, top / (2 * bottom))
    assert_allclose(result.p, f.sf(result.statistic, 10, 5))


def test_equal_learners_are_seldom_called_different():
    """F(10, 5) is cautious: of independent normal differences fewer than 5 % are significant at 5 %."""
    rng = np.random.default_rng(0)
    result = np.mean([five_by_two_f(rng.normal(size=(5, 2))).rejected for _ in range(4000)])
    assert 0.005 < result < 0.05
    t = np.mean([five_by_two_t(rng.normal(size=(5, 2))).rejected for _ in range(4000)])
    assert 0.018 < t < 0.05  # cautious, too: the numerator is part of the spread it is divided by


@pytest.mark.capability("IML-19-13")
@pytest.mark.parametrize("test", [five_by_two_t, five_by_two_f])
def test_differences_that_never_vary(test):
    none, same = test(np.zeros((5, 2))), test(np.full((5, 2), 0.25))
    assert (none.statistic, none.p) == (0.0, 1.0) and "zero" in none.why
    assert (same.statistic, same.p) == (np.inf, 0.0) and "no spread" in same.why


def test_a_side_without_spread():
    same = np.full((5, 2), -0.1)
    assert (
        five_by_two_t(same, alternative="less").p == 0 and five_by_two_t(same, alternative="greater").p == 1
    )


@pytest.mark.parametrize(
    ("rows", "t", "F"),
    [([[-12, -5], [-2, -9], [-6, -4], [-2, -9], [3, 0]], (-2.994511748174172, 0.03028973133462153),
      (2.4997791513125835, 0.16185835712234115)),
     ([[1, 2], [-10, 5], [-1, 2], [-11, -5], [-9, -15]], (0.18018440632785063, 0.8640829906064461),
      (1.912260682620015, 0.2457432249165733))],
)  # fmt: skip
def test_same_as_mlxtend(rows, t, F):
    """Numbers of mlxtend 0.25.0, paired_ttest_5x2cv and combined_ftest_5x2cv, random_seed 2 and 3.

    Tree of depth 3 against Gaussian naive Bayes on scikit-learn's breast cancer rows; ``rows`` is the difference
    of right answers on halves of 285 and 284 rows.
    """
    differences = np.array(rows) / [285, 284]
    result = five_by_two_t(differences)
    assert_allclose([result.statistic, result.p], t, rtol=1e-9)
    result = five_by_two_f(differences)
    assert_allclose([result.statistic, result.p], F, rtol=1e-9)


def test_replications_that_cancel_out_point_nowhere():
    result = five_by_two_t([[0, 0], [0.1, 0.1], [-0.1, -0.1], [0, 0], [0, 0]])
    assert result.statistic == 0 and result.p == 1 and result.why
    for alternative in ("greater", "less"):
        assert (
            five_by_two_t([[0, 0], [0.1, 0.1], [-0.1, -0.1], [0, 0], [0, 0]], alternative=alternative).p == 1
        )
