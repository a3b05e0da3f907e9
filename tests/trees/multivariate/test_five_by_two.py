"""The combined 5 x 2 cv F test."""

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import f

from assay.trees.multivariate.five_by_two import five_by_two_f


def test_worked_by_hand():
    """Each replication 0.1 and 0.3: mean 0.2, variance 2 * 0.1^2; F = 5 * 0.1 / (2 * 5 * 0.02) = 2.5."""
    F, p = five_by_two_f([[0.1, 0.3]] * 5)
    assert_allclose(F, 2.5)
    assert_allclose(p, f.sf(2.5, 10, 5))


def test_against_the_formula():
    p = np.random.default_rng(0).normal(0.02, 0.03, (5, 2))
    top, bottom = 0.0, 0.0
    for first, second in p:
        mean = (first + second) / 2
        top += first**2 + second**2
        bottom += (first - mean) ** 2 + (second - mean) ** 2
    F, q = five_by_two_f(p)
    assert_allclose(F, top / (2 * bottom))
    assert_allclose(q, f.sf(F, 10, 5))


def test_equal_learners_are_seldom_called_different():
    """F(10, 5) is cautious: of independent normal differences fewer than 5 % are significant at 5 %."""
    rng = np.random.default_rng(0)
    found = np.mean([five_by_two_f(rng.normal(size=(5, 2)))[1] < 0.05 for _ in range(4000)])
    assert 0.005 < found < 0.05


def test_differences_that_never_vary():
    assert five_by_two_f(np.zeros((5, 2))) == (0.0, 1.0)
    assert five_by_two_f(np.full((5, 2), 0.25)) == (np.inf, 0.0)
