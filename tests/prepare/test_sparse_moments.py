"""Moments of sparse columns against those of the same columns in full."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import random as sparse_random

from assay.core.moments import class_moments
from assay.prepare.sparse_moments import sparse_moments


@given(
    seed=st.integers(0, 10**6),
    density=st.floats(0, 1),
    weighted=st.booleans(),
    shift=st.sampled_from([0, 1e6]),
)
@example(seed=1, density=1.0, weighted=True, shift=1e6)  # no zeros: their weight must not be a rounding error
@settings(max_examples=40, deadline=None)
def test_the_same_as_in_full(seed, density, weighted, shift):
    rng = np.random.default_rng(seed)
    X = sparse_random(40, 4, density=density, rng=rng, format="csr")
    X.data += shift
    X.data[rng.random(len(X.data)) < 0.1] = np.nan
    w = rng.random(40) * rng.integers(0, 4, 40) if weighted else None
    full = class_moments(X.toarray(), np.zeros(40, np.int64), w, 1, complete=False)
    ours = sparse_moments(X, w)
    assert_allclose(ours.count, full.count, rtol=1e-12)
    assert_allclose(ours.observed, full.observed, rtol=1e-12, atol=1e-12)
    assert_allclose(ours.mean, full.mean, rtol=1e-12, atol=1e-15)
    assert_allclose(ours.scatter, full.scatter, rtol=1e-9, atol=1e-12 * (1 + shift))
