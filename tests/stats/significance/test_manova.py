"""Multivariate analysis of variance: the worked example, statsmodels, special cases, size, singular errors."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from statsmodels.multivariate.manova import MANOVA

from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.significance.anova import anova
from assay.stats.significance.manova import manova

# Oracle: IML 19.14.1 and 19.14.2.
G1 = [(0.80, 0.10), (0.82, 0.12), (0.79, 0.15), (0.85, 0.11), (0.81, 0.13)]
G2 = [(0.84, 0.14), (0.86, 0.17), (0.83, 0.16), (0.88, 0.15), (0.85, 0.19)]
G3 = [(0.81, 0.18), (0.80, 0.20), (0.84, 0.21), (0.83, 0.19), (0.82, 0.22)]


@pytest.mark.capability("IML-19-20")
def test_worked_example():
    result = manova(G1, G2, G3)
    assert_allclose(result.H, [[0.00417333, 0.00128667], [0.00128667, 0.01521333]], atol=5e-9)
    assert_allclose(result.E, [[0.0046, -0.00056], [-0.00056, 0.00396]], atol=1e-12)
    four = (result.wilks, result.pillai, result.hotelling_lawley, result.roy)
    assert_allclose([t.estimate for t in four], [0.10676145, 1.26199206, 4.91268210, 4.06245946], atol=5e-9)
    assert_allclose([result.test.statistic, result.test.p], [11.33276513, 3.8094e-5], rtol=2e-5)
    assert_allclose(result.test.statistic, 11.33276513, atol=5e-9)
    assert result.test.df == (4, 22)
    assert_allclose(result.bartlett.statistic, 25.72732161, atol=5e-9)
    assert_allclose(result.bartlett.p, 3.5914e-5, atol=5e-10)


@pytest.mark.capability("IML-19-20")
def test_two_learners_are_hotellings_test():
    result = manova(G1, G2)
    assert_allclose(result.wilks.estimate, 1 / (1 + 25.51054818 / 8), atol=5e-9)
    assert_allclose(result.wilks.estimate, 0.23873080, atol=5e-9)
    for test in (result.wilks, result.pillai, result.hotelling_lawley, result.roy):
        assert_allclose([test.statistic, test.p], [11.16086483, 0.00664783], atol=5e-9)


@pytest.mark.parametrize(("p", "L", "n"), [(2, 3, 5), (3, 4, 7), (4, 2, 6), (5, 4, 8), (4, 3, 3), (2, 6, 3)])
def test_same_as_statsmodels(p, L, n):
    """Peer: statsmodels 0.15, MANOVA.mv_test: value, degrees of freedom, F and p of all four."""
    X = np.random.default_rng(p * L).normal(size=(L, n, p))
    X[0] += 0.5
    columns = list("abcde")[:p]
    frame = pd.DataFrame(X.reshape(-1, p), columns=columns).assign(g=np.repeat(list("ABCDEF")[:L], n))
    peer = MANOVA.from_formula("+".join(columns) + "~C(g)", frame).mv_test().results["C(g)"]["stat"]
    result = manova(X)
    ours = [
        [t.estimate, *t.df, t.statistic, t.p]
        for t in (result.wilks, result.pillai, result.hotelling_lawley, result.roy)
    ]
    assert_allclose(ours, peer.to_numpy().astype(float), rtol=1e-9)


def test_one_criterion_is_analysis_of_variance():
    X = np.random.default_rng(3).normal(size=(6, 4))
    for blocked in (False, True):
        one, result = anova(X, blocked=blocked), manova(X.T[:, :, None], blocked=blocked)
        for test in (result.wilks, result.pillai, result.hotelling_lawley, result.roy):
            assert_allclose([test.statistic, test.p], [one.test.statistic, one.test.p], rtol=1e-9)


@given(st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_units_and_mixing_of_criteria_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    X, A = rng.normal(size=(3, 8, 2)), rng.normal(size=(2, 2)) + 3 * np.eye(2)
    a, b = manova(X), manova(X @ A + 5)
    assert_allclose(a.roots, b.roots, rtol=1e-6, atol=1e-10)
    assert_allclose([a.test.statistic, a.test.p], [b.test.statistic, b.test.p], rtol=1e-6)


def test_directions_have_unit_error_and_find_the_roots():
    result = manova(G1, G2, G3)
    D = result.directions
    assert_allclose(D.T @ result.E @ D / 12, np.eye(2), atol=1e-10)
    assert_allclose(np.diag(D.T @ result.H @ D) / 12, result.roots, rtol=1e-9)


def test_level_holds():
    X = np.random.default_rng(4).normal(size=(1500, 4, 6, 3))
    result = [manova(x) for x in X]
    band = 4 * np.sqrt(0.05 * 0.95 / 1500)
    for name in ("wilks", "pillai", "hotelling_lawley", "bartlett"):
        assert abs(np.mean([getattr(f, name).rejected for f in result]) - 0.05) < band
    assert np.mean([f.roy.rejected for f in result]) > 0.1  # the bound, as its sentence says
    assert "true p-value is larger" in result[0].roy.why


def test_folds_as_blocks():
    """Fold effects that all learners share vanish."""
    X = np.array([G1, G2, G3])
    shifted = X + np.random.default_rng(0).normal(size=(1, 5, 2))
    a, b = manova(X, blocked=True), manova(shifted, blocked=True)
    assert_allclose([a.test.statistic, a.test.p], [b.test.statistic, b.test.p], rtol=1e-8)
    level = [manova(x + x[:1, :, :1] * 9, blocked=True).test.rejected for x in
             np.random.default_rng(1).normal(size=(800, 3, 6, 2))]  # fmt: skip
    assert abs(np.mean(level) - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 800)


def test_groups_that_hardly_vary_are_separated_with_certainty():
    result = manova([[0.0], [0.0]], [[1.0], [1.0 + 1e-12]])
    for test in (result.wilks, result.pillai, result.hotelling_lawley, result.roy):
        assert test.statistic > 1e20 and 0 <= test.p < 1e-20


def test_names_come_along():
    frames = {n: pd.DataFrame(g, columns=["precision", "recall"]) for n, g in zip("abc", (G1, G2, G3))}
    result = manova(frames)
    assert result.names == ("a", "b", "c") and result.criteria == ("precision", "recall")
    assert "3 learners, 2 criteria" in str(result)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: manova(G1), "two or more learners"),
        (lambda: manova(G1, [[1, 2, 3]]), "columns; criteria must agree"),
        (lambda: manova(G1[:1], G2[:1]), "2 criteria need more than 0 degrees"),
        (lambda: manova([(1, 2), (2, 4), (3, 6)], [(1, 2), (2, 4), (5, 10)]), "error matrix is singular"),
        (lambda: manova([(1, 2), (1, 3)], [(1, 2), (1, 5)]), "error matrix is singular"),
        (lambda: manova(G1, [(np.nan, 1), (1, 2)]), "row 1, column 0 is nan"),
        (lambda: manova(G1, G2[:3], blocked=True), "the same rows"),
        (lambda: manova(G1, G2, names=["a"]), "expected 2 names"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((DataError, DegenerateError, ParameterError), match=message):
        call()
