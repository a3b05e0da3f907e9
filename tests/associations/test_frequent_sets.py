"""Frequent sets: every method finds what counting everything finds."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.associations.eclat as branches
from assay.associations.baskets import Baskets
from assay.associations.frequent_sets import frequent_sets
from assay.core.progress import listen
from assay.errors import DataError, ParameterError
from assay.tables.data import load_breast_cancer_ljubljana, load_german_credit, load_transactions

METHODS = ["eclat", "fp-growth", "apriori"]
KINDS = ["all", "closed", "maximal"]


def by_counting(lists, weights, least, kind="all"):
    """Count all subsets of all baskets; then leave out what a larger set makes superfluous."""
    counts = Counter()
    for items, w in zip(lists, weights):
        for k in range(1, len(items) + 1):
            for s in combinations(sorted(items), k):
                counts[s] += w
    result = {s: c for s, c in counts.items() if c >= least and c > 0}
    if kind == "all":
        return result
    return {
        s: c
        for s, c in result.items()
        if not any(set(t) > set(s) and (kind == "maximal" or e == c) for t, e in result.items())
    }


def as_dict(sets):
    result = {s.items: s.count for s in sets}
    assert len(result) == len(sets)
    return result


baskets_of_few = st.lists(st.sets(st.integers(0, 6)), min_size=1, max_size=25)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=50, deadline=None)
@given(lists=baskets_of_few, least=st.integers(1, 5), data=st.data())
def test_same_sets_and_counts_as_counting_everything(method, kind, lists, least, data):
    weights = None
    if data.draw(st.booleans()):
        weights = data.draw(st.lists(st.integers(0, 3), min_size=len(lists), max_size=len(lists)).filter(any))
    given_ = data.draw(st.sets(st.integers(0, 6), max_size=2)) & set().union(*lists)
    max_size = data.draw(st.sampled_from([None, 1, 2, 3]))
    baskets = Baskets.from_lists(lists, weights)
    sets = frequent_sets(baskets, least, method=method, kind=kind, max_size=max_size, containing=given_)
    wanted = by_counting(lists, weights or [1] * len(lists), least, kind)
    wanted = {s: c for s, c in wanted.items() if given_ <= set(s) and len(s) <= (max_size or 7)}
    assert as_dict(sets) == wanted
    assert [s.items for s in sets] == sorted(wanted, key=lambda s: (len(s), -wanted[s], s))
    assert sets.kind == kind


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["eclat", "fp-growth"])
def test_a_search_cut_into_small_calls_finds_the_same(method, kind, monkeypatch):
    rng = np.random.default_rng(5)
    lists = [np.flatnonzero(row).tolist() for row in rng.random((60, 12)) < 0.5]
    baskets = Baskets.from_lists(lists)
    whole = frequent_sets(baskets, 3, method=method, kind=kind)
    calls = Counter()
    for name in ("GLANCE", "SHARE"):
        monkeypatch.setattr(branches, name, 1)
    mine = branches.in_branches

    def in_small_calls(call, m, collector, share, look):
        def counted(*args):
            calls["made"] += 1
            return call(*args)

        mine(counted, m, collector, 1, look)

    for module in ("eclat", "fp_growth"):
        monkeypatch.setattr(f"assay.associations.{module}.in_branches", in_small_calls)
    cut = frequent_sets(baskets, 3, method=method, kind=kind)
    assert calls["made"] > 12
    for a, b in ((whole.indptr, cut.indptr), (whole.indices, cut.indices), (whole.counts, cut.counts)):
        assert np.array_equal(a, b)


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_the_number_of_threads_does_not_matter(threads, monkeypatch):
    baskets = Baskets.from_table(load_german_credit().X, cuts=3)
    whole = frequent_sets(baskets, 0.2)
    monkeypatch.setenv("ASSAY_NUM_THREADS", threads)
    monkeypatch.setattr(branches, "GLANCE", 1)
    cut = frequent_sets(baskets, 0.2)
    assert len(whole) > 1000
    assert np.array_equal(whole.indices, cut.indices) and np.array_equal(whole.counts, cut.counts)


@pytest.mark.parametrize("min_support", [0.05, 0.2, 30])
@pytest.mark.parametrize("load", [load_breast_cancer_ljubljana, load_german_credit])
def test_methods_agree_on_real_tables(load, min_support):
    baskets = Baskets.from_table(load().X, cuts=3)
    sets = [frequent_sets(baskets, min_support, method=m, max_size=4) for m in METHODS]
    assert len(sets[0]) > 100
    held = baskets.to_sparse().toarray().astype(bool)
    for s in range(0, len(sets[0]), 97):  # and with the table itself
        assert held[:, sets[0].codes(s)].all(axis=1).sum() == sets[0].counts[s]
    for other in sets[1:]:
        assert np.array_equal(sets[0].indptr, other.indptr)
        assert np.array_equal(sets[0].indices, other.indices)
        assert np.array_equal(sets[0].counts, other.counts)


# Oracle: IML exercise 3.7 with minimum support 2/6: milk 4, bananas 2, chocolate 5, {milk, bananas} 2,
# {milk, chocolate} 3; {bananas, chocolate} is in one basket only.
@pytest.mark.capability("IML-3-11", "IML-1-02")
@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_six_baskets_have_five_frequent_sets(method):
    sets = frequent_sets(Baskets.from_wide(load_transactions().X), 2 / 6, method=method)
    assert as_dict(sets) == {
        ("milk",): 4,
        ("bananas",): 2,
        ("chocolate",): 5,
        ("milk", "bananas"): 2,
        ("milk", "chocolate"): 3,
    }
    assert [s.items for s in sets][:3] == [("chocolate",), ("milk",), ("bananas",)]
    assert sets.min_count == 2 and sets.n == 6
    pair = sets.count_of("milk", "bananas")
    assert pair / sets.count_of("milk") == 2 / 4 and pair / sets.count_of("bananas") == 1  # P(Y | X)


def test_weights_of_any_size_give_the_same_sums_by_every_method():
    rng = np.random.default_rng(0)
    lists = [np.flatnonzero(row).tolist() for row in rng.random((80, 8)) < 0.5]
    w = rng.exponential(1e6, 80)
    baskets = Baskets.from_lists(lists, w)
    sets = [frequent_sets(baskets, 0.1, method=m) for m in METHODS]
    for other in sets[1:]:
        assert np.array_equal(sets[0].counts, other.counts)  # to the last bit
    wanted = by_counting(lists, w, 0.1 * w.sum())
    result = as_dict(sets[0])
    assert result.keys() == wanted.keys()
    np.testing.assert_allclose([result[s] for s in wanted], list(wanted.values()), rtol=1e-12)


def test_a_weight_counts_as_so_many_baskets():
    lists = [[1, 2, 3], [1, 2], [3], [1, 3]]
    w = np.array([1, 4, 2, 3])
    weighted = frequent_sets(Baskets.from_lists(lists, w), 0.3)
    repeated = frequent_sets(Baskets.from_lists([x for x, k in zip(lists, w) for _ in range(k)]), 0.3)
    assert as_dict(weighted) == as_dict(repeated)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("lists", [[[]], [["a"]], [["a"], []], [[], []], [list("abc")] * 3])
def test_few_baskets(method, lists):
    for kind in KINDS:
        sets = frequent_sets(Baskets.from_lists(lists), 1.0, method=method, kind=kind)
        assert as_dict(sets) == by_counting(lists, [1] * len(lists), len(lists), kind)


def test_more_items_than_a_table_of_pairs_holds():
    lists = [[i, i + 1] for i in range(2500)] + [[0, 1, 2499, 2500]] * 3
    sets = [frequent_sets(Baskets.from_lists(lists), 3, method=m) for m in METHODS]
    assert len({s.indices.tobytes() for s in sets}) == 1
    wide = [frequent_sets(Baskets.from_lists(lists), 1, method=m) for m in METHODS]
    assert as_dict(wide[0]) == as_dict(wide[1]) == as_dict(wide[2]) == by_counting(lists, [1] * len(lists), 1)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"min_support": 1.5}, "min_support must be a share"),
        ({"method": "magic"}, "method must be one of 'auto', 'eclat', 'fp-growth', 'apriori', got 'magic'"),
        ({"kind": "some"}, "kind must be"),
        ({"max_size": 0}, "max_size must be"),
        ({"limit": 0}, "limit must be"),
        ({"containing": ["beer"]}, "there is no item 'beer'"),
    ],
)
def test_parameters_are_checked(options, what):
    with pytest.raises(ParameterError, match=what):
        frequent_sets(Baskets.from_lists(["ab"]), **options)


@pytest.mark.parametrize("method", METHODS)
def test_numbers_beyond_all_bounds_are_only_large(method):
    baskets, huge = Baskets.from_lists(["ab", "a"]), 10**30
    assert len(frequent_sets(baskets, huge, method=method)) == 0
    assert len(frequent_sets(Baskets.from_lists(["ab", "a"], [1e-300, 1e300]), huge, method=method)) == 1
    assert len(frequent_sets(baskets, 1, method=method, max_size=huge, limit=huge)) == 3


def test_lists_are_no_baskets():
    with pytest.raises(DataError, match=r"expected Baskets, got list.*from_lists"):
        frequent_sets([["a"]], 0.5)


class Enough(Exception):
    pass


@pytest.mark.parametrize("method", ["eclat", "fp-growth"])
def test_long_work_shows_progress_and_can_be_stopped(method, monkeypatch):
    monkeypatch.setattr(branches, "GLANCE", 1)
    baskets = Baskets.from_table(load_german_credit().X, cuts=3)
    seen = []
    with listen(seen.append):
        frequent_sets(baskets, 0.3, method=method)
    assert seen[-1].state == "finished" and seen[-1].done == seen[-1].total > 10

    def stop(event):
        if event.done > 2:
            raise Enough

    with pytest.raises(Enough), listen(stop):
        frequent_sets(baskets, 0.3, method=method)
