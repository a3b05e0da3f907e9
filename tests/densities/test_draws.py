import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import cumulative_trapezoid
from scipy.stats import kstest

from assay.densities.draws import drawn_from
from assay.densities.kernels import KERNELS


@pytest.mark.parametrize("d", [1, 2, 6])
@pytest.mark.parametrize("name", list(KERNELS))
def test_lengths_follow_the_kernel(name, d):
    """Kolmogorov's test of 1500 lengths against the integral of the profile; the seed is fixed, 0.001 is the bar."""
    kernel = KERNELS[name]
    steps = drawn_from(kernel, 1500, d, np.random.RandomState(0))
    lengths, end = np.linalg.norm(steps, axis=1), min(kernel.support, 60.0)
    grid = np.linspace(0, end, 20_001)
    share = cumulative_trapezoid(kernel.profile(grid) * grid ** (d - 1), grid, initial=0)
    share /= share[-1]
    assert kstest(lengths, lambda r: np.interp(r, grid, share)).pvalue > 1e-3
    assert_allclose(steps.mean(axis=0), 0, atol=5 * np.sqrt(kernel.variance(d) / 1500))


def test_a_product_has_coordinates_of_their_own():
    steps = drawn_from(KERNELS["box"], 4000, 2, np.random.RandomState(0), product=True)
    assert np.abs(steps).max() < 1 and np.mean(np.linalg.norm(steps, axis=1) > 1) == pytest.approx(
        1 - np.pi / 4, abs=0.03
    )


def test_none_is_longer_than_the_cut():
    for product in (False, True):
        steps = drawn_from(KERNELS["gaussian"], 2000, 1, np.random.RandomState(0), product, cut=1.5)
        assert 1.45 < np.abs(steps).max() <= 1.5
