"""Kernels of inner products and their explicit feature maps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.kernels import CosineKernel, DotProduct, Linear, Polynomial, Sigmoid, SquaresPlusLinear
from assay.kernels.dot_products import power

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(12, 3)), RNG.normal(size=(9, 3))


@pytest.mark.capability("IML-13-14", "DC-88")
def test_the_quadratic_kernel_is_the_inner_product_of_six_features():
    """Oracle: K((1, 2), (3, 4)) = (3 + 8 + 1)^2 = 144; the map [1, sqrt2 x1, sqrt2 x2, sqrt2 x1 x2, x1^2, x2^2]."""
    x, z = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])
    kernel = Polynomial(2)
    assert kernel(x, z).item() == 144.0
    images = kernel.feature_map(np.vstack([x, z]))
    assert_allclose(images[0] @ images[1], 144.0)
    root = np.sqrt(2)
    book = [1, root * 1, root * 2, root * 1 * 2, 1, 4]
    assert_allclose(np.sort(images[0]), np.sort(book))


@pytest.mark.capability("DC-86", "DC-88")
@given(
    d=st.integers(1, 4),
    degree=st.integers(0, 5),
    gamma=st.floats(0.1, 3.0),
    coef0=st.sampled_from([0.0, 0.5, 2.0]),
    seed=st.integers(0, 99),
)
def test_the_map_gives_the_kernel_and_the_kernel_the_map(d, degree, gamma, coef0, seed):
    X = np.random.default_rng(seed).normal(size=(6, d))
    kernel = Polynomial(degree, gamma, coef0)
    images = kernel.feature_map(X)
    assert_allclose(images @ images.T, kernel(X), rtol=1e-10, atol=1e-10)
    # back: a linear function of the images is a sum of kernel values, sum_i c_i K(x_i, x) = (sum_i c_i phi_i) phi(x)
    c, new = np.arange(1.0, 7.0), np.random.default_rng(seed + 1).normal(size=(4, d))
    assert_allclose(
        kernel.combine(new, X, c[:, None])[:, 0],
        kernel.feature_map(new) @ (images.T @ c),
        rtol=1e-9,
        atol=1e-8,
    )


def test_half_plus_product_squared():
    """Oracle: (0.5 + x'y)^2 has the features x1^2, x1, x2^2, x2, sqrt2 x1 x2, 0.5."""
    X = A[:, :2]
    book = np.column_stack(
        [X[:, 0] ** 2, X[:, 0], X[:, 1] ** 2, X[:, 1], np.sqrt(2) * X[:, 0] * X[:, 1], [0.5] * 12]
    )
    assert_allclose(Polynomial(2, coef0=0.5)(X), book @ book.T, rtol=1e-12)
    ours = Polynomial(2, coef0=0.5).feature_map(X)
    assert_allclose(np.sort(np.abs(ours), axis=1), np.sort(np.abs(book), axis=1), rtol=1e-12)


@pytest.mark.capability("DC-89")
def test_squares_plus_linear_is_the_inner_product_of_four_features():
    book = np.column_stack([A[:, 0] ** 2, A[:, 0], A[:, 1] ** 2, A[:, 1]])
    kernel = SquaresPlusLinear()
    assert_allclose(kernel(A[:, :2]), book @ book.T, rtol=1e-12)
    assert_allclose(np.sort(kernel.feature_map(A[:, :2])), np.sort(book))
    assert kernel([[1.0, 2.0]], [[3.0, 4.0]]).item() == 84.0
    from scipy.sparse import csr_matrix

    assert_allclose(kernel(csr_matrix(A)), kernel(A))


@pytest.mark.capability("DC-86")
def test_an_ellipse_is_linear_in_squares_and_columns():
    """8 (x1 - 1)^2 + 50 (x2 - 2)^2 = 1 is a plane of (x1^2, x1, x2^2, x2), so its kernel separates what is inside."""
    from scipy.optimize import linprog

    X = np.random.default_rng(1).uniform([0.4, 1.7], [1.6, 2.3], (300, 2))
    y = np.where(8 * (X[:, 0] - 1) ** 2 + 50 * (X[:, 1] - 2) ** 2 < 1, 1.0, -1.0)

    def separable(features):
        design = y[:, None] * np.column_stack([features, np.ones(300)])
        return linprog(np.zeros(design.shape[1]), -design, -np.ones(300), bounds=(None, None)).status == 0

    assert not separable(X)
    assert separable(SquaresPlusLinear().feature_map(X))
    plane = SquaresPlusLinear().feature_map(X) @ [-16, -200, 8, 50] + 207
    assert (np.sign(plane) == -y).all()


@pytest.mark.capability("IML-13-16", "DC-88")
def test_the_sigmoid_kernel():
    assert_allclose(Sigmoid(2.0, 1.0)(A, B), np.tanh(2 * A @ B.T + 1), rtol=1e-12)
    assert not Sigmoid().psd
    assert_allclose(Sigmoid(0.5, -0.2)(A, B), np.tanh(0.5 * A @ B.T - 0.2), rtol=1e-12)  # kappa, -delta


def test_cosines():
    rows = np.vstack([A, np.zeros(3)])
    lengths = np.linalg.norm(A, axis=1)
    assert_allclose(CosineKernel()(A), A @ A.T / lengths / lengths[:, None], rtol=1e-12)
    assert (CosineKernel()(rows)[-1] == 0).all()
    assert_allclose(CosineKernel()(A), Linear().normalized()(A), rtol=1e-12)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 5, 8, 13, 64, 0.5, 2.5, -1])
def test_powers(exponent):
    values = np.abs(RNG.normal(size=50)) + 0.1
    assert_allclose(power(values, exponent), values**exponent, rtol=1e-13)


def test_maps_have_limits():
    with pytest.raises(DataError, match="has 4,598,126"):
        Polynomial(4).feature_map(np.ones((2, 100)))
    with pytest.raises(TypeError, match="whole number"):
        Polynomial(1.5).feature_map(A)
    features = (DotProduct(0.5) ** 2).feature_map(A)
    assert_allclose(features @ features.T, (0.25 + A @ A.T) ** 2, rtol=1e-12)
    assert not Polynomial(1.5).psd and not Polynomial(2, coef0=-1.0).psd and Polynomial(3).psd
