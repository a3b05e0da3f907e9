"""Fisher's exact test against SciPy, and against counting."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import fisher_exact, hypergeom

from assay.associations.fisher import fisher_p
from assay.errors import DataError


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(0, 15), min_size=4, max_size=4).filter(any))
def test_same_as_counting_the_ways(cells):
    both, only_x, only_y, neither = cells
    x, y, n = both + only_x, both + only_y, sum(cells)
    ways = sum(comb(x, k) * comb(n - x, y - k) for k in range(both, min(x, y) + 1))
    assert_allclose(fisher_p(both, x, y, n), ways / comb(n, y), rtol=1e-10, atol=1e-14)


def test_same_as_scipy_on_large_tables():
    """Peer: scipy.stats.hypergeom.sf and fisher_exact(alternative="greater")."""
    rng = np.random.default_rng(0)
    n = 20_000
    x, y = rng.integers(1, n, 200), rng.integers(1, n, 200)
    xy = rng.binomial(np.minimum(x, y), rng.random(200))
    xy = np.clip(xy, np.maximum(0, x + y - n), np.minimum(x, y))
    assert_allclose(fisher_p(xy, x, y, n), hypergeom.sf(xy - 1, n, x, y), rtol=1e-7, atol=1e-10)
    near = np.clip(np.rint(x * y / n + rng.normal(0, 30, 200)), np.maximum(0, x + y - n), np.minimum(x, y))
    assert_allclose(fisher_p(near, x, y, n), hypergeom.sf(near - 1, n, x, y), rtol=1e-7, atol=1e-10)
    table = [[xy[0], x[0] - xy[0]], [y[0] - xy[0], n - x[0] - y[0] + xy[0]]]
    assert_allclose(fisher_p(xy[0], x[0], y[0], n), fisher_exact(table, "greater").pvalue, rtol=1e-7)


def test_all_at_once_is_one_by_one():
    xy, x, y = np.array([0, 3, 5]), np.array([5, 6, 5]), np.array([7, 4, 5])
    alone = [float(fisher_p(a, b, c, 20)) for a, b, c in zip(xy, x, y)]
    assert fisher_p(xy, x, y, 20).tolist() == alone
    assert alone[0] == 1


def test_weighted_counts_are_refused():
    with pytest.raises(DataError, match=r"whole numbers.*chi_square"):
        fisher_p(1.5, 2, 3, 10)
