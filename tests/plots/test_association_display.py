"""Pictures of association rules show what the rules say."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.associations import Baskets, association_rules, frequent_sets
from assay.errors import DataError, ParameterError
from assay.plots.association_display import AssociationDisplay


@pytest.fixture
def rules():
    rng = np.random.default_rng(0)
    held = rng.random((200, 5)) < 0.4
    return association_rules(frequent_sets(Baskets.from_wide(held, items=list("abcde")), 10), 0.2)


def test_every_rule_is_a_dot_at_its_support_and_confidence(rules):
    display = AssociationDisplay.from_rules(rules, label=3)
    (dots,) = display.ax_.collections
    at = dots.get_offsets()
    assert sorted(map(tuple, np.round(at, 12).tolist())) == sorted(
        zip(np.round(rules.support, 12).tolist(), np.round(rules.confidence, 12).tolist())
    )
    assert_allclose(np.sort(dots.get_array()), np.sort(rules.lift))
    assert display.labelled_.tolist() == np.argsort(-rules.lift, kind="stable")[:3].tolist()
    assert {t.get_text() for t in display.ax_.texts} == {str(rules[int(i)]) for i in display.labelled_}


def test_an_infinite_measure_has_the_strongest_colour():
    rules = association_rules(frequent_sets(Baskets.from_lists(["ab"] * 3 + ["a", "c"]), 1), 0.2)
    display = AssociationDisplay.from_rules(rules, measure="conviction")
    assert np.isfinite(display.ax_.collections[0].get_array()).all()


def test_the_matrix_has_left_sides_as_rows_and_right_sides_as_columns(rules):
    single = rules[(rules.sets.sizes[rules.antecedents] == 1) & (rules.sets.sizes[rules.consequents] == 1)]
    display = AssociationDisplay.from_rules(single, kind="matrix", measure="confidence")
    (dots,) = display.ax_.collections
    assert len(dots.get_offsets()) == len(single)
    found = {
        (display.rows_[int(y)][0], display.columns_[int(x)][0]): c
        for (x, y), c in zip(dots.get_offsets().tolist(), dots.get_array())
    }
    for rule in single:
        assert_allclose(found[rule.antecedent[0], rule.consequent[0]], rule.confidence)
    small = AssociationDisplay.from_rules(rules, kind="matrix", max_sides=4)
    at = small.ax_.collections[0].get_offsets()
    assert len(set(at[:, 0].tolist())) == len(small.columns_) <= 4  # no side without a rule
    assert len(set(at[:, 1].tolist())) == len(small.rows_) <= 4


def test_what_cannot_be_drawn_is_refused(rules):
    with pytest.raises(DataError, match="no rules to draw"):
        AssociationDisplay.from_rules(rules.filter(lift=100))
    with pytest.raises(ParameterError, match="kind must be 'scatter' or 'matrix', got 'graph'"):
        AssociationDisplay(rules, kind="graph")
