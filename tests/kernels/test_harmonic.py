"""Waves of one period."""

import numpy as np
from numpy.testing import assert_allclose

from assay.kernels import Harmonic, Matern, check_gram


def test_values_derivatives_and_definiteness():
    """Of cos(2 pi d / p), by central differences; rank two on a line."""
    t = np.linspace(0, 5, 30)[:, None]
    kernel = Harmonic(1.7)
    K = kernel(t)
    assert_allclose(K, np.cos(2 * np.pi * (t - t.T) / 1.7), atol=1e-13)
    step = (kernel.with_theta(kernel.theta + 1e-6)(t) - kernel.with_theta(kernel.theta - 1e-6)(t)) / 2e-6
    assert_allclose(kernel.gradient(t)[0], step, rtol=1e-6, atol=1e-7)
    assert len(Harmonic(1.7, "fixed").gradient(t)) == 0
    assert check_gram(K).psd and np.linalg.matrix_rank(K) == 2
    assert kernel.psd_on(1) and not kernel.psd_on(2)
    assert (Matern(nu=1.5) * Harmonic(2.0)).psd_on(1)
    assert_allclose(kernel.diagonal(t), 1.0)
