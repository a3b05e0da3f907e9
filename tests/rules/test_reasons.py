"""Why rules answer as they do, in words."""

from dataclasses import replace

import numpy as np

from assay.rulebase.rules import RuleBase
from assay.rules import OneRClassifier
from assay.rules.reasons import rule_reasons
from assay.tables import Column, Schema
from assay.tables.data import load_weather

SCHEMA = Schema([Column("age"), Column("job", "nominal", ("A", "B"))])
BASE = RuleBase.parse("age > 50 and job = 'A' => yes\nage > 20 => no\nelse yes", SCHEMA, ("no", "yes"))
X = {"age": [60.0, 30.0, 10.0, 70.0], "job": ["A", "A", "B", "B"]}
BASE = BASE.measured(X, ["yes", "no", "yes", "yes"])


def rows(section):
    return [" | ".join(map(str, row)) for row in section.rows]


def test_the_rules_that_hold_and_the_one_that_decides():
    holding, other = rule_reasons(BASE, np.array([[60.0, 0.0]])).sections(0)
    assert holding.title == "Rules that hold" and holding.columns == [
        "rule",
        "if",
        "then",
        "rows",
        "no",
        "yes",
    ]
    assert rows(holding) == [
        "R1 | age > 50 | yes | 1.0 | 0.0 | 1.0",
        " | AND job = 'A' |  |  |  | ",
        "R2 | age > 20 | no | 2.0 | 1.0 | 1.0",
    ]
    assert holding.note == "R1 decides: it stands first."
    assert other.title == "Another answer if" and rows(other) == ["no | 20 < age <= 50 | 60"]


def test_the_default():
    holding, other = rule_reasons(BASE, np.array([[10.0, np.nan]])).sections(0)
    assert (
        rows(holding) == ["ELSE | no rule holds | yes | 1.0 | 0.0 | 1.0"]
        and holding.note == "The default answers."
    )
    assert rows(other) == ["no | age > 20 | 10"]


def test_no_rule_and_no_default():
    base = replace(BASE, default=None)
    holding, other = rule_reasons(base, np.array([[10.0, np.nan]])).sections(0)
    assert (
        rows(holding) == ["ELSE | no rule holds |  | 1.0 | 0.0 | 1.0"]
        and holding.note == "There is no default."
    )
    assert rows(other) == ["no | age > 20 | 10"]  # of all rows most are yes
    numbers = RuleBase.parse("age > 50 => 7", SCHEMA)
    assert rows(rule_reasons(numbers, np.array([[10.0, 0.0]])).sections(0)[1]) == ["7 | age > 50 | 10"]


def test_changes_of_several_columns():
    base = RuleBase.parse("age > 50 and job = 'A' => yes\nelse no", SCHEMA, ("no", "yes"))
    _, other = rule_reasons(base, np.array([[np.nan, 1.0]])).sections(0)
    assert rows(other) == ["yes | age > 50 | missing", " | job = 'A' | 'B'"]
    assert other.note == "All changes of an answer together; the rest of the row stays."


def test_votes_are_reported():
    row = np.array([[60.0, 0.0]])
    assert rule_reasons(replace(BASE, policy="votes"), row).sections(0)[0].note == "They vote: no 1, yes 1."
    assert (
        "weighted by confidence: no 0.5, yes 0.6667."
        in rule_reasons(replace(BASE, policy="confidence"), row).sections(0)[0].note
    )
    assert (
        "class counts: no 1, yes 2." in rule_reasons(replace(BASE, policy="counts"), row).sections(0)[0].note
    )
    assert "most confident" in rule_reasons(replace(BASE, policy="best"), row).sections(0)[0].note
    heard = (
        rule_reasons(replace(BASE, policy="support", top=2, rules=BASE.rules * 2), row).sections(0)[0].note
    )
    assert heard.endswith("The first 2 are heard.")


def test_numbers():
    base = RuleBase.parse("age > 50 => 7\nage > 20 => 3\nelse 1", SCHEMA).measured(X, [7.0, 3.0, 1.0, 7.0])
    holding, other = rule_reasons(base, np.array([[60.0, 0.0]])).sections(0)
    assert rows(holding) == ["R1 | age > 50 | 7 | 2.0", "R2 | age > 20 | 3 | 1.0"]
    assert rows(other) == ["3 | 20 < age <= 50 | 60"]
    assert "mean" in rule_reasons(replace(base, policy="votes"), np.array([[60.0, 0.0]])).sections(0)[0].note


def test_many_rules_are_cut():
    base = replace(BASE, rules=BASE.rules[1:] * 20, policy="votes")
    holding = rule_reasons(base, np.array([[60.0, 0.0]])).sections(0)[0]
    assert len(holding.rows) == 8 and holding.note.endswith("12 more rules hold.")


def test_conditions_of_another_kind_leave_the_changes_out():
    class Odd:
        def columns(self):
            return (0,)

        def covers(self, X):
            return np.ones(len(X), bool)

        def words(self, schema, missing=True):
            return "odd"

    base = replace(BASE, rules=(replace(BASE[0], conditions=(Odd(),)),))
    assert [s.title for s in rule_reasons(base, np.zeros((1, 2))).sections(0)] == ["Rules that hold"]


def test_explanations_of_a_learner_read_well():
    data = load_weather(numeric=False)
    model = OneRClassifier().fit(data.X, data.y)
    text = str(model.explain(data.X[[0]]))  # a sunny day, not played
    assert "R1 decides." in text and "Another answer if" in text
    assert "yes     outlook in {'overcast', 'rainy'}  'sunny'" in text
