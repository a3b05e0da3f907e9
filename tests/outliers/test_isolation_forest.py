"""IsolationForest: path lengths, the peer's scores, draws, mixed tables."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble import IsolationForest as Peer
from sklearn.metrics import roc_auc_score

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
        assert_allclose(tree.value[leaf, 0], tree.depth[leaf] + mean_path_length(tree.n_node_samples[leaf]))


@pytest.mark.parametrize("load", [load_wine, load_diabetes])
@pytest.mark.parametrize("settings", [{}, {"max_features": 0.5}, {"bootstrap": True, "max_samples": 0.5}])
def test_scores_agree_with_scikit_learn_as_two_of_its_forests_agree(load, settings):
    """Peer: IsolationForest, scikit-learn 1.9; other draws, so ours must be as near as another of its seeds."""
    X = load(return_X_y=True)[0]
    ours = IsolationForest(n_estimators=150, random_state=0, **settings).fit(X)
    peer, other = (Peer(n_estimators=150, random_state=seed, **settings).fit(X) for seed in (0, 1))
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


def test_a_single_far_group_scores_as_well_as_the_peer():
    X, y = load_breast_cancer(return_X_y=True)
    ours = roc_auc_score(y, IsolationForest(n_estimators=200, random_state=0).fit(X).score_samples(X))
    peer = roc_auc_score(y, Peer(n_estimators=200, random_state=0).fit(X).score_samples(X))
    assert abs(ours - peer) < 0.02


def test_an_explanation_counts_the_cuts_by_column():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), rng.normal(size=200)])
    said = IsolationForest(random_state=0).fit(X).explain([[0.0, 30.0]])
    assert said.answer == "outlier"
    cuts = {row[0]: row[2] for row in said.sections[1].rows}
    assert cuts["x1"] > 0 and "Mean path length" in said.sections[1].note
