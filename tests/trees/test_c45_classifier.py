"""C4.5 against the textbooks and against Weka's J48."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import ParameterError
from assay.tables.data import (
    load_apples,
    load_breast_cancer,
    load_breast_cancer_ljubljana,
    load_charity_donors,
    load_contact_lenses,
    load_german_credit,
    load_iris,
    load_weather,
    load_wine,
)
from assay.trees.c45_classifier import C45Classifier, held_out_rows
from assay.trees.multiway import SplitRules, root_offers
from assay.trees.tree import NWAY, SUBSET, THRESHOLD

DATA = {
    "iris": load_iris,
    "weather": load_weather,
    "weather of categories": lambda: load_weather(numeric=False),
    "lenses": load_contact_lenses,
    "credit": load_german_credit,
    "breast": load_breast_cancer_ljubljana,
    "wine": load_wine,
    "wisconsin": load_breast_cancer,
}
OPTIONS = {
    "": {},
    "-U": {"pruning": None},
    "-B": {"nominal": "one-vs-rest"},
    "-S": {"subtree_raising": False},
    "-C 0.05 -M 5": {"confidence": 0.05, "min_samples_leaf": 5},
}
# Oracle: weka.classifiers.trees.J48 of Weka 3.6.14 on these tables, classes in the order of the source:
# leaves, nodes, errors on the training rows.
J48 = {
    "iris": [(5, 9, 3), (5, 9, 3), (5, 9, 3), (5, 9, 3), (4, 7, 4)],
    "weather": [(5, 8, 0), (5, 8, 0), (4, 7, 2), (5, 8, 0), (1, 1, 5)],
    "weather of categories": [(5, 8, 0), (5, 8, 0), (3, 5, 2), (5, 8, 0), (1, 1, 5)],
    "lenses": [(4, 7, 2), (4, 7, 2), (4, 7, 2), (4, 7, 2), (3, 5, 3)],
    "credit": [(103, 140, 145), (359, 466, 60), (99, 197, 95), (103, 140, 145), (12, 18, 240)],
    "breast": [(4, 6, 69), (152, 179, 34), (22, 43, 45), (4, 6, 69), (4, 6, 69)],
    "wine": [(5, 9, 2), (5, 9, 2), (5, 9, 2), (5, 9, 2), (5, 9, 3)],
    "wisconsin": [(13, 25, 5), (15, 29, 4), (13, 25, 5), (13, 25, 5), (8, 15, 12)],
}


@pytest.mark.parametrize("name", J48)
def test_same_size_and_training_errors_as_j48(name):
    """Not compared: data with values closer than 1e-5 to each other, which J48 takes as equal."""
    data = DATA[name]()
    for (flags, options), expected in zip(OPTIONS.items(), J48[name], strict=True):
        model = C45Classifier(**options).fit(data.X, data.codes)
        errors = int((model.predict(data.X) != data.codes).sum())
        assert (flags, model.get_n_leaves(), model.tree_.node_count, errors) == (flags, *expected)


# Oracle: J48 of Weka 3.6.14, trained and tested on the files of the ten folds below: errors on the rows left out.
@pytest.mark.parametrize(
    ("name", "errors"), [("iris", 9), ("credit", 293), ("breast", 69), ("wine", 12), ("wisconsin", 31)]
)
def test_same_cross_validated_errors_as_j48(name, errors):
    data = DATA[name]()
    fold = np.empty(len(data), int)
    fold[np.argsort(data.codes, kind="stable")] = np.arange(len(data)) % 10
    wrong = 0
    for k in range(10):
        model = C45Classifier().fit(data.X[fold != k], data.codes[fold != k])
        wrong += int((model.predict(data.X[fold == k]) != data.codes[fold == k]).sum())
    assert wrong == errors


# Oracle: J48 of Weka 3.6.14, as printed.
PRINTED = {
    "weather": """
outlook = sunny
|   humidity <= 75: yes (2.0)
|   humidity > 75: no (3.0)
outlook = overcast: yes (4.0)
outlook = rainy
|   windy = TRUE: no (2.0)
|   windy = FALSE: yes (3.0)""",
    "breast": """
node-caps = yes
|   deg-malig = 1: recurrence-events (1.01/0.4)
|   deg-malig = 2: no-recurrence-events (26.2/8.0)
|   deg-malig = 3: recurrence-events (30.4/7.4)
node-caps = no: no-recurrence-events (228.39/53.4)""",
    "iris": """
petalwidth <= 0.6: setosa (50.0)
petalwidth > 0.6
|   petalwidth <= 1.7
|   |   petallength <= 4.9: versicolor (48.0/1.0)
|   |   petallength > 4.9
|   |   |   petalwidth <= 1.5: virginica (3.0)
|   |   |   petalwidth > 1.5: versicolor (3.0/1.0)
|   petalwidth > 1.7: virginica (46.0/1.0)""",
}


@pytest.mark.parametrize("name", PRINTED)
def test_same_tree_as_j48_prints(name):
    """Conditions and answers line by line, then rows and errors of the leaves; they print with two digits."""
    data = DATA[name]()
    model = C45Classifier().fit(data.X, data.y)
    told = re.sub(r" \([\d. of]+\)$", "", str(model), flags=re.M)
    told = (
        told.replace("petal width (cm)", "petalwidth")
        .replace("petal length (cm)", "petallength")
        .replace("'", "")
    )
    leaves = re.findall(r"\(([\d.]+)(?:/([\d.]+))?\)$", PRINTED[name], re.M)
    assert told == re.sub(r" \([\d./]+\)$", "", PRINTED[name].strip(), flags=re.M)
    tree = model.tree_
    n = tree.weighted_n_node_samples[tree.is_leaf]
    assert_allclose(n, [float(a) for a, _ in leaves], atol=0.0051)
    wrong = n * (1 - tree.values[tree.is_leaf].max(axis=1))
    assert_allclose(wrong, [float(b or 0) for _, b in leaves], atol=0.0051)


def test_same_posteriors_as_j48_where_values_are_missing():
    """Oracle: J48 -U and -U -A of Weka 3.6.14 on the nine rows with missing values, three digits."""
    data = load_breast_cancer_ljubljana()
    rows = np.flatnonzero(np.isnan(data.X.values).any(axis=1))
    plain = C45Classifier(pruning=None).fit(data.X, data.codes).predict_proba(data.X[rows])[:, 0]
    smooth = (
        C45Classifier(pruning=None, laplace=True).fit(data.X, data.codes).predict_proba(data.X[rows])[:, 0]
    )
    assert_allclose(plain, [0.081, 0.657, 0.456, 1, 0.657, 0.081, 0.577, 0.636, 0.409], atol=5.1e-4)
    assert_allclose(smooth, [0.316, 0.607, 0.478, 0.751, 0.607, 0.316, 0.538, 0.601, 0.46], atol=5.1e-4)


@pytest.mark.capability("C3-43")
def test_the_apples():
    """Oracle: C3 3.2.3: ratio 0.4106339218 for colour; the yellow-green apples are told apart by weight at 185."""
    apples = load_apples()
    model = C45Classifier(min_samples_leaf=1, pruning=None, correction=False, threshold="midpoint")
    green = np.array([label == "yellow-green" for label in apples.frame()["colour"]])
    model.fit(apples.X[green], apples.y[green])
    assert (model.schema_.names[model.tree_.feature[0]], model.tree_.threshold[0]) == ("weight", 185)
    assert model.get_n_leaves() == 2 and model.score(apples.X[green], apples.y[green]) == 1
    codes = apples.codes
    offers = root_offers(
        apples.X.values, apples.X.schema.category_counts(), codes, None, 2, SplitRules("gain_ratio")
    )
    assert_allclose([o.ratio for o in offers[:3]], [0.4106339218, 0.3191805333, 0.0065836933], atol=5e-11)


@pytest.mark.capability("DC-30")
def test_the_gain_ratio_of_the_charity_table():
    """Oracle: DC 10.3.1: Age at 50 has ratio 0.313193; C4.5 cuts Salary at 55500, though 46000 has the larger ratio."""
    data = load_charity_donors()
    age = (data.X.values[:, :1] > 50).astype(float)
    offer = root_offers(age, np.array([2]), data.codes, None, 2, SplitRules("gain_ratio"))[0]
    assert_allclose(
        [offer.gain, offer.gain / offer.ratio, offer.ratio], [0.311323, 0.994030, 0.313193], atol=5e-7
    )
    ratios = {}
    for cut in (46000, 55500):
        side = (data.X.values[:, 1:] > cut).astype(float)
        ratios[cut] = root_offers(side, np.array([2]), data.codes, None, 2, SplitRules("gain_ratio"))[0].ratio
    assert_allclose([ratios[46000], ratios[55500]], [0.652995, 0.643313], atol=5e-7)
    model = C45Classifier(threshold="midpoint", correction=False).fit(data.X, data.y)
    assert model.tree_.threshold[0] == 55500


def test_each_pruning_gives_a_smaller_tree_that_is_no_worse_on_new_rows():
    """Labels with 20 % noise; the test rows have none."""
    random = np.random.default_rng(0)
    X, fresh = random.random((600, 4)), random.random((2000, 4))
    truth = lambda rows: (rows[:, 0] > 0.5) & (rows[:, 1] > 0.3)  # noqa: E731
    y = truth(X) ^ (random.random(600) < 0.2)
    full = C45Classifier(pruning=None, collapse=False, min_samples_leaf=1, correction=False).fit(X, y)
    for pruning in ("error-based", "reduced-error", "pessimistic", "mdl"):
        options = {"min_samples_leaf": 1, "correction": False, "random_state": 0}
        pruned = C45Classifier(pruning=pruning, **options).fit(X, y)
        assert pruned.get_n_leaves() < full.get_n_leaves()
        assert pruned.score(fresh, truth(fresh)) >= full.score(fresh, truth(fresh))


def test_a_missing_value_costs_its_column_gain():
    """Half of the values unknown: half of the gain, and a row of unknown value in every branch."""
    x = np.array([0.0, 0, 0, 1, 1, 1, np.nan, np.nan, np.nan, np.nan, np.nan, np.nan])[:, None]
    y = np.array([0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1])
    offer = root_offers(x, np.array([0]), y, None, 2, SplitRules())[0]
    assert_allclose(offer.gain, 0.5, rtol=1e-12)
    assert_allclose(offer.ratio, 0.5 / 1.5, rtol=1e-12)  # branches of 3, 3 and the 6 unknown ones
    tree = C45Classifier(pruning=None, correction=False).fit(x, y).tree_
    assert_array_equal(tree.weighted_n_node_samples, [12, 6, 6])
    assert_array_equal(tree.n_node_samples, [12, 9, 9])
    assert_allclose(tree.values[1:], [[0.75, 0.25], [0.25, 0.75]], rtol=1e-12)
    assert_allclose(tree.predict(np.array([[np.nan]])), [[0.5, 0.5]], rtol=1e-12)


def test_kinds_of_splits():
    data = load_weather()
    assert set(C45Classifier().fit(data.X, data.y).tree_.kind) == {0, THRESHOLD, NWAY}
    assert set(C45Classifier(nominal="one-vs-rest").fit(data.X, data.y).tree_.kind) == {0, SUBSET}


def test_all_columns_missing_or_constant_give_one_leaf():
    X = pd.DataFrame({"a": [None, None, None], "b": [1.0, 1.0, 1.0], "c": [np.nan] * 3})
    model = C45Classifier().fit(X, ["x", "x", "y"])
    assert model.tree_.node_count == 1
    assert_allclose(model.predict_proba(X[:1]), [[2 / 3, 1 / 3]])


def test_rows_are_held_out_class_by_class():
    y = np.repeat([0, 1, 2], [60, 30, 1])
    aside = held_out_rows(y, 1 / 3, 0)
    assert_array_equal(np.bincount(y[aside], minlength=3), [20, 10, 0])
    assert_array_equal(aside, held_out_rows(y, 1 / 3, 0))
    assert not held_out_rows(np.array([0, 1]), 1 / 3, np.random.default_rng(0)).any()
    assert C45Classifier(pruning="reduced-error").fit([[0.0], [1.0]], [0, 1]).get_n_leaves() == 1


@given(seed=st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_posteriors_are_probabilities_and_pruning_only_removes_leaves(seed):
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (50, 3)).astype(float)
    X[random.random(X.shape) < 0.1] = np.nan
    y = random.integers(0, 3, 50)
    leaves = []
    for options in ({"pruning": None, "collapse": False}, {"pruning": None}, {"subtree_raising": False}):
        model = C45Classifier(min_samples_leaf=1, **options).fit(X, y)
        posterior = model.predict_proba(X)
        assert_allclose(posterior.sum(axis=1), 1, rtol=1e-9)
        assert posterior.min() >= 0
        leaves.append(model.get_n_leaves())
    assert leaves == sorted(leaves, reverse=True)


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match=r"confidence must be a number above 0 to 0\.5, got 0\.7"):
        C45Classifier(confidence=0.7).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ParameterError, match="pruning must be one of 'error-based'"):
        C45Classifier(pruning="none").fit([[0.0], [1.0]], [0, 1])
