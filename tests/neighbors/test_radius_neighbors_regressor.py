"""Means within a radius: the peer, and what rows without neighbours get."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.neighbors import RadiusNeighborsRegressor as Peer

from assay.errors import DegenerateError, DegenerateWarning
from assay.neighbors.radius_neighbors_regressor import RadiusNeighborsRegressor

X, Y = [[0.0], [1.0], [2.0]], [1.0, 2.0, 6.0]


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("p", [1, 2])
def test_same_numbers_as_scikit_learn(weights, p):
    Z, y = load_diabetes(return_X_y=True)
    ours, peer = (cls(0.25, weights=weights, p=p).fit(Z, y) for cls in (RadiusNeighborsRegressor, Peer))
    assert_allclose(ours.predict(Z), peer.predict(Z), rtol=1e-6)  # the peer's scan rounds distances of 0


@pytest.mark.parametrize(("empty", "answer"), [("nearest", 6.0), ("mean", 3.0), ("nan", np.nan)])
def test_rows_without_neighbours(empty, answer):
    model = RadiusNeighborsRegressor(0.5, empty=empty).fit(X, Y)
    with pytest.warns(
        DegenerateWarning, match=r"1 row\(s\), the first row 2, have no neighbors within radius 0.5"
    ):
        assert_array_equal(model.predict([[0.2], [9.0]]), [1.0, answer])
    with pytest.warns(DegenerateWarning, match="3 row"):
        left_out = model.predict(None)  # none is its own neighbour
    assert_array_equal(left_out, [2.0, 1.0, 2.0] if empty == "nearest" else np.full(3, answer))


def test_rows_without_neighbours_may_be_refused():
    with pytest.raises(DegenerateError, match="Use a larger radius"):
        RadiusNeighborsRegressor(0.5, empty="raise").fit(X, Y).predict([[9.0]])


def test_one_row_alone():
    model = RadiusNeighborsRegressor(0.5).fit([[0.0]], [4.0])
    assert model.predict([[0.2]]) == [4.0]
    with pytest.warns(DegenerateWarning):
        assert model.predict(None) == [4.0]  # there is no other row: the mean


def test_several_targets():
    both = np.column_stack([Y, Y])
    model = RadiusNeighborsRegressor(1.0).fit(X, both)
    assert_allclose(model.predict([[0.5]]), [[1.5, 1.5]])
    with pytest.warns(DegenerateWarning):
        assert_allclose(model.predict([[9.0]]), [[6.0, 6.0]])
