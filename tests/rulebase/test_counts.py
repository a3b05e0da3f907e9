"""What rows say about rules, counted one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.rulebase import counts as rule_counts
from assay.rulebase.conditions import Condition
from assay.rulebase.counts import class_codes, counted
from assay.rulebase.rules import POLICIES, Rule, RuleBase
from assay.tables import Schema

rules = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 2)), max_size=5)


def by_the_book(base, X, y, w):
    """Row by row: a list counts a row where it stops, a set counts it wherever it is covered."""
    R, K = len(base.rules), len(base.classes)
    counts = np.zeros((R + 1, K))
    for x, k, weight in zip(X, y, w):
        covering = [r for r, rule in enumerate(base.rules) if rule.covers(x[None, :])[0]]
        for r in covering[:1] if base.policy == "first" else covering:
            counts[r, k] += weight
        if not covering:
            counts[R, k] += weight
    return counts


@settings(max_examples=60, deadline=None)
@given(rules, st.sampled_from(POLICIES), st.integers(0, 99))
def test_counts_by_the_book(result, policy, seed):
    rng = np.random.default_rng(seed)
    X, y, w = rng.random((30, 1)), rng.integers(0, 3, 30), rng.integers(0, 3, 30).astype(float)
    made = tuple(Rule((Condition(0, low=t),), "abc"[k]) for t, k in result)
    base = counted(RuleBase(made, Schema.numeric(1), tuple("abc"), policy=policy), X, y, w)
    expected = by_the_book(base, X, y, w)
    assert [rule.counts for rule in base] == [tuple(row) for row in expected[:-1].tolist()]
    assert base.default_counts == tuple(expected[-1].tolist())
    assert base.totals == tuple(np.bincount(y, w, 3).tolist())
    for rule in base:
        assert rule.n == sum(rule.counts) and rule.total == w.sum()
        assert rule.correct == rule.counts["abc".index(rule.answer)]


def test_numbers_are_measured_about_the_answer():
    base = RuleBase(
        (Rule((Condition(0, high=1.0),), 1e9), Rule((Condition(0, high=2.0),), 3.0)), Schema.numeric(1)
    )
    X, y = np.array([[0.0], [0.5], [1.5]]), np.array([1e9 + 0.25, 1e9 - 0.25, 4.0])
    first = counted(base, X, y)
    assert [rule.error for rule in first] == [0.25, 1.0] and [rule.n for rule in first] == [2, 1]
    everyone = counted(RuleBase(base.rules, base.schema, policy="votes"), X, y)
    assert everyone[1].n == 3
    assert counted(base, X[:0], y[:0])[0].error is None


def test_pieces_of_rows_count_alike(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.random((500, 1)), rng.integers(0, 2, 500)
    made = tuple(Rule((Condition(0, low=t),), "a") for t in rng.random(300))
    base = RuleBase(made, Schema.numeric(1), ("a", "b"), policy="votes")
    whole = counted(base, X, y)
    monkeypatch.setattr(rule_counts, "CELLS", 3000)
    assert counted(base, X, y) == whole


def test_labels_that_are_no_class():
    assert class_codes(("no", "yes"), np.array(["yes", "no"])).tolist() == [1, 0]
    with pytest.raises(DataError, match="the label 'perhaps', which is none of the classes 'no', 'yes'"):
        class_codes(("no", "yes"), np.array(["perhaps"]))
    assert_allclose(class_codes((1, 2), np.array([2, 2, 1])), [1, 1, 0])
