"""Unions of boxes: clusters, the worst case, noise, and how a box grows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris

import assay.rules.version_spaces._boxes as _boxes
from assay.rules.version_spaces.box_union_classifier import BoxUnionClassifier

CLUSTERS = np.array([[1, 1], [2, 2], [1, 2], [8, 8], [9, 9], [8, 9], [5, 5], [1, 9], [9, 1]], float)
KIND = np.array([1] * 6 + [0] * 3)


@pytest.mark.capability("IML-2-08")
def test_two_disjoint_clusters_need_two_boxes():
    model = BoxUnionClassifier(hypothesis="specific").fit(CLUSTERS, KIND)
    text = [rule.premise(model.schema_) for rule in model.rules_ if rule.answer == 1]
    assert sorted(text) == ["1 <= x0 <= 2 AND 1 <= x1 <= 2", "8 <= x0 <= 9 AND 8 <= x1 <= 9"]
    assert model.score(CLUSTERS, KIND) == 1 and not model.uncovered_.any()
    one = BoxUnionClassifier(1).fit(CLUSTERS, KIND)
    assert sum(rule.answer == 1 for rule in one.rules_) == 1 and one.uncovered_[1] == 3


@pytest.mark.capability("IML-2-08")
def test_in_the_worst_case_every_row_has_a_box():
    """A line of rows whose classes alternate: m = N."""
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    model = BoxUnionClassifier().fit(X, y)
    assert len(model.rules_) == 20 and model.score(X, y) == 1


@pytest.mark.capability("IML-2-08")
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["middle", "specific"]))
def test_enough_boxes_fit_any_rows_that_do_not_contradict_each_other(seed, hypothesis):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    X = pd.DataFrame(
        {
            "a": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 5, n)),
            "b": pd.Categorical.from_codes(rng.integers(-1, 3, n), ["p", "q", "r"]),
        }
    )
    y = rng.integers(0, 3, n)
    keep = ~X.duplicated()
    model = BoxUnionClassifier(hypothesis=hypothesis).fit(X[keep], y[keep])
    assert model.score(X[keep], y[keep]) == 1
    assert len(model.rules_) <= keep.sum()


def test_of_equal_rows_the_most_frequent_class_counts():
    X, y = [[1.0], [1.0], [1.0], [2.0], [3.0], [3.0]], ["a", "a", "b", "b", "a", "b"]
    model = BoxUnionClassifier(hypothesis="specific").fit(X, y)
    assert_array_equal(model.predict([[1.0], [2.0]]), ["a", "b"])
    assert_array_equal(model.uncovered_, [1, 2])  # b in the first group, both at 3


def test_boxes_of_little_weight_are_left_out():
    X, y = load_iris(return_X_y=True)
    fine, coarse = BoxUnionClassifier().fit(X, y), BoxUnionClassifier(min_weight=4).fit(X, y)
    assert fine.score(X, y) == 1
    assert len(coarse.rules_) < len(fine.rules_) and coarse.score(X, y) > 0.9
    assert all(rule.n >= 4 for rule in coarse.rules_)


def grown_by_the_book(P, N, order):
    """Rows join if the tightest box around them and those before holds no row of N."""
    members: list[int] = []
    for i in order:
        rows = P[[*members, i]]
        low, high = rows.min(axis=0), rows.max(axis=0)
        if not ((low <= N) & (high >= N)).all(axis=1).any():
            members.append(int(i))
    return P[members].min(axis=0), P[members].max(axis=0)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_kernel_grows_boxes_as_its_twin_does(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    P, N = rng.integers(0, 9, (12, d)).astype(float), rng.integers(0, 9, (8, d)) + 0.5
    order = rng.permutation(12)
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    _boxes.grow_box(
        P=P,
        N=N,
        order=order,
        nominal=np.zeros(d, np.uint8),
        start=np.zeros(d, np.int64),
        low=low,
        high=high,
        gaps=np.zeros(d, np.uint8),
        held=np.zeros(0, np.uint8),
    )
    expected = grown_by_the_book(P, N, order)
    assert_array_equal(low, expected[0])
    assert_array_equal(high, expected[1])


def test_degenerate_tables():
    assert BoxUnionClassifier().fit([[1.0], [2.0]], ["a", "a"]).predict([[9.0]]) == ["a"]
    same = BoxUnionClassifier().fit([[1.0]] * 2, ["a", "b"])
    assert len(same.rules_) == 0 and same.predict_proba([[1.0]]).tolist() == [[0.5, 0.5]]
    light = BoxUnionClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "c"], sample_weight=[1, 1, 0])
    assert_array_equal(light.predict([[1.0], [3.0]]), ["a", "b"])
    gaps = pd.DataFrame({"a": [np.nan, np.nan, 1.0], "b": [1.0, 2.0, 3.0]})
    assert BoxUnionClassifier().fit(gaps, [0, 1, 1]).score(gaps, [0, 1, 1]) == 1
    huge = BoxUnionClassifier().fit([[1.7e308], [-1.7e308], [0.0]], [0, 1, 1])
    assert_array_equal(huge.predict([[1.7e308], [-1.7e308], [0.0]]), [0, 1, 1])
