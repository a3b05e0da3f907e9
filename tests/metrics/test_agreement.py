"""Kappa and the correlation of truth and answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import metrics as peer
from sklearn.exceptions import UndefinedMetricWarning

from assay.errors import DataError, ParameterError
from assay.metrics.agreement import cohen_kappa_score, matthews_corrcoef


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(3, 60))
@settings(deadline=None, max_examples=20)
def test_same_numbers_as_scikit_learn(seed, K, n):
    """Peer: scikit-learn 1.9, with weights of disagreement, weights of rows and other orders of the classes."""
    rng = np.random.default_rng(seed)
    y, z, w = (
        np.append(0, rng.integers(K, size=n)),
        np.append(1, rng.integers(K, size=n)),
        rng.random(n + 1) + 0.1,
    )
    order = rng.permutation(K)
    for more in ({}, {"sample_weight": w}):
        assert_allclose(matthews_corrcoef(y, z, **more), peer.matthews_corrcoef(y, z, **more), atol=1e-12)
        for weights in (None, "linear", "quadratic"):
            for labels in (None, order):
                found = cohen_kappa_score(y, z, weights=weights, labels=labels, **more)
                assert_allclose(
                    found, peer.cohen_kappa_score(y, z, weights=weights, labels=labels, **more), atol=1e-12
                )


def test_ratings_weighted_by_hand():
    """Worked by hand: table [[2, 1, 0], [0, 2, 1], [0, 0, 2]], margins (3, 3, 2) and (2, 3, 3), n = 8.

    Linear: seen 2, expected (3 3 + 3 2 3 + 3 2 + 3 3 + 2 2 2 + 2 3) / 8 = 56/8 = 7, kappa 1 - 2/7.
    """
    y, z = [0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 2, 2]
    assert_allclose(cohen_kappa_score(y, z, weights="linear"), 5 / 7, rtol=1e-12)


def test_one_class_has_no_agreement_beyond_chance():
    with pytest.warns(UndefinedMetricWarning, match="only one label in common"):
        assert np.isnan(cohen_kappa_score([1, 1], [1, 1]))
    with pytest.warns(UndefinedMetricWarning):
        assert cohen_kappa_score([1, 1], [1, 1], replace_undefined_by=0.0) == 0
    assert matthews_corrcoef([1, 1], [1, 0]) == 0
    with pytest.raises(ParameterError, match="weights must be None, linear or quadratic, got 'cubic'"):
        cohen_kappa_score([0, 1], [0, 1], weights="cubic")


@pytest.mark.parametrize("unit", [1e-99, 1e-40, 1e40, 1e99])
def test_the_unit_of_the_weights_does_not_matter(unit):
    y, z, w = [0, 1, 2, 0, 1, 1], [0, 1, 1, 0, 2, 1], np.array([1.0, 2, 3, 1, 2, 1])
    for measure in (matthews_corrcoef, cohen_kappa_score):
        assert_allclose(measure(y, z, sample_weight=w * unit), measure(y, z, sample_weight=w), rtol=1e-12)
    with pytest.raises(DataError, match="must be 1D array or scalar"):  # as scikit-learn has it
        matthews_corrcoef(y, z, sample_weight=w[:, None])
