"""Baskets from both sides."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.associations.baskets import Baskets
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
