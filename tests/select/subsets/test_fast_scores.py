"""What the quick scores of subsets share."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import assay.select.subsets._fast_scores as _fast_scores


def tally_by_the_book(scores, y, w, same):
    ranked = np.sort(scores, axis=2)
    lead = ranked[..., -1] - ranked[..., -2] if scores.shape[2] > 1 else np.inf
    with np.errstate(invalid="ignore"):
        sure = (lead > same * (1 + np.abs(scores).max(axis=2))) & np.isfinite(scores).all(axis=2)
    return (scores.argmax(axis=2) == y) @ w, sure.all(axis=1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("K", [1, 2, 5])
def test_tally_by_the_book(K, weighted):
    rng = np.random.default_rng(K)
    scores, y = rng.normal(size=(6, 30, K)), rng.integers(0, K, 30)
    if K > 1:
        scores[1, 3, :2] = 7.0  # a tie
        scores[2, 4, 1] = np.nan
        scores[3, 5, 0] = -np.inf
        scores[4, 6] = 100.0 + 1e-13 * np.arange(K)  # a lead within rounding
    w = rng.uniform(0.1, 2, 30) if weighted else np.ones(30)
    correct, sure = np.empty(6), np.empty(6, np.uint8)
    _fast_scores.tally(scores.reshape(180, K), y, w if weighted else np.empty(0), 1e-10, correct, sure)
    expected, certain = tally_by_the_book(scores, y, w, 1e-10)
    assert_array_equal(sure.astype(bool), certain)
    assert_allclose(correct[certain], expected[certain], rtol=1e-12)


def test_tally_refuses_arrays_that_do_not_fit():
    with pytest.raises(ValueError, match="tally"):
        _fast_scores.tally(
            np.zeros((5, 2)), np.zeros(2, int), np.empty(0), 0.0, np.empty(2), np.empty(2, np.uint8)
        )
