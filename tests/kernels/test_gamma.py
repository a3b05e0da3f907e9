"""gamma from the spread of the training rows, to the last digit of scikit-learn's."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from assay.kernels.gamma import gamma_of


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", [(1, 3), (150, 4), (1000, 33)])
def test_scale_is_one_over_the_columns_and_the_variance_numpy_computes(shape, dtype, order):
    X = np.asarray(np.random.default_rng(0).normal(3.0, 2.0, size=shape), dtype, order=order)
    assert gamma_of("scale", X, "rbf") == 1.0 / (shape[1] * np.var(X, dtype=np.float64))


def test_constant_and_sparse_tables():
    assert gamma_of("scale", np.full((4, 2), 7.0), "rbf") == 1.0
    X = np.array([[0.0, 2.0], [2.0, 0.0]])
    assert gamma_of("scale", csr_array(X), "rbf") == gamma_of("scale", X, "rbf") == 0.5
    assert gamma_of("scale", np.array([[1e200], [-1e200]]), "rbf") == 0.0  # the variance is infinite
