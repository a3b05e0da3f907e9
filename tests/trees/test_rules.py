"""The rules of a tree: the books' examples, and what holds for the rules of every tree."""

import dataclasses

import numpy as np
import pytest

from assay.errors import DataError
from assay.rulebase.conditions import LinearCondition
from assay.tables import Column, Schema
from assay.tables.data import load_charity_donors, load_dataset
from assay.trees.decision_tree_classifier import DecisionTreeClassifier
from assay.trees.outline import Branch, Outline, OutlineNode
from assay.trees.rules import outline_rules, rules_of
from assay.trees.tree import Surrogates, Tree

# IML figure 9-6: age, years in job, gender (unused), job type.
FIGURE_9_6 = Tree.of(
    {"feature": 0, "threshold": 38.5, "children": [
        {"feature": 3, "children": [{"value": 0.4, "n": 4}, {"value": 0.3, "n": 3}, {"value": 0.2, "n": 2}]},
        {"feature": 1, "threshold": 2.5, "children": [{"value": 0.6, "n": 5}, {"value": 0.8, "n": 6}]},
    ]},
    [0, 0, 2, 3],
)  # fmt: skip
PEOPLE = Schema(
    [
        Column("age"),
        Column("years-in-job"),
        Column("gender", "nominal", ("f", "m")),
        Column("job-type", "nominal", ("A", "B", "C")),
    ]
)


@pytest.mark.capability("IML-9-21")
def test_the_rules_of_figure_9_6():
    """R1 to R5 as the book numbers them: by the answer, the greatest first."""
    base = rules_of(FIGURE_9_6, PEOPLE).ordered("answer")
    assert base.text().splitlines() == [
        "R1: IF age > 38.5 AND years-in-job > 2.5 THEN y = 0.8",
        "R2: IF age > 38.5 AND years-in-job <= 2.5 THEN y = 0.6",
        "R3: IF age <= 38.5 AND job-type = 'A' THEN y = 0.4",
        "R4: IF age <= 38.5 AND job-type = 'B' THEN y = 0.3",
        "R5: IF age <= 38.5 AND job-type = 'C' THEN y = 0.2",
    ]
    used = {PEOPLE[j].name for rule in base for c in rule.conditions for j in c.columns()}
    assert used == {"age", "years-in-job", "job-type"}  # gender is not asked


@pytest.mark.capability("IML-9-23")
def test_supports_add_up_to_one():
    base = rules_of(FIGURE_9_6, PEOPLE)
    assert [rule.support for rule in base] == [4 / 20, 3 / 20, 2 / 20, 5 / 20, 6 / 20]
    assert sum(rule.support for rule in base) == pytest.approx(1, abs=1e-15)
    tree = Tree.of(
        {
            "feature": 0,
            "threshold": 0.5,
            "children": [{"value": [0.25, 0.75], "n": 8}, {"value": [1, 0], "n": 2}],
        },
        [0],
    )
    low, high = rules_of(tree, Schema.numeric(1), ["a", "b"])
    assert (low.support, low.accuracy, low.counts) == (0.8, 0.75, (2.0, 6.0))
    assert (high.support, high.accuracy, high.counts) == (0.2, 1.0, (2.0, 0.0))


@pytest.mark.capability("IML-9-22")
def test_figure_9_1_as_one_rule_per_class():
    """IML 9.4: IF (x1 <= w10) OR ((x1 > w10) AND (x2 <= w20)) THEN C1."""
    tree = Tree.of(
        {"feature": 0, "threshold": 0.5, "children": [
            {"value": [1, 0], "n": 2},
            {"feature": 1, "threshold": 0.25, "children": [{"value": [1, 0], "n": 1}, {"value": [0, 1], "n": 1}]},
        ]},
        [0, 0],
    )  # fmt: skip
    base = rules_of(tree, Schema([Column("x1"), Column("x2")]), ["C1", "C2"])
    assert base.disjunctions().splitlines()[0] == "IF (x1 <= 0.5) OR (x1 > 0.5 AND x2 <= 0.25) THEN C1"


@pytest.mark.capability("C3-46")
def test_the_path_of_an_apple_in_figure_3_15():
    """C3 figure 3-15: (sour-sweet, round, yellow-green) goes from node 1 to node 3 to leaf 5, Fuji.

    Nodes are numbered level by level, leaves from left to right.
    """
    fuji, guoguang = {"value": [1, 0], "n": 1}, {"value": [0, 1], "n": 1}
    tree = Tree.of(
        {"feature": 0, "children": [
            {"feature": 1, "children": [fuji, {"feature": 2, "children": [fuji, fuji, guoguang]}]},
            {"feature": 1, "children": [fuji, {"feature": 2, "children": [fuji, guoguang, guoguang]}]},
        ]},
        [2, 2, 3],
    )  # fmt: skip
    schema = Schema(
        [
            Column("taste", "nominal", ("sweet", "sour-sweet")),
            Column("shape", "nominal", ("round", "oblate")),
            Column("colour", "nominal", ("yellow", "yellow-green", "green")),
        ]
    )
    assert (tree.n_leaves, tree.node_count) == (8, 13)
    by_level = sorted(np.flatnonzero(~tree.is_leaf), key=lambda i: (tree.depth[i], i))
    steps = tree.path([1.0, 0.0, 1.0])
    assert [by_level.index(node) + 1 for node, _ in steps[:-1]] == [1, 3]
    leaf = steps[-1][0]
    base = rules_of(tree, schema, ["Fuji", "Guoguang"])
    number = np.flatnonzero(tree.is_leaf).tolist().index(leaf)
    assert number + 1 == 5
    assert base.text().splitlines()[number] == "R5: IF taste = 'sour-sweet' AND shape = 'round' THEN Fuji"
    assert base.predict({"taste": ["sour-sweet"], "shape": ["round"], "colour": ["yellow-green"]}) == ["Fuji"]


@pytest.mark.capability("DC-33")
def test_rules_of_the_charity_figure():
    """DC figure 10.3a: four pure leaves of 4, 1, 1, 5 rows."""
    data = load_charity_donors()
    N, Y = data.classes
    tree = Tree.of(
        {"feature": 0, "threshold": 50.0, "children": [
            {"feature": 1, "threshold": 60000.0, "children": [{"value": [1, 0], "n": 4}, {"value": [0, 1], "n": 1}]},
            {"feature": 1, "threshold": 50000.0, "children": [{"value": [1, 0], "n": 1}, {"value": [0, 1], "n": 5}]},
        ]},
        [0, 0],
    )  # fmt: skip
    base = rules_of(tree, data.X.schema, [N, Y])
    assert base.text().splitlines() == [
        f"R1: IF Age <= 50 AND Salary <= 60000 THEN {N}",
        f"R2: IF Age <= 50 AND Salary > 60000 THEN {Y}",
        f"R3: IF Age > 50 AND Salary <= 50000 THEN {N}",
        f"R4: IF Age > 50 AND Salary > 50000 THEN {Y}",
    ]
    rows = data.X.values
    measured = base.measured(rows, data.y)
    assert [(rule.n, rule.accuracy) for rule in measured] == [(4, 1), (1, 1), (1, 1), (5, 1)]
    assert (base.predict(rows) == np.asarray(data.y)).all()
    assert (base.covers(rows).sum(axis=1) == 1).all()


@pytest.mark.capability("DC-33")
def test_rules_of_the_oblique_charity_figure():
    """DC figure 10.3b: Age/50 + Salary/50000 <= 2 is no donor, above is a donor; all eleven are right."""
    data = load_charity_donors()
    N, Y = data.classes
    below = LinearCondition(((0, 1 / 50), (1, 1 / 50000)), high=2.0)
    above = LinearCondition(((0, 1 / 50), (1, 1 / 50000)), low=2.0)
    schema = data.X.schema
    nodes = [
        OutlineNode(
            Y, 11, (5, 6), (5 / 11, 6 / 11), "0.02 Age + 2e-05 Salary",
            (Branch(below.words(schema), "<= 2", 1, below), Branch(above.words(schema), "> 2", 2, above)),
        ),
        OutlineNode(N, 5, (5, 0), (1, 0)),
        OutlineNode(Y, 6, (0, 6), (0, 1)),
    ]  # fmt: skip
    base = outline_rules(Outline(nodes, schema, (N, Y)))
    assert base.text().splitlines()[0] == f"R1: IF 0.02 Age + 2e-05 Salary <= 2 THEN {N}"
    rows = data.X.values
    assert (base.predict(rows) == np.asarray(data.y)).all()


def test_conditions_on_one_column_are_merged_on_request():
    tree = Tree.of(
        {"feature": 0, "threshold": 9.0, "children": [
            {"feature": 0, "threshold": 5.0, "children": [{"value": 1, "n": 1}, {"value": 2, "n": 1}]},
            {"value": 3, "n": 1},
        ]},
        [0],
    )  # fmt: skip
    schema = Schema([Column("x")])
    assert "IF 5 < x <= 9 THEN" in str(rules_of(tree, schema))
    assert "IF x <= 9 AND x > 5 THEN" in str(rules_of(tree, schema, merge=False))


def test_missing_values_follow_the_tree_or_are_not_covered():
    directed = Tree.of(
        {
            "feature": 0,
            "threshold": 9.0,
            "missing": 1,
            "children": [{"value": 1, "n": 1}, {"value": 2, "n": 1}],
        },
        [0],
    )
    base = rules_of(directed, Schema([Column("x")]))
    assert base.predict([[np.nan]]).tolist() == [2.0]
    assert base.text(missing=True).splitlines()[1] == "R2: IF x > 9 or missing THEN y = 2"
    spread = Tree.of(
        {"feature": 0, "threshold": 9.0, "children": [{"value": 1, "n": 1}, {"value": 2, "n": 1}]}, [0]
    )
    with pytest.raises(DataError, match="no rule covers row 1"):
        rules_of(spread, Schema([Column("x")])).predict([[np.nan]])


def test_a_test_without_a_form_for_rules_is_refused():
    nodes = [
        OutlineNode(1.0, 2, test="a network", branches=(Branch("net > 0", "> 0", 1),)),
        OutlineNode(1.0, 2),
    ]
    with pytest.raises(ValueError, match="'net > 0' has no form"):
        outline_rules(Outline(nodes, Schema.numeric(1)))


def test_with_surrogates_missing_values_are_not_covered():
    """Other columns say which way such a row goes, which a rule on this column cannot."""
    tree = Tree.of(
        {
            "feature": 0,
            "threshold": 9.0,
            "missing": 1,
            "children": [{"value": 1, "n": 1}, {"value": 2, "n": 1}],
        },
        [0, 0],
    )
    backup = Surrogates(
        offset=np.array([0, 1, 1, 1], np.int32), feature=np.array([1], np.int32), kind=np.array([1], np.uint8),
        threshold=np.array([5.0]), set_offset=np.zeros(2, np.int32), sets=np.zeros(0, np.uint32),
        flip=np.zeros(1, np.uint8),
    )  # fmt: skip
    backed = dataclasses.replace(tree, surrogates=backup)
    backed.check()
    assert backed.predict(np.array([[np.nan, 3.0], [np.nan, 7.0]])).ravel().tolist() == [1.0, 2.0]
    assert not rules_of(backed, Schema.numeric(2)).covers([[np.nan, 3.0], [np.nan, 7.0]]).any()


@pytest.mark.parametrize(
    "name", ["iris", "wine", "breast_cancer", "german_credit", "breast_cancer_ljubljana"]
)
def test_rules_answer_as_the_fitted_tree_does(name):
    """Real tables with numbers, categories and missing values; the tree learns where missing values go."""
    data = load_dataset(name)
    model = DecisionTreeClassifier(min_samples_leaf=2, random_state=0).fit(data.X, data.y)
    base = model.rules()
    assert len(base) == model.get_n_leaves()
    assert (base.predict(data.X) == model.predict(data.X)).all()
    assert sum(rule.support for rule in base) == pytest.approx(1, abs=1e-12)
    right = sum(rule.support * rule.accuracy for rule in base)
    assert right == pytest.approx(model.score(data.X, data.y), abs=1e-12)
    again = base.measured(data.X, data.y)
    assert [rule.n for rule in again] == [rule.n for rule in base]
    assert [rule.correct for rule in again] == [rule.correct for rule in base]


def test_with_losses_rules_and_text_answer_with_the_cheapest_class():
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    y = (rng.random(200) < X[:, 0]).astype(int)
    model = DecisionTreeClassifier(criterion="risk", loss=[[0, 5], [1, 0]], max_depth=2).fit(X, y)
    likeliest = model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert (model.predict(X) != likeliest).any()
    assert (model.rules().predict(X) == model.predict(X)).all()


def test_the_path_of_a_row_says_where_a_value_is_missing():
    X = {"age": [20.0, 30.0, 50.0, 60.0, np.nan], "job": ["a", "b", "a", "b", "a"]}
    model = DecisionTreeClassifier().fit(X, ["no", "no", "yes", "yes", "yes"])
    told = str(model.explain({"age": [np.nan], "job": ["b"]}))
    assert "age is missing: as if age > 40" in told
