"""Estimates of the number of sets."""

import math

import numpy as np
import pytest

from assay.associations.baskets import Baskets
from assay.associations.estimate import estimate_sets, reasonable, walk
from assay.associations.frequent_sets import frequent_sets
from assay.associations.ranked import rank_items
from assay.tables.data import load_breast_cancer_ljubljana, load_german_credit


def test_subsets_of_one_large_set_are_counted_nearly_exactly():
    """All sets of 50 items are frequent: 2^50 - 1. The walks guess their sizes right, so they hardly vary."""
    estimate = estimate_sets(Baskets.from_lists([range(50)] * 4), 1.0)
    assert math.log2(estimate.sets) == pytest.approx(50, abs=0.5)
    assert estimate.low <= estimate.sets <= estimate.high


def test_unbiased():
    """The mean over many seeds is the number found; exact up to three standard errors."""
    rng = np.random.default_rng(2)
    baskets = Baskets.from_lists([np.flatnonzero(row).tolist() for row in rng.random((120, 14)) < 0.45])
    ranked = rank_items(baskets, 12)
    walks = np.array([walk(ranked, 12, seed=seed).sets for seed in range(60)])
    result = len(frequent_sets(baskets, 12))
    assert abs(walks.mean() - result) <= 3 * walks.std() / math.sqrt(60)
    assert walks.std() < 0.2 * result


@pytest.mark.parametrize(
    ("load", "min_support"),
    [(load_german_credit, 0.1), (load_german_credit, 0.2), (load_breast_cancer_ljubljana, 0.02)],
)
def test_right_order_of_magnitude_on_real_tables(load, min_support):
    baskets = Baskets.from_table(load().X, cuts=3)
    result = len(frequent_sets(baskets, min_support))
    assert result / 2 <= estimate_sets(baskets, min_support).sets <= 2 * result


@pytest.mark.parametrize("max_size", [1, 2, 3])
def test_the_largest_size_is_respected(max_size):
    baskets = Baskets.from_lists([range(30)] * 3)
    wanted = sum(math.comb(30, k) for k in range(1, max_size + 1))
    assert estimate_sets(baskets, 1.0, max_size=max_size).sets == pytest.approx(wanted, rel=0.1)


def test_nothing_frequent_is_nothing():
    assert estimate_sets(Baskets.from_lists(["a", "b"]), 2) == (0, 0, 0)


def test_same_seed_same_estimate_whatever_the_threads(monkeypatch):
    baskets = Baskets.from_table(load_german_credit().X, cuts=3)
    one = estimate_sets(baskets, 0.2, random_state=3)
    monkeypatch.setenv("ASSAY_NUM_THREADS", "3")
    assert estimate_sets(baskets, 0.2, random_state=3) == one
    assert estimate_sets(baskets, 0.2, random_state=4) != one


def test_a_reasonable_threshold_gives_few_enough():
    baskets = Baskets.from_table(load_german_credit().X, cuts=3)
    least, sets = reasonable(rank_items(baskets, 5), 5, 20_000)
    assert least > 5 and sets <= 2000
    assert len(frequent_sets(baskets, least)) <= 20_000
