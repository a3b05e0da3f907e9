import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import gaussian_kde

from assay.densities.bandwidth import (
    bandwidth_by,
    improved_sheather_jones,
    normal_reference,
    scott,
    silverman,
)
from assay.densities.kernels import kernel_of
from assay.densities.leave_one_out import least_squares_bandwidth, likelihood_bandwidth
from assay.errors import DataError, DegenerateError, ParameterError

SAMPLE = np.array([1, 2, 2.5, 4, 6, 6.5, 7, 9])  # IML 8.2


def test_the_rules_of_scott_and_silverman_are_scipys():
    """Peer: the covariance of scipy.stats.gaussian_kde's kernel, with and without weights."""
    X = np.random.default_rng(0).normal(size=(50, 3)) * [1, 2, 3]
    for w in (None, np.random.default_rng(1).uniform(0.5, 2, 50)):
        for rule in (scott, silverman):
            peer = gaussian_kde(X.T, bw_method=rule.__name__, weights=w)
            assert_allclose(rule(X, w), np.sqrt(np.diag(peer.covariance)), rtol=1e-9)


def test_outliers_do_not_widen_the_normal_reference():
    x = np.random.default_rng(0).normal(size=200)
    wild = np.concatenate([x, [1e3, -1e3]])
    assert silverman(wild)[0] > 20 * silverman(x)[0]
    assert_allclose(normal_reference(wild), normal_reference(x), rtol=0.1)


def test_other_kernels_get_their_canonical_width():
    """Marron and Nolan: the Epanechnikov kernel is 2.214 times as wide as the Gaussian, the biweight 2.623 times."""
    gauss, epanechnikov, biweight = (
        normal_reference(SAMPLE, kernel=k)[0] for k in ("gaussian", "epanechnikov", "biweight")
    )
    assert_allclose([epanechnikov / gauss, biweight / gauss], [2.214, 2.623], atol=2e-3)


def test_sheather_jones_is_near_the_best_width_for_a_bell_and_for_two_hills():
    """Oracle: the width with the least true squared error, from the known densities, averaged over 4 samples."""
    bell = kernel_of("gaussian")
    grid = np.linspace(-9, 9, 400)
    for centres in ([0.0], [-4.0, 4.0]):
        truth = np.mean([bell(grid - c) for c in centres], axis=0)
        result, best = [], []
        for seed in range(4):
            rng = np.random.default_rng(seed)
            x = rng.choice(centres, 600) + rng.normal(size=600)
            widths = np.geomspace(0.1, 2, 25)
            errors = [
                np.sum((np.mean(bell((grid[:, None] - x) / h), axis=1) / h - truth) ** 2) for h in widths
            ]
            best.append(widths[np.argmin(errors)])
            result.append(improved_sheather_jones(x))
        assert_allclose(np.mean(result), np.mean(best), rtol=0.25)


@given(scale=st.floats(1e-3, 1e3), shift=st.floats(-100, 100), seed=st.integers(0, 1000))
@settings(max_examples=10, deadline=None)
def test_the_width_follows_the_units(scale, shift, seed):
    x = np.random.default_rng(seed).normal(size=100)
    for rule in (scott, silverman, normal_reference, improved_sheather_jones):
        assert_allclose(rule(shift + scale * x), scale * np.asarray(rule(x)), rtol=1e-5)


def test_weights_are_copies_for_sheather_jones():
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=200), rng.integers(1, 4, 200)
    assert_allclose(improved_sheather_jones(x, w), improved_sheather_jones(np.repeat(x, w)), rtol=1e-9)


def test_squares_of_large_and_small_numbers_do_not_get_lost():
    x = np.random.default_rng(0).normal(size=30)
    for unit in (1e-200, 1e200):
        assert_allclose(scott(unit * x), unit * scott(x), rtol=1e-12)


def test_rules_by_name():
    x, w = SAMPLE[:, None], np.ones(8)
    assert_allclose(bandwidth_by("normal", x, w, "box"), normal_reference(x, kernel="box"))
    assert_allclose(bandwidth_by("likelihood", x, w, "box"), likelihood_bandwidth(x, kernel="box"))
    assert_allclose(bandwidth_by("least_squares", x, w), least_squares_bandwidth(x))
    wide = np.random.default_rng(0).normal(size=(100, 1))
    assert_allclose(
        bandwidth_by("isj", wide, np.ones(100), "epanechnikov"),
        2.214 * improved_sheather_jones(wide),
        rtol=1e-3,
    )


def test_degenerate_samples_are_named():
    with pytest.raises(DegenerateError, match="all rows are equal"):
        improved_sheather_jones(np.ones(5))
    with pytest.raises(DataError, match="weights"):
        scott(SAMPLE, [1.0])
    with pytest.raises(DataError, match="one column"):
        improved_sheather_jones(np.ones((5, 2)))
    with pytest.raises(ParameterError, match="least_squares"):
        bandwidth_by("least_squares", SAMPLE[:, None], np.ones(8), kernel="box")
    assert_allclose(scott([[3.0, 4.0]]), 0)  # one row has no spread
