"""Pairs from grades and clicks, and how many of them scores put in the wrong order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.linear.ranking.ranking_pairs import pairs_from_clicks, pairs_from_grades, ranking_error


@settings(max_examples=50, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=25))
def test_pairs_of_grades_are_all_that_differ_within_groups(rows):
    grades, group = np.array(rows).T
    meant = {
        (i, j)
        for i in range(len(rows))
        for j in range(len(rows))
        if group[i] == group[j] and grades[i] > grades[j]
    }
    result = pairs_from_grades(grades, group)
    assert len(result) == len(meant) and set(map(tuple, result.tolist())) == meant
    turned = pairs_from_grades(grades, group, best="lowest")
    assert {(j, i) for i, j in turned.tolist()} == meant
    if len(meant) > 3:
        some = pairs_from_grades(grades, group, max_pairs=3)
        assert len(some) == 3 and set(map(tuple, some.tolist())) <= meant


@pytest.mark.capability("IML-10-24")
def test_a_clicked_row_outranks_those_above_it_that_were_skipped():
    """The clicked third item outranks the first two; what stands below the last click is not compared."""
    assert pairs_from_clicks([10, 11, 12, 13], [12]).tolist() == [[12, 10], [12, 11]]
    assert pairs_from_clicks([[3, 1, 2], [4, 5]], [[2], [4]]).tolist() == [[2, 3], [2, 1]]
    assert pairs_from_clicks([1, 2, 3], [1, 3]).tolist() == [[3, 2]]
    assert pairs_from_clicks([1, 2], []).shape == (0, 2)
    with pytest.raises(DataError, match="the row number 9 was clicked, but not shown"):
        pairs_from_clicks([1, 2], [9])
    with pytest.raises(DataError, match="2 lists were shown, but 1 have clicks"):
        pairs_from_clicks([[1], [2]], [[1]])


@pytest.mark.capability("IML-10-24")
@settings(max_examples=40, deadline=None)
@given(g=st.lists(st.integers(-3, 3), min_size=2, max_size=12), margin=st.sampled_from([0.0, 1.0]))
def test_errors_are_counted_pair_by_pair(g, margin):
    pairs = pairs_from_grades(np.arange(len(g)))
    error = ranking_error(g, pairs, margin)
    gaps = [g[u] - g[v] for u, v in pairs]
    assert (error.pairs, error.violated, error.tied) == (len(gaps), sum(x < 0 for x in gaps), gaps.count(0))
    assert_allclose(error.hinge, sum(max(margin - x, 0) for x in gaps), rtol=1e-12)
    assert_allclose(error.share, (error.violated + error.tied / 2) / len(gaps), rtol=1e-12)


def test_many_pairs_are_counted_in_parts(monkeypatch):
    g, pairs = np.random.default_rng(0).normal(size=30), pairs_from_grades(np.arange(30))
    whole = ranking_error(g, pairs)
    monkeypatch.setattr("assay.linear.ranking.ranking_pairs.PAIRS_PER_BLOCK", 7)
    parts = ranking_error(g, pairs)
    assert (whole.violated, whole.tied) == (parts.violated, parts.tied)
    assert_allclose(parts.hinge, whole.hinge, rtol=1e-12)


def test_grades_that_are_none_are_refused():
    with pytest.raises(DataError, match="none missing"):
        pairs_from_grades([1.0, np.nan])
    with pytest.raises(DataError, match="2 rows, but group has shape"):
        pairs_from_grades([1.0, 2.0], group=[1, 2, 3])


@pytest.mark.parametrize("grades", [["a", "b"], [1.0, np.inf], [1, None], [[1.0], [2.0]]])
def test_grades_that_are_no_finite_numbers_are_refused(grades):
    with pytest.raises(DataError, match="one column of finite numbers"):
        pairs_from_grades(grades)


@pytest.mark.parametrize("wrong", [{"best": "hihgest"}, {"max_pairs": -1}])
def test_a_misspelt_order_is_refused(wrong):
    with pytest.raises(ParameterError, match="best must be 'highest' or 'lowest'"):
        pairs_from_grades([1, 2, 3], **wrong)


def test_groups_of_another_length_or_of_two_kinds_are_refused():
    with pytest.raises(DataError, match=r"3 rows, but group has shape \(2,\)"):
        pairs_from_grades([1, 2, 3], group=["a", "b"])
    with pytest.raises(DataError, match="labels of one kind"):
        pairs_from_grades([1, 2, 3], group=["a", None, "a"])


def test_scores_that_cannot_be_compared_are_refused():
    for g in (np.nan, np.inf):
        with pytest.raises(DataError, match="finite numbers"):
            ranking_error([g, 1.0], [[0, 1]])


def test_no_row_stands_above_itself():
    with pytest.raises(DataError, match=r"pairs\[1\] is \[2, 2\], which puts row 3 above itself"):
        ranking_error([1.0, 2.0, 3.0], [[0, 1], [2, 2]])
    with pytest.raises(
        DataError, match="pairs hold the row number 3; X has 3 rows, whose numbers are 0 to 2"
    ):
        ranking_error([1.0, 2.0, 3.0], [[0, 3]])
