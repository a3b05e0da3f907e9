"""Cost-complexity pruning against its twin and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from assay.errors import ParameterError
from assay.trees.multiway import SplitRules, grow_multiway
from assay.trees.pruning import cost_complexity, cost_complexity_path, critical_alphas
from assay.trees.pruning.cost_complexity import sums_on_path
from assay.trees.tree import Tree


def weakest_links_by_the_book(tree, R):
    """Cut the weakest link again and again: (alpha, nodes that test) of every step."""
    tests, steps = set(np.flatnonzero(~tree.is_leaf).tolist()), []

    def leaves(i):
        return [i] if i not in tests else [leaf for c in tree.children(i) for leaf in leaves(int(c))]

    while tests:
        links = {}
        for i in tests:
            under = leaves(i)
            links[i] = (R[i] - sum(R[j] for j in under)) / (len(under) - 1)
        alpha = min(links.values())
        weakest = {i for i, a in links.items() if a <= alpha + 1e-12}
        tests = {i for i in tests if not any(_under(tree, i, w) for w in weakest)}
        steps.append((alpha, set(tests)))
    return steps


def _under(tree, i, above):
    while i >= 0:
        if i == above:
            return True
        i = int(tree.parent[i])
    return False


@given(seed=st.integers(0, 1000), ways=st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_the_strengths_are_those_of_the_twin(seed, ways):
    random = np.random.default_rng(seed)
    X = np.column_stack([random.random(40), random.integers(0, ways, 40)])
    tree = grow_multiway(X, np.array([0, ways]), random.integers(0, 3, 40), None, 3, SplitRules())
    R = tree.impurity * tree.weighted_n_node_samples / 40
    strengths = critical_alphas(tree)
    for alpha, tests in weakest_links_by_the_book(tree, R):
        alive = {i for i in range(tree.node_count) if not tree.is_leaf[i] and strengths[i] > alpha + 1e-9}
        shown = {i for i in alive if all(p in alive for p in _ancestors(tree, i))}
        assert shown == tests
        assert cost_complexity(tree, max(alpha, 0) + 1e-9).node_count == 1 + sum(
            len(tree.children(i)) for i in tests
        )


def _ancestors(tree, i):
    while tree.parent[i] >= 0:
        i = int(tree.parent[i])
        yield i


def converted(peer):
    """scikit-learn's tree as one of ours."""
    t = peer.tree_
    left, right = t.children_left, t.children_right
    parent, branch = np.full(t.node_count, -1), np.zeros(t.node_count, int)
    for b, child in enumerate((left, right)):
        inner = np.flatnonzero(child >= 0)
        parent[child[inner]], branch[child[inner]] = inner, b
    return Tree.assemble(
        parent=parent,
        branch=branch,
        feature=t.feature,
        kind=(left >= 0).astype(int),
        threshold=t.threshold,
        missing=np.where(left >= 0, 0, -1),
        values=t.value[:, 0, :],
        impurity=t.impurity,
        n_node_samples=t.n_node_samples,
        weighted_n_node_samples=t.weighted_n_node_samples,
        n_categories=np.zeros(t.n_features, int),
    )


@pytest.mark.capability("DC-31")
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits, load_diabetes])
@pytest.mark.parametrize("weighted", [False, True])
def test_same_path_as_scikit_learn(load, weighted):
    """Peer: cost_complexity_pruning_path, scikit-learn 1.9, which lists equal prices one by one; here they are one."""
    X, y = load(return_X_y=True)
    numbers = load is load_diabetes
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float) if weighted else None
    learner = DecisionTreeRegressor if numbers else DecisionTreeClassifier
    peer = learner(random_state=0, criterion="squared_error" if numbers else "entropy").fit(X, y, w)
    path = cost_complexity_path(converted(peer))
    theirs = peer.cost_complexity_pruning_path(X, y, w)
    scale = theirs.ccp_alphas[-1]
    assert_allclose(path.alphas[-1], scale, rtol=1e-9)
    for alpha, cost in zip(path.alphas, path.costs):
        at = np.flatnonzero(theirs.ccp_alphas <= alpha * (1 + 1e-9) + 1e-12 * scale)[-1]
        assert_allclose(theirs.ccp_alphas[at], alpha, rtol=1e-9, atol=1e-12 * scale)
        assert_allclose(theirs.impurities[at], cost, rtol=1e-9, atol=1e-12 * scale)
    assert (np.diff(path.costs) >= -1e-12).all() and (np.diff(path.leaves) < 0).all()
    for alpha in np.sqrt(path.alphas[1:-1:7] * path.alphas[2::7]):
        cut = learner(random_state=0, criterion=peer.criterion, ccp_alpha=alpha).fit(X, y, w)
        ours = cost_complexity(converted(peer), alpha)
        assert ours.n_leaves == cut.get_n_leaves()
        assert_allclose(ours.predict(X.astype(np.float32)), cut.tree_.value[cut.apply(X), 0], rtol=1e-12)


@given(seed=st.integers(0, 1000), alpha=st.floats(0.0, 0.3))
@settings(max_examples=30, deadline=None)
def test_no_subtree_is_cheaper(seed, alpha):
    """R + alpha leaves of the pruned tree is the least over all subtrees: that of the recursion of costs."""
    random = np.random.default_rng(seed)
    tree = grow_multiway(
        random.random((30, 2)), np.zeros(2, int), random.integers(0, 2, 30), None, 2, SplitRules()
    )
    pruned = cost_complexity(tree, alpha, "error")

    def errors(t):
        counts = t.values * t.weighted_n_node_samples[:, None]
        return (counts.sum(axis=1) - counts.max(axis=1)) / 30

    cost = errors(tree) + alpha
    least = np.where(tree.is_leaf, cost, 0.0)
    for i in range(tree.node_count - 1, -1, -1):
        if not tree.is_leaf[i]:
            least[i] = min(cost[i], least[tree.children(i)].sum())
    assert_allclose(errors(pruned)[pruned.is_leaf].sum() + alpha * pruned.n_leaves, least[0], atol=1e-9)


def test_sums_over_the_leaves_of_every_pruned_tree():
    random = np.random.default_rng(2)
    X, y = random.random((80, 2)), random.integers(0, 3, 80)
    tree = grow_multiway(X, np.zeros(2, int), y, None, 3, SplitRules())
    prices = np.append(cost_complexity_path(tree).alphas, np.inf)
    sums = sums_on_path(tree, np.column_stack((tree.n_node_samples, tree.values[:, 1])), prices, "impurity")
    for price, (rows, share) in zip(prices, sums, strict=True):
        pruned = cost_complexity(tree, price)
        assert_allclose(rows, 80, rtol=1e-12)
        assert_allclose(share, pruned.values[pruned.is_leaf, 1].sum(), atol=1e-9)


def test_a_path_without_choice():
    path = cost_complexity_path(Tree.of({"value": [0.5, 0.5], "n": 2, "impurity": 0.5}, n_categories=[0]))
    assert_array_equal(path.alphas, [0])
    assert_array_equal(path.costs, [0.5])
    assert_array_equal(path.leaves, [1])


def test_an_unknown_cost_is_refused():
    tree = Tree.of({"value": [0.5, 0.5], "n": 2}, n_categories=[0])
    with pytest.raises(ParameterError, match="cost must be 'impurity' or 'error', got 'gini'"):
        cost_complexity(tree, 0.1, "gini")
