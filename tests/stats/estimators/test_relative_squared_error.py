"""Relative squared error and the coefficient of determination."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import r2_score

from assay.errors import DataError, DegenerateError
from assay.stats.estimators.relative_squared_error import r_squared, relative_squared_error


@pytest.mark.capability("IML-4-16")
def test_six_points_and_their_line():
    """Oracle: IML 2.6 and 4.6, worked by hand: SSE 1.104762 of 50.833333."""
    x, r = np.arange(1.0, 7.0), np.array([3.0, 5.0, 6.0, 8.0, 9.0, 12.0])
    line = 59 / 35 * x + 19 / 15
    assert_allclose(relative_squared_error(r, line), 0.0217330211, atol=5e-11)
    assert_allclose(r_squared(r, line), 0.9782669789, atol=5e-11)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_weighted_like_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    y, g, w = rng.normal(size=12), rng.normal(size=12), rng.uniform(0.1, 2, 12)
    assert_allclose(r_squared(y, g, w), r2_score(y, g, sample_weight=w), rtol=1e-12)
    assert_allclose(relative_squared_error(y, np.full(12, w @ y / w.sum()), w), 1.0)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(DegenerateError, match="all y are equal"):
        relative_squared_error([0.1, 0.1, 0.1], [1.0, 2.0, 3.0])
    with pytest.raises(DataError, match="shape"):
        relative_squared_error([1.0, 2.0], [1.0])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_none_are_refused(bad):
    for y, g in (([1.0, bad, 2.0], [1.0, 2.0, 3.0]), ([1.0, 2.0, 3.0], [1.0, bad, 2.0])):
        with pytest.raises(DataError, match="finite numbers"):
            relative_squared_error(y, g)
