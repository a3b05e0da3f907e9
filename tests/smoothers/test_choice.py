import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import ParameterError
from assay.smoothers.choice import choose_smoothing
from assay.smoothers.kernel_smoother import KernelSmoother
from assay.smoothers.loess import Loess
from assay.smoothers.regressogram import Regressogram
from assay.smoothers.running_line import RunningLine
from assay.smoothers.running_mean import RunningMean
from assay.smoothers.running_median import RunningMedian
from assay.smoothers.smoothing_spline import SmoothingSpline

TRIED = [
    (RunningMean(), "bandwidth", [0.3, 0.8, 3.0]),
    (RunningMean(), "n_neighbors", [1, 6, 90]),
    (RunningMedian(), "bandwidth", [0.3, 0.8, 3.0]),
    (KernelSmoother(), "bandwidth", [0.1, 0.4, 3.0]),
    (RunningLine(), "bandwidth", [0.3, 1.0, 5.0]),
    (Loess(), "span", [0.05, 0.2, 1.0]),
    (Loess(bandwidth=1.5), "degree", [0, 1, 2]),
    (SmoothingSpline(), "lam", [0.001, 1.0, 1000.0]),
    (Regressogram(origin=0.0), "width", [0.2, 1.0, 5.0]),
]


@pytest.mark.capability("IML-8-33")
@pytest.mark.parametrize(("smoother", "name", "values"), TRIED, ids=lambda v: v if isinstance(v, str) else "")
def test_the_least_left_out_error_by_fitting_again_without_each_row(smoother, name, values, waves):
    x, y = waves
    x, y = x[:60] + np.arange(60)[:, None] * 1e-6, y[:60]  # no two alike
    result = choose_smoothing(smoother, x, y, values, parameter=name)
    kept = np.arange(60)
    for value, error in zip(values, result.errors):
        model = type(smoother)(**{**smoother.get_params(), name: value})
        left = [model.fit(x[kept != i], y[kept != i]).predict(x[[i]])[0] for i in range(60)]
        if name == "span":  # k is a share of one row fewer there
            continue
        assert_allclose(error, np.mean((y - left) ** 2), rtol=1e-6)
    assert result.best == values[int(np.argmin(result.errors))]
    assert result.smoother.get_params()[name] == result.best
    if name != "degree":
        assert result.best == values[1]  # neither the wiggly nor the flat curve


@pytest.mark.capability("IML-8-33")
@pytest.mark.parametrize("smoother", [KernelSmoother(), RunningLine(), SmoothingSpline()])
def test_generalised_cross_validation(smoother, waves):
    x, y = waves
    values = [0.05, 0.5, 5.0]
    result = choose_smoothing(smoother, x, y, values, criterion="gcv")
    for value, error in zip(values, result.errors):
        model = type(smoother)(value).fit(x, y)
        S = model.weights(x)
        expected = np.mean((y - S @ y) ** 2) / (1 - np.trace(S) / len(y)) ** 2
        assert_allclose(error, expected, rtol=1e-7)


@pytest.mark.capability("IML-8-33")
def test_other_rows_may_decide(waves):
    x, y = waves
    result = choose_smoothing(
        RunningMean(), x[::2], y[::2], np.array([0.1, 0.7, 9.0]), validation=(x[1::2], y[1::2])
    )
    assert result.best == 0.7
    model = RunningMean(0.7).fit(x[::2], y[::2])
    assert_allclose(result.errors[1], np.mean((y[1::2] - model.predict(x[1::2])) ** 2))


def test_wiggly_curves_have_small_bias_and_large_variance():
    """Over many samples of one curve: the small width has the variance, the large one the bias."""
    random = np.random.default_rng(0)
    x = np.linspace(0, 10, 60)[:, None]
    truth, at = np.sin(x[:, 0]), slice(10, 50)
    for h, larger in ((0.2, "variance"), (2.5, "bias")):
        fits = np.array(
            [RunningMean(h).fit(x, truth + random.normal(0, 0.3, 60)).predict(x) for _ in range(60)]
        )
        bias, variance = np.mean((fits.mean(axis=0) - truth)[at] ** 2), np.mean(fits.var(axis=0)[at])
        assert (variance > 4 * bias) if larger == "variance" else (bias > 4 * variance)


def test_weights_count_in_the_error(waves):
    x, y = waves
    counts = np.random.default_rng(0).integers(0, 3, len(y))
    once = choose_smoothing(KernelSmoother(), x, y, [0.2, 1.0], sample_weight=counts)
    twice = choose_smoothing(KernelSmoother(), np.repeat(x, counts, axis=0), np.repeat(y, counts), [0.2, 1.0])
    assert_allclose(once.errors, twice.errors, rtol=1e-9)


def test_wrong_questions_are_refused(waves):
    x, y = waves
    for wrong in (
        {"values": []},
        {"values": [1.0], "parameter": "size"},
        {"values": [1.0], "criterion": "bic"},
    ):
        with pytest.raises(ParameterError, match="expected values to try"):
            choose_smoothing(RunningMean(), x, y, **wrong)
