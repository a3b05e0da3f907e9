"""Pairs of average ranks: worked examples, scikit-posthocs, closed testing for Shaffer, the order of learners."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import ndtr, ndtri

from assay.errors import DataError, ParameterError
from assay.stats.significance.friedman import friedman, friedman_from_ranks
from assay.stats.significance.rank_post_hoc import bonferroni_dunn, compare_ranks, conover, nemenyi, shaffer

FIVE = np.array(
    [[0.80, 0.85, 0.82], [0.70, 0.76, 0.74], [0.91, 0.90, 0.93], [0.65, 0.72, 0.70], [0.88, 0.92, 0.89]]
)
DEMSAR = friedman_from_ranks([44 / 14, 2, 40.5 / 14, 27.5 / 14], 14, names=["C4.5", "m", "cf", "m+cf"])


@pytest.mark.capability("IML-19-18")
def test_worked_examples():
    # Oracle: IML 19.13.2.
    result = nemenyi(FIVE)
    assert_allclose(result.adjusted[[0, 0, 1], [1, 2, 2]], [0.06888690, 0.25378449, 0.80224113], atol=5e-9)
    assert_allclose(result.critical, 1.48228640, atol=5e-9)
    assert_allclose(nemenyi(DEMSAR).critical, 1.25355915, atol=5e-9)
    assert_allclose(bonferroni_dunn(DEMSAR, 0).critical, 1.16814253, atol=5e-9)


@pytest.mark.capability("IML-19-18")
def test_bonferroni_dunns_quantiles():
    # Oracle: IML 19.13.2, z of 1 - .05 / (2 (k - 1)), k = 2..10.
    published = [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.734, 2.773]
    for k, q in zip(range(2, 11), published):
        result = friedman_from_ranks(np.arange(1, k + 1), 20)
        unit = np.sqrt(k * (k + 1) / 120)
        assert_allclose(bonferroni_dunn(result, 0).critical / unit, q, atol=6e-4)


def test_steps_against_a_control():
    """Oracle: Demsar (2006): z 2.416, 2.342, .512 and p .016, .019, .607 for C4.5 against the others.

    He rounds the ranks first; unrounded z is 2.4154, 2.3422, .5123.
    """
    result = compare_ranks(DEMSAR, "none", control="C4.5")
    z = result.statistic[0, [3, 1, 2]]
    assert_allclose(z, [2.4154, 2.3422, 0.5123], atol=5e-5)
    assert_allclose(result.adjusted[0, [3, 1, 2]], [0.016, 0.019, 0.607], atol=2e-3)
    p = 2 * ndtr(-z)
    assert_allclose(
        compare_ranks(DEMSAR, "holm", control=0).adjusted[0, [3, 1, 2]], [3 * p[0], 3 * p[0], p[2]]
    )
    assert_allclose(
        compare_ranks(DEMSAR, "hochberg", control=0).adjusted[0, [3, 1, 2]], [2 * p[1], 2 * p[1], p[2]]
    )
    assert bonferroni_dunn(DEMSAR, 0).differ[0].tolist() == [False, False, False, True]
    assert compare_ranks(DEMSAR, "holm", control=0).differ[0].tolist() == [False, True, False, True]


def test_same_as_scikit_posthocs():
    """Peer: scikit-posthocs 0.17.1: posthoc_conover_friedman, posthoc_siegel_friedman, posthoc_nemenyi_friedman.

    Rounded normal values of seed 7, so that there are ties.
    """
    pairs = ([0, 0, 1], [1, 2, 2])
    assert_allclose(
        conover(FIVE, "none").adjusted[pairs], [0.0212250669, 0.0755281671, 0.4378516218], atol=5e-9
    )
    siegel = [0.0268566955, 0.113846298, 0.5270892569]
    assert_allclose(compare_ranks(FIVE, "none").adjusted[pairs], siegel, atol=5e-9)
    B = np.round(np.random.default_rng(7).normal(size=(12, 5)) + np.arange(5) * 0.4, 1)
    assert_allclose(
        conover(B, "holm").adjusted[0, 1:], [0.51750721037, 0.045148053672, 0.041478293422, 3.4188669553e-05],
        atol=5e-9,
    )  # fmt: skip
    assert_allclose(
        nemenyi(B).adjusted[0, 1:], [0.89559611389, 0.15831267332, 0.13728071861, 2.6317043408e-04], atol=5e-9
    )


def test_order_and_groups_follow_the_ranks_in_both_directions():
    """The best stands first whether values are errors or accuracies; groups name learners, not places."""
    rng = np.random.default_rng(1)
    errors = rng.normal(size=(30, 5)) * 0.3 + [3.0, 0.0, 1.0, 0.1, 2.9]
    low = nemenyi(errors, better="lower", names=list("vwxyz"))
    assert [low.names[j] for j in low.order] == ["w", "y", "x", "z", "v"]
    assert low.groups == [(1, 3), (3, 2), (4, 0)] or low.groups == [(1, 3), (4, 0)]
    high = nemenyi(-errors, names=list("vwxyz"))
    assert high.order.tolist() == low.order.tolist() and high.groups == low.groups


@given(st.integers(2, 7), st.integers(2, 20), st.integers(0, 10_000))
@settings(max_examples=50, deadline=None)
def test_groups_are_the_ranks_within_the_critical_difference(k, N, seed):
    result = friedman(np.random.default_rng(seed).normal(size=(N, k)) + np.arange(k) * 0.5)
    R, order = result.average_ranks, result.order
    within = [
        (a, b) for a, b in product(range(k), repeat=2) if a < b and R[order[b]] - R[order[a]] < result.cd
    ]
    longest = [g for g in within if not any(c <= g[0] and g[1] <= d and (c, d) != g for c, d in within)]
    assert result.groups == [tuple(int(j) for j in order[a : b + 1]) for a, b in longest]


@given(st.integers(2, 5), st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_shaffer_allows_exactly_what_can_be_true_together(k, seed):
    """Twin: all ways to split k learners into groups of equals, and how many pairs each makes equal."""
    m = k * (k - 1) // 2
    p = np.sort(np.random.default_rng(seed).random(m))
    possible = set()
    for groups in product(range(k), repeat=k):
        possible.add(sum(groups[i] == groups[j] for i in range(k) for j in range(i)))
    steps = [max(s for s in possible if s <= m - j) * p[j] for j in range(m)]
    assert_allclose(shaffer(p, k), np.minimum(1, np.maximum.accumulate(steps)), rtol=1e-12)
    assert (shaffer(p, k) <= np.minimum(1, m * p) + 1e-15).all()


@pytest.mark.parametrize("method", ["nemenyi", "shaffer", "holm", "hommel"])
def test_families_are_rarely_wrong_where_nothing_differs(method):
    X = np.random.default_rng(8).normal(size=(800, 15, 4))
    call = nemenyi if method == "nemenyi" else lambda x: compare_ranks(x, method)
    wrong = np.mean([call(x).differ.any() for x in X])
    assert wrong < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 800)
    assert wrong > 0.01


@given(st.integers(2, 5), st.integers(2, 4), st.data())
@settings(max_examples=80, deadline=None)
def test_tables_of_ties_and_constants_have_an_answer(N, k, data):
    value = st.sampled_from([0.0, 1.0, 0.5, 1e-12, -3.0, 1e6, 0.1 + 0.2, 0.3])
    X = np.array(data.draw(st.lists(st.lists(value, min_size=k, max_size=k), min_size=N, max_size=N)))
    for ties in (False, True):
        result = friedman(X, ties=ties)
        assert 0 <= result.test.p <= 1 and 0 <= result.chi2.p <= 1 and str(result)
        for pairs in (nemenyi(result), compare_ranks(result, "shaffer"), conover(result)):
            assert ((pairs.adjusted >= 0) & (pairs.adjusted <= 1)).all() and len(pairs.letters) == k
        assert bonferroni_dunn(result, 0).pairs()


def test_twenty_learners():
    result = nemenyi(np.random.default_rng(0).normal(size=(10, 20)))
    assert result.adjusted.shape == (20, 20) and not np.isnan(result.adjusted).any()
    z = float(-ndtri(0.05 / 380))
    assert result.critical < z * np.sqrt(20 * 21 / 60)  # sharper than Bonferroni


def test_data_sets_that_agree():
    result = friedman([[1, 2, 3]] * 4)
    assert conover(result).adjusted[0].tolist() == [1, 0, 0]
    assert not np.isnan(nemenyi(result).adjusted).any()
    same = conover(np.ones((4, 3)))
    assert same.adjusted[0].tolist() == [1, 1, 1] and "does not reject" in same.why


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare_ranks(FIVE, "tukey"), "method must be one of bonferroni"),
        (lambda: compare_ranks(FIVE, "shaffer", control=0), "for all pairs"),
        (lambda: bonferroni_dunn(FIVE, "none"), "control must be one of 1, 2, 3"),
        (lambda: nemenyi(DEMSAR, better="lower"), "better: given to friedman already"),
        (lambda: conover(DEMSAR), "needs the ranks on every data set"),
        (lambda: shaffer(np.array([0.1]), 3), "3 p-values"),
        (lambda: shaffer(np.array([0.1]), 1), "k must be a whole number from 2"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((DataError, ParameterError), match=message):
        call()
