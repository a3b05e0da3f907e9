"""C4.5rules: the tree's rules, shortened, chosen and ordered."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_classification

from assay.rulebase.conditions import Condition
from assay.rules.from_trees.c45_rules_classifier import C45RulesClassifier
from assay.tables.data import (
    load_breast_cancer,
    load_breast_cancer_ljubljana,
    load_charity_donors,
    load_contact_lenses,
    load_german_credit,
    load_iris,
    load_weather,
    load_wine,
)
from assay.trees import C45Classifier, CARTClassifier, DecisionTreeClassifier

TABLES = [load_charity_donors, load_weather, load_contact_lenses, load_iris, load_wine, load_german_credit]


def conditions(model):
    return sum(len(rule.conditions) for rule in model.rules_)


@pytest.mark.capability("DC-40", "DC-41")
@pytest.mark.parametrize("load", [*TABLES, load_breast_cancer])
@pytest.mark.parametrize(
    "tree", [C45Classifier(pruning=None), C45Classifier(), CARTClassifier(), DecisionTreeClassifier()]
)
def test_unpruned_rules_are_the_tree(load, tree):
    """One rule for each leaf, and the tree's own answers, on the training rows and far from them."""
    data = load()
    model = C45RulesClassifier(tree, pruning=None).fit(data.X, data.y)
    whole = tree.fit(data.X, data.y)
    assert model.n_rules_ == whole.get_n_leaves()
    assert_array_equal(model.predict(data.X), whole.predict(data.X))
    assert all(
        len({c.column for c in rule.conditions if isinstance(c, Condition)}) == len(rule.conditions)
        for rule in model.rules_
    )  # repeated tests of a column are one interval


def test_the_default_begins_with_the_pruned_tree():
    credit = load_german_credit()
    short, long = (
        C45RulesClassifier(tree).fit(credit.X, credit.y) for tree in (None, C45Classifier(pruning=None))
    )
    assert str(short) == str(C45RulesClassifier(C45Classifier()).fit(credit.X, credit.y))
    assert short.n_rules_ < long.n_rules_


@pytest.mark.capability("DC-41")
@pytest.mark.parametrize("pruning", ["pessimistic", "validation"])
@pytest.mark.parametrize("order", ["mdl", "false_positives"])
def test_under_noise_rules_are_shorter_and_on_average_better(pruning, order):
    scores, whole = [], C45Classifier(pruning=None)  # what is to go must be there first
    for seed in range(6):
        X, y = make_classification(
            1500,
            8,
            n_informative=4,
            n_redundant=0,
            flip_y=0.25,
            class_sep=1.2,
            random_state=seed,
            shuffle=True,
        )
        train, test = slice(0, 500), slice(500, 1500)
        tree = C45RulesClassifier(whole, pruning=None).fit(X[train], y[train])
        rules = C45RulesClassifier(whole, pruning, class_order=order, random_state=0).fit(X[train], y[train])
        assert conditions(rules) < 0.75 * conditions(tree)
        scores.append([model.score(X[test], y[test]) for model in (tree, rules)])
    before, after = np.mean(scores, axis=0)
    assert after > before


@pytest.mark.parametrize("order", ["mdl", "false_positives"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_german_credit, load_breast_cancer_ljubljana])
def test_rules_of_a_class_stand_together(load, order):
    data = load()
    model = C45RulesClassifier(class_order=order).fit(data.X, data.y)
    answers = [rule.answer for rule in model.rules_]
    changes = sum(a != b for a, b in pairwise(answers))
    assert changes == len(set(answers)) - 1
    premises = [(frozenset(rule.conditions), rule.answer) for rule in model.rules_]
    assert len(set(premises)) == len(premises) and all(rule.conditions for rule in model.rules_)


def test_the_false_positives_order_the_classes():
    data = load_german_credit()
    model = C45RulesClassifier(class_order="false_positives", drop=False).fit(data.X, data.y)
    covered, y = model.rules_.covers(data.X), np.asarray(data.y)
    answers = np.array([rule.answer for rule in model.rules_])
    false = [(covered[:, answers == c].any(axis=1) & (y != c)).sum() for c in dict.fromkeys(answers.tolist())]
    assert false == sorted(false)


def test_dropping_rules_never_raises_the_training_error():
    for load in TABLES:
        data = load()
        kept = C45RulesClassifier(drop=False, select_subset=False).fit(data.X, data.y)
        less = C45RulesClassifier(drop=True, select_subset=False).fit(data.X, data.y)
        assert less.n_rules_ <= kept.n_rules_
        assert less.score(data.X, data.y) >= kept.score(data.X, data.y)


def test_a_smaller_subset_with_a_dearer_theory():
    data = load_german_credit()
    sizes = [C45RulesClassifier(theory_weight=t).fit(data.X, data.y).n_rules_ for t in (0.0, 0.5, 4.0)]
    assert sizes[0] >= sizes[1] >= sizes[2] and sizes[0] > sizes[2]


def test_the_default_is_the_most_frequent_class_of_the_rows_left_over():
    data = load_breast_cancer_ljubljana()
    model = C45RulesClassifier().fit(data.X, data.y)
    left = np.asarray(data.y)[model.rules_.firing(data.X) < 0]
    labels, counts = np.unique(left, return_counts=True)
    assert model.rules_.default == labels[counts.argmax()]


def test_weights_are_repeated_rows():
    data = load_iris()
    w = np.random.default_rng(2).integers(1, 4, 150)
    weighted = C45RulesClassifier().fit(data.X.values, data.y, sample_weight=w.astype(float))
    repeated = C45RulesClassifier().fit(data.X.values.repeat(w, axis=0), np.repeat(data.y, w))
    assert str(weighted) == str(repeated)


def test_held_out_rows_follow_the_seed():
    data = load_german_credit()
    a, b, c = (
        C45RulesClassifier(pruning="validation", random_state=s).fit(data.X, data.y) for s in (0, 0, 1)
    )
    assert str(a) == str(b) != str(c)


def test_odd_tables():
    assert C45RulesClassifier().fit([[1.0], [2.0]], ["a", "a"]).predict([[5.0]])[0] == "a"
    constant = C45RulesClassifier().fit(np.ones((5, 2)), list("aaabb"))
    assert constant.n_rules_ == 0 and constant.predict([[1.0, 1]])[0] == "a"
    with_missing = C45RulesClassifier().fit(
        np.column_stack([np.full(8, np.nan), np.arange(8.0)]), list("aaaabbbb")
    )
    assert with_missing.predict([[np.nan, 7.0]])[0] == "b"
    light = C45RulesClassifier().fit([[1.0], [1.0], [2.0], [2.0]], list("aabb"), sample_weight=[1, 1, 0, 0])
    assert light.predict([[2.0]])[0] == "a"


def test_something_that_is_no_tree_is_refused():
    with pytest.raises(
        ValueError, match=r"C45RulesClassifier: estimator must be a learner of trees that has rules\(\)"
    ):
        C45RulesClassifier(estimator=3).fit([[1.0], [2.0]], [0, 1])


def test_rows_without_weight_are_neither_learned_from_nor_held_out():
    data, w = load_iris(), np.ones(150)
    w[::3] = 0
    model = C45RulesClassifier(pruning="validation", random_state=0)
    left = str(model.fit(data.X.values[w > 0], data.y[w > 0]))
    assert str(model.fit(data.X.values, data.y, sample_weight=w)) == left
    assert model.fit([[1.0], [2.0], [3.0]], list("aaa"), sample_weight=[0, 1, 0]).predict([[1.0]])[0] == "a"
