"""Cross-selling lists and next items: the book's customers, and offers against plain search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay.associations.cross_selling  # noqa: F401  (the room lists a function of that name)
from assay.associations import Baskets, association_rules, frequent_sets
from assay.associations.cross_selling import cross_selling, cross_selling_targets
from assay.associations.next_items import next_items
from assay.errors import DataError, ParameterError

EXERCISE = [
    ["milk", "bananas", "chocolate"],
    ["milk", "chocolate"],
    ["milk", "bananas"],
    ["chocolate"],
    ["chocolate"],
    ["milk", "chocolate"],
]


@pytest.fixture
def baskets():
    return Baskets.from_lists(EXERCISE, ids=range(1, 7))


@pytest.fixture
def rules(baskets):
    return association_rules(frequent_sets(baskets, 2), 0.5)


@pytest.mark.capability("IML-1-03")
def test_milk_buyers_without_bananas(baskets, rules):
    """IML exercise 3.7 data: transactions 2 and 6."""
    assert cross_selling_targets(baskets, "milk", "bananas") == [2, 6]
    offers = cross_selling(
        baskets, rules.about("milk", side="antecedent").about("bananas", side="consequent")
    )
    assert [offer["customer"] for offer in (offers[i] for i in range(len(offers)))] == [2, 6]
    assert offers[0] == {
        "customer": 2,
        "offer": ("bananas",),
        "because": ("milk",),
        "confidence": 0.5,
        "gain": 0.5,
    }


@pytest.mark.capability("IML-1-03")
def test_offers_are_ranked_by_what_is_to_be_gained(baskets, rules):
    plain = cross_selling(baskets, rules)
    assert [plain[i]["customer"] for i in range(len(plain))] == [3, 4, 5, 2, 6]
    dear = cross_selling(baskets, rules, value={"bananas": 10.0})
    assert [dear[i]["customer"] for i in range(2)] == [2, 6]
    assert dear.gain.tolist() == sorted(dear.gain.tolist(), reverse=True)
    assert len(cross_selling(baskets, rules, min_gain=0.7)) == 1
    assert plain.of(4)[0]["offer"] == ("milk",) and len(plain.of(1)) == 0
    assert plain.to_frame().shape == (5, 5)
    assert str(plain).startswith("5 offers for 5 customers")


lists = st.lists(st.lists(st.sampled_from("abcd"), max_size=4), min_size=2, max_size=12).filter(any)


@settings(max_examples=50, deadline=None)
@given(lists, st.sampled_from([None, 1, 2]))
def test_offers_against_plain_search(lists, most):
    baskets = Baskets.from_lists(lists)
    rules = association_rules(frequent_sets(baskets, 1), 0.3)
    value = {name: v for name, v in zip("abcd", (1.0, 2.5, 0.5, 4.0)) if name in baskets.items}
    result = cross_selling(baskets, rules, value=value, most=most)
    best = {}
    for row, had in enumerate(map(set, lists)):
        for rule in rules:
            if set(rule.antecedent) <= had and not set(rule.consequent) <= had:
                gain = rule.confidence * sum(value[name] for name in rule.consequent if name not in had)
                key = row, rule.consequent
                best[key] = max(best.get(key, 0), gain)
    expected = []
    for row in range(len(lists)):
        mine = sorted((gain for (r, _), gain in best.items() if r == row), reverse=True)
        expected += mine[:most]
    np.testing.assert_allclose(result.gain, sorted(expected, reverse=True), rtol=1e-12)


def test_many_offers_are_thinned_on_the_way(baskets, rules, monkeypatch):
    import sys

    whole = cross_selling(baskets, rules).to_frame()
    monkeypatch.setattr(sys.modules["assay.associations.cross_selling"], "PRUNE", 1)
    assert cross_selling(baskets, rules).to_frame().equals(whole)


def test_other_customers_than_those_of_the_rules(rules):
    new = Baskets.from_lists([["milk", "beer"], ["beer"]], ids=["Ann", "Bob"])
    offers = cross_selling(new, rules, most=1)
    assert [(o["customer"], o["offer"]) for o in (offers[i] for i in range(len(offers)))] == [
        ("Ann", ("chocolate",))
    ]


def test_next_items_of_a_basket(rules):
    told = next_items(rules, ["milk", "beer"])
    assert [(one.item, one.score) for one in told] == [("chocolate", 0.75), ("bananas", 0.5)]
    assert told[0].because == "75 per cent of customers who buy milk also buy chocolate"
    assert [one.item for one in next_items(rules, ["milk"], by="lift")] == ["bananas", "chocolate"]
    assert [one.item for one in next_items(rules, ["milk"], by="fisher_p")] == ["bananas", "chocolate"]
    assert next_items(rules, ["beer"]) == [] and len(next_items(rules, ["milk"], n=1)) == 1
    assert next_items(rules, ["milk", "bananas", "chocolate"]) == []


@settings(max_examples=40, deadline=None)
@given(lists, st.sets(st.sampled_from("abcd")))
def test_next_items_against_plain_search(lists, had):
    rules = association_rules(frequent_sets(Baskets.from_lists(lists), 1), 0.2)
    best = {}
    for rule in rules:
        if set(rule.antecedent) <= had:
            for name in set(rule.consequent) - had:
                best[name] = max(best.get(name, 0), rule.confidence)
    told = next_items(rules, had, n=None)
    assert {one.item: one.score for one in told} == best
    assert [one.score for one in told] == sorted(best.values(), reverse=True)


def test_what_cannot_be_asked_is_said(baskets, rules):
    with pytest.raises(ParameterError, match="most must be a whole number from 1 up or None, got 0"):
        cross_selling(baskets, rules, most=0)
    with pytest.raises(DataError, match="value of 'milk' must be a finite number"):
        cross_selling(baskets, rules, value={"milk": float("nan")})
    with pytest.raises(ParameterError, match="there is no item 'beer'"):
        cross_selling_targets(baskets, "beer", "milk")
