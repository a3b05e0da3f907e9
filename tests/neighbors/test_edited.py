"""EditedNearestNeighbors: rows that their neighbours contradict."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.neighbors import KNeighborsClassifier

from assay.neighbors.edited import EditedNearestNeighbors


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.sampled_from([1, 3, 5]), kind=st.sampled_from(["mode", "all"]))
def test_a_row_stays_if_its_neighbours_agree(seed, k, kind):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 2))
    y = (X[:, 0] > 0).astype(int) ^ (rng.uniform(size=50) < 0.1)
    kept = EditedNearestNeighbors(k, kind=kind).fit(X, y).sample_indices_
    for i in range(50):
        others = np.delete(np.arange(50), i)
        near = others[np.argsort(np.linalg.norm(X[others] - X[i], axis=1), kind="stable")[:k]]
        agree = np.mean(y[near] == y[i])
        assert (i in kept) == (agree == 1 if kind == "all" else agree > 0.5)


@pytest.mark.capability("IML-8-13")
def test_editing_removes_mislabelled_rows_so_that_one_neighbour_does_better():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(600, 2)), rng.normal(size=(2000, 2))
    y, truth = (X[:, 0] > 0).astype(int), (new[:, 0] > 0).astype(int)
    wrong = rng.choice(600, 90, replace=False)
    y[wrong] ^= 1
    model = EditedNearestNeighbors(5, repeats=3).fit(X, y)
    assert np.isin(wrong, model.sample_indices_).mean() < 0.1
    few, labels = model.fit_resample(X, y)
    plain = KNeighborsClassifier(1).fit(X, y).score(new, truth)
    assert KNeighborsClassifier(1).fit(few, labels).score(new, truth) > plain + 0.08


def test_no_class_dies_out():
    X = np.arange(9.0)[:, None]
    y = np.array([0, 0, 0, 0, 1, 0, 0, 0, 0])
    model = EditedNearestNeighbors(3).fit(X, y)
    assert 4 in model.sample_indices_
    assert_array_equal(model.classes_, [0, 1])


def test_rounds_end_when_none_is_dropped_and_few_rows_do_no_harm():
    X, y = np.array([[0.0], [1.0], [10.0], [11.0]]), np.array([0, 0, 1, 1])
    assert_array_equal(EditedNearestNeighbors(1, repeats=50).fit(X, y).sample_indices_, np.arange(4))
    assert_array_equal(EditedNearestNeighbors(9).fit([[1.0]], [3]).sample_indices_, [0])
