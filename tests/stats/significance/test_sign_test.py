"""The sign test: worked numbers, SciPy, ties, size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.significance.sign_test import Wins, sign_test


@pytest.mark.capability("IML-19-16")
def test_twelve_of_fifteen_and_nine_of_twelve():
    # Oracle: IML 19.13.1; the normal approximation is exercise 6.
    assert_allclose(sign_test(Wins(12, 3)).p, 0.03515625, rtol=1e-12)
    assert_allclose(sign_test(Wins(9, 3)).p, 0.14599609, atol=5e-9)
    assert_allclose(sign_test(Wins(12, 3), method="normal").statistic, 2.32379001, atol=5e-9)
    assert_allclose(sign_test(Wins(12, 3), method="corrected").statistic, 2.06559112, atol=5e-9)


@pytest.mark.capability("IML-19-16")
def test_ties_are_dropped_or_split():
    first, second = [3, 3, 3, 3, 5, 5, 5], [1, 1, 1, 4, 5, 5, 5]
    dropped = sign_test(first, second)
    assert (dropped.wins, dropped.losses, dropped.ties) == (3, 1, 3)
    assert_allclose(dropped.p, 0.625)
    assert "3 of 7" in dropped.why
    split = sign_test(first, second, ties="split")  # one to either side, the odd one is dropped: 4 of 6
    assert_allclose([split.statistic, split.p, split.estimate], [4, 0.6875, 4 / 6])
    assert "1 of 7 pairs is tied" in split.why


def test_floating_point_wins_nothing():
    assert sign_test([0.3, 0.8], [0.1 + 0.2, 0.8]).ties == 2


@settings(max_examples=50, deadline=None)
@given(
    w=st.integers(0, 60), l=st.integers(0, 60), alternative=st.sampled_from(["two-sided", "greater", "less"])
)
def test_same_as_scipy(w, l, alternative):
    """Peer: SciPy 1.17, binomtest at one half."""
    from scipy.stats import binomtest

    if w + l:
        result = sign_test(Wins(w, l), alternative=alternative)
        assert_allclose(result.p, binomtest(w, w + l, 0.5, alternative).pvalue, rtol=1e-9)
        assert_allclose(sign_test(Wins(l, w)).p, sign_test(Wins(w, l)).p)


@pytest.mark.parametrize("method", ["normal", "corrected"])
def test_approximations_come_near_the_exact_p(method):
    for side in ("two-sided", "greater", "less"):
        near, exact = (sign_test(Wins(60, 40), method=m, alternative=side).p for m in (method, "exact"))
        assert_allclose(near, exact, atol=0.02 if method == "normal" else 0.001)


def test_nothing_but_ties_says_so():
    result = sign_test([1, 2, 3], [1, 2, 3])
    assert result.p == 1 and "tied" in result.why and (result.low, result.high) == (0, 1)


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: sign_test([1, 2], [1]), "one length"), (lambda: sign_test(Wins(0, 0)), "not all 0"),
     (lambda: sign_test(Wins(-1, 3)), "from 0"), (lambda: sign_test([1.0], method="z"), "method"),
     (lambda: sign_test([]), "at least 1"), (lambda: sign_test([np.nan, 1]), "row 1 ")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()
