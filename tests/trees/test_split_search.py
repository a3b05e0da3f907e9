"""The search for splits, against trying each split by itself."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.trees.criteria import impurity_function
from assay.trees.node_measures import ClassMeasure, NumberMeasure
from assay.trees.split_search import SplitSearch
from assay.trees.tree import NWAY, SUBSET, TERNARY

ALL = np.arange
SEEDS = st.integers(0, 10**6)


def class_measure(y, criterion="entropy", K=3):
    return ClassMeasure(y, K, impurity_function(criterion))


def by_the_book(measure, x, cuts, rows, w):
    """Impurity after cutting the rows at the given numbers: each branch looked at by itself."""
    branch = np.searchsorted(cuts, x, side="left")  # x <= t stays below t
    parts = [branch == b for b in range(len(cuts) + 1)]
    weight = np.array([w[p].sum() for p in parts])
    error = np.array([measure.node(rows[p], w[p]) for p in parts])
    return weight, error, float(measure.combine(weight, error))


MEASURES = ["entropy", "gini", "error"] + [
    (error, leaf)
    for error in ("squared", "absolute", "worst", "deviation")
    for leaf in ("mean", "median", "midrange")
]


@pytest.mark.parametrize("criterion", MEASURES)
@pytest.mark.parametrize("numeric", ["binary", "ternary"])
def test_every_threshold_gives_what_its_branches_give(criterion, numeric):
    rng = np.random.default_rng(5)
    n, rows = 25, np.arange(25)
    x, w = rng.integers(0, 9, n).astype(float), rng.uniform(0.5, 2, n)
    if isinstance(criterion, str):
        measure = class_measure(rng.integers(0, 3, n), criterion)
    else:
        measure = NumberMeasure(rng.normal(100, 3, n).round(1), *criterion)
    search = SplitSearch(measure, np.array([0]), numeric=numeric)
    (found,) = search.columns(x[:, None], rows, w)
    distinct = np.unique(x)
    middles = (distinct[1:] + distinct[:-1]) / 2
    pairs = list(combinations(middles, 2)) if numeric == "ternary" else [(t,) for t in middles]
    thresholds = np.column_stack([found.thresholds, found.seconds])[:, : len(pairs[0])]
    assert_allclose(thresholds, pairs)
    after = measure.combine(found.weight, found.impurity)
    for i, cuts in enumerate(pairs):
        weight, error, total = by_the_book(measure, x, cuts, rows, w)
        assert_allclose(found.weight[i], weight, rtol=1e-12)
        assert_allclose(found.impurity[i], error, atol=1e-7 if criterion[0] == "deviation" else 1e-9)
        assert_allclose(after[i], total, atol=1e-7)


@pytest.mark.parametrize("criterion", MEASURES)
@pytest.mark.parametrize("nominal", ["n-way", "binary grouping", "one-vs-rest"])
def test_every_split_of_categories_gives_what_its_branches_give(criterion, nominal):
    rng = np.random.default_rng(6)
    n, rows = 30, np.arange(30)
    x, w = rng.choice([0.0, 2.0, 3.0, 5.0], n), rng.uniform(0.5, 2, n)
    if isinstance(criterion, str):
        measure = class_measure(rng.integers(0, 3, n), criterion)
    else:
        measure = NumberMeasure(rng.normal(100, 3, n).round(1), *criterion)
    search = SplitSearch(measure, np.array([6]), nominal=nominal)
    (found,) = search.columns(x[:, None], rows, w)
    assert len(found.weight) == {"n-way": 1, "binary grouping": 7, "one-vs-rest": 4}[nominal]
    after = measure.combine(found.weight, found.impurity)
    for i in range(len(after)):
        split = found.split(i, 0.0, 0.0, 0.0, 6)
        taken = split.branch(x)
        weight = np.array([w[taken == b].sum() for b in range(split.branches)])
        there = np.flatnonzero(weight)
        error = [measure.node(rows[taken == b], w[taken == b]) for b in there]
        assert_allclose(after[i], measure.combine(weight[there], np.array(error)), atol=1e-7)


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_the_best_threshold_is_a_boundary_point(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 8, 20).astype(float)[:, None], rng.integers(0, 3, 20)
    for criterion in ("entropy", "gini", "error"):
        measure = class_measure(y, criterion)
        all_, some = (
            SplitSearch(measure, np.array([0]), candidates=c).best_of_each(x, np.arange(20), np.ones(20), 1.0)
            for c in ("midpoints", "boundary")
        )
        if not all_:
            assert not some
            continue
        assert some[0].after == pytest.approx(all_[0].after, abs=1e-12)


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_the_order_of_the_means_finds_the_best_of_all_groupings(seed):
    """Breiman's theorem: for two classes, and for squared error, a cut through the ordered categories is best."""
    rng = np.random.default_rng(seed)
    x, rows, w = rng.integers(0, 7, 40).astype(float)[:, None], np.arange(40), rng.uniform(0.5, 2, 40)
    two = ClassMeasure(rng.integers(0, 2, 40), 2, impurity_function("entropy"))
    for measure in (two, NumberMeasure(rng.normal(size=40), "squared", "mean")):
        every, ordered = (
            SplitSearch(measure, np.array([7]), nominal="binary grouping", max_categories=most).best_of_each(
                x, rows, w, 1.0
            )[0]
            for most in (10, 2)
        )
        assert ordered.after == pytest.approx(every.after, abs=1e-10)


def test_equal_depth_keeps_thresholds_with_equally_many_rows_between():
    x = np.arange(100.0) ** 3
    measure = class_measure((x > 5e5).astype(int), K=2)
    search = SplitSearch(measure, np.array([0]), candidates="equal-depth", max_candidates=4)
    (found,) = search.columns(x[:, None], np.arange(100), np.ones(100))
    assert_allclose(found.weight[:, 0], [20, 40, 60, 80])


def test_ties_go_to_the_first_column_and_the_lowest_threshold():
    x = np.arange(4.0)
    X, y = np.column_stack([np.zeros(4), x, x]), np.array([0, 1, 1, 0])
    split, tried = SplitSearch(class_measure(y, K=2), np.zeros(3, int)).best(X, np.arange(4), np.ones(4), 1.0)
    assert (split.column, split.threshold) == (1, 0.5)
    assert [s.column for s in tried] == [1, 2]


def test_neighbouring_floats_are_separated():
    x = np.array([1.0, np.nextafter(1.0, 2.0)])
    (found,) = SplitSearch(class_measure(np.array([0, 1]), K=2), np.array([0])).best_of_each(
        x[:, None], np.arange(2), np.ones(2), 1.0
    )
    assert found.branch(x).tolist() == [0, 1]
    huge = np.array([-1e308, 1.7e308])
    (found,) = SplitSearch(class_measure(np.array([0, 1]), K=2), np.array([0])).best_of_each(
        huge[:, None], np.arange(2), np.ones(2), 1.0
    )
    assert np.isfinite(found.threshold) and found.branch(huge).tolist() == [0, 1]


@pytest.mark.parametrize("kind", [NWAY, SUBSET, TERNARY])
def test_a_missing_value_takes_no_branch(kind):
    from assay.trees.split_search import Split

    split = Split(0, kind, 0.5, 1.5, (0,), 3)
    assert split.branch(np.array([0.0, np.nan, 2.0]))[1] == -1


def test_pairs_in_blocks_are_all_pairs_in_order(monkeypatch):
    from assay.trees import split_search

    x = np.random.default_rng(0).normal(size=(30, 1))
    measure = NumberMeasure(np.sin(9 * x[:, 0]), "squared", "mean")
    search, rows, w = SplitSearch(measure, np.array([0]), numeric="ternary"), np.arange(30), np.ones(30)
    (whole,) = search.columns(x, rows, w)
    best = search.best_of_each(x, rows, w, 1.0)
    monkeypatch.setattr(split_search, "PAIRS", 50)
    blocks = list(search.columns(x, rows, w))
    assert len(blocks) > 5
    assert_allclose(np.concatenate([b.thresholds for b in blocks]), whole.thresholds)
    assert_allclose(np.concatenate([b.seconds for b in blocks]), whole.seconds)
    assert search.best_of_each(x, rows, w, 1.0) == best
