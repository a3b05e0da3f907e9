"""Compact letters, and the bars along a ranking."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.significance.letters import letters, runs_alike


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


@given(st.integers(1, 8), st.integers(0, 2**28 - 1))
@settings(deadline=None, max_examples=100)
def test_bars_are_the_longest_runs_without_a_difference(L, bits):
    differ = np.zeros((L, L), dtype=bool)
    for b, (i, j) in enumerate(combinations(range(L), 2)):
        differ[i, j] = differ[j, i] = bool(bits >> b & 1)
    alike = [(a, b) for a in range(L) for b in range(a + 1, L) if not differ[a : b + 1, a : b + 1].any()]
    longest = [(a, b) for a, b in alike if not any((c, d) != (a, b) and c <= a and b <= d for c, d in alike)]
    assert runs_alike(differ) == longest


def test_more_than_twenty_six_letters():
    marks = letters(~np.eye(28, dtype=bool))
    assert len(set(marks)) == 28 and marks[26] == "a1"
