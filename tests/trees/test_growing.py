"""The grower against a readable twin, and against brute force."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeRegressor

from assay.core import parallel
from assay.errors import DataError
from assay.trees.growing import grow, rank_columns
from assay.trees.tree import LEAF, SUBSET, THRESHOLD, Tree

# ---------------------------------------------------------------- the twin


def shares(y, w, K):
    return np.bincount(y, w, K) / w.sum()


def median(y, w):
    """The middle of the weighted numbers; halfway if half of the weight ends at a number."""
    order = np.argsort(y, kind="stable")
    y, cumulated = y[order], np.cumsum(w[order])
    half = cumulated[-1] / 2
    low = y[np.searchsorted(cumulated, half - 1e-12 * cumulated[-1], side="right")]
    high = y[min(np.searchsorted(cumulated, half + 1e-12 * cumulated[-1], side="right"), len(y) - 1)]
    return (low + high) / 2


IMPURITY = {
    "gini": lambda y, w, K, loss: 1 - (shares(y, w, K) ** 2).sum(),
    "entropy": lambda y, w, K, loss: -sum(p * np.log2(p) for p in shares(y, w, K) if p > 0),
    "error": lambda y, w, K, loss: 1 - shares(y, w, K).max(),
    "risk": lambda y, w, K, loss: (loss @ shares(y, w, K)).min(),
    "squared_error": lambda y, w, K, loss: np.average((y - np.average(y, weights=w)) ** 2, weights=w),
    "absolute_error": lambda y, w, K, loss: np.average(np.abs(y - median(y, w)), weights=w),
    "poisson": lambda y, w, K, loss: np.average(
        [v * np.log(v / np.average(y, weights=w)) if v > 0 else 0.0 for v in y], weights=w
    ),
}


def cuts_of(x):
    """(threshold, rows on the left, missing go left) of a column, in the order in which they are tried."""
    known = np.unique(x[~np.isnan(x)])
    with_missing = np.isnan(x)
    middles = (known[1:] + known[:-1]) / 2
    for t in middles:
        yield t, x <= t, False
    if with_missing.any() and len(known):
        yield np.inf, ~with_missing, False
    for t in middles if with_missing.any() else ():
        yield t, (x <= t) | with_missing, True


def gain_of(y, w, left, criterion, K, loss):
    def mass(rows, c=criterion):
        return w[rows].sum() * IMPURITY[c](y[rows], w[rows], K, loss)

    def gain(c):
        return mass(slice(None), c) - mass(left, c) - mass(~left, c)

    if criterion == "poisson" and (y[left].sum() <= 0 or y[~left].sum() <= 0):
        return -np.inf
    return gain(criterion) + (1e-9 * gain("gini") if criterion in ("error", "risk") else 0)


def tree_by_the_book(X, y, w, K, criterion, loss=None, max_depth=99, min_leaf=1, min_weight=0.0):
    """Nodes in preorder as (feature, threshold, missing goes left, rows, weight, impurity)."""
    nodes, todo = [], [(np.arange(len(X)), 0)]
    while todo:
        rows, depth = todo.pop()
        yy, ww = y[rows], w[rows]
        impurity = IMPURITY[criterion](yy, ww, K, loss)
        best, found = -np.inf, None
        if depth < max_depth and len(np.unique(yy)) > 1:
            for j in range(X.shape[1]):
                for threshold, left, missing_left in cuts_of(X[rows, j]):
                    if min(left.sum(), (~left).sum()) < min_leaf:
                        continue
                    if min(ww[left].sum(), ww[~left].sum()) < min_weight:
                        continue
                    gain = gain_of(yy, ww, left, criterion, K, loss)
                    if gain > best + 1e-12 * ww.sum() * impurity:
                        if not np.isnan(X[rows, j]).any():
                            missing_left = 2 * left.sum() > len(rows)
                        best, found = gain, (j, threshold, missing_left, left)
        if found is None:
            nodes.append((-2, -2.0, -1, len(rows), ww.sum(), impurity))
            continue
        j, threshold, missing_left, left = found
        nodes.append((j, threshold, 0 if missing_left else 1, len(rows), ww.sum(), impurity))
        todo += [(rows[~left], depth + 1), (rows[left], depth + 1)]
    return nodes


def assert_same(tree: Tree, nodes):
    tree.check()
    feature, threshold, missing, rows, weight, impurity = map(np.array, zip(*nodes))
    assert_array_equal(tree.feature, feature)
    assert_allclose(tree.threshold, threshold, rtol=1e-12)
    assert_array_equal(tree.missing, missing)
    assert_array_equal(tree.n_node_samples, rows)
    assert_allclose(tree.weighted_n_node_samples, weight, rtol=1e-12)
    assert_allclose(tree.impurity, impurity, rtol=1e-9, atol=1e-9)


LOSS = np.array([[0.0, 1, 5], [1, 0, 1], [2, 1, 0]])


@pytest.mark.parametrize("weights", ["none", "whole", "real"])
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "error", "risk"])
@pytest.mark.parametrize("with_missing", [0.0, 0.2])
def test_classes_as_the_twin(criterion, K, weights, with_missing):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n = 25
        X, y = rng.integers(0, 7, (n, 3)).astype(float), rng.integers(0, K, n)
        X[rng.random(X.shape) < with_missing] = np.nan
        w = {"none": None, "whole": rng.integers(1, 4, n), "real": rng.random(n) + 0.1}[weights]
        loss = LOSS[:K, :K].copy()
        tree = grow(rank_columns(X), y, w, n_classes=K, criterion=criterion, loss=loss)
        ones = np.ones(n) if w is None else w.astype(float)
        assert_same(tree, tree_by_the_book(X, y, ones, K, criterion, loss))
        leaf = tree.apply(X)
        for node in np.unique(leaf):
            assert_allclose(tree.values[node], shares(y[leaf == node], ones[leaf == node], K), rtol=1e-12)


@pytest.mark.parametrize("weights", ["none", "whole", "real"])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("with_missing", [0.0, 0.2])
def test_numbers_as_the_twin(criterion, weights, with_missing):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        n = 25
        X, y = rng.integers(0, 7, (n, 3)).astype(float), rng.poisson(3, n) + rng.random(n) * (seed % 2)
        X[rng.random(X.shape) < with_missing] = np.nan
        w = {"none": None, "whole": rng.integers(1, 4, n), "real": rng.random(n) + 0.1}[weights]
        tree = grow(rank_columns(X), y, w, n_classes=0, criterion=criterion)
        ones = np.ones(n) if w is None else w.astype(float)
        assert_same(tree, tree_by_the_book(X, y, ones, 0, criterion))
        answer = median if criterion == "absolute_error" else lambda v, u: np.average(v, weights=u)
        leaf = tree.apply(X)
        for node in np.unique(leaf):
            assert_allclose(tree.values[node, 0], answer(y[leaf == node], ones[leaf == node]), rtol=1e-12)


@pytest.mark.parametrize("limits", [{"max_depth": 2}, {"min_leaf": 4}, {"min_weight": 3.3}])
@pytest.mark.parametrize("K", [0, 2])
def test_limits_as_the_twin(limits, K):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 9, (40, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 2, 40) if K else rng.normal(size=40)
    w = rng.random(40) + 0.1
    criterion = "gini" if K else "squared_error"
    names = {"max_depth": "max_depth", "min_leaf": "min_samples_leaf", "min_weight": "min_weight_leaf"}
    tree = grow(
        rank_columns(X), y, w, n_classes=K, criterion=criterion, **{names[k]: v for k, v in limits.items()}
    )
    assert_same(tree, tree_by_the_book(X, y, w, K, criterion, **limits))


@pytest.mark.parametrize("n", [20, 300, 9000])  # all ways of sorting
@pytest.mark.parametrize("criterion, K", [("gini", 2), ("gini", 4), ("entropy", 3), ("squared_error", 0)])
@pytest.mark.parametrize("whole", [True, False])
def test_the_gathered_grower_is_the_presorted_one(n, criterion, K, whole):
    """One column beside a constant one: whichever is drawn first, it is the one that is cut."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=n).round(3)
    X = np.column_stack([x, np.zeros(n)])
    X[rng.random(n) < 0.1, 0] = np.nan
    y = rng.integers(0, K, n) if K else rng.normal(size=n)
    w = rng.integers(0, 3, n) if whole else rng.random(n)
    how = {"n_classes": K, "criterion": criterion}
    a = grow(rank_columns(X), y, w, **how)
    b = grow(rank_columns(X, presorted=False), y, w, max_features=1, seed=1, **how)
    assert_array_equal(a.threshold, b.threshold)
    assert_array_equal(a.missing, b.missing)
    assert_allclose(a.value, b.value, rtol=1e-12, atol=1e-12)
    assert_allclose(a.impurity, b.impurity, rtol=1e-9, atol=1e-12)


def test_few_columns_a_node_still_fit_the_sample():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 9)), rng.integers(0, 3, 400)
    for K, target in ((3, y), (0, rng.normal(size=400))):
        for splitter in ("best", "random"):
            tree = grow(
                rank_columns(X),
                target,
                n_classes=K,
                criterion="gini" if K else "squared_error",
                max_features=2,
                splitter=splitter,
                seed=3,
            )
            tree.check()
            fitted = tree.predict(X)
            assert_array_equal(fitted.argmax(axis=1) if K else fitted[:, 0], target)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["gini", "entropy", "squared_error", "absolute_error"]))
def test_whole_weights_are_repeated_rows(seed, criterion):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (20, 2)).astype(float)
    K = 3 if criterion in ("gini", "entropy") else 0
    y = rng.integers(0, 3, 20) if K else rng.normal(size=20)
    w = rng.integers(0, 4, 20)
    w[0] = 1
    weighted = grow(rank_columns(X), y, w, n_classes=K, criterion=criterion)
    repeated = grow(rank_columns(np.repeat(X, w, axis=0)), np.repeat(y, w), n_classes=K, criterion=criterion)
    assert_array_equal(weighted.feature, repeated.feature)
    assert_array_equal(weighted.threshold, repeated.threshold)
    assert_allclose(weighted.value, repeated.value, rtol=1e-12)
    assert_array_equal(weighted.weighted_n_node_samples, repeated.n_node_samples)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_the_tree_depends_on_the_rows_not_on_their_order(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (30, 3)).astype(float), rng.integers(0, 3, 30)
    X[rng.random(X.shape) < 0.1] = np.nan
    shuffle = rng.permutation(30)
    a, b = grow(rank_columns(X), y, n_classes=3), grow(rank_columns(X[shuffle]), y[shuffle], n_classes=3)
    assert_array_equal(a.feature, b.feature)
    assert_array_equal(a.threshold, b.threshold)
    assert_array_equal(a.value, b.value)


def test_threads_do_not_change_the_tree(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5000, 20)), rng.integers(0, 2, 5000)
    alone = grow(rank_columns(X), y, n_classes=2)
    monkeypatch.setattr(parallel, "threads", lambda limit=None: 3)
    crowd = grow(rank_columns(X), y, n_classes=2)
    assert_array_equal(alone.threshold, crowd.threshold)


# ---------------------------------------------------------------- thresholds


def test_the_boundary_theorem():
    """IML-9-04: the best cut stands between values that do not together hold one class alone."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        x, y = rng.integers(0, 12, 30).astype(float), rng.integers(0, 3, 30)
        for criterion in ("gini", "entropy"):
            tree = grow(rank_columns(x[:, None]), y, n_classes=3, criterion=criterion, max_depth=1)
            below, above = x[x <= tree.threshold[0]].max(), x[x > tree.threshold[0]].min()
            assert len(np.unique(y[(x == below) | (x == above)])) > 1


test_the_boundary_theorem = pytest.mark.capability("IML-9-04")(test_the_boundary_theorem)


def test_neighbours_in_the_last_bit_are_distinguished():
    low = 1.0
    high = np.nextafter(low, 2)
    tree = grow(rank_columns(np.array([[low], [high]])), np.array([0, 1]), n_classes=2)
    assert tree.threshold[0] == low
    assert_array_equal(tree.predict(np.array([[low], [high]])), [[1, 0], [0, 1]])


def test_numbers_near_the_end_of_the_range_have_a_middle():
    X = np.array([[-1.7e308], [1.7e308]])
    tree = grow(rank_columns(X), np.array([0, 1]), n_classes=2)
    assert tree.threshold[0] == 0


@pytest.mark.capability("DC-24")
def test_equal_depth_candidates():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    all_of_them = grow(rank_columns(X), y, n_classes=2)
    many = grow(rank_columns(X), y, n_classes=2, max_candidates=400)
    assert_array_equal(many.threshold, all_of_them.threshold)
    for q in (1, 3, 9):
        tree = grow(rank_columns(X), y, n_classes=2, max_candidates=q, max_depth=1)
        rank = (X[:, tree.feature[0]] <= tree.threshold[0]).sum()
        assert rank in {int(np.ceil(i * 400 / (q + 1))) for i in range(1, q + 1)}


# ---------------------------------------------------------------- categories


def best_grouping(codes, y, w, criterion, K):
    """The gain of the best of the 2^(r-1) - 1 divisions of the categories in two."""
    present = np.unique(codes)
    gains = []
    for size in range(1, len(present)):
        for some in combinations(present, size):
            if present[0] in some:
                gains.append(gain_of(y, w, np.isin(codes, some), criterion, K, LOSS))
    assert len(gains) == 2 ** (len(present) - 1) - 1
    return max(gains)


def gain_at_root(tree):
    mass = tree.weighted_n_node_samples * tree.impurity
    left, right = tree.children(0)
    return mass[0] - mass[left] - mass[right]


@pytest.mark.capability("DC-23")
@pytest.mark.parametrize(
    "criterion, K",
    [
        ("gini", 2),
        ("entropy", 2),
        ("gini", 4),
        ("entropy", 3),
        ("error", 3),
        ("squared_error", 0),
        ("poisson", 0),
    ],
)
def test_the_best_binary_grouping(criterion, K):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        r = int(rng.integers(2, 8))
        codes, w = rng.integers(0, r, 60), rng.random(60) + 0.5
        y = rng.integers(0, K, 60) if K else rng.gamma(2, size=60)
        X = codes[:, None].astype(float)
        tree = grow(rank_columns(X, [r]), y, w, n_classes=K, criterion=criterion, max_depth=1)
        assert tree.kind[0] == SUBSET
        assert_allclose(gain_at_root(tree), best_grouping(codes, y, w, criterion, K), rtol=1e-7)
        left = np.isin(codes, tree.subset(0))
        assert_array_equal(tree.apply(X) == 1, left)


def test_many_categories_and_many_classes():
    """Beyond 8 categories the grouping is searched, not proven: it is at least one against the rest at its best."""
    rng = np.random.default_rng(0)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        codes, y = rng.integers(0, 300, 3000), rng.integers(0, 5, 3000)
        y[codes % 7 == 0] = 0
        X = codes[:, None].astype(float)
        tree = grow(rank_columns(X, [300]), y, n_classes=5, max_depth=1)
        ones = np.ones(3000)
        single = max(gain_of(y, ones, codes == c, "gini", 5, None) for c in range(300))
        assert gain_at_root(tree) >= single - 1e-9
        # the planted group is what the principal component finds
        assert gain_at_root(tree) >= 0.95 * gain_of(y, ones, codes % 7 == 0, "gini", 5, None)


def test_categories_with_missing_and_unseen():
    codes = np.array([0, 0, 1, 1, 2, 2, np.nan, np.nan])
    y = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    tree = grow(rank_columns(codes[:, None], [5]), y, n_classes=2)
    assert tree.n_leaves == 2
    assert_array_equal(tree.predict(codes[:, None])[:, 1], y)
    # categories that no row has go where the missing go
    assert_array_equal(
        tree.apply(np.array([[3.0], [4.0], [np.nan]])), [tree.apply(np.array([[np.nan]]))[0]] * 3
    )


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("K", [2, 3, 0])
def test_mixed_tables_are_fitted_to_the_end(splitter, K):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 12, 300), rng.normal(size=300), rng.integers(0, 40, 300)]).astype(
        float
    )
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, K, 300) if K else rng.normal(size=300)
    for take in (None, 1):
        tree = grow(
            rank_columns(X, [12, 0, 40]),
            y,
            n_classes=K,
            criterion="gini" if K else "squared_error",
            splitter=splitter,
            max_features=take,
            seed=1,
        )
        tree.check()
        assert {SUBSET, THRESHOLD} <= set(tree.kind)
        leaf = tree.apply(X)
        assert_array_equal(tree.n_node_samples[np.unique(leaf)], np.bincount(leaf)[np.unique(leaf)])
        known = ~np.isnan(X[:, 1])
        fitted = tree.predict(X)
        right = fitted.argmax(axis=1) == y if K else fitted[:, 0] == y
        assert right[known].mean() > 0.97  # rows that lack the number may be alike


# ---------------------------------------------------------------- missing values by surrogate


def test_surrogates_stand_in():
    """Column 1 repeats column 0 backwards, column 2 is noise: a row without column 0 asks column 1."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    X = np.column_stack([x, -x, rng.normal(size=200)])
    y = (x > 0.3).astype(int)
    X[rng.random(200) < 0.2, 0] = np.nan
    tree = grow(rank_columns(X), y, n_classes=2, missing="surrogate", max_depth=1)
    tree.check()
    s = tree.surrogates
    first = s.offset[0]
    main = int(tree.feature[0])
    assert main in (0, 1) and s.feature[first] == 1 - main
    assert s.flip[first] == 1
    with_missing = X.copy()
    with_missing[:, main] = np.nan
    known = ~np.isnan(X[:, 1 - main])
    told = tree.apply(with_missing)[known]
    assert (told == tree.apply(X)[known]).mean() > 0.97


def test_rows_without_the_value_have_no_say_in_a_surrogate_tree():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan], [np.nan]])
    y = np.array([0, 0, 1, 1, 1, 1])
    tree = grow(rank_columns(X), y, n_classes=2, missing="surrogate")
    assert tree.threshold[0] == 1.5
    assert_array_equal(
        tree.n_node_samples[tree.children(0)], [2, 4]
    )  # all others: the larger side, or the right


def test_nominal_columns_stand_in_too():
    rng = np.random.default_rng(0)
    code = rng.integers(0, 4, 300)
    x = np.where(np.isin(code, (1, 3)), 1.0, 0.0) + 0.1 * rng.random(300)
    y = (x > 0.5).astype(int)
    X = np.column_stack([x, code]).astype(float)
    X[:40, 0] = np.nan
    tree = grow(rank_columns(X, [0, 4]), y, n_classes=2, missing="surrogate")
    assert (tree.predict(X).argmax(axis=1) == y).all()
    lost = X.copy()
    lost[:, 0] = np.nan
    assert (tree.predict(lost).argmax(axis=1) == y).all()


# ---------------------------------------------------------------- best first, stopping, degenerate samples


def test_best_first_takes_the_largest_gain_first():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.normal(size=300)
    trees = [
        grow(rank_columns(X), y, n_classes=0, criterion="squared_error", max_leaf_nodes=k)
        for k in range(2, 12)
    ]
    costs = []
    for k, tree in enumerate(trees, start=2):
        tree.check()
        assert tree.n_leaves == k
        leaves = tree.is_leaf
        costs.append((tree.impurity * tree.weighted_n_node_samples)[leaves].sum())
    drops = -np.diff(costs)
    assert (drops > 0).all()
    whole = grow(rank_columns(X), y, n_classes=0, criterion="squared_error")
    endless = grow(rank_columns(X), y, n_classes=0, criterion="squared_error", max_leaf_nodes=10**6)
    assert_array_equal(whole.threshold, endless.threshold)


def test_min_impurity_decrease_is_the_share_of_all_weight():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    y = np.array([0, 0, 1, 1])
    for limit, leaves in ((0.5, 2), (0.51, 1)):
        assert grow(rank_columns(X), y, n_classes=2, min_impurity_decrease=limit).n_leaves == leaves


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson", "gini", "entropy"])
def test_monotonic(sign, criterion):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    z = sign * np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) + rng.normal(size=300)
    K = 2 if criterion in ("gini", "entropy") else 0
    y = (z > 0).astype(int) if K else np.exp(z)
    for extra in ({}, {"max_leaf_nodes": 20}, {"splitter": "random"}, {"max_features": 2}):
        tree = grow(rank_columns(X), y, n_classes=K, criterion=criterion, monotonic=[sign, 0, 0], **extra)
        grid = np.linspace(-3, 3, 60)
        for row in X[:20]:
            line = np.tile(row, (60, 1))
            line[:, 0] = grid
            answer = tree.predict(line)[:, -1]
            assert (np.diff(answer) * sign >= -1e-12).all()
        assert tree.n_leaves > 3


@pytest.mark.parametrize("seed", range(6))
def test_a_monotonic_tree_is_that_of_scikit_learn(seed):
    """Peer: scikit-learn 1.9. Cuts of free columns are not held to the bounds from above, their sides are clipped."""
    rng = np.random.default_rng(seed)
    X, y, signs = rng.normal(size=(80, 1)), rng.normal(size=80), [1]
    if seed % 2:  # two columns that never tie: the second parts neither first nor last rows alone
        X, signs = np.column_stack([X, rng.integers(0, 3, 80)]), [-1, 0]
    extra = {"min_samples_leaf": 3, "max_depth": 4}
    peer = DecisionTreeRegressor(monotonic_cst=signs, random_state=0, **extra).fit(X, y)
    tree = grow(rank_columns(X), y, n_classes=0, criterion="squared_error", monotonic=signs, **extra)
    assert tree.node_count == peer.tree_.node_count
    assert_allclose(tree.predict(X)[:, 0], peer.predict(X), rtol=1e-9)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("unit", [2.0**1000, 2.0**-1000, 2.0**-1074])
def test_weights_may_be_of_any_size(criterion, unit):
    rng = np.random.default_rng(0)
    X, K = rng.normal(size=(60, 2)), 2 * (criterion in ("gini", "entropy"))
    y = rng.integers(0, 2, 60) if K else np.exp(X[:, 0])
    w = rng.integers(1, 4, 60)
    small = grow(rank_columns(X), y, w, n_classes=K, criterion=criterion, min_weight_leaf=3)
    large = grow(rank_columns(X), y, w * unit, n_classes=K, criterion=criterion, min_weight_leaf=3 * unit)
    assert_array_equal(small.threshold, large.threshold)
    assert_allclose(small.value, large.value, rtol=1e-9)
    assert_allclose(small.weighted_n_node_samples * unit, large.weighted_n_node_samples, rtol=1e-9)


def test_a_target_that_does_not_fit_is_refused():
    columns = rank_columns(np.arange(4.0)[:, None])
    for y, K, criterion in (
        ([0, 1, 2, 1], 2, "gini"),
        ([0, -1, 1, 1], 2, "entropy"),
        ([0, 1, 0, 1], 2, "squared_error"),
        ([0.0, 1.0, 2.0, 3.0], 0, "gini"),
    ):
        with pytest.raises(DataError, match=r"Class numbers must|cannot be grown"):
            grow(columns, np.array(y), n_classes=K, criterion=criterion)
    for w in ([0.0, 0.0, 0.0, 0.0], [1.0, -1.0, 1.0, 1.0], [1.0, np.nan, 1.0, 1.0]):
        with pytest.raises(DataError, match="weight"):
            grow(columns, np.array([0, 1, 0, 1]), np.array(w), n_classes=2)


def test_degenerate_samples_are_one_leaf():
    for X, y, K in (
        ([[1.0]], [0], 1),  # one row, one class
        ([[1.0], [2.0]], [1, 1], 2),  # one class
        ([[1.0], [1.0], [1.0]], [0, 1, 1], 2),  # equal rows, different labels
        ([[np.nan], [np.nan]], [0, 1], 2),  # all missing
        ([[3.0], [4.0]], [2.0, 2.0], 0),  # constant number
    ):
        criterion = "gini" if K else "squared_error"
        for how in ({}, {"max_leaf_nodes": 5}, {"splitter": "random"}, {"missing": "surrogate"}):
            tree = grow(rank_columns(np.array(X)), np.array(y), n_classes=K, criterion=criterion, **how)
            assert tree.node_count == 1 and tree.kind[0] == LEAF
    assert_allclose(tree.values, [[2.0]])


def test_a_long_chain():
    """Every cut peels off a row or a few."""
    n = 3000
    X = np.arange(n, dtype=float)[:, None]
    y = np.exp(np.arange(n) * 0.2 - 300)  # the largest number stands out from the rest, again and again
    tree = grow(rank_columns(X), y, n_classes=0, criterion="squared_error")
    assert tree.max_depth > 500
    assert_array_equal(tree.predict(X)[:, 0], y)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("weights", [None, "whole", "real"])
def test_several_outputs_are_averaged(criterion, weights):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 3)), rng.gamma(2.0, size=(60, 2))
    w = {None: None, "whole": rng.integers(1, 4, 60), "real": rng.uniform(0.5, 2, 60)}[weights]
    each = np.ones(60) if w is None else w
    tree = grow(rank_columns(X), Y, w, n_classes=0, criterion=criterion, max_depth=1)
    best = max(
        sum(gain_of(Y[:, o], each, X[:, j] <= t, criterion, 0, None) for o in range(2)) / 2
        for j in range(3)
        for t, _, _ in cuts_of(X[:, j])
    )
    assert_allclose(gain_at_root(tree), best, rtol=1e-9)
    full = grow(rank_columns(X), Y, w, n_classes=0, criterion=criterion)
    assert_allclose(full.predict(X), Y, rtol=1e-12)
    gathered = grow(rank_columns(X, presorted=False), Y, w, n_classes=0, criterion=criterion, max_features=2)
    assert_allclose(gathered.predict(X), Y, rtol=1e-12)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("weights", [None, "whole", "real"])
@pytest.mark.parametrize("with_missing", [False, True])
def test_several_targets_are_averaged(criterion, weights, with_missing):
    """The root's gain is the best mean gain of the twin; grown out, the tree knows every row."""
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(50, 3)), np.column_stack([rng.integers(0, K, 50) for K in (2, 3)])
    if with_missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    w = {None: None, "whole": rng.integers(1, 4, 50), "real": rng.uniform(0.5, 2, 50)}[weights]
    each = np.ones(50) if w is None else w
    tree = grow(rank_columns(X), Y, w, n_classes=[2, 3], criterion=criterion, max_depth=1)
    best = 0.0
    for j in range(3):
        for t in np.unique(X[:, j][~np.isnan(X[:, j])]):
            for lost in (False, True):
                left = np.where(np.isnan(X[:, j]), lost, X[:, j] <= t)
                if left.all() or not left.any():
                    continue
                gains = [gain_of(Y[:, o], each, left, criterion, K, None) for o, K in enumerate((2, 3))]
                best = max(best, sum(gains) / 2)
    assert_allclose(gain_at_root(tree), best, rtol=1e-9)
    shares = [np.bincount(Y[:, o], weights=each, minlength=K) / each.sum() for o, K in enumerate((2, 3))]
    assert_allclose(tree.values[0], np.concatenate(shares))
    for limits in ({}, {"max_features": 1}, {"max_leaf_nodes": 50}, {"splitter": "random"}):
        full = grow(rank_columns(X), Y, w, n_classes=[2, 3], criterion=criterion, **limits)
        answers = full.predict(X)
        assert_array_equal(np.argmax(answers[:, :2], axis=1), Y[:, 0])
        assert_array_equal(np.argmax(answers[:, 2:], axis=1), Y[:, 1])


@pytest.mark.parametrize("missing", ["surrogate", "spread"])
def test_several_targets_with_other_ways_for_missing_values(missing):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 3))
    X[:, 1] = X[:, 0] + 0.01 * X[:, 1]
    Y = np.column_stack([X[:, 0] > 0, X[:, 2] > 0]).astype(int)
    X[:40, 0] = np.nan
    tree = grow(rank_columns(X), Y, n_classes=[2, 2], missing=missing, max_depth=3)
    answers = tree.predict(X).reshape(-1, 2, 2).argmax(axis=2)
    assert (answers == Y).mean() > 0.95


def test_several_targets_group_categories():
    codes = np.tile(np.arange(6.0), 20)[:, None]
    Y = np.column_stack([codes[:, 0] % 2, codes[:, 0] > 2]).astype(int)
    tree = grow(rank_columns(codes, [6]), Y, n_classes=[2, 2])
    assert_array_equal(tree.predict(codes).reshape(-1, 2, 2).argmax(axis=2), Y)


def test_several_targets_that_do_not_fit_are_refused():
    X, Y = np.arange(4.0)[:, None], np.array([[0, 0], [1, 0], [0, 1], [1, 2]])
    with pytest.raises(DataError, match="2 targets must be 0 to"):
        grow(rank_columns(X), Y, n_classes=[2, 2])
    with pytest.raises(DataError, match="2 targets"):
        grow(rank_columns(X), Y[:, :1], n_classes=[2, 2])
    with pytest.raises(DataError, match="several targets cannot be grown by the criterion error"):
        grow(rank_columns(X), Y, n_classes=[2, 3], criterion="error")


def test_numbers_far_from_zero_keep_their_digits():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), rng.normal(size=100)
    near = grow(rank_columns(X), y, n_classes=0, criterion="squared_error", max_depth=4)
    far = grow(rank_columns(X), y + 1e9, n_classes=0, criterion="squared_error", max_depth=4)
    assert_array_equal(near.feature, far.feature)
    assert_allclose(near.impurity, far.impurity, rtol=1e-5)


def test_a_sample_without_rows_is_refused():
    with pytest.raises(DataError, match="weight above 0"):
        grow(rank_columns(np.ones((2, 1))), np.array([0, 1]), np.zeros(2), n_classes=2)


def test_columns_can_be_used_up_once():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    columns, spare = rank_columns(X), rank_columns(X)
    kept = spare.order.copy()
    first = grow(spare, y, n_classes=2)
    assert_array_equal(spare.order, kept)  # not written to
    assert_array_equal(grow(columns, y, n_classes=2, use_up=True).threshold, first.threshold)
    with pytest.raises(ValueError, match="rank the columns again"):
        grow(columns, y, n_classes=2)


def test_huge_whole_weights_are_weights():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 0, 1])
    light = grow(rank_columns(X), y, n_classes=2)
    heavy = grow(rank_columns(X), y, np.full(6, 2**40), n_classes=2)
    assert_array_equal(light.threshold, heavy.threshold)
    assert_allclose(light.value, heavy.value)


def test_categories_and_several_outputs():
    """The outputs' first principal component orders the categories: here it is the first output."""
    codes = np.arange(40) % 4
    Y = np.column_stack([np.isin(codes, (0, 2)) * 1.0, np.zeros(40), np.arange(40) % 2 * 1e-9])
    for width in (2, 3):
        tree = grow(
            rank_columns(codes[:, None].astype(float), [4]),
            Y[:, :width],
            n_classes=0,
            criterion="squared_error",
        )
        assert set(tree.subset(0)) in ({0, 2}, {1, 3})
        assert_allclose(tree.predict(codes[:, None].astype(float)), Y[:, :width], atol=1e-12)
