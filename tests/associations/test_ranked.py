"""Baskets from both sides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.associations._baskets as _baskets
from assay.associations.baskets import Baskets
from assay.associations.frequent_sets import frequent_sets
from assay.associations.ranked import rank_items, whole_weights


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(0, 150), d=st.integers(1, 12), least=st.integers(1, 6))
def test_both_sides_are_those_of_the_dense_table(seed, n, d, least):
    rng = np.random.default_rng(seed)
    held = rng.random((n, d)) < rng.random()
    w = rng.integers(0, 4, n) if seed % 2 else None
    baskets = Baskets.from_lists([np.flatnonzero(row).tolist() for row in held])
    baskets = Baskets(
        baskets.indptr, np.array([baskets.items[c] for c in baskets.indices], np.int32), range(d)
    )
    ranked = rank_items(baskets, least, w)

    rows = np.arange(n) if w is None else np.flatnonzero(w)
    held, w = held[rows], np.ones(n, int) if w is None else w[rows]
    counts = w @ held
    codes = [c for c in sorted(range(d), key=lambda c: (counts[c], c)) if counts[c] >= least]
    assert ranked.codes.tolist() == codes and ranked.counts.tolist() == counts[codes].tolist()
    assert ranked.total == w.sum() and ranked.universal == sum(counts[c] == w.sum() for c in codes)
    some = held[:, codes]
    assert ranked.ranks.tolist() == np.nonzero(some)[1].tolist()
    assert ranked.start.tolist() == [0, *np.cumsum(some.sum(axis=1))]
    assert ranked.tids.tolist() == np.nonzero(some.T)[1].tolist()
    bits = np.unpackbits(ranked.bits.view(np.uint8), axis=1, bitorder="little")[:, : len(rows)]
    assert np.array_equal(bits, some.T)
    if len(ranked.pairs):
        both = some.T.astype(int) @ (w[:, None] * some)
        assert ranked.pairs.tolist() == both[np.triu_indices(len(codes), 1)].tolist()


def test_pairs_are_counted_where_baskets_are_short():
    short = rank_items(Baskets.from_lists([[i % 50, (i + 1) % 50] for i in range(200)]), 1)
    assert len(short.pairs) == 50 * 49 // 2 and short.pairs.sum() == 200
    assert len(rank_items(Baskets.from_lists([range(20)] * 5), 1).pairs) == 0


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=20).filter(any))
def test_whole_numbers_keep_their_sums(weights):
    w = np.array(weights, float)
    whole, grain = whole_weights(w, w.sum())
    assert (whole * grain).tolist() == w.tolist()
    assert whole.sum() * grain == w.sum()
    assert whole.sum() <= 2**52


@pytest.mark.parametrize("weighted", [False, True])
def test_many_baskets_that_hold_the_same_become_one(weighted):
    rng = np.random.default_rng(0)
    kinds = [np.flatnonzero(row).tolist() for row in rng.random((30, 8)) < 0.5]
    which = rng.integers(0, 30, 9000)
    w = rng.integers(0, 3, 9000) if weighted else None
    baskets = Baskets.from_lists([kinds[k] for k in which], w)
    ranked = rank_items(baskets, 1500, w)
    distinct = {tuple(c for c in kinds[k] if c in ranked.codes) for k in which}
    assert ranked.n == len(distinct) and ranked.weights.sum() == ranked.total == baskets.total
    held = np.zeros((ranked.n, len(ranked)), bool)
    held[np.repeat(np.arange(ranked.n), np.diff(ranked.start)), ranked.ranks] = True
    assert (ranked.weights @ held).tolist() == ranked.counts.tolist()
    assert ranked.tids.tolist() == np.nonzero(held.T)[1].tolist()
    for method in ("eclat", "fp-growth"):
        merged = frequent_sets(baskets, 1500, method=method)
        assert merged.counts.dtype == (float if weighted else np.int64)
        apart = frequent_sets(baskets, 1500, method="apriori")  # counts basket by basket
        assert merged.counts.tolist() == apart.counts.tolist()
        assert merged.indices.tolist() == apart.indices.tolist()


def test_few_equal_baskets_stay_apart():
    lists = [[i % 97, 100 + i % 89] for i in range(5000)]
    assert rank_items(Baskets.from_lists(lists), 1).n == 5000


@pytest.mark.parametrize("step", [1, 7])
def test_alike_is_what_a_dict_of_baskets_says(step):
    rng = np.random.default_rng(1)
    rows = [
        np.flatnonzero(row).tolist() for row in rng.random((3000, 11)) < 0.5
    ]  # more kinds than the first table holds
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    first, which = _baskets.alike(start, np.array([c for row in rows for c in row], np.int32), step)
    kinds: dict[tuple, int] = {}
    wanted = [kinds.setdefault(tuple(row), len(kinds)) for row in rows[::step]]
    assert which.tolist() == wanted and len(first) == len(kinds)
    assert [tuple(rows[i]) for i in first] == list(kinds)
