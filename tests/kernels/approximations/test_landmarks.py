"""Pivots of a kernel matrix: drawn ones beside greedy ones."""

import numpy as np
from numpy.testing import assert_allclose

from assay.kernels import RBF, pivoted_cholesky


def test_drawn_pivots_leave_less_over_where_greedy_ones_pick_outliers():
    """In twenty columns every row is far from all others: the largest residual is that of an outlier."""
    X = np.random.default_rng(0).normal(size=(800, 20))
    gram = RBF(gamma=0.05).gram_rows(X)
    greedy = pivoted_cholesky(gram, 60)
    drawn = pivoted_cholesky(gram, 60, random=np.random.RandomState(0))
    assert len(np.unique(drawn.pivots)) == 60 and drawn.residual[-1] < greedy.residual[-1]
    K = RBF(gamma=0.05)(X)
    assert_allclose(drawn.residual[-1], np.trace(K - drawn.factor @ drawn.factor.T), rtol=1e-9)
    assert_allclose((drawn.factor @ drawn.factor.T)[drawn.pivots], K[drawn.pivots], atol=1e-9)
