"""Standardised differences: by hand, against SciPy's noncentral t, coverage, no spread."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.effects.cohen import cohen_d, cohen_h, hedges_g
from assay.stats.significance.summary import Summary


def test_by_hand():
    """Means 4 and 3, both variances 2.5: d = 1 / sqrt(2.5); J(8) = gamma(4) / (2 gamma(3.5))."""
    from scipy.special import gamma

    d, g = (f([2, 3, 4, 5, 6], [1, 2, 3, 4, 5]) for f in (cohen_d, hedges_g))
    assert_allclose(d.value, 1 / np.sqrt(2.5), rtol=1e-12)
    assert_allclose(g.value / d.value, gamma(4) / (2 * gamma(3.5)), rtol=1e-12)
    assert_allclose(cohen_h(0.5, 0.25).value, np.pi / 2 - np.pi / 3, rtol=1e-12)
    assert np.isnan(cohen_h(0.5, 0.25).low)


def test_pairs_are_measured_by_their_differences():
    a, b = np.array([1.0, 2, 4, 4]), np.array([0.5, 1, 2, 3.5])
    assert_allclose(cohen_d(a, b, paired=True).value, np.mean(a - b) / np.std(a - b, ddof=1))
    assert_allclose(cohen_d(Summary.of(a - b)).value, cohen_d(a - b).value)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize(
    ("gap", "n1", "n2"), [(0.0, 5, 5), (1.0, 10, 4), (-3.0, 30, 30), (0.1, 500, 500), (8.0, 6, 6)]
)
def test_the_interval_inverts_the_noncentral_t(gap, n1, n2, alpha):
    """Peer: SciPy 1.17, the distribution function of stats.nct at both bounds."""
    from scipy.stats import nct

    result = cohen_d(Summary(gap, 1.0, n1), Summary(0.0, 1.0, n2), alpha=alpha)
    root, df = np.sqrt(1 / n1 + 1 / n2), n1 + n2 - 2
    t = result.value / root
    seen = [nct.cdf(t, df, result.low / root), nct.cdf(t, df, result.high / root)]
    assert_allclose(seen, [1 - alpha / 2, alpha / 2], atol=1e-7)


def test_coverage_and_bias():
    rng, worlds, true = np.random.default_rng(0), 800, 0.8
    A, B = rng.normal(true, 1, (worlds, 6)), rng.normal(0, 1, (worlds, 8))
    d = [cohen_d(a, b, alpha=0.1) for a, b in zip(A, B)]
    covered = np.mean([e.low <= true <= e.high for e in d])
    assert abs(covered - 0.9) < 4 * np.sqrt(0.09 / worlds)
    g = np.array([hedges_g(a, b).value for a, b in zip(A, B)])
    error = 4 * g.std() / np.sqrt(worlds)
    assert abs(g.mean() - true) < error
    assert np.mean([e.value for e in d]) > g.mean()


def test_no_spread():
    result = cohen_d([2, 2, 2], [1, 1, 1])
    assert result.value == np.inf and "no spread" in result.why and result.word == "large"
    assert cohen_d([1, 1], [1, 1]).value == 0
    assert hedges_g([2, 2, 2], [1, 1, 1]).value == np.inf
    with pytest.raises(DataError, match="hedges_g: two values are too few"):
        hedges_g([1.0, 2.0])


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: cohen_d([1.0]), "one value"), (lambda: cohen_d([1, 2], [1]), "at least 2"),
     (lambda: cohen_d([1, 2], paired=True), "second one"), (lambda: cohen_h(1.2, 0.5), "shares"),
     (lambda: cohen_h(0.2, 0.5, 0, 3), "n must be"), (lambda: cohen_h(np.nan, 0.5), "shares")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()
