import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from assay.stats import Gaussian, NormalGamma, kl_divergence, mean_field, mean_field_normal_gamma

PRIOR, X = NormalGamma(4, 1, 2, 4), np.array([4.0, 5, 6, 7, 8])


# Oracle: data 4..8 with the normal-gamma prior (4, 1, 2, 4); worked by hand.
@pytest.mark.capability("IML-16-22")
def test_mean_and_precision_as_if_independent():
    result = mean_field_normal_gamma(PRIOR, X)
    assert result.converged
    assert_allclose([result["mean"].mean, result["mean"].var], [5.66666667, 0.39506173], rtol=1e-7)
    assert_allclose([result["precision"].a, result["precision"].b], [5, 11.85185185], rtol=1e-7)
    exact = PRIOR.update(X).precision
    assert_allclose([result["precision"].mean, exact.mean], 0.421875, rtol=1e-8)
    assert_allclose([result["precision"].var, exact.var], [0.03559570, 0.03955078], rtol=1e-6)


@pytest.mark.capability("IML-16-22")
@pytest.mark.parametrize("weights", [None, [1, 2, 0, 3, 1]])
def test_the_bound_rises_to_the_evidence_less_the_divergence(weights):
    """log p(x) - bound is D(q || p), here by a sum over a grid of mean and precision."""
    result = mean_field_normal_gamma(PRIOR, X, weights)
    assert (np.diff(result.history) >= 0).all() and len(result.history) == result.n_iter
    posterior = PRIOR.update(X, weights)
    mean, precision = np.meshgrid(np.linspace(0, 12, 601), np.linspace(1e-3, 3, 600))
    log_q = result["mean"].logpdf(mean) + result["precision"].logpdf(precision)
    values = np.exp(log_q) * (log_q - posterior.logpdf(mean, precision))
    divergence = np.trapezoid(np.trapezoid(values, mean[0]), precision[:, 0])
    assert_allclose(PRIOR.log_evidence(X, weights) - result.bound, divergence, atol=2e-4)
    assert divergence > 0


def correlated(wrong=0.0):
    A, m = np.array([[2.0, 1.5], [1.5, 2.0]]), np.array([1.0, 3.0])

    def update(i):
        j = 1 - i
        return lambda q: Gaussian(m[i] - A[i, j] / A[i, i] * (q[j].mean - m[j]) + wrong, 1 / A[i, i])

    def bound(q):
        gap = np.array([q[0].mean, q[1].mean]) - m
        return -0.5 * (gap @ A @ gap + A[0, 0] * q[0].var + A[1, 1] * q[1].var) + 0.5 * np.log(
            q[0].var * q[1].var
        )

    return {0: Gaussian(), 1: Gaussian()}, {0: update(0), 1: update(1)}, bound


def test_coordinate_ascent_finds_the_nearest_independent_factors():
    result = mean_field(*correlated())
    assert_allclose([result[0].mean, result[1].mean], [1, 3], atol=1e-4)
    nearest = kl_divergence(result[0], Gaussian(1, 0.5))
    assert nearest < 1e-8  # of all variances that of the conditional distribution
    assert (np.diff(result.history) >= 0).all()


def test_a_wrong_update_is_named():
    with pytest.raises(
        ValueError, match=r"the update of [01] lowered the bound from .* a right one never does"
    ):
        mean_field(*correlated(wrong=0.3))


def test_rounds_that_do_not_suffice_are_said():
    with pytest.warns(ConvergenceWarning, match="after 2 rounds the bound still rose"):
        result = mean_field(*correlated(), max_iter=2)
    assert not result.converged and result.n_iter == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mean_field(None, {}, lambda q: 0.0), "must be dicts, and bound a function"),
        (lambda: mean_field({}, {}, lambda q: 0.0), "must have the same names"),
        (lambda: mean_field({"a": 1}, {"b": lambda q: 1}, lambda q: 0.0), "got .'a'. and .'b'."),
        (lambda: mean_field({"a": 1}, {"a": lambda q: 1}, lambda q: np.nan), "bound is nan after start"),
        (lambda: mean_field({"a": 1}, {"a": lambda q: 1}, lambda q: 0.0, max_iter=0), "max_iter from 1"),
        (
            lambda: mean_field_normal_gamma(NormalGamma.jeffreys(), X),
            "must be proper, with an uncertain mean",
        ),
        (
            lambda: mean_field_normal_gamma(NormalGamma.known_mean(3), X),
            "must be proper, with an uncertain mean",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
