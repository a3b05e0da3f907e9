import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris
from sklearn.neighbors import NearestNeighbors

from assay.densities.k_neighbors_density import KNeighborsDensity
from assay.densities.kernel_density import KernelDensity
from assay.errors import DegenerateError

# Oracle: IML 8.2, the sample of 8 numbers and its queries.
SAMPLE = np.array([[1], [2], [2.5], [4], [6], [6.5], [7], [9]])
AT = np.array([[0], [2], [3], [5], [6], [8]])
INF = math.inf


@pytest.mark.capability("IML-8-05")
@pytest.mark.parametrize(
    ("k", "heights"),
    [
        (1, [0.0625, INF, 0.125, 0.0625, INF, 0.0625]),
        (2, [0.0625, 0.25, 0.125, 0.125, 0.25, 0.125]),
        (3, [0.075, 0.1875, 0.1875, 0.125, 0.1875, 0.125]),
    ],
)
def test_the_table_of_the_sample(k, heights):
    assert_allclose(KNeighborsDensity(k).fit(SAMPLE).density(AT), heights, rtol=1e-12)


@pytest.mark.capability("IML-8-06")
def test_the_smooth_row_of_the_table():
    heights = [0.052768, 0.130890, 0.111930, 0.101761, 0.131551, 0.088075]
    assert_allclose(KNeighborsDensity(3, kernel="gaussian").fit(SAMPLE).density(AT), heights, atol=5e-7)


@pytest.mark.capability("IML-8-06")
def test_the_smooth_form_is_a_kernel_density_whose_width_is_the_distance():
    X = load_iris().data
    model = KNeighborsDensity(7, kernel="epanechnikov").fit(X[:100])
    for i in (100, 120, 149):
        h = np.sort(np.linalg.norm(X[:100] - X[i], axis=1))[6]
        plain = KernelDensity(bandwidth=h, kernel="epanechnikov").fit(X[:100]).score_samples(X[[i]])
        assert_allclose(model.score_samples(X[[i]]), plain, rtol=1e-10)


@pytest.mark.capability("IML-8-05")
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_k_over_the_mass_and_volume_of_the_ball(d):
    """Balls: c_d = 2, pi, 4 pi / 3, and 8 pi^2 / 15 in five dimensions; distances from scikit-learn."""
    c = {1: 2, 2: np.pi, 3: 4 * np.pi / 3, 5: 8 * np.pi**2 / 15}[d]
    rng = np.random.default_rng(d)
    X, Q = rng.normal(size=(80, d)), rng.normal(size=(20, d))
    r = NearestNeighbors(n_neighbors=6).fit(X).kneighbors(Q)[0][:, -1]
    assert_allclose(KNeighborsDensity(6).fit(X).density(Q), 6 / (80 * c * r**d), rtol=1e-10)


def test_where_rows_coincide_it_is_infinite_unless_there_is_a_floor():
    X = np.array([[0.0], [0.0], [0.0], [4.0]])
    for kernel in ("none", "gaussian", "box"):
        assert KNeighborsDensity(3, kernel=kernel).fit(X).density([[0.0]])[0] == INF
        assert np.isfinite(KNeighborsDensity(3, kernel=kernel, floor=0.1).fit(X).density([[0.0]]))[0]
    assert_allclose(KNeighborsDensity(3, floor=0.1).fit(X).density([[0.0]]), 3 / (4 * 2 * 0.1))


@given(seed=st.integers(0, 10**6), k=st.integers(1, 10), scale=st.floats(0.1, 10))
@settings(max_examples=30, deadline=None)
def test_other_units_divide_the_density(seed, k, scale):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(20, 2)), rng.normal(size=(5, 2))
    for kernel in ("none", "gaussian"):
        a = KNeighborsDensity(k, kernel=kernel).fit(X).score_samples(Q)
        b = KNeighborsDensity(k, kernel=kernel).fit(scale * X).score_samples(scale * Q)
        assert_allclose(b, a - 2 * np.log(scale), rtol=1e-9, atol=1e-9)


def test_more_neighbours_than_rows_are_refused():
    with pytest.raises(DegenerateError, match=r"n_neighbors=9.*n_samples=8.*Lower"):
        KNeighborsDensity(9).fit(SAMPLE)
    assert_allclose(KNeighborsDensity(8).fit(SAMPLE).density([[0.0]]), 1 / 18)
