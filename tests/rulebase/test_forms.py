"""How a rule base is written."""

from dataclasses import replace

import pytest

from assay.rulebase.conditions import Condition, LinearCondition
from assay.rulebase.forms import answer_word
from assay.rulebase.rules import Rule, RuleBase
from assay.tables import Column, Schema

SCHEMA = Schema([Column("age"), Column("size", "ordinal", ("s", "m", "l")), Column("in AND out")])


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("not sure", "not sure"),
        ("", "''"),
        (" a", "' a'"),
        ("a  b", "'a  b'"),
        ("a = b", "'a = b'"),
        ("if x", "'if x'"),
        ("a # b", "'a # b'"),
        ("two\nlines", r"'two\nlines'"),
        (3, "3"),
        (True, "True"),
        ("3", "3"),
    ],
)
def test_classes_are_quoted_only_where_they_could_be_mistaken(label, text):
    assert answer_word(label, (label, "other")) == text


def test_text_beside_a_number_that_prints_alike():
    assert answer_word("3", (3, "3")) == "'3'" and answer_word(3, (3, "3")) == "3"


def test_one_form_for_what_prints_the_same():
    conditions = (Condition(1, high=0.5), Condition(0, high=-0.0), LinearCondition(((0, 1.0),), high=2.0))
    base = RuleBase((Rule(conditions, "a"),), SCHEMA, ("a", "b"))
    assert base.canonical()[0].conditions == (
        Condition(1, high=0.0),
        Condition(0, high=0.0),
        Condition(0, high=2.0),
    )
    assert str(base.canonical()) == str(base) and base.canonical().canonical() == base.canonical()


def test_names_that_are_no_plain_words_are_quoted_everywhere():
    base = RuleBase((Rule((Condition(2, high=1.0),), "a"),), SCHEMA, ("a", "b"), "b", target="this or that")
    assert base.text() == 'R1: IF "in AND out" <= 1 THEN "this or that" = \'a\'\nELSE "this or that" = \'b\''
    assert '"in AND out" <= 1' in base.disjunctions()
    assert replace(base, target="").text().endswith("ELSE b")
