"""Bands around ROC curves hold the true curve as often as they say."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtr, ndtri
from scipy.stats import kstwo

from assay.errors import DataError, ParameterError
from assay.metrics.bands import roc_band
from assay.metrics.roc import RocCurve


def sample(rng, P, N, shift=1.2):
    y = np.repeat([1, 0], [P, N])
    return RocCurve.of(y, rng.normal(size=P + N) + shift * y)


def true_curve(fpr, shift=1.2):
    with np.errstate(invalid="ignore"):
        return np.where(fpr <= 0, 0.0, np.where(fpr >= 1, 1.0, ndtr(shift + ndtri(np.clip(fpr, 1e-300, 1)))))


def test_kolmogorov_band_is_the_shifted_curve():
    """The shifts are the quantiles of Kolmogorov's statistic at sqrt(0.95); SciPy's exact ones agree to 1 %."""
    curve = sample(np.random.default_rng(0), 80, 120)
    band = roc_band(curve)
    across, up = (kstwo.ppf(np.sqrt(0.95), n) for n in (120, 80))
    inner = (band.fpr + across < 0.9) & (curve.at(np.minimum(band.fpr + across, 1)) + up < 0.9)
    assert_allclose(band.high[inner], curve.at(band.fpr[inner] + across) + up, atol=0.02)
    assert (band.low <= curve.at(band.fpr)).all() and (curve.at(band.fpr) <= band.high).all()
    assert band.simultaneous and (band.low[0], band.high[-1]) == (0, 1)


@pytest.mark.parametrize(("method", "floor"), [("kolmogorov", 0.95), ("bootstrap", 0.88)])
def test_whole_curves_are_inside_as_often_as_said(method, floor):
    """200 samples of 60 + 60 rows. Kolmogorov's band is conservative; the bootstrap's nearly exact."""
    rng = np.random.default_rng(2)
    inside = 0
    for _ in range(200 if method == "kolmogorov" else 100):
        band = roc_band(sample(rng, 60, 60), method=method, points=41, resamples=200)
        true = true_curve(band.fpr)
        inside += bool(((band.low <= true + 1e-12) & (true <= band.high + 1e-12)).all())
    assert inside / (200 if method == "kolmogorov" else 100) >= floor


def test_pointwise_bands_are_narrower_than_simultaneous_ones_and_both_than_kolmogorov_s():
    curve = sample(np.random.default_rng(1), 100, 100)
    each = roc_band(curve, method="bootstrap", simultaneous=False)
    whole = curve.band("bootstrap")
    sure = curve.band()
    middle = (each.fpr > 0.1) & (each.fpr < 0.6)
    assert ((each.high - each.low)[middle] < (whole.high - whole.low)[middle]).all()
    assert np.mean((whole.high - whole.low)[middle]) < np.mean((sure.high - sure.low)[middle])
    again = curve.band("bootstrap")
    assert_allclose(again.low, whole.low)


def test_bad_input_is_told_plainly():
    curve = RocCurve.of([0, 1], [1, 2])
    with pytest.raises(ParameterError, match="method must be kolmogorov or bootstrap, got 'normal'"):
        roc_band(curve, method="normal")
    with pytest.raises(ParameterError, match="points must be"):
        roc_band(curve, points=1)
    with pytest.raises(ParameterError, match="resamples must be"):
        roc_band(curve, method="bootstrap", resamples=3)
    with pytest.raises(DataError, match="weigh alike"):
        roc_band(RocCurve.of([0, 1], [1, 2], sample_weight=[1, 2]))
