"""CMAR: chi-square of rules, pruning, coverage, weighted vote."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2_contingency

from assay.associations.interest import interest
from assay.rulebase.conditions import Condition
from assay.rulebase.rules import Rule
from assay.rules.associative.class_association_rules import class_association_rules
from assay.rules.associative.cmar_classifier import CMARClassifier
from assay.rules.associative.scored_rules import rule_weights
from assay.tables.data import (
    load_breast_cancer_ljubljana,
    load_charity_donors,
    load_contact_lenses,
    load_german_credit,
)

CHARITY = {"min_support": 2 / 11, "min_confidence": 0.6, "cuts": {"Age": [50], "Salary": [50000]}}


@pytest.mark.capability("DC-61")
def test_chi_square_of_the_charity_rules():
    """DC 10.4.4: chi-square 7.638889, 7.542857 twice and 4.412222 twice, of at most 11 for the last two."""
    data = load_charity_donors()
    model = CMARClassifier(**CHARITY).fit(data.X, data.y)
    names = ["Age > 50 AND Salary > 50000", "Salary <= 50000", "Salary > 50000", "Age > 50", "Age <= 50"]
    assert [rule.premise(model.schema_) for rule in model.rules_] == names
    n, own = np.array([r.n for r in model.rules_]), np.array([6, 5, 6, 6, 5])
    chi = interest("chi_square", [r.correct for r in model.rules_], n, own, 11)
    most = interest("chi_square", np.minimum(n, own), n, own, 11)
    assert_allclose(chi, [7.638889, 7.542857, 7.542857, 4.412222, 4.412222], atol=5e-7)
    assert_allclose(most, [7.638889, 7.542857, 7.542857, 11, 11], atol=5e-7)
    by_formula = (
        (np.minimum(n, own) - n * own / 11) ** 2
        * 11
        * (1 / (n * own) + 1 / (n * (11 - own)) + 1 / ((11 - n) * own) + 1 / ((11 - n) * (11 - own)))
    )
    assert_allclose(most, by_formula, rtol=1e-12)
    assert_allclose(rule_weights(model.rules_)[3:], 1.769791, atol=5e-7)


@pytest.mark.capability("DC-61")
def test_the_class_with_the_largest_sum_is_the_answer():
    """Jane is rich (7.542857 for Y) and young (1.769791 for N); a poor young row hears N alone."""
    data = load_charity_donors()
    model = CMARClassifier(**CHARITY).fit(data.X, data.y)
    y, n = 7.542857142857143, 4.412222222222222**2 / 11
    assert_allclose(
        model.predict_proba([[38, 55000], [20, 20000]]), [[n / (n + y), y / (n + y)], [1, 0]], atol=1e-9
    )
    assert np.flatnonzero(model.predict(data.X) != data.y).tolist() == [3]
    text = str(model.explain([[38, 55000]]))
    assert "R5    N                     1.77" in text
    assert "Y      7.543" in text


def kept_by_the_book(rules, X, y, coverage):
    """Most general first, significant ones, then coverage; each step as it is told."""
    rules = list(rules)
    general = [
        r for i, r in enumerate(rules) if not any(set(s.conditions) < set(r.conditions) for s in rules[:i])
    ]
    strong = []
    for rule in general:
        held, own = rule.covers(X), y == rule.answer
        table = np.array([[(h & o).sum() for o in (own, ~own)] for h in (held, ~held)])
        if (table.sum(axis=0) == 0).any() or (table.sum(axis=1) == 0).any():
            continue
        chi = chi2_contingency(table, correction=False).statistic
        if chi > 3.841459 and table[0, 0] / table[0].sum() > own.mean():
            strong.append(rule)
    times, kept = np.zeros(len(y), int), []
    for rule in strong:
        there = rule.covers(X) & (times < coverage)
        if (there & (y == rule.answer)).any():
            kept.append((rule.conditions, rule.answer))
            times[there] += 1
    return kept


@pytest.mark.capability("DC-61")
@pytest.mark.parametrize("coverage", [1, 4])
@pytest.mark.parametrize("load", [load_german_credit, load_breast_cancer_ljubljana, load_contact_lenses])
def test_rules_are_chosen_as_the_parameters_define(load, coverage):
    data = load()
    y, how = np.asarray(data.y), {"min_support": 0.05, "max_length": 2}
    model = CMARClassifier(coverage=coverage, **how).fit(data.X, y)
    rules = class_association_rules(data.X, y, extend_sure=True, **how)
    wanted = kept_by_the_book(rules, rules.block(data.X), y, coverage)
    assert [(r.conditions, r.answer) for r in model.rules_] == wanted
    assert wanted


def test_a_rule_of_ones_own_is_as_strong_as_the_strongest():
    data = load_charity_donors()
    model = CMARClassifier(**CHARITY).fit(data.X, data.y)
    own = Rule((Condition(0, high=30.0),), "N")
    changed = model.with_rules(replace(model.rules_, rules=(*model.rules_, own)))
    weights = rule_weights(changed.rules_)
    assert weights[-1] == weights[:-1].max()
    assert changed.predict([[25, 90000]]).tolist() == ["N"]
    assert model.predict([[25, 90000]]).tolist() == ["Y"]
