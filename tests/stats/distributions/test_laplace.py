import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import laplace

from assay.stats import Laplace


def test_same_distribution_as_scipy():
    points = np.array([-3.0, 1.0, 2.0])
    ours, peer = Laplace(1, 2), laplace(1, 2)
    assert_allclose(ours.logpdf(points), peer.logpdf(points), rtol=1e-12)
    assert_allclose([ours.mean, ours.var], peer.stats(), rtol=1e-12)
    draws = ours.sample(40_000, random_state=0)
    assert_allclose([draws.mean(), draws.var()], [ours.mean, ours.var], rtol=0.05)


def test_maximum_likelihood_is_median_and_mean_distance():
    x = np.array([1.0, 2, 9, 4])
    fitted = Laplace().fit(x)
    assert (fitted.mean, fitted.scale) == (3, 2.5)
    assert_allclose(
        list(vars(Laplace().fit(x, [2, 1, 1, 0])).values()), list(vars(Laplace().fit([1, 1, 2, 9])).values())
    )


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="scale finite and not negative, got 0 and -1"):
        Laplace(0, -1)
    with pytest.raises(ValueError, match="the scale is 0"):
        Laplace().fit([2.0, 2.0]).logpdf(1.0)
