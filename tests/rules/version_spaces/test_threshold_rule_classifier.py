"""Threshold rules: the best of all pairs of thresholds, and the search with more columns."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError
from assay.rules.version_spaces.threshold_rule_classifier import ThresholdRuleClassifier


def corner_by_the_book(X, s):
    """All pairs of thresholds: the largest sum of s; then margin, fewer thresholds, the smallest pair."""
    result = []
    cuts = []
    for j in (0, 1):
        v = np.unique(X[:, j])
        cuts.append([(-np.inf, np.inf), *((a / 2 + b / 2, (b - a) / 2) for a, b in itertools.pairwise(v))])
    for a, margin_a in cuts[0]:
        for b, margin_b in cuts[1]:
            value = s[(X[:, 0] > a) & (X[:, 1] > b)].sum()
            active = int(np.isfinite(a)) + int(np.isfinite(b))
            result.append((-value, -min(margin_a, margin_b), active, a, b))
    return min(result)


@pytest.mark.capability("IML-1-01")
def test_thresholds_of_separable_data_are_recovered():
    """IML figure 1-1: income above theta 1 and savings above theta 2 is low risk; the thresholds lie in the gaps."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"income": rng.uniform(10, 100, 400), "savings": rng.uniform(0, 50, 400)})
    low = (frame["income"] > 40) & (frame["savings"] > 15)
    model = ThresholdRuleClassifier(positive="low").fit(frame, np.where(low, "low", "high"))
    income, savings = model.rules_[0].conditions
    edge = frame["income"].where((frame["savings"] > savings.low) & ~low).max()
    assert edge < income.low < frame.loc[low, "income"].min()
    edge = frame["savings"].where((frame["income"] > income.low) & ~low).max()
    assert edge < savings.low < frame.loc[low, "savings"].min()
    assert model.errors_ == 0 and model.exact_ and model.score(frame, np.where(low, "low", "high")) == 1
    assert str(model) == f"R1: IF income > {income.low} AND savings > {savings.low} THEN low\nELSE high"


@pytest.mark.capability("IML-1-01")
@settings(max_examples=80, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_two_columns_give_the_best_of_all_pairs_with_its_ties(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 8, (int(rng.integers(2, 25)), 2)).astype(float)
    y = rng.integers(0, 2, len(X))
    y[:2] = 0, 1
    w = rng.integers(1, 3, len(X)).astype(float)
    value, margin, _, a, b = corner_by_the_book(X, np.where(y == 1, w, -w))
    model = ThresholdRuleClassifier(positive=1).fit(X, y, sample_weight=w)
    assert model.errors_ == w[y == 1].sum() + value and model.margin_ == -margin
    at = {c.column: c.low for c in model.rules_[0].conditions}
    assert (at.get(0, -np.inf), at.get(1, -np.inf)) == (a, b)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_columns_may_also_be_below(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 8, (15, 2)).astype(float), rng.integers(0, 2, 15)
    y[:2] = 0, 1
    best = min(
        corner_by_the_book(X * [p, q], np.where(y == 1, 1.0, -1.0))[0] for p in (1, -1) for q in (1, -1)
    )
    model = ThresholdRuleClassifier(positive=1, directions="either").fit(X, y)
    assert model.errors_ == (y == 1).sum() + best
    assert np.sum(model.predict(X) != y) == model.errors_


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_more_columns_find_a_rule_without_errors_if_there_is_one(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 5))
    X[0] = 3
    y = (X[:, [0, 2, 4]] > [-0.5, -0.8, -1]).all(axis=1).astype(int)
    y[1], X[1] = 0, -3
    model = ThresholdRuleClassifier(positive=1).fit(X, y)
    assert model.errors_ == 0 and model.exact_


def test_more_columns_are_searched_well():
    """Three columns, 40 rows with noise: within one error of the best of all triples of thresholds."""
    rng = np.random.default_rng(1)
    worse = 0
    for _ in range(10):
        X = rng.integers(0, 6, (40, 3)).astype(float)
        y = ((X > 1).all(axis=1) ^ (rng.random(40) < 0.15)).astype(int)
        y[:2] = 0, 1
        s = np.where(y == 1, 1, -1)
        best = max(
            s[(np.array([a, b, c]) - 0.5 < X).all(axis=1)].sum()
            for a in range(7)
            for b in range(7)
            for c in range(7)
        )
        model = ThresholdRuleClassifier(positive=1).fit(X, y)
        assert model.exact_ == (model.errors_ == 0)
        worse += model.errors_ - ((y == 1).sum() - best)
    assert worse <= 1


def test_conditions_that_are_worth_something_only_together_are_found():
    """A rectangle as four thresholds, with a tenth of the labels wrong: no more errors than the true rectangle."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = rng.uniform(0, 10, (150, 2))
        inside = ((X > [2.5, 3]) & (X < [7, 7.5])).all(axis=1)
        y = inside ^ (rng.random(150) < 0.1)
        model = ThresholdRuleClassifier(positive=True).fit(np.column_stack([X, -X]), y)
        assert model.errors_ <= np.sum(inside != y)


def test_the_class_that_is_easier_to_describe_is_described():
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["a", "a", "a", "b"]
    assert str(ThresholdRuleClassifier().fit(X, y)) == "R1: IF x0 > 0.5 AND x1 > 0.5 THEN b\nELSE a"
    X = [[0.0], [1.0], [2.0]]
    assert str(ThresholdRuleClassifier().fit(X, ["p", "q", "q"])) == "R1: IF x0 > 0.5 THEN q\nELSE p"


def test_a_missing_value_exceeds_nothing():
    X, y = [[np.nan], [1.0], [2.0], [np.nan]], ["no", "yes", "yes", "no"]
    model = ThresholdRuleClassifier(positive="yes").fit(X, y)
    assert str(model) == "R1: IF x0 is known THEN yes\nELSE no"
    assert_array_equal(model.predict(X), y)
    mixed = ThresholdRuleClassifier(positive="yes").fit(
        [[np.nan], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    )
    assert_array_equal(mixed.predict([[np.nan], [1.4], [1.6]]), ["no", "no", "yes"])


def test_columns_without_an_order_are_not_used():
    frame = pd.DataFrame(
        {"kind": ["u", "v", "u"], "size": pd.Categorical(["S", "L", "L"], ["S", "L"], ordered=True)}
    )
    model = ThresholdRuleClassifier(positive=1).fit(frame, [0, 1, 1])
    assert str(model) == "R1: IF size > 'S' THEN 1\nELSE 0"
    only = ThresholdRuleClassifier().fit(frame[["kind"]], [0, 1, 1])
    assert_array_equal(only.predict(frame[["kind"]]), [1, 1, 1])


def test_degenerate_tables():
    assert ThresholdRuleClassifier().fit([[1.0], [2.0]], ["a", "a"]).predict([[9.0]]) == ["a"]
    same = ThresholdRuleClassifier().fit([[1.0, 2.0]] * 3, ["a", "b", "b"])
    assert same.errors_ == 1 and same.predict([[1.0, 2.0]]) == ["b"]
    near = np.nextafter(1.0, 2.0)
    assert_array_equal(
        ThresholdRuleClassifier().fit([[1.0], [near]], [0, 1]).predict([[1.0], [near]]), [0, 1]
    )
    huge = ThresholdRuleClassifier().fit([[-1.7e308, 0], [1.7e308, 0]], [0, 1])
    assert_array_equal(huge.predict([[-1e308, 0], [1.7e308, 0]]), [0, 1])
    light = ThresholdRuleClassifier().fit([[1.0], [2.0], [9.0]], [0, 1, 0], sample_weight=[1, 1, 0])
    assert light.errors_ == 0 and light.margin_ == 0.5
    assert_allclose(light.rules_.totals, [1, 1])
    with pytest.raises(DataError, match="y has 3"):
        ThresholdRuleClassifier().fit([[1], [2], [3]], list("abc"))
