"""Trees of histogram boosting: the same as those of a grower written straight from the formulas."""

import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import assay.ensembles._hist_boosting as _hist_boosting
from assay.ensembles.hist_bins import find_bins
from assay.ensembles.hist_growing import Boosting, Limits
from assay.ensembles.hist_losses import HistLoss


def value_of(g, h, l2, lower, upper):
    return min(max(-g / (h + l2 + 1e-15), lower), upper)


def splits_by_the_book(codes, bins, nominal, missing, rows, g, h, node, limits, sign, columns):
    """All allowed splits of a node: (gain, column, which rows go left), in the order in which ties are settled."""
    G, H = g[rows].sum(), h[rows].sum()
    lower, upper, own = node["lower"], node["upper"], node["value"]
    for j in columns:
        code, none = codes[rows, j], bins.bins[j]
        if nominal[j]:
            support = len(rows) / H
            there = [b for b in range(none + missing[j]) if h[rows][code == b].sum() * support >= 10]
            there.sort(key=lambda b: (g[rows][code == b].sum() / (h[rows][code == b].sum() + 10), b))
            half = (len(there) + 1) // 2
            sides = [there[: i + 1] for i in range(half)] + [there[::-1][: i + 1] for i in range(half - 1)]
            lefts = [np.isin(code, side) for side in sides] if len(there) > 1 else []
        else:
            lefts = [code <= b for b in range(none - 1 + missing[j])]
            if missing[j]:
                lefts += [(code <= b) | (code == none) for b in range(none - 2, -1, -1)]
        for left in lefts:
            gl, hl = g[rows][left].sum(), h[rows][left].sum()
            gr, hr = G - gl, H - hl
            if min(left.sum(), (~left).sum()) < limits.rows or min(hl, hr) < 1e-3:
                continue
            vl, vr = value_of(gl, hl, limits.l2, lower, upper), value_of(gr, hr, limits.l2, lower, upper)
            if sign[j] * (vl - vr) > 0:
                continue
            gain = G * own - gl * vl - gr * vr
            if gain > 1e-12 * (abs(gl * vl) + abs(gr * vr)):
                yield gain, j, left, vl, vr


def tree_by_the_book(codes, bins, missing, g, h, limits, sign, groups, rate):
    """(n,) the value that the tree gives each row, and how many leaves it has."""
    n, d = codes.shape
    out, leaves = np.zeros(n), 1
    root = {
        "rows": np.arange(n),
        "value": 0.0,
        "lower": -np.inf,
        "upper": np.inf,
        "depth": 0,
        "groups": groups,
    }
    open_nodes, order = [], 0

    def push(node):
        nonlocal order
        allowed = sorted(set().union(*node["groups"])) if groups else range(d)
        best = None
        if len(node["rows"]) >= 2 * limits.rows and (limits.depth is None or node["depth"] < limits.depth):
            for found in splits_by_the_book(
                codes, bins, bins.nominal, missing, node["rows"], g, h, node, limits, sign, allowed
            ):
                if best is None or found[0] > best[0] * (1 + 1e-10):
                    best = found
        if best is None:
            rows = node["rows"]
            exact = -g[rows].sum() / (h[rows].sum() + limits.l2 + 1e-15)
            out[rows] = rate * (node["value"] if node["depth"] == 0 or sign.any() else exact)
        else:
            heapq.heappush(open_nodes, (-best[0], order, node, best))
            order += 1

    push(root)
    while open_nodes:
        _, _, node, (_, j, left, vl, vr) = heapq.heappop(open_nodes)
        if limits.leaves is not None and leaves == limits.leaves:
            rows = node["rows"]
            exact = -g[rows].sum() / (h[rows].sum() + limits.l2 + 1e-15)
            out[rows] = rate * (node["value"] if node["depth"] == 0 or sign.any() else exact)
            continue
        leaves += 1
        bounds = [(node["lower"], node["upper"])] * 2
        if sign[j]:
            middle = (vl + vr) / 2
            bounds = [(node["lower"], middle), (middle, node["upper"])][:: int(sign[j])]
        for side, value, (lower, upper) in zip((left, ~left), (vl, vr), bounds):
            push(
                {
                    "rows": node["rows"][side],
                    "value": value,
                    "lower": lower,
                    "upper": upper,
                    "depth": node["depth"] + 1,
                    "groups": [group for group in node["groups"] if j in group],
                }
            )
    return out, leaves


def table(seed, n=300, d=4, gaps=True):
    """Columns of numbers, few numbers and categories, with gaps; targets that depend on them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 1] = X[:, 1].round(1)
    X[:, 2] = rng.integers(0, 5, n)
    y = X[:, 0] + X[:, 1] * (X[:, 2] > 2) + (X[:, 2] == 1) + 0.3 * rng.normal(size=n)
    if gaps:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, y, np.array([0, 0, 5, 0][:d])


def grow_both(X, y, categories, limits, w=None, sign=None, groups=(), loss="squared_error", max_bins=255):
    sign = np.zeros(X.shape[1], int) if sign is None else np.array(sign)
    bins = find_bins(X, categories, max_bins, w)
    codes = bins.codes(X)
    raw = np.zeros((1, len(y)))
    boosting = Boosting(bins, codes, y, w, raw, HistLoss(loss), limits, sign, groups)
    tree = boosting.round(0.5, [0])[0]
    plain = np.array([codes.columns[p] if p >= 0 else codes.wide[~p] for p in bins.place]).T.astype(int)
    weights = np.ones(len(y)) if w is None else w
    g, h = (-y, np.ones(len(y))) if loss == "squared_error" else (0.5 - y, np.full(len(y), 0.25))
    book, leaves = tree_by_the_book(
        plain,
        bins,
        codes.missing,
        weights * g,
        weights * h,
        limits,
        sign,
        [list(group) for group in groups],
        0.5,
    )
    return raw[0], tree, book, leaves


@pytest.mark.parametrize("loss", ["squared_error", "binomial"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "limits",
    [
        Limits(),
        Limits(leaves=6, rows=5, l2=1.0),
        Limits(leaves=None, depth=3, rows=1),
        Limits(leaves=None, rows=3, l2=0.3),
    ],
)
def test_trees_are_those_of_the_book(limits, weighted, loss):
    for seed in range(2):
        X, y, categories = table(seed, n=120)
        y = (y > 0.3).astype(float) if loss == "binomial" else y
        w = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float) if weighted else None
        raw, tree, book, leaves = grow_both(X, y, categories, limits, w, loss=loss)
        assert len(tree.leaf) == leaves
        assert_allclose(raw, book, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("sign", [(1, 0, 0, 0), (-1, 1, 0, 0), (0, -1, 0, 1)])
def test_constrained_trees_are_those_of_the_book(sign):
    X, y, categories = table(5)
    raw, tree, book, leaves = grow_both(X, y, categories, Limits(rows=5), sign=sign)
    assert len(tree.leaf) == leaves
    assert_allclose(raw, book, rtol=1e-6, atol=1e-7)


def test_interacting_columns_are_those_of_the_book():
    X, y, categories = table(6)
    for groups in ([[0, 1], [2, 3]], [[0, 2], [1, 2], [3]], [[0], [1], [2], [3]]):
        raw, tree, book, leaves = grow_both(X, y, categories, Limits(rows=5), groups=groups)
        assert len(tree.leaf) == leaves
        assert_allclose(raw, book, rtol=1e-6, atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), rows=st.integers(1, 30), bins=st.integers(2, 40))
def test_any_tree_is_that_of_the_book(seed, rows, bins):
    X, y, categories = table(seed, n=120)
    raw, tree, book, leaves = grow_both(X, y, categories, Limits(leaves=8, rows=rows), max_bins=bins)
    assert len(tree.leaf) == leaves
    assert_allclose(raw, book, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("loss", ["squared_error", "binomial", "poisson"])
def test_helpers_do_not_change_the_tree(loss):
    """Threads share blocks of rows; whole numbers add up to the same in any order."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 30))
    X[:, 3], X[:, 4] = rng.integers(0, 12, len(X)), rng.integers(0, 700, len(X))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, 0]) + (X[:, 3] == 2) > 0.2).astype(float)
    categories = np.array([0, 0, 0, 12, 700, *[0] * 25])
    bins = find_bins(X, categories, 255)
    codes = bins.codes(X)
    scores = []
    for helpers in (0, 1, 3):
        raw = np.zeros((1, len(y)))
        boosting = Boosting(bins, codes, y, None, raw, HistLoss(loss), Limits(), np.zeros(30, int))
        boosting._helpers = helpers
        for r in range(3):
            crew = _hist_boosting.Crew(helpers + 1)
            together(crew, helpers, lambda crew=crew, r=r, b=boosting: b._lead(crew, 0.3, [r]))
        scores.append(raw)
    assert_array_equal(scores[0], scores[1])
    assert_array_equal(scores[0], scores[2])


def together(crew, helpers, lead):
    """Real threads, also where the machine has one core."""
    from threading import Thread

    friends = [Thread(target=crew.help) for _ in range(helpers)]
    for friend in friends:
        friend.start()
    try:
        lead()
    finally:
        crew.close()
        for friend in friends:
            friend.join()


def test_a_crew_needs_nobody_to_come_and_lets_latecomers_go():
    crew = _hist_boosting.Crew(3)
    raw = np.zeros((2, 5000))
    top, inverse = np.empty(5000), np.empty(5000)
    _hist_boosting.normalisers(raw, top, inverse, crew)
    assert_allclose(inverse, 0.5)
    crew.close()
    crew.help()  # returns at once


def test_many_short_jobs_are_shared_without_a_slip():
    """Helpers that are still at the last task of a job while its leader already ends it."""
    raw, expected = np.zeros((3, 2500)), np.full(2500, 1 / 3)
    crew = _hist_boosting.Crew(4)

    def lead():
        for _ in range(3000):
            top, inverse = np.empty(2500), np.empty(2500)
            _hist_boosting.normalisers(raw, top, inverse, crew)
            assert_allclose(inverse, expected)

    together(crew, 3, lead)


def test_scarce_memory_gives_the_same_tree(monkeypatch):
    """Histograms that were given up are summed anew."""
    X, y, categories = table(1, n=3000)
    bins = find_bins(X, categories, 255)
    codes, scores = bins.codes(X), []
    for memory in (1 << 28, 1):
        monkeypatch.setattr("assay.ensembles.hist_growing.MEMORY", memory)
        raw = np.zeros((1, len(y)))
        limits = Limits(leaves=300, rows=2)
        tree = Boosting(bins, codes, y, None, raw, HistLoss("squared_error"), limits, np.zeros(4, int)).round(
            1.0, [0]
        )[0]
        assert len(tree.leaf) == 300
        scores.append(raw)
    assert_array_equal(*scores)


def test_a_long_chain_is_no_trouble():
    """Each split cuts a row or two off: exponential targets, one row a leaf."""
    n = 250
    X, y = np.arange(float(n))[:, None], 1.5 ** np.arange(n)
    bins = find_bins(X, np.zeros(1, int), 255)
    raw = np.zeros((1, n))
    limits = Limits(leaves=None, rows=1)
    tree = Boosting(
        bins, bins.codes(X), y, None, raw, HistLoss("squared_error"), limits, np.zeros(1, int)
    ).round(1.0, [0])[0]
    assert tree.depth >= 25
    assert np.isfinite(raw).all()


def test_a_share_of_the_columns_is_drawn_for_each_node():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 8))
    y = X @ np.arange(1, 9.0)
    bins = find_bins(X, np.zeros(8, int), 255)
    used = []
    for seed in (1, 2, 1):
        limits = Limits(rows=5, column_share=0.25)
        raw = np.zeros((1, 500))
        tree = Boosting(
            bins, bins.codes(X), y, None, raw, HistLoss("squared_error"), limits, np.zeros(8, int)
        ).round(1.0, [seed])[0]
        used.append(tree.column)
    assert_array_equal(used[0], used[2])
    assert not np.array_equal(used[0], used[1])
    assert len(set(used[0].tolist()) - {-1}) > 2


def test_gradients_that_are_not_finite_are_told():
    X = np.arange(50.0)[:, None]
    bins = find_bins(X, np.zeros(1, int), 255)
    raw = np.full((1, 50), np.inf)
    boosting = Boosting(
        bins, bins.codes(X), np.ones(50), None, raw, HistLoss("squared_error"), Limits(), np.zeros(1, int)
    )
    assert boosting.round(0.1, [0]) is None
