"""Quade's test: a published example, two learners, size, agreement and ties."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import rankdata

from assay.errors import DataError, ParameterError
from assay.stats.significance.quade import quade

# Oracle: Conover (1999) pp. 375f., the example of R's quade.test: F = 3.8293, df 4 and 24, p = 0.01519.
SALES = [
    [5, 4, 7, 10, 12], [1, 3, 1, 0, 2], [16, 12, 22, 22, 35], [5, 4, 3, 5, 4], [10, 9, 7, 13, 10],
    [19, 18, 28, 37, 58], [10, 7, 6, 8, 7],
]  # fmt: skip


def test_published_example():
    result = quade(SALES)
    assert_allclose(result.statistic, 3.8293, atol=5e-5)
    assert_allclose(result.p, 0.01519, atol=5e-6)
    assert result.df == (4, 24)
    assert_allclose(quade(SALES, better="lower").statistic, result.statistic, rtol=1e-12)


def test_two_learners_give_wilcoxons_signed_ranks():
    """F is a function of R+ - R-: t^2 of the signed ranks."""
    d = np.random.default_rng(0).normal(size=12) + 0.4
    S = np.sign(d) * rankdata(np.abs(d))
    t = S.mean() / (S.std(ddof=1) / np.sqrt(12))
    assert_allclose(quade(np.column_stack([d, 0 * d])).statistic, t**2, rtol=1e-10)


def test_level_holds():
    X = np.random.default_rng(5).normal(size=(2000, 9, 4))
    wrong = np.mean([quade(x).rejected for x in X])
    assert abs(wrong - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 2000)


def test_no_spread_has_an_answer():
    assert quade(np.ones((4, 3))).p == 1
    sure = quade([[1, 2, 3], [2, 3, 4], [5, 6, 7]])
    assert_allclose(sure.p, 1 / 36, rtol=1e-12)
    assert "order the learners alike" in sure.why


def test_bad_input_is_named():
    with pytest.raises(DataError, match="at least 2 complete rows"):
        quade([[1, 2]])
    with pytest.raises(ParameterError, match="higher, lower"):
        quade(SALES, better="x")
