"""OC1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from assay.tables.data import load_charity_donors
from assay.trees import OC1Classifier
from assay.trees.multivariate import oc1
from assay.trees.multivariate.rows import NodeRows


@pytest.mark.parametrize("n", [5, 10])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.capability("IML-9-33")
def test_one_node_for_a_diagonal(n, seed):
    X = np.array([[i, j] for i in range(n) for j in range(n)], float)
    y = X.sum(axis=1) > n - 1
    model = OC1Classifier(random_state=seed).fit(X, y)
    assert model.tree_.node_count == 3 and model.score(X, y) == 1.0


@pytest.mark.capability("DC-25", "IML-9-33")
def test_one_oblique_split_tells_donors_apart():
    X, y = load_charity_donors()
    model = OC1Classifier(random_state=0).fit(X, y)
    assert model.get_n_leaves() == 2 and model.score(X, y) == 1.0


@given(seed=st.integers(0, 10**6), K=st.integers(2, 4), criterion=st.sampled_from(["gini", "entropy"]))
@settings(max_examples=20, deadline=None)
@pytest.mark.capability("IML-9-33")
def test_no_node_is_less_pure_than_the_best_univariate_split(seed, K, criterion):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, K, 60)
    y = np.unique(y, return_inverse=True)[1]
    model = OC1Classifier(criterion=criterion, restarts=4, deletion=0.2, random_state=seed).fit(X, y)
    paths = model.decision_path(X).toarray().astype(bool)
    tree = model.tree_
    for i in np.flatnonzero(~tree.is_leaf):
        here = NodeRows(
            X[paths[:, i]], y[paths[:, i]], np.ones(paths[:, i].sum()), len(model.classes_), criterion
        )
        assert here.impurity_of(tree.splits[i].branch(here.X)) <= here.best_threshold[1] + 1e-9


def test_more_restarts_never_make_the_root_less_pure():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(150, 5)), rng.integers(0, 2, 150)
    rows = NodeRows(X, y, np.ones(150), 2)
    after = []
    for restarts in (1, 5, 20):
        model = OC1Classifier(restarts, deletion=None, max_depth=1, random_state=3).fit(X, y)
        after.append(rows.impurity_of(model.tree_.splits[0].branch(X)))
    assert after[0] >= after[1] >= after[2] and after[2] < after[0]


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_smaller_than_univariate_trees_and_as_accurate(load):
    X, y = load(return_X_y=True)
    ours, peer = OC1Classifier(restarts=5, random_state=0), DecisionTreeClassifier(random_state=0)
    assert ours.fit(X, y).get_n_leaves() < peer.fit(X, y).get_n_leaves()
    scores = [cross_val_score(model, X, y, cv=5).mean() for model in (ours, peer)]
    assert scores[0] > scores[1] - 0.03


def test_the_number_of_threads_changes_nothing(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:200, :8], y[:200]
    found = []
    for large, threads in ((10**9, "1"), (0, "1"), (0, "2")):
        monkeypatch.setattr(oc1, "_MIN_PARALLEL", large)
        monkeypatch.setenv("ASSAY_NUM_THREADS", threads)
        model = OC1Classifier(restarts=6, random_state=0).fit(X, y)
        found.append([getattr(split, "weights", split) for split in model.tree_.splits])
    for others in found[1:]:
        for a, b in zip(found[0], others, strict=True):
            assert_array_equal(a, b)


def test_large_nodes_are_searched_on_a_sample(monkeypatch):
    """As if 100 rows were many: still no less pure than a single column, and a diagonal is still one node."""
    monkeypatch.setattr(oc1, "MAX_SEARCHED", 100)
    monkeypatch.setattr(oc1, "SAMPLE", 60)
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (500, 3))
    y = (X[:, 0] - 2 * X[:, 2] > 0.1).astype(int)
    model = OC1Classifier(random_state=0, max_depth=1).fit(X, y)
    assert model.score(X, y) > 0.98
    noise = rng.integers(0, 2, 500)
    rows = NodeRows(X, noise, np.ones(500), 2)
    split = OC1Classifier(random_state=0, max_depth=1).fit(X, noise).tree_.splits[0]
    assert rows.impurity_of(split.branch(X)) <= rows.best_threshold[1] + 1e-12
