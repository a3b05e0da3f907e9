"""The truth among the k most probable classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import metrics as peer
from sklearn.exceptions import UndefinedMetricWarning

from assay.errors import DataError, ParameterError
from assay.metrics.top_k import top_k_accuracy_score


@given(st.integers(0, 10_000), st.integers(3, 6), st.integers(1, 5), st.integers(10, 50))
@settings(deadline=None, max_examples=40)
def test_same_numbers_as_scikit_learn_ties_included(seed, K, k, n):
    rng = np.random.default_rng(seed)
    y, S, w = (
        np.append(np.arange(K), rng.integers(K, size=n)),
        rng.integers(0, 4, size=(K + n, K)),
        rng.random(K + n),
    )
    if k >= K:
        return
    for more in ({}, {"sample_weight": w}, {"normalize": False}, {"normalize": False, "sample_weight": w}):
        assert_allclose(top_k_accuracy_score(y, S, k=k, **more), peer.top_k_accuracy_score(y, S, k=k, **more))
    some = y[y < K - 1]
    part = S[y < K - 1]
    labels = np.arange(K)
    assert_allclose(
        top_k_accuracy_score(some, part, k=k, labels=labels),
        peer.top_k_accuracy_score(some, part, k=k, labels=labels),
    )


def test_two_classes_by_the_half_or_by_the_sign():
    assert top_k_accuracy_score([0, 1, 1], [0.2, 0.6, 0.4], k=1) == pytest.approx(2 / 3)
    assert top_k_accuracy_score([0, 1, 1], [-1.0, 2.0, 0.4], k=1) == 1
    with pytest.warns(UndefinedMetricWarning, match="every row is a hit"):
        assert top_k_accuracy_score([0, 1], [0.2, 0.6], k=2) == 1


def test_bad_input_is_told_plainly():
    with pytest.raises(ParameterError, match="k must be a whole number from 1 up, got 0"):
        top_k_accuracy_score([0, 1], [0.1, 0.2], k=0)
    with pytest.raises(DataError, match=r"2 classes .* there are 3 columns"):
        top_k_accuracy_score([0, 1], [[1, 2, 3], [1, 2, 3]], k=1)
    with pytest.raises(DataError, match="of row 1 is NaN"):
        top_k_accuracy_score([0, 1], [np.nan, 2], k=1)
