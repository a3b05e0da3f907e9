"""FP-growth: the tree, and sets from it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.associations._fp_growth as _fp_growth
from assay.associations.baskets import Baskets
from assay.associations.collector import Collector
from assay.associations.eclat import eclat
from assay.associations.fp_growth import fp_growth
from assay.associations.ranked import rank_items


def paths_of(item, parent, count):
    """What each node says: the items from the root down to it, and its count."""
    text = {}
    for node in range(1, len(item)):
        path, at = [], node
        while at > 0:
            path.append(item[at])
            at = parent[at]
        text[tuple(reversed(path))] = count[node]
    return text


@settings(max_examples=60, deadline=None)
@given(
    lists=st.lists(st.sets(st.integers(0, 6)), min_size=1, max_size=30),
    least=st.integers(1, 3),
    seed=st.integers(0, 9),
)
def test_each_node_counts_the_baskets_that_begin_with_its_path(lists, least, seed):
    w = np.random.default_rng(seed).integers(1, 4, len(lists)) if seed % 2 else None
    ranked = rank_items(Baskets.from_lists(lists), least, w)
    m = len(ranked)
    item, parent, link, head, count = _fp_growth.build(ranked.start, ranked.ranks, ranked.weights, m)
    wanted = {}
    for i in range(ranked.n):
        path = ranked.ranks[ranked.start[i] : ranked.start[i + 1]][::-1].tolist()
        for k in range(1, len(path) + 1):
            wanted[tuple(path[:k])] = wanted.get(tuple(path[:k]), 0) + (1 if w is None else int(w[i]))
    assert paths_of(item, parent, count) == wanted
    for r in range(m):  # the links of an item lead to all of its nodes
        nodes, at = set(), head[r]
        while at >= 0:
            nodes.add(int(at))
            at = link[at]
        assert nodes == set(np.flatnonzero(item == r).tolist())


def test_same_sets_as_eclat_where_baskets_share_much():
    rng = np.random.default_rng(1)
    lists = [np.flatnonzero(row).tolist() for row in rng.random((400, 14)) < np.linspace(0.2, 0.9, 14)]
    ranked = rank_items(Baskets.from_lists(lists), 40)
    result = []
    for miner in (eclat, fp_growth):
        collector = Collector(10**6, lambda n: None)
        miner(ranked, 40, collector)
        result.append(collector.in_order())
    assert len(result[0][2]) > 500
    for a, b in zip(*result):
        assert np.array_equal(a, b)
