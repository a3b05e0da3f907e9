"""Sparse tables that are better off as dense ones."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_matrix, csc_array, csr_matrix, issparse, random_array

from assay.linear.compact import DENSE_ENTRIES, compact


@pytest.mark.parametrize("form", [csr_matrix, csc_array, coo_matrix, np.asarray])
def test_small_tables_become_arrays(form):
    X = np.array([[0.0, 2.0, 0.0], [1.0, 0.0, -3.0]])
    assert_array_equal(compact(form(X)), X)


@pytest.mark.parametrize(("share", "sparse"), [(0.1, True), (0.6, True), (0.7, False)])
def test_large_tables_stay_sparse_where_that_saves_memory(share, sparse):
    X = random_array((400, DENSE_ENTRIES // 300), density=share, format="csc", rng=np.random.default_rng(0))
    kept = compact(X)
    assert issparse(kept) == sparse
    assert_array_equal(kept.toarray() if sparse else kept, X.toarray())


def test_indices_out_of_range_are_refused():
    X = csr_matrix(np.eye(3))
    X.indices[1] = 1000
    with pytest.raises(ValueError, match="indices"):
        compact(X)
