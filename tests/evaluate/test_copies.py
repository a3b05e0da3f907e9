"""Equal rows by their hashes, against a dictionary."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.evaluate.copies import equal_rows, rounded, row_hashes

VALUES = st.sampled_from([0.0, -0.0, 1.5, np.nan, -7e300])


@given(arrays(np.float64, st.tuples(st.integers(1, 30), st.integers(1, 4)), elements=VALUES))
@settings(deadline=None, max_examples=50)
def test_equal_rows_and_only_they_share_a_number(block):
    kind = equal_rows(block)
    named = [tuple("missing" if np.isnan(v) else v + 0.0 for v in row) for row in block]
    for i in range(len(block)):
        for j in range(i):
            assert (kind[i] == kind[j]) == (named[i] == named[j])


def test_the_order_of_columns_matters():
    assert len(set(equal_rows(np.array([[1.0, 2.0], [2.0, 1.0]])))) == 2


def test_rounded_numbers_are_whole_and_large():
    assert rounded(np.array([2.0**53, -(2.0**60)])) and not rounded(np.array([2.0**53, 3.0]))
    assert not rounded(np.array([])) and not rounded(np.array([1e300]))


def test_rows_of_single_precision_have_the_hashes_of_the_same_numbers():
    block = np.array([[1.5, np.nan], [0.25, -0.0]])
    assert (row_hashes(block.astype(np.float32)) == row_hashes(block)).all()
