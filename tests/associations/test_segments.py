"""P(Y|X), P(Y|X, D) and P(Y|X1, ..., Xk): counts of the book, and counting by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import chi2_contingency

from assay.associations import Baskets
from assay.associations.segments import association, pairwise_associations, segment_associations
from assay.associations.set_counts import count_sets
from assay.errors import DataError, ParameterError

EXERCISE = [
    ["milk", "bananas", "chocolate"],
    ["milk", "chocolate"],
    ["milk", "bananas"],
    ["chocolate"],
    ["chocolate"],
    ["milk", "chocolate"],
]
lists = st.lists(st.lists(st.sampled_from("abcde"), max_size=5), min_size=1, max_size=15).filter(any)


@pytest.mark.capability("IML-1-02")
def test_associations_of_the_exercise():
    baskets = Baskets.from_lists(EXERCISE)
    result = association(baskets, "milk", "chocolate")
    assert (result.xy, result.x, result.y, result.n) == (3, 4, 5, 6)
    assert_allclose([result.support, result.confidence, result.lift], [0.5, 0.75, 0.9])
    table = pairwise_associations(baskets).to_frame()
    assert_allclose(table.loc["milk", "bananas"], 2 / 4)
    assert_allclose(table.loc["bananas", "milk"], 2 / 2)
    assert_allclose(table.loc["chocolate", "milk"], 3 / 5)


@pytest.mark.capability("IML-1-02")
def test_associations_within_segments():
    """Beer in 10 baskets: of the 6 of men 5 hold chips, of the 4 of women 2; 7 of 10 in all."""
    lists = [["beer", "chips"]] * 5 + [["beer"]] + [["beer", "chips"]] * 2 + [["beer"]] * 2 + [["tea"]] * 4
    gender = ["m"] * 6 + ["f"] * 4 + ["m", "f", None, "f"]
    result = segment_associations(Baskets.from_lists(lists), "beer", "chips", gender)
    assert result.overall.confidence == 0.7
    assert_allclose([result["m"].confidence, result["f"].confidence], [5 / 6, 2 / 4])
    assert (result["m"].n, result["f"].n, result.overall.n) == (7, 6, 14)
    peer = chi2_contingency([[5, 1], [2, 2]], correction=False).pvalue
    assert_allclose(result.p, peer)
    assert "do not differ significantly" in str(result)
    assert result.to_frame()["segment"].tolist() == ["f", "m", "all"]


def test_segments_from_a_table_of_attributes():
    baskets = Baskets.from_lists([["a", "b"], ["a"], ["a", "b"], ["b"]])
    table = pd.DataFrame({"gender": ["f", "m", "f", None], "age": [20, 50, 60, 30]})
    result = segment_associations(baskets, "a", "b", table, cuts={"age": [40]})
    assert [one.segment for one in result.segments] == [
        "gender = 'f'",
        "gender = 'm'",
        "age <= 40",
        "age > 40",
    ]
    assert result["gender = 'f'"].confidence == 1 and result["age > 40"].confidence == 0.5
    assert result.p is None  # a basket is in several segments


@pytest.mark.capability("IML-3-13")
@settings(max_examples=80, deadline=None)
@given(
    lists,
    st.sets(st.sampled_from("abcde"), max_size=3),
    st.sets(st.sampled_from("abcde"), min_size=1, max_size=2),
)
def test_several_antecedents_by_counting(baskets, left, right):
    """IML exercise 3.8: confidence and support of P(Y|X1, ..., Xk), counted basket by basket."""
    known = {name for one in baskets for name in one}
    left, right = left & known, (right & known) or {min(known)}
    xy = sum(left | right <= set(one) for one in baskets)
    x = sum(left <= set(one) for one in baskets)
    result = association(Baskets.from_lists(baskets), sorted(left), sorted(right))
    assert (result.xy, result.x, result.n) == (xy, x, len(baskets))
    assert_allclose(result.confidence, xy / x if x else 0)
    assert_allclose(result.support, xy / len(baskets))


@settings(max_examples=40, deadline=None)
@given(lists, st.booleans())
def test_pairs_are_single_associations(baskets, weighted):
    weights = np.arange(1.0, len(baskets) + 1) if weighted else None
    table = Baskets.from_lists(baskets, weights=weights)
    pairs = pairwise_associations(table)
    for i, a in enumerate(table.items):
        for j, b in enumerate(table.items):
            one = association(table, a, b)
            assert_allclose(pairs.counts[i, j], one.xy)
            assert_allclose(pairs.measure("lift")[i, j], one.lift)
    assert_allclose(count_sets(table, [[name] for name in table.items]), table.counts)


def test_nobody_in_a_segment_buys_x():
    result = segment_associations(Baskets.from_lists([["a", "b"], ["b"], ["b"]]), "a", "b", ["u", "v", "v"])
    assert result["v"].confidence == 0 and result["v"].x == 0 and result.p is None


def test_an_association_reads_as_a_probability():
    baskets = Baskets.from_lists([["beer", "chips"]] * 7 + [["beer"]] * 3)
    assert str(association(baskets, "beer", "chips")) == "P(chips | beer) = 0.7 (7 of 10 baskets; lift 1)"
    assert str(association(baskets, [], "chips")).startswith("P(chips) = 0.7")


def test_what_does_not_fit_is_said():
    baskets = Baskets.from_lists([["a"], ["a", "b"]])
    with pytest.raises(ParameterError, match="there is no item 'beer'"):
        association(baskets, "beer", "a")
    with pytest.raises(DataError, match="2 baskets need as many labels, got 1"):
        segment_associations(baskets, "a", "b", ["x"])
    with pytest.raises(DataError, match="2 baskets need as many rows of attributes, got 1"):
        segment_associations(baskets, "a", "b", pd.DataFrame({"g": ["m"]}))
    with pytest.raises(DataError, match="there is no segment 'z'"):
        segment_associations(baskets, "a", "b", ["x", "y"])["z"]
