"""The space of all rows in pieces."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.rulebase.conditions import Condition, LinearCondition
from assay.rulebase.rules import Rule, RuleBase
from assay.rulebase.space import Space
from assay.tables import Column, Schema

SCHEMA = Schema([Column("x"), Column("job", "nominal", ("A", "B")), Column("z")])
EDGES = [0.0, 0.1, 1.0, math.nextafter(1.0, 2.0), -5e-324, 1e300, -1e300]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.builds(
            lambda a, b, closed: Condition(0, min(a, b), max(a, b), closed),
            *(st.sampled_from(EDGES),) * 2,
            st.sampled_from(["right", "left", "both", "neither"]),
        ),
        min_size=1,
        max_size=4,
    ),
    st.floats(allow_nan=True, allow_infinity=False),
)
def test_a_value_and_its_piece_meet_the_same_conditions(conditions, x):
    base = RuleBase(tuple(Rule((c,), "a") for c in conditions), SCHEMA, ("a", "b"))
    space = Space(base, True)
    for value in [x, *EDGES]:
        piece = space.piece(0, value)
        block = np.array([[value, 0.0, 0.0], [space.values[0][piece], 0.0, 0.0]])
        covered = base.covers_block(block)
        assert (covered[0] == covered[1]).all()
        assert [space.masks[r][0][piece] for r in range(len(conditions))] == covered[0].tolist()


def test_categories_and_missing_values_are_pieces():
    space = Space(RuleBase((Rule((Condition(1, codes=(1,)),), "a"),), SCHEMA, ("a", "b")), True)
    assert [space.piece(1, v) for v in (0.0, 1.0, math.nan, -1.0, 7.0)] == [0, 1, 2, 2, 2]


def test_pieces_make_intervals():
    space = Space(RuleBase((Rule((Condition(0, 1.0, 2.0),), "a"),), SCHEMA, ("a", "b")), True)
    mask = np.zeros(6, bool)  # below 1, 1, between, 2, above 2, missing
    mask[2:4] = True
    assert space.span(0, mask) == (1.0, False, 2.0, True)
    mask[:] = [True, True, False, False, False, False]
    assert space.span(0, mask) == (-math.inf, False, 1.0, True)
    mask[:] = [False, False, False, False, True, False]
    assert space.span(0, mask) == (2.0, False, math.inf, False)


weights = st.sampled_from([-2.0, -1.0, 0.5, 1.0, 3.0])
sums = st.builds(
    lambda a, b, t, up: LinearCondition(((0, a), (2, b)), **{"low" if up else "high": t}),
    weights,
    weights,
    st.sampled_from([-1.0, 0.0, 2.0]),
    st.booleans(),
)
halves = st.builds(
    lambda t, up: Condition(0, **{"low" if up else "high": t}), st.sampled_from([0.0, 1.0]), st.booleans()
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.one_of(sums, halves), min_size=1, max_size=2).map(tuple), min_size=1, max_size=3))
def test_sums_are_checked_as_rows_show(premises):
    base = RuleBase(tuple(Rule(premise, "a") for premise in premises), SCHEMA, ("a", "b"))
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.uniform(-9, 9, 400), np.zeros(400), rng.uniform(-9, 9, 400)])
    covered = base.covers_block(rows).sum(axis=1)
    for verdict, wrong in ((base.exclusive(missing=False), covered > 1), (base.exhaustive(), covered == 0)):
        if verdict.holds:
            assert not wrong.any()
        elif verdict.holds is False:
            row = np.array([[verdict.row.get("x", 0.0), 0.0, verdict.row.get("z", 0.0)]])
            n = base.covers_block(row).sum()
            assert n >= 2 if verdict.rules else n == 0
        else:
            assert "not decided" in str(verdict)
