"""The measures of rules as a table."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from assay.rulebase.conditions import Condition, LinearCondition
from assay.rulebase.rules import Rule, RuleBase
from assay.rulebase.worth import possible_conditions
from assay.rulebase.worth import tests_of as single_tests
from assay.tables import Column, Schema
from assay.tables.data import load_charity_donors

SCHEMA = Schema([Column("Age"), Column("Salary")])


@pytest.mark.capability("DC-34", "DC-47", "DC-48", "DC-49")
def test_the_path_of_figure_10_5():
    """{} (6, 5), Age > 50 (5, 1), and Salary > 50000 (5, 0), counted on the charity table."""
    data = load_charity_donors()
    X, y = data.frame(target=False)[["Age", "Salary"]], np.asarray(data.y)
    donor = sorted(set(y.tolist()))[1]
    text = f"anything => {donor}\nAge > 50 => {donor}\nAge > 50 and Salary > 50000 => {donor}"
    base = RuleBase.parse(text, SCHEMA, sorted(set(y.tolist())), policy="votes").measured(X, y)
    worth = base.measures()
    assert (
        worth["coverage"] == [11, 6, 5] and worth["correct"] == [6, 5, 5] and worth["conditions"] == [0, 1, 2]
    )
    assert_allclose(worth["support"], [1, 6 / 11, 5 / 11])
    assert_allclose(worth["confidence"], [6 / 11, 5 / 6, 1])
    assert_allclose(worth["lift"], [1, 55 / 36, 11 / 6])
    assert_allclose(worth["laplace"], [7 / 13, 6 / 8, 6 / 7])
    assert_allclose(worth["likelihood_ratio"], [0, 2.231538, 6.061358], atol=5e-7)
    assert_allclose(worth["p_value"], stats.chi2.sf(worth["likelihood_ratio"], 1), rtol=1e-12)
    assert_allclose(worth["foil_gain"], [0, 3.057174, 4.372346], atol=5e-7)
    assert_allclose(base.measures(m=0)["m_estimate"], worth["confidence"])
    assert_allclose(base.measures(possible=20)["bits"], [0, 2.863970, 5.189956], atol=5e-7)
    pd = pytest.importorskip("pandas", reason="the table is read as a frame here")
    assert len(pd.DataFrame(worth)) == 3


def test_rules_that_were_never_counted_and_rules_of_numbers():
    never = RuleBase((Rule((Condition(0),), "b"),), SCHEMA, ("a", "b")).measures()
    assert never["confidence"] == [0.0] and never["foil_gain"] == [0.0] and never["p_value"] == [1.0]
    numbers = RuleBase((Rule((Condition(0, 1.0, 2.0),), 3.5, 4, 8, error=0.5),), SCHEMA).measures()
    assert numbers["error"] == [0.5] and numbers["support"] == [0.5] and "lift" not in numbers
    assert RuleBase((), SCHEMA, ("a", "b")).measures()["bits"] == []


def test_an_interval_with_two_ends_is_two_tests():
    both = Condition(0, 1.0, 2.0, "both", None, True)
    low, high = single_tests((both,))
    rows = np.array([[0.5], [1.0], [1.5], [2.0], [2.5], [np.nan]])
    assert ((low.covers(rows) & high.covers(rows)) == both.covers(rows)).all()
    base = RuleBase((Rule((both, LinearCondition(((0, 1.0),))), "a"), Rule((low,), "a")), SCHEMA, ("a",))
    assert possible_conditions(base) == 3
