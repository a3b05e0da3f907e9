"""Rules whose items are maximal frequent sets."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.associations import Baskets, frequent_sets
from assay.rules.associative.class_sets import ClassSets
from assay.rules.associative.maximal_pattern_classifier import MaximalPatternClassifier, maximal
from assay.tables.data import load_charity_donors, load_contact_lenses, load_german_credit


@pytest.mark.capability("DC-63")
def test_only_maximal_antecedents_are_kept():
    """DC ex 7 on the charity items: frequent in 2 of 11 rows are four items and {A+,S+}, {A-,S-}, {A-,S+}; the pairs
    are maximal, and the last one, with one row of each class, is not sure of any."""
    data = load_charity_donors()
    how = {"min_support": 2, "cuts": {"Age": [50], "Salary": [50000]}}
    model = MaximalPatternClassifier(min_confidence=0.6, **how).fit(data.X, data.y)
    assert str(model) == (
        "R1: IF Age > 50 AND Salary > 50000 THEN Y\nR2: IF Age <= 50 AND Salary <= 50000 THEN N\nELSE N"
    )
    assert model.n_mined_ == 7
    assert [rule.counts for rule in model.rules_] == [(0, 5), (3, 0)]
    half = MaximalPatternClassifier(min_confidence=0.5, **how).fit(data.X, data.y)
    assert half.rules_[2].counts == (1, 1)


@given(seed=st.integers(0, 10**6), min_count=st.integers(1, 6))
@settings(deadline=None, max_examples=30)
def test_sets_that_no_frequent_set_contains(seed, min_count):
    rng = np.random.default_rng(seed)
    codes = (rng.integers(0, 3, (30, 5)) + 3 * np.arange(5)).astype(np.int32)
    sets = ClassSets(codes, np.repeat(np.arange(5), 3).astype(np.int32), rng.integers(0, 2, 30), 2)
    result = sets.mine(min_count, 0.0, by_antecedent=True, stop_at_sure=False)
    all_sets = [set(result[r]) for r in range(len(result))]
    wanted = [not any(one < other for other in all_sets) for one in all_sets]
    assert_array_equal(maximal(result), wanted)


@pytest.mark.parametrize("load, support", [(load_contact_lenses, 0.1), (load_german_credit, 0.3)])
@pytest.mark.capability("DC-63")
def test_the_same_sets_as_the_miner_of_baskets_finds(load, support):
    data = load()
    X = data.X.values
    nominal = [j for j, c in enumerate(data.X.schema) if c.kind == "nominal"]
    texts = np.array(
        [
            [f"{data.X.schema[j].name} = {data.X.schema.label(j, x)}" for j, x in zip(nominal, row)]
            for row in X[:, nominal]
        ]
    )
    wanted = frequent_sets(Baskets.from_lists(texts.tolist()), support, kind="maximal")
    columns = {data.X.schema[j].name: [data.X.schema.label(j, x) for x in X[:, j]] for j in nominal}
    model = MaximalPatternClassifier(min_support=support, min_confidence=0.0, max_length=None).fit(
        columns, data.y
    )
    got = {
        frozenset(
            f"{model.schema_[c.column].name} = {model.schema_.label(c.column, c.codes[0])}"
            for c in rule.conditions
        ): rule.n
        for rule in model.rules_
    }
    names = [wanted.items[i] for i in wanted.indices]
    ends = pairwise(wanted.indptr)
    assert got == {frozenset(names[a:b]): count for (a, b), count in zip(ends, wanted.counts, strict=True)}


def test_each_set_has_one_vote():
    data = load_german_credit()
    model = MaximalPatternClassifier(min_support=0.2, max_length=3).fit(data.X, data.y)
    fired, posterior = model.rules_.covers(data.X), model.predict_proba(data.X)
    good = np.array([rule.answer == "good" for rule in model.rules_])
    some = fired.any(axis=1)
    assert_allclose(posterior[some, 1], (fired & good)[some].sum(axis=1) / fired[some].sum(axis=1), rtol=1e-9)
