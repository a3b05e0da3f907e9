"""Which rules fire: the native code does what the conditions say, whatever they are."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import assay.rulebase._firing as native
from assay.rulebase import firing
from assay.rulebase.conditions import Condition, LinearCondition
from assay.rulebase.firing import Firing
from assay.rulebase.rules import Rule, RuleBase
from assay.tables import Schema

EDGES = [-math.inf, -1.0, 0.0, 1.0, 5e-324, 2.5, 63.0, 64.0, 1e308, math.inf]
CELLS = [*EDGES[1:-1], math.nan, -0.0, -5e-324, math.nextafter(2.5, 9), math.nextafter(2.5, 0), 130.0, 0.5]

intervals = st.builds(
    Condition,
    st.integers(0, 2),
    st.sampled_from(EDGES),
    st.sampled_from(EDGES),
    st.sampled_from(["right", "left", "both", "neither"]),
    st.none(),
    st.booleans(),
)
sets = st.builds(
    lambda j, codes, gone: Condition(j, codes=tuple(codes), missing=gone),
    st.integers(0, 2),
    st.lists(st.sampled_from([0, 1, 2, 63, 64, 130]), max_size=4),
    st.booleans(),
)
premises = st.lists(st.one_of(intervals, sets), max_size=3).map(tuple)
blocks = st.lists(st.tuples(*[st.sampled_from(CELLS)] * 3), min_size=1, max_size=20).map(np.array)


def by_the_book(rules, X):
    """Condition by condition, as each says itself."""
    covered = np.ones((len(X), len(rules)), bool)
    for r, rule in enumerate(rules):
        for condition in rule.conditions:
            covered[:, r] &= condition.covers(X)
    first = [next((r for r in range(len(rules)) if row[r]), -1) for row in covered]
    return covered, np.array(first)


@settings(max_examples=200, deadline=None)
@given(st.lists(premises, max_size=4), blocks)
def test_the_kernel_does_what_the_conditions_say(premises, X):
    rules = [Rule(premise, "a") for premise in premises]
    covered, first = by_the_book(rules, X)
    ready = Firing(rules)
    assert ready.plain
    for block in (X, np.asfortranarray(X), sparse.csr_matrix(X)):
        assert ready.covers(block).tolist() == covered.tolist()
        assert ready.first(block).tolist() == first.tolist()


@settings(max_examples=40, deadline=None)
@given(st.lists(premises, min_size=1, max_size=3), blocks)
def test_other_conditions_are_applied_one_by_one(premises, X):
    rules = [Rule((*premise, LinearCondition(((0, 1.0), (1, -1.0)), high=0.5)), "a") for premise in premises]
    X[:, :2] = np.clip(X[:, :2], -1e100, 1e100)
    covered, first = by_the_book(rules, X)
    ready = Firing(rules)
    assert not ready.plain
    assert ready.covers(X).tolist() == covered.tolist() and ready.first(X).tolist() == first.tolist()


def test_blocks_of_rows_in_threads_answer_alike(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, (5000, 3)).astype(float)
    rules = [
        Rule((Condition(j % 3, j / 2, j / 2 + 4), Condition((j + 1) % 3, codes=(j % 5,))), "a")
        for j in range(30)
    ]
    whole = Firing(rules).first(X), Firing(rules).covers(X)
    monkeypatch.setattr(firing, "SERIAL_CELLS", 10)
    monkeypatch.setattr(firing, "ROWS", 700)
    assert (Firing(rules).first(X) == whole[0]).all() and (Firing(rules).covers(X) == whole[1]).all()


def test_single_precision_is_compared_in_double_precision():
    x = np.array([[0.1], [0.2]], np.float32)  # the float32 next to 0.1 is above 0.1
    assert Firing([Rule((Condition(0, high=0.1),), "a")]).first(x).tolist() == [-1, -1]


def test_codes_beyond_all_measure_take_no_memory():
    rules = [Rule((Condition(0, codes=(1 << 60,)),), "a"), Rule((Condition(0, codes=(-1,)),), "a")]
    assert not Firing(rules).plain
    assert Firing(rules).first(np.array([[float(1 << 60)], [-1.0], [0.0]])).tolist() == [0, 1, -1]


def test_the_kernel_refuses_what_would_lead_it_astray():
    X = np.zeros((2, 2))
    start, column, ends = np.array([0, 1]), np.array([0], np.int32), np.zeros(1)
    word, codes, gone = np.array([0]), np.array([64]), np.zeros(1, np.uint8)
    pool, out = np.zeros(1, np.uint64), np.zeros(2, np.int64)
    native.first(
        X=X,
        start=start,
        column=column,
        low=ends,
        high=ends,
        word=word,
        codes=codes,
        missing=gone,
        pool=pool,
        out=out,
    )
    for spoilt in (
        (start, np.array([2], np.int32), ends, ends, word, codes, gone, pool),
        (start, np.array([-1], np.int32), ends, ends, word, codes, gone, pool),
        (np.array([0, 2]), column, ends, ends, word, codes, gone, pool),
        (np.array([0, 2, 1]), column, ends, ends, word, codes, gone, pool),
        (np.array([1, 1]), column, ends, ends, word, codes, gone, pool),
        (start, column, np.zeros(2), ends, word, codes, gone, pool),
        (start, column, ends, ends, np.array([1]), codes, gone, pool),
        (start, column, ends, ends, word, np.array([65]), gone, pool),
        (start, column, ends, ends, word, np.array([1 << 62]), gone, pool),
    ):
        with pytest.raises(ValueError, match="firing"):
            names = ("start", "column", "low", "high", "word", "codes", "missing", "pool")
            native.first(X=X, out=out, **dict(zip(names, spoilt)))
    with pytest.raises(ValueError, match="each row"):
        native.first(
            X=X,
            start=start,
            column=column,
            low=ends,
            high=ends,
            word=word,
            codes=codes,
            missing=gone,
            pool=pool,
            out=np.zeros(3, np.int64),
        )
    with pytest.raises(ValueError, match="each row and rule"):
        native.cover(
            X=X,
            start=start,
            column=column,
            low=ends,
            high=ends,
            word=word,
            codes=codes,
            missing=gone,
            pool=pool,
            out=np.zeros((2, 2), np.uint8),
        )


def test_rules_can_be_pickled_after_use():
    base = RuleBase((Rule((Condition(0, high=1.0),), 1.0),), Schema.numeric(1), default=0.0)
    base.predict([[0.0]])
    again = pickle.loads(pickle.dumps(base))
    assert again == base and again.predict([[0.0], [2.0]]).tolist() == [1.0, 0.0]
