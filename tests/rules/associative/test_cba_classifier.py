"""CBA and its builder M1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.rulebase.rules import RuleBase
from assay.rules.associative.cba_classifier import CBAClassifier
from assay.rules.associative.class_association_rules import class_association_rules
from assay.tables.data import load_breast_cancer, load_charity_donors, load_german_credit, load_iris

CUTS = {"Age": [50], "Salary": [50000]}


@pytest.mark.capability("DC-59")
def test_m1_keeps_one_rule_of_the_charity_table():
    """DC 10.4.4: {Age > 50, Salary > 50000} => Y, default N, one training error (Allen)."""
    data = load_charity_donors()
    model = CBAClassifier(min_support=2 / 11, min_confidence=0.6, cuts=CUTS).fit(data.X, data.y)
    assert str(model) == "R1: IF Age > 50 AND Salary > 50000 THEN Y\nELSE N"
    assert np.flatnonzero(model.predict(data.X) != data.y).tolist() == [2]  # Allen
    assert model.n_mined_ == 5
    assert model.rules_[0].counts == (0, 5)
    assert model.rules_.default_counts == (5, 1)


def m1_by_the_book(rules: RuleBase, X, y):
    """The builder as it is told: rows leave one rule after the other, the error is counted anew each time."""
    labels = list(rules.classes)
    prior = [(y == c).sum() for c in labels]

    def majority(rows):
        return max(range(len(labels)), key=lambda k: ((y[rows] == labels[k]).sum(), prior[k], -k))

    left, kept, errors, defaults, wrong = np.ones(len(y), bool), [], [], [], 0
    for rule in rules:
        covered = rule.covers(X) & left
        if not (covered & (y == rule.answer)).any():
            continue
        wrong += (covered & (y != rule.answer)).sum()
        left &= ~covered
        default = labels[majority(left)]
        kept.append(rule)
        defaults.append(default)
        errors.append(wrong + (left & (y != default)).sum())
        if not left.any():
            break
    last = int(np.argmin(errors))
    return [(r.conditions, r.answer) for r in kept[: last + 1]], defaults[last], errors[last]


@pytest.mark.parametrize("load", [load_german_credit, load_iris, load_breast_cancer])
@pytest.mark.parametrize("pessimistic", [False, True])
@pytest.mark.capability("DC-59")
def test_m1_as_the_parameters_define(load, pessimistic):
    data = load()
    y = np.asarray(data.y)
    how = {"min_support": 0.05, "max_length": 2, "pessimistic": pessimistic}
    model = CBAClassifier(**how).fit(data.X, y)
    all_rules = class_association_rules(data.X, y, **how)
    kept, default, errors = m1_by_the_book(all_rules, model.rules_.block(data.X), y)
    assert [(r.conditions, r.answer) for r in model.rules_] == kept
    assert model.rules_.default == default
    assert (model.predict(data.X) != y).sum() == errors


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=20)
def test_a_weight_of_two_is_two_rows(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (40, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] > 2).astype(int) ^ (rng.random(40) < 0.1)
    w = rng.integers(0, 3, 40)
    w[:2] = 1
    weighed = CBAClassifier(min_support=0.05).fit(X, y, sample_weight=w)
    repeated = CBAClassifier(min_support=0.05).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert str(weighed) == str(repeated)
    assert_array_equal(weighed.predict_proba(X), repeated.predict_proba(X))


def test_numbers_are_cut_by_themselves():
    data = load_iris()
    model = CBAClassifier().fit(data.X, data.y)
    assert model.score(data.X, data.y) > 0.95
    assert_array_equal(list(model.cuts_.values())[2], [2.45, 4.75])


def test_what_is_printed_is_what_is_applied():
    data = load_german_credit()
    model = CBAClassifier().fit(data.X, data.y)
    assert_array_equal(model.rules_.predict(data.X), model.predict(data.X))
    assert model.rules_.policy == "first"
    assert sum(rule.n for rule in model.rules_) + sum(model.rules_.default_counts) == 1000


def test_too_many_sets_are_refused_before_they_are_counted():
    data = load_breast_cancer()
    with pytest.raises(
        ValueError, match=r"^CBAClassifier: about .* item sets of up to 19 items .* Raise min_support"
    ):
        CBAClassifier(max_length=19).fit(data.X, data.y)
