"""Intervals and tests of areas: twins, published behaviour, coverage."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import ndtr

from assay.errors import DataError, ParameterError
from assay.metrics.areas import roc_auc_score
from assay.metrics.delong import auc_interval, delong
from assay.tables.data import load_breast_cancer


def components(y, s):
    """DeLong's structural components by the definition: a table of all pairs."""
    pos, neg = s[y == 1][:, None], s[y == 0]
    psi = (pos > neg) + (pos == neg) / 2
    return psi.mean(axis=1), psi.mean(axis=0)


def variance_by_the_book(y, s):
    V, W = components(y, s)
    return V.var(ddof=1) / len(V) + W.var(ddof=1) / len(W)


@given(st.integers(0, 10_000), st.integers(4, 60), st.sampled_from([4, 1000]))
@settings(deadline=None, max_examples=50)
def test_interval_and_test_are_those_of_all_pairs(seed, n, levels):
    rng = np.random.default_rng(seed)
    y = np.append([0, 0, 1, 1], rng.integers(2, size=n))
    s, t = rng.integers(levels, size=(2, n + 4)) + 2.0 * y
    area, var = roc_auc_score(y, s), variance_by_the_book(y, s)
    plain = auc_interval(y, s, method="delong-plain")
    if 0 < area < 1:
        half = 1.959963984540054 * np.sqrt(var)
        assert_allclose((plain.low, plain.high), (max(0, area - half), min(1, area + half)), atol=1e-9)
        found = auc_interval(y, s)
        assert 0 < found.low < area < found.high < 1 and found.method == "DeLong"
    V1, W1 = components(y, s)
    V2, W2 = components(y, t)
    spread = np.sqrt((V1 - V2).var(ddof=1) / len(V1) + (W1 - W2).var(ddof=1) / len(W1))
    if spread > 1e-9:
        found = delong(y, s, t)
        z = (V1.mean() - V2.mean()) / spread
        assert_allclose((found.statistic, found.p), (z, 2 * ndtr(-abs(z))), atol=1e-9)
        assert_allclose(found.estimate, roc_auc_score(y, s) - roc_auc_score(y, t), atol=1e-12)
        assert_allclose(delong(y, s, t, alternative="greater").p + delong(y, s, t, alternative="less").p, 1)
        assert_allclose(delong(y, t, s).p, found.p, atol=1e-12)


def test_same_numbers_as_mlstatkit():
    """Peer: MLstatkit 0.1.91, Delong_test, on the breast cancer table: mean radius and mean texture, turned round."""
    data = load_breast_cancer()
    X, y = data.X.values, data.codes
    found = delong(y, -X[:, 0], -X[:, 1])
    assert_allclose((abs(found.statistic), found.p), (7.308787404733406, 2.6956386253426067e-13), rtol=1e-9)
    assert_allclose(found.estimate, 0.9375165160403784 - 0.7758244807356904, rtol=1e-12)
    for column, told in (
        (0, (0.9170206708533339, 0.958012361227423)),
        (1, (0.7371459378115024, 0.8145030236598785)),
    ):
        plain = auc_interval(y, -X[:, column], method="delong-plain")
        assert_allclose((plain.low, plain.high), told, rtol=1e-9)


def test_perfect_separation_still_has_an_interval():
    """Newcombe (2006), method 5: with A = 1 the lower end solves (1 - t)^2 = z^2 t (1 - t)(...)/(P N)."""
    found = auc_interval([0] * 10 + [1] * 10, np.arange(20))
    assert found.value == found.high == 1 and found.method == "Newcombe"
    t, z2, star = found.low, 1.959963984540054**2, 9
    assert_allclose(
        (1 - t) ** 2, z2 * t * (1 - t) / 100 * (1 + star * ((1 - t) / (2 - t) + t / (1 + t))), rtol=1e-6
    )
    assert 0.7 < t < 0.9
    lowest = auc_interval([1] * 10 + [0] * 10, np.arange(20))
    assert_allclose((lowest.value, lowest.low, lowest.high), (0, 0, 1 - t), atol=1e-6)
    plain = auc_interval([0] * 10 + [1] * 10, np.arange(20), method="delong")
    assert np.isnan(plain.low) and "newcombe" in plain.why
    single = auc_interval([0, 0, 0, 1], [1, 2, 4, 3])
    assert single.method == "Newcombe" and 0 < single.low < 2 / 3 < single.high < 1


def normal_scores(rng, B, P, N, shift):
    y = np.repeat([1, 0], [P, N])
    return y, rng.normal(size=(B, P + N)) + shift * y


@pytest.mark.parametrize(
    ("P", "N", "shift", "method"),
    [(30, 30, 1.2, "delong"), (15, 40, 2.0, "delong"), (20, 20, 1.5, "newcombe")],
)
def test_coverage_by_simulation(P, N, shift, method):
    """Two Gaussians a shift apart have the area Phi(shift / sqrt 2). 1,000 samples at 95 %.

    Exact coverage would leave 92.6 % to 97.2 % with probability 0.001; a variance off by a half leaves it at once.
    """
    y, S = normal_scores(np.random.default_rng(7), 1000, P, N, shift)
    true = ndtr(shift / np.sqrt(2))
    found = [auc_interval(y, s, method=method) for s in S]
    covered = np.mean([e.low <= true <= e.high for e in found])
    assert 0.926 <= covered <= 0.985 if method == "newcombe" else 0.926 <= covered <= 0.972


def test_size_of_the_paired_test_by_simulation():
    """Two scores of equal area that share half their noise: 1,000 tests at 5 %, exact size within 2.9 % to 7.5 %."""
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], 40)
    shared = rng.normal(size=(1000, 80)) + 1.2 * y
    p = [delong(y, row + rng.normal(size=80), row + rng.normal(size=80)).p for row in shared]
    assert 0.029 <= np.mean(np.array(p) <= 0.05) <= 0.075


def test_scores_that_order_alike_and_other_edges():
    y, s = [0, 0, 1, 1, 1], np.array([1.0, 3, 2, 4, 5])
    same = delong(y, s, s**3)
    assert (same.p, same.estimate) == (1, 0) and "alike" in same.why
    with pytest.raises(DataError, match="needs two rows to show its spread, got 1 positive"):
        delong([0, 0, 1], [1, 2, 3], [3, 2, 1])
    apart = delong([0, 0, 1, 1], [1, 2, 3, 4], [3, 4, 1, 2])
    assert np.isnan(apart.p) and "no spread" in apart.why
    with pytest.raises(ParameterError, match="method must be auto"):
        auc_interval([0, 1], [1, 2], method="wald")
    with pytest.raises(ParameterError, match="alpha"):
        auc_interval([0, 1], [1, 2], alpha=2)
    none = auc_interval([1, 1], [1, 2])
    assert np.isnan(none.value) and "no row" in none.why
