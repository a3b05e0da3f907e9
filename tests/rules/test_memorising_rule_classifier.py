"""Rules learned by heart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.rules.memorising_rule_classifier import MemorisingRuleClassifier
from assay.tables.data import load_charity_donors, load_german_credit, load_iris


@pytest.mark.capability("DC-117")
@pytest.mark.parametrize("load", [load_charity_donors, load_german_credit, load_iris])
def test_every_distinct_training_row_is_right(load):
    data = load()
    model = MemorisingRuleClassifier().fit(data.X, data.y)
    assert model.score(data.X, data.y) == 1.0
    values = model._admit(data.X)
    assert model.n_rules_ == len(np.unique(values, axis=0))
    assert all(len(rule.conditions) == values.shape[1] for rule in model.rules_)


def test_equal_rows_answer_with_their_most_frequent_class():
    X = [[1.0, np.nan], [1.0, np.nan], [1.0, np.nan], [2.0, 0.0]]
    model = MemorisingRuleClassifier().fit(X, ["a", "b", "b", "c"])
    assert str(model).splitlines()[0] == "R1: IF x0 = 1 AND x1 is missing THEN b"
    assert_array_equal(model.predict([[1.0, np.nan], [1.0, 0.0], [3.0, 3.0]]), ["b", "b", "b"])
    assert model.rules_[0].counts == (1.0, 2.0, 0.0)


@settings(max_examples=40, deadline=None)
@given(
    st.floats(0, 2), st.lists(st.integers(-20, 20), min_size=1, max_size=12, unique=True), st.floats(-25, 25)
)
def test_tolerance_is_an_interval_around_each_number(tolerance, numbers, x):
    X = np.array(numbers, float)[:, None]
    model = MemorisingRuleClassifier(tolerance).fit(X, np.arange(len(numbers)))
    inside = [i for i, v in enumerate(X[:, 0]) if v - tolerance <= x <= v + tolerance]
    assert model.predict([[x]])[0] == (inside[0] if inside else 0)


def test_zero_weights_are_forgotten():
    model = MemorisingRuleClassifier().fit([[1.0], [2.0]], ["a", "b"], sample_weight=[0.0, 1.0])
    assert model.n_rules_ == 1 and model.predict([[1.0]])[0] == "b"
