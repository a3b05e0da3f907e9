"""Rules from frequent sets: the book's numbers, all rules and no others, and the pruning of right sides."""

import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.associations import Baskets, frequent_sets
from assay.associations.association_rules import association_rules
from assay.associations.set_hashes import SetHashes
from assay.core.progress import listen
from assay.errors import DataError, ParameterError

# IML exercise 3.7
EXERCISE = [
    ["milk", "bananas", "chocolate"],
    ["milk", "chocolate"],
    ["milk", "bananas"],
    ["chocolate"],
    ["chocolate"],
    ["milk", "chocolate"],
]


def by_brute_force(lists, min_count, min_confidence, max_consequent=None, right=None, left=None):
    """Every set, every way to part it; counted by looking into each basket."""
    baskets = [frozenset(one) for one in lists]
    items = sorted(set().union(*baskets))

    def count(names):
        return sum(set(names) <= basket for basket in baskets)

    result = {}
    for k in range(2, len(items) + 1):
        for whole in combinations(items, k):
            if count(whole) < min_count:
                continue
            for h in range(1, min(k - 1, max_consequent or k) + 1):
                for y in combinations(whole, h):
                    x = tuple(name for name in whole if name not in y)
                    fits = (right is None or set(y) <= set(right)) and (left is None or set(x) <= set(left))
                    if fits and count(whole) / count(x) >= min_confidence - 1e-12:
                        result[x, y] = (count(whole), count(x), count(y))
    return result


def as_dict(rules):
    return {
        rules.sides(i): (rules.xy[i].item(), rules.x[i].item(), rules.y[i].item()) for i in range(len(rules))
    }


@pytest.mark.capability("IML-3-09", "IML-3-12")
def test_rules_of_the_exercise():
    rules = association_rules(frequent_sets(Baskets.from_lists(EXERCISE), 2), 0.0)
    table = {(r.antecedent[0], r.consequent[0]): (r.support, r.confidence, r.lift) for r in rules}
    assert_allclose(table["milk", "bananas"], (2 / 6, 2 / 4, 1.5), rtol=1e-12)
    assert_allclose(table["bananas", "milk"], (2 / 6, 2 / 2, 1.5), rtol=1e-12)
    assert_allclose(table["milk", "chocolate"], (3 / 6, 3 / 4, 0.9), rtol=1e-12)
    assert_allclose(table["chocolate", "milk"], (3 / 6, 3 / 5, 0.9), rtol=1e-12)
    assert len(rules) == 4 == rules.tested


lists = st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=14).filter(any)


@pytest.mark.capability("IML-3-12")
@settings(max_examples=60, deadline=None)
@given(
    lists, st.integers(1, 3), st.sampled_from([0.0, 0.3, 0.5, 2 / 3, 0.7, 1.0]), st.sampled_from([None, 1, 2])
)
def test_the_same_rules_as_brute_force(baskets, least, sure, most):
    sets = frequent_sets(Baskets.from_lists(baskets), least)
    rules = association_rules(sets, sure, max_consequent=most)
    assert as_dict(rules) == by_brute_force(baskets, least, sure, most)
    assert rules.tested == len(by_brute_force(baskets, least, 0.0, most))


@settings(max_examples=40, deadline=None)
@given(lists, st.sets(st.sampled_from("abcdef")), st.sets(st.sampled_from("abcdef")))
def test_sides_may_be_restricted(baskets, right, left):
    sets = frequent_sets(Baskets.from_lists(baskets), 1)
    right, left = ({name for name in side if name in sets.items} for side in (right, left))
    rules = association_rules(sets, 0.4, consequent=right, antecedent=left)
    assert as_dict(rules) == by_brute_force(baskets, 1, 0.4, None, right, left)
    assert rules.tested == len(by_brute_force(baskets, 1, 0.0, None, right, left))


@pytest.mark.capability("IML-3-12")
@settings(max_examples=50, deadline=None)
@given(lists)
def test_an_item_moved_to_the_right_never_raises_the_confidence(baskets):
    """IML exercise 3.9: conf(ABC -> D) >= conf(AB -> CD)."""
    rules = association_rules(frequent_sets(Baskets.from_lists(baskets), 1), 0.0)
    confidence = {rules.sides(i): c for i, c in enumerate(rules.confidence.tolist())}
    for (x, y), c in confidence.items():
        for moved in x:
            rest = tuple(name for name in x if name != moved)
            if rest:
                assert c >= confidence[rest, tuple(sorted((*y, moved)))] - 1e-12


def test_rules_are_sorted_by_confidence_then_support():
    rng = np.random.default_rng(0)
    baskets = Baskets.from_wide(rng.random((200, 8)) < 0.5, items=list("abcdefgh"))
    rules = association_rules(frequent_sets(baskets, 20), 0.3)
    keys = list(zip(-rules.confidence, -rules.support))
    assert keys == sorted(keys) and len(rules) > 100


def test_chunks_do_not_change_the_rules(monkeypatch):
    rng = np.random.default_rng(1)
    sets = frequent_sets(Baskets.from_wide(rng.random((100, 8)) < 0.5, items=list("abcdefgh")), 10)
    whole = as_dict(association_rules(sets, 0.4))
    module = sys.modules["assay.associations.association_rules"]  # the room lists a function of that name
    monkeypatch.setattr(module, "CHUNK", 3)
    assert as_dict(association_rules(sets, 0.4)) == whole


def test_weights_count_as_repeated_baskets():
    weights = [1, 2, 3, 1, 2, 1]
    repeated = [one for one, w in zip(EXERCISE, weights) for _ in range(w)]
    ours = association_rules(frequent_sets(Baskets.from_lists(EXERCISE, weights=weights), 0.2), 0.3)
    peer = association_rules(frequent_sets(Baskets.from_lists(repeated), 0.2), 0.3)
    assert as_dict(ours) == as_dict(peer)


def test_a_confidence_at_the_threshold_is_enough():
    baskets = Baskets.from_lists([["beer", "chips"]] * 7 + [["beer"]] * 3)
    assert len(association_rules(frequent_sets(baskets, 1), 0.7).about("beer", side="antecedent")) == 1


def test_least_lift():
    sets = frequent_sets(Baskets.from_lists(EXERCISE), 2)
    assert {str(r) for r in association_rules(sets, 0.0, min_lift=1.5)} == {
        "milk -> bananas",
        "bananas -> milk",
    }


def test_no_sets_give_no_rules():
    rules = association_rules(frequent_sets(Baskets.from_lists([["a"], ["b"]]), 1), 0.5)
    assert len(rules) == 0 == rules.tested
    assert str(rules) == "0 rules of 2 baskets"


def test_sets_without_their_parts_are_refused():
    closed = frequent_sets(Baskets.from_lists(["abc"] * 3), 1, kind="closed")
    with pytest.raises(DataError, match="a part is not among the sets"):
        association_rules(closed)


def test_too_many_rules_are_refused_before_memory_is_full():
    sets = frequent_sets(Baskets.from_lists(["abcdefgh"] * 3), 1)
    with pytest.raises(
        DataError, match=r"more than 100 rules have a confidence of 0.5. Raise min_confidence"
    ):
        association_rules(sets, 0.5, limit=100)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"min_confidence": 1.5}, "min_confidence must be a number from 0 to 1, got 1.5"),
        ({"max_consequent": 0}, "max_consequent must be"),
        ({"consequent": ["beer"]}, "there is no item 'beer'"),
    ],
)
def test_what_cannot_be_asked_is_said(options, text):
    sets = frequent_sets(Baskets.from_lists(EXERCISE), 2)
    with pytest.raises(ParameterError, match=text):
        association_rules(sets, **options)
    with pytest.raises(ParameterError, match="expected the sets that frequent_sets finds, got a list"):
        association_rules([("a", "b")])


def test_progress_is_reported_and_can_stop_the_work():
    sets = frequent_sets(Baskets.from_lists(EXERCISE), 1)
    seen = []
    with listen(seen.append):
        association_rules(sets, 0.1)
    assert any(event.description == "rules" for event in seen)


@settings(max_examples=40, deadline=None)
@given(lists)
def test_hashes_find_every_set_and_nothing_else(baskets):
    """The twin: a dictionary of tuples."""
    sets = frequent_sets(Baskets.from_lists(baskets), 1)
    hashes = SetHashes(sets)
    place = {one.items: s for s, one in enumerate(sets)}
    assert hashes.find(hashes.of_sets).tolist() == list(range(len(sets)))
    items = list(sets.items)
    for pair in combinations(items, 2):
        asked = hashes.of_items[:, [items.index(name) for name in pair]].sum(axis=1, keepdims=True)
        assert hashes.find(asked)[0] == place.get(pair, -1)
