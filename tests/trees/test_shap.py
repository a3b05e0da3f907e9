"""Shapley values of trees: against all subsets, against LightGBM, and against their own axioms."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.core.explanation import text_table
from assay.trees.shap import contribution_section, contributions, interactions
from assay.trees.tree import LEAF, Surrogates, Tree

CATEGORIES = [0, 3, 0, 40]  # columns of the random trees: numbers and categories


def known_answer(tree, x, known):
    """f(S): what the tree answers when only the columns in ``known`` are known. Straight from the definition."""
    answer, todo = np.zeros(tree.values.shape[1]), [(0, 1.0)]
    while todo:
        node, share = todo.pop()
        if tree.kind[node] == LEAF:
            answer += share * tree.values[node]
            continue
        children = tree.children(node)
        weights = tree.weighted_n_node_samples[children]
        weights = weights / weights.sum() if weights.sum() > 0 else np.eye(len(children))[0]
        if tree.feature[node] in known:
            single = single_step(tree, node, x)
            weights = weights if single < 0 else np.eye(len(children))[single]
        todo += [(c, share * w) for c, w in zip(children, weights) if w > 0]
    return answer


def single_step(tree, node, x):
    """The branch that the tree itself takes at a node: asked of the one-test tree below it."""
    v = x[tree.feature[node]]
    if np.isnan(v):
        return int(tree.missing[node])
    kind = tree.kind[node]
    if kind == 1:
        return int(v > tree.threshold[node])
    if kind == 2:
        return int(v not in tree.subset(node))
    return int(v) if kind == 3 else int(v > tree.threshold[node]) + int(v > tree.second(node))


def shapley_by_subsets(tree, x):
    """(d, V) by equation (1): every subset of the columns."""
    d = tree.n_features
    phi = np.zeros((d, tree.values.shape[1]))
    for j in range(d):
        others = [i for i in range(d) if i != j]
        for size in range(d):
            weight = factorial(size) * factorial(d - size - 1) / factorial(d)
            for S in combinations(others, size):
                phi[j] += weight * (known_answer(tree, x, {*S, j}) - known_answer(tree, x, set(S)))
    return phi


def random_tree(rng, outputs, depth=4):
    """Every kind of test, missing values directed and spread, and some children that no row reached."""

    def node(level):
        if level == 0 or rng.random() < 0.2:
            return {
                "value": rng.normal(size=outputs),
                "n": 0.0 if rng.random() < 0.1 else rng.integers(1, 9) / 2,
            }
        j = int(rng.integers(4))
        if CATEGORIES[j] == 0:
            low, high = np.sort(rng.normal(size=2))
            test = {"threshold": low} if rng.random() < 0.7 else {"threshold": low, "second": high}
            width = 2 if len(test) == 1 else 3
        elif rng.random() < 0.5 or CATEGORIES[j] > 5:
            test, width = {"subset": np.flatnonzero(rng.random(CATEGORIES[j]) < 0.5)}, 2
        else:
            test, width = {}, CATEGORIES[j]
        missing = int(rng.integers(-1, width))
        return {
            "feature": j,
            **test,
            "missing": missing,
            "children": [node(level - 1) for _ in range(width)],
        }

    return Tree.of(node(depth), CATEGORIES)


def random_rows(rng, n):
    X = np.column_stack([rng.integers(c, size=n) if c else rng.normal(size=n) for c in CATEGORIES]).astype(
        float
    )
    X[rng.random(X.shape) < 0.15] = np.nan
    return X


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), outputs=st.integers(1, 3))
def test_equal_to_the_sum_over_all_subsets(seed, outputs):
    rng = np.random.default_rng(seed)
    tree, X = random_tree(rng, outputs, depth=3), random_rows(rng, 3)
    phi, base = contributions(tree, X)
    assert_allclose(base, known_answer(tree, X[0], set()), atol=1e-12)
    assert_allclose(phi, [shapley_by_subsets(tree, x) for x in X], atol=1e-12)


def interaction_by_subsets(tree, x, i, j):
    """(V,) straight from the definition: every subset of the other columns."""
    d = tree.n_features
    others, total = [k for k in range(d) if k not in (i, j)], 0.0
    for size in range(d - 1):
        weight = factorial(size) * factorial(d - size - 2) / (2 * factorial(d - 1))
        for S in combinations(others, size):
            with_i, with_j = known_answer(tree, x, {*S, i}), known_answer(tree, x, {*S, j})
            total += weight * (
                known_answer(tree, x, {*S, i, j}) - with_i - with_j + known_answer(tree, x, set(S))
            )
    return total


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), outputs=st.integers(1, 2))
def test_interactions_are_those_of_all_subsets_symmetric_and_sum_to_the_contributions(seed, outputs):
    rng = np.random.default_rng(seed)
    trees, X = [random_tree(rng, outputs, depth=3) for _ in range(2)], random_rows(rng, 2)
    found, (phi, _) = interactions(trees, X, [1.0, -0.5]), contributions(trees, X, [1.0, -0.5])
    assert_allclose(found, found.transpose(0, 2, 1, 3), atol=1e-12)
    assert_allclose(found.sum(axis=2), phi, atol=1e-12)
    for i, j in combinations(range(4), 2):
        both = [interaction_by_subsets(tree, X[0], i, j) for tree in trees]
        assert_allclose(found[0, i, j], both[0] - 0.5 * both[1], atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 20))
def test_base_and_contributions_add_up_to_the_answer(seed, n):
    rng = np.random.default_rng(seed)
    trees, scale, X = [random_tree(rng, 2, 6) for _ in range(4)], rng.normal(size=4), random_rows(rng, n)
    phi, base = contributions(trees, X, scale)
    answer = sum(s * tree.predict(X) for s, tree in zip(scale, trees))
    assert_allclose(base + phi.sum(axis=1), answer, atol=1e-11)


def test_a_row_has_the_same_contributions_alone_and_among_others():
    rng = np.random.default_rng(2)
    tree, X = random_tree(rng, 2, 6), random_rows(rng, 700)
    phi, _ = contributions(tree, X)
    for i in (0, 5, 255, 256, 699):
        assert_allclose(contributions(tree, X[i : i + 1])[0][0], phi[i], rtol=1e-13, atol=1e-15)


def test_columns_that_no_tree_tests_get_exactly_nothing_and_missing_ones_that_are_spread_too():
    leaf = [{"value": 1.0, "n": 3}, {"value": 2.0, "n": 5}]
    tree = Tree.of({"feature": 1, "threshold": 0.0, "children": leaf}, [0, 0, 0])
    phi, base = contributions(tree, [[7.0, 1.0, np.nan], [7.0, np.nan, 1.0]])
    assert_array_equal(phi[0, :, 0] != 0, [False, True, False])
    assert_array_equal(phi[1], 0.0)
    assert_allclose(base, [13 / 8])


def test_trees_of_one_output_each_add_to_the_output_they_belong_to():
    rng = np.random.default_rng(3)
    trees, X = [random_tree(rng, 1, 4) for _ in range(6)], random_rows(rng, 9)
    phi, base = contributions(trees, X, 0.5, output=[0, 1, 2, 0, 1, 2], n_outputs=3)
    for k in range(3):
        alone, its_base = contributions([trees[k], trees[k + 3]], X, 0.5)
        assert_allclose(phi[:, :, k], alone[:, :, 0], atol=1e-14)
        assert_allclose(base[k], its_base[0], atol=1e-14)


def test_a_single_leaf_is_all_base():
    phi, base = contributions(Tree.of({"value": [0.25, 0.75], "n": 4}, [0, 0]), np.zeros((3, 2)))
    assert_array_equal(phi, np.zeros((3, 2, 2)))
    assert_allclose(base, [0.25, 0.75])


def test_a_surrogate_gives_the_credit_to_the_column_it_stands_in_for():
    tree = Tree.of(
        {"feature": 0, "threshold": 0.0, "children": [{"value": 1.0, "n": 1}, {"value": 3.0, "n": 1}]}, [0, 0]
    )
    arrays = {name: value for name, value in vars(tree).items() if not name.startswith("_")}
    backup = Surrogates(
        offset=np.array([0, 1, 1, 1], np.int32),
        feature=np.array([1], np.int32),
        kind=np.array([1], np.uint8),
        threshold=np.array([5.0]),
        set_offset=np.zeros(2, np.int32),
        sets=np.zeros(0, np.uint32),
        flip=np.array([0], np.uint8),
    )
    fields = {name: arrays[name] for name in Tree.__dataclass_fields__}
    phi, base = contributions(Tree(**{**fields, "surrogates": backup}), [[np.nan, 9.0]])
    assert_allclose(phi[0, :, 0], [1.0, 0.0])
    assert_allclose(base, [2.0])


def test_a_chain_of_100_000_tests_adds_up():
    m = 2 * 100_000 + 1
    inner = np.arange(0, m - 1, 2)  # node 2 i tests, node 2 i + 1 is its leaf
    parent = np.full(m, -1)
    parent[inner + 1], parent[inner + 2] = inner, inner
    branch = np.zeros(m, int)
    branch[inner + 2] = 1
    kind = np.zeros(m, np.uint8)
    kind[inner] = 1
    feature = np.full(m, -2)
    feature[inner] = (inner // 2) % 3
    weights = np.ones(m)
    weights[inner] = np.arange(len(inner), 0, -1) + 1.0
    tree = Tree.assemble(
        parent=parent,
        branch=branch,
        feature=feature,
        kind=kind,
        threshold=np.where(kind == 1, -1.0, -2.0),
        missing=np.full(m, -1),
        values=np.arange(m, dtype=float)[:, None] / m,
        impurity=np.zeros(m),
        n_node_samples=np.ones(m, int),
        weighted_n_node_samples=weights,
        n_categories=np.zeros(3, int),
    )
    X = np.array([[0.0, 0.0, 0.0], [0.0, -2.0, 0.0], [np.nan, 0.0, 0.0]])
    phi, base = contributions(tree, X)
    assert_allclose(base + phi.sum(axis=1), tree.predict(X), atol=1e-9)
    assert phi[2, 0, 0] == 0


def from_lightgbm(node, d):
    """A tree of LightGBM's dump as nested plain data."""
    if "leaf_value" in node:
        return {"value": node["leaf_value"], "n": node["leaf_count"]}
    return {
        "feature": node["split_feature"],
        "threshold": node["threshold"],
        "missing": 0 if node["default_left"] else 1,
        "children": [from_lightgbm(node["left_child"], d), from_lightgbm(node["right_child"], d)],
    }


@pytest.mark.parametrize(
    "leaves, load", [(4, "load_diabetes"), (31, "load_diabetes"), (15, "load_breast_cancer")]
)
def test_same_contributions_as_lightgbm(leaves, load):
    """Peer: LightGBM 4.7, pred_contrib; it too takes the training rows in a node as its weight."""
    import lightgbm
    import sklearn.datasets

    X, y = getattr(sklearn.datasets, load)(return_X_y=True)
    settings = {
        "num_leaves": leaves,
        "min_data_in_leaf": 5,
        "verbose": -1,
        "num_threads": 1,
        "deterministic": True,
    }
    booster = lightgbm.train(settings, lightgbm.Dataset(X, y), 20)
    dumped = booster.dump_model()["tree_info"]
    trees = [Tree.of(from_lightgbm(t["tree_structure"], X.shape[1]), [0] * X.shape[1]) for t in dumped]
    phi, base = contributions(trees, X[:50])
    theirs = booster.predict(X[:50], pred_contrib=True)
    assert_allclose(phi[:, :, 0], theirs[:, :-1], atol=1e-8 * np.abs(y).max())
    assert_allclose(base[0], theirs[0, -1], rtol=1e-9)


def test_nodes_out_of_order_are_refused():
    tree = Tree.of({"feature": 0, "threshold": 0.0, "children": [
        {"feature": 0, "threshold": -1.0, "children": [{"value": 1.0, "n": 1}, {"value": 2.0, "n": 1}]},
        {"value": 3.0, "n": 1}]}, [0])  # fmt: skip
    fields = {name: getattr(tree, name) for name in Tree.__dataclass_fields__}
    swapped = Tree(
        **{**fields, "child": np.array([1, 2, 3, 4], np.int32), "kind": tree.kind[[0, 1, 4, 3, 2]]}
    )
    with pytest.raises(ValueError, match="preorder"):
        contributions(swapped, [[0.0]])


def test_rows_of_another_width_are_refused():
    tree = Tree.of({"value": 1.0, "n": 1}, [0, 0])
    with pytest.raises(ValueError, match="grown on 2 columns, X has 3"):
        contributions(tree, np.zeros((1, 3)))


def test_the_section_lists_the_largest_first_and_sums_up_the_rest():
    phi = np.concatenate((np.arange(1.0, 21.0), [0.0]))
    section = contribution_section({f"x{j}": float(j) for j in range(21)}, phi, 5.0, of="the log odds of yes")
    assert section.rows[0] == ["x19", 19.0, 20.0]
    assert section.rows[-3] == ["4 others", "", 10.0]
    assert section.rows[-2:] == [["base", "", 5.0], ["sum", "", 215.0]]
    assert "log odds of yes" in section.note
    assert len(text_table(section.columns, section.rows).splitlines()) == 20


@pytest.mark.parametrize("learner", ["forest", "extra trees", "boosting"])
def test_many_rows_are_explained_in_one_pass_and_as_each_alone(learner, monkeypatch):
    """The trees are grown back and planned once for up to 256 rows, not once a row."""
    from assay.learners import find_learner
    from assay.tables.data import load_iris
    from assay.trees import shap

    iris = load_iris()
    model = find_learner(learner).make().fit(iris.X, iris.y)
    alone = [model.explain(iris.X[i : i + 1]) for i in (0, 70, 149)]
    passes = []
    own = shap.contributions

    def counted(trees, X, *args, **options):
        passes.append(len(X))
        return own(trees, X, *args, **options)

    monkeypatch.setattr(shap, "contributions", counted)
    together = model.explain(iris.X)
    assert passes == [150]
    for i, explanation in zip((0, 70, 149), alone):
        assert str(together[i]) == str(explanation)  # the numbers may differ in the last bit
    assert set(model.__dict__).isdisjoint({"_row_reasons", "_row_contributions"})
