"""Effects: the worked example, least squares, replicates, Lenth's margin, screening."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import t as T
from statsmodels.api import OLS

from assay.errors import DataError
from assay.experiments.designs.effects import effects
from assay.experiments.designs.factorial import full_factorial, plackett_burman, three_level
from assay.experiments.designs.fractional import fractional_factorial

# Oracle: IML 19.2.
RESPONSE = [60, 72, 54, 68, 52, 83, 45, 80]


@pytest.mark.capability("IML-19-01")
def test_worked_example():
    found = effects(full_factorial(["A", "B", "C"]), RESPONSE)
    wanted = {"A": 23, "B": -5, "C": 1.5, "AB": 1.5, "AC": 10, "BC": 0, "ABC": 0.5}
    assert found.mean == 64.25 and dict(zip(found.names, found.effect.tolist())) == wanted
    assert_allclose(found.ss, [1058, 50, 4.5, 4.5, 200, 0, 0.5], atol=1e-12)
    assert_allclose([found.total_ss, found.ss.sum()], 1317.5, rtol=1e-12)
    assert_allclose(found.contribution, found.ss / 1317.5, rtol=1e-12)


@pytest.mark.capability("IML-19-01")
def test_half_fraction_mixes_effects():
    # Oracle: IML 19.2: runs c, a, b, abc: A+BC 23, B+AC 5 (the sign is wrong because of AC), C+AB 3.
    found = effects(fractional_factorial(["A", "B", "C"], ["C=AB"]), [52, 72, 54, 80])
    assert dict(zip(found.names, found.effect.tolist())) == {"A+BC": 23, "B+AC": 5, "C+AB": 3}
    assert found["B"] == found["AC"] == 5
    other = effects(fractional_factorial(3, ["C=-AB"]), [60, 68, 83, 45])
    assert other.names == ("A-BC", "B-AC", "C-AB")
    with pytest.raises(KeyError):
        found["D"]


def test_lenths_margin_by_hand():
    """|e| sorted 0, .5, 1.5, 1.5, 5, 10, 23: s0 = 2.25, below 5.625 remain five, their median 1.5: PSE 2.25."""
    found = effects(full_factorial(3), RESPONSE)
    assert_allclose(found.pse, 2.25)
    assert_allclose(found.margin, T.ppf(0.975, 7 / 3) * 2.25, rtol=1e-10)
    assert_allclose(found.simultaneous_margin, T.ppf((1 + 0.95 ** (1 / 7)) / 2, 7 / 3) * 2.25, rtol=1e-10)
    assert found.active.tolist() == [True, False, False, False, True, False, False]
    assert np.isnan(found.standard_error) and found.df == 0


def test_half_normal_order():
    points = effects(full_factorial(3), RESPONSE).half_normal()
    assert [p[0] for p in points] == ["BC", "ABC", "C", "AB", "B", "AC", "A"]
    assert_allclose(points[-1][2], 1.8027430908, atol=1e-9)  # normal quantile of 1/2 + 6.5/14
    assert (np.diff([p[2] for p in points]) > 0).all()


@pytest.mark.parametrize("seed", range(3))
def test_replicates_give_the_t_tests_of_least_squares(seed):
    """Peer: statsmodels 0.15, OLS on the product columns: a coefficient is half an effect."""
    rng = np.random.default_rng(seed)
    design = full_factorial(3)
    Y = rng.normal(size=(8, 3)) + design.coded[:, :1]
    found = effects(design, Y)
    a, b, c = np.repeat(design.coded, 3, axis=0).T
    peer = OLS(Y.ravel(), np.column_stack([a * 0 + 1, a, b, c, a * b, a * c, b * c, a * b * c])).fit()
    assert_allclose(found.effect, 2 * peer.params[1:], rtol=1e-10)
    assert_allclose(found.standard_error, 2 * peer.bse[1], rtol=1e-10)
    assert_allclose(found.p, peer.pvalues[1:], rtol=1e-8)
    again = effects(full_factorial(3, replicates=3), Y.T.ravel())
    assert_allclose(again.p, found.p, rtol=1e-9)


@given(st.integers(0, 1000), st.integers(2, 5))
@settings(max_examples=25, deadline=None)
def test_sums_of_squares_add_up_to_the_total(seed, F):
    y = np.random.default_rng(seed).normal(size=2**F)
    found = effects(full_factorial(F), y)
    assert len(found.names) == 2**F - 1
    assert_allclose(found.ss.sum(), found.total_ss, rtol=1e-10)
    fraction = fractional_factorial(6, resolution=4)
    part = effects(fraction, y[:16] if F >= 4 else np.resize(y, 16))
    assert_allclose(part.ss.sum(), part.total_ss, rtol=1e-9)


def test_few_effects_are_called_active_where_there_is_noise_only():
    """Lenth's margin: about alpha per effect, of 15 effects of pure noise."""
    rng = np.random.default_rng(3)
    share = np.mean([effects(full_factorial(4), rng.normal(size=16)).active.mean() for _ in range(600)])
    assert 0.03 < share < 0.06


def test_screening_finds_the_large_ones():
    design = plackett_burman(11)
    y = 10 + 4 * design.coded[:, 2] - 3 * design.coded[:, 7] + np.random.default_rng(0).normal(size=12) * 0.3
    found = effects(design, y)
    assert np.argsort(-np.abs(found.effect))[:2].tolist() == [2, 7]
    assert_allclose(found.effect[[2, 7]], [8, -6], atol=0.7)
    assert len(found.entangled) == 55 and "mixed in parts" in found.why


def test_degenerate_responses_have_an_answer():
    same = effects(full_factorial(2), [3, 3, 3, 3])
    assert (same.effect == 0).all() and (same.contribution == 0).all() and (same.p == 1).all()
    exact = effects(full_factorial(2), [[0, 0], [1, 1], [0, 0], [1, 1]])
    assert exact.p.tolist() == [0, 1, 1] and "no error at all" in exact.why
    one = effects(full_factorial(1), [1, 2])
    assert one["A"] == 1 and np.isnan(one.p).all() and "fewer than three effects" in one.why


@pytest.mark.parametrize(
    ("design", "response", "message"),
    [
        (full_factorial(2), [1, 2, 3], r"one response per run \(4\)"),
        (full_factorial(2), [1, 2, 3, np.nan], "Repeat that run"),
        (three_level(2), np.arange(9), "at -1 or 1 in every run"),
        (np.ones((4, 1)), np.arange(4), "high in half of the runs"),
        (
            np.array([[-1, -1], [1, 1], [-1, 1], [1, -1], [-1, -1], [1, 1.0]]),
            np.arange(6),
            "column of B is not orthogonal",
        ),
        (np.empty((0, 2)), [], "coded table"),
        (full_factorial(2), "abcd", "response: expected numbers, got str"),
        ("x", [1], "design: expected numbers, got str"),
    ],
)
def test_bad_input_is_named(design, response, message):
    with pytest.raises(DataError, match=message):
        effects(design, response)


def test_rounding_is_no_effect():
    """Tenths that add up: no interaction at all, though its sum is 1e-17."""
    found = effects(full_factorial(3), np.arange(8) / 10)
    assert_allclose(found.effect[3:], 0, atol=0)
    assert (found.p[3:] == 1).all() and (found.p[:3] == 0).all()


def test_many_factors_have_all_their_effects():
    y = np.random.default_rng(0).normal(size=1024)
    found = effects(full_factorial(10), y)
    assert len(found.names) == 1023
    assert_allclose(found.ss.sum(), found.total_ss, rtol=1e-10)  # orthogonal, and nothing is left over
    y = np.random.default_rng(0).normal(size=2**13)
    few = effects(full_factorial(13), y)
    assert len(few.names) <= 5000 and "left out" in few.why


def test_responses_whose_squares_vanish_are_refused():
    for size in (1e200, 1e-200):
        with pytest.raises(DataError, match="whose square no float holds"):
            effects(full_factorial(3), np.arange(8) * size)
