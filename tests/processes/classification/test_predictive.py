"""Averages of the logistic curve and the softmax over Gaussians, by integration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.special import expit, softmax

from assay.processes.classification.predictive import (
    averaged_logistic,
    averaged_softmax,
    flattened_softmax,
    probit_rule,
    probit_rule_of_softmax,
)


@pytest.mark.parametrize("mean", [-30.0, -2.0, 0.0, 0.7, 5.0])
@pytest.mark.parametrize("variance", [1e-12, 0.3, 4.0, 900.0])
def test_average_of_the_logistic_curve(mean, variance):
    sd = np.sqrt(variance)
    integral = quad(
        lambda z: expit(mean + sd * z) * np.exp(-z * z / 2) / np.sqrt(2 * np.pi),
        -12,
        12,
        limit=400,
        points=[np.clip(-mean / sd, -12, 12)],  # where the curve is steep
    )[0]
    assert_allclose(averaged_logistic(np.array([mean]), np.array([variance]))[0], integral, atol=1e-8)
    assert_allclose(probit_rule(np.array([mean]), np.array([variance]))[0], integral, atol=0.02)


def test_average_of_the_softmax():
    rng = np.random.default_rng(0)
    mean, half = rng.normal(size=(3, 4)), rng.normal(size=(3, 4, 4))
    covariance = half @ half.transpose(0, 2, 1)
    draws = rng.normal(size=(200_000, 4))
    truth = [softmax(m + draws @ h.T, axis=1).mean(axis=0) for m, h in zip(mean, half)]
    assert_allclose(averaged_softmax(mean, covariance), truth, atol=3e-3)
    assert_allclose(
        probit_rule_of_softmax(mean, covariance), truth, atol=0.1
    )  # scores that depend on each other


def test_sure_scores_are_the_softmax_itself():
    mean = np.array([[0.0, 1.0, -3.0]])
    for rule in (averaged_softmax, probit_rule_of_softmax):
        assert_allclose(rule(mean, np.zeros((1, 3, 3))), softmax(mean, axis=1), atol=1e-12)


def test_a_flattened_softmax_keeps_the_order_of_the_means():
    rng = np.random.default_rng(0)
    mean, root = rng.normal(size=(50, 4)), rng.normal(size=(50, 4, 4))
    p = flattened_softmax(mean, 1e6 * root @ root.transpose(0, 2, 1))
    assert_array_equal(np.argsort(p, axis=1), np.argsort(mean, axis=1))
    assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    two = flattened_softmax(mean[:, :2], np.tile(np.eye(2), (50, 1, 1)))
    assert_allclose(two[:, 1], probit_rule(mean[:, 1] - mean[:, 0], np.full(50, 2.0)), rtol=1e-12)
    assert_allclose(flattened_softmax(mean, np.zeros((50, 4, 4))), softmax(mean, axis=1), rtol=1e-12)
