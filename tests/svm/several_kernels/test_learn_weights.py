"""Projection onto the weights that are allowed."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.svm.several_kernels.learn_weights import onto_simplex


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6))
def test_no_allowed_weights_are_nearer(values):
    v = np.array(values)
    w = onto_simplex(v)
    assert (w >= 0).all()
    assert_allclose(w.sum(), 1)
    # optimal: all entries in use were moved by the same amount, the others by no less
    moved = v - w
    assert_allclose(moved[w > 0], moved[w > 0][0], atol=1e-9)
    assert (moved[w == 0] <= moved[w > 0][0] + 1e-9).all()
