"""The native code of n-way trees against its twin, and what holds for every tree it grows."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError
from assay.tables import Column, Schema
from assay.trees import multiway
from assay.trees.multiway import SplitRules, grow_multiway, root_offers

ID3 = [SplitRules(criterion=c) for c in ("gain", "gain_ratio", "gini")]
C45 = SplitRules(
    "gain_ratio", average=True, correction=True, tenth=True, useless=False, min_leaf=2, tolerance=1e-6
)
BINARY = SplitRules("gain_ratio", average=True, correction=True, tenth=True, useless=False, one_vs_rest=True,
                    min_leaf=2, tolerance=1e-6)  # fmt: skip
RULES = {"gain": ID3[0], "gain_ratio": ID3[1], "gini": ID3[2], "c45": C45, "c45 binary": BINARY}


def T(x):
    return 0.0 if x < 1e-6 else x * np.log2(x)


def term(counts, rules):
    n = counts.sum()
    if rules.criterion == "gini":
        return (counts**2).sum() / n if n > 0 else 0.0
    return sum(map(T, counts)) - T(n)


def offer_by_the_book(x, y, w, n_categories, K, rules):
    """(gain, ratio, branch of each row or -1, branches, threshold) of the best split of one column, or None."""
    known, n, best = ~np.isnan(x), w.sum(), None
    weigh = lambda rows: np.bincount(y[rows], w[rows], K)  # noqa: E731
    start = term(weigh(known), rules)

    def offered(side, r, cuts=0):
        S = sum(term(weigh(known & (side == b)), rules) for b in range(r))
        gain = max(S - start, 0) / n - (np.log2(cuts) / n if cuts else 0)
        bags = [w[known & (side == b)].sum() for b in range(r)]
        spread = T(n) - T(n - sum(bags)) - sum(map(T, bags))
        return gain, (gain * n / spread if spread > 1e-6 else 0.0), np.where(known, side, -1), r

    if n_categories:
        codes = np.where(known, x, -1).astype(int)
        bags = np.array([w[codes == c].sum() for c in range(n_categories)])
        if not rules.one_vs_rest:
            enough = np.count_nonzero(bags >= max(rules.min_leaf - 1e-6, 1e-12)) >= 2
            return (*offered(codes, n_categories), None) if enough else None
        for c in range(n_categories):
            if min(bags[c], bags.sum() - bags[c]) >= max(rules.min_leaf - 1e-6, 1e-12):
                this = (*offered((codes != c).astype(int), 2), c)
                if best is None or this[1] > best[1] + rules.tolerance:
                    best = this
        return best
    least = rules.min_leaf
    if rules.tenth:
        least = max(least, min(0.1 * w[known].sum() / K, 25))
    values, cuts = np.unique(x[known]), 0
    for low, high in itertools.pairwise(values):
        left = known & (x <= low)
        if min(w[left].sum(), w[known & ~left].sum()) < least - 1e-6:
            continue
        cuts += 1
        this = (*offered((~left).astype(int), 2), (low + high) / 2)
        if (best is None and (rules.useless or this[0] > rules.tolerance)) or (
            best and this[0] > best[0] + rules.tolerance
        ):
            best = this
    if best is None or not rules.correction:
        return best
    gain = best[0] - np.log2(cuts) / n
    return (gain, best[1] * gain / best[0], *best[2:]) if gain >= rules.tolerance else None


def grow_by_the_book(X, n_categories, y, w, K, rules, total=None):
    """Nested (feature, threshold or category, class weights, children)."""
    total = len(X) if total is None else total
    counts, n = np.bincount(y, w, K), w.sum()
    if n - counts.max() < 1e-6 or n + 1e-6 < 2 * rules.min_leaf:
        return None, None, counts, []
    offers = [offer_by_the_book(X[:, j], y, w, r, K, rules) for j, r in enumerate(n_categories)]
    average = -np.inf
    if rules.average:
        many = [r + 1e-6 >= 0.3 * total for r in n_categories]
        all_many = all(r > 0 and m for r, m in zip(n_categories, many))
        gains = [o[0] for o, r, m in zip(offers, n_categories, many) if o and (not r or not m or all_many)]
        if not gains:
            return None, None, counts, []
        average = np.mean(gains)
    best, top = None, -np.inf if rules.useless else 0.0
    for j, o in enumerate(offers):
        if o and o[0] >= average - 1e-3:
            score = (o[1] if rules.criterion == "gain_ratio" else o[0]) - rules.penalty * (o[3] - 1)
            if score > top + rules.tolerance:
                best, top = j, score
    if best is None:
        return None, None, counts, []
    _, _, side, r, where = offers[best]
    known = w[side >= 0].sum()
    children = []
    for b in range(r):
        share = w[side == b].sum() / known
        mine = (side == b) | ((side < 0) & (share > 1e-6))
        weights = np.where(side < 0, w * share, w)[mine]
        children.append(grow_by_the_book(X[mine], n_categories, y[mine], weights, K, rules, total))
    return best, where, counts, children


def same_as_the_book(tree, book):
    """Walk both."""
    todo = [(0, book)]
    seen = 0
    while todo:
        i, (feature, where, counts, children) = todo.pop()
        seen += 1
        assert_allclose(tree.weighted_n_node_samples[i], counts.sum(), atol=1e-9)
        if counts.sum() > 0:
            assert_allclose(tree.values[i] * tree.weighted_n_node_samples[i], counts, atol=1e-9)
        assert tree.feature[i] == (-2 if feature is None else feature)
        if feature is not None and not tree.n_categories[feature]:
            assert_allclose(tree.threshold[i], where, rtol=1e-12)
        elif feature is not None and len(children) == 2 and where is not None:
            assert_array_equal(tree.subset(i), [where])
        todo += list(zip(tree.children(i).tolist(), children, strict=True))
    assert seen == tree.node_count


def random_rows(seed, n=60, missing=0.0, K=3):
    """Two numeric columns with ties, three nominal ones, and a class that depends on some of them."""
    random = np.random.default_rng(seed)
    n_categories = np.array([0, 3, 0, 5, 2], np.int32)
    X = np.column_stack(
        [random.integers(0, 12, n) / 4, *(random.integers(0, max(r, 9), n) for r in n_categories[1:])]
    )
    X[:, n_categories > 0] %= n_categories[n_categories > 0]
    y = (X[:, 0] > 1.5).astype(int) + (X[:, 3] > random.integers(0, 5, n))
    X[random.random(X.shape) < missing] = np.nan
    return X.astype(float), n_categories, (y % K).astype(np.int64)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("seed", range(6))
def test_the_kernel_grows_the_tree_of_its_twin(rules, missing, seed):
    X, n_categories, y = random_rows(seed, missing=missing)
    w = None if seed % 2 else np.random.default_rng(seed).integers(1, 4, len(X)) / 2
    tree = grow_multiway(X, n_categories, y, w, 3, rules)
    tree.check()
    same_as_the_book(
        tree, grow_by_the_book(X, n_categories, y, np.ones(len(X)) if w is None else w, 3, rules)
    )


@given(
    seed=st.integers(0, 10_000),
    missing=st.sampled_from([0.0, 0.2]),
    rules=st.sampled_from(list(RULES.values())),
)
@settings(max_examples=30, deadline=None)
def test_weights_count_as_repeated_rows_do(seed, missing, rules):
    X, n_categories, y = random_rows(seed, n=40, missing=missing)
    times = np.random.default_rng(seed).integers(0, 4, len(X))
    again = np.repeat(np.arange(len(X)), times)
    # a branch counts its share of a row as one row more, which only n_node_samples tells
    one = grow_multiway(X, n_categories, y, times.astype(float), 3, rules)
    many = grow_multiway(X[again], n_categories, y[again], None, 3, rules)
    assert_array_equal(one.feature, many.feature)
    assert_array_equal(one.threshold, many.threshold)
    assert_allclose(one.value, many.value, atol=1e-12)
    assert_allclose(one.weighted_n_node_samples, many.weighted_n_node_samples, atol=1e-9)


@given(seed=st.integers(0, 10_000), rules=st.sampled_from(list(RULES.values())))
@settings(max_examples=30, deadline=None)
def test_the_weight_of_a_node_is_that_of_its_children(seed, rules):
    X, n_categories, y = random_rows(seed, n=50, missing=0.2)
    tree = grow_multiway(X, n_categories, y, None, 3, rules)
    below = np.bincount(tree.parent[1:], tree.weighted_n_node_samples[1:], tree.node_count)
    inner = ~tree.is_leaf
    assert_allclose(below[inner], tree.weighted_n_node_samples[inner], rtol=1e-9)


@pytest.mark.parametrize("factor", [1e-300, 1e-9, 3.0, 1e200])
def test_the_unit_of_the_weights_does_not_matter_to_id3(factor):
    X, n_categories, y = random_rows(3, missing=0.1)
    w = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    one, other = (grow_multiway(X, n_categories, y, v, 3, ID3[0]) for v in (w, w * factor))
    assert_array_equal(one.feature, other.feature)
    assert_allclose(other.weighted_n_node_samples, one.weighted_n_node_samples * factor, rtol=1e-9)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_more_categories_than_rows(rules):
    """A column of 500 categories in 60 rows, against the same categories numbered without gaps."""
    random = np.random.default_rng(0)
    codes, y = random.integers(0, 12, 60), random.integers(0, 2, 60)
    y[codes < 6] = 0
    names = np.sort(random.choice(500, 12, replace=False))
    X = np.column_stack([codes, random.random(60)]).astype(float)
    wide = X.copy()
    wide[:, 0] = names[codes]
    few = grow_multiway(X, np.array([12, 0]), y, None, 2, rules)
    many = grow_multiway(wide, np.array([500, 0]), y, None, 2, rules)
    if not rules.average:  # which compares the number of categories with the rows
        assert_allclose(many.predict(wide), few.predict(X), rtol=1e-12)
        assert_array_equal(many.feature[many.n_node_samples > 0], few.feature[few.n_node_samples > 0])
    same_as_the_book(many, grow_by_the_book(wide, [500, 0], y, np.ones(60), 2, rules))


def test_a_column_of_every_kind_has_its_categories_counted():
    schema = Schema([Column("a"), Column("b", "nominal", ("x", "y")), Column("c", "ordinal", (1, 2, 3))])
    assert_array_equal(schema.category_counts(), [0, 2, 3])


def test_a_column_that_cannot_tell_rows_apart_offers_nothing():
    X = np.array([[1.0, 0, np.nan], [1.0, 1, np.nan], [1.0, 1, 3.0]])
    offers = root_offers(X, np.array([0, 2, 0]), np.array([0, 1, 1]), None, 2, SplitRules())
    assert offers[0] is None and offers[2] is None
    assert offers[1].branches == 2 and offers[1].threshold is None
    assert_allclose(offers[1].gain, 0.9182958340544896, rtol=1e-12)  # all of H(1/3)


def test_thresholds_lie_in_the_middle_or_on_a_training_value():
    X = np.array([[0.1], [0.3], [0.2], [0.4], [0.5]])
    y = np.array([0, 1, 0, 1, 1])
    cut = {
        m: grow_multiway(X, np.array([0]), y, None, 2, SplitRules(midpoint=m)).threshold[0]
        for m in (True, False)
    }
    assert cut == {True: 0.25, False: 0.2}
    # two neighbouring floating-point numbers have no number between them
    x = np.array([[1.0], [np.nextafter(1.0, 2)]])
    tree = grow_multiway(x, np.array([0]), np.array([0, 1]), None, 2, SplitRules())
    assert_array_equal(tree.predict(x), np.eye(2))


def test_a_chain_as_deep_as_its_rows_is_grown_without_recursion():
    n = 3000
    x = np.arange(n, dtype=float)[:, None]
    y = np.arange(n) % 2  # the best cut of alternating classes is next to an end
    tree = grow_multiway(x, np.array([0]), y, None, 2, SplitRules())
    assert tree.n_leaves == n and tree.max_depth > 900
    assert_array_equal(tree.predict(x).argmax(axis=1), y)


def test_a_tree_that_memory_cannot_hold_is_refused(monkeypatch):
    """Two columns of r categories make r^2 leaves, nearly all of them without a row."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 300, (2000, 2)).astype(float), rng.integers(0, 2, 2000)
    tree = grow_multiway(X, np.array([300, 300]), y, None, 2, SplitRules())
    assert tree.n_leaves > 50_000
    monkeypatch.setattr(multiway, "MOST_COUNTS", 50_000 * 18)
    with pytest.raises(DataError, match="more than 50000 nodes"):
        grow_multiway(X, np.array([300, 300]), y, None, 2, SplitRules())
