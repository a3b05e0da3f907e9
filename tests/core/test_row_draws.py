"""Numbers of rows: even, independent of each other and of the cut."""

import numpy as np
from numpy.testing import assert_array_equal
from scipy import stats

from assay.core.row_draws import row_uniforms


def test_numbers_belong_to_rows_seeds_and_streams():
    whole = row_uniforms(3, 1, 0, 1000)
    assert_array_equal(whole, np.concatenate([row_uniforms(3, 1, 0, 7), row_uniforms(3, 1, 7, 993)]))
    for other in (row_uniforms(4, 1, 0, 1000), row_uniforms(3, 2, 0, 1000)):
        assert abs(np.corrcoef(whole, other)[0, 1]) < 0.15  # 4.7 standard errors
    assert row_uniforms(2**32 - 1, 0, 2**40, 3).shape == (3,)


def test_numbers_are_even_and_neighbours_independent():
    u = row_uniforms(0, 0, 0, 100_000)
    assert stats.kstest(u, "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(u[1:], u[:-1])[0, 1]) < 0.015 and u.min() >= 0 and u.max() < 1
