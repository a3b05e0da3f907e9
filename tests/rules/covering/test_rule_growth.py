import numpy as np
import pytest

from assay.rulebase.conditions import Condition
from assay.rulebase.measures import likelihood_ratio
from assay.rules.covering.candidates import CandidateTable
from assay.rules.covering.measure import RuleMeasure
from assay.rules.covering.rule_growth import grow_rule, growth_of, merged
from assay.tables import Column, Schema
from assay.tables.data import load_charity_donors

CHARITY = load_charity_donors()
DONOR = np.array([list(CHARITY.classes).index(label) for label in CHARITY.y])


def charity():
    return CandidateTable(CHARITY.X.values, CHARITY.X.schema, DONOR, None, 2)


def test_columns_that_say_the_same_take_one_place_of_the_beam():
    """Three copies of one column: a beam of two still sees the second best cut, and so the better rule behind it."""
    table = charity()
    copies = np.column_stack([CHARITY.X.values[:, [1]]] * 3 + [CHARITY.X.values[:, 0]])
    tripled = CandidateTable(copies, Schema.numeric(4), DONOR, None, 2)
    plain = grow_rule(table, RuleMeasure("foil"), 1, table.shares(), beam=2)
    again = grow_rule(tripled, RuleMeasure("foil"), 1, tripled.shares(), beam=2)
    assert plain.counts.tolist() == again.counts.tolist() == [0, 6]


@pytest.mark.parametrize("threshold", [0.0, 3.841459, 6.0, 6.2, 7.0, 8.0])
def test_the_best_rule_is_significant_or_there_is_none(threshold):
    table = charity()
    prior = table.shares()
    result = grow_rule(table, RuleMeasure("laplace"), 1, prior, beam=5, improve=False, threshold=threshold)
    if threshold < 7.27:  # all six donors and nobody else: 2 * 6 * ln(11/6) = 7.2736
        assert likelihood_ratio(result.counts, prior) > threshold
    else:
        assert result is None


def test_to_the_end_conditions_are_added_until_the_rule_is_always_right():
    schema = Schema([Column("a", "nominal", ("x", "y")), Column("b", "nominal", ("p", "q"))])
    X = np.array([[0.0, 0], [0, 0], [0, 1], [1, 0]])
    table = CandidateTable(X, schema, np.array([1, 0, 1, 0]), None, 2)
    result = grow_rule(table, RuleMeasure("accuracy"), 1, table.shares(), improve=False, to_the_end=True)
    assert result.counts.tolist() == [0, 1]
    same = CandidateTable(X[:2], schema, np.array([1, 0]), None, 2)  # nothing tells the rows apart
    result = grow_rule(same, RuleMeasure("accuracy"), 1, same.shares(), improve=False, to_the_end=True)
    assert result.counts.tolist() == [1, 1] and {c.column for c in result.conditions} == {0, 1}


def test_the_growth_tells_the_way_of_the_best_rule():
    table = charity()
    growth = growth_of(grow_rule(table, RuleMeasure("foil"), 1, table.shares(), beam=5), table, "Y")
    assert [step.conditions for step in growth.steps[:2]] == [(), growth.conditions[:1]]
    for step, condition in zip(growth.steps, growth.conditions):
        assert [one.condition for one in step.tried if one.taken] == [condition]
        assert sum(one.taken for one in step.tried) == 1


def test_conditions_on_one_column_are_joined():
    parts = (Condition(0, low=1.0), Condition(1, codes=(0,)), Condition(0, high=3.0))
    assert merged(parts) == (Condition(0, 1.0, 3.0), Condition(1, codes=(0,)))
