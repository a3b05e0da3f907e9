import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DegenerateError, ParameterError
from assay.smoothers.kernel_smoother import KernelSmoother
from assay.smoothers.loess import Loess
from assay.smoothers.regressogram import Regressogram
from assay.smoothers.running_mean import RunningMean
from assay.smoothers.smoothing_spline import SmoothingSpline


@pytest.mark.capability("IML-8-29")
def test_the_interval_of_a_window(eight):
    x, r, _ = eight
    band = RunningMean(2.5).fit(x, r).confidence_band([[3.25]])
    assert_allclose(band.estimate, [3.4], rtol=1e-14)
    assert_allclose(band.error * np.sqrt(5), [1.557241], atol=5e-7)
    assert_allclose(band.error, [0.696419], atol=5e-7)
    assert_allclose(band.high - band.estimate, [1.933570], atol=5e-7)
    assert_allclose(band.estimate - band.low, [1.933570], atol=5e-7)
    assert_allclose(band.dof, [4])


def test_a_bin_has_the_interval_of_its_numbers():
    model = Regressogram(10.0).fit([[0.0], [1.0], [2.0], [15.0]], [1.0, 2.0, 6.0, 9.0])
    band = model.confidence_band([[5.0], [15.0]])
    assert_allclose(band.error[0], np.std([1, 2, 6], ddof=1) / np.sqrt(3))
    assert band.dof[0] == pytest.approx(2)
    assert np.isinf(band.error[1]) and band.low[1] == -np.inf and band.high[1] == np.inf  # one number


@pytest.mark.parametrize(
    "smoother",
    [RunningMean(1.0), KernelSmoother(0.5), Loess(0.3), SmoothingSpline(5.0), Regressogram(1.0, degree=1)],
)
def test_the_bands_of_little_biased_curves_cover_as_often_as_they_say(smoother):
    """A line, so that windows are unbiased inside; 200 samples: 90 % within three standard errors of that share."""
    random, hits = np.random.default_rng(7), []
    x, at = np.linspace(0, 10, 60)[:, None], np.array([[4.9], [5.6]])
    for _ in range(200):
        y = 0.3 * x[:, 0] + random.normal(0, 1, 60)
        band = smoother.fit(x, y).confidence_band(at, level=0.9, noise="global")
        hits.append((band.low <= 0.3 * at[:, 0]) & (0.3 * at[:, 0] <= band.high))
    assert 0.83 < np.mean(hits) < 0.97


def test_the_noise_is_estimated_without_bias(waves):
    """The residuals of pure noise: E of the squares over the degrees of freedom is the variance."""
    x, _ = waves
    random = np.random.default_rng(0)
    for smoother in (KernelSmoother(0.5), Loess(0.3)):
        result = [smoother.fit(x, random.normal(0, 2, len(x)))._noise()[0] ** 2 for _ in range(60)]
        assert_allclose(np.mean(result), 4, rtol=0.05)


def test_a_curve_through_all_rows_shows_no_noise(eight):
    x, r, _ = eight
    for smoother in (SmoothingSpline(0.0), RunningMean(0.5)):
        with pytest.raises(DegenerateError, match="passes through all rows"):
            smoother.fit(x, r).confidence_band(x, noise="global")


@pytest.mark.parametrize("noise", ["local", "global"])
@pytest.mark.parametrize("smoother", [RunningMean(1.5, empty="nan"), Regressogram(2.0, empty="nan")])
def test_where_nothing_is_known_the_interval_has_no_ends(eight, smoother, noise):
    x, r, _ = eight
    band = smoother.fit(x, r).confidence_band([[3.0], [50.0]], noise=noise)
    assert np.isfinite(band.high[0]) and np.isnan(band.estimate[1]) and np.isinf(band.error[1])


def test_wrong_questions_are_refused(eight):
    x, r, _ = eight
    with pytest.raises(ParameterError, match=r"noise must be 'global'.*got noise='local'"):
        Loess().fit(x, r).confidence_band(x, noise="local")
    with pytest.raises(ParameterError, match=r"got level=1.5"):
        RunningMean(1.5).fit(x, r).confidence_band(x, level=1.5)
