"""The numbers of the figures of Gaussian process regression."""

import numpy as np
import pytest
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-16-33")
def test_bands_grow_without_bound_for_products_and_up_to_the_prior_for_distances():
    bands = draw("plot_gaussian_process_kernels.py")["bands"]
    assert bands["Quadratic"][-1] > bands["Linear"][-1] > bands["Linear"].min()
    assert bands["Quadratic"][-1] > 2 * bands["Quadratic"].min()
    assert 0.999 < bands["Gaussian, s² = 0.5"][-1] <= 1 and bands["Gaussian, s² = 0.5"].min() < 0.4


@pytest.mark.capability("IML-16-33")
def test_bands_become_narrower_with_more_rows():
    variables = draw("plot_gaussian_process_rows.py")
    assert (np.diff(variables["widths"]) < 0).all()
    assert len(variables["model"].y_train_) == 40
