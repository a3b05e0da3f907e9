"""Pairs of means: the worked example, statsmodels, SciPy, error rates of families by simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import dunnett, tukey_hsd
from statsmodels.stats.multicomp import pairwise_tukeyhsd

from assay.errors import ParameterError
from assay.stats.significance.anova import anova, contrast
from assay.stats.significance.multiple_tests import METHODS
from assay.stats.significance.post_hoc import WORDS, post_hoc

ERRORS = {
    "A1": [0.10, 0.12, 0.11, 0.13, 0.14],
    "A2": [0.15, 0.16, 0.14, 0.17, 0.18],
    "A3": [0.11, 0.13, 0.12, 0.12, 0.15],
}
PAIRS = ([0, 0, 1], [1, 2, 2])


@pytest.mark.capability("IML-19-15")
def test_worked_example():
    # Oracle: IML 19.12. Pairs (1,2), (1,3), (2,3).
    result = anova(ERRORS)
    lsd, tukey = post_hoc(result, "lsd"), post_hoc(result, "tukey")
    assert_allclose(lsd.statistic[PAIRS], [-4.05442427, -0.60816364, 3.44626063], atol=5e-9)
    assert_allclose(lsd.adjusted[PAIRS], [0.00159760, 0.55441548, 0.00483825], atol=5e-9)
    assert_allclose(lsd.critical, 0.02149566, atol=5e-9)
    bonferroni = post_hoc(result, "bonferroni")
    assert_allclose(bonferroni.adjusted[PAIRS], [0.00479280, 1, 0.01451475], atol=6e-9)
    assert_allclose(post_hoc(result, "holm").adjusted[PAIRS], [0.0047928, 0.55441548, 0.0096765], atol=5e-8)
    assert_allclose(np.sqrt(2) * abs(tukey.statistic[0, 1]), 5.73382179, atol=5e-9)
    assert_allclose(tukey.adjusted[PAIRS], [0.00421001, 0.81844043, 0.01244136], atol=5e-9)
    assert_allclose(tukey.critical, 0.02632052, atol=5e-9)


@pytest.mark.capability("IML-19-15")
def test_ordering_with_groups():
    # Oracle: IML exercise 19.7: A1 and A3 do not differ and share an underline, A2 stands alone.
    result = post_hoc(anova(ERRORS), "tukey", better="lower")
    assert [result.names[j] for j in result.order] == ["A1", "A3", "A2"]
    assert result.groups == [(0, 2)] and result.letters == ("a", "b", "a")
    assert result.underlined() == "A1  A3  A2\n------"
    assert [r["differ"] for r in result.pairs()] == [False, True, True]
    assert post_hoc(anova(ERRORS), "tukey").letters == ("b", "a", "b")
    assert list(result.to_pandas().columns)[:3] == ["first", "second", "difference"]


@pytest.mark.parametrize("sizes", [(6, 6, 6, 6), (4, 9, 5, 12)])
def test_tukey_kramer_is_statsmodels_and_scipys(sizes):
    """Peers: scipy.stats.tukey_hsd, statsmodels 0.15 pairwise_tukeyhsd (intervals)."""
    rng = np.random.default_rng(sum(sizes))
    samples = [rng.normal(j * 0.7, 1, n) for j, n in enumerate(sizes)]
    result = post_hoc(anova(*samples), "tukey")
    assert_allclose(result.adjusted, tukey_hsd(*samples).pvalue, atol=1e-8)
    table = pairwise_tukeyhsd(np.concatenate(samples), np.repeat(np.arange(4), sizes))
    i, j = np.triu_indices(4, 1)
    low, high = result.difference - result.margin, result.difference + result.margin
    assert_allclose(np.column_stack([low[j, i], high[j, i]]), table.confint, atol=1e-5)


def test_dunnett_is_scipys():
    """Peer: scipy.stats.dunnett of SciPy 1.17, which integrates by Monte Carlo, to about 1e-3."""
    rng = np.random.default_rng(4)
    control, *others = (rng.normal(m, 1, n) for m, n in ((0, 9), (0.8, 6), (1.5, 7), (-0.2, 5)))
    result = post_hoc(anova(control, *others), "dunnett", control=0)
    peer = dunnett(*others, control=control, random_state=0)
    assert_allclose(result.adjusted[0, 1:], peer.pvalue, atol=2e-3)
    assert_allclose(-result.statistic[0, 1:], peer.statistic, rtol=1e-10)
    interval = peer.confidence_interval()
    assert_allclose(result.margin[0, 1:], (interval.high - interval.low) / 2, rtol=5e-3)


def test_against_a_control_only_its_pairs_are_compared():
    for method in ("dunnett", "holm", "bonferroni", "lsd", "scheffe"):
        result = post_hoc(anova(ERRORS), method, control="A1")
        assert np.isnan(result.adjusted[1, 2]) and not result.differ[1, 2] and result.control == 0
        assert [(r["first"], r["second"]) for r in result.pairs()] == [("A1", "A2"), ("A1", "A3")]
        assert result.groups == [(2, 0)] and result.letters == ("a", "", "a")
        assert "control" in str(result)
    assert_allclose(post_hoc(anova(ERRORS), "holm", control=0).adjusted[0, 1], 2 * 0.0015976, atol=1e-7)


def test_pairs_are_contrasts():
    result = anova(ERRORS)
    for method, planned in (("lsd", True), ("scheffe", False)):
        pairs, one = post_hoc(result, method), contrast(result, [1, -1, 0], planned=planned)
        assert_allclose(pairs.adjusted[0, 1], one.p, rtol=1e-10)
        assert_allclose(pairs.difference[0, 1] + pairs.margin[0, 1], one.high, rtol=1e-10)


def test_folds_as_blocks_sharpen_the_pairs():
    blocked = post_hoc(anova(ERRORS, blocked=True), "tukey")
    assert blocked.critical < 0.5 * post_hoc(anova(ERRORS), "tukey").critical


@pytest.mark.parametrize("method", ["tukey", "holm", "dunnett", "scheffe", "bonferroni"])
def test_families_are_rarely_wrong_where_nothing_differs(method):
    rng = np.random.default_rng(6)
    control = 0 if method == "dunnett" else None
    X = rng.normal(size=(600, 6, 4))
    wrong = np.mean([post_hoc(anova(x), method, control=control).differ.any() for x in X])
    band = 4 * np.sqrt(0.05 * 0.95 / 600)
    assert wrong < 0.05 + band
    if method in ("tukey", "dunnett"):
        assert wrong > 0.05 - band


@given(st.integers(2, 5), st.integers(2, 4), st.data())
@settings(max_examples=80, deadline=None)
def test_tables_of_ties_and_constants_have_an_answer(n, L, data):
    value = st.sampled_from([0.0, 1.0, 0.5, 1e-12, -3.0, 1e6, 0.1 + 0.2, 0.3])
    X = np.array(data.draw(st.lists(st.lists(value, min_size=L, max_size=L), min_size=n, max_size=n)))
    for blocked in (False, True):
        result = anova(X, blocked=blocked)
        assert 0 <= result.test.p <= 1 and str(result)
        for method in ("tukey", "lsd", "holm", "scheffe", "hommel"):
            pairs = post_hoc(result, method)
            assert ((pairs.adjusted >= 0) & (pairs.adjusted <= 1)).all()
            assert len(pairs.letters) == L and str(pairs) and pairs.underlined()
        assert post_hoc(result, "dunnett", control=0).pairs()


def test_lsd_without_a_significant_f_is_doubted():
    result = post_hoc(anova([1, 2, 3.0], [1, 2.1, 3], [1.2, 2, 3.1]), "lsd")
    assert "may well be chance" in result.why


@given(st.integers(2, 6), st.integers(0, 500), st.sampled_from([*WORDS, *METHODS]))
@settings(max_examples=60, deadline=None)
def test_matrices_mirror_and_margins_decide(L, seed, method):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(5, L)) + rng.normal(size=L)
    result = post_hoc(anova(X), method, control=0 if method == "dunnett" else None)
    assert_allclose(result.adjusted, result.adjusted.T)
    assert_allclose(result.statistic, -result.statistic.T)
    known = ~np.isnan(result.margin)
    assert (result.differ == (np.abs(result.difference) >= result.margin))[known].all()
    assert (np.diag(result.adjusted) == 1).all()
    assert np.nanmin(result.adjusted - result.p) > -1e-9


def test_no_spread_has_an_answer():
    sure = post_hoc(anova([1, 1, 1.0], [2, 2, 2], [2, 2, 2]), "tukey")
    assert sure.adjusted[0].tolist() == [1, 0, 0] and sure.adjusted[1, 2] == pytest.approx(1)
    assert sure.groups == [(1, 2)]
    same = post_hoc(anova([1, 1], [1, 1]), "dunnett", control=1)
    assert same.adjusted[1].tolist() == pytest.approx([1, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "duncan"}, "method must be one of lsd, tukey"),
        ({"method": "dunnett"}, "name it: control"),
        ({"method": "tukey", "control": 0}, "all pairs"),
        ({"method": "holm", "control": "B"}, "control must be one of A1, A2, A3"),
        ({"method": "holm", "control": 3}, "a number from 0 to 2"),
        ({"better": "small"}, "higher, lower"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(ParameterError, match=message):
        post_hoc(anova(ERRORS), **options)


def test_only_the_result_of_anova_is_taken():
    with pytest.raises(ParameterError, match="result of anova, got dict"):
        post_hoc(ERRORS)
