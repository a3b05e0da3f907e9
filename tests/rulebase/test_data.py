"""Rules as data: there and back, and nothing else comes in."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from assay.core.persistence import registry
from assay.errors import DataError, PersistenceError
from assay.rulebase.conditions import Condition, LinearCondition, known, missing
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.rules import Rule, RuleBase
from assay.tables import Column, Schema

SCHEMA = Schema(
    [
        Column("age"),
        Column("job", "nominal", ("A", 3, True)),
        Column("day", date=True),
        Column("size", "ordinal", ("s", "l")),
    ]
)
RULES = (
    Rule((Condition(0, 1.0, 2.0, "both", None, True), Condition(1, codes=(0, 2))), "yes", 3, 9, (1, 2), 2),
    Rule(
        (LinearCondition(((0, 0.5), (2, -1.0)), 1.0, 3.0), missing(0), missing(1), known(2)),
        "no",
        2,
        9,
        (2, 0),
        2,
    ),
    Rule((Condition(0, codes=()), Condition(3, codes=(1,))), "no"),
)
BASE = RuleBase(RULES, SCHEMA, ("no", "yes"), "no", "donor", "votes", (5, 4), (1, 1), 0.5, 2)
NUMBERS = RuleBase(
    (
        Rule(
            (Condition(0, high=1.0),), LinearAnswer(1.0, ((0, None, 2.0), (1, 2, -1.0)), 3.0), 4, 9, error=0.5
        ),
        Rule((), 2.5),
    ),
    SCHEMA,
    default=1.0,
)


@pytest.mark.parametrize("base", [BASE, NUMBERS, RuleBase((), Schema.numeric(3), ("a", "b"), "a")])
def test_there_and_back(base):
    assert RuleBase.from_json(base.to_json()) == base
    assert RuleBase.from_dict(base.to_dict()) == base


def test_ordered_categories_come_back_as_the_same_rows():
    base = RuleBase((Rule((Condition(3, high=0.5),), "yes"),), SCHEMA, ("no", "yes"), "no")
    again = RuleBase.from_json(base.to_json())
    block = np.array([[0, 0, 0, 0.0], [0, 0, 0, 1.0], [0, 0, 0, np.nan]])
    assert (again.covers_block(block) == base.covers_block(block)).all()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda d: d.pop("rules"), "there is no 'rules'"),
        (lambda d: d["rules"][0]["if"][0].update(column="agee"), "there is no 'agee'"),
        (lambda d: d["rules"][0]["if"][1].update({"in": ["Z"]}), "there is no 'Z'"),
        (lambda d: d["rules"][0].update(then="perhaps"), "'perhaps' is none of the classes"),
        (lambda d: d["rules"][0].update(counts=[1]), "R1 has 1 counts for 2 classes"),
        (lambda d: d.update(policy="loudest"), "policy must be one of"),
        (lambda d: d["columns"][0].update(kind="blob"), "a column of kind 'blob'"),
        (lambda d: d.update(classes=["a", "a"]), "distinct labels"),
        (lambda d: d.update(classes="ab"), "must be a list"),
        (lambda d: d["rules"][0]["if"][0].update(above=10**400), "too large"),
        (lambda d: d["rules"][0]["if"][0].update(above=math.nan), "must be numbers"),
        (
            lambda d: d["rules"][0]["if"][0].update(closed="outside"),
            "closed must be right, left, both or neither",
        ),
        (lambda d: d["columns"].append(d["columns"][0]), "two columns have the same name"),
        (lambda d: d["columns"][1]["categories"].append("A"), "two categories of 'job' are the same"),
    ],
)
def test_other_data_is_refused_in_words(spoil, message):
    data = json.loads(BASE.to_json())
    spoil(data)
    with pytest.raises(DataError, match="from_dict") as caught:
        RuleBase.from_dict(data)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "spoilt",
    [
        {"rules": (replace(RULES[0], conditions=(Condition(7, high=1.0),)),)},
        {"rules": (replace(RULES[0], conditions=(Condition(-1, high=1.0),)),)},
        {"rules": (replace(RULES[0], conditions=(LinearCondition(((9, 1.0),), high=1.0),)),)},
        {"rules": (replace(RULES[0], conditions=("age > 3",)),)},
        {"rules": (replace(RULES[0], conditions=(Condition(0, math.nan),)),)},
        {"rules": (replace(RULES[0], conditions=(Condition(0, closed="outside"),)),)},
        {"rules": (replace(RULES[0], conditions=(Condition(1, codes=("A",)),)),)},
        {"rules": (replace(RULES[0], conditions=(LinearCondition(((0, math.inf),), high=1.0),)),)},
        {"rules": (replace(RULES[0], counts=(1.0, 2.0, 3.0)),)},
        {"rules": (replace(RULES[0], answer="perhaps"),)},
        {"rules": ("IF",)},
        {"rules": (replace(RULES[0], counts=(-1.0, 2.0)),)},
        {"rules": (replace(RULES[0], n=float("nan")),)},
        {"default": "perhaps"},
        {"default_counts": (float("inf"), 1.0)},
        {"totals": (1.0,)},
        {"classes": ("no", "no")},
        {"classes": None},
        {"policy": "loudest"},
        {"top": 0},
        {"smoothing": -1.0},
    ],
)
def test_a_file_with_rules_that_do_not_fit_together_is_refused(spoilt):
    state = registry.state_of(BASE, "base") | spoilt
    with pytest.raises(PersistenceError):
        registry.rebuild(RuleBase, state)


@pytest.mark.parametrize("text", ["rules", "[" * 100_000, "", "null"])
def test_other_text_is_refused_in_words(text):
    with pytest.raises(DataError, match=r"from_json: this is no JSON|not what to_dict"):
        RuleBase.from_json(text)


def test_ends_that_no_number_meets_are_reported():
    """Infinite ends are no numbers of JSON; what they say is that nothing holds."""
    never = Condition(0, low=math.inf), Condition(0, high=-math.inf, missing=True)
    sums = LinearCondition(((0, 2.0),), low=math.inf), LinearCondition(((0, 2.0),), high=-math.inf)
    base = RuleBase(tuple(Rule((c,), "yes") for c in (*never, *sums)), BASE.schema, BASE.classes)
    again = RuleBase.from_json(base.to_json())
    rows = np.column_stack([[0.0, 1e300, -1e300, np.nan], *np.zeros((len(BASE.schema) - 1, 4))])
    assert (again.covers_block(rows) == base.covers_block(rows)).all()


@pytest.mark.parametrize(
    "answer",
    [
        math.nan,
        math.inf,
        LinearAnswer(math.nan),
        LinearAnswer(1.0, ((0, None, math.inf),)),
        LinearAnswer(1.0, ((1, 9, 1.0),)),
    ],
)
def test_answers_that_are_no_numbers_are_refused(answer):
    with pytest.raises((ValueError, IndexError), match=r"RuleBase: (an|the) answer"):
        replace(NUMBERS, rules=(replace(NUMBERS[0], answer=answer),))._check_stored()


def test_a_number_with_a_column_too_far_is_refused():
    far = replace(NUMBERS[0], answer=LinearAnswer(1.0, ((9, None, 2.0),), 3.0))
    with pytest.raises(PersistenceError, match="column that is not there"):
        registry.rebuild(RuleBase, registry.state_of(NUMBERS, "base") | {"rules": (far,)})
    with pytest.raises(PersistenceError, match="is no number"):
        registry.rebuild(RuleBase, registry.state_of(NUMBERS, "base") | {"default": "a"})
