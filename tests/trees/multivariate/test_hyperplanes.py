"""How many hyperplanes there are, and which inputs of one can go."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.trees.multivariate.hyperplanes import (
    candidate_hyperplanes,
    delete_inputs,
    hyperplane,
    univariate_start,
)
from assay.trees.multivariate.rows import NodeRows
from assay.trees.multivariate.splits import Hyperplane, Threshold


@pytest.mark.capability("IML-9-32")
def test_candidate_hyperplanes():
    """IML 9.6: 2^d C(N, d)."""
    assert candidate_hyperplanes(10, 2) == 180
    assert candidate_hyperplanes(20, 3) == 9120
    assert candidate_hyperplanes(7, 1) == 14  # seven thresholds, each with two sides


def noisy(seed, n=300, d=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d)
    unit = X / X.std(axis=0)
    return NodeRows(X, (unit[:, 1] + unit[:, 4] > 0.2).astype(int), np.ones(n), 2)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_weights_in_own_units_give_the_same_sides(seed):
    rows = noisy(seed, n=60)
    weights = np.random.default_rng(seed).normal(size=6)
    split, impurity = hyperplane(weights, rows)
    threshold, wanted = rows.cut(rows.standard @ weights)
    assert_allclose(impurity, wanted, atol=1e-12)
    assert_allclose(rows.impurity_of(split.branch(rows.X)), impurity, atol=1e-12)
    assert_allclose(rows.impurity_of((rows.standard @ weights > threshold).astype(int)), wanted, atol=1e-12)


def test_a_single_weight_makes_a_threshold():
    rows = noisy(0)
    split, _ = hyperplane(np.eye(6)[1] * -3.0, rows)
    assert isinstance(split, Threshold) and split.column == 1
    assert hyperplane(np.zeros(6), rows) == (None, np.inf)


def test_the_univariate_start_is_the_best_threshold():
    rows = noisy(1)
    start, (split, impurity) = univariate_start(rows), rows.best_threshold
    assert_array_equal(start[:-1] @ rows.columns + start[-1] > 0, split.branch(rows.X) == 1)
    assert_allclose(rows.descend(start, rows.columns * 0 + rows.columns)[1] <= impurity + 1e-12, True)


@pytest.mark.capability("IML-9-48")
@pytest.mark.parametrize("seed", range(5))
def test_irrelevant_inputs_get_zero_weight(seed):
    """Two of six inputs decide; a hyperplane with some weight on each keeps those two."""
    rows = noisy(seed)
    weights = np.array([0.03, 1.0, -0.02, 0.03, 1.0, 0.02, 0.0])
    kept = delete_inputs(weights, rows, 0.1)
    assert_array_equal(np.flatnonzero(kept[:-1]), [1, 4])
    split, impurity = hyperplane(kept[:-1], rows)
    assert isinstance(split, Hyperplane) and impurity <= rows.cut(rows.standard @ weights[:-1])[1]


def test_nothing_is_deleted_that_costs_something_if_nothing_may_cost():
    rows = noisy(3)
    weights = np.array([0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    assert_array_equal(np.flatnonzero(delete_inputs(weights, rows, 0.0)[:-1]), [1, 4])
