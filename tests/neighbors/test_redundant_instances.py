"""Rows that nearest neighbours do not need: the same boundary without them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from assay.errors import DataError, ParameterError
from assay.neighbors.redundant_instances import redundant_instances


@pytest.mark.capability("IML-2-23")
@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_the_nearest_neighbour_answers_the_same_without_redundant_rows(seed, d):
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 10, (60, d))
    y = (np.linalg.norm(X - 5, axis=1) < 3).astype(int) + (X[:, 0] > 7)
    found = redundant_instances(X, y, method="cells")
    grid = rng.uniform(-2, 12, (400, d))
    whole = KNeighborsClassifier(1).fit(X, y).predict(grid)
    assert_array_equal(KNeighborsClassifier(1).fit(X[found.kept], y[found.kept]).predict(grid), whole)
    assert len(found.kept) + len(found.dropped) == 60


@pytest.mark.capability("IML-2-23")
def test_rows_deep_inside_a_class_are_dropped_and_the_boundary_stays():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 10, (800, 2))
    y = (X[:, 0] + np.sin(X[:, 1]) > 5).astype(int)
    grid = rng.uniform(0, 10, (2000, 2))
    whole = KNeighborsClassifier(1).fit(X, y).predict(grid)
    for method, same in (("cells", 1.0), ("nearest", 0.99)):
        found = redundant_instances(X, y, method=method)
        assert found.share > 0.75
        few = KNeighborsClassifier(1).fit(X[found.kept], y[found.kept])
        assert (few.predict(grid) == whole).mean() >= same
        assert np.abs(X[found.kept, 0] + np.sin(X[found.kept, 1]) - 5).mean() < 1


def test_more_neighbours_keep_more_rows():
    X, y = load_iris(return_X_y=True)
    kept = [len(redundant_instances(X, y, n_neighbors=k).kept) for k in (1, 5, 20)]
    assert kept == sorted(kept) and kept[0] < kept[-1] < 150


def test_classes_that_lie_apart_keep_the_rows_on_their_near_sides():
    X, y = load_iris(return_X_y=True)
    kept = redundant_instances(X, y).kept
    assert 0 < np.isin(kept, np.arange(50)).sum() < 10  # setosa lies apart
    answers = KNeighborsClassifier(1).fit(X[kept], y[kept]).predict(X)
    assert (answers[:50] == 0).all() and (answers == y).mean() > 0.98
    x = np.concatenate([np.arange(20.0), np.arange(100.0, 120.0)])[:, None]
    assert_array_equal(redundant_instances(x, [0] * 20 + [1] * 20).kept, [19, 20])


def test_units_matter_unless_columns_are_scaled():
    X, y = load_iris(return_X_y=True)
    a = redundant_instances(X * [1000, 1, 1, 1], y, scale=True).needed
    assert_array_equal(a, redundant_instances(X, y, scale=True).needed)


def test_equal_rows_flats_and_few_rows():
    twice = redundant_instances([[1.0], [1.0], [2.0], [3.0]], list("abbb"), method="cells")
    assert_array_equal(twice.kept, [0, 1, 2])
    line = np.column_stack([np.arange(8.0), 2 * np.arange(8.0)])
    assert_array_equal(redundant_instances(line, [0] * 4 + [1] * 4, method="cells").kept, [3, 4])
    assert not redundant_instances([[1.0], [2.0]], ["a", "a"]).needed.any()
    assert redundant_instances([[1.0]], ["a"], method="cells").share == 1
    three = redundant_instances([[0.0, 0], [1, 0], [0, 1]], list("aab"), method="cells")
    assert_array_equal(three.kept, [0, 1, 2])
    square = redundant_instances([[0.0, 0], [1, 0], [0, 1], [1, 1], [5, 5]], list("aabba"), method="cells")
    assert len(square.kept) == 5


def test_tables():
    frame = pd.DataFrame({"kind": ["u", "u", "v", "v"], "size": [1.0, 2.0, 1.0, 2.0]})
    assert redundant_instances(frame, [0, 0, 1, 1], n_neighbors=1).share == 0
    with pytest.raises(DataError, match="column size has 1 missing"):
        redundant_instances(frame.assign(size=[1.0, None, 1.0, 2.0]), [0, 0, 1, 1])
    with pytest.raises(ParameterError, match="method must be"):
        redundant_instances(frame, [0, 0, 1, 1], method="all")
    with pytest.raises(ParameterError, match="n_neighbors must be"):
        redundant_instances(frame, [0, 0, 1, 1], n_neighbors=0)


@pytest.mark.parametrize("method", ["cells", "nearest"])
@pytest.mark.parametrize("scale", [False, True])
def test_units_do_not_matter(method, scale):
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0, 1, (30, 2)), rng.normal(3, 1, (30, 2))]
    y = np.repeat(["a", "b"], 30)
    plain = redundant_instances(X, y, method=method, scale=scale)
    for unit in (1e-200, 1e200, 1e307):
        other = redundant_instances(X * unit, y, method=method, scale=scale)
        assert_array_equal(other.needed, plain.needed)
