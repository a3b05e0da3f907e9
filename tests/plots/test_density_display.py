"""Densities drawn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from assay.bayes import GaussianNB
from assay.densities.histogram_density import HistogramDensity
from assay.densities.k_neighbors_density import KNeighborsDensity
from assay.densities.kernel_density import KernelDensity
from assay.errors import DataError
from assay.plots.density_display import DensityDisplay

SAMPLE = np.array([[1], [2], [2.5], [4], [6], [6.5], [7], [9]])


@pytest.mark.capability("IML-8-31")
def test_the_curve_is_the_density_and_the_crosses_are_the_rows():
    model = HistogramDensity(2.0).fit(SAMPLE)
    display = DensityDisplay.from_estimator(model, SAMPLE, limits=(0, 10), grid_size=11)
    curve, crosses = display.ax_.lines
    assert_allclose(curve.get_xdata(), np.arange(11))
    assert_allclose(curve.get_ydata(), model.density(np.arange(11)[:, None]))
    assert_allclose(crosses.get_xdata(), SAMPLE[:, 0])
    assert display.ax_.get_xlim() == (0, 10) and display.ax_.get_ylim()[0] == 0


@pytest.mark.capability("IML-8-31")
def test_the_bumps_add_up_to_the_density():
    display = DensityDisplay.from_estimator(KernelDensity(bandwidth=0.5).fit(SAMPLE), SAMPLE, bumps=True)
    assert display.bumps.shape == (601, 8) and len(display.ax_.lines) == 8 + 2
    assert_allclose(display.bumps.sum(axis=1), display.density, rtol=1e-9)


def test_infinite_heights_are_left_out_of_the_picture():
    display = DensityDisplay.from_estimator(
        KNeighborsDensity(1).fit(SAMPLE), SAMPLE, limits=(0, 10), grid_size=101, top=1
    )
    assert np.isinf(display.density).any() and np.isnan(display.ax_.lines[0].get_ydata()).any()
    assert display.ax_.get_ylim() == (0, 1.05)


def test_two_columns_are_levels():
    X = load_iris().data[:, :2]
    display = DensityDisplay.from_estimator(KernelDensity(bandwidth=0.3).fit(X), X, grid_size=61)
    assert display.density.shape == (61, 61) and len(display.ax_.collections) >= 1
    assert_allclose(display.mass(), 1, atol=0.02)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(DataError, match="one or two columns"):
        DensityDisplay.from_estimator(KernelDensity(), np.zeros((3, 3)))
    with pytest.raises(TypeError, match="GaussianNB has no score_samples"):
        DensityDisplay.from_estimator(GaussianNB(), SAMPLE)
    with pytest.raises(TypeError, match="bumps"):
        DensityDisplay.from_estimator(HistogramDensity().fit(SAMPLE), SAMPLE, bumps=True)
