"""How the rules of one class grow: sums that follow the weights, and when it ends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.rules.associative.cpar_growth import ClassGrowth, GrowthSettings

SETTINGS = GrowthSettings(decay=2 / 3, min_weight=0.05, min_gain=0.7, similarity=0.99, base=np.e)


def growth(seed, n=300, weights=None, settings=SETTINGS):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 5))
    own = (X[:, 0] == X[:, 1]) ^ (rng.random(n) < 0.1)
    codes = np.where(rng.random(X.shape) < 0.1, -1, X + 3 * np.arange(5)).astype(np.int32)
    column = np.repeat(np.arange(5), 3).astype(np.int32)
    return ClassGrowth(codes, column, own, np.ones(n) if weights is None else weights, settings)


@pytest.mark.parametrize("seed", range(3))
def test_sums_follow_the_weights(seed):
    """What is subtracted after each rule leaves the sums that a look at all rows would give."""
    growing = growth(seed)
    for _ in range(12):
        for _, rows in growing._grow():
            growing._decay(rows)
        assert_allclose(growing.sums, growing._sums(growing.everything), rtol=1e-12, atol=1e-10)
        assert_allclose(growing.left, growing.weight[growing.positive].sum(), rtol=1e-12)


def test_only_rows_of_the_class_that_a_rule_covers_count_less():
    growing = growth(5)
    (_, rows), *_ = growing._grow()
    growing._decay(rows)
    hit = np.isin(growing.everything, rows) & growing.positive
    assert_allclose(growing.weight, np.where(hit, 2 / 3, 1.0), rtol=1e-15)


def test_a_class_is_done_when_its_weight_is_used_up():
    growing = growth(7)
    before = growing.left
    result = growing.rules()
    used_up, no_gain = growing.left <= 0.05 * before * (1 + 1e-12), growing._grow() == []
    assert used_up or no_gain
    assert len(set(result)) > 5
    late = growth(7, settings=GrowthSettings(2 / 3, 0.5, 0.7, 0.99, np.e))
    shorter = late.rules()
    assert result[: len(shorter)] == shorter  # the same beginning, ended earlier
    assert len(shorter) < len(result)
    assert late.left <= 0.5 * before


def test_weights_count_as_rows():
    """Gains are sums of weights, so a row of weight 3 is three rows."""
    w = np.random.default_rng(0).integers(1, 4, 300)
    weighed, plain = growth(9, weights=w.astype(float)), growth(9)
    repeated = ClassGrowth(
        np.repeat(plain.codes, w, axis=0),
        plain.column,
        np.repeat(plain.positive, w),
        np.ones(w.sum()),
        SETTINGS,
    )
    assert weighed.rules() == repeated.rules()


def test_nothing_to_tell_apart_gives_no_rule():
    growing = growth(1)
    alone = ClassGrowth(growing.codes, growing.column, np.ones(300, bool), np.ones(300), SETTINGS)
    nobody = ClassGrowth(growing.codes, growing.column, np.zeros(300, bool), np.ones(300), SETTINGS)
    none = ClassGrowth(
        np.full((300, 1), -1, np.int32), np.zeros(0, np.int32), growing.positive, np.ones(300), SETTINGS
    )
    assert alone.rules() == nobody.rules() == none.rules() == []
