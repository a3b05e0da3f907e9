"""Rules and rule bases: what they cover, what they answer, how they are told."""

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest

from assay import load, save
from assay.errors import DataError
from assay.rulebase.conditions import Condition, LinearCondition
from assay.rulebase.rules import Rule, RuleBase
from assay.tables import Column, Schema

SCHEMA = Schema([Column("age"), Column("job", "nominal", ("A", "B"))])
OLD, YOUNG = Condition(0, low=38.5), Condition(0, high=38.5)
BASE = RuleBase(
    (Rule((OLD,), "yes", 6, 10, (1, 5), 5), Rule((YOUNG, Condition(1, codes=(0,))), "no", 4, 10, (4, 0), 4)),
    SCHEMA,
    ("no", "yes"),
)
FRAME = pd.DataFrame({"job": ["A", "A", "B", "Z"], "age": [39.0, 38.5, 20.0, 30.0]})


@pytest.mark.capability("IML-9-23")
def test_support_and_accuracy():
    assert [rule.support for rule in BASE] == [0.6, 0.4]
    assert [rule.accuracy for rule in BASE] == [5 / 6, 1.0]
    assert Rule((), 0.5).accuracy is None and Rule((), 0.5).support == 0.0
    assert "support 0.600, accuracy 0.833" in BASE.text(counts=True)
    assert [(rule.coverage, rule.size, rule.laplace) for rule in BASE] == [(6, 1, 6 / 8), (4, 2, 5 / 6)]
    assert [rule.confidence for rule in BASE] == [5 / 6, 1.0] and Rule((), 0.5).laplace is None


def test_the_first_rule_that_covers_a_row_answers():
    assert BASE.covers(FRAME).tolist() == [[True, False], [False, True], [False, False], [False, False]]
    assert BASE.firing(FRAME).tolist() == [0, 1, -1, -1]
    with pytest.raises(DataError, match="no rule covers row 3"):
        BASE.predict(FRAME)
    full = dataclasses.replace(BASE, default="perhaps")
    assert full.predict(FRAME).tolist() == ["yes", "no", "perhaps", "perhaps"]


def test_answers_keep_their_kind():
    assert RuleBase((Rule((), 3),), Schema.numeric(1)).predict([[1.0]]).dtype.kind == "i"
    numbers = RuleBase((Rule((YOUNG,), 1.5),), Schema.numeric(1), default=2.0)
    assert numbers.predict([[0.0], [50.0]]).tolist() == [1.5, 2.0]
    assert RuleBase((), Schema.numeric(1), ("a", "b"), "a").predict([[0.0]]).tolist() == ["a"]


def test_text():
    assert str(BASE) == "R1: IF age > 38.5 THEN yes\nR2: IF age <= 38.5 AND job = 'A' THEN no"
    named = dataclasses.replace(BASE, target="donor", default="no")
    assert str(named).splitlines()[0] == "R1: IF age > 38.5 THEN donor = 'yes'"
    assert str(named).splitlines()[-1] == "ELSE donor = 'no'"
    gone = Rule((Condition(0, high=1.0, missing=True), OLD), "yes")
    assert gone.premise(SCHEMA, missing=True) == "(age <= 1 or missing) AND age > 38.5"
    assert Rule((), "no").premise(SCHEMA) == "anything"


@pytest.mark.capability("IML-9-22")
def test_rules_of_one_class_become_one_disjunction():
    """IML figure 9-1: C1 is (x1 <= w10) or (x1 > w10 and x2 <= w20)."""
    left, right = Condition(0, high=0.5), Condition(0, low=0.5)
    rules = (
        Rule((left,), "C1"),
        Rule((right, Condition(1, high=0.25)), "C1"),
        Rule((right, Condition(1, low=0.25)), "C2"),
    )
    base = RuleBase(rules, Schema([Column("x1"), Column("x2")]), ("C1", "C2"))
    assert base.disjunctions().splitlines() == [
        "IF (x1 <= 0.5) OR (x1 > 0.5 AND x2 <= 0.25) THEN C1",
        "IF x1 > 0.5 AND x2 > 0.25 THEN C2",
    ]
    assert {answer: len(own) for answer, own in base.by_class().items()} == {"C1": 2, "C2": 1}


def test_orders():
    assert [rule.answer for rule in BASE.ordered("accuracy")] == ["no", "yes"]
    assert [rule.answer for rule in BASE.ordered("support")] == ["yes", "no"]
    assert [rule.answer for rule in BASE.ordered("answer")] == ["no", "yes"]
    with pytest.raises(ValueError, match="support, accuracy, confidence, laplace, weighted, answer"):
        BASE.ordered("beauty")


def test_measured_on_other_rows():
    again = BASE.measured(FRAME.iloc[:3], ["yes", "yes", "no"], [1.0, 2.0, 1.0])
    assert [rule.n for rule in again] == [1.0, 2.0]
    assert [rule.accuracy for rule in again] == [1.0, 0.0]
    assert again[1].counts == (0.0, 2.0)
    numbers = RuleBase((Rule((YOUNG,), 1.0),), Schema.numeric(1)).measured(
        [[0.0], [1.0], [99.0]], [0.0, 2.0, 7.0]
    )
    assert numbers[0].error == 1.0 and numbers[0].support == pytest.approx(2 / 3)
    assert "error 1" in numbers.text(counts=True)
    with pytest.raises(DataError, match="3 rows, y has 2"):
        BASE.measured(FRAME.iloc[:3], ["yes", "no"])


def test_json_holds_all_of_it():
    base = RuleBase(
        (
            Rule(
                (Condition(0, 1.0, 2.0, "both", None, True), LinearCondition(((0, 0.5),), high=3.0)),
                np.int64(1),
                2,
                4,
            ),
            Rule((Condition(1, codes=(1,)),), 0),
        ),
        SCHEMA,
        (0, 1),
        0,
    )
    told = json.loads(base.to_json())
    assert told["rules"][0]["if"] == [
        {"column": "age", "above": 1.0, "up to": 2.0, "closed": "both", "missing": True},
        {"weights": {"age": 0.5}, "up to": 3.0},
    ]
    assert told["rules"][1]["if"] == [{"column": "job", "in": ["B"]}]
    assert told["rules"][0]["then"] == 1 and told["rules"][0]["support"] == 0.5 and told["default"] == 0


def test_rules_survive_a_file(tmp_path):
    path = tmp_path / "rules.assay"
    save(BASE, path)
    assert load(path) == BASE


def test_a_missing_value_is_covered_only_where_a_condition_says_so():
    base = RuleBase(
        (Rule((dataclasses.replace(OLD, missing=True),), "yes"), Rule((YOUNG,), "no")), SCHEMA, ("no", "yes")
    )
    assert base.predict({"age": [math.nan, 1.0], "job": ["A", "B"]}).tolist() == ["yes", "no"]


def test_labels_that_no_rule_names_are_answered_whole():
    """Class counts can add up to a class without a rule; its label may be longer than all that are named."""
    rule = Rule((), "no", n=10.0, total=10.0, counts=(1.0, 9.0), correct=1.0)
    base = RuleBase((rule,), Schema.numeric(1), ("no", "certainly"), "no", policy="counts")
    assert base.predict([[1.0]]).tolist() == ["certainly"]


def test_labels_of_several_kinds_stay_what_they_are():
    base = RuleBase.parse("x0 > 1 => x\nelse 1", Schema.numeric(1), [1, "x"])
    assert base.predict([[2.0], [0.0]]).tolist() == ["x", 1]
