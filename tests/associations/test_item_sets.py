"""Item sets: order, looking up, choosing, frames."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.associations._item_sets as _item_sets
from assay.associations.baskets import Baskets
from assay.associations.collector import Collector
from assay.associations.frequent_sets import frequent_sets
from assay.associations.item_sets import ItemSets
from assay.errors import DataError, ParameterError

SETS = frequent_sets(Baskets.from_lists(["abc", "abd", "ab", "c"]), 1)


def flat(sets):
    return np.cumsum([0, *map(len, sets)]).astype(np.int64), np.array([c for s in sets for c in s], np.int32)


collections = st.sets(st.frozensets(st.integers(0, 7), min_size=1, max_size=5), max_size=40).map(
    lambda sets: [tuple(sorted(s)) for s in sets]
)


@settings(max_examples=60, deadline=None)
@given(sets=collections, seed=st.integers(0, 99))
def test_order_is_size_then_count_then_items(sets, seed):
    counts = np.random.default_rng(seed).integers(1, 4, len(sets))
    result = Collector(100, lambda n: None)
    for s, c in zip(sets, counts):
        result.add(np.array(s, np.int32), np.array([len(s)], np.int32), np.array([c]))
    indptr, indices, ordered = result.in_order()
    wanted = sorted(zip(sets, counts.tolist()), key=lambda pair: (len(pair[0]), -pair[1], pair[0]))
    assert [tuple(indices[a:b].tolist()) for a, b in pairwise(indptr)] == [s for s, _ in wanted]
    assert ordered.tolist() == [c for _, c in wanted]


@settings(max_examples=60, deadline=None)
@given(sets=collections, queries=collections)
def test_lookup_is_that_of_a_dict(sets, queries):
    place = np.empty(len(queries), np.int64)
    _item_sets.lookup(*flat(sets), *flat(queries), place)
    known = {s: i for i, s in enumerate(sets)}
    assert place.tolist() == [known.get(q, -1) for q in queries]


def test_counts_of_sets():
    assert SETS.count_of("b", "a") == 3 and SETS.count_of("a", "a") == 3
    assert SETS.count_of("c", "d") is None
    assert SETS.count_of() == 4
    with pytest.raises(ParameterError, match="there is no item 'x'"):
        SETS.count_of("x")


def test_choosing():
    assert [s.items for s in SETS.containing("c")] == [("c",), ("a", "c"), ("b", "c"), ("a", "b", "c")]
    assert [s.items for s in SETS.containing("c", "b").of_size(3)] == [("a", "b", "c")]
    assert len(SETS.containing()) == len(SETS)
    assert SETS[-1].items == ("a", "b", "d") and [s.items for s in SETS[:2]] == [("a",), ("b",)]
    assert SETS[0].support == 0.75 and SETS.supports[0] == 0.75
    with pytest.raises(IndexError):
        SETS[99]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames(library):
    frame = SETS.to_frame(library)
    columns = frame if library == "pandas" else frame.to_pandas()
    assert list(columns) == ["support", "count", "size", "items"]
    assert [tuple(v) for v in columns["items"]] == [s.items for s in SETS]
    assert columns["count"].tolist() == SETS.counts.tolist()


def test_frame_of_names_of_several_kinds_and_of_nothing():
    mixed = frequent_sets(Baskets.from_lists([["a", 1], [1, (2, 3)]]), 1)
    assert set(mixed.to_frame()["items"]) == {("a",), (1,), ((2, 3),), (1, "a"), (1, (2, 3))}
    assert mixed.to_frame("pyarrow")["items"].to_pylist()[0] == ["1"]
    nothing = frequent_sets(Baskets.from_lists(["a", "b"]), 2).to_frame()
    assert isinstance(nothing, pd.DataFrame) and len(nothing) == 0
    with pytest.raises(ParameterError, match="library"):
        SETS.to_frame("excel")


def test_print():
    assert repr(SETS).startswith(
        "11 item sets in at least 1 of 4 baskets\n  support  count  items\n    0.750      3  a\n"
    )
    many = frequent_sets(Baskets.from_lists(["abcde"]), 1, kind="all")
    assert repr(many).endswith("... and 11 more")
    assert repr(frequent_sets(Baskets.from_lists(["a", "b"]), 2)) == "0 item sets in at least 2 of 2 baskets"
    assert "1 maximal item set " in repr(frequent_sets(Baskets.from_lists(["ab"]), 1, kind="maximal"))


@pytest.mark.parametrize(("indptr", "indices"), [([0, 2], [0]), ([0, 1], [5]), ([0, 1], [-1]), ([1, 1], [0])])
def test_damaged_arrays_are_refused(indptr, indices):
    with pytest.raises(DataError, match="do not fit"):
        ItemSets(("a",), np.array(indptr), np.array(indices, np.int32), np.array([1]), 1)


@pytest.mark.parametrize(("last", "most"), [(3, 2), (100, 10**6), (2**30, 2**52), (2**31 - 1, 2**62)])
def test_order_of_codes_and_counts_of_any_width(last, most):
    """Codes and counts are packed into two words as far as they fit; the rest is compared item by item."""
    rng = np.random.default_rng(last % 97)
    heads = [(), (0, 1, 2), (0, 1, 3)]
    sets = {
        tuple(sorted({*heads[k % 3], *rng.integers(0, last + 1, k % 40 + 1).tolist()})) for k in range(400)
    }
    sets = [sets.pop() for _ in range(len(sets))]
    counts = rng.choice([1, most // 2, most], len(sets))
    order = np.empty(len(sets), np.int64)
    _item_sets.in_order(*flat(sets), counts, order)
    wanted = sorted(range(len(sets)), key=lambda i: (len(sets[i]), -counts[i], sets[i]))
    assert order.tolist() == wanted
