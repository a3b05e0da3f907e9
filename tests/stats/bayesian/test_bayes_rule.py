from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.stats import bayes_rule, bayes_rule_from_counts, bayes_theorem

# Oracle: C3 3.1.1, tables 3-2 to 3-5 (ten apples), fractions counted by hand.
TASTE = {
    "Fuji": {"sweet": F(2, 6), "sour-sweet": F(4, 6)},
    "Guoguang": {"sweet": F(1, 4), "sour-sweet": F(3, 4)},
}
VARIETY = {"Fuji": F(6, 10), "Guoguang": F(4, 10)}
TASTE_AND_SHAPE = {
    "Fuji": {("sweet", "round"): 2, ("sour-sweet", "round"): 1, ("sour-sweet", "oblate"): 3},
    "Guoguang": {("sweet", "oblate"): 1, ("sour-sweet", "oblate"): 3},
}


@pytest.mark.capability("C3-01")
def test_apples_by_taste_in_exact_fractions():
    apples = bayes_rule(VARIETY, TASTE)
    assert apples.exact
    assert dict(zip(apples.rows, apples.evidence)) == {"sweet": F(3, 10), "sour-sweet": F(7, 10)}
    query = apples["sour-sweet"]
    assert list(query.joint) == [F(4, 10), F(3, 10)]
    assert list(query.posterior) == [F(4, 7), F(3, 7)]
    assert query.decision == "Fuji"
    assert query.ties == ("Fuji",)
    assert query.error == F(3, 7)
    assert all(isinstance(value, F) for value in query.posterior)


@pytest.mark.capability("C3-01")
def test_apples_by_taste_and_shape_tie():
    apples = bayes_rule_from_counts(TASTE_AND_SHAPE)
    query = apples["sour-sweet", "oblate"]
    assert list(query.joint) == [F(3, 10), F(3, 10)]
    assert query.evidence == F(6, 10)
    assert query.ties == ("Fuji", "Guoguang")
    assert query.decision == "Fuji"  # the first class
    assert list(apples["sweet", "oblate"].joint) == [0, F(1, 10)]
    assert apples.mean_error == F(3, 10)  # all other cells are pure


def test_counts_and_probabilities_agree():
    counts = {"Fuji": {"sweet": 2, "sour-sweet": 4}, "Guoguang": {"sweet": 1, "sour-sweet": 3}}
    by_counts, by_fractions = bayes_rule_from_counts(counts), bayes_rule(VARIETY, TASTE)
    assert (by_counts.posterior == by_fractions.posterior).all()
    listed = bayes_rule_from_counts({"a": {"x": 2, "y": 0}, "b": {"x": 1, "y": 3}})
    unlisted = bayes_rule_from_counts({"a": {"x": 2}, "b": {"x": 1, "y": 3}})
    assert (listed.posterior == unlisted.posterior).all()
    # average error: sweet loses 1/10, sour-sweet 3/10
    assert by_counts.mean_error == F(4, 10)


@pytest.mark.capability("DC-65")
def test_theorem_for_two_events():
    # DC example 10.5.1 (printed): P(E) = P(D) = 6/11, P(E|D) = 5/6
    assert bayes_theorem(prior=F(6, 11), likelihood=F(5, 6), evidence=F(6, 11)) == F(5, 6)
    assert_allclose(bayes_theorem(6 / 11, 5 / 6, 6 / 11), 5 / 6, rtol=1e-15)
    # the same by counting the table: 5 of the 6 older people donate, 1 of 5 others
    direct = bayes_rule_from_counts({"donor": {"old": 5, "young": 1}, "other": {"old": 1, "young": 4}})
    assert direct["old"].posterior[0] == F(5, 6)


@pytest.mark.capability("IML-3-02")
def test_rare_disease():
    # IML exercise 3.1 (printed 0.00098902)
    result = bayes_rule({"ill": 1e-6, "well": 1 - 1e-6}, {"ill": 0.99, "well": 1e-3})
    assert_allclose(result.posterior[0], 0.0009890218573830, rtol=1e-12)
    exact = bayes_rule({"ill": F(1, 10**6), "well": 1 - F(1, 10**6)}, {"ill": F(99, 100), "well": F(1, 1000)})
    assert_allclose(result.posterior[0], float(exact.posterior[0]), rtol=1e-12)


def test_log_likelihoods_of_long_products_survive():
    # e^-2000 is 0 in floating point; the ratio e^1 : 1 is not
    result = bayes_rule([0.5, 0.5], [-2000.0, -2001.0], log=True)
    assert_allclose(result.posterior, [np.e / (1 + np.e), 1 / (1 + np.e)], rtol=1e-12)


def test_rows_of_an_array():
    result = bayes_rule([0.5, 0.5], [[0.2, 0.6], [0.3, 0.3]])
    assert_allclose(result.posterior, [[0.25, 0.75], [0.5, 0.5]], rtol=1e-15)
    assert result.decision == [1, 0]
    assert result.ties == [(1,), (0, 1)]
    assert_allclose(result.error, [0.25, 0.5])
    with pytest.raises(ValueError, match="values are missing"):
        _ = result.mean_error


@given(
    priors=st.lists(st.integers(1, 50), min_size=2, max_size=5),
    data=st.data(),
)
@settings(max_examples=60, deadline=None)
def test_floats_agree_with_fractions_and_posteriors_sum_to_one(priors, data):
    K = len(priors)
    table = data.draw(st.lists(st.lists(st.integers(0, 50), min_size=K, max_size=K), min_size=1, max_size=4))
    table = [row for row in table if any(row)] or [[1] * K]
    P = [F(p, sum(priors)) for p in priors]
    L = [[F(v, 51) for v in row] for row in table]
    exact = bayes_rule(P, L)
    rough = bayes_rule([float(p) for p in P], [[float(v) for v in row] for row in L])
    assert exact.exact and not rough.exact
    assert all(sum(row) == 1 for row in exact.posterior)
    assert_allclose(rough.posterior, exact.posterior.astype(float), rtol=1e-12)
    assert_allclose(rough.evidence, exact.evidence.astype(float), rtol=1e-12)
    assert rough.ties == exact.ties  # a tie in fractions is a tie in floats


def test_shown_with_its_numbers():
    assert str(bayes_rule(VARIETY, TASTE)["sweet"]).splitlines() == [
        "evidence 3/10",
        "  Fuji: prior 3/5 x likelihood 1/3 = 1/5, posterior 2/3",
        "  Guoguang: prior 2/5 x likelihood 1/4 = 1/10, posterior 1/3",
    ]


@pytest.mark.parametrize(
    ("priors", "likelihoods", "message"),
    [
        ([0.5, 0.6], [1, 1], "sum to 1"),
        ([6, 4], [1, 1], "Divide counts"),
        ([1.5, -0.5], [1, 1], "sum to 1"),
        ([0.5, 0.5], [1, 1, 1], "2 likelihoods a row"),
        ([0.5, 0.5], [1.0, -1.0], "not negative"),
        ([F(1, 2), F(1, 2)], [F(1), F(-1)], "not negative"),
        ([0.5, 0.5], [1.0, np.nan], "finite"),
        ({"a": 0.5, "b": 0.5}, {"a": 0.5, "c": 0.5}, "'c'"),
        ({"a": 0.5, "b": 0.5}, {"a": {"x": 1.0}, "b": {"y": 1.0}}, "expected"),
        ({"a": 0.5, "b": 0.5}, {"a": {"x": 0.9}, "b": {"x": 1.0}}, "sum to 0.9"),
    ],
)
def test_bad_input_is_named(priors, likelihoods, message):
    with pytest.raises(ValueError, match=message):
        bayes_rule(priors, likelihoods)


def test_impossible_theorem_is_refused():
    with pytest.raises(ValueError, match="more than the effect alone"):
        bayes_theorem(prior=F(9, 10), likelihood=F(9, 10), evidence=F(1, 2))
    with pytest.raises(ValueError, match="evidence is 0"):
        bayes_theorem(prior=0.5, likelihood=0.0, evidence=0.0)
    with pytest.raises(ValueError, match="likelihood must be"):
        bayes_theorem(prior=0.5, likelihood=1.5, evidence=0.9)


def test_bad_counts_are_named():
    for counts in ({"x": 0}, {}, {"x": -1, "y": 3}):
        with pytest.raises(ValueError, match="class 'a' needs positive counts"):
            bayes_rule_from_counts({"a": counts, "b": {"x": 1}})


def test_unknown_row_is_named():
    with pytest.raises(KeyError, match="no row 'bitter'"):
        bayes_rule(VARIETY, TASTE)["bitter"]
