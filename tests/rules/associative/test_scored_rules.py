"""From scores of classes to probabilities."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay.rules.associative.scored_rules as scored_rules
from assay.rulebase.conditions import Condition
from assay.rulebase.posterior import rules_posterior, shares
from assay.rulebase.rules import POLICIES, Rule, RuleBase
from assay.rules.associative.class_association_rules import class_association_rules
from assay.rules.associative.cmar_classifier import CMARClassifier
from assay.rules.associative.cpar_classifier import CPARClassifier
from assay.rules.associative.scored_rules import (
    rule_score_sections,
    rule_scores,
    rule_weights,
    voted_posterior,
)
from assay.tables import Schema
from assay.tables.data import load_german_credit

RULES = (Rule((Condition(0, high=1.0),), "a"), Rule((Condition(1, high=1.0),), "b"))


def base(totals, policy="votes"):
    return RuleBase(
        RULES,
        Schema.numeric(2),
        ("a", "b", "c"),
        "c",
        policy=policy,
        totals=totals,
        default_counts=(0, 1, 3),
    )


X = np.array([[0.0, 2.0], [2.0, 0.0], [0.0, 0.0], [2.0, 2.0]])


def test_shares_of_the_scores_and_the_default_where_nothing_fires():
    rules = base((5, 5, 5))
    scores, heard = rule_scores(rules, X, np.array([1.0, 3.0]))
    assert heard.ravel().tolist() == [1, 1, 2, 0]
    posterior = shares(rules, scores)
    assert_allclose(posterior, [[1, 0, 0], [0, 1, 0], [0.25, 0.75, 0], [1 / 7, 2 / 7, 4 / 7]], atol=1e-12)


@pytest.mark.parametrize("policy", ["chi_square", "laplace"])
@pytest.mark.parametrize("totals, winner", [((5, 6, 9), 1), ((6, 5, 9), 0), ((5, 5, 9), 0)])
def test_equal_scores_go_to_the_larger_prior_then_to_the_first(totals, winner, policy):
    posterior = shares(base(totals, policy), np.array([[0.3, 0.1 + 0.2, 0.0]]))  # equal up to rounding
    assert posterior[0].argmax() == winner
    assert_allclose(posterior[0], [0.5, 0.5, 0], atol=1e-8)


def scores_by_the_book(rules, X, adds, top, per_class):
    scores = np.zeros((len(X), len(rules.classes)))
    heard = np.zeros((len(X), len(rules.classes) if per_class else 1), int)
    for rule, worth in zip(rules, adds, strict=True):
        k = rules.classes.index(rule.answer)
        for i in np.flatnonzero(rule.covers(X)):
            if top is None or heard[i, k if per_class else 0] < top:
                heard[i, k if per_class else 0] += 1
                scores[i, k] += worth
    return scores, heard


@pytest.mark.parametrize("n", [1, 64, 100])
@pytest.mark.parametrize("top, per_class", [(None, False), (2, False), (2, True), (1, True)])
def test_scores_as_the_parameters_define(monkeypatch, n, top, per_class):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    ends = [Condition(j, high=h) for j in range(3) for h in (-0.5, 0.0, 0.5)]
    rules = tuple(
        Rule(tuple(rng.choice(ends, size, replace=False)), "abc"[k])
        for size, k in zip(rng.integers(0, 4, 40), rng.integers(0, 3, 40), strict=True)
    )
    many = RuleBase(rules, Schema.numeric(3), ("a", "b", "c"), "a", policy="votes")
    adds = rng.random(40)
    wanted = scores_by_the_book(many, X, adds, top, per_class)
    for rows in (scored_rules.ROWS, 64):
        monkeypatch.setattr(scored_rules, "ROWS", rows)
        for got, right in zip(rule_scores(many, X, adds, top=top, per_class=per_class), wanted, strict=True):
            assert_array_equal(got, right)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("top", [None, 3])
def test_votes_are_those_of_the_rule_base(policy, top):
    data = load_german_credit()
    rules = class_association_rules(data.X, data.y, min_support=0.1, max_length=2)
    rules = replace(rules, policy=policy, top=top, default="good", default_counts=(1, 2))
    values = rules.block(data.X)
    values[:5] = np.nan  # no rule fires
    assert_array_equal(voted_posterior(rules, values), rules_posterior(rules, values))


def test_reasons_of_one_row():
    counted = [
        replace(r, n=n, total=9, counts=c, correct=n)
        for r, n, c in zip(RULES, (1, 3), ((1, 0, 0), (0, 3, 0)))
    ]
    rules = replace(base((1, 3, 5), "laplace"), rules=tuple(counted))
    text, classes = rule_score_sections(rules, X[2:3], "worth")(0)
    assert_allclose(rule_weights(rules), [2 / 4, 4 / 6], rtol=1e-12)
    assert [row[:2] for row in text.rows] == [["R1", "a"], ["R2", "b"]]
    assert_allclose([row[1] for row in classes.rows], [2 / 4, 4 / 6, 0], rtol=1e-12)
    assert rule_score_sections(rules, X[3:4], "worth")(0) == []


@pytest.mark.parametrize(
    "learner", [CMARClassifier(min_support=0.1, max_length=2), CPARClassifier(min_gain=5)]
)
def test_rules_that_are_exported_answer_as_their_learner(learner):
    data = load_german_credit()
    model = learner.fit(data.X, data.y)
    answers = model.predict(data.X)
    assert_array_equal(model.rules_.predict(data.X), answers)
    assert_allclose(model.rules_.posterior(data.X), model.predict_proba(data.X), rtol=1e-12)
    assert_array_equal(RuleBase.from_json(model.rules_.to_json()).predict(data.X), answers)
    run: dict = {}
    exec(model.rules_.to_python(), run)
    rows = data.frame("pyarrow").to_pylist()
    assert [run["predict"](row) for row in rows[:200]] == answers[:200].tolist()
