"""What the order alone tells."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import ks_2samp, somersd

from assay.errors import DataError
from assay.metrics.areas import roc_auc_score
from assay.metrics.ranks import concordance, gini_score, ks_statistic, ranked


@given(st.integers(0, 10_000), st.integers(4, 60), st.sampled_from([4, 1000]))
@settings(deadline=None, max_examples=40)
def test_same_numbers_as_scipy(seed, n, levels):
    """Peer: SciPy's ks_2samp (asymptotic) and somersd."""
    rng = np.random.default_rng(seed)
    y = np.append([0, 1, 0, 1], rng.integers(2, size=n))
    s = rng.integers(levels, size=n + 4) + y
    found, peer = ks_statistic(y, s), ks_2samp(s[y == 1], s[y == 0], method="asymp")
    assert_allclose(found.statistic, peer.statistic, atol=1e-12)
    pairs = concordance(y, s)
    assert_allclose(pairs.c, roc_auc_score(y, s), atol=1e-12)
    assert_allclose(pairs.somers_d, gini_score(y, s), atol=1e-12)
    assert_allclose(pairs.somers_d, somersd(y, s).statistic, atol=1e-12)
    assert pairs.concordant + pairs.discordant + pairs.tied == y.sum() * (1 - y).sum()


def test_p_of_the_distance_is_kolmogorov_s():
    """SciPy's asymptotic p differs by a continuity correction; for 500 + 500 rows by less than a tenth."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 500)
    s = rng.normal(size=1000) + 0.09 * y
    assert_allclose(ks_statistic(y, s).p, ks_2samp(s[y == 1], s[y == 0], method="asymp").pvalue, rtol=0.1)


def test_the_strip_of_a_ranking():
    strip = ranked(["n", "p", "n", "p", "p"], [1, 5, 3, 3, 2], pos_label="p")
    assert str(strip) == "+-++-" and strip.label == "p"
    assert_array_equal(strip.order, [1, 2, 3, 4, 0])
    assert_array_equal(strip.hits, [1, 3, 4])
    assert np.isnan(concordance([0, 1], [1, 1]).gamma)


def test_one_class_is_told_plainly():
    for f in (gini_score, ks_statistic, concordance):
        with pytest.raises(DataError, match="one class only"):
            f([1, 1], [1, 2])


def test_weighted_pairs_are_never_fewer_than_none():
    w = np.array([0.1, 0.2, 0.3, 0.7, 1.1, 1.3])
    found = concordance([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6], sample_weight=w)
    assert found.discordant == 0 and found.tied == 0
    assert_allclose(found.concordant, 0.6 * 3.1)
