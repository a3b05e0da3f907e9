"""Whether rules exclude each other and leave nothing out: by arithmetic, against rows tried one by one."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from assay.rulebase import space as rule_space
from assay.rulebase.conditions import Condition, LinearCondition, known, missing
from assay.rulebase.rules import Rule, RuleBase
from assay.tables import Column, Schema
from assay.tables.data import load_charity_donors
from assay.trees import C45Classifier

PEOPLE = Schema([Column("Age"), Column("Salary")])
FIGURE_10_3 = """
    Age <= 50 AND Salary <= 60000 => N
    Age <= 50 AND Salary > 60000 => Y
    Age > 50 AND Salary <= 50000 => N
    Age > 50 AND Salary > 50000 => Y
"""


@pytest.mark.capability("DC-34", "DC-35", "DC-36")
def test_rules_of_the_charity_tree():
    """DC figure 10.3a: exclusive, exhaustive, coverage 4, 1, 1, 5 and no error."""
    data = load_charity_donors()
    X, y = data.frame(target=False)[["Age", "Salary"]], data.y
    base = RuleBase.parse(FIGURE_10_3, PEOPLE, sorted(set(y))).measured(X, y)
    assert [rule.n for rule in base] == [4, 1, 1, 5]
    assert sum(rule.correct for rule in base) == 11 and [len(rule.conditions) for rule in base] == [
        2,
        2,
        2,
        2,
    ]
    assert base.exclusive() and base.exhaustive() and base.exclusive(X) and base.exhaustive(X)
    assert None in base.exhaustive(missing=True).row.values()
    assert base.unreached() == () and base.subsumed() == ()


@pytest.mark.capability("DC-35", "DC-36")
def test_rules_of_exercise_10():
    """Age > 40 and Age <= 50: ages in (40, 50] fire both, every age fires one."""
    base = RuleBase.parse("Age > 40 => donor\nAge <= 50 => other", PEOPLE)
    verdict = base.exclusive()
    assert not verdict and 40 < verdict.row["Age"] <= 50 and verdict.rules == (0, 1)
    assert base.exhaustive() and str(base.exhaustive()) == "every row is covered whose values are there"
    gone = base.exhaustive(missing=True)
    assert not gone and gone.row == {"Age": None} and str(gone) == "no rule covers the row Age = missing"


@pytest.mark.capability("DC-35", "DC-36")
def test_linear_rules_of_figure_10_3b():
    below, above = (
        LinearCondition(((0, 1 / 50), (1, 1 / 50000)), **end) for end in ({"high": 2.0}, {"low": 2.0})
    )
    base = RuleBase((Rule((below,), "N"), Rule((above,), "Y")), PEOPLE, ("N", "Y"))
    assert base.exclusive() and base.exhaustive() and not base.exhaustive(missing=True)
    steep = LinearCondition(((0, 1.0),), high=50.0)
    wedge = RuleBase((Rule((below,), "N"), Rule((above, steep), "Y")), PEOPLE, ("N", "Y"))
    verdict = wedge.exhaustive()
    assert verdict.holds is False and not wedge.covers_block(np.array([list(verdict.row.values())])).any()
    crossing = RuleBase(
        (Rule((below,), "N"), Rule((LinearCondition(((0, 1.0), (1, 1.0)), low=3.0),), "Y")),
        PEOPLE,
        ("N", "Y"),
    )
    row = crossing.exclusive().row
    assert crossing.covers_block(np.array([list(row.values())])).all()
    apart = RuleBase(
        (
            Rule((LinearCondition(((0, 1.0), (1, 1.0)), high=3.0),), "N"),
            Rule((Condition(0, low=2.0), Condition(1, low=2.0)), "Y"),
        ),
        PEOPLE,
        ("N", "Y"),
    )
    assert apart.exclusive()


def test_on_data():
    base = RuleBase.parse("Age > 40 => a\nAge <= 30 => b", PEOPLE)
    X = {"Age": [20.0, 35.0, 50.0, 36.0], "Salary": [0.0] * 4}
    verdict = base.exhaustive(X)
    assert not verdict and verdict.count == 2 and verdict.row["Age"] == 35.0
    assert str(verdict) == "no rule covers 2 of 4 rows; the first is row 2"
    assert base.exclusive(X) and str(base.exclusive(X)) == "no row is covered twice"


SMALL = Schema(
    [
        Column("x"),
        Column("job", "nominal", ("A", "B", "C")),
        Column("size", "ordinal", ("s", "m", "l")),
        Column("z"),
    ]
)
ENDS = [0.0, 1.0, 2.0]
numbers = st.builds(
    lambda j, a, b, closed, gone: Condition(j, min(a, b), max(a, b), closed, None, gone),
    st.sampled_from([0, 3]),
    st.sampled_from([-math.inf, *ENDS]),
    st.sampled_from([*ENDS, math.inf]),
    st.sampled_from(["right", "left", "both", "neither"]),
    st.booleans(),
)
sets = st.builds(
    lambda j, codes, gone: Condition(j, codes=tuple(sorted(codes)), missing=gone),
    st.sampled_from([1, 2]),
    st.sets(st.integers(0, 2)),
    st.booleans(),
)
special = st.sampled_from([missing(0), known(0), missing(1), Condition(2, high=0.5), Condition(2, low=0.5)])
premises = st.lists(st.one_of(numbers, sets, special), max_size=2).map(tuple)
GRID = np.array(
    list(
        product(
            [-1.0, 0, 0.5, 1, 1.5, 2, 3, math.nan],
            [0, 1, 2, math.nan],
            [0, 1, 2, math.nan],
            [-1.0, 0, 0.5, 1, 1.5, 2, 3, math.nan],
        )
    )
)
WHOLE = ~np.isnan(GRID).any(axis=1)


@settings(max_examples=150, deadline=None)
@given(st.lists(premises, max_size=5), st.booleans())
def test_checks_find_what_trying_every_row_finds(premises, gone):
    base = RuleBase(tuple(Rule(premise, "a") for premise in premises), SMALL, ("a", "b"))
    covered = base.covers_block(GRID)
    rows = np.ones(len(GRID), bool) if gone else WHOLE
    twice, never = base.exclusive(missing=gone), base.exhaustive(missing=gone)
    assert twice.holds == (not (covered[rows].sum(axis=1) > 1).any())
    assert never.holds == bool(covered[rows].any(axis=1).all())
    for verdict in (twice, never):
        if not verdict:
            row = np.array(
                [
                    [
                        _number(j, verdict.row.get(c.name, 0.0 if not c.coded else c.categories[0]))
                        for j, c in enumerate(SMALL)
                    ]
                ]
            )
            assert np.flatnonzero(base.covers_block(row)[0]).tolist()[:2] == list(verdict.rules)[:2]
    dead = [r for r in range(len(premises)) if not (covered[:, r] & ~covered[:, :r].any(axis=1)).any()]
    assert list(base.unreached()) == dead
    inside = {
        (r, b)
        for r, b in product(range(len(premises)), repeat=2)
        if r != b and not (covered[:, r] & ~covered[:, b]).any()
    }
    assert set(base.subsumed()) == inside


def _number(j, value):
    if value is None:
        return math.nan
    return SMALL[j].categories.index(value) if SMALL[j].coded else value


def test_neighbouring_numbers():
    """Between a number and the next one there is nothing to leave out."""
    a, b = 1.0, math.nextafter(1.0, 2.0)
    base = RuleBase(
        (Rule((Condition(0, high=a),), 1.0), Rule((Condition(0, low=b, closed="both"),), 2.0)), PEOPLE
    )
    assert base.exhaustive() and base.exclusive()


def test_the_rules_of_a_tree_exclude_each_other_and_leave_nothing_out():
    X, y = load_iris(return_X_y=True)
    base = C45Classifier().fit(X, y).rules()
    assert len(base) > 3 and base.exclusive() and base.exhaustive()
    assert base.exclusive(X) and base.exhaustive(X)


def test_a_check_gives_up_in_words(monkeypatch):
    monkeypatch.setattr(rule_space, "MOST_BOXES", 3)
    base = RuleBase.parse(FIGURE_10_3, PEOPLE, ("N", "Y"))
    verdict = base.exhaustive()
    assert verdict.holds is None and not verdict and "not decided" in str(verdict)


def test_rules_that_never_decide():
    base = RuleBase.parse(
        "Age <= 30 => a\nAge > 20 => b\nAge > 25 and Salary > 3 => a\nAge is missing => a", PEOPLE
    )
    assert base.unreached() == (2,) and base.subsumed() == ((2, 1),)


def test_sums_that_meet_at_their_ends():
    """A programme that ends at the closed end of a sum may miss it by rounding; there are rows inside."""
    schema = Schema([Column("a"), Column("b")])
    base = RuleBase.parse("1 < a <= 1 => C\n2 a + b > 1 => C\n0 < -a + b <= 1 => C", schema)
    verdict = base.exclusive()
    assert verdict.holds is False and verdict.rules == (1, 2)
    assert base.covers([[verdict.row["a"], verdict.row["b"]]]).tolist() == [[False, True, True]]


def test_rows_in_which_sums_are_missing():
    """No rule covers a row without a or b; a third sum, which the search never came to, may be missing, too."""
    schema = Schema([Column("a"), Column("b"), Column("job", "nominal", ("A", "B"))])
    base = RuleBase.parse(
        "2 a + b <= 1 => B\n-a + b <= 0 and job is none of its categories => B\n2 a + b > 1 => B", schema
    )
    assert base.exhaustive() and None in base.exhaustive(missing=True).row.values()


def test_rules_that_come_too_close_are_not_decided(monkeypatch):
    base = RuleBase.parse("a + b <= 1 => x\na - b <= 1 => y", Schema([Column("a"), Column("b")]))
    monkeypatch.setattr(rule_space.Space, "_inside", lambda *_: False)  # every row is rounded out of its box
    verdict = base.exclusive()
    assert verdict.holds is None and not verdict and "too close" in str(verdict)


def test_thousands_of_rules_are_given_up_in_time(monkeypatch):
    base = RuleBase.parse("a <= 1 => x\n1 < a <= 2 => x\na > 2 => x", Schema([Column("a")]))
    assert base.exhaustive()
    monkeypatch.setattr(rule_space, "MOST_LOOKS", 4)
    assert base.exhaustive().holds is None
