"""Adjusted p-values: by hand, against statsmodels, and for a choice out of more tests."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from assay.errors import ParameterError
from assay.stats.multiple_tests import benjamini_hochberg, holm


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_shares_of_false_ones_are_scipys(p):
    """Peer: scipy.stats.false_discovery_control."""
    assert_allclose(benjamini_hochberg(p), false_discovery_control(p), atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_same_as_statsmodels(seed):
    """Peer: statsmodels 0.14, multipletests with holm and fdr_bh."""
    p = np.random.default_rng(seed).random(25) ** 4
    assert_allclose(holm(p), multipletests(p, method="holm")[1], atol=1e-12)
    assert_allclose(benjamini_hochberg(p), multipletests(p, method="fdr_bh")[1], atol=1e-12)


def test_the_smallest_of_more_tests_are_adjusted_for_all_of_them():
    p = np.sort(np.random.default_rng(0).random(50))
    assert_allclose(holm(p[:10], tests=50), holm(p)[:10], atol=1e-12)
    assert np.all(benjamini_hochberg(p[:10], tests=50) >= benjamini_hochberg(p)[:10] - 1e-12)


def test_no_p_values_are_no_trouble():
    assert len(holm([])) == len(benjamini_hochberg([], tests=5)) == 0


def test_fewer_tests_than_p_values_are_refused():
    with pytest.raises(ParameterError, match="at least the number of p-values, 2, got 1"):
        holm([0.1, 0.2], tests=1)
