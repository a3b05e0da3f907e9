"""ID3 on the textbooks' tables."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, ParameterError
from assay.tables.data import load_apples, load_charity_donors, load_contact_lenses, load_weather
from assay.trees.c45_classifier import C45Classifier
from assay.trees.cart_classifier import CARTClassifier
from assay.trees.id3_classifier import ID3Classifier
from assay.trees.multiway import SplitRules, root_offers
from assay.trees.tree import NWAY, SUBSET, THRESHOLD

APPLES = load_apples().frame()
NOMINAL, KIND = APPLES[["colour", "shape", "taste"]], APPLES["variety"].to_numpy()


def offers(table, y, **rules):
    codes = np.unique(y, return_inverse=True)[1]
    found = root_offers(
        table.values, table.schema.category_counts(), codes, None, codes.max() + 1, SplitRules(**rules)
    )
    return dict(zip(table.schema.names, found))


def names(model):
    return [model.schema_.names[j] if j >= 0 else None for j in model.tree_.feature]


def child_of(model, node, label):
    """The child of an n-way node for one category."""
    column = model.schema_[int(model.tree_.feature[node])]
    return int(model.tree_.children(node)[column.categories.index(label)])


# Oracle: C3 3.2.3, the ten apples; gain, split information and ratio worked by hand there.
@pytest.mark.capability("C3-41")
def test_the_criteria_of_the_apples():
    apples = load_apples()
    gain, gini = offers(apples.X, apples.y), offers(apples.X, apples.y, criterion="gini")
    gains = {"colour": 0.6099865470, "shape": 0.2812908992, "taste": 0.0058021490}
    ratios = {"colour": 0.4106339218, "shape": 0.3191805333, "taste": 0.0065836933}
    average_gini = {"colour": 0.16, "shape": 0.3428571429, "taste": 0.4761904762}
    for name in gains:
        assert_allclose(gain[name].gain, gains[name], atol=5e-11)
        assert_allclose(gain[name].ratio, ratios[name], atol=5e-11)
        assert_allclose(0.48 - gini[name].gain, average_gini[name], atol=5e-11)
    assert gain["weight"].threshold == 185
    assert_allclose(gain["weight"].gain, 0.5567796494, atol=5e-11)


@pytest.mark.capability("C3-42", "C3-44")
@pytest.mark.parametrize("criterion", ["gain", "gain_ratio", "gini"])
def test_the_tree_of_the_apples(criterion):
    model = ID3Classifier(criterion=criterion).fit(NOMINAL, KIND)
    assert names(model)[0] == "colour" and model.tree_.kind[0] == NWAY
    assert (model.predict(NOMINAL) != KIND).sum() == 1
    wrong = np.flatnonzero(model.predict(NOMINAL) != KIND)
    assert_array_equal(wrong, [5])  # apple 6 of the book
    # yellow-green: shape and taste tie exactly, and the first column is asked
    assert names(model)[child_of(model, 0, "yellow-green")] == "shape"


@pytest.mark.capability("C3-45")
def test_the_four_ways_to_become_a_leaf():
    """Each case says another class than the majority of the whole table, or none of its neighbours' rules would do.

    Oracle: C3 3.2.3. (a) rows of one class; (b) no rows: the majority of the parent; (c) no column left, and
    (d) no column that differs: the majority of the rows.
    """
    model = ID3Classifier().fit(NOMINAL, KIND)
    tree = model.tree_
    pure = child_of(model, 0, "green")  # (a)
    assert tree.is_leaf[pure] and model.classes_[tree.values[pure].argmax()] == "Guoguang"
    assert_array_equal(tree.values[pure], [0, 1])
    assert tree.is_leaf[child_of(model, 0, "yellow")]
    mixed = child_of(model, 0, "yellow-green")
    assert not tree.is_leaf[mixed]
    oblate = child_of(model, mixed, "oblate")  # (d) only sour-sweet apples are left: the majority, 3 to 1
    assert tree.is_leaf[oblate] and tree.n_node_samples[oblate] == 4
    assert_array_equal(tree.values[oblate], [0.75, 0.25])  # Fuji, Guoguang
    assert_array_equal(
        model.predict(
            [["yellow", "round", "sweet"], ["green", "round", "sweet"], ["yellow-green", "oblate", "sweet"]]
        ),
        ["Fuji", "Guoguang", "Fuji"],
    )
    # (b) "k" occurs under v alone: below u it has no rows, and the answer is that of u's rows, 0 by 2 to 1, although
    # 1 leads in the whole table by 8 to 2, and among the rows with "k" by 3 to 0
    X = pd.DataFrame({"c": list("uuuvvvvvvv"), "d": list("iijkkkiijj")})
    empty = ID3Classifier().fit(X, [0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
    inner = child_of(empty, 0, "u")
    none = child_of(empty, inner, "k")
    assert names(empty)[inner] == "d" and empty.tree_.is_leaf[none] and empty.tree_.n_node_samples[none] == 0
    assert_array_equal(empty.predict(pd.DataFrame({"c": ["u"], "d": ["k"]})), [0])
    assert_allclose(empty.predict_proba(pd.DataFrame({"c": ["u"], "d": ["k"]})), [[2 / 3, 1 / 3]], rtol=1e-12)
    # (c) no column is left: equal rows of different classes; 0 by 2 to 1 where 1 leads in the table
    same = ID3Classifier().fit([["u"], ["u"], ["u"], ["v"], ["v"], ["v"]], [0, 0, 1, 1, 1, 1])
    assert_allclose(same.predict_proba([["u"]]), [[2 / 3, 1 / 3]], rtol=1e-12)
    assert_array_equal(same.predict([["u"], ["v"]]), [0, 1])
    tied = ID3Classifier().fit([["u"], ["u"], ["v"]], [0, 1, 1])
    assert_array_equal(tied.predict([["u"]]), [0])  # equal majorities: the first class


@pytest.mark.capability("DC-22", "IML-9-03")
def test_a_nominal_column_has_one_branch_for_each_value():
    """Oracle: IML 9.2.1, eight rows of three colours: impurity after the split 0.938722."""
    colour = np.array(["red", "red", "red", "blue", "blue", "blue", "green", "green"])
    y = np.array(["+", "+", "-", "+", "-", "-", "+", "-"])
    model = ID3Classifier(max_depth=1).fit(colour[:, None], y)
    assert model.tree_.kind[0] == NWAY and len(model.tree_.children(0)) == 3
    after = model.tree_.impurity[1:] @ model.tree_.weighted_n_node_samples[1:] / 8
    assert_allclose(after, 0.938722, atol=5e-7)
    mixed = pd.DataFrame({"colour": colour, "size": [1.0, 2.0, 3.5, 1.5, 4.0, 5.0, 2.5, 4.5]})
    both = ID3Classifier().fit(mixed, y)
    assert both.tree_.kind[0] == THRESHOLD and both.tree_.threshold[0] == 3.0
    assert both.score(mixed, y) == 1


@pytest.mark.capability("IML-9-11")
def test_gain_ratio_and_a_branch_penalty_pass_over_a_running_number():
    """Oracle: IML 9.2.1: id has gain 1 and ratio 1/3, size at 3.0 gain and ratio 1, colour 0.061278 and 0.039249."""
    X = pd.DataFrame({
        "id": list("abcdefgh"),
        "colour": ["red", "red", "red", "blue", "blue", "blue", "green", "green"],
        "size": [1.0, 2.0, 3.5, 1.5, 4.0, 5.0, 2.5, 4.5],
    })  # fmt: skip
    y = np.array([1, 1, 0, 1, 0, 0, 1, 0])
    from assay.tables import Table

    found = offers(Table.of(X), y)
    assert_allclose([found["id"].gain, found["id"].ratio], [1, 1 / 3], rtol=1e-12)
    assert_allclose([found["colour"].gain, found["colour"].ratio], [0.061278, 0.039249], atol=5e-7)
    assert_allclose([found["size"].gain, found["size"].ratio, found["size"].threshold], [1, 1, 3], rtol=1e-12)
    first = lambda columns, **how: names(ID3Classifier(**how).fit(X[columns], y))[0]  # noqa: E731
    assert first(["id", "colour", "size"]) == "id"  # the tie goes to the first
    assert first(["id", "colour"]) == "id"
    assert first(["id", "colour", "size"], criterion="gain_ratio") == "size"
    assert first(["id", "colour", "size"], branch_penalty=0.1) == "size"
    assert first(["id", "colour"], branch_penalty=0.2) == "colour"  # 1 - 7/5 against 0.06 - 2/5


def test_a_split_that_gains_nothing_is_made_all_the_same():
    """Oracle: IML 9.2.1, XOR: three tests, four pure leaves."""
    X = np.array([["a", "p"], ["a", "q"], ["b", "p"], ["b", "q"]])
    y = np.array([0, 1, 1, 0])
    for rows in (X, (X == [["b", "q"]]).astype(float)):
        model = ID3Classifier().fit(rows, y)
        assert (model.get_n_leaves(), model.tree_.node_count, model.score(rows, y)) == (4, 7, 1.0)


@pytest.mark.capability("DC-26")
def test_three_presets_use_three_criteria():
    """Oracle: DC 10.3.1: on the charity table gain and Gini cut at 55500, as C4.5 does, whose ratio would say 46000."""
    data = load_charity_donors()
    tables = [offers(data.X, data.y, criterion=c)["Salary"] for c in ("gain", "gini")]
    assert [t.threshold for t in tables] == [55500, 55500]
    assert_allclose(tables[0].gain, 0.639473, atol=5e-7)
    assert_allclose(60 / 121 - tables[1].gain, 0.151515, atol=5e-7)  # Gini of 6 and 5, less what is gained
    for model in (
        ID3Classifier(),
        C45Classifier(threshold="midpoint", correction=False),
        CARTClassifier(within=0, cv=5, random_state=0),
    ):
        model.fit(data.X, data.y)
        assert (names(model)[0], model.tree_.threshold[0]) == ("Salary", 55500)


# Oracle: weka.classifiers.trees.Id3 of Weka 3.6.14, as printed.
WEKA = {
    "weather": """
outlook = sunny
|  humidity = high: no
|  humidity = normal: yes
outlook = overcast: yes
outlook = rainy
|  windy = TRUE: no
|  windy = FALSE: yes""",
    "lenses": """
tear-prod-rate = reduced: none
tear-prod-rate = normal
|  astigmatism = no
|  |  age = young: soft
|  |  age = pre-presbyopic: soft
|  |  age = presbyopic
|  |  |  spectacle-prescrip = myope: none
|  |  |  spectacle-prescrip = hypermetrope: soft
|  astigmatism = yes
|  |  spectacle-prescrip = myope: hard
|  |  spectacle-prescrip = hypermetrope
|  |  |  age = young: hard
|  |  |  age = pre-presbyopic: none
|  |  |  age = presbyopic: none""",
}


@pytest.mark.parametrize("name", WEKA)
def test_same_tree_as_weka(name):
    data = load_weather(numeric=False) if name == "weather" else load_contact_lenses()
    text = str(ID3Classifier().fit(data.X, data.y))
    assert re.sub(r" \(\d+\)", "", text).replace("|   ", "|  ") == WEKA[name].strip()


def test_numbers_are_refused_on_demand():
    with pytest.raises(DataError, match=r"column .weight. holds numbers.*C45Classifier"):
        ID3Classifier(numeric="refuse").fit(APPLES[["colour", "weight"]], KIND)
    ID3Classifier(numeric="refuse").fit(NOMINAL, KIND)


def test_a_missing_or_unseen_value_is_spread_over_the_branches():
    model = ID3Classifier().fit(NOMINAL, KIND)
    tree = model.tree_
    row = pd.DataFrame({"colour": [None], "shape": ["round"], "taste": ["sweet"]}, dtype=object)
    weights = tree.weighted_n_node_samples[tree.children(0)] / 10
    sure = [model.predict_proba(row.assign(colour=c))[0] for c in ("green", "yellow", "yellow-green")]
    assert_allclose(model.predict_proba(row), [weights @ sure], rtol=1e-12)
    with pytest.warns(match="treated as missing"):
        unseen = model.predict_proba(row.assign(colour="blue"))
    assert_allclose(unseen, model.predict_proba(row), rtol=1e-12)


@given(seed=st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_no_nominal_column_is_asked_for_twice_on_a_path(seed):
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (40, 4)).astype(str)
    tree = ID3Classifier().fit(X, random.integers(0, 2, 40)).tree_
    assert tree.max_depth <= 4
    for leaf in np.flatnonzero(tree.is_leaf):
        asked, node = [], int(leaf)
        while tree.parent[node] >= 0:
            node = int(tree.parent[node])
            asked.append(int(tree.feature[node]))
        assert len(asked) == len(set(asked))


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match="criterion must be one of 'gain', 'gain_ratio', 'gini'"):
        ID3Classifier(criterion="entropy").fit(NOMINAL, KIND)


def test_one_row_and_one_class():
    assert ID3Classifier().fit([["a"]], ["x"]).predict([["a"]]) == ["x"]
    model = ID3Classifier().fit([[1.0], [2.0]], ["x", "x"])
    assert model.tree_.node_count == 1 and SUBSET not in model.tree_.kind


def test_weights_too_small_to_be_turned_over_give_shares():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 0, 1])
    shares = ID3Classifier().fit(X, y, sample_weight=np.full(6, 5e-324)).predict_proba(X)
    assert_allclose(shares.sum(axis=1), 1.0)
