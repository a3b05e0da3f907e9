"""Adjusted p-values: by hand, against statsmodels, and for a choice out of more tests."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from assay.errors import ParameterError
from assay.stats.significance.anova import anova
from assay.stats.significance.kruskal_wallis import dunn, kruskal_wallis
from assay.stats.significance.multiple_tests import METHODS, adjust, benjamini_hochberg, finner, holm, hommel
from assay.stats.significance.post_hoc import post_hoc
from assay.stats.significance.rank_post_hoc import compare_ranks, conover


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_shares_of_false_ones_are_scipys(p):
    """Peer: scipy.stats.false_discovery_control."""
    assert_allclose(benjamini_hochberg(p), false_discovery_control(p), atol=1e-12)


PEER = {
    "bonferroni": "bonferroni",
    "sidak": "sidak",
    "holm": "holm",
    "holm_sidak": "holm-sidak",
    "hochberg": "simes-hochberg",
    "hommel": "hommel",
    "benjamini_hochberg": "fdr_bh",
    "benjamini_yekutieli": "fdr_by",
}


@pytest.mark.parametrize("method", PEER)
@pytest.mark.parametrize("seed", range(4))
def test_same_as_statsmodels(seed, method):
    """Peer: statsmodels 0.15, multipletests."""
    p = np.random.default_rng(seed).random(25) ** (seed + 1)
    p[3] = p[4]
    assert_allclose(adjust(p, method), multipletests(p, method=PEER[method])[1], atol=1e-12)


@pytest.mark.capability("IML-19-15")
def test_worked_example():
    # Oracle: IML 19.12.
    assert_allclose(adjust([0.001, 0.02, 0.03], "bonferroni"), [0.003, 0.06, 0.09], rtol=1e-12)
    assert_allclose(adjust([0.001, 0.02, 0.03], "holm"), [0.003, 0.04, 0.04], rtol=1e-12)


def test_finner_by_hand():
    p = [0.5, 0.01, 0.03]
    assert_allclose(finner(p), [0.5, 1 - 0.99**3, 1 - 0.97**1.5], rtol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_methods_keep_the_order_and_stand_in_theirs(p):
    result = {m: adjust(p, m) for m in METHODS}
    order = np.argsort(p, kind="stable")
    for values in result.values():
        assert (np.diff(values[order]) >= -1e-12).all() and (values >= np.array(p) - 1e-12).all()
    for sharper, duller in [
        ("hommel", "hochberg"),
        ("hochberg", "holm"),
        ("holm", "bonferroni"),
        ("holm_sidak", "holm"),
        ("sidak", "bonferroni"),
        ("benjamini_hochberg", "hommel"),
    ]:
        assert (result[sharper] <= result[duller] + 1e-12).all()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_hommel_is_closed_testing_with_simes(p):
    """Twin: the largest Simes p-value over all sets that hold the hypothesis."""
    m = len(p)
    best = np.zeros(m)
    for bits in range(1, 2**m):
        chosen = [i for i in range(m) if bits >> i & 1]
        simes = min(len(chosen) * v / (j + 1) for j, v in enumerate(sorted(p[i] for i in chosen)))
        best[chosen] = np.maximum(best[chosen], simes)
    assert_allclose(hommel(p), np.minimum(best, 1), atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_undecided_tests_pass_through_and_do_not_count(method):
    full = adjust([0.02, 0.2, 0.001], method)
    assert_allclose(adjust([0.02, np.nan, 0.2, 0.001], method), np.insert(full, 1, np.nan), rtol=1e-12)
    assert np.isnan(adjust([np.nan], method)).all()


@pytest.mark.parametrize("method", METHODS)
def test_those_not_shown_count_as_one(method):
    p = np.array([0.0004, 0.003, 0.001])
    with_ones = adjust(np.concatenate([p, np.ones(7)]), method)[:3]
    assert_allclose(adjust(p, method, tests=10), with_ones, rtol=1e-12)


def test_families_of_true_hypotheses_are_rarely_rejected():
    """Size by simulation: all hypotheses true, m = 8 independent p-values."""
    P = np.random.default_rng(1).random((3000, 8))
    for method in METHODS:
        if method == "none":
            continue
        wrong = np.mean([adjust(p, method).min() <= 0.1 for p in P])
        assert wrong < 0.1 + 4 * np.sqrt(0.1 * 0.9 / 3000)
        if method in ("sidak", "holm_sidak", "finner", "hommel", "benjamini_hochberg"):
            assert wrong > 0.1 - 4 * np.sqrt(0.1 * 0.9 / 3000)


def test_the_smallest_of_more_tests_are_adjusted_for_all_of_them():
    p = np.sort(np.random.default_rng(0).random(50))
    assert_allclose(holm(p[:10], tests=50), holm(p)[:10], atol=1e-12)
    assert np.all(benjamini_hochberg(p[:10], tests=50) >= benjamini_hochberg(p)[:10] - 1e-12)


def test_no_p_values_are_no_trouble():
    assert len(holm([])) == len(benjamini_hochberg([], tests=5)) == 0


def test_fewer_tests_than_p_values_are_refused():
    with pytest.raises(ParameterError, match="at least that of p-values, 2, got 1"):
        holm([0.1, 0.2], tests=1)


@pytest.mark.parametrize(
    ("p", "method", "message"),
    [
        ([0.1, 1.2], "holm", "between 0 and 1, got 1.2"),
        ([-0.1], "hommel", "between 0 and 1, got -0.1"),
        ([[0.1]], "sidak", "expected a list of p-values"),
        ("abc", "holm", "expected p-values, got 'abc'"),
        ([0.1], "tukey", "method must be one of bonferroni"),
    ],
)
def test_bad_input_is_named(p, method, message):
    with pytest.raises(ParameterError, match=message):
        adjust(p, method)


@pytest.mark.parametrize("tests", [0, 2.5, "a", True])
def test_the_number_of_tests_is_whole(tests):
    with pytest.raises(ParameterError, match="tests must be a whole number"):
        adjust([0.1], tests=tests)


def test_methods_are_spelled_alike_everywhere():
    table = np.random.default_rng(0).normal(size=(6, 3))
    for f in (lambda m: compare_ranks(table, m), lambda m: conover(table, m), lambda m: post_hoc(anova(table), m),
              lambda m: dunn(kruskal_wallis(table), m)):  # fmt: skip
        assert_allclose(f("Holm sidak").adjusted, f("holm_sidak").adjusted)
        with pytest.raises(ParameterError, match="method must be one of"):
            f(None)
