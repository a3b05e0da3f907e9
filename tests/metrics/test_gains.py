"""Gain and lift."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.metrics.gains import GainCurve, lift_score
from assay.metrics.roc import RocCurve


@given(st.integers(0, 10_000), st.integers(2, 60), st.sampled_from([4, 1000]))
@settings(deadline=None, max_examples=40)
def test_gain_is_the_roc_curve_seen_by_rows(seed, n, levels):
    """Share = p TPR + (1 - p) FPR, gain = TPR; so the area is p/2 + (1 - p) AUC."""
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(2, size=n))
    s = rng.integers(levels, size=n + 2)
    gain, roc, p = GainCurve.of(y, s), RocCurve.of(y, s), y.mean()
    assert_allclose(gain.gain, roc.tpr)
    assert_allclose(gain.share, p * roc.tpr + (1 - p) * roc.fpr, atol=1e-12)
    assert_allclose(gain.area, p / 2 + (1 - p) * roc.area, atol=1e-12)
    assert_allclose(lift_score(y, s, share=1.0), 1)
    best = np.flatnonzero(s == s.max())
    top = GainCurve.of(y, s)
    assert_allclose(top.lift[1], y[best].mean() / p)


def test_lift_by_hand_with_ties_on_the_edge():
    """Rows 0.9 (positive), then four of equal score, one positive; the top 40 % hold 1 + 1/4 of 2 positives."""
    y, s = [1, 1, 0, 0, 0], [0.9, 0.5, 0.5, 0.5, 0.5]
    assert_allclose(lift_score(y, s, share=0.4), (1 + 0.25) / 2 / 0.4)
    assert lift_score([0, 1], [1, 1]) == 1


def test_bad_input_is_told_plainly():
    with pytest.raises(DataError, match="nothing to gain"):
        GainCurve.of([0, 0], [1, 2])
    for share in (0, 1.5):
        with pytest.raises(ParameterError, match="share must lie"):
            lift_score([0, 1], [1, 2], share=share)
    with pytest.raises(ParameterError, match="share must lie"):
        GainCurve.of([0, 1], [1, 2]).at(-1)


def test_a_share_that_is_no_number_is_refused():
    with pytest.raises(ParameterError, match="share"):
        lift_score([0, 1], [0, 1], share="a")
    with pytest.raises(ParameterError, match="share"):
        GainCurve.of([0, 1], [0, 1]).at(None)
