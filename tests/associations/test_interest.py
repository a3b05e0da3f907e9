"""Measures of interest: the books' numbers, neutral under independence, and what is symmetric stays so."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.associations.crossing import Crossing
from assay.associations.interest import MEASURES, interest
from assay.errors import DataError, ParameterError

# IML exercise 3.7: milk in 4 of 6 baskets, bananas in 2, chocolate in 5; milk and bananas 2, milk and chocolate 3.
EXERCISE = {
    "milk -> bananas": ((2, 4, 2, 6), (2 / 6, 2 / 4, 1.5)),
    "bananas -> milk": ((2, 2, 4, 6), (2 / 6, 2 / 2, 1.5)),
    "milk -> chocolate": ((3, 4, 5, 6), (3 / 6, 3 / 4, 0.9)),
    "chocolate -> milk": ((3, 5, 4, 6), (3 / 6, 3 / 5, 0.9)),
}


@pytest.mark.capability("IML-3-09")
@pytest.mark.parametrize("rule", EXERCISE)
def test_support_confidence_and_lift_of_the_exercise(rule):
    counts, expected = EXERCISE[rule]
    result = [interest(m, *counts) for m in ("support", "confidence", "lift")]
    assert_allclose(result, expected, rtol=1e-14)


@pytest.mark.capability("IML-3-10")
@settings(max_examples=100, deadline=None)
@given(a=st.integers(1, 40), b=st.integers(0, 40), c=st.integers(1, 40), d=st.integers(0, 40))
def test_independent_items_give_the_neutral_value(a, b, c, d):
    """X in a of a + b parts, Y in c of c + d parts, crossed: the counts are exactly independent."""
    n = (a + b) * (c + d)
    counts = (a * c, a * (c + d), (a + b) * c, n)
    for m in MEASURES.values():
        value = interest(m.name, *counts)
        if m.neutral is not None:
            assert_allclose(value, m.neutral, atol=1e-13, err_msg=m.name)
    assert_allclose(interest("confidence", *counts), counts[2] / n, rtol=1e-13)
    assert_allclose(interest("support", *counts), counts[1] / n * counts[2] / n, rtol=1e-13)
    assert_allclose(interest("cosine", *counts), np.sqrt(counts[1] / n * counts[2] / n), rtol=1e-13)


@st.composite
def tables(draw, low=0):
    """Counts of the four cells, at least one basket in all."""
    cells = [draw(st.integers(low, 30)) for _ in range(4)]
    if not sum(cells):
        cells[draw(st.integers(0, 3))] = 1
    both, only_x, only_y, neither = cells
    return both, both + only_x, both + only_y, sum(cells)


@pytest.mark.capability("IML-3-10")
@settings(max_examples=200, deadline=None)
@given(tables())
def test_every_measure_stays_in_its_range_and_is_never_undefined(counts):
    xy, x, y, n = counts
    for m in MEASURES.values():
        value = float(interest(m.name, *counts))
        assert not np.isnan(value), m.name
        assert m.low - 1e-12 <= value <= m.high + 1e-12, (m.name, value)
        if m.symmetric:
            assert_allclose(interest(m.name, xy, y, x, n), value, rtol=1e-9, atol=1e-12, err_msg=m.name)


@settings(max_examples=100, deadline=None)
@given(tables(low=1))
def test_measures_by_their_formulas_in_shares(counts):
    """The same formulas written in probabilities, as books print them; no cell is empty here."""
    xy, x, y, n = counts
    p, px, py = xy / n, x / n, y / n
    c, q = p / px, (py - p) / (1 - px)  # P(Y|X), P(Y|not X)
    only_x, only_y, neither = px - p, py - p, 1 - px - py + p
    odds = p * neither / (only_x * only_y)
    lev, chance = p - px * py, px * py + (1 - px) * (1 - py)
    cells = np.array([[p, only_x], [only_y, neither]])
    margins = np.outer(cells.sum(1), cells.sum(0))
    information = (cells * np.log2(cells / margins)).sum()
    books = {
        "recall": p / py,
        "coverage": px,
        "laplace": (xy + 1) / (x + 2),
        "lift": c / py,
        "leverage": lev,
        "added_value": c - py,
        "conviction": (1 - py) / (1 - c),
        "certainty_factor": (c - py) / (1 - py if c > py else py),
        "relative_risk": c / q,
        "odds_ratio": odds,
        "yule_q": (odds - 1) / (odds + 1),
        "yule_y": (np.sqrt(odds) - 1) / (np.sqrt(odds) + 1),
        "phi": lev / np.sqrt(px * py * (1 - px) * (1 - py)),
        "kappa": (p + neither - chance) / (1 - chance),
        "zhang": (c - q) / max(c, q),
        "klosgen": np.sqrt(p) * (c - py),
        "jaccard": p / (px + py - p),
        "kulczynski": (p / px + p / py) / 2,
        "all_confidence": p / max(px, py),
        "max_confidence": p / min(px, py),
        "imbalance_ratio": abs(px - py) / (px + py - p),
        "collective_strength": (p + neither) / chance * (1 - chance) / (1 - p - neither),
        "j_measure": p * np.log2(c / py) + only_x * np.log2((1 - c) / (1 - py)),
        "mutual_information": information,
        "gini": px * (c**2 + (1 - c) ** 2) + (1 - px) * (q**2 + (1 - q) ** 2) - py**2 - (1 - py) ** 2,
        "chi_square": n * ((cells - margins) ** 2 / margins).sum(),
    }
    for name, value in books.items():
        assert_allclose(interest(name, *counts), value, rtol=1e-9, atol=1e-12, err_msg=name)
    assert set(books) | {"support", "confidence", "cosine", "fisher_p"} == set(MEASURES)


def test_a_left_side_that_nobody_bought_is_no_evidence():
    assert interest("confidence", 0, 0, 3, 6) == 0
    assert interest("lift", 0, 0, 3, 6) == 1
    assert interest("conviction", 0, 0, 3, 6) == 1
    assert interest("leverage", 0, 0, 3, 6) == 0


def test_a_rule_without_exception_has_infinite_conviction():
    assert interest("conviction", 2, 2, 4, 6) == np.inf
    assert interest("odds_ratio", 2, 2, 2, 6) == np.inf
    assert interest("yule_q", 2, 2, 2, 6) == 1


@settings(max_examples=60, deadline=None)
@given(tables(), st.floats(0.01, 100), st.sampled_from([1.0, 1 + 1e-13, 1 - 1e-13]))
def test_weights_that_add_up_with_rounding_give_sound_values(counts, weight, rounding):
    xy, x, y, n = (weight * count for count in counts)
    for m in MEASURES.values():
        if m.name == "fisher_p":
            continue
        value = float(interest(m.name, xy * rounding, x, y * rounding, n))
        assert not np.isnan(value) and m.low - 1e-6 <= value <= m.high + 1e-6, (m.name, value)


def test_arrays_and_scalars_mix():
    assert_allclose(interest("confidence", [2, 3], [4, 4], [2, 5], 6), [0.5, 0.75])
    assert Crossing([1, 2], 2, 2, 4).neither.tolist() == [1, 2]


@pytest.mark.parametrize("counts", [(3, 2, 4, 6), (1, 2, 2, 0), (-1, 2, 2, 6), (1, 7, 2, 6), (0, 4, 4, 6)])
def test_counts_that_cannot_be_are_refused(counts):
    with pytest.raises(DataError, match="cannot be"):
        interest("lift", *counts)


def test_an_unknown_measure_is_refused_by_name():
    with pytest.raises(ParameterError, match=r"measure must be one of support, .* got 'surprise'"):
        interest("surprise", 1, 2, 2, 4)
