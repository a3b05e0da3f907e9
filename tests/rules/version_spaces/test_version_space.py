"""Version spaces of boxes: S, the G-set, doubt, and the box with the widest margin between them."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.errors import DataError, DegenerateError, ParameterError
from assay.rulebase.conditions import Condition
from assay.rulebase.rules import Rule
from assay.rules.version_spaces.box import Box, limited
from assay.rules.version_spaces.version_space import VersionSpace, tightest_and_widest
from assay.tables import Column, Schema

# IML 2.1: the nine points, positives first; the domain is [0, 10] x [0, 10].
CARS = np.array([[3, 3], [4, 5], [6, 4], [5, 6], [1, 4], [8, 5], [4, 1], [5, 9], [8, 8]], float)
KIND = np.array([1] * 4 + [0] * 5)
NEAR = np.vstack([CARS, [7, 7.5]]), np.append(KIND, 0)


def ends(box):
    """The ends of a box on two ordered columns: lows and highs by column."""
    return [(c.low, c.high, c.closed) for c in box.conditions]


@pytest.mark.capability("IML-2-01")
def test_the_tightest_box_of_the_nine_points():
    S = VersionSpace.of(CARS, KIND).specific
    assert ends(S) == [(3, 6, "both"), (3, 6, "both")]


@pytest.mark.capability("IML-2-02")
def test_one_general_box_and_two_after_a_near_miss():
    assert [ends(G) for G in VersionSpace.of(CARS, KIND).general] == [[(1, 8, "neither"), (1, 9, "neither")]]
    two = [ends(G) for G in VersionSpace.of(*NEAR).general]
    assert two == [[(1, 7, "neither"), (1, 9, "neither")], [(1, 8, "neither"), (1, 7.5, "neither")]]


@pytest.mark.capability("IML-2-03")
def test_the_middle_box_and_boxes_weighed_by_costs():
    """[2, 7] x [2, 7.5]; with the near miss the second general box leaves the wider margin, 0.75 against 0.5."""
    space = VersionSpace.of(CARS, KIND)
    assert ends(space.between()) == [(2, 7, "both"), (2, 7.5, "both")]
    assert space.between(0) == space.specific and space.between(1) == space.general[0]
    assert ends(space.between(0.75)) == [(1.5, 7.5, "both"), (1.5, 8.25, "both")]
    near = VersionSpace.of(*NEAR)
    assert ends(near.between()) == [(2, 7, "both"), (2, 6.75, "both")]
    assert near.margin(near.between()) == 0.75


@pytest.mark.capability("IML-2-04")
def test_rows_in_s_are_positive_rows_outside_every_g_negative_all_others_in_doubt():
    space = VersionSpace.of(*NEAR)
    rows = [[3, 6], [6.5, 8], [7.5, 7], [7.5, 8], [1, 4], [7, 4], [2, 2]]
    assert_array_equal(space.membership(rows), [1, 0.5, 0.5, 0, 0, 0.5, 0.5])  # (7, 4) is in the second G
    assert_array_equal(space.doubt(rows), space.membership(rows) == 0.5)


@pytest.mark.capability("IML-2-04")
def test_a_hypothesis_is_consistent_if_it_lies_between_s_and_a_general_box():
    space = VersionSpace.of(*NEAR)
    assert space.consistent(space.specific) and all(map(space.consistent, space.general))
    assert space.consistent(Rule((Condition(0, 2, 7.9, "both"), Condition(1, 2, 7.4, "both")), 1))
    assert not space.consistent(
        [Condition(0, 2, 7.9, "both"), Condition(1, 2, 8, "both")]
    )  # holds the near miss
    assert not space.consistent(Box((Condition(0, 3, 5.5, "both"),)))  # misses a positive
    assert not space.consistent(Box())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_general_boxes_are_those_of_the_full_enumeration(seed):
    """Every combination of a negative's coordinate or infinity on each side, without negatives, none in another."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 7, (int(rng.integers(2, 9)), 2)).astype(float)
    X[0] = 3
    y = (np.abs(X - 3).max(axis=1) <= 1).astype(int)
    space = VersionSpace.of(X, y, positive=1)
    P, N = X[y == 1], X[y == 0]
    low, high = P.min(axis=0), P.max(axis=0)
    sides = [sorted({-np.inf, *N[N[:, j] < low[j], j]}) for j in (0, 1)]
    sides += [sorted({np.inf, *N[N[:, j] > high[j], j]}) for j in (0, 1)]
    free = [
        np.array(c)
        for c in itertools.product(*sides)
        if not ((np.array(c[:2]) < N) & (np.array(c[2:]) > N)).all(axis=1).any()
    ]
    # a box lies in another if all its sides are further in
    outward = [np.concatenate([-c[:2], c[2:]]) for c in free]
    largest = [c for a, c in zip(outward, free) if not any((b >= a).all() and (b > a).any() for b in outward)]
    result = {
        tuple((lambda c: (c.low, c.high) if c else (-np.inf, np.inf))(G.on(j)) for j in (0, 1))
        for G in space.general
    }
    assert result == {((c[0], c[2]), (c[1], c[3])) for c in largest}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_the_widest_box_is_one_of_the_general_boxes_and_none_has_a_larger_smallest_gap(seed, d):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, d))
    X[0] = 0
    y = (np.abs(X).max(axis=1) < 0.8).astype(int)
    space = VersionSpace.of(X, y, positive=1)
    S, G, inside, _ = tightest_and_widest(X, y == 1, space.schema, "value", "own")
    assert space.specific == S and not len(inside)
    assert G in space.general
    assert space.margin(G) == max(map(space.margin, space.general))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_rows_that_define_the_box_give_it_alone(seed):
    """IML 2.1: all other instances may be deleted without changing the hypothesis."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 9, (40, 3)).astype(float)
    y = (np.abs(X - 4).max(axis=1) <= 2).astype(int)
    X, y = np.vstack([X, [[4, 4, 4]]]), np.append(y, 1)
    schema = Schema.numeric(3)
    S, G, _, support = tightest_and_widest(X, y == 1, schema, "set", "own")
    again = tightest_and_widest(X[support], y[support] == 1, schema, "set", "own")
    assert again[:2] == (S, G)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_every_box_between_agrees_with_the_rows(seed, tau):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(30, 3)), 1)
    X[0] = 0
    y = (np.abs(X).max(axis=1) <= 0.9).astype(int)
    space = VersionSpace.of(X, y, positive=1)
    h = space.between(tau)
    assert_array_equal(h.covers(X), y == 1)
    assert space.consistent(h)


def test_a_negative_in_s_empties_the_space_and_is_named():
    space = VersionSpace.of([[1.0], [5.0], [3.0], [9.0]], ["in", "in", "out", "out"], positive="in")
    assert space.empty and space.conflicts == (2,) and not space.general
    assert str(space) == "S: 1 <= x0 <= 5\nNo box agrees with all rows: row 3 of another class in S."
    assert not space.consistent(space.specific)
    assert_array_equal(space.membership([[2.0], [8.0]]), [1, 0])
    with pytest.raises(DataError, match="the space is empty"):
        space.between()


def test_a_domain_stops_sides_that_no_negative_sets():
    frame = pd.DataFrame({"a": [2.0, 4.0, 9.0]})
    space = VersionSpace.of(frame, [1, 1, 0], domain={"a": (0, 10)})
    assert ends(space.general[0]) == [(0, 9, "left")]
    assert ends(space.between()) == [(1, 6.5, "both")]
    with pytest.raises(DataError, match="row 3 has a = 9, outside of its domain"):
        VersionSpace.of(frame, [1, 1, 0], domain={"a": (0, 8)})
    with pytest.raises(ParameterError, match="domain names the column 'b'"):
        VersionSpace.of(frame, [1, 1, 0], domain={"b": (0, 8)})
    assert limited(Box(), None, space.schema, "x") == Box()


def test_categories_as_one_value_or_any_and_as_sets():
    frame = pd.DataFrame({"colour": ["red", "red", "blue", "green"], "size": [1.0, 2.0, 1.5, 9.0]})
    one = VersionSpace.of(frame, [1, 1, 0, 0])
    assert [G.words(one.schema) for G in one.general] == ["colour = 'red'"]
    several = VersionSpace.of(frame, [1, 1, 0, 0], nominal="set")
    assert {G.words(several.schema) for G in several.general} == {
        "colour = 'red'",
        "colour in {'green', 'red'} AND size < 9",
    }
    mixed = VersionSpace.of(frame, [1, 0, 1, 0])
    assert mixed.conflicts == () and mixed.specific.words(mixed.schema) == "1 <= size <= 1.5"


def test_the_list_of_general_boxes_is_limited():
    X = np.random.default_rng(0).normal(size=(200, 10))
    y = (np.abs(X) < 1.5).all(axis=1).astype(int)
    with pytest.raises(DegenerateError, match="more than 500 most general boxes"):
        VersionSpace.of(X, y, limit=500)


def test_what_cannot_be_a_version_space_is_refused():
    with pytest.raises(ParameterError, match="say which one is positive"):
        VersionSpace.of([[1], [2], [3]], ["a", "b", "c"])
    with pytest.raises(ParameterError, match="positive is 7"):
        VersionSpace.of([[1], [2]], [0, 1], positive=7)
    with pytest.raises(DataError, match="column x0 has 1 missing value"):
        VersionSpace.of([[1.0], [np.nan]], [0, 1])
    with pytest.raises(ParameterError, match="nominal must be"):
        VersionSpace.of([[1], [2]], [0, 1], nominal="all")
    with pytest.raises(TypeError, match="conditions on one column"):
        VersionSpace.of([[1], [2]], [0, 1]).consistent(["x > 1"])


def test_missing_values_of_positives_are_admitted_and_of_negatives_keep_them_out():
    schema = Schema([Column("a"), Column("b")])
    X = np.array([[1.0, np.nan], [2.0, 5.0], [np.nan, 5.0], [1.5, np.nan]])
    S, G, inside, _ = tightest_and_widest(X, np.array([True, True, False, False]), schema, "set", "own")
    assert_array_equal(S.covers(X), [True, True, False, True])
    assert_array_equal(inside, [3])  # it lies in S: b may be missing
    assert_array_equal(G.covers(X), [True, True, False, True])
    assert G.words(schema) == "a is known"
