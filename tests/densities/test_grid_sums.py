import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.densities.grid_sums import grid_sums, shared_by_corners
from assay.errors import ParameterError


@given(seed=st.integers(0, 10**6), d=st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_shares_keep_the_mass_and_the_mean(seed, d):
    rng = np.random.default_rng(seed)
    X, w = rng.uniform(-1, 2, (20, d)), rng.uniform(0.5, 2, 20)
    axes = [np.linspace(-1, 2, n) for n in (5, 7, 4)[:d]]
    shares = shared_by_corners(X, w, axes)
    corners = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    assert shares.min() >= 0
    assert_allclose(shares.sum(), w.sum(), rtol=1e-12)
    assert_allclose(np.tensordot(shares, corners, d), w @ X, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("d", [1, 2])
def test_rows_on_the_points_of_the_grid_give_the_sum_itself(d):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, (15, d)).astype(float)
    X[0], X[1] = 0, 4  # the grid reaches from -2 to 6
    w = rng.uniform(1, 2, 15)

    def bump(offsets):
        return np.exp(-np.sum(np.abs(offsets), axis=1)) * (1 + (offsets[:, 0] > 0))  # not symmetric

    axes, sums = grid_sums(X, w, bump, 9, np.full(d, 2.0))
    Q = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, d)
    direct = [sum(w[t] * bump((q - X[t])[None])[0] for t in range(15)) for q in Q]
    assert_allclose(sums.ravel(), direct, rtol=1e-9, atol=1e-12)


def test_sizes_must_fit_the_columns():
    for size in (1, (4, 4)):
        with pytest.raises(ParameterError, match="size must be 1 whole number"):
            grid_sums(np.zeros((3, 1)), np.ones(3), lambda x: x[:, 0], size, np.ones(1))
