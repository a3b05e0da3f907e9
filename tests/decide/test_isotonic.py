"""Pool adjacent violators. Peers: scikit-learn's IsotonicRegression, SciPy's isotonic_regression."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import isotonic_regression
from sklearn.isotonic import IsotonicRegression

from assay.decide import IsotonicCalibrator, pool_adjacent_violators
from assay.errors import DataError


@given(seed=st.integers(0, 10**6), n=st.integers(1, 40))
@settings(max_examples=60, deadline=None)
def test_same_as_scipy_and_as_the_max_min_formula(seed, n):
    rng = np.random.default_rng(seed)
    y, w = rng.integers(0, 4, size=n).astype(float), rng.integers(1, 4, size=n).astype(float)
    g = pool_adjacent_violators(y, w)
    assert_allclose(g, isotonic_regression(y, weights=w).x, atol=1e-12)
    means = [
        [w[a : b + 1] @ y[a : b + 1] / w[a : b + 1].sum() if a <= b else np.nan for b in range(n)]
        for a in range(n)
    ]
    by_hand = [max(min(means[a][b] for b in range(i, n)) for a in range(i + 1)) for i in range(n)]
    assert_allclose(g, by_hand, atol=1e-12)


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=40, deadline=None)
def test_same_curve_as_scikit_learn(seed, weighted):
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 25, size=60) / 7  # many equal scores
    y = (rng.random(60) < s / 4).astype(float)
    w = rng.integers(0, 3, size=60).astype(float) if weighted else None
    asked = np.linspace(-1, 5, 101)
    peer = IsotonicRegression(out_of_bounds="clip").fit(s, y, w).predict(asked)
    assert_allclose(IsotonicCalibrator().fit(s, y, w).predict(asked), peer, atol=1e-12)


def test_a_sorted_sequence_is_left_alone_and_a_falling_one_becomes_its_mean():
    assert_array_equal(pool_adjacent_violators([1.0, 2.0, 3.0]), [1, 2, 3])
    assert_allclose(pool_adjacent_violators([3.0, 2.0, 1.0]), [2, 2, 2])


def test_bad_input_is_told():
    with pytest.raises(DataError, match="finite numbers and as many weights above 0"):
        pool_adjacent_violators([1.0, np.nan])
    with pytest.raises(DataError, match=r"got shapes \(2,\) and \(1,\)"):
        pool_adjacent_violators([1.0, 2.0], [1.0])
