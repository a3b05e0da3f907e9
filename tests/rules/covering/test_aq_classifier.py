import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.rules import AQClassifier
from assay.tables.data import (
    load_breast_cancer,
    load_breast_cancer_ljubljana,
    load_charity_donors,
    load_contact_lenses,
    load_iris,
    load_wine,
)


@pytest.mark.capability("DC-52")
@pytest.mark.parametrize("max_star", [1, 3, 10])
@pytest.mark.parametrize(
    "load", [load_charity_donors, load_contact_lenses, load_iris, load_wine, load_breast_cancer]
)
def test_clean_data_all_positives_are_covered_and_no_negatives(load, max_star):
    data = load()
    y = np.asarray(data.y)
    model = AQClassifier(max_star=max_star).fit(data.X, y)
    for label, rules in model.rules_.by_class().items():
        covered = np.any([rule.covers(data.X.values) for rule in rules], axis=0)
        assert_array_equal(covered, y == label)
    for rule, seed in zip(model.rules_, model.seeds_, strict=True):
        assert rule.covers(data.X.values)[seed] and y[seed] == rule.answer
    assert model.score(data.X, y) == 1


@pytest.mark.capability("DC-52")
def test_a_rule_is_as_general_as_the_star_allows():
    """Widening any end of a rule's intervals to the next training value lets a row of another class in, or nobody."""
    data = load_iris()
    X, y = data.X.values, np.asarray(data.y)
    model = AQClassifier(max_star=5).fit(X, y)
    for rule in model.rules_:
        for condition in rule.conditions:
            rest = np.all(
                [c.covers(X) for c in rule.conditions if c is not condition] or [np.ones(150, bool)], axis=0
            )
            assert (y[rest] != rule.answer).any()  # no condition is there for nothing


@given(seed=st.integers(0, 2**32 - 1), max_star=st.integers(1, 6), how=st.sampled_from(["first", "random"]))
@settings(max_examples=25, deadline=None)
def test_rows_with_a_twin_of_another_class_are_the_only_errors(seed, max_star, how):
    draw = np.random.default_rng(seed)
    codes = draw.integers(0, 3, (25, 3)).astype(float)
    X = pd.DataFrame(
        {"a": codes[:, 0], "b": np.array(list("xyz"))[codes[:, 1].astype(int)], "c": codes[:, 2]}
    )
    X.loc[draw.random(25) < 0.15, "a"] = np.nan
    X.loc[draw.random(25) < 0.15, "b"] = None
    y = draw.integers(0, 2, 25)
    model = AQClassifier(max_star=max_star, seeds=how, random_state=0).fit(X, y)
    values = model.rules_.block(X)

    def told_apart(i, other):  # some condition that row i meets and the other row does not
        return any(not np.isnan(values[i, j]) and values[i, j] != values[other, j] for j in range(3))

    for rule, i in zip(model.rules_, model.seeds_, strict=True):
        covered = rule.covers(values)
        assert covered[i]
        for other in np.flatnonzero(covered & (y != rule.answer)):
            assert not told_apart(i, other)
    assert model.rules_.covers(X)[np.arange(25)].any(axis=1).all()


def test_charity_takes_one_rule_a_class():
    data = load_charity_donors()
    text = "R1: IF Salary <= 55500 AND Age <= 62 THEN N\nR2: IF Age > 40.5 AND Salary > 33500 THEN Y\nELSE Y"
    assert str(AQClassifier().fit(data.X, data.y)) == text


def test_a_wider_star_needs_no_more_rules_on_a_dnf():
    bits = (np.arange(64)[:, None] >> np.arange(6) & 1).astype(float)
    y = (bits[:, 0] * bits[:, 1] + bits[:, 2] * bits[:, 3] > 0).astype(int)
    model = AQClassifier(max_star=10).fit(bits, y)
    mine = {tuple(sorted(c.column for c in rule.conditions)) for rule in model.rules_.by_class()[1]}
    assert mine == {(0, 1), (2, 3)}
    assert_array_equal(model.predict(bits), y)


def test_random_seeds_are_drawn_from_the_state():
    data = load_wine()
    a, b, c = (AQClassifier(seeds="random", random_state=s).fit(data.X, data.y) for s in (0, 0, 1))
    assert str(a) == str(b) and list(a.seeds_) != list(c.seeds_)


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer_ljubljana])
@pytest.mark.parametrize("each", [0.1, 0.7])
def test_equal_weights_change_nothing(load, each):
    """Sums of tenths are rounded, and equally good conjunctions must stay equally good."""
    data = load()
    weighted = AQClassifier().fit(data.X, data.y, sample_weight=np.full(len(data.y), each))
    assert str(weighted) == str(AQClassifier().fit(data.X, data.y))


def test_rows_without_weight_are_not_there():
    data = load_wine()
    X, y = data.X.values, np.asarray(data.y)
    w = (np.arange(len(y)) % 2).astype(float)
    kept = np.flatnonzero(w)
    a, b = AQClassifier().fit(X, y, sample_weight=w), AQClassifier().fit(X[kept], y[kept])
    assert str(a) == str(b)
    assert_array_equal(a.seeds_, kept[b.seeds_])
