"""From scores of classes to probabilities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import assay.rules.scored_rules as scored_rules
from assay.core.conditions import Condition
from assay.core.rules import Rule, RuleBase
from assay.rules.scored_rules import posterior_of_scores, rule_score_sections
from assay.tables import Schema

RULES = (Rule((Condition(0, high=1.0),), "a"), Rule((Condition(1, high=1.0),), "b"))


def base(totals):
    return RuleBase(
        RULES,
        Schema.numeric(2),
        ("a", "b", "c"),
        "c",
        policy="votes",
        totals=totals,
        default_counts=(0, 1, 3),
    )


def adding(*weights):
    return lambda fired: fired @ np.array([[weights[0], 0, 0], [0, weights[1], 0]])


X = np.array([[0.0, 2.0], [2.0, 0.0], [0.0, 0.0], [2.0, 2.0]])


def test_shares_of_the_scores_and_the_default_where_nothing_fires():
    posterior = posterior_of_scores(base((5, 5, 5)), X, adding(1.0, 3.0))
    assert_allclose(posterior, [[1, 0, 0], [0, 1, 0], [0.25, 0.75, 0], [1 / 7, 2 / 7, 4 / 7]], atol=1e-12)


@pytest.mark.parametrize("totals, winner", [((5, 6, 9), 1), ((6, 5, 9), 0), ((5, 5, 9), 0)])
def test_equal_scores_go_to_the_larger_prior_then_to_the_first(totals, winner):
    posterior = posterior_of_scores(base(totals), X, adding(0.3, 0.1 + 0.2))  # equal up to rounding
    assert posterior[2].argmax() == winner
    assert_allclose(posterior[2], [0.5, 0.5, 0], atol=1e-8)


def test_many_rows_are_looked_at_piece_by_piece(monkeypatch):
    many = np.random.default_rng(0).uniform(0, 2, (50, 2))
    whole = posterior_of_scores(base((5, 5, 5)), many, adding(1.0, 3.0))
    monkeypatch.setattr(scored_rules, "CELLS", 14)
    assert_allclose(posterior_of_scores(base((5, 5, 5)), many, adding(1.0, 3.0)), whole, atol=0)


def test_reasons_of_one_row():
    rules, classes = rule_score_sections(
        base((5, 5, 5)), X[2:3], np.array([1.0, 3.0]), adding(1.0, 3.0), "worth"
    )
    assert rules.rows == [["R1", "a", 1.0], ["R2", "b", 3.0]]
    assert classes.rows == [["a", 1.0], ["b", 3.0], ["c", 0.0]]
    assert rule_score_sections(base((5, 5, 5)), X[3:4], np.ones(2), adding(1.0, 3.0), "worth") == []
