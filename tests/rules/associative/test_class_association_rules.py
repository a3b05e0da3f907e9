"""Class association rules: the charity table by hand, and options against their definitions."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.rulebase.measures import pessimistic_error
from assay.rules.associative.class_association_rules import class_association_rules
from assay.tables.data import load_charity_donors, load_contact_lenses, load_german_credit

CUTS = {"Age": [50], "Salary": [50000]}
OLD, YOUNG, RICH, POOR = "Age > 50", "Age <= 50", "Salary > 50000", "Salary <= 50000"
DATA = load_charity_donors()


def mined(**settings):
    """Premise, class, rows with premise and class, rows with premise, of each rule in order."""
    settings = {"min_support": 2 / 11, "min_confidence": 0.6, "cuts": CUTS, **settings}
    result = class_association_rules(DATA.X, DATA.y, **settings)
    return [(rule.premise(result.schema), rule.answer, rule.correct, rule.n) for rule in result]


FIVE = [
    (f"{OLD} AND {RICH}", "Y", 5, 5),
    (POOR, "N", 4, 4),
    (RICH, "Y", 6, 7),
    (OLD, "Y", 5, 6),
    (YOUNG, "N", 4, 5),
]


@pytest.mark.capability("DC-57")
def test_the_five_rules_of_the_charity_table():
    """DC 10.4.4: supports 5/11, 4/11, 6/11, 5/11, 4/11; confidences 1, 1, 6/7, 5/6, 4/5, in this order."""
    assert mined() == FIVE
    assert mined(min_support=2) == FIVE  # a number of rows instead of a share


@pytest.mark.capability("DC-58")
def test_a_sure_rule_is_not_made_longer_unless_asked():
    """DC 10.4.4: {young, poor} => N holds {poor} => N, which is sure; its support is 3/11, its confidence 1."""
    longer = (f"{YOUNG} AND {POOR}", "N", 3, 3)
    assert longer not in mined()
    assert mined(extend_sure=True) == [*FIVE[:2], longer, *FIVE[2:]]


@pytest.mark.capability("DC-57")
def test_support_of_the_items_alone():
    """{young, rich} covers 2 rows, one of each class: frequent as a set of items, too unsure as a rule."""
    assert mined(support="antecedent") == FIVE
    half = mined(support="antecedent", min_confidence=0.5)
    assert (f"{YOUNG} AND {RICH}", "Y", 1, 2) in half  # one each: the class with the larger prior
    assert (f"{YOUNG} AND {RICH}", "Y", 1, 2) not in mined(min_confidence=0.5)


def test_thresholds_are_met_by_what_equals_them():
    assert mined(min_support=5 / 11, min_confidence=5 / 6) == [FIVE[0], FIVE[2], FIVE[3]]
    assert mined(min_support=6 / 11) == [FIVE[2]]
    assert mined(min_support=7) == []


def test_rules_of_at_most_one_item():
    assert mined(max_length=1) == FIVE[1:]


def test_pessimistic_pruning_drops_what_is_worse_than_a_shorter_rule():
    data = load_german_credit()
    settings = {"min_support": 0.05, "max_length": 3, "extend_sure": True}
    full = class_association_rules(data.X, data.y, **settings)
    pruned = class_association_rules(data.X, data.y, pessimistic=True, **settings)
    X, y = full.block(data.X), np.asarray(data.y)

    def limit(conditions, answer):
        held = np.all([c.covers(X) for c in conditions], axis=0)
        return pessimistic_error((y[held] != answer).sum(), held.sum())

    some = range(0, len(full), 25)
    kept = {(rule.conditions, rule.answer) for rule in pruned}
    fates = []
    for rule in (full[r] for r in some):
        shorter = [rule.conditions[:i] + rule.conditions[i + 1 :] for i in range(len(rule.conditions))]
        own = limit(rule.conditions, rule.answer)
        stays = len(rule.conditions) == 1 or all(own <= limit(s, rule.answer) + 1e-12 for s in shorter)
        assert ((rule.conditions, rule.answer) in kept) == stays
        fates.append(stays)
    assert 0 < sum(fates) < len(fates)


def test_a_weight_of_two_is_two_rows():
    data, rng = load_contact_lenses(), np.random.default_rng(0)
    w = rng.integers(0, 4, len(data.y))
    table, y = pd.DataFrame(data.X.values).astype(int).astype(str), np.asarray(data.y)
    settings = {"min_support": 0.05, "min_confidence": 0.6}
    weighed = class_association_rules(table, y, sample_weight=w, **settings)
    repeated = class_association_rules(table.loc[np.repeat(table.index, w)], np.repeat(y, w), **settings)
    assert weighed.text(counts=True) == repeated.text(counts=True)
    assert len(weighed) > 5
    assert_allclose(weighed.totals, repeated.totals)


def test_missing_values_are_no_items():
    frame = pd.DataFrame({"a": ["x", "x", None, None], "b": [None, "u", "u", "v"]})
    result = class_association_rules(frame, [0, 0, 1, 1], min_support=1, min_confidence=0.0)
    assert [(rule.premise(result.schema), rule.n) for rule in result] == [
        ("a = 'x'", 2),
        ("b = 'v'", 1),
        ("b = 'u'", 2),
    ]


@pytest.mark.parametrize(
    "settings, words",
    [
        (
            {"min_support": 0.0},
            "min_support must be a whole number from 1 up or a number above 0 to 1, got 0.0",
        ),
        ({"min_support": 1.5}, "min_support must be"),
        ({"min_confidence": 2}, "min_confidence must be a number from 0 to 1, got 2"),
        ({"support": "items"}, "support must be one of 'rule', 'antecedent', got 'items'"),
        ({"cuts": "equal"}, "cuts must be 'mdl' or a dict of column names and their cuts, got 'equal'"),
        ({"max_length": 0}, "max_length must be"),
        ({"pessimistic": 1}, "pessimistic must be True or False, got 1"),
    ],
)
def test_settings_that_make_no_sense(settings, words):
    with pytest.raises(ParameterError, match=f"class_association_rules: {words}"):
        class_association_rules(DATA.X, DATA.y, **settings)


def test_as_many_classes_as_rows_are_needed():
    with pytest.raises(DataError, match=r"numbers of samples: \[11, 10\]"):
        class_association_rules(DATA.X, np.asarray(DATA.y)[:10])
