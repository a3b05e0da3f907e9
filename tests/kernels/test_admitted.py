"""What kernels of numbers say of rows that are none."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from assay import kernels
from assay.errors import DataError
from assay.kernels import (
    RBF,
    Chi2,
    CosineKernel,
    FunctionKernel,
    Linear,
    MahalanobisKernel,
    Matern,
    MixedKernel,
    pairwise,
)

ROWS = np.array([[1.0, 2.0], [3.0, 4.0], [0.5, 1.0]])
KERNELS = {
    "rbf": RBF(),
    "linear": Linear(),
    "matern": Matern(),
    "chi2": Chi2(),
    "cosine": CosineKernel(),
    "mahalanobis": MahalanobisKernel().learn(ROWS),
    "laplacian": kernels.Laplacian(),
    "poly": kernels.Polynomial(),
    "sum": RBF() + Linear(),
    "normalized": Linear().normalized(),
    "distance": kernels.DistanceKernel("manhattan"),
}
NOT_ROWS = {
    "row 2, column 1 is nan": [[1.0, 2.0], [np.nan, 4.0]],
    "row 1, column 2 is -inf": [[1.0, -np.inf], [np.inf, 4.0]],
    "expected a table of numbers, got ndarray": [["a", "b"]],
    "expected a table of numbers, got list": [[1.0, 2.0], [3.0]],
    "rows must be a table of rows and columns, got shape (2,)": [1.0, 2.0],
    "rows must be a table of rows and columns, got shape ()": 3.0,
    "expected a table of numbers, got ndarray that": [[1j, 2.0]],
}


@pytest.mark.parametrize("message", NOT_ROWS)
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_rows_that_are_no_numbers_are_named(kernel, message):
    for rows in ((NOT_ROWS[message],), (ROWS, NOT_ROWS[message]), (NOT_ROWS[message], ROWS)):
        with pytest.raises(DataError) as caught:
            kernel(*rows)
        assert message in str(caught.value)


@pytest.mark.parametrize("name", [name for name in pairwise.__all__ if name != "pairwise_kernels"])
@pytest.mark.parametrize("message", NOT_ROWS)
def test_functions_by_scikit_learns_names_do_the_same(name, message):
    with pytest.raises(DataError) as caught:
        getattr(pairwise, name)(NOT_ROWS[message])
    assert message in str(caught.value)
    with pytest.raises(DataError) as caught:
        getattr(pairwise, name)(ROWS, NOT_ROWS[message])
    assert message in str(caught.value)


def test_sparse_rows_are_looked_at_where_they_have_values():
    X = csr_array([[0.0, 1.0, 0.0], [0.0, 0.0, np.inf]])
    with pytest.raises(DataError, match="linear: row 2, column 3 is inf"):
        Linear()(X)
    with pytest.raises(DataError, match="linear: row 1, column 2 is nan"):
        Linear()(csr_array([[0.0, np.nan, 0.0], [0.0, 0.0, 3.0]]))


def test_tables_of_any_make_of_numbers_are_taken():
    for rows in (ROWS.tolist(), ROWS.astype(np.float32), pd.DataFrame(ROWS), 2 * ROWS.astype(object) / 2):
        assert_array_equal(RBF()(rows), RBF()(ROWS))
    assert RBF()(np.empty((0, 2))).shape == (0, 0)


def test_kernels_that_know_missing_values_or_any_rows_are_not_asked():
    gaps = np.array([[1.0, np.nan], [2.0, 1.0]])
    assert np.isfinite(MixedKernel().learn(gaps)(gaps)).all()
    assert np.isfinite((RBF().on([0]) + MixedKernel().on([1]).learn(gaps))(gaps)).all()
    count = FunctionKernel(
        lambda A, B: np.isnan(A).sum(axis=1)[:, None] * np.isnan(B).sum(axis=1)[None], "tables"
    )
    assert_array_equal(count(gaps), [[1, 0], [0, 0]])
