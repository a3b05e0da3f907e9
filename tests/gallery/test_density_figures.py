"""The numbers of the figures of densities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-8-31")
def test_four_estimators_in_three_panels_each():
    """IML figures 8-1 to 8-4, at x = 6; the heights are those of the table in 8.2 where it has them."""
    found = draw("plot_densities.py")
    heights = {
        name: [display.density[np.argmin(np.abs(display.axes[0] - 6))] for display in found[name]]
        for name in ("histograms", "naive", "kernels", "neighbours")
    }
    assert_allclose(heights["histograms"][:2], [0.1875, 0.25])
    assert_allclose(heights["naive"][:2], [0.1875, 0.25])
    assert_allclose(heights["kernels"][:2], [0.131551, 0.173759], atol=5e-7)
    assert_allclose(heights["neighbours"][1:], [0.1875, np.inf])
    assert_allclose([d.mass() for d in found["histograms"] + found["naive"]], 1, atol=1e-3)


@pytest.mark.capability("IML-8-31")
def test_narrow_kernels_follow_the_training_rows():
    """IML figure 8-13: from wide to narrow the training error falls, whatever the true one does."""
    found = draw("plot_class_densities.py")
    errors = list(found["errors"].values())
    assert errors[0] > errors[1] > errors[2]
    assert 0.2 < found["chosen"] < 1.5
