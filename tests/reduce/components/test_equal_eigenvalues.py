"""Eigenvalues that are all equal: points equally far apart, columns of equal variance without correlation."""

import numpy as np
import pytest

from assay.reduce import PCA, ClassicalMDS, KernelPCA

SIZES = [10, 60, 200]


@pytest.mark.parametrize("n", SIZES)
def test_rows_that_a_kernel_finds_unlike_keep_their_distances(n):
    rows = np.arange(n)[:, None] * 1e80
    model = KernelPCA(n_components=2, kernel="rbf").fit(rows)
    np.testing.assert_allclose(model.eigenvalues_, [1.0, 1.0])
    np.testing.assert_allclose(model.transform(rows), model.fit_transform(rows), atol=1e-9)


@pytest.mark.parametrize("n", SIZES)
def test_points_equally_far_apart_have_a_map(n):
    X = np.ones((n, n)) - np.eye(n)
    Z = ClassicalMDS(n_components=2, metric="precomputed").fit_transform(X)
    np.testing.assert_allclose(np.sum(Z**2, axis=0), [0.5, 0.5])


@pytest.mark.parametrize("d", SIZES)
def test_columns_of_equal_variance_without_correlation_have_components(d):
    X = np.vstack([np.eye(d)] * 2)  # the centred rows vary alike in all directions but one
    model = PCA(n_components=3, svd_solver="covariance_eigh").fit(X)
    np.testing.assert_allclose(model.explained_variance_, 2 / (2 * d - 1))
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(3), atol=1e-12)
