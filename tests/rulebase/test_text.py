"""Rules from text: what is printed reads back as what is applied, and people may write it their own way."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.rulebase.conditions import Condition, LinearCondition, known, missing
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.rules import Rule, RuleBase
from assay.rulebase.scanner import RuleSyntaxError
from assay.tables import Column, Schema

PEOPLE = Schema(
    [
        Column("age"),
        Column("job", "nominal", ("A", "B", "C")),
        Column("size", "ordinal", ("small", "medium", "large")),
        Column("day", date=True),
        Column("years-in-job"),
        Column("grade", "ordinal", (1, 2, 3)),
    ]
)
CLASSES = ("no", "yes", "not sure")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("age > 3", Condition(0, low=3.0)),
        ("age >= 3", Condition(0, low=3.0, closed="both")),
        ("age < -2.5e-3", Condition(0, high=-0.0025, closed="neither")),
        ("1 < age <= 2", Condition(0, 1.0, 2.0)),
        ("1 <= age < 2", Condition(0, 1.0, 2.0, "left")),
        ("age between 1 and 2", Condition(0, 1.0, 2.0, "both")),
        ("age = 3", Condition(0, 3.0, 3.0, "both")),
        ("age is missing", missing(0)),
        ("age is known", known(0)),
        ("age is not missing", known(0)),
        ("age IS NOT known", missing(0)),
        ("age > 3 or missing", Condition(0, low=3.0, missing=True)),
        ("(age > 3 OR MISSING)", Condition(0, low=3.0, missing=True)),
        ("job = 'A'", Condition(1, codes=(0,))),
        ("job = A", Condition(1, codes=(0,))),
        ('job == "A"', Condition(1, codes=(0,))),
        ("job != 'A'", Condition(1, codes=(1, 2))),
        ("job <> A", Condition(1, codes=(1, 2))),
        ("job in {'A', 'C'}", Condition(1, codes=(0, 2))),
        ("job in (A, C)", Condition(1, codes=(0, 2))),
        ("job not in {B}", Condition(1, codes=(0, 2))),
        ("job is none of its categories", Condition(1, codes=())),
        ("size <= small", Condition(2, high=0.0)),
        ("size < 'small'", Condition(2, codes=())),
        ("size >= 'medium'", Condition(2, low=0.0)),
        ("'small' < size <= 'medium'", Condition(2, 0.0, 1.0)),
        ("size between medium and large", Condition(2, low=0.0)),
        ("grade >= 2", Condition(5, low=0.0)),
        ("1 < grade <= 2", Condition(5, 0.0, 1.0)),
        ("day <= 2020-01-01", Condition(3, high=18262.0)),
        ("day > '2020-01-01 12:00'", Condition(3, low=18262.5)),
        ("2020-01-01 < day < 2020-01-01T12:00:00", Condition(3, 18262.0, 18262.5, "neither")),
        ('"years-in-job" > 2', Condition(4, low=2.0)),
        ("years-in-job ≤ 2", Condition(4, high=2.0)),
        ("2 age - 0.5 years-in-job <= 7", LinearCondition(((0, 2.0), (4, -0.5)), high=7.0)),
        ("-age + 3*years-in-job > 7", LinearCondition(((0, -1.0), (4, 3.0)), low=7.0)),
        ("1 < age + years-in-job <= 7", LinearCondition(((0, 1.0), (4, 1.0)), 1.0, 7.0)),
        (
            "age + years-in-job < 7",
            LinearCondition(((0, 1.0), (4, 1.0)), high=math.nextafter(7.0, 0.0)),
        ),
    ],
)
@pytest.mark.parametrize(
    "around", ["IF {} THEN yes", "{} => yes", "R7: if {} then yes  # why", "1. {} -> yes"]
)
def test_forms_that_people_write(text, meant, around):
    base = RuleBase.parse(around.format(text), PEOPLE, CLASSES)
    assert [rule.answer for rule in base] == ["yes"] and base[0].conditions == (meant,)


def test_several_rules():
    base = RuleBase.parse(
        """
        # rules of the house
        IF age > 50 AND (job = A OR job = 'B')
           THEN not sure
        else if age <= 20 and job is missing then yes
        OTHERWISE: no
        """,
        PEOPLE,
        CLASSES,
    )
    assert str(base).splitlines() == [
        "R1: IF age > 50 AND job = 'A' THEN not sure",
        "R2: IF age > 50 AND job = 'B' THEN not sure",
        "R3: IF age <= 20 AND job is missing THEN yes",
        "ELSE no",
    ]


def test_disjunctions_read_back():
    base = RuleBase.parse("age > 5 => yes\njob = A => yes\nage < 2 => no\nelse no", PEOPLE, CLASSES)
    again = RuleBase.parse(base.disjunctions(), PEOPLE, CLASSES)
    assert {rule.conditions for rule in again} == {rule.conditions for rule in base}


def test_targets_and_numbers():
    base = RuleBase.parse("IF age > 3 THEN rent = 4.5\nELSE rent = 2", PEOPLE)
    assert (
        base.classes is None and base.target == "rent" and base.predict_block(np.full((1, 6), 9.0))[0] == 4.5
    )
    assert RuleBase.parse("IF anything THEN y = 1", PEOPLE).target == ""
    named = RuleBase.parse("IF age > 3 THEN donor = 'yes'", PEOPLE, CLASSES)
    assert named.target == "donor" and named[0].answer == "yes"


def test_classes_can_be_those_that_the_rules_name():
    base = RuleBase.parse("age > 3 => old\nelse young", PEOPLE)
    assert base.classes == ("old", "young") and base.default == "young"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IF agee > 3 THEN yes", "line 1, column 4: there is no column agee. Did you mean age?"),
        (
            "IF age > 3\n AND jbo = 'A' THEN yes",
            "line 2, column 6: there is no column jbo. Did you mean job?",
        ),
        ("IF job = 'D' THEN yes", "line 1, column 10: job has no category 'D'. There are: 'A', 'B', 'C'"),
        ("IF size = 'smal' THEN yes", "size has no category 'smal'. Did you mean 'small'?"),
        ("IF age > 3 THEN yess", "line 1, column 17: there is no class yess. Did you mean yes?"),
        ("IF age > x THEN yes", "line 1, column 10: expected a number"),
        ("IF age > 3 yes", "expected AND, OR, THEN or an arrow"),
        ("IF (age > 3 THEN yes", "closing parenthesis"),
        ("IF job > 'A' THEN yes", "have no order; use = or in"),
        ("IF age in {1, 2} THEN yes", "IN asks for categories"),
        ("IF age != 3 THEN yes", "!= is for categories"),
        ("IF job in 'A' THEN yes", "list in braces"),
        ("IF job in {'A' 'B'} THEN yes", "a comma"),
        ("IF job = 'A THEN yes", "never closed"),
        ("IF age between 1, 2 THEN yes", "expected AND"),
        ("IF age is red THEN yes", "missing or known"),
        ("IF age + job > 3 THEN yes", "job holds categories, which cannot be added"),
        ("IF 2 age = 3 THEN yes", "after the sum"),
        ("IF age not 3 THEN yes", "IN after NOT"),
        ("IF age THEN yes", "expected a comparison after age"),
        ("IF > 3 THEN yes", "expected a condition"),
        ("ELSE yes\nage > 3 => no", "line 2, column 1: nothing can follow the default"),
        ("IF day > 2020-13-45 THEN yes", "is no date"),
        ("IF age > 3 THEN y = 2 age", "no class"),
    ],
)
def test_errors_say_where_and_what(text, message):
    with pytest.raises(RuleSyntaxError) as caught:
        RuleBase.parse(text, PEOPLE, CLASSES)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (
            "60 - 2 age + 5 [job = 'B'] or 40 if missing",
            LinearAnswer(60.0, ((0, None, -2.0), (1, 1, 5.0)), 40.0),
        ),
        (
            "-age + years-in-job OR -1e-3 IF MISSING",
            LinearAnswer(0.0, ((0, None, -1.0), (4, None, 1.0)), -0.001),
        ),
        ("2*age or 0 if missing  # why", LinearAnswer(0.0, ((0, None, 2.0),), 0.0)),
        ("[job = C] or 7 if missing  (support 0.1, error 2)", LinearAnswer(0.0, ((1, 2, 1.0),), 7.0)),
    ],
)
@pytest.mark.parametrize("around", ["IF age > 3 THEN rent = {}\nELSE rent = 1", "age > 3 => {}\nelse 1"])
def test_linear_answers(text, meant, around):
    base = RuleBase.parse(around.format(text), PEOPLE)
    assert base.classes is None and base[0].answer == meant and base.default == 1.0
    assert RuleBase.parse(base.text(missing=True), PEOPLE) == base


def test_a_number_and_the_column_of_the_next_line():
    base = RuleBase.parse("job = A => 3\nage > 5 => y = 4\nage <= 5 => 2", PEOPLE)
    assert [rule.answer for rule in base] == [3.0, 4.0, 2.0]


def test_answers_may_stand_in_the_next_line():
    base = RuleBase.parse("IF age > 3 THEN\n   y = 3\nelse  # or\n y = 4", PEOPLE)
    assert base[0].answer == 3.0 and base.default == 4.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IF age > 3 THEN y = 2 + 3 age", "or 40 if missing"),
        ("IF age > 3 THEN y = 2 + 3 age or 1 if missing or so", "or 40 if missing"),
        ("IF age > 3 THEN y = 2 [jbo = 'A'] or 1 if missing", "there is no column jbo. Did you mean job?"),
        ("IF age > 3 THEN y = 2 [age = 3] or 1 if missing", "age holds numbers"),
        ("IF age > 3 THEN y = 2 [job > A] or 1 if missing", "expected [job = category]"),
        ("IF age > 3 THEN y = 2 [job = A or 1 if missing", "closing bracket"),
        ("IF age > 3 THEN y = 1e999 age or 1 if missing", "finite number"),
        ("IF age > 3 THEN y = 2 age or 1 if missing\nELSE no", "some are words"),
        ("IF age > 3 THEN\nIF age > 4 THEN yes", "line 2, column 1: expected an answer"),
        ("IF age > 3 THEN", "expected an answer"),
        ("IF age > 3 THEN rent = 3\nELSE price = 4", "line 2, column 6: the answers were called rent before"),
        ("IF age > 3 THEN 'yes' and more", "expected the end of the line"),
        ("IF 1e999 age > 3 THEN 1", "finite number"),
        ("IF day > 999999-01-01 THEN 1", "is no date"),
    ],
)
def test_errors_without_a_list_of_classes(text, message):
    with pytest.raises(RuleSyntaxError) as caught:
        RuleBase.parse(text, PEOPLE)
    assert message in str(caught.value)


def test_many_ors_inside_of_ands_are_refused_before_they_are_made():
    many = "(" + " or ".join(["age > 3"] * 2000) + ")"
    with pytest.raises(RuleSyntaxError, match="more than 10,000 rules"):
        RuleBase.parse(" and ".join([many] * 4) + " => yes", PEOPLE, CLASSES)


TOKENS = [
    "IF",
    "age",
    "job",
    "size",
    ">",
    "<=",
    "=",
    "3",
    "-2.5",
    "'A'",
    "{",
    "}",
    "(",
    ")",
    ",",
    "AND",
    "OR",
    "THEN",
]
TOKENS += [
    "yes",
    "no",
    "ELSE",
    "missing",
    "is",
    "not",
    "in",
    "between",
    "day",
    "2020-01-01",
    "#",
    "\n",
    '"',
    "=>",
    "+",
    "*",
]


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.lists(st.sampled_from(TOKENS), max_size=14).map(" ".join), st.text(max_size=30)))
def test_any_text_is_rules_or_an_error_with_its_place(text):
    try:
        base = RuleBase.parse(text, PEOPLE, CLASSES)
    except RuleSyntaxError as error:
        assert "line " in str(error) and "column " in str(error)
    else:
        assert RuleBase.parse(base.text(missing=True), PEOPLE, CLASSES).canonical() == replace(
            base.canonical(), target=base.target
        )


def test_parentheses_without_end():
    with pytest.raises(RuleSyntaxError, match="too many parentheses"):
        RuleBase.parse("(" * 5000, PEOPLE, CLASSES)
    assert len(RuleBase.parse("(" * 30 + "age > 3" + ")" * 30 + " => yes", PEOPLE, CLASSES)) == 1


def test_one_rule():
    assert Rule.parse("age > 3 => yes", PEOPLE, CLASSES).conditions == (Condition(0, low=3.0),)
    with pytest.raises(RuleSyntaxError, match="expected one rule, got 2"):
        Rule.parse("age > 3 => yes\nage > 4 => no", PEOPLE, CLASSES)


# ---------------------------------------------------------------------- print, read, apply

WEIRD = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        ["a AND b", "in", "x y", "petal length (cm)", 'say "x"', "it's", "", " ", "a\\nb", "a\nb", "# no"]
    ),
    st.sampled_from(
        ["THEN", "x = 3", "日本", "a-b", "a - b", "2x", "(", "x)", "R1:", "inf", "y  (support 0.1)"]
    ),
    st.sampled_from(
        ["-> x", "or missing", "\u2028", "\x00", "é", "true", "1", "day 3", "'", "''", "\\", "a  b"]
    ),
)
EDGES = [0.0, 0.1, 0.1 + 0.2, -1.0, 2.5, 1e-300, 5e-324, 1e300, 12345678.9]


@st.composite
def bases(draw):
    names = draw(st.lists(WEIRD, min_size=4, max_size=4, unique=True))
    labels = tuple(
        draw(st.lists(st.one_of(WEIRD, st.integers(-3, 3)), min_size=2, max_size=9, unique_by=repr))
    )
    classes = tuple(
        draw(st.lists(st.one_of(WEIRD, st.integers(-3, 3)), min_size=2, max_size=4, unique_by=repr))
    )
    schema = Schema(
        [
            Column(names[0]),
            Column(names[1], "nominal", labels),
            Column(names[2], "ordinal", labels),
            Column(names[3]),
        ]
    )
    interval = st.builds(
        lambda j, a, b, closed, gone: Condition(j, min(a, b), max(a, b), closed, None, gone),
        st.sampled_from([0, 3]),
        st.sampled_from([-math.inf, *EDGES]),
        st.sampled_from([*EDGES, math.inf]),
        st.sampled_from(["right", "left", "both", "neither"]),
        st.booleans(),
    )
    codes = st.builds(
        lambda j, held, gone: Condition(j, codes=tuple(held), missing=gone),
        st.sampled_from([1, 2]),
        st.sets(st.integers(0, len(labels) - 1)),
        st.booleans(),
    )
    ranks = st.builds(
        lambda a, b, closed, gone: Condition(2, a, b, closed, None, gone),
        st.sampled_from([-math.inf, 0.0, 0.5, 1.0]),
        st.sampled_from([0.0, 0.5, 1.0, 1.5, math.inf]),
        st.sampled_from(["right", "left", "both", "neither"]),
        st.booleans(),
    )
    sums = st.builds(
        lambda a, b, low, high: LinearCondition(((0, a), (3, b)), low, high),
        *(st.sampled_from([1.0, -1.0, 0.5, -2e-5, 1e300]),) * 2,
        st.sampled_from([-math.inf, 0.0, -1.5]),
        st.sampled_from([2.5, 1e9]),
    )
    special = st.sampled_from(
        [missing(0), missing(1), known(0), known(1), known(2), LinearCondition((), high=2.0)]
    )
    premise = st.lists(st.one_of(interval, codes, ranks, sums, special), max_size=3).map(tuple)
    answer = st.sampled_from(classes)
    rules = draw(st.lists(st.builds(Rule, premise, answer), max_size=4))
    default = draw(st.one_of(st.none(), answer))
    target = draw(st.one_of(st.just(""), WEIRD))
    return RuleBase(tuple(rules), schema, classes, default, target)


VALUES = [*EDGES, *(math.nextafter(v, 9) for v in EDGES), *(math.nextafter(v, -9) for v in EDGES), math.nan]


@settings(max_examples=80, deadline=None)
@given(bases(), st.booleans(), st.integers(0, 2**32 - 1))
def test_what_is_printed_reads_back_as_what_is_applied(base, counts, seed):
    text = base.text(missing=True, counts=counts)
    again = RuleBase.parse(text, base.schema, base.classes)
    meant = base.canonical()
    assert again == replace(meant, target=again.target), text
    assert again.target == base.target or not (base.rules or base.default is not None)
    rng = np.random.default_rng(seed)
    K = len(base.schema[1].categories)
    rows = np.column_stack(
        [
            rng.choice(VALUES, 40),
            *(rng.choice([*range(K), math.nan], 40) for _ in range(2)),
            rng.choice(VALUES, 40),
        ]
    )
    rows[:, [0, 3]] = np.clip(rows[:, [0, 3]], -1e7, 1e7) if (np.abs(rows) > 1e200).any() else rows[:, [0, 3]]
    assert (again.covers_block(rows) == base.covers_block(rows)).all(), text
    assert again.text(missing=True) == base.text(missing=True)


@settings(max_examples=100, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_exactly(x):
    base = RuleBase((Rule((Condition(0, high=x),), x),), Schema.numeric(1))
    again = RuleBase.parse(str(base), base.schema)
    assert again[0].conditions[0].high == x and again[0].answer == x
