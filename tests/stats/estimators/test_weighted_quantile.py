"""Quantiles of weighted numbers: weights are repetitions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.stats.estimators.weighted_quantile import weighted_quantile


@given(
    rows=st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 4)), min_size=1, max_size=12),
    q=st.integers(0, 20),
)
def test_it_is_the_quantile_of_the_repeated_rows(rows, q):
    """Peer: NumPy's averaged_inverted_cdf, which takes no weights."""
    x, w = np.array(rows, dtype=float).T
    repeated = np.repeat(x, w.astype(int))
    wanted = np.quantile(repeated, q / 20, method="averaged_inverted_cdf") if len(repeated) else 0.0
    assert_allclose(weighted_quantile(x[:, None], w, q / 20), [wanted], rtol=1e-12)


def test_each_column_has_its_own_order():
    X = np.array([[1.0, 9.0], [2.0, 0.0], [9.0, 4.0]])
    assert_allclose(weighted_quantile(X, np.ones(3)), [2.0, 4.0])
    assert_allclose(weighted_quantile(X, np.array([1.0, 1.0, 2.0])), [5.5, 4.0])
