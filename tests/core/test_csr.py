"""Sparse rows as native code reads them: sound, or refused."""

import ast
import importlib.util
import pathlib

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from assay.core.csr import COMPRESSED, compressed_matrix, csr_arrays
from assay.errors import DataError

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_arrays_make_the_same_matrix_again(form, dtype):
    X = form(sp.random(20, 9, 0.3, "csr", random_state=0, dtype=dtype))
    start, column, value = csr_arrays(X)
    assert (start.dtype, column.dtype, value.dtype) == (np.int64, np.int32, dtype)
    assert_array_equal(sp.csr_matrix((value, column, start), X.shape).toarray(), X.toarray())
    assert csr_arrays(X, np.float64)[2].dtype == np.float64


def test_room_behind_the_last_entry_is_left_out():
    X = sp.csr_matrix(np.eye(3))
    X.indptr = np.array([0, 1, 2, 2])  # the last row was emptied
    start, column, value = csr_arrays(X)
    assert start[-1] == len(column) == len(value) == 2


def damage(what):
    X = sp.csr_matrix(np.eye(4))
    if what == "column":
        X.indices[2] = 4
    elif what == "below":
        X.indices[1] = -1
    elif what == "falling":
        X.indptr = np.array([0, 3, 2, 3, 4])
    elif what == "long":
        X.indptr = np.array([0, 1, 2, 3, 9])
    elif what == "first":
        X.indptr = np.array([1, 1, 2, 3, 4])
    return X


@pytest.mark.parametrize("what", ["column", "below", "falling", "long", "first"])
def test_a_damaged_matrix_is_refused(what):
    with pytest.raises(DataError, match="damaged"):
        csr_arrays(damage(what))


@pytest.mark.parametrize("kind", COMPRESSED)
def test_a_matrix_made_of_sound_arrays_is_scipys_own(kind):
    made = compressed_matrix(kind, [1.0, 2.0], [0, 2], [0, 1, 2, 2], (3, 3))
    assert type(made).__name__ == kind
    made.check_format(full_check=True)
    assert_array_equal(
        made.toarray(), getattr(sp, kind)(([1.0, 2.0], [0, 2], [0, 1, 2, 2]), shape=(3, 3)).toarray()
    )


@pytest.mark.parametrize(
    ("data", "indices", "indptr"),
    [
        ([1.0], [3], [0, 1, 1, 1]),
        ([1.0], [2**30], [0, 1, 1, 1]),
        ([1.0], [-1], [0, 1, 1, 1]),
        ([1.0], [0], [0, 1]),
        ([1.0], [0], [0, 1, 5, 5]),
        ([1.0], [0], [0, 2, 1, 1]),
        ([1.0], [0], [1, 1, 1, 1]),
        ([], [0], [0, 1, 1, 1]),
        ([1.0], [0.0], [0, 1, 1, 1]),
        ([[1.0]], [0], [0, 1, 1, 1]),
    ],
)
@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array"])
def test_a_matrix_of_arrays_that_lead_outside_is_refused(kind, data, indices, indptr):
    with pytest.raises(DataError, match="lead outside of it"):
        compressed_matrix(kind, data, indices, indptr, (3, 3))


def test_the_house_rule_finds_matrices_of_bare_arrays():
    """SciPy believes (data, indices, indptr); tools/check_house.py finds where they are handed to it unchecked."""
    spec = importlib.util.spec_from_file_location("check_house", ROOT / "tools" / "check_house.py")
    house = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(house)
    bare = ast.parse("X = scipy.sparse.csr_matrix((a, b, c), shape=s)\nY = csc_array((a, b, c))")
    checked = ast.parse(
        "X = csr_matrix(dense)\nY = csr_array((a, (i, j)))\nZ = compressed_matrix('csr_array', a, b, c, s)"
    )
    where = pathlib.Path("src/assay/some/learner.py")
    assert len(house.bare_matrices(bare, where)) == 2 and not house.bare_matrices(checked, where)
