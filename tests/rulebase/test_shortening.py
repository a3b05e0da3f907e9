import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.rulebase.conditions import Condition
from assay.rulebase.measures import penalised_error
from assay.rulebase.shortening import ORDERS, single_conditions, without_needless

# Oracle: worked by hand. Ten rows, the first four are right; condition a keeps rows 0-4, b rows 0-3, c rows 0-1.
RIGHT = np.arange(10) < 4
FAILED = [np.arange(10) > 4, np.arange(10) > 3, np.arange(10) > 1]


def error(rows, m):
    return float(penalised_error((rows & ~RIGHT).sum(), rows.sum(), m))


@pytest.mark.capability("DC-55")
def test_the_three_orders_of_the_worked_example():
    """abc: 1.5/2 = 0.75; ab: 1/4; a: (1 + 0.5)/5 = 0.3; b: 0.5/4 = 0.125; ac, bc: 1/2; c: 0.5/2 = 0.25."""
    assert without_needless(FAILED, 10, error, order="greedy") == (
        [1],
        0.125,
    )  # c goes (0.25), then a (0.125)
    assert without_needless(FAILED, 10, error, order="any") == (
        [2],
        0.25,
    )  # a goes (0.5), then b (0.25), not c
    assert without_needless(FAILED, 10, error, order="reverse") == ([1], 0.125)  # c, not b (0.3), then a


def test_reverse_tries_each_condition_once():
    tried = []

    def estimate(rows, m):
        tried.append(m)
        return 0.0 if m == 3 else 1.0

    assert without_needless(FAILED, 10, estimate, order="reverse")[0] == [0, 1, 2]
    assert tried == [3, 2, 2, 2]


def test_a_condition_that_changes_nothing_goes_only_if_equal_is_enough():
    same = [FAILED[1], FAILED[1]]
    plain = lambda rows, m: float((rows & ~RIGHT).sum() / rows.sum())  # noqa: E731
    for order in ORDERS:
        assert len(without_needless(same, 10, plain, order=order, equal=True, least=1)[0]) == 1
        assert len(without_needless(same, 10, plain, order=order, equal=False, least=1)[0]) == 2


@given(seed=st.integers(0, 2**32 - 1), order=st.sampled_from(ORDERS), equal=st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_error_never_rises_and_is_that_of_the_conditions_kept(seed, order, equal):
    draw = np.random.default_rng(seed)
    right, failed = draw.random(40) < 0.5, [draw.random(40) < 0.3 for _ in range(5)]
    estimate = lambda rows, m: float(penalised_error((rows & ~right).sum(), rows.sum(), m))  # noqa: E731
    kept, error = without_needless(failed, 40, estimate, order=order, equal=equal, least=1)
    inside = ~np.any([failed[i] for i in kept], axis=0)
    assert kept == sorted(kept) and len(kept) >= 1
    assert error == estimate(inside, len(kept))
    assert error <= estimate(~np.any(failed, axis=0), 5) + 1e-12
    if order == "greedy" and len(kept) > 1:  # no single condition is left that could go
        for i in kept:
            rest = ~np.any([failed[j] for j in kept if j != i], axis=0)
            assert estimate(rest, len(kept) - 1) >= error - 1e-12


def test_an_interval_is_two_conditions():
    assert single_conditions(Condition(0, 1.0, 2.0)) == [Condition(0, low=1.0), Condition(0, high=2.0)]
    assert single_conditions(Condition(0, high=2.0)) == [Condition(0, high=2.0)]
    assert single_conditions(Condition(0, codes=(1, 2))) == [Condition(0, codes=(1, 2))]
