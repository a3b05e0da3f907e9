import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import gamma

from assay.stats import Gamma

POINTS = np.array([0.1, 1.0, 7.0])


def test_same_distribution_as_scipy():
    ours, peer = Gamma(2.5, 4), gamma(2.5, scale=1 / 4)
    assert_allclose(ours.logpdf(POINTS), peer.logpdf(POINTS), rtol=1e-12)
    assert_allclose(ours.quantile([0.1, 0.9]), peer.ppf([0.1, 0.9]), rtol=1e-10)
    assert_allclose([ours.mean, ours.var], peer.stats(), rtol=1e-12)
    draws = ours.sample(40_000, random_state=0)
    assert_allclose([draws.mean(), draws.var()], [ours.mean, ours.var], rtol=0.03)
    assert ours.logpdf(-1.0) == ours.logpdf(0.0) == -np.inf
    assert Gamma(1, 3).pdf(0.0) == pytest.approx(3) and Gamma(0.5, 3).logpdf(0.0) == np.inf


@pytest.mark.parametrize("shape", [0.3, 2.0, 50.0])
def test_maximum_likelihood_as_in_scipy(shape):
    x = np.random.default_rng(0).gamma(shape, 2.0, 60)
    ours, (a, _, scale) = Gamma().fit(x), gamma.fit(x, floc=0)
    assert_allclose([ours.a, ours.b], [a, 1 / scale], rtol=1e-6)
    assert_allclose(
        list(vars(Gamma().fit(x[:2].repeat(2))).values()), list(vars(Gamma().fit(x[:2], [2, 2])).values())
    )


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="above 0, got 0 and 1"):
        Gamma(0, 1)
    with pytest.raises(ValueError, match="numbers above 0, got -1"):
        Gamma().fit([1.0, -1.0])
    with pytest.raises(ValueError, match="all values are 2"):
        Gamma().fit([2.0, 2.0])
