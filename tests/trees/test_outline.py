"""The tree in words: text, outline and rules all decide as the tree itself does, boundaries included."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.rulebase.conditions import Condition
from assay.tables import Column, Schema
from assay.trees.growing import grow, rank_columns
from assay.trees.outline import Outline, OutlineNode, outline_of
from assay.trees.rules import outline_rules, rules_of
from assay.trees.text import tree_text
from assay.trees.tree import Tree

TOWNS = tuple(f"t{c}" for c in range(12))
SCHEMA = Schema(
    [
        Column("age"),
        Column("pay"),
        Column("job", "nominal", ("A", "B", "C")),
        Column("town", "nominal", TOWNS),
    ]
)
N_CATEGORIES = [0, 0, 3, 12]
CUTS = [-1.5, 0.0, 0.1 + 0.2, 1e-7, 2.5, 1e6 + 0.1]


@st.composite
def trees(draw, depth=4):
    """Random trees of all kinds of tests; numbers as answers, so that every leaf is recognised."""
    count = iter(range(10**6))

    def node(level):
        kind = (
            draw(st.sampled_from(["leaf", "threshold", "ternary", "subset", "nway"]))
            if level < depth
            else "leaf"
        )
        missing = draw(st.integers(0, 1))
        if kind == "leaf" and level > 0:
            return {"value": float(next(count)), "n": draw(st.integers(1, 5))}
        if kind == "ternary":
            low, high = sorted(draw(st.lists(st.sampled_from(CUTS), min_size=2, max_size=2, unique=True)))
            below = [node(level + 1) for _ in range(3)]
            return {"feature": 0, "threshold": low, "second": high, "children": below, "missing": missing}
        if kind == "subset":
            chosen = draw(st.sets(st.integers(0, 11), min_size=1, max_size=11))
            below = [node(level + 1) for _ in range(2)]
            return {"feature": 3, "subset": sorted(chosen), "children": below, "missing": missing}
        if kind == "nway":
            return {"feature": 2, "children": [node(level + 1) for _ in range(3)], "missing": missing}
        below = [node(level + 1) for _ in range(2)]
        where = {"feature": draw(st.integers(0, 1)), "threshold": draw(st.sampled_from(CUTS))}
        return {**where, "children": below, "missing": missing}

    return Tree.of(node(0), N_CATEGORIES)


def rows_around_the_cuts(rng, n=60, missing=False):
    numbers = np.array(
        [f(c) for c in CUTS for f in (float, lambda v: np.nextafter(v, 9e9), lambda v: np.nextafter(v, -9e9))]
    )
    X = np.column_stack(
        [rng.choice(numbers, n), rng.choice(numbers, n), rng.integers(0, 3, n), rng.integers(0, 12, n)]
    ).astype(float)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    return X


def holds(words, row):
    """Whether a printed condition holds for a row, by reading it."""
    value = {c.name: SCHEMA.label(j, row[j]) for j, c in enumerate(SCHEMA)}
    names = "age|pay|job|town"
    if re.fullmatch(rf"({names}) is (missing|none of its categories)", words):
        return False  # a leaf that no row with all values reaches
    if found := re.fullmatch(rf"({names}) (<=|>) (\S+)", words):
        name, sign, end = found.groups()
        return value[name] <= float(end) if sign == "<=" else value[name] > float(end)
    if found := re.fullmatch(rf"(\S+) < ({names}) <= (\S+)", words):
        low, name, high = found.groups()
        return float(low) < value[name] <= float(high)
    name, sign, rest = re.fullmatch(rf"({names}) (=|!=|in|not in) (.*)", words).groups()
    listed = [label.strip("'") for label in rest.strip("{}").split(", ")]
    return (value[name] in listed) == (sign in ("=", "in"))


def read_text(text, row):
    """The answer that somebody reads from the printed tree."""
    lines = [(line.count("|   "), line.replace("|   ", "")) for line in text.splitlines()]
    level = 0
    for depth, line in lines:
        words, _, answer = line.partition(": ")
        if depth == level and holds(words, row):
            if answer:
                return float(answer.split(" ")[0])
            level += 1
    raise AssertionError("the text does not answer")


@settings(max_examples=60, deadline=None)
@given(trees(), st.integers(0, 2**31))
def test_printed_tree_decides_as_the_tree_does(tree, seed):
    X = rows_around_the_cuts(np.random.default_rng(seed), 25)
    text = tree_text(outline_of(tree, SCHEMA))
    assert [read_text(text, row) for row in X] == tree.predict(X)[:, 0].tolist()


@settings(max_examples=60, deadline=None)
@given(trees(), st.integers(0, 2**31), st.booleans())
def test_printed_rules_decide_as_the_tree_does(tree, seed, merge):
    X = rows_around_the_cuts(np.random.default_rng(seed), 25)
    rules = [
        re.fullmatch(r"R\d+: IF (.*) THEN y = (\S+)", line).groups()
        for line in str(rules_of(tree, SCHEMA, merge=merge)).splitlines()
    ]
    for row, expected in zip(X, tree.predict(X)[:, 0]):
        fired = [
            float(answer) for premise, answer in rules if all(holds(c, row) for c in premise.split(" AND "))
        ]
        assert fired == [expected]


@pytest.mark.capability("IML-9-01")
@settings(max_examples=60, deadline=None)
@given(trees(), st.integers(0, 2**31))
def test_regions_of_the_leaves_part_the_rows_as_the_tree_does(tree, seed):
    """Each leaf's region is the conjunction of its branches; a row is in the region of the leaf that it reaches."""
    X = rows_around_the_cuts(np.random.default_rng(seed), missing=True)
    outline = outline_of(tree, SCHEMA)
    leaf = tree.apply(X)
    for i in outline.leaves:
        inside = np.all([step.condition.covers(X) for step in outline.steps(i)], axis=0)
        assert (inside == (leaf == i)).all()


@settings(max_examples=40, deadline=None)
@given(trees())
def test_outline_has_the_tree_s_shape(tree):
    outline = outline_of(tree, SCHEMA)
    assert (outline.parent == tree.parent).all()
    assert (outline.depth == tree.depth).all()
    assert (outline.below + 1 == tree.end - np.arange(tree.node_count)).all()
    assert outline.leaves == np.flatnonzero(tree.is_leaf).tolist()
    assert [node.n for node in outline.nodes] == tree.weighted_n_node_samples.tolist()


@pytest.mark.capability("IML-9-01")
def test_the_tree_of_figure_9_1():
    """IML figure 9-1: x1 > w10 first, the other side is pure; then x2 > w20: two tests, three leaves."""
    tree = Tree.of(
        {"feature": 0, "threshold": 0.5, "children": [
            {"value": [1, 0], "n": 200},
            {"feature": 1, "threshold": 0.5, "children": [{"value": [1, 0], "n": 100}, {"value": [0, 1], "n": 100}]},
        ]},
        [0, 0],
    )  # fmt: skip
    outline = outline_of(tree, Schema([Column("x1"), Column("x2")]), ["C1", "C2"])
    assert (tree.node_count, tree.n_leaves, tree.max_depth) == (5, 3, 2)
    regions = {i: " AND ".join(map(str, outline.steps(i))) for i in outline.leaves}
    assert regions == {1: "x1 <= 0.5", 3: "x1 > 0.5 AND x2 <= 0.5", 4: "x1 > 0.5 AND x2 > 0.5"}
    assert [outline.nodes[i].answer for i in outline.leaves] == ["C1", "C1", "C2"]
    assert outline.nodes[2].counts == (100.0, 100.0)


def test_nodes_are_put_into_words_when_they_are_looked_at():
    outline = outline_of(chain(3), Schema.numeric(1))
    assert len(outline.nodes) == 7 and outline.nodes.made == [None] * 7
    assert outline.nodes[-1] is outline.nodes[6]
    assert outline.nodes.made[:6] == [None] * 6
    assert outline.nodes[1:3] == [outline.nodes[1], outline.nodes[2]]
    with pytest.raises(IndexError):
        outline.nodes[7]


def test_answers_can_be_given():
    """A learner that minimises a risk may answer with another class than the most frequent one."""
    tree = Tree.of({"value": [0.6, 0.4], "n": 10}, [0])
    outline = outline_of(tree, Schema.numeric(1), np.array(["a", "b"]), answers=np.array(["b"]))
    assert outline.nodes[0].answer == "b"
    assert tree_text(outline) == "b (4 of 10)"


def test_counts_are_whole_where_only_rounding_says_otherwise():
    tree = Tree.of({"value": [1 / 3, 1 / 3, 1 / 3], "n": 3}, [0])
    assert outline_of(tree, Schema.numeric(1), "abc").nodes[0].counts == (1.0, 1.0, 1.0)
    tree = Tree.of({"value": [0.25, 0.75], "n": 3.5}, [0])
    assert outline_of(tree, Schema.numeric(1), "ab").nodes[0].counts == (0.875, 2.625)


def test_a_threshold_on_ordered_categories_names_them():
    schema = Schema([Column("size", "ordinal", ("small", "medium", "large"))])
    tree = Tree.of(
        {"feature": 0, "threshold": 1.5, "children": [{"value": 1, "n": 1}, {"value": 2, "n": 1}]}, [0]
    )
    assert [b.words for b in outline_of(tree, schema).nodes[0].branches] == [
        "size <= medium",
        "size > medium",
    ]


def test_colours_follow_class_and_number():
    tree = Tree.of(
        {"feature": 0, "threshold": 0.0, "children": [{"value": 1, "n": 1}, {"value": 3, "n": 1}]}, [0]
    )
    outline = outline_of(tree, Schema.numeric(1))
    assert outline.value_range == (1.0, 3.0)
    assert outline.colour(1) != outline.colour(2)
    flat = Outline([OutlineNode(2.0, 1, value=(2.0,))], Schema.numeric(1))
    assert flat.colour(0).startswith("#")


def chain(depth):
    """A tree that is one long path: x <= depth, x <= depth - 1, ..."""
    m = 2 * depth + 1
    inner = np.arange(depth)
    parent = np.concatenate(
        ([-1], inner[:-1], inner, inner[-1:])
    )  # inner nodes, one leaf each, one more leaf
    branch = np.concatenate((np.zeros(depth), np.ones(depth), [0])).astype(int)
    kind = np.concatenate((np.ones(depth), np.zeros(depth + 1))).astype(int)
    return Tree.assemble(
        parent=parent, branch=branch, kind=kind, feature=np.where(kind, 0, -2),
        threshold=np.where(kind, depth - np.arange(m), -2.0), missing=np.where(kind, 0, -1),
        values=np.arange(m)[:, None], impurity=np.zeros(m), n_node_samples=np.ones(m),
        weighted_n_node_samples=np.concatenate((np.arange(depth, 0, -1) + 1, np.ones(depth + 1))),
        n_categories=np.array([0]),
    )  # fmt: skip


def test_a_very_deep_tree_can_be_read():
    """Tens of thousands of tests deep: text and rules grow with the nodes, and nothing recurses."""
    tree = chain(30_000)
    assert tree.max_depth == 30_000
    outline = outline_of(tree, Schema.numeric(1))
    text = tree_text(outline)
    assert text.count("\n") + 1 == 60_000 and len(text) < 3_000_000
    base = outline_rules(outline)
    assert base[0].conditions == (Condition(0, high=1.0, missing=True),)
    assert base[1].premise(Schema.numeric(1)) == "1 < x0 <= 2"
    assert base[-1].premise(Schema.numeric(1)) == "x0 > 30000"


def test_words_name_only_the_categories_that_reach_a_node():
    """What an earlier test has sent elsewhere is not told again, so the words grow as r log r and not as r^2."""
    leaf = {"value": 1.0, "n": 1}
    low = {"feature": 0, "subset": [0], "children": [leaf, leaf]}
    high = {
        "feature": 1,
        "threshold": 0.5,
        "children": [leaf, {"feature": 0, "subset": [5], "children": [leaf, leaf]}],
    }
    tree = Tree.of({"feature": 0, "subset": [0, 1, 2], "children": [low, high]}, n_categories=[7, 0])
    schema = Schema([Column("c", "nominal", tuple("abcdefg")), Column("x")])
    outline = outline_of(tree, schema)
    assert [b.words for b in outline.nodes[0].branches] == ["c in {a, b, c}", "c in {d, e, f, g}"]
    assert [b.words for b in outline.nodes[6].branches] == [
        "c = f",
        "c in {d, e, g}",
    ]  # before any other node
    assert [b.words for b in outline.nodes[1].branches] == ["c = a", "c in {b, c}"]


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_of_the_rows_that_reach_a_node_each_meets_one_of_its_conditions(seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 40, 120), rng.normal(size=120), rng.integers(0, 3, 120)]).astype(
        float
    )
    tree = grow(rank_columns(X, [40, 0, 3]), rng.normal(size=120), n_classes=0, criterion="squared_error")
    letters = tuple(f"k{c}" for c in range(40))
    outline = outline_of(
        tree, Schema([Column("c", "nominal", letters), Column("x"), Column("z", "nominal", letters[:3])])
    )
    passed = tree.decision_path(X).toarray().astype(bool)
    for i, node in enumerate(outline.nodes):
        for branch in node.branches:
            np.testing.assert_array_equal(
                branch.condition.covers(X[passed[:, i]]), passed[passed[:, i], branch.child]
            )
