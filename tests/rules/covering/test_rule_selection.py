"""Subsets of rules with the shortest description, and the order of classes."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.rulebase.conditions import Condition
from assay.rulebase.measures import exception_bits, rule_bits
from assay.rulebase.rules import Rule
from assay.rules.covering.rule_selection import class_order, possible_conditions, shortest_subset, theory_bits


def length(covered, target, w, bits, chosen, weight):
    inside = covered[:, chosen].any(axis=1) if len(chosen) else np.zeros(len(target), bool)
    c, u = w[inside].sum(), w[~inside].sum()
    exceptions = exception_bits(c, u, w[inside & ~target].sum(), w[~inside & target].sum())
    return float(exceptions) + weight * bits[list(chosen)].sum()


@pytest.mark.capability("DC-41")
@settings(max_examples=60, deadline=None)
@given(st.integers(1, 30), st.integers(1, 6), st.integers(0, 10**6))
def test_no_single_change_shortens_what_was_found(n, R, seed):
    rng = np.random.default_rng(seed)
    covered, target = rng.random((n, R)) < 0.4, rng.random(n) < 0.5
    w, bits = rng.integers(1, 4, n).astype(float), rng.uniform(1, 9, R)
    stays = shortest_subset(covered, target, w, bits, 0.5)
    here = length(covered, target, w, bits, np.flatnonzero(stays), 0.5)
    for r in range(R):
        other = stays.copy()
        other[r] ^= True
        assert length(covered, target, w, bits, np.flatnonzero(other), 0.5) >= here - 1e-7
    assert here <= length(covered, target, w, bits, np.arange(R), 0.5) + 1e-9


def test_clear_cases_are_the_best_of_all_subsets():
    rows = np.arange(60)
    target = rows < 30
    covered = np.column_stack([rows < 15, (rows >= 15) & (rows < 30), rows < 10, rows >= 20])
    bits = np.full(4, 4.0)
    stays = shortest_subset(covered, target, np.ones(60), bits)
    assert stays.tolist() == [True, True, False, False]
    best = min(
        (length(covered, target, np.ones(60), bits, np.array(s, int), 0.5), s)
        for k in range(5)
        for s in itertools.combinations(range(4), k)
    )
    assert best[1] == (0, 1)


def test_theory_counts_both_ends_of_an_interval():
    rules = [
        Rule((Condition(0, 1.0, 2.0), Condition(1, codes=(0,))), "a"),
        Rule((Condition(0, high=2.0),), "a"),
    ]
    assert_allclose(theory_bits(rules, 20), 2 * rule_bits(np.array([3.0, 1.0]), 20))
    X = np.array([[1.0, 0], [2.0, 1], [2.0, np.nan]])
    assert possible_conditions(X, np.array([0, 3])) == 2 * 2 + 3


def test_classes_by_false_positives_and_by_length():
    y, w = np.array([0, 0, 1, 1, 1, 2]), np.ones(6)
    covered = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]], bool)
    answers, bits = np.array([0, 1, 2]), np.array([1.0, 1.0, 9.0])
    assert class_order("false_positives", covered, answers, y, w, bits) == [2, 0, 1]  # 1, 1 and 0 wrong
    assert class_order("mdl", covered, answers, y, w, bits) == [0, 1, 2]  # 1 + 1, 1 + 1, 9 + 0
