"""Strangeness scores, p-values and coverage of sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binomtest

from assay.decide import aps_score, lac_score, set_coverage
from assay.decide.conformity import p_values
from assay.errors import DataError


@given(seed=st.integers(0, 10**6), K=st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_aps_adds_the_classes_that_are_at_least_as_probable(seed, K):
    P = np.random.default_rng(seed).dirichlet(np.ones(K), size=7)
    by_hand = [[P[i][P[i] >= P[i, k]].sum() for k in range(K)] for i in range(7)]
    assert_allclose(aps_score(P), by_hand, atol=1e-11)
    assert_allclose(aps_score(P).max(axis=1), 1)
    assert_allclose(lac_score(P), 1 - P)


@given(seed=st.integers(0, 10**6), per_class=st.booleans())
@settings(max_examples=30, deadline=None)
def test_p_values_count_what_is_at_least_as_strange(seed, per_class):
    rng = np.random.default_rng(seed)
    K, folds = 3, 2
    strange = [rng.integers(0, 6, size=(4, K)).astype(float) for _ in range(folds)]
    known = [
        [np.sort(rng.integers(0, 6, size=5)) for _ in range(K if per_class else 1)] for _ in range(folds)
    ]
    n = np.full(K, 10)
    got = p_values(strange, known, n)
    for i in range(4):
        for k in range(K):
            count = sum((known[f][k if per_class else 0] >= strange[f][i, k]).sum() for f in range(folds))
            assert got[i, k] == (count + 1) / 11


def test_the_p_value_of_an_exchangeable_row_is_uniform():
    """Without ties p takes the values 1/20 ... 1 alike; chi-squared of 20 cells, seeded."""
    rng = np.random.default_rng(0)
    p = [p_values([s[:1, None]], [[np.sort(s[1:])]], np.array([19]))[0, 0] for s in rng.random((4000, 20))]
    counts = np.bincount(np.round(np.array(p) * 20).astype(int), minlength=21)[1:]
    assert (
        (counts - 200) ** 2 / 200
    ).sum() < 43.8  # 0.999 quantile of chi-squared with 19 degrees of freedom


def test_coverage_of_sets():
    sets = np.array([[True, False], [True, True], [False, False], [False, True]])
    found = set_coverage(sets, ["a", "b", "a", "a"], ["a", "b"])
    assert (found.coverage, found.size, found.empty, found.single) == (0.5, 1.0, 0.25, 0.5)
    assert_allclose(found.by_class, [1 / 3, 1])
    interval = binomtest(2, 4).proportion_ci(0.95, method="exact")
    assert_allclose([found.low, found.high], [interval.low, interval.high], rtol=1e-9)
    full = set_coverage(np.ones((5, 3), dtype=bool), [0, 1, 1, 0, 0])
    assert full.high == 1 and np.isnan(full.by_class[2])
    assert_array_equal(set_coverage(np.zeros((2, 2), dtype=bool), [0, 1]).low, 0)


def test_bad_input_is_told():
    with pytest.raises(DataError, match="True and False"):
        set_coverage([[0.1, 0.9]], [0])
    with pytest.raises(DataError, match="expected 2 classes"):
        set_coverage([[True, False]], [0], classes=[0])
