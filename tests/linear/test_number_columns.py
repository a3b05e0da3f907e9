"""Tables as numbers: indicators, sparse rows, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_array, csr_array

from assay.errors import DataError
from assay.linear.number_columns import number_columns


def test_categories_become_indicators():
    frame = pd.DataFrame({"job": ["cook", "smith", "cook"], "age": [1, 2, 3]})
    values, names = number_columns(frame, "somebody")
    assert names == ["job=cook", "job=smith", "age"]
    assert_array_equal(values, [[1, 0, 1], [0, 1, 2], [1, 0, 3]])
    values, names = number_columns(frame, "somebody", drop_first=True)
    assert names == ["job=smith", "age"]
    assert_array_equal(values, [[0, 1], [1, 2], [0, 3]])


def test_sparse_rows_stay_sparse_and_duplicates_add_up():
    given = csr_array((np.array([1.0, 2.0, 4.0]), [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    values, names = number_columns(given, "somebody")
    assert names == ["x0", "x1"] and values.nnz == 2 and given.nnz == 3
    assert_array_equal(values.toarray(), [[3, 0], [0, 4]])
    assert_array_equal(number_columns(coo_array(given), "somebody")[0].toarray(), [[3, 0], [0, 4]])


def test_rows_without_columns():
    values, names = number_columns(np.empty((3, 0)), "somebody")
    assert values.shape == (3, 0) and names == []


def test_gaps_are_refused():
    with pytest.raises(DataError, match="somebody: column x0 has 1 missing value"):
        number_columns([[1.0], [np.nan]], "somebody")


def test_a_damaged_sparse_matrix_is_refused():
    damaged = csr_array(np.ones((4, 3)))
    damaged.indptr[1] = 10**6
    with pytest.raises(DataError, match="sparse matrix is damaged"):
        number_columns(damaged, "somebody")
