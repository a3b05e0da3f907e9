"""A table of rules: chosen, told, tested, written and read."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import fisher_exact

import assay
from assay.associations import Baskets, association_rules, frequent_sets
from assay.associations.redundancy import improvement_p, redundant
from assay.associations.rule_table import AssociationRules
from assay.errors import DataError, ParameterError


@pytest.fixture
def rules():
    rng = np.random.default_rng(0)
    held = rng.random((300, 6)) < 0.35
    held[:, 1] |= held[:, 0] & (rng.random(300) < 0.7)  # a brings b
    return association_rules(frequent_sets(Baskets.from_wide(held, items=list("abcdef")), 10), 0.3)


@pytest.mark.capability("IML-1-02")
def test_a_rule_is_a_sentence():
    baskets = Baskets.from_lists([["beer", "chips"]] * 7 + [["beer"]] * 3 + [["tea", "milk", "sugar"]])
    rules = association_rules(frequent_sets(baskets, 1), 0.5)
    assert rules.about("beer", side="antecedent").sentences() == [
        "70 per cent of customers who buy beer also buy chips"
    ]
    told = rules.about("milk", "sugar", side="antecedent").sentence(0)
    assert told == "100 per cent of customers who buy milk and sugar also buy tea"
    assert (
        rules.about("beer", side="antecedent")
        .sentence(0, "guests", "order")
        .startswith("70 per cent of guests")
    )


def test_choosing_keeps_rules_and_counts_together(rules):
    top = rules.sorted("lift")[:5]
    assert len(top) == 5 and (np.diff(rules.sorted("lift").lift) <= 0).all()
    assert (np.diff(rules.sorted("fisher_p").measure("fisher_p")) >= 0).all()
    assert (np.diff(rules.sorted("support", ascending=True).support) >= 0).all()
    some = rules.filter(lift=1.1, confidence=(0.4, 0.6))
    assert (
        len(some)
        and (some.lift >= 1.1).all()
        and (some.confidence <= 0.6).all()
        and (some.confidence >= 0.4).all()
    )
    keep = (rules.lift >= 1.1) & (rules.confidence >= 0.4) & (rules.confidence <= 0.6)
    assert len(some) == keep.sum()
    assert set(map(str, rules.about("a", side="consequent"))) == {
        str(r) for r in rules if "a" in r.consequent
    }
    assert {str(r) for r in rules.about("a", "b")} == {
        str(r) for r in rules if {"a", "b"} <= {*r.antecedent, *r.consequent}
    }


def test_one_rule_and_all_say_the_same(rules):
    for i in (0, 3, -1):
        one = rules[i]
        assert one.confidence == rules.confidence[i] and one.lift == rules.lift[i]
        assert one.count == rules.xy[i] and (one.antecedent, one.consequent) == rules.sides(
            range(len(rules))[i]
        )
    with pytest.raises(IndexError):
        rules[len(rules)]


lists = st.lists(st.lists(st.sampled_from("abcde"), max_size=5), min_size=1, max_size=12).filter(any)


@settings(max_examples=60, deadline=None)
@given(lists, st.sampled_from([0.0, 0.4, 0.8]), st.sampled_from([0.0, 0.15]))
def test_redundant_rules_are_those_with_a_more_general_one(baskets, sure, more):
    rules = association_rules(frequent_sets(Baskets.from_lists(baskets), 1), sure)
    told = [(set(r.antecedent), r.consequent, r.confidence) for r in rules]
    expected = [
        any(y == v and a < x and (c <= d + 1e-12 or c - d < more - 1e-12) for a, v, d in told)
        for x, y, c in told
    ]
    assert redundant(rules, more).tolist() == expected
    assert len(rules.irredundant(more)) == expected.count(False)


def test_p_values_are_fishers_adjusted_for_all_possible_rules(rules):
    i = 7
    xy, x, y, n = int(rules.xy[i]), int(rules.x[i]), int(rules.y[i]), rules.n
    table = [[xy, x - xy], [y - xy, n - x - y + xy]]
    assert_allclose(rules.p_values(None)[i], fisher_exact(table, "greater").pvalue, rtol=1e-8)
    smallest = np.argmin(rules.p_values(None))
    assert rules.tested > len(rules)
    assert_allclose(rules.p_values()[smallest], min(1, rules.tested * rules.p_values(None)[smallest]))
    assert (rules.p_values("bh") <= rules.p_values("holm") + 1e-15).all()
    assert (
        len(rules.significant(0.05))
        <= len(rules.significant(0.05, "bh"))
        <= len(rules.significant(0.05, None))
    )


def test_only_what_was_planted_is_significant(rules):
    """a brings b; everything else was drawn independently."""
    result = rules.significant(0.01)
    assert len(result) and all({"a", "b"} <= {*r.antecedent, *r.consequent} for r in result)


def test_chance_alone_is_rarely_called_significant():
    """Twenty sets of independent items: Holm at 0.05 errs in about one of them."""
    wrong = 0
    for seed in range(20):
        held = np.random.default_rng(seed).random((200, 8)) < 0.3
        rules = association_rules(frequent_sets(Baskets.from_wide(held, items=list("abcdefgh")), 8), 0.2)
        wrong += len(rules.significant(0.05)) > 0
        assert len(rules.significant(0.05, None)) > 0
    assert wrong <= 3


@settings(max_examples=30, deadline=None)
@given(lists)
def test_every_item_of_a_productive_rule_is_tested_among_baskets_with_the_others(lists):
    """The twin: SciPy's test for each item that is left out, counted basket by basket."""
    rules = association_rules(frequent_sets(Baskets.from_lists(lists), 1), 0.5)
    baskets = [set(one) for one in lists]
    for rule, p in zip(rules, improvement_p(rules)):
        result = []
        for item in rule.antecedent:
            inside = [b for b in baskets if set(rule.antecedent) - {item} <= b]
            table = np.zeros((2, 2))
            for b in inside:
                table[int(item not in b), int(not set(rule.consequent) <= b)] += 1
            result.append(fisher_exact(table, "greater").pvalue)
        assert_allclose(p, max(result), rtol=1e-8)


def test_only_what_was_planted_is_productive(rules):
    """a brings b; that a third item is there as well adds nothing to it."""
    assert {str(rule) for rule in rules.productive(0.01) if len(rule.consequent) == 1} == {"a -> b", "b -> a"}
    assert len(rules.significant(0.01)) > 2
    with pytest.raises(DataError, match="measured in other baskets"):
        rules.measured(Baskets.from_lists([["a", "b"]])).productive()


def test_measured_on_the_same_baskets_nothing_changes_but_what_was_tested():
    rng = np.random.default_rng(2)
    baskets = Baskets.from_wide(rng.random((150, 5)) < 0.4, items=list("vwxyz"))
    rules = association_rules(frequent_sets(baskets, 5), 0.3)
    again = rules.measured(baskets)
    for name in ("xy", "x", "y"):
        assert_array_equal(getattr(again, name), getattr(rules, name))
    assert again.tested == len(rules) < rules.tested
    other = rules.measured(Baskets.from_lists([["x", "y"], ["z", "new"]]))
    assert other.n == 2 and other.xy.max() == 1
    with pytest.raises(DataError, match="no baskets to measure the rules in"):
        rules.measured(baskets[:0])


def test_frames_of_three_libraries(rules):
    frame = rules.to_frame(measures=["support", "lift", "p_adjusted"])
    assert list(frame.columns) == ["antecedent", "consequent", "count", "support", "lift", "p_adjusted"]
    assert isinstance(frame, pd.DataFrame) and frame["antecedent"][0] == rules[0].antecedent
    for library in ("polars", "pyarrow"):
        other = rules.to_frame(library)
        assert len(other) == len(rules)
        assert list(
            other["consequent"].to_pylist() if library == "pyarrow" else other["consequent"].to_list()
        ) == [list(r.consequent) for r in rules]
    with pytest.raises(ParameterError, match="library must be one of"):
        rules.to_frame("excel")
    with pytest.raises(ParameterError, match="got 'surprise'"):
        rules.to_frame(measures=["surprise"])


def test_json_reads_back_as_the_same_rules(rules):
    text = rules.to_json()
    again = AssociationRules.from_dict(json.loads(text))
    assert again.to_dict() == rules.to_dict()
    assert repr(again) == repr(rules)
    assert_array_equal(redundant(again), redundant(rules))
    none = rules.filter(lift=100)
    assert repr(AssociationRules.from_dict(none.to_dict())) == repr(none) == "0 rules of 300 baskets"
    sure = association_rules(frequent_sets(Baskets.from_lists(["ab"] * 2 + ["c"]), 1), 1.0)
    assert json.loads(sure.to_json())["rules"][0]["conviction"] is None  # infinite


@pytest.mark.parametrize(
    "data", [{}, [], {"format": "assay association rules 1", "rules": [{}], "n": 1, "tested": 1}]
)
def test_other_data_are_refused(data):
    with pytest.raises(DataError, match="AssociationRules"):
        AssociationRules.from_dict(data)


def test_names_are_escaped_in_html():
    rules = association_rules(frequent_sets(Baskets.from_lists([["<b>", "c & d"]] * 2), 1), 0.5)
    page = rules.to_html()
    assert "<b>" not in page and "&lt;b&gt;" in page and "c &amp; d" in page
    assert "... and 1 more" in rules.to_html(most=1)


def test_print_counts_what_it_does_not_show(rules):
    lines = repr(rules).splitlines()
    assert lines[0] == f"{len(rules)} rules of 300 baskets"
    assert lines[-1] == f"  ... and {len(rules) - 20} more"


def test_rules_survive_files(rules, tmp_path):
    assay.save(rules, tmp_path / "rules.assay")
    again = assay.load(tmp_path / "rules.assay")
    assert repr(again) == repr(rules) and again.tested == rules.tested


def test_arrays_that_do_not_fit_are_refused(rules):
    with pytest.raises(DataError, match="numbers of sets"):
        AssociationRules(
            rules.sets, rules.antecedents + 10_000, rules.consequents, rules.xy, rules.x, rules.y, 300
        )
    with pytest.raises(DataError, match="do not fit together"):
        AssociationRules(
            rules.sets, rules.antecedents, rules.consequents[1:], rules.xy, rules.x, rules.y, 300
        )
    with pytest.raises(ParameterError, match="side must be"):
        rules.about("a", side="left")


def test_a_tenth_more_is_enough_where_a_tenth_more_is_asked_for():
    """a -> y holds in 7 of 10 baskets, a, b -> y in 4 of 5: 0.8 - 0.1 is a little more than 0.7 in the machine."""
    lists = [["a", "b", "y"]] * 4 + [["a", "b"]] + [["a", "y"]] * 3 + [["a"]] * 2 + [["b"]] * 5
    rules = association_rules(frequent_sets(Baskets.from_lists(lists), 1), 0.5, consequent=["y"])
    assert "a, b -> y" in map(str, rules.irredundant(0.1))
    assert "a, b -> y" not in map(str, rules.irredundant(0.11))


def test_confidences_that_differ_by_rounding_are_equal():
    weights = np.random.default_rng(0).random(60)
    lists = [["a", "b", "c", "y"] if i % 3 else ["a", "y"] for i in range(60)]
    rules = association_rules(frequent_sets(Baskets.from_lists(lists, weights=weights), 0.01), 0.9)
    assert {str(rule) for rule in rules.irredundant() if rule.consequent == ("y",)} == {
        "a -> y",
        "b -> y",
        "c -> y",
    }
