"""The error of a separator: penalty and losses, value, gradient, curvature."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from assay.errors import ParameterError
from assay.optimize.losses import MARGIN_LOSSES
from assay.optimize.margin_error import MarginError

rng = np.random.default_rng(5)
X, Y = rng.normal(size=(20, 3)), rng.choice([-1, 1], 20)
W = rng.normal(size=4)

# Oracle: IML 2.10, exercise 10, worked by hand.
FOUR, SIDES = np.array([[2, 2], [3, 3], [0, 0], [1, 0]]), np.array([1, 1, -1, -1])


@pytest.mark.capability("IML-2-25")
@pytest.mark.parametrize("C", [0.4, 1.0, 10.0, 1e6])
def test_the_widest_margin_has_the_least_error(C):
    """w = (0.4, 0.8), w_0 = -1.4 for every C from 0.4 up; the supporting lines are sqrt(5) apart."""
    error = MarginError(FOUR, SIDES, "hinge", penalty=1, C=C)
    best = np.array([-1.4, 0.4, 0.8])
    assert_allclose(error.margins(best), [1, 2.2, 1.4, 1], rtol=1e-12)
    assert_allclose(2 / np.linalg.norm(best[1:]), np.sqrt(5), rtol=1e-12)
    least = error.value_gradient(best)[0]
    assert_allclose(least, 0.4, atol=1e-15 * C, rtol=1e-12)  # the margins round
    for scale in (1e-4, 1e-2, 1.0):
        for step in np.random.default_rng(0).normal(size=(200, 3)) * scale:
            assert error.value_gradient(best + step)[0] >= 0.4 - 1e-12


@pytest.mark.capability("IML-2-25")
def test_below_that_weight_the_margin_is_given_up():
    error = MarginError(FOUR, SIDES, "hinge", penalty=1, C=0.3)
    best = np.array([-1.4, 0.4, 0.8])
    assert error.value_gradient(best * 0.9)[0] < error.value_gradient(best)[0]


@pytest.mark.parametrize("loss", MARGIN_LOSSES)
def test_gradient_and_curvature_are_derivatives(loss):
    error = MarginError(X, Y, loss, penalty=0.7, C=1.3)
    value, gradient, H = error.curvature(W)
    h = 1e-6
    for j in range(4):
        step = h * np.eye(4)[j]
        up, down = error.value_gradient(W + step), error.value_gradient(W - step)
        assert_allclose(gradient[j], (up[0] - down[0]) / (2 * h), atol=1e-6)
        assert_allclose(H[j], (up[1] - down[1]) / (2 * h), atol=1e-5)
    assert value == error.value_gradient(W)[0]


@pytest.mark.capability("LS-04", "BC-20", "BC-21")
def test_the_perceptron_criterion():
    """BC 5.2.2: J is minus the sum of y w.x over the wrong rows, its gradient minus the sum of y x over them."""
    error = MarginError(X, Y, "perceptron")
    value, gradient = error.value_gradient(W)
    ones = np.column_stack([np.ones(20), X])
    wrong = Y * (ones @ W) < 0
    assert wrong.any()
    assert_allclose(value, -(Y * (ones @ W))[wrong].sum(), rtol=1e-13)
    assert_allclose(gradient, -(Y[:, None] * ones)[wrong].sum(axis=0), rtol=1e-12)


@pytest.mark.capability("BC-21")
def test_the_perceptron_criterion_is_zero_when_all_are_right():
    value, gradient = MarginError(FOUR, SIDES, "perceptron").value_gradient([-1.4, 0.4, 0.8])
    assert value == 0 and not gradient.any()


def test_sparse_rows_give_the_same():
    dense, sparse = (MarginError(rows, Y, "log_loss", penalty=1).curvature(W) for rows in (X, csr_array(X)))
    for a, b in zip(dense, sparse):
        assert_allclose(a, b, rtol=1e-12)


def test_other_labels_are_refused():
    with pytest.raises(ParameterError, match="must hold -1 or \\+1 for each of 4 rows"):
        MarginError(FOUR, [0, 1, 0, 1])


@pytest.mark.parametrize(
    "X,given,text",
    [
        ([1.0, 2.0], {}, "X must be a finite table"),
        ([[1.0], [np.nan]], {}, "X must be a finite table"),
        ([[1.0], [2.0]], {"penalty": -1.0}, "penalty must be a number from 0 up"),
        ([[1.0], [2.0]], {"C": 0.0}, "C above 0"),
    ],
)
def test_what_is_refused(X, given, text):
    with pytest.raises(ParameterError, match=text):
        MarginError(X, [1, -1], **given)
