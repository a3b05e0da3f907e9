"""Support vector data description: worked examples, feasibility, one-class classifiers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import ParameterError
from assay.svm import SVDD

# Oracle: worked by hand, points on a line.
FOUR = np.array([[-1.0], [0.0], [1.0], [10.0]])


def multipliers(model, n):
    alpha = np.zeros(n)
    alpha[model.support_] = model.dual_coef_[0]
    return alpha


@pytest.mark.capability("IML-13-39")
@pytest.mark.parametrize(
    ("C", "alpha", "center", "squared_radius"),
    [
        (1.0, [0.5, 0, 0, 0.5], 4.5, 30.25),
        (0.4, [0.4, 0.2, 0, 0.4], 3.6, 12.96),
        (0.3, [0.3, 0.3, 0.1, 0.3], 2.8, 3.24),
        (0.25, [0.25] * 4, 2.5, 1.125),  # the middle of [0, 2.25]
        (10.0, [0.5, 0, 0, 0.5], 4.5, 30.25),  # from 1 on no row is outside
    ],
)
def test_the_worked_examples(C, alpha, center, squared_radius):
    model = SVDD(C=C, kernel="linear", tol=1e-10).fit(FOUR)
    assert_allclose(multipliers(model, 4), alpha, atol=1e-9)
    assert_allclose(model.center_, [center], atol=1e-9)
    assert_allclose(model.squared_radius_, squared_radius, atol=1e-8)
    assert_allclose(model.squared_distances(FOUR), (FOUR[:, 0] - center) ** 2, atol=1e-8)


@pytest.mark.capability("IML-13-39")
def test_rows_outside_the_ball():
    model = SVDD(C=0.4, kernel="linear", tol=1e-10).fit(FOUR)
    assert_array_equal(model.predict([[-1.0], [0.5], [10.0]]), [-1, 1, -1])
    assert_allclose(
        SVDD(C=10, kernel="linear", tol=1e-10).fit([[-1.0], [0.0], [1.0]]).squared_radius_, 1, atol=1e-9
    )


@pytest.mark.capability("IML-13-39")
def test_a_gaussian_ball_is_a_threshold_on_the_sum_of_kernels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    model = SVDD(nu=0.2, gamma=0.5, tol=1e-12).fit(X)
    sums = model.kernel_(X, model.support_vectors_) @ model.dual_coef_[0]
    threshold = (1 + model.squared_center_ - model.squared_radius_) / 2
    clear = np.abs(sums - threshold) > 1e-9
    assert_array_equal((sums < threshold)[clear], (model.predict(X) == -1)[clear])
    assert (model.predict(X) == -1).mean() <= 0.2


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2))
    w = rng.integers(0, 3, 30)
    C = 0.2
    repeated = SVDD(C=C * np.count_nonzero(w) / w.sum(), gamma=0.5, tol=1e-12).fit(np.repeat(X, w, axis=0))
    weighted = SVDD(C=C, gamma=0.5, tol=1e-12).fit(X, sample_weight=w)
    assert_allclose(weighted.squared_distances(X), repeated.squared_distances(X), atol=1e-6)


def test_wrong_parameters_are_named():
    with pytest.raises(ParameterError, match=r"at least 1/n = 0\.25"):
        SVDD(C=0.2).fit(FOUR)
    with pytest.raises(ParameterError, match="kernel value with itself"):
        SVDD(kernel="precomputed").fit(np.eye(4))
