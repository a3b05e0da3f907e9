"""Histogram forests: the best split of each node by the book; the same trees from memory, blocks and Dask."""

from itertools import pairwise

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay import load, save
from assay.core.row_draws import row_uniforms
from assay.ensembles import HistRandomForestClassifier, HistRandomForestRegressor, RandomForestClassifier
from assay.ensembles.hist_bags import MOST_TIMES, bag_counts
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError

N = 601
CUTS = [[250, 267], [1, 2, 2, 3, 600]]  # the second has blocks of one row, and an empty one
TREES = ("start", "column", "number", "right", "missing_left", "rows", "gain", "set_start", "sets")


def assert_same_model(a, b):
    for name in TREES:
        assert_array_equal(getattr(a.trees_, name), getattr(b.trees_, name), err_msg=name)
    assert_array_equal(a.baseline_, b.baseline_)
    assert getattr(a, "oob_score_", None) == getattr(b, "oob_score_", None)


def table(kind, seed=0):
    """Columns of one kind, and a number that depends on them."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(N, 5))
    score = Z[:, 0] + Z[:, 1] * (Z[:, 2] > 0) + 0.5 * rng.normal(size=N)
    if kind == "numbers":
        return pd.DataFrame(Z, columns=list("abcde")), score
    if kind == "missing":
        Z[:, 1] = Z[:, 1].round(1)
        Z[rng.random(Z.shape) < 0.15] = np.nan
        return pd.DataFrame(Z, columns=list("abcde")), score
    codes, many = rng.integers(0, 7, N), rng.integers(0, 300, N)
    frame = pd.DataFrame({"a": Z[:, 0], "b": [f"c{v}" for v in codes], "c": [f"m{v:03d}" for v in many]})
    frame.loc[rng.random(N) < 0.1, "b"] = None
    return frame, score + (codes == 3) - (many % 3)


def target(task, score):
    if task == "two":
        return np.where(score > 0, "yes", "no")
    return np.digitize(score, [-0.7, 0.7]) if task == "three" else 1e6 + score


def forest(task, **settings):
    settings = {"n_estimators": 5, "max_leaf_nodes": 12, "random_state": 1, "oob_score": True} | settings
    if not settings.get("bootstrap", True):
        settings["oob_score"] = False
    return (
        HistRandomForestRegressor(**settings) if task == "number" else HistRandomForestClassifier(**settings)
    )


def blocks_of(X, y, w, cuts):
    ends = [0, *cuts, len(y)]
    return [(X.iloc[a:b], y[a:b]) if w is None else (X.iloc[a:b], y[a:b], w[a:b]) for a, b in pairwise(ends)]


def on_dask(model, X, y, w, chunks=(200, 1, 400)):
    parts = [dask.delayed(X.iloc[a:b]) for a, b in pairwise(np.cumsum([0, *chunks]))]
    columns = [da.from_array(v, chunks=(chunks,)) for v in ((y,) if w is None else (y, w))]
    with dask.config.set(scheduler="synchronous"):
        return model.fit(dd.from_delayed(parts, meta=X.iloc[:0]), *columns)


TASKS = ["two", "three", "number"]
CASES = [
    *[
        (task, kind, (i + j) % 2, {})
        for i, task in enumerate(TASKS)
        for j, kind in enumerate(("numbers", "missing"))
    ],
    *[(task, "categories", w, {}) for task in TASKS for w in (0, 1)],
    *[(task, "missing", 0, {"bootstrap": False}) for task in TASKS],
    *[
        (task, "missing", 1, {"max_leaf_nodes": None, "max_depth": 5, "min_samples_leaf": 3})
        for task in TASKS
    ],
    *[(task, "missing", 0, {"max_samples": 0.3, "max_bins": 9, "n_estimators": 11}) for task in TASKS],
    *[(task, "missing", 1, {"max_samples": 100, "max_features": 2}) for task in TASKS],
    *[(task, "missing", 1, {"monotonic_cst": {"a": 1, "b": -1}}) for task in ("two", "number")],
    *[(task, "categories", w, {"class_weight": "balanced"}) for task in ("two", "three") for w in (0, 1)],
    ("three", "numbers", 0, {"class_weight": {0: 1.0, 1: 0.0, 2: 3.0}}),
]


@pytest.mark.parametrize(
    ("task", "kind", "weighted", "settings"),
    CASES,
    ids=[f"{a}-{b}-{c}-{'-'.join(d)}" for a, b, c, d in CASES],
)
def test_memory_blocks_and_dask_grow_the_same_trees(task, kind, weighted, settings):
    X, score = table(kind)
    y = target(task, score)
    w = np.random.default_rng(2).gamma(1.0, size=N) if weighted else None
    whole = forest(task, **settings).fit(X, y, w)
    assert len(whole) == whole.n_estimators * (3 if task == "three" else 1)
    assert (whole.trees_.column >= 0).any()
    for cuts in CUTS:
        assert_same_model(forest(task, **settings).fit_blocks(blocks_of(X, y, w, cuts)), whole)
    assert_same_model(on_dask(forest(task, **settings), X, y, w), whole)


@pytest.mark.parametrize("task", TASKS)
def test_a_large_table_in_pieces_is_the_table_in_one(task, monkeypatch):
    """In memory as many pieces as there are threads; the trees do not depend on that."""
    from assay.core import sums

    X, score = table("missing")
    y = target(task, score)
    whole = forest(task).fit(X, y)
    monkeypatch.setattr(sums, "ONE_BLOCK_BYTES", 1)
    for threads in ("1", "3"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", threads)
        assert_same_model(forest(task).fit(X, y), whole)


def drawn_columns(seed, way, d, some):
    """The columns that a node looks at: the first of a shuffle by splitmix64, from the turns on the way to it."""
    mask, golden = (1 << 64) - 1, 0x9E3779B97F4A7C15
    state, columns = (seed + way * golden) & mask, list(range(d))
    for i in range(some):
        state = z = (state + golden) & mask
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        j = i + (z ^ (z >> 31)) % (d - i)
        columns[i], columns[j] = columns[j], columns[i]
    return columns[:some]


def test_every_node_has_the_best_split_of_its_columns_by_the_book():
    """Twin: Gini gains of all cuts of the columns drawn, in plain NumPy, rows as often as they are in the bag."""
    rng = np.random.default_rng(0)
    n, d = 400, 8
    X = rng.integers(0, 40, size=(n, d)).astype(float)
    y = (X[:, 0] - 20) * (X[:, 1] - 20) / 100 + rng.normal(size=n) > 0
    model = HistRandomForestClassifier(2, max_features=3, max_leaf_nodes=25, random_state=3).fit(X, y)
    entropy = int(np.random.RandomState(3).randint(np.iinfo(np.uint32).max, dtype="u8"))
    for t in range(2):
        bag, seed = np.random.SeedSequence(entropy, spawn_key=(t,)).generate_state(2, np.uint64).tolist()
        counts = bag_counts(bag, 1.0, 0, n).astype(float)
        tree, gains, children = model.trees_.tree(t), {}, {}

        def gain(rows, left, counts=counts):
            def part(some):
                return (counts[some] @ y[some]) ** 2 / counts[some].sum() if len(some) else 0.0

            return part(rows[left]) + part(rows[~left]) - part(rows)

        def look(i, way, rows, tree=tree, seed=seed, counts=counts, gains=gains, children=children):
            columns = drawn_columns(seed, way, d, 3)
            cuts = [X[rows, j] <= v for j in columns for v in np.unique(X[rows, j])[:-1]]
            gains[i] = max((gain(rows, left) for left in cuts), default=0.0)
            if tree.feature[i] < 0:
                share = counts[rows] @ y[rows] / counts[rows].sum()
                assert tree.values[i, 0] == pytest.approx(share, rel=1e-10)  # 36 bits
                return
            left = X[rows, tree.feature[i]] <= tree.threshold[i]
            assert tree.feature[i] in columns
            assert gain(rows, left) == pytest.approx(gains[i], rel=1e-9)
            children[i] = tree.child[tree.offset[i] : tree.offset[i + 1]].tolist()
            for turn, some in enumerate((rows[left], rows[~left])):
                look(children[i][turn], (way * 0xD1342543DE82EF95 + 1 + turn) & ((1 << 64) - 1), some)

        look(0, 1, np.flatnonzero(counts))
        waiting = [0]
        for _ in range(24):  # the node that gains most is split first
            best = max(waiting, key=lambda i, gains=gains: gains[i])
            waiting.remove(best)
            waiting += children[best]
        assert not any(i in children for i in waiting)


def test_bags_are_poisson_numbers_of_rows_however_they_are_cut():
    whole = bag_counts(7, 1.0, 0, 200_000)
    assert_array_equal(np.concatenate([bag_counts(7, 1.0, 0, 5), bag_counts(7, 1.0, 5, 199_995)]), whole)
    shares = np.bincount(whole, minlength=MOST_TIMES + 1) / len(whole)
    assert_allclose(shares[:4], np.exp(-1) / np.array([1, 1, 2, 6]), atol=0.004)
    assert whole.max() <= MOST_TIMES
    assert bag_counts(7, 0.25, 0, 200_000).mean() == pytest.approx(0.25, abs=0.005)
    assert not np.array_equal(whole > 0, row_uniforms(7, 0, 0, 200_000) > np.exp(-1))


@pytest.mark.parametrize("task", TASKS)
def test_the_out_of_bag_score_is_that_of_the_trees_without_the_row(task):
    X, score = table("missing")
    y = target(task, score)
    model = forest(task, n_estimators=11).fit(X, y)
    K = 3 if task == "three" else 1
    entropy = int(np.random.RandomState(1).randint(np.iinfo(np.uint32).max, dtype="u8"))
    sums, votes = np.zeros((N, K)), np.zeros(N)
    for t in range(11):
        bag = np.random.SeedSequence(entropy, spawn_key=(t,)).generate_state(1, np.uint64)[0]
        out = bag_counts(int(bag), 1.0, 0, N) == 0
        answers = model.trees_.add_scores(X.to_numpy(), np.zeros((N, K)), t * K, (t + 1) * K)
        sums[out] += answers[out]
        votes += out
    asked = votes > 0
    mean = model.baseline_ + sums[asked] / votes[asked, None]
    if task == "number":
        truth = y[asked]
        want = 1 - ((truth - mean[:, 0]) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
    else:
        chosen = mean.argmax(axis=1) if K > 1 else (mean[:, 0] > 0.5).astype(int)
        want = (model.classes_[chosen] == y[asked]).mean()
    assert model.oob_score_ == pytest.approx(want, abs=1e-9)


def test_it_is_as_good_as_a_forest_on_exact_values():
    """Peer: our forest on exact values with the same limits; the accuracy on 2000 rows, of two seeds each."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(3000, 6))
    y = X[:, 0] + X[:, 1] ** 2 - 1 + 0.3 * rng.normal(size=3000) > 0
    learn, judge = slice(0, 1000), slice(1000, 3000)

    def accuracy(cls):
        models = [cls(60, max_leaf_nodes=64, random_state=seed).fit(X[learn], y[learn]) for seed in (0, 1)]
        return np.mean([model.score(X[judge], y[judge]) for model in models])

    ours, exact = accuracy(HistRandomForestClassifier), accuracy(RandomForestClassifier)
    assert ours > 0.85
    assert abs(ours - exact) < 0.02


def test_weights_are_counts_and_their_scale_does_not_matter():
    X, score = table("missing")
    y = target("number", score)
    w = np.random.default_rng(0).integers(0, 4, N).astype(float)
    one = forest("number", oob_score=False).fit(X, y, w)
    for scale in (2.0**-40, 2.0**30):
        other = forest("number", oob_score=False).fit(X, y, w * scale)
        assert_array_equal(other.predict(X), one.predict(X))
    repeated = np.repeat(np.arange(N), w.astype(int))
    settings = {"bootstrap": False, "max_features": None, "n_estimators": 1}
    weighted = forest("number", **settings).fit(X, y, w).predict(X)
    assert_allclose(
        forest("number", **settings).fit(X.iloc[repeated], y[repeated]).predict(X), weighted, rtol=1e-9
    )


def test_monotonic_columns():
    X, score = table("numbers")
    model = forest("number", n_estimators=20, monotonic_cst={"a": 1}, max_leaf_nodes=None).fit(X, score)
    grid = X.iloc[:50].copy()
    steps = [model.predict(grid.assign(a=v)) for v in np.linspace(-3, 3, 40)]
    assert (np.diff(steps, axis=0) >= -1e-12).all()
    with pytest.raises(ParameterError, match="for numbers and two classes"):
        forest("three", monotonic_cst={"a": 1}).fit(X, target("three", score))


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_targets_of_any_size(unit):
    X, score = table("numbers")
    small = forest("number").fit(X, score)
    assert_allclose(forest("number").fit(X, score * unit).predict(X), small.predict(X) * unit, rtol=1e-6)


@pytest.mark.parametrize("task", TASKS)
def test_few_rows_and_a_constant_target(task):
    for n in (1, 2, 3):
        model = forest(task, oob_score=False).fit(
            np.arange(n)[:, None] * 1.0, target(task, np.arange(n) - 1.0)
        )
        answers = model.predict_proba([[0.0]]) if task != "number" else model.predict([[0.0]])
        assert np.isfinite(answers).all()
    model = forest(task, oob_score=False).fit(np.arange(9)[:, None] * 1.0, target(task, np.zeros(9)))
    assert_array_equal(model.predict([[3.0], [np.nan]]), target(task, np.zeros(2)))


def test_where_no_row_is_outside_of_a_bag_there_is_no_score():
    for seed in range(100):
        entropy = int(np.random.RandomState(seed).randint(np.iinfo(np.uint32).max, dtype="u8"))
        bag = int(np.random.SeedSequence(entropy, spawn_key=(0,)).generate_state(1, np.uint64)[0])
        if bag_counts(bag, 1.0, 0, 2).all():
            break
    with pytest.warns(DegenerateWarning, match="no out-of-bag score"):
        model = forest("two", n_estimators=1, random_state=seed).fit([[0.0], [1.0]], ["a", "b"])
    assert np.isnan(model.oob_score_)


def test_what_cannot_be_is_explained():
    X, score = table("numbers")
    with pytest.raises(DegenerateError, match="the sums of targets overflow"):
        forest("number").fit(X, np.where(score > 0, 1.7e308, -1.7e308))
    with pytest.raises(ParameterError, match="max_samples=700 is more than the 601 rows"):
        forest("number", max_samples=700).fit(X, score)
    with pytest.raises(ParameterError, match="only available if bootstrap=True"):
        HistRandomForestRegressor(bootstrap=False, oob_score=True).fit(X, score)
    with pytest.raises(DataError, match="no block"):
        forest("number").fit_blocks([])


@pytest.mark.parametrize("task", TASKS)
def test_contributions_add_up_and_a_saved_model_answers_the_same(task, tmp_path):
    X, score = table("categories")
    model = forest(task).fit(X, target(task, score))
    phi, base = model.contributions(X.iloc[:20])
    if task == "number":
        assert_allclose(base + phi.sum(axis=1), model.predict(X.iloc[:20])[:, None], rtol=1e-9)
    else:
        P = base + phi.sum(axis=1)
        P = P / P.sum(axis=1, keepdims=True) if task == "three" else np.column_stack([1 - P, P])
        assert_allclose(P, model.predict_proba(X.iloc[:20]), atol=1e-9)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    save(model, tmp_path / "forest.assay")
    back = load(tmp_path / "forest.assay")
    assert_same_model(back, model)
    assert_array_equal(back.predict(X), model.predict(X))


def test_passes_and_bytes_do_not_depend_on_the_rows(monkeypatch):
    """Eight trees grow side by side, so a pass is for eight trees; what it sends are the cells in use."""
    from assay.ensembles import hist_random_forest

    made = []

    class Watched(hist_random_forest.Bags):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr(hist_random_forest, "Bags", Watched)
    for n in (1000, 4000):
        X = np.random.default_rng(0).integers(0, 30, size=(n, 4)).astype(float)
        forest("two", n_estimators=16, max_leaf_nodes=None, max_depth=4, oob_score=False).fit(
            X, X[:, 0] + X[:, 1] > 29
        )
    small, large = made
    assert large.passes <= 2 * (1 + 4)
    histogram = 16 * 4 * 31
    most = 16 * (1 + 1 + 2 + 4 + 8) * (histogram + 32)  # the root, and a child of each split
    assert large.bytes_received <= most + 16 * 48
    assert large.bytes_received <= 1.5 * small.bytes_received
