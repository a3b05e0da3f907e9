"""Queries between S and G: bisection, pools, and gaps that only shrink."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.errors import DataError
from assay.rules.version_spaces.active_query import active_queries, next_query
from assay.rules.version_spaces.version_space import VersionSpace


def gaps(space):
    s, g = space.specific.conditions[0], space.general[0].conditions[0]
    return s.low - g.low, g.high - s.high


@pytest.mark.capability("IML-2-24")
@settings(max_examples=40, deadline=None)
@given(st.floats(4.01, 9.99))
def test_bisection_halves_the_gap_with_each_query(end):
    """An interval [2, end): S = [2, 4], G = (2-, 10); only the upper gap is open, and each answer halves it."""
    space = VersionSpace.of([[2.0], [4.0], [10.0], [1.999]], [1, 1, 0, 0])
    width = gaps(space)[1]
    for _ in range(10):
        query = next_query(space)
        assert query.gain == pytest.approx(width / 2)
        space, asked = active_queries(space, lambda row: row[0] < end, 1)
        assert len(asked) == 1
        assert gaps(space)[1] == pytest.approx(width / 2)
        width = gaps(space)[1]
        s, g = space.specific.conditions[0], space.general[0].conditions[0]
        assert s.high < end <= g.high


@pytest.mark.capability("IML-2-24")
def test_a_positive_answer_extends_s_and_a_negative_one_shrinks_g():
    space = VersionSpace.of([[4.0, 5.0], [6.0, 5.5], [0.0, 5.0], [7.0, 5.0]], [1, 1, 0, 0])
    row = next_query(space, [[3.0, 5.0], [3.9, 5.0], [6.5, 5.2]])
    assert row.index == 0 and row.gain == 1
    yes, _ = active_queries(space, lambda row: True, 1, [[3.0, 5.0]])
    assert yes.specific.conditions[0].low == 3
    no, _ = active_queries(space, lambda row: False, 1, [[3.0, 5.0]])
    assert [G.conditions[0].low for G in no.general] == [3]


@pytest.mark.capability("IML-2-24")
def test_queries_from_a_pool_settle_every_row_of_it():
    rng = np.random.default_rng(0)
    pool = rng.uniform(0, 10, (200, 2))
    inside = ((pool > 3) & (pool < 7)).all(axis=1)
    start = [int(np.flatnonzero(inside)[0]), int(np.flatnonzero(~inside)[0])]
    space = VersionSpace.of(pool[start], [1, 0])
    space, asked = active_queries(space, lambda row: bool(((row > 3) & (row < 7)).all()), 200, pool)
    assert len(asked) < 60  # of 200
    assert next_query(space, pool) is None
    assert_array_equal(space.membership(pool), inside.astype(float))


def test_sides_without_an_end_are_tried_outwards():
    space = VersionSpace.of([[4.0], [6.0], [0.0]], [1, 1, 0])
    query = next_query(space)
    assert query.row.tolist() == [2.0]  # the lower gap is 4 wide, half of it as much as the width of S
    far, asked = active_queries(space, lambda row: 3.5 < row[0] < 20, 12)
    assert any(row.row[0] >= 20 for row, _ in asked) and np.isfinite(far.general[0].conditions[0].high)


def test_categories_count_as_one():
    frame = pd.DataFrame({"c": ["u", "v", "w"], "a": [1.0, 2.0, 9.0]})
    space = VersionSpace.of(frame, [1, 1, 0], nominal="set")
    assert next_query(space, pd.DataFrame({"c": ["w"], "a": [1.5]})).index == 0


def test_an_empty_space_and_a_settled_one():
    with pytest.raises(DataError, match="must not be empty"):
        next_query(VersionSpace.of([[1.0], [3.0], [2.0]], [1, 1, 0]))
    near = np.nextafter(1.0, 2.0)
    settled = VersionSpace.of([[1.0], [near], [np.nextafter(1.0, 0.0)]], [1, 0, 0])
    assert next_query(settled) is None and next_query(settled, [[1.0], [5.0]]) is None
    assert active_queries(settled, lambda row: True, 3)[1] == []
