"""Where to ask next."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.kernels import RBF, Linear, Matern, WhiteKernel
from assay.processes import GaussianProcessRegressor, next_queries

X, y = np.arange(4.0)[:, None], np.array([0.0, 1.0, 0.0, -1.0])
MODEL = GaussianProcessRegressor(RBF(0.5), alpha=0.1, optimizer=None).fit(X, y)
GRID = np.arange(-1, 4.5, 0.5)[:, None]


@pytest.mark.capability("IML-16-27")
def test_the_next_query_of_the_worked_example_is_an_end_of_the_grid():
    query = next_queries(MODEL, GRID)
    assert query.rows.ravel().tolist() == [-1.0] and query.places.tolist() == [0]
    assert_allclose(query.variance, 1.0831, atol=5e-5)
    assert next_queries(MODEL, GRID[::-1]).rows.ravel().tolist() == [4.0]


@pytest.mark.capability("IML-16-27")
def test_the_interior_maxima_of_the_worked_example():
    inside = GRID[2:-2]
    query = next_queries(MODEL, inside, n_queries=1)
    assert query.rows[0, 0] in (0.5, 2.5)
    assert_allclose(query.variance, 0.5015, atol=5e-5)


def test_later_queries_know_the_earlier_ones():
    queries = next_queries(MODEL, GRID, n_queries=4)
    model = GaussianProcessRegressor(RBF(0.5), alpha=0.1, optimizer=None).fit(X, y)
    for row, variance in zip(queries.rows, queries.variance):
        assert_allclose(model.variances([row]).noisy, variance, rtol=1e-9)
        assert (model.variances(GRID).noisy <= variance + 1e-9).all()
        model.partial_fit([row], [0.0])


@pytest.mark.parametrize(
    "kernel", [RBF([0.8, 1.5]) + WhiteKernel(0.1), Matern([1.0, 1.0], nu=1.5) + Linear()], ids=repr
)
def test_within_bounds_no_point_of_a_grid_is_better(kernel):
    random = np.random.default_rng(0)
    rows = random.uniform(-1, 1, size=(12, 2))
    model = GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None).fit(rows, rows[:, 0])
    query = next_queries(model, bounds=[(-1, 1), (-0.5, 1)])
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 81), np.linspace(-0.5, 1, 61)), axis=-1).reshape(-1, 2)
    assert query.variance[0] >= model.variances(grid).noisy.max() * (1 - 1e-6)
    assert (query.rows >= [-1, -0.5]).all() and (query.rows <= 1).all() and query.places is None


def test_candidates_of_a_frame_come_back_as_they_were():
    frame = pd.DataFrame({"size": [0.0, 1.0, 2.0], "city": ["Bern", "Rome", "Bern"]}, index=["a", "b", "c"])
    model = GaussianProcessRegressor("auto", normalize_y=True, selection="map").fit(frame, [1.0, 2.0, 3.0])
    more = pd.DataFrame({"size": [0.1, 50.0], "city": ["Bern", "Rome"]}, index=["d", "e"])
    assert next_queries(model, more).rows.index.tolist() == ["e"]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, ParameterError, "and not both"),
        ({"bounds": [(0, 1), (0, 1)]}, ParameterError, "each of the 1 columns"),
        ({"bounds": [(1, 0)]}, ParameterError, r"got \[\[1.0, 0.0\]\]"),
        ({"candidates": GRID, "n_queries": 0}, ParameterError, "whole number from 1"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        next_queries(MODEL, **arguments)


def test_a_model_that_was_not_fitted_is_refused():
    with pytest.raises(DataError, match="fitted"):
        next_queries(GaussianProcessRegressor(), GRID)
