"""Closed and maximal sets tell all others."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.associations.baskets import Baskets
from assay.associations.condensed import closed_sets, condensed, maximal_sets
from assay.associations.frequent_sets import frequent_sets
from assay.errors import ParameterError
from assay.tables.data import load_breast_cancer_ljubljana

few = st.lists(st.sets(st.integers(0, 6)), min_size=1, max_size=20).filter(any)


@settings(max_examples=60, deadline=None)
@given(lists=few, least=st.integers(1, 4))
def test_closed_sets_tell_every_count_and_maximal_ones_every_set(lists, least):
    sets = frequent_sets(Baskets.from_lists(lists), least)
    everything = {frozenset(s.items): s.count for s in sets}
    closed = {frozenset(s.items): s.count for s in closed_sets(sets)}
    assert everything == {
        s: max(c for t, c in closed.items() if t >= s) for s in everything
    }  # the count of the smallest closed set around it is the largest of those around it
    maximal = [s.items for s in maximal_sets(sets)]
    below = {frozenset(t) for s in maximal for k in range(1, len(s) + 1) for t in combinations(s, k)}
    assert below == everything.keys()
    assert set(map(frozenset, maximal)) <= closed.keys()


@pytest.mark.parametrize("kind", ["closed", "maximal"])
@pytest.mark.parametrize("min_support", [0.3, 0.1, 0.05])
def test_found_while_searching_or_afterwards(kind, min_support):
    baskets = Baskets.from_table(load_breast_cancer_ljubljana().X)
    sets = frequent_sets(baskets, min_support)
    after = condensed(sets, kind)
    at_once = frequent_sets(baskets, min_support, kind=kind)
    assert [s.items for s in after] == [s.items for s in at_once]
    assert after.counts.tolist() == at_once.counts.tolist()
    assert after.kind == kind and (kind == "closed" or len(after) < len(sets))


def test_only_of_all_sets():
    closed = frequent_sets(Baskets.from_lists(["ab", "a"]), 1, kind="closed")
    with pytest.raises(ParameterError, match="maximal_sets: expected all frequent sets, got the closed ones"):
        maximal_sets(closed)
