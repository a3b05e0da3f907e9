"""Tables below tables: columns by name, categories of both, nothing silently lost."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from assay.errors import SchemaError
from assay.evaluate.stacking import stacked
from assay.tables import Table


def test_tables_are_stacked_with_all_their_categories():
    above = Table.of({"when": ["2024-01-02", "2023-05-06"], "word": ["b", "c"], "n": [1.0, None]})
    below = Table.of({"n": [3.0, 4.0], "word": ["a", None], "when": ["2025-01-01", None]})
    both = stacked(above, below)
    assert both.to_columns() == {
        "when": ["2024-01-02", "2023-05-06", "2025-01-01", None],
        "word": ["b", "c", "a", None],
        "n": [1.0, None, 3.0, 4.0],
    }
    assert not both.complete
    with pytest.raises(SchemaError, match="'word' is nominal in X and numeric in the test table"):
        stacked(above, Table.of({"n": [3.0], "word": [1.0], "when": ["2025-01-01"]}))


def test_arrays_lists_and_sparse_rows_are_stacked():
    assert_array_equal(stacked([[1, 2]], [[3, 4]]), [[1, 2], [3, 4]])
    assert_array_equal(
        stacked(csr_array(np.eye(2)), csr_array(np.eye(2))).toarray(), np.vstack([np.eye(2)] * 2)
    )
    sparse = stacked(Table.of(csr_array(np.eye(2))), Table.of(csr_array(np.eye(2))))
    assert sparse.shape == (4, 2)
    mixed = stacked(pd.DataFrame({"a": [1.0], "b": ["x"]}), pa.table({"b": ["y"], "a": [2.0]}))
    assert mixed.to_columns() == {"a": [1.0, 2.0], "b": ["x", "y"]}
    with pytest.raises(SchemaError, match="b is in one of them alone"):
        stacked({"a": [1], "b": [1]}, {"a": [2]})
