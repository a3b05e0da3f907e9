"""The bound of a holdout: the exact binomial tail, turned round."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from assay.errors import ParameterError
from assay.theory.holdout import holdout_bound


@given(st.integers(1, 500), st.floats(0, 1), st.floats(0.001, 0.5))
@settings(deadline=None, max_examples=50)
def test_at_the_bound_so_few_errors_have_probability_delta(n, share, delta):
    k = int(share * n)
    p = holdout_bound(k, n, delta)
    if k == n:
        assert p == 1
    else:
        assert binom.cdf(k, n, p) == pytest.approx(delta, rel=1e-6)


def test_same_as_the_exact_interval_of_scipy():
    """Peer: scipy.stats.binomtest, exact one-sided interval."""
    for k, n in ((0, 10), (3, 50), (49, 50), (120, 1000)):
        peer = binomtest(k, n, alternative="less").proportion_ci(0.95, "exact").high
        assert holdout_bound(k, n) == pytest.approx(peer, rel=1e-9)


def test_arrays_and_bad_input():
    assert holdout_bound(np.array([0, 5]), 5).tolist() == pytest.approx([1 - 0.05 ** (1 / 5), 1.0])
    with pytest.raises(ParameterError, match="errors must be at most n"):
        holdout_bound(6, 5)
