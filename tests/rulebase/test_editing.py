"""Rules changed by hand."""

import pytest

from assay.rulebase.conditions import Condition
from assay.rulebase.rules import Rule, RuleBase
from assay.tables import Column, Schema

SCHEMA = Schema([Column("age"), Column("job", "nominal", ("A", "B"))])
TEXT = "age > 50 => yes\njob = 'A' => no\nage <= 20 => yes\nelse no"
X = {"age": [60.0, 30.0, 10.0, 30.0, 70.0], "job": ["A", "A", "B", "B", "B"]}
Y = ["yes", "no", "yes", "no", "no"]
BASE = RuleBase.parse(TEXT, SCHEMA, ("no", "yes")).measured(X, Y)


def answers(base):
    return [(rule.premise(SCHEMA), rule.answer) for rule in base]


def test_rules_go_come_and_move():
    one, two, three = answers(BASE)
    assert answers(BASE.without(1)) == [one, three] and answers(BASE.without(0, -1)) == [two]
    new = ("age >= 99", "no")
    assert answers(BASE.inserted("age >= 99 => no")) == [one, two, three, new]
    assert answers(BASE.inserted("age >= 99 => no", at=0)) == [new, one, two, three]
    assert answers(BASE.inserted(Rule((Condition(0, 99.0, closed="both"),), "no"), 1)) == [
        one,
        new,
        two,
        three,
    ]
    assert answers(BASE.replaced(1, "age >= 99 => no")) == [one, new, three]
    assert answers(BASE.moved(0, 2)) == [two, three, one] and answers(BASE.moved(-1, 0)) == [three, one, two]
    assert BASE.without(1)[0] == BASE[0]  # with its counts


def test_an_edited_text_keeps_the_counts_of_what_it_leaves():
    text = (
        BASE.text(missing=True, counts=True).replace("age <= 20", "age <= 18").replace("ELSE no", "ELSE yes")
    )
    again = BASE.edited(text)
    assert again[0] == BASE[0] and again[1] == BASE[1] and again[2].n == 0 and again.default == "yes"
    assert BASE.edited(BASE.text(missing=True)) == BASE


def test_wrong_places_and_wrong_rules():
    with pytest.raises(IndexError, match="there is no rule 3; the rules are 0 to 2"):
        BASE.without(3)
    with pytest.raises(ValueError, match="a rule and no default"):
        BASE.inserted("else yes")
    with pytest.raises(IndexError, match="column that is not there"):
        BASE.inserted(Rule((Condition(9),), "yes"))
    with pytest.raises(ValueError, match="none of the classes"):
        BASE.inserted(Rule((), "perhaps"))


def test_rules_of_numbers_take_no_words():
    base = RuleBase.parse("age > 3 => 2\nelse 1", SCHEMA)
    for change in (base.inserted, base.edited, lambda text: base.replaced(0, text)):
        with pytest.raises(ValueError, match="answer with numbers, got 'yes'"):
            change("age > 3 => yes")


def test_whole_numbers_keep_their_counts():
    rule = Rule((Condition(0, low=3.0),), 2, n=4.0, total=9.0)
    base = RuleBase((rule,), SCHEMA, default=1)
    assert base.edited(base.text()).rules == base.rules


def test_equal_rules_are_kept_once():
    base = RuleBase.parse("age > 3 and job = 'A' => no\njob in {A} and age > 3 => no\nage > 3 => no", SCHEMA)
    assert answers(base.distinct()) == [answers(base)[0], answers(base)[2]]


@pytest.mark.capability("DC-36")
def test_a_catch_all_of_the_dominant_class():
    base = RuleBase.parse("age > 50 => yes", SCHEMA, ("no", "yes"))
    assert not base.exhaustive(X)
    full = base.with_default(X, Y)
    assert full.default == "no" and full.default_counts == (2, 1) and full[0].counts == (1, 1)
    assert base.with_default(X, Y, [1, 1, 9, 1, 1]).default == "yes"
    everything = RuleBase.parse("anything => yes", SCHEMA, ("no", "yes")).with_default(X, Y)
    assert everything.default == "no"  # of all rows
    numbers = RuleBase.parse("age > 50 => 7", SCHEMA).with_default(X, [7.0, 1.0, 2.0, 3.0, 7.0])
    assert numbers.default == 2.0


@pytest.mark.capability("DC-39")
def test_orders_by_quality():
    rules = (
        Rule((Condition(0),), "yes", 4, 20, (1, 3), 3),
        Rule((Condition(0, high=1.0), Condition(1, codes=(0,))), "no", 2, 20, (2, 0), 2),
        Rule((Condition(0, high=2.0),), "no", 10, 20, (9, 1), 9),
        Rule((Condition(0, high=3.0),), "yes", 2, 20, (0, 2), 2),
    )
    base = RuleBase(rules, SCHEMA, ("no", "yes"), totals=(13, 7))

    def order(*args, **more):
        return [rules.index(rule) for rule in base.ordered(*args, **more)]

    assert order("support") == [2, 0, 1, 3]
    assert order("confidence") == [3, 1, 2, 0]  # equal confidence and support: fewer conditions
    assert order("accuracy") == [1, 3, 2, 0]
    assert order("laplace") == [2, 1, 3, 0]  # 10/12, 3/4, 3/4, 4/6
    assert order("weighted", weight=1.0) == [2, 0, 1, 3] and order("weighted", weight=0.0) == [1, 3, 2, 0]
    assert order(lambda rule: rule.total - rule.n) == [1, 3, 0, 2]
    assert order("laplace", classes="rare") == [3, 0, 2, 1]  # yes is rarer; rules of a class stand together
    assert order("support", classes="accuracy") == [2, 1, 0, 3]  # no: 11/12, yes: 5/6
    assert order("support", classes=("yes", "no")) == [0, 3, 2, 1]
    assert order("support", classes="mdl", possible=1000) == [0, 3, 2, 1]  # no has one condition more
    with pytest.raises(ValueError, match="rare, accuracy, mdl"):
        base.ordered(classes="loud")
    with pytest.raises(ValueError, match="each of 'no', 'yes'"):
        base.ordered(classes=["no"])
    with pytest.raises(ValueError, match="no classes"):
        RuleBase((), SCHEMA).ordered(classes="rare")
