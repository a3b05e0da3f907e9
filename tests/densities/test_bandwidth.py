import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.stats import gaussian_kde
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KernelDensity

from assay.densities.bandwidth import (
    bandwidth_by,
    improved_sheather_jones,
    least_squares_bandwidth,
    least_squares_scores,
    leave_one_out_log_likelihood,
    likelihood_bandwidth,
    normal_reference,
    scott,
    silverman,
)
from assay.densities.kernels import KERNELS, kernel_of
from assay.errors import DataError, DegenerateError, ParameterError

SAMPLE = np.array([1, 2, 2.5, 4, 6, 6.5, 7, 9])  # IML 8.2


@pytest.mark.capability("IML-8-33")
def test_the_leave_one_out_likelihoods_of_the_sample():
    widths = [0.25, 0.5, 1, 1.5, 2, 3]
    scores = leave_one_out_log_likelihood(SAMPLE, widths)
    assert_allclose(scores, [-79.1278, -32.8899, -22.5344, -21.0764, -20.8222, -21.0195], atol=5e-5)
    assert widths[np.argmax(scores)] == 2


@pytest.mark.capability("IML-8-33")
@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_the_same_as_cross_validation_with_scikit_learn(kernel):
    X = np.random.default_rng(0).normal(size=(30, 2))
    for h in (0.3, 1.0):
        folds = cross_val_score(KernelDensity(kernel=kernel, bandwidth=h), X, cv=LeaveOneOut())
        assert_allclose(leave_one_out_log_likelihood(X, [h], kernel=kernel), [folds.sum()], rtol=1e-8)


def test_a_kernel_that_ends_before_the_next_row_has_likelihood_0():
    assert_array_equal(
        leave_one_out_log_likelihood(SAMPLE, [0.4, 3.0], kernel="epanechnikov") == -np.inf, [True, False]
    )


def test_the_squared_error_is_the_integral_less_twice_the_mean_of_the_others():
    """Oracle: the definition, with the integral by quadrature."""
    bell = kernel_of("gaussian")
    for h in (0.7, 2.0):
        square = quad(lambda q, h=h: np.mean(bell((q - SAMPLE) / h) / h) ** 2, -20, 30, limit=200)[0]
        others = [np.sum(bell((x - np.delete(SAMPLE, i)) / h)) / (7 * h) for i, x in enumerate(SAMPLE)]
        assert_allclose(least_squares_scores(SAMPLE, [h]), [square - 2 * np.mean(others)], rtol=1e-8)


@pytest.mark.parametrize("choose", [likelihood_bandwidth, least_squares_bandwidth])
def test_the_width_chosen_is_the_best_of_a_fine_list(choose):
    x = np.random.default_rng(1).gamma(3, size=60)
    fine = np.geomspace(0.05, 10, 4000)
    loss = (
        least_squares_scores
        if choose is least_squares_bandwidth
        else (lambda x, h: -leave_one_out_log_likelihood(x, h))
    )
    assert_allclose(choose(x), fine[np.argmin(loss(x, fine))], rtol=3e-3)


@pytest.mark.parametrize("kernel", list(KERNELS))
def test_every_kernel_has_a_likely_width(kernel):
    h = likelihood_bandwidth(SAMPLE, kernel=kernel)
    around = leave_one_out_log_likelihood(SAMPLE, [h, 0.9 * h, 1.1 * h], kernel=kernel)
    assert np.isfinite(around[0]) and np.argmax(around) == 0


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
        found, best = [], []
        for seed in range(4):
            rng = np.random.default_rng(seed)
            x = rng.choice(centres, 600) + rng.normal(size=600)
            widths = np.geomspace(0.1, 2, 25)
            errors = [
                np.sum((np.mean(bell((grid[:, None] - x) / h), axis=1) / h - truth) ** 2) for h in widths
            ]
            best.append(widths[np.argmin(errors)])
            found.append(improved_sheather_jones(x))
        assert_allclose(np.mean(found), np.mean(best), rtol=0.25)


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


def test_repeated_rows_and_other_degenerate_samples_are_named():
    with pytest.raises(DegenerateError, match="repeated"):
        likelihood_bandwidth(np.repeat([1.0, 2.0, 3.0, 7.0], 2))
    for rule in (likelihood_bandwidth, least_squares_bandwidth, improved_sheather_jones):
        with pytest.raises(DegenerateError, match="all rows are equal"):
            rule(np.ones(5))
    with pytest.raises(DataError, match="at least 2 rows"):
        leave_one_out_log_likelihood([[1.0]], [1.0])
    with pytest.raises(DataError, match="weights"):
        scott(SAMPLE, [1.0])
    with pytest.raises(DataError, match="one column"):
        improved_sheather_jones(np.ones((5, 2)))
    with pytest.raises(ParameterError, match="above 0"):
        leave_one_out_log_likelihood(SAMPLE, [0.0])
    with pytest.raises(ParameterError, match="least_squares"):
        bandwidth_by("least_squares", SAMPLE[:, None], np.ones(8), kernel="box")
