"""Impurities: the printed tables, the worked splits, and the checker of their properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from assay.errors import ParameterError
from assay.trees import TextbookTreeClassifier
from assay.trees.criteria import (
    check_impurity,
    entropy,
    error_rate,
    gain,
    gain_ratio,
    gini,
    impurity_after,
    impurity_function,
    minimum_risk,
    split_information,
)

counts = arrays(float, (4, 3), elements=st.integers(0, 20).map(float)).filter(lambda c: (c.sum(1) > 0).all())

# IML 9.2.1: impurity of two classes with shares p and 1 - p.
P = [0, 0.1, 0.2, 0.3, 0.4, 0.5]
TWO = np.column_stack([P, 1 - np.array(P)])


@pytest.mark.capability("IML-9-05", "C3-40")
def test_entropy_of_two_and_three_classes():
    assert_allclose(entropy(TWO), [0, 0.468996, 0.721928, 0.881291, 0.970951, 1], atol=5e-7)
    assert entropy([0.5, 0.25, 0.25]) == 1.5
    assert_allclose(entropy([6, 4]), 0.9709505944546686, rtol=1e-15)  # ten apples
    assert entropy(np.ones(8)) == 3.0  # log2 K, exactly


@pytest.mark.capability("IML-9-06", "C3-40")
def test_gini_of_two_and_three_classes():
    assert_allclose(gini(TWO), [0, 0.18, 0.32, 0.42, 0.48, 0.5], atol=1e-15)
    assert gini([0.5, 0.25, 0.25]) == 0.625
    assert_allclose(gini([6, 4]), 0.48, rtol=1e-15)
    assert_allclose(gini(np.ones(5)), 4 / 5, rtol=1e-15)


@given(st.floats(0, 1))
@pytest.mark.capability("IML-9-06")
def test_gini_of_two_classes_is_twice_the_product(p):
    assert_allclose(gini([p, 1 - p]), 2 * p * (1 - p), atol=1e-15)


@given(counts)
def test_gini_is_twice_the_sum_of_the_products_of_pairs(c):
    p = c / c.sum(axis=1, keepdims=True)
    pairs = sum(p[:, i] * p[:, j] for i in range(3) for j in range(i))
    assert_allclose(gini(c), 2 * pairs, atol=1e-14)


@pytest.mark.capability("IML-9-07")
def test_error_rate():
    assert_allclose(error_rate(TWO), P, atol=1e-15)
    assert error_rate([0.5, 0.25, 0.25]) == 0.5
    assert error_rate([0, 0]) == 0


@pytest.mark.capability("IML-9-07")
def test_a_tree_starts_from_the_error_rate_of_its_root():
    step = (
        TextbookTreeClassifier(criterion="error", max_depth=1)
        .fit([[0], [0], [1], [2]], list("aabc"))
        .history_[0]
    )
    assert step.impurity == 0.5 and step.after == 0.25  # one of the two rows beyond the test stays wrong


LAMBDA = [[0, 1, 5], [1, 0, 1], [2, 1, 0]]


@pytest.mark.capability("IML-9-08")
def test_risk_of_the_best_decision():
    p = np.array([0.5, 0.3, 0.2])
    assert_allclose(np.array(LAMBDA) @ p, [1.3, 0.7, 1.3])
    assert_allclose(minimum_risk(p, LAMBDA), 0.7, rtol=1e-15)
    assert_allclose(minimum_risk(10 * p, LAMBDA), 0.7, rtol=1e-15)


@given(counts)
@pytest.mark.capability("IML-9-08")
def test_risk_under_0_1_loss_is_the_error_rate(c):
    assert_allclose(minimum_risk(c, 1 - np.eye(3)), error_rate(c), atol=1e-15)


def test_a_loss_for_other_classes_is_refused():
    with pytest.raises(ParameterError, match="2 columns, one per class"):
        minimum_risk([1, 2], LAMBDA)
    with pytest.raises(ParameterError, match="needs loss"):
        impurity_function("risk")


@pytest.mark.capability("IML-9-09")
@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("criterion", ["entropy", "gini", "error"])
def test_the_three_impurities_have_the_properties(criterion, K):
    report = check_impurity(criterion, K=K)
    assert report and report.holds
    assert str(report).count(": yes") == 4


@pytest.mark.capability("IML-9-09")
def test_an_asymmetric_function_fails_and_the_report_says_where():
    report = check_impurity(lambda p: p[:, 0] ** 2 * p[:, 1])  # largest at p = 2/3
    held = {p.name: p.holds for p in report.properties}
    assert held == {
        "never negative": True,
        "largest at equal shares": False,
        "zero for a single class": True,
        "grows from a single class to equal shares": False,
    }
    worst = report.properties[1].where
    assert worst[0] == pytest.approx(2 / 3, abs=0.005)
    assert not report


@pytest.mark.capability("IML-9-09")
@pytest.mark.parametrize(
    ("function", "fails"),
    [
        (lambda p: p.min(axis=-1) + 0.1, {"zero for a single class"}),
        (lambda p: np.minimum(p.min(axis=-1), 0.3), {"grows from a single class to equal shares"}),
        (
            lambda p: p.max(axis=-1) - 1,
            {
                "never negative",
                "largest at equal shares",
                "grows from a single class to equal shares",
            },
        ),
        (lambda p: 0 * p[:, 0], {"grows from a single class to equal shares"}),
    ],
)
def test_each_property_is_distinguished(function, fails):
    report = check_impurity(function)
    assert {p.name for p in report.properties if not p.holds} == fails
    assert all(len(p.where) == 2 and p.reason for p in report.properties if not p.holds)


def test_a_function_that_does_not_work_along_rows_is_named():
    with pytest.raises(ParameterError, match=r"401 finite numbers|402 finite numbers"):
        check_impurity(lambda p: float(p.max()))


# IML 9.2.1: eight rows (id, colour, size, class); branches by class (+, -).
COLOUR = [[2, 1], [1, 2], [1, 1]]
SIZE = {1.25: [[1, 0], [3, 4]], 1.75: [[2, 0], [2, 4]], 2.25: [[3, 0], [1, 4]], 3.0: [[4, 0], [0, 4]]}
ID = [[1, 0], [1, 0], [0, 1], [1, 0], [0, 1], [0, 1], [1, 0], [0, 1]]


@pytest.mark.capability("IML-9-10")
def test_information_gain_of_the_eight_rows():
    assert_allclose(impurity_after(COLOUR), 0.938722, atol=5e-7)
    assert_allclose(gain(COLOUR), 0.061278, atol=5e-7)
    assert gain(SIZE[3.0]) == gain(ID) == 1.0
    after = [impurity_after(SIZE[t]) for t in (1.25, 1.75, 2.25)]
    assert_allclose(after, [0.862075, 0.688722, 0.451205], atol=5e-7)


@pytest.mark.capability("IML-9-11")
def test_gain_ratio_of_the_eight_rows():
    assert split_information(ID) == 3.0
    assert_allclose(gain_ratio(ID), 1 / 3, rtol=1e-15)
    assert_allclose(split_information(COLOUR), 1.561278, atol=5e-7)
    assert_allclose(gain_ratio(COLOUR), 0.039249, atol=5e-7)
    assert gain_ratio(SIZE[3.0]) == 1.0
    assert gain_ratio([[3, 2], [0, 0]]) == 0.0  # one branch: no information to divide by


@given(arrays(float, (2, 3, 4), elements=st.integers(0, 9).map(float)))
@settings(max_examples=50)
def test_no_split_makes_a_concave_impurity_larger(tables):
    for criterion in ("entropy", "gini", "error"):
        assert (gain(tables, criterion) >= -1e-12).all()


@given(arrays(float, (3, 2), elements=st.integers(1, 9).map(float)))
@settings(max_examples=30)
def test_a_users_function_gives_what_the_built_in_gives(table):
    own = gain(table, lambda p: 1 - (p**2).sum(axis=-1))
    assert_allclose(own, gain(table, "gini"), atol=1e-12)
