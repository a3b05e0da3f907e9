"""Lists of item sets: ranked, thinned out, taken and joined."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.rules.associative.set_rules import SetRules, most_general


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=30)
def test_rules_that_hold_no_rule_before_them(seed):
    rng = np.random.default_rng(seed)
    some = [tuple(sorted(rng.choice(7, rng.integers(1, 5), replace=False).tolist())) for _ in range(60)]
    some = list(dict.fromkeys(some))
    zeros = np.zeros(len(some))
    rules = SetRules(
        np.cumsum([0, *map(len, some)]), np.array([i for s in some for i in s], np.int32), zeros, zeros, zeros
    )
    wanted = [not any(set(before) < set(s) for before in some[:r]) for r, s in enumerate(some)]
    assert_array_equal(most_general(rules), wanted)


def test_rank_by_confidence_then_support_then_length_then_place():
    rules = SetRules(
        np.array([0, 1, 3, 4, 5, 7, 8]),
        np.array([5, 0, 3, 2, 1, 0, 2, 4], np.int32),
        np.zeros(6, np.int32),
        np.array([1, 2, 2, 3, 2, 2.0]),
        np.array([2, 4, 4, 3, 4, 4.0]),
    )
    assert [rules.ranked()[r] for r in range(6)] == [(1,), (2,), (4,), (0, 2), (0, 3), (5,)]


def test_sets_are_taken_in_the_order_asked_for_and_joined():
    start, items = np.array([0, 1, 3, 3]), np.array([7, 2, 4], np.int32)
    rules = SetRules(start, items, np.arange(3), np.array([1.0, 2, 3]), np.array([2.0, 2, 3]))
    back = rules.take(np.array([2, 1, 0]))
    assert [back[r] for r in range(3)] == [(), (2, 4), (7,)]
    assert back.confidence.tolist() == [1.0, 1.0, 0.5]
    assert [rules.take(rules.size > 0)[r] for r in range(2)] == [(7,), (2, 4)]
    joined = SetRules.join([rules, back])
    assert [joined[r] for r in range(6)] == [(7,), (2, 4), (), (), (2, 4), (7,)]
    assert len(SetRules.join([])) == 0
