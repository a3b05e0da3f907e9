"""Holm's adjustment and compact letters."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.evaluate import holm, letters


def test_holm_by_hand():
    # Oracle: IML 19.12, p = .001, .02, .03 become .003, .04, .04.
    assert_allclose(holm([0.03, 0.001, 0.02]), [0.04, 0.003, 0.04], rtol=1e-12)
    assert holm([]).size == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
@settings(deadline=None, max_examples=60)
def test_holm_keeps_the_order_and_lies_between_p_and_bonferroni(p):
    p = np.array(p)
    adjusted = holm(p)
    assert (adjusted >= p).all() and (adjusted <= np.minimum(1, len(p) * p)).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


@given(st.integers(1, 7), st.integers(0, 2**21 - 1))
@settings(deadline=None, max_examples=150)
def test_two_share_a_letter_exactly_if_they_do_not_differ(L, bits):
    differ = np.zeros((L, L), dtype=bool)
    for b, (i, j) in enumerate(combinations(range(L), 2)):
        differ[i, j] = differ[j, i] = bool(bits >> b & 1)
    marks = letters(differ)
    assert "a" in marks[0]
    for i in range(L):
        for j in range(L):
            if i != j:
                assert bool(set(marks[i]) & set(marks[j])) != differ[i, j]


def test_all_equal_and_all_different():
    assert letters(np.zeros((3, 3), dtype=bool)) == ["a", "a", "a"]
    assert letters(~np.eye(3, dtype=bool)) == ["a", "b", "c"]
