"""Bags of features, against sums over dicts."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import assay.kernels.structures._bags as native
from assay.kernels.structures.bags import Bags, feature_number, mix

ROWS = st.lists(st.lists(st.integers(0, 6), max_size=8), min_size=1, max_size=6)


def products_by_the_book(A, B):
    A, B = [Counter(row) for row in A], [Counter(row) for row in B]
    return np.array([[sum(a[f] * b[f] for f in a) for b in B] for a in A], dtype=float)


@given(ROWS, ROWS)
def test_products_are_sums_over_shared_features(A, B):
    bags, others = Bags.of_rows(A), Bags.of_rows(B)
    K = products_by_the_book(A, B)
    assert_allclose(bags.products(others), K)
    assert_allclose(bags.squares(), np.diagonal(products_by_the_book(A, A)))
    coef = np.arange(2.0 * len(B)).reshape(len(B), 2) - 1.5
    assert_allclose(bags.sums(others, coef), K @ coef, atol=1e-12)
    assert_allclose(bags[1:].products(others), K[1:])
    assert_allclose(bags[np.arange(len(A))[::-1]].products(others), K[::-1])


def test_substrings_are_numbered_by_what_they_are():
    codes, start = np.array([1, 2, 1, 2, 9, 1, 2], dtype=np.uint64), np.array([0, 4, 5, 7])
    out = np.empty(4, dtype=np.uint64)
    native.substrings(codes, start, 2, np.array([0, 3, 3, 4]), out)
    assert out[0] == out[2] == out[3] != out[1]


def test_numbers_do_not_depend_on_the_run():
    assert feature_number("cat") == 8026389354021234171  # as model files have it
    assert feature_number(("S", 3)) == 4406089652261446348
    assert feature_number(3) == feature_number(np.int64(3)) == feature_number(3.0) != feature_number("3")
    assert len(set(mix(np.arange(100_000)).tolist())) == 100_000
