import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KernelDensity

from assay.core.progress import listen
from assay.densities.kernels import KERNELS, kernel_of
from assay.densities.leave_one_out import (
    least_squares_bandwidth,
    least_squares_scores,
    leave_one_out_log_likelihood,
    likelihood_bandwidth,
)
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


def test_repeated_rows_and_other_degenerate_samples_are_named():
    with pytest.raises(DegenerateError, match="repeated"):
        likelihood_bandwidth(np.repeat([1.0, 2.0, 3.0, 7.0], 2))
    for rule in (likelihood_bandwidth, least_squares_bandwidth):
        with pytest.raises(DegenerateError, match="all rows are equal"):
            rule(np.ones(5))
    with pytest.raises(DataError, match="at least 2 rows"):
        leave_one_out_log_likelihood([[1.0]], [1.0])
    with pytest.raises(ParameterError, match="above 0"):
        leave_one_out_log_likelihood(SAMPLE, [0.0])


def test_long_work_can_be_stopped_by_who_listens():
    class Enough(Exception):
        pass

    def stop(event):
        if event.done >= 2:
            raise Enough

    with listen(stop), pytest.raises(Enough):
        leave_one_out_log_likelihood(np.random.default_rng(0).normal(size=3000), np.linspace(0.1, 1, 400))


@pytest.mark.parametrize("unit", [1e-300, 1e-160, 1e160, 1e300])
@pytest.mark.parametrize("choose", [likelihood_bandwidth, least_squares_bandwidth])
def test_widths_follow_the_unit_of_the_rows(choose, unit):
    X = np.random.default_rng(0).normal(size=(40, 2))
    assert_allclose(choose(X * unit) / unit, choose(X), rtol=1e-2)
