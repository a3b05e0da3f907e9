"""IsolationForest: path lengths, the peer's scores, draws, mixed tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr
from sklearn.datasets import load_diabetes, load_wine
from sklearn.ensemble import IsolationForest as Peer

import assay.outliers._isolation as _isolation
from assay.errors import AssayWarning, DataError, ParameterError
from assay.outliers.isolation_forest import IsolationForest, mean_path_length


def test_the_mean_path_length_is_that_of_searching_a_binary_tree():
    # Oracle: c(m) = 2 H(m-1) - 2 (m-1)/m with the harmonic number as ln(m-1) + gamma.
    assert_allclose(mean_path_length([0, 1, 2]), [0, 0, 1])
    m = np.array([10, 256, 5000])
    assert_allclose(
        mean_path_length(m), 2 * (np.log(m - 1) + 0.5772156649015329) - 2 * (m - 1) / m, rtol=1e-12
    )
    exact = 2 * np.sum(1 / np.arange(1, 256)) - 2 * 255 / 256
    assert_allclose(mean_path_length(256), exact, atol=1 / 255)


def test_a_score_is_the_mean_path_of_the_trees():
    X = np.random.default_rng(0).normal(size=(300, 3))
    model = IsolationForest(n_estimators=7, max_samples=64, random_state=0).fit(X)
    lengths = np.mean([tree.predict(X) for tree in model.estimators_], axis=0)
    assert_allclose(model.score_samples(X), -(2 ** -(lengths / mean_path_length(64))), rtol=1e-12)
    for tree in model.trees_.tree(0), model.trees_.tree(6):
        assert tree.max_depth <= 6 and tree.n_node_samples[0] == 64
        leaf = tree.is_leaf
        assert_allclose(tree.values[leaf, 0], tree.depth[leaf] + mean_path_length(tree.n_node_samples[leaf]))


@pytest.mark.parametrize("load", [load_wine, load_diabetes])
@pytest.mark.parametrize("text", [{}, {"max_features": 0.5}, {"bootstrap": True, "max_samples": 0.5}])
def test_scores_agree_with_scikit_learn_as_two_of_its_forests_agree(load, text):
    """Peer: IsolationForest, scikit-learn 1.9; other draws, so ours must be as near as another of its seeds."""
    X = load(return_X_y=True)[0]
    ours = IsolationForest(n_estimators=150, random_state=0, **text).fit(X)
    peer, other = (Peer(n_estimators=150, random_state=seed, **text).fit(X) for seed in (0, 1))
    a, b, c = (forest.score_samples(X) for forest in (ours, peer, other))
    assert abs(a.mean() - (b.mean() + c.mean()) / 2) < 0.01
    assert abs(a.std() / b.std() - 1) < 0.1
    assert spearmanr(a, b)[0] > spearmanr(b, c)[0] - 0.03
    assert ours.max_samples_ == peer.max_samples_


@pytest.mark.capability("IML-1-04")
def test_planted_outliers_are_ranked_first():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(500, 4)), rng.normal(size=(10, 4)) * 0.1 + 8])
    scores = IsolationForest(random_state=0).fit(X).score_samples(X)
    assert set(np.argsort(scores)[:10]) == set(range(500, 510))


def test_the_share_of_outliers_is_what_was_asked_for():
    X = np.random.default_rng(0).normal(size=(1000, 3))
    model = IsolationForest(contamination=0.05, random_state=0).fit(X)
    assert np.count_nonzero(model.predict(X) == -1) == 50
    assert_array_equal(model.fit_predict(X), model.predict(X))


def test_the_number_of_threads_changes_nothing_and_a_warm_start_only_adds(monkeypatch):
    X = np.random.default_rng(0).normal(size=(400, 3))
    one = IsolationForest(n_estimators=20, random_state=3, n_jobs=1).fit(X)
    monkeypatch.setenv("ASSAY_NUM_THREADS", "4")
    four = IsolationForest(n_estimators=20, random_state=3, n_jobs=4).fit(X)
    assert_array_equal(one.score_samples(X), four.score_samples(X))
    warm = IsolationForest(n_estimators=8, random_state=3, warm_start=True).fit(X)
    warm.set_params(n_estimators=20).fit(X)
    assert_array_equal(warm.score_samples(X), one.score_samples(X))
    with pytest.warns(AssayWarning, match="without increasing"):
        warm.fit(X)
    with pytest.raises(ParameterError, match="n_estimators=3 must be larger"):
        warm.set_params(n_estimators=3).fit(X)
    warm = IsolationForest(n_estimators=8, random_state=3, warm_start=True).fit(X)
    with pytest.raises(DataError, match="warm start"):
        warm.set_params(n_estimators=9).fit(X[:, :2])


def test_a_warm_start_keeps_each_tree_with_its_own_rows():
    """A generator goes on drawing, so the seeds of the old trees must not be drawn again."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = IsolationForest(
        n_estimators=3, max_samples=20, random_state=np.random.RandomState(0), warm_start=True
    )
    first, rows = model.fit(X).estimators_[0], model.estimators_samples_
    model.set_params(n_estimators=5).fit(X)
    assert model.estimators_[0] is first
    assert len(model.estimators_) == 5
    assert_array_equal(model.estimators_samples_[:3], rows)
    for tree, drawn in zip(model.estimators_, model.estimators_samples_):
        counts = np.bincount(tree.apply(X[drawn]), minlength=tree.tree_.node_count)
        leaves = np.unique(tree.apply(X))
        assert_array_equal(counts[leaves], tree.tree_.n_node_samples[leaves])


def test_each_tree_sees_the_rows_and_columns_it_drew():
    X = np.random.default_rng(0).normal(size=(200, 6))
    model = IsolationForest(n_estimators=12, max_samples=30, max_features=0.5, random_state=0).fit(X)
    for t, (rows, columns) in enumerate(zip(model.estimators_samples_, model.estimators_features_)):
        assert len(rows) == len(set(rows)) == 30 and len(columns) == len(set(columns)) == 3
        feature = model.trees_.tree(t).feature
        assert set(feature[feature >= 0]) <= set(columns)
    again = IsolationForest(n_estimators=5, bootstrap=True, random_state=0).fit(X)
    for t, rows in enumerate(again.estimators_samples_):  # a row drawn twice counts once
        assert len(rows) == 200 and again.trees_.tree(t).n_node_samples[0] == len(set(rows)) < 200
    weighted = IsolationForest(n_estimators=5, random_state=0).fit(X, sample_weight=np.arange(200) >= 150)
    assert min(rows.min() for rows in weighted.estimators_samples_) >= 150


def test_categories_gaps_and_sparse_tables_need_no_preparation():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=300), "kind": rng.choice(["a", "b"], 300)})
    table.loc[:20, "x"] = np.nan
    table.loc[299] = [9.0, "c"]
    assert int(IsolationForest(random_state=0).fit(table).score_samples(table).argmin()) == 299
    from scipy.sparse import csr_matrix

    X = np.where(rng.uniform(size=(300, 5)) < 0.7, 0.0, rng.normal(size=(300, 5)))
    dense, sparse = (IsolationForest(random_state=0).fit(form) for form in (X, csr_matrix(X)))
    assert_array_equal(dense.score_samples(X), sparse.score_samples(csr_matrix(X)))


def test_one_row_and_equal_rows_have_scores():
    assert_array_equal(
        IsolationForest(random_state=0).fit([[1.0]]).score_samples([[1.0], [9.0]]), [-0.5, -0.5]
    )
    equal = IsolationForest(random_state=0).fit(np.ones((50, 2)))
    assert_allclose(equal.score_samples(np.ones((1, 2))), [-0.5])  # the path is the mean one


def tree_by_the_book(X, columns, max_depth, seed):
    """The tree of the native code, node by node: feature, threshold, second child, rows."""
    state, nodes, columns = seed, [], list(columns)

    def share():
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            z = (z ^ (z >> shift)) * factor % 2**64
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53

    def varying(rows):
        for t in range(len(columns)):
            other = t + int(share() * (len(columns) - t))
            columns[t], columns[other] = columns[other], columns[t]
            if np.ptp(X[rows, columns[t]]) > 0:
                return columns[t]
        return None

    def grow(rows, depth):
        here = len(nodes)
        nodes.append([-2, -2.0, -1, len(rows)])
        j = varying(rows) if len(rows) > 1 and depth < max_depth else None
        if j is not None:
            x, u = X[rows, j], share()
            cut = (1 - u) * x.min() + u * x.max()
            cut = cut if x.min() <= cut < x.max() else x.min()
            nodes[here][:2] = [j, cut]
            grow(rows[x <= cut], depth + 1)
            nodes[here][2] = len(nodes)
            grow(rows[x > cut], depth + 1)

    grow(np.arange(len(X)), 0)
    return np.array(nodes)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**31), m=st.integers(1, 40), depth=st.integers(0, 7), whole=st.booleans())
def test_the_kernel_cuts_as_its_twin_does(seed, m, depth, whole):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(m, 4)).astype(float) if whole else rng.normal(size=(m, 4))
    columns = np.sort(rng.permutation(4)[:3]).astype(np.int32)
    room = 2 * m - 1
    feature, right, samples = (np.empty(room, np.int32) for _ in range(3))
    threshold = np.empty(room)
    count = _isolation.isolate(
        X=X,
        columns=columns,
        max_depth=depth,
        seed=seed,
        feature=feature,
        threshold=threshold,
        right=right,
        samples=samples,
    )
    ours = np.column_stack([feature, threshold, right, samples])[:count]
    assert_array_equal(ours, tree_by_the_book(X, columns, depth, seed))


def test_the_kernel_refuses_what_it_could_not_follow():
    X, few = np.zeros((3, 2)), np.empty(5, np.int32)
    for columns, depth, room in (([2], 3, 5), ([-1], 3, 5), ([0], 65, 5), ([0], 3, 4)):
        given_ = np.array(columns, np.int32)
        with pytest.raises(ValueError, match="isolate"):
            _isolation.isolate(
                X=X,
                columns=given_,
                max_depth=depth,
                seed=0,
                feature=few[:room],
                threshold=np.empty(room),
                right=few[:room],
                samples=few[:room],
            )


def test_grown_trees_are_sound_and_numbers_of_any_size_are_cut():
    X = np.random.default_rng(0).normal(size=(300, 3)) * [1e-300, 1.0, 1e307]
    model = IsolationForest(n_estimators=5, random_state=0).fit(X)
    for t in range(5):
        model.trees_.tree(t).check()
    assert np.isfinite(model.score_samples(X)).all()
    gaps = X.copy()
    gaps[0] = np.nan  # goes to the larger side at every cut
    assert np.isfinite(model.score_samples(gaps)).all()


def test_an_explanation_counts_the_cuts_by_column():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), rng.normal(size=200)])
    text = IsolationForest(random_state=0).fit(X).explain([[0.0, 30.0]])
    assert text.answer == "outlier"
    cuts = {row[0]: row[2] for row in text.sections[1].rows}
    assert cuts["x1"] > 0 and "Mean path length" in text.sections[1].note


def test_rows_that_weigh_nothing_are_not_counted():
    X = np.random.default_rng(0).normal(size=(100, 2))
    w = np.repeat([1.0, 0.0], [20, 80])
    model = IsolationForest(n_estimators=50, random_state=0).fit(X, sample_weight=w)
    assert model.max_samples_ == 20
    assert all(set(rows) == set(range(20)) for rows in model.estimators_samples_)
    alone = IsolationForest(n_estimators=50, random_state=0).fit(X[:20])
    assert_allclose(model.score_samples(X[:20]).mean(), alone.score_samples(X[:20]).mean(), atol=0.02)
