import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.rulebase.conditions import Condition
from assay.rulebase.rules import Rule, RuleBase
from assay.rules import RulePruning, SequentialCoveringClassifier, prune_rules
from assay.tables import Table
from assay.tables.data import load_charity_donors

CHARITY = load_charity_donors()
X, Y = CHARITY.X.values, np.asarray(CHARITY.y)
DONOR = Y == "Y"


@pytest.mark.capability("DC-55")
def test_errors_of_10_4_3():
    """(E + delta m)/N; U(0, 6) = 0.206299, U(0, 1) = 0.75, U(1, 16) = 0.159611; no covered row: error 1."""
    assert RulePruning("penalised").estimate(1, 10, 2) == pytest.approx(0.2)
    assert RulePruning("penalised", delta=1).estimate(1, 10, 2) == pytest.approx(0.3)
    assert RulePruning("plain").estimate(1, 10, 2) == pytest.approx(0.1)
    upper = [RulePruning("upper-limit").estimate(e, n, 3) for e, n in ((0, 6), (0, 1), (1, 16))]
    assert_allclose(upper, [0.206299, 0.75, 0.159611], atol=5e-7)
    assert [RulePruning(error).estimate(0, 0, 1) for error in ("penalised", "upper-limit", "plain")] == [
        1
    ] * 3


@pytest.mark.capability("DC-55")
@pytest.mark.parametrize("order", ["reverse", "any", "greedy"])
def test_the_needless_condition_of_a_charity_rule_goes(order):
    """Salary > 55500 covers five donors and nobody else; Age <= 60 in front or behind only takes two of them away."""
    wanted, needless = Condition(1, low=55500.0), Condition(0, high=60.0)
    for rule in ((wanted, needless), (needless, wanted)):
        for error in ("penalised", "upper-limit"):
            kept = RulePruning(error, order).pruned(rule, X, DONOR, np.ones(11))
            if order != "reverse" or rule[0] is wanted:
                assert kept == (wanted,)


@pytest.mark.capability("DC-55")
def test_the_orders_differ():
    """Age > 50 AND Salary > 46000 AND Age <= 62: the last goes first, or the one whose loss lowers the error most."""
    rule = (Condition(0, low=50.0), Condition(1, low=46000.0), Condition(0, high=62.0))
    # all three: (4 covered, 0 wrong, 1.5/4); without the last: 1/5; without the first: (5, 1), 2/6 ...
    assert RulePruning(order="reverse").pruned(rule, X, DONOR, np.ones(11)) == (
        Condition(0, low=50.0),
        Condition(1, low=46000.0),
    )  # then without Salary: 1.5/6 = 0.25, without Age: 1.5/7 = 0.214: both more than 0.2
    assert RulePruning(order="greedy", delta=1.0).pruned(rule, X, DONOR, np.ones(11)) == (
        Condition(1, low=46000.0),
    )  # 2/5 without the last one, then 2/7 without Age and 2/6 without Salary


def test_rules_that_become_equal_are_kept_once_and_counted_again():
    wanted = Condition(1, low=55500.0)
    rules = tuple(Rule((wanted, Condition(0, high=high)), "Y") for high in (60.0, 58.0))
    base = RuleBase(rules, CHARITY.X.schema, ("N", "Y"), "N")
    pruned = prune_rules(base, CHARITY.X, Y)
    assert len(pruned) == 1 and pruned[0].conditions == (wanted,)
    assert pruned[0].counts == (0.0, 5.0) and pruned[0].n == 5


def test_weights_count_as_rows():
    rule = (Condition(1, low=46000.0), Condition(0, low=40.5), Condition(0, high=58.0))
    w = np.arange(11) % 3 + 1
    again = np.repeat(np.arange(11), w)
    for order in ("reverse", "any", "greedy"):
        pruning = RulePruning(order=order)
        assert pruning.pruned(rule, X, DONOR, w.astype(float)) == pruning.pruned(
            rule, X[again], DONOR[again], np.ones(len(again))
        )


def test_pruning_makes_fewer_conditions_on_noisy_data():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(600, 6))
    y = np.where(draw.random(600) < 0.15, draw.integers(0, 2, 600), (X[:, 0] > 0) & (X[:, 1] > 0)).astype(int)
    grown = SequentialCoveringClassifier().fit(X, y)
    new = draw.normal(size=(2000, 6))
    truth = ((new[:, 0] > 0) & (new[:, 1] > 0)).astype(int)
    for options in (
        {"pruning": "greedy", "pruning_error": "penalised"},
        {"pruning": "reverse", "pruning_error": "plain", "validation_fraction": 1 / 3, "random_state": 0},
    ):
        pruned = SequentialCoveringClassifier(**options).fit(X, y)
        size = [sum(len(rule.conditions) for rule in model.rules_) for model in (pruned, grown)]
        assert size[0] < size[1]
        assert pruned.score(new, truth) >= grown.score(new, truth)


def test_what_cannot_be_pruned_is_refused_in_a_sentence():
    table = Table.of({"a": [1.0, 2.0]})
    numbers = RuleBase((Rule((Condition(0, high=1.5),), 2.0),), table.schema)
    with pytest.raises(ParameterError, match=r"prune_rules: the rules answer with numbers"):
        prune_rules(numbers, table, [1.0, 2.0])
    base = RuleBase((Rule((Condition(0, high=1.5),), "a"),), table.schema, ("a", "b"), "b")
    with pytest.raises(
        ParameterError, match="prune_rules: order must be one of greedy, reverse, any, got 'x'"
    ):
        prune_rules(base, table, ["a", "b"], order="x")
    with pytest.raises(ParameterError, match="confidence must lie between 0 and 1"):
        prune_rules(base, table, ["a", "b"], confidence=1.0)
    with pytest.raises(DataError, match="prune_rules: X has 2 rows, y has 1"):
        prune_rules(base, table, ["a"])
