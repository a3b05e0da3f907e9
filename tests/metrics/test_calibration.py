"""Calibration error and reliability curves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression

from assay.errors import DataError, ParameterError
from assay.metrics.bins import binned
from assay.metrics.calibration import ReliabilityCurve, calibration_error
from assay.metrics.proper import BrierParts


def error_by_the_book(y, p, bins, norm):
    """Bin by bin; the upper edge belongs to the bin."""
    gaps, shares = [], []
    for b in range(bins):
        inside = (p <= (b + 1) / bins) & ((p > b / bins) if b else True)
        if inside.any():
            gaps.append(abs(y[inside].mean() - p[inside].mean()))
            shares.append(inside.mean())
    gaps, shares = np.array(gaps), np.array(shares)
    return {"l1": shares @ gaps, "l2": np.sqrt(shares @ gaps**2), "max": gaps.max()}[norm]


@given(st.integers(0, 10_000), st.integers(5, 80), st.integers(1, 12))
@settings(deadline=None, max_examples=40)
def test_errors_are_those_of_the_definition(seed, n, bins):
    rng = np.random.default_rng(seed)
    y, p = np.append([0, 1], rng.integers(2, size=n)), rng.random(n + 2)
    for norm in ("l1", "l2", "max"):
        found = calibration_error(y, p, bins=bins, norm=norm)
        assert_allclose(found, error_by_the_book(y, p, bins, norm), atol=1e-12)
    assert_allclose(
        calibration_error(y, p, bins=bins, sample_weight=np.full(n + 2, 3.0)),
        calibration_error(y, p, bins=bins),
    )
    both = [error_by_the_book(y == k, p if k else 1 - p, bins, "l1") for k in (0, 1)]
    assert_allclose(calibration_error(y, p, bins=bins, of="class"), np.mean(both), atol=1e-9)
    K = 3
    P, codes = rng.dirichlet(np.ones(K), size=n + 3), np.append([0, 1, 2], rng.integers(K, size=n))
    right = (P.argmax(axis=1) == codes) * 1.0
    assert_allclose(
        calibration_error(codes, P, bins=bins),
        error_by_the_book(right, P.max(axis=1), bins, "l1"),
        atol=1e-12,
    )


def test_debiased_errors_are_about_nothing_for_calibrated_forecasts():
    """400 samples of 300 calibrated forecasts: the plain error is noise, the debiased squares average to zero."""
    rng = np.random.default_rng(0)
    plain, squares, absolute = [], [], []
    for _ in range(400):
        p = rng.random(300)
        y = (rng.random(300) < p).astype(int)
        plain.append(calibration_error(y, p, bins=10))
        squares.append(calibration_error(y, p, bins=10, norm="l2", debias=True))
        absolute.append(calibration_error(y, p, bins=10, debias=True))
    assert np.mean(plain) > 0.05
    assert np.mean(absolute) < 0.6 * np.mean(plain)
    assert (
        0.3 < np.mean(np.array(squares) == 0) < 0.75
    )  # about half the samples fall below nothing and are cut there


def test_debiasing_finds_the_true_error_where_there_is_one():
    """Forecasts of p that come true with p/2: the true mean square over p uniform is 1/12."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(200):
        p = rng.random(200)
        found.append(
            calibration_error((rng.random(200) < p / 2) * 1, p, bins=10, norm="l2", debias=True) ** 2
        )
    assert_allclose(np.mean(found), 1 / 12, atol=4 * np.std(found) / np.sqrt(200))


@given(st.integers(0, 10_000), st.integers(20, 80))
@settings(deadline=None, max_examples=30)
def test_same_points_as_scikit_learn(seed, n):
    """Peer: calibration_curve, equal widths; its bins hold their lower edge, ours the upper, so no p is an edge."""
    rng = np.random.default_rng(seed)
    y, p = np.append([0, 1], rng.integers(2, size=n)), rng.random(n + 2)
    share, mean = calibration_curve(y, p, n_bins=6)
    curve = ReliabilityCurve.of(y, p, method="uniform", bins=6)
    assert_allclose(curve.observed, share, atol=1e-12)
    assert_allclose(curve.predicted, mean, atol=1e-12)
    assert curve.count.sum() == n + 2
    assert ((curve.low <= curve.observed) & (curve.observed <= curve.high)).all()
    equal = ReliabilityCurve.of(y, p, bins=4)
    assert equal.count.max() - equal.count.min() <= 1
    corp = ReliabilityCurve.of(y, p, method="isotonic")
    assert_allclose(corp.observed, IsotonicRegression().fit(p, y).predict(np.sort(p)), atol=1e-12)
    assert_allclose(corp.recalibrated(np.sort(p)), corp.observed)
    reliability = BrierParts.of(y, p, groups="isotonic").reliability
    assert reliability >= 0


def test_equal_forecasts_stay_in_one_bin():
    mass, forecast, _, place, _ = binned(np.array([0.1] * 5 + [0.9]), np.zeros(6), np.ones(6), 3, "quantile")
    assert_array_equal(mass, [5, 1])
    assert_allclose(forecast, [0.1, 0.9])
    assert_array_equal(place, [0] * 5 + [1])
    assert len(binned(np.full(4, 0.5), np.zeros(4), np.ones(4), 5, "quantile")[0]) == 1


@pytest.mark.parametrize("method", ["quantile", "uniform", "isotonic"])
def test_calibrated_forecasts_stay_in_the_consistency_band(method):
    """60 samples: each group is inside with 95 %, so the share over all of them is near that (groups: 4 sd)."""
    rng = np.random.default_rng(4)
    inside = []
    for _ in range(60):
        p = rng.integers(1, 40, size=200) / 40
        y = (rng.random(200) < p) * 1
        curve = ReliabilityCurve.of(y, p, method=method, resamples=100, bins=5)
        inside += (
            (curve.consistent_low - 1e-9 <= curve.observed) & (curve.observed <= curve.consistent_high + 1e-9)
        ).tolist()
    assert np.mean(inside) > 0.9
    y = (rng.random(200) < p**4) * 1
    curve = ReliabilityCurve.of(y, p, method=method, resamples=100, bins=5)
    assert ((curve.observed < curve.consistent_low) | (curve.observed > curve.consistent_high)).any()


def test_bad_input_is_told_plainly():
    wrong = [
        ({"norm": "l3"}, "norm must be"),
        ({"of": "rows"}, "of must be"),
        ({"bins": 0}, "bins must be"),
        ({"strategy": "equal"}, "strategy must be"),
        ({"norm": "max", "debias": True}, "debias"),
    ]
    for more, said in wrong:
        with pytest.raises(ParameterError, match=said):
            calibration_error([0, 1], [0.2, 0.8], **more)
    with pytest.raises(ParameterError, match="for two classes, there are 3"):
        calibration_error([0, 1, 2], np.full((3, 3), 1 / 3), of="positive")
    with pytest.raises(DataError, match="between 0 and 1"):
        ReliabilityCurve.of([0, 1], [0.2, 1.8])
    with pytest.raises(ParameterError, match="method must be quantile, uniform or isotonic"):
        ReliabilityCurve.of([0, 1], [0.2, 0.8], method="kernel")


@pytest.mark.parametrize("resamples", [-3, 2.5, "many"])
def test_resamples_of_the_band_are_a_whole_number(resamples):
    with pytest.raises(ParameterError, match="resamples"):
        ReliabilityCurve.of([0, 1], [0.1, 0.4], resamples=resamples)
