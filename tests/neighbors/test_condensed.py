"""CondensedNearestNeighbor: the book's ten points, orders, removal, and what a consistent subset promises."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris

from assay.distances import searcher
from assay.errors import DataError, ParameterError
from assay.neighbors.condensed import CondensedNearestNeighbor, condense, reduce
from assay.neighbors.prototypes import inconsistent_rows

# Oracle: IML 8.5, class 0 at 0, 1, 2, 2.9, 4 and class 1 at 6, 7.1, 8, 9, 10.
LINE = np.array([0, 1, 2, 2.9, 4, 6, 7.1, 8, 9, 10])[:, None]
SIDE = np.repeat([0, 1], 5)


@pytest.mark.capability("IML-8-13")
@pytest.mark.parametrize(
    ("order", "stored", "passes"),
    [
        ("given", [0, 6, 4], 3),
        (np.arange(10)[::-1], [10, 4, 6], 3),
        ([4, 5, 0, 1, 2, 3, 6, 7, 8, 9], [4, 6], 2),
    ],
)
def test_ten_points_in_three_orders(order, stored, passes):
    model = CondensedNearestNeighbor(order=order).fit(LINE, SIDE)
    assert_array_equal(model.prototypes_.ravel(), stored)
    assert model.n_passes_ == passes
    assert len(inconsistent_rows(LINE, SIDE, model.sample_indices_)) == 0
    assert model.score(LINE, SIDE) == 1.0


@pytest.mark.capability("IML-8-14")
def test_removal_drops_the_row_that_is_not_needed_any_more():
    model = CondensedNearestNeighbor(order="given", reduce=True).fit(LINE, SIDE)
    assert set(model.prototypes_.ravel()) == {4, 6}
    assert len(inconsistent_rows(LINE, SIDE, model.sample_indices_)) == 0
    found = searcher(LINE, "euclidean")
    assert reduce(found, SIDE, [0, 5, 4]) == [5, 4]


def condense_by_the_book(X, y, order):
    """Fig 8-6: the nearest stored row of each visited row, looked up anew."""
    stored, passes = [], 0
    while True:
        passes += 1
        before = len(stored)
        for i in order:
            if i in stored:
                continue
            if not stored or y[stored[int(np.argmin([np.abs(X[i] - X[j]).sum() for j in stored]))]] != y[i]:
                stored.append(int(i))
        if len(stored) == before:
            return stored, passes


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_rows_are_stored_as_in_the_book(seed):
    rng = np.random.default_rng(seed)
    X, y = (
        rng.integers(0, 6, size=(30, 2)).astype(float),
        rng.integers(0, 3, 30),
    )  # many ties and contradictions
    order = rng.permutation(30)
    ours = condense(searcher(X, "manhattan"), y, order)
    assert ours == condense_by_the_book(X, y, order)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), reduced=st.booleans())
def test_the_subset_is_consistent_where_no_two_rows_contradict(seed, reduced):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)
    y[:2] = [0, 1]
    model = CondensedNearestNeighbor(reduce=reduced, random_state=seed).fit(X, y)
    assert model.score(X, y) == 1.0
    if reduced:
        whole = CondensedNearestNeighbor(random_state=seed).fit(X, y).sample_indices_
        assert set(model.sample_indices_) <= set(whole)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.sampled_from([1, 3]))
def test_rows_are_dropped_one_after_the_other_as_in_the_book(seed, k):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=40) > 0).astype(int)
    found = searcher(X, "euclidean")
    stored, _ = condense(found, y, rng.permutation(40), k)
    kept, most = list(stored), len(inconsistent_rows(X, y, stored, n_neighbors=k))
    at = 0
    while at < len(kept):
        rest = kept[:at] + kept[at + 1 :]
        if rest and len(inconsistent_rows(X, y, rest, n_neighbors=k)) <= most:
            kept = rest
        else:
            at += 1
    assert reduce(found, y, stored, k) == kept


def test_several_orders_give_a_smaller_subset():
    X, y = load_breast_cancer(return_X_y=True)
    one = CondensedNearestNeighbor(random_state=0).fit(X, y)
    ten = CondensedNearestNeighbor(n_orders=10, random_state=0).fit(X, y)
    assert len(ten.sample_indices_) < len(one.sample_indices_) < 0.25 * len(y)
    assert ten.share_kept_ == len(ten.sample_indices_) / len(y)


def test_with_several_neighbours_a_row_is_stored_as_often_as_it_takes():
    model = CondensedNearestNeighbor(3, order="given").fit(LINE, SIDE)
    assert model.score(LINE, SIDE) == 1.0
    # 0 is stored; 6 stands against one row, so it is stored twice to outvote it (IML 8.11, exercise 5).
    assert_array_equal(model.sample_indices_[:3], [0, 5, 5])


def test_contradictions_end_and_one_class_is_one_row():
    X, y = np.zeros((6, 1)), np.array([0, 1, 0, 1, 0, 1])
    model = CondensedNearestNeighbor(order="given").fit(X, y)
    assert set(model.sample_indices_) == {
        0,
        1,
        3,
        5,
    }  # the first answers; those it gets wrong are stored once each
    assert_array_equal(model.predict(X), np.zeros(6))
    assert_array_equal(CondensedNearestNeighbor().fit(LINE, np.zeros(10)).sample_indices_.shape, (1,))


def test_a_resampled_frame_stays_a_frame_and_mixed_rows_are_compared_as_they_are():
    table = pd.DataFrame({"x": [1.0, np.nan, 1.2, 5.0, 5.1], "kind": ["a", "a", "a", "b", "b"]})
    labels = pd.Series(["no", "no", "no", "yes", "yes"])
    X, y = CondensedNearestNeighbor(order="given").fit_resample(table, labels)
    assert list(X.columns) == ["x", "kind"] and len(X) == len(y) < 5
    assert set(y) == {"no", "yes"}


def test_an_order_must_hold_every_row_once_and_distances_are_no_rows():
    with pytest.raises(ParameterError, match="each row number from 0 to 9 once"):
        CondensedNearestNeighbor(order=[0, 1]).fit(LINE, SIDE)
    with pytest.raises(DataError, match="Give the rows and a metric"):
        CondensedNearestNeighbor(metric="precomputed").fit(np.zeros((4, 4)), [0, 0, 1, 1])


def test_an_explanation_names_training_rows():
    X, y = load_iris(return_X_y=True)
    model = CondensedNearestNeighbor(random_state=0).fit(X, y)
    row = model.explain(X[:1]).sections[0].rows[0]
    assert row[0] - 1 in model.sample_indices_ and row[1] == "0"  # counted from 1
    assert np.isclose(row[2], np.linalg.norm(X[0] - X[row[0] - 1]))
