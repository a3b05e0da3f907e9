"""Apriori: what is joined, pruned and counted; counts are sums over blocks."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.associations._apriori as _apriori
import assay.associations.apriori as module
from assay.associations.apriori import Level, apriori
from assay.associations.baskets import Baskets
from assay.associations.collector import Collector
from assay.associations.frequent_sets import csr_items, frequent_sets
from assay.core.sums import Block, Rows, Stream
from assay.tables.data import load_german_credit, load_transactions


# Oracle: IML exercise 3.7 at minimum support 2/6: of the pairs, {bananas, chocolate} is in one basket only, so the
# triple joined from {milk, bananas} and {milk, chocolate} is pruned without being counted: two passes, not three.
@pytest.mark.capability("IML-3-11")
def test_the_triple_is_pruned_uncounted():
    baskets = Baskets.from_wide(load_transactions().X)
    sets = frequent_sets(baskets, 2 / 6, method="apriori")
    assert len(sets) == 5
    assert sets.levels == (Level(1, 3, 0, 3, 3), Level(2, 3, 0, 3, 2), Level(3, 1, 1, 0, 0))

    class Passes(Rows):
        made = 0

        def add_up(self, summarize):
            Passes.made += 1
            return super().add_up(summarize)

    apriori(Passes(baskets.to_sparse()), csr_items, 3, lambda total: 2, Collector(99, lambda n: None))
    assert Passes.made == 2


@settings(max_examples=60, deadline=None)
@given(sets=st.sets(st.frozensets(st.integers(0, 7), min_size=3, max_size=3), min_size=1, max_size=40))
def test_candidates_are_the_sets_all_of_whose_subsets_are_there(sets):
    rows = sorted(tuple(sorted(s)) for s in sets)
    row, joined, flat = _apriori.join(np.array(rows, np.int32), 0, 10**6)
    wanted = [c for c in combinations(range(8), 4) if all(s in set(rows) for s in combinations(c, 3))]
    assert row == len(rows)
    assert [tuple(c) for c in flat.reshape(-1, 4).tolist()] == wanted
    assert joined == sum(a[:-1] == b[:-1] for a, b in combinations(rows, 2))


def dense(n, d, seed):
    return np.random.default_rng(seed).random((n, d)) < 0.4


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 63, 64, 200])
def test_counts_of_pairs_and_sets_are_those_of_the_dense_table(n, weighted):
    held, d = dense(n, 9, n), 9
    start = np.concatenate([[0], np.cumsum(held.sum(axis=1))]).astype(np.int64)
    items = np.nonzero(held)[1].astype(np.int32)
    w = np.random.default_rng(0).integers(0, 9, n) if weighted else np.ones(n, np.int64)
    given_w = w if weighted else np.empty(0, np.int64)

    pairs = np.array(list(combinations(range(d), 2)))
    counts = np.zeros(len(pairs), np.int64)
    _apriori.count_pairs(start=start, items=items, weight=given_w, m=d, first=0, last=d, counts=counts)
    wanted = (held[:, pairs].all(axis=2) * w[:, None]).sum(axis=0)
    assert np.array_equal(counts, wanted)
    some = np.zeros(6 + 5, np.int64)  # first items 2 and 3 only
    _apriori.count_pairs(start=start, items=items, weight=given_w, m=d, first=2, last=4, counts=some)
    assert np.array_equal(some, wanted[(pairs[:, 0] >= 2) & (pairs[:, 0] < 4)])

    for k in (2, 3, 5):
        sets = np.array(list(combinations(range(d), k))[::3], np.int32)
        counts = np.full(len(sets), 7, np.int64)  # added to what is there
        _apriori.count_sets(start, items, given_w, d, sets, counts)
        assert np.array_equal(counts - 7, (held[:, sets].all(axis=2) * w[:, None]).sum(axis=0))


def whole(sets):
    return sets.indptr.tolist(), sets.indices.tolist(), sets.counts.tolist()


@pytest.mark.parametrize(
    "limits",
    [
        {"MOST_COUNTS": 50},
        {"PIECE": 100},
        {"MOST_BITS": 20, "CANDIDATES_PER_CHECK": 7},
        {"LOOK_AHEAD_SETS": 10},
    ],
    ids=str,
)
def test_small_memory_takes_more_passes_and_gives_the_same(limits, monkeypatch):
    baskets = Baskets.from_table(load_german_credit().X, cuts=3)
    wanted = frequent_sets(baskets, 0.3, method="apriori")
    for name, value in limits.items():
        monkeypatch.setattr(module, name, value)
    again = frequent_sets(baskets, 0.3, method="apriori")
    assert whole(wanted) == whole(again) and wanted.levels == again.levels
    assert len(wanted) > 300


def test_blocks_that_come_one_after_another_give_the_same():
    baskets = Baskets.from_table(load_german_credit().X, cuts=3)
    X, w = baskets.to_sparse(), np.random.default_rng(0).integers(0, 4, 1000)
    result = []
    blocks = [Block(X[a : a + 130], None, w[a : a + 130]) for a in range(0, 1000, 130)]
    for source in (Rows(X, None, w), Stream(blocks, lambda block: block)):
        collector = Collector(10**6, lambda n: None)
        done = apriori(source, csr_items, X.shape[1], lambda total: total // 3, collector)
        assert done.total == w.sum()
        result.append([part.tolist() for part in collector.in_order()])
    assert result[0] == result[1] and len(result[0][2]) > 100


def test_baskets_without_items_have_one_level():
    assert frequent_sets(Baskets.from_lists([[], []]), 0.5, method="apriori").levels == (
        Level(1, 0, 0, 0, 0),
    )
