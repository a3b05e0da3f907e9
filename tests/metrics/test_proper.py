"""Proper scores and Murphy's decomposition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import metrics as peer
from sklearn.isotonic import IsotonicRegression

from assay.errors import DataError, ParameterError
from assay.metrics.proper import BrierParts, brier_score_loss, log_loss


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(3, 50), st.booleans())
@settings(deadline=None, max_examples=20)
def test_same_scores_as_scikit_learn(seed, K, n, words):
    """Peer: scikit-learn 1.9; zeros and ones among the probabilities, weights, sums, classes not in the rows."""
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(K), rng.integers(K, size=n))
    P = rng.dirichlet(np.ones(K) / 2, size=len(codes))
    P[0], P[1] = np.eye(K)[0], np.eye(K)[0]
    y = np.array(list("abcde"))[codes] if words else codes
    w = rng.random(len(y)) + 0.1
    labels = np.unique(y)
    for more in ({}, {"sample_weight": w}):
        assert_allclose(log_loss(y, P, **more), peer.log_loss(y, P, **more), rtol=1e-12)
        assert_allclose(
            log_loss(y, P, normalize=False, **more), peer.log_loss(y, P, normalize=False, **more), rtol=1e-12
        )
        assert_allclose(brier_score_loss(y, P, **more), peer.brier_score_loss(y, P, **more), rtol=1e-12)
        for half in (True, False):
            assert_allclose(
                brier_score_loss(y, P, scale_by_half=half, **more),
                peer.brier_score_loss(y, P, scale_by_half=half, **more),
            )
    kept = y != labels[0]
    assert_allclose(
        log_loss(y[kept], P[kept], labels=labels), peer.log_loss(y[kept], P[kept], labels=labels), rtol=1e-12
    )
    assert_allclose(
        brier_score_loss(y[kept], P[kept], labels=labels),
        peer.brier_score_loss(y[kept], P[kept], labels=labels),
    )
    if K == 2:
        assert_allclose(log_loss(y, P[:, 1]), peer.log_loss(y, P[:, 1]), rtol=1e-12)
        for k in (0, 1):
            assert_allclose(
                brier_score_loss(y, P[:, k], pos_label=labels[k]),
                peer.brier_score_loss(y, P[:, k], pos_label=labels[k]),
            )
    single = P.astype(np.float32)
    assert_allclose(log_loss(y, single), peer.log_loss(y, single), rtol=1e-5)


@given(st.integers(0, 10_000), st.integers(4, 60), st.sampled_from([4, 50]), st.booleans())
@settings(deadline=None, max_examples=40)
def test_parts_add_up_to_the_score(seed, n, levels, weighted):
    rng = np.random.default_rng(seed)
    y, p = np.append([0, 1], rng.integers(2, size=n)), rng.integers(levels + 1, size=n + 2) / levels
    w = rng.random(n + 2) + 0.1 if weighted else None
    score = peer.brier_score_loss(y, p, sample_weight=w)
    for groups in ("distinct", "isotonic", 5):
        parts = BrierParts.of(y, p, groups=groups, sample_weight=w)
        assert_allclose(parts.score, score, atol=1e-12)
        assert_allclose(
            parts.reliability - parts.resolution + parts.uncertainty + parts.within, score, atol=1e-12
        )
        assert parts.reliability >= -1e-12 and parts.resolution >= -1e-12
        assert parts.within == 0 or groups == 5
    fitted = IsotonicRegression(y_min=0, y_max=1).fit(p, y, sample_weight=w).predict(p)
    corp = BrierParts.of(y, p, groups="isotonic", sample_weight=w)
    assert_allclose(corp.reliability, score - np.average((y - fitted) ** 2, weights=w), atol=1e-9)


def test_parts_by_hand():
    """Forecasts .2 (one of three came true) and .8 (two of three): reliability (2/15)^2, resolution (1/6)^2."""
    parts = BrierParts.of([0, 0, 1, 0, 1, 1], [0.2, 0.2, 0.2, 0.8, 0.8, 0.8])
    assert_allclose((parts.reliability, parts.resolution, parts.uncertainty), ((2 / 15) ** 2, 1 / 36, 0.25))


def test_bad_input_is_told_plainly():
    with pytest.raises(DataError, match=r"between 0 and 1, got 0\.5 to 1\.5"):
        log_loss([0, 1], [0.5, 1.5])
    with pytest.raises(DataError, match=r"3 classes .* there are 2 columns"):
        log_loss([0, 1, 2], [0.5, 0.5, 0.5])
    with pytest.raises(DataError, match="not among labels"):
        log_loss([0, 3], [0.5, 0.5], labels=[0, 1])
    with pytest.raises(ParameterError, match="labels names 3 classes"):
        log_loss([0, 1], [0.5, 0.5], labels=[0, 1, 2])
    with pytest.raises(DataError, match="is NaN"):
        brier_score_loss([0, 1], [0.5, np.nan])
    with pytest.raises(ParameterError, match="scale_by_half"):
        brier_score_loss([0, 1], [0.5, 0.5], scale_by_half="no")
    with pytest.raises(DataError, match="between 0 and 1"):
        BrierParts.of([0, 1], [0.5, 2])
    with pytest.raises(ParameterError, match="bins must be a whole number"):
        BrierParts.of([0, 1], [0.5, 0.2], groups=0)
    with pytest.warns(UserWarning, match="do not sum to one"):
        log_loss([0, 1, 2], np.full((3, 3), 0.5))
