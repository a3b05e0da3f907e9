"""Linear classifiers in the leaves of a tree."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay.errors import ParameterError
from assay.trees.criteria import entropy
from assay.trees.linear_leaf_classifier import LinearLeafClassifier
from assay.trees.textbook_tree_classifier import TextbookTreeClassifier

# Class 1 above the roof |x0|; no point lies on it.
X = np.array([[a, b] for a in np.linspace(-1, 1, 20) for b in np.linspace(0.01, 0.98, 20)])
Y = (X[:, 1] > np.abs(X[:, 0])).astype(int)


@pytest.mark.capability("IML-9-44")
def test_posteriors_are_near_0_and_1_although_no_leaf_is_pure():
    model = LinearLeafClassifier(ridge=1e-3).fit(X, Y)
    assert model.get_n_leaves() == 2 and abs(model.tree_.threshold[0]) < 0.06
    assert model.score(X, Y) == 1.0
    shares = model.tree_.values[model.tree_.is_leaf]
    assert (shares.max(axis=1) < 0.6).all()  # far from pure
    sure = model.predict_proba(X).max(axis=1)
    assert np.mean(sure > 0.95) > 0.95
    assert TextbookTreeClassifier().fit(X, Y).get_n_leaves() > 20  # axis-parallel steps along the roof


@pytest.mark.capability("IML-9-44")
def test_the_impurity_of_a_leaf_is_the_mean_entropy_of_its_posteriors():
    model = LinearLeafClassifier().fit(X, Y)
    leaf, said = model.apply(X), entropy(model.predict_proba(X))
    for i in np.flatnonzero(model.tree_.is_leaf):
        assert model.tree_.impurity[i] == pytest.approx(said[leaf == i].mean(), rel=1e-6)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_as_accurate_as_logistic_regression_on_real_rows(load):
    """Peer: LogisticRegression 1.9 on standardised columns; a single leaf is exactly that."""
    x, y = load(return_X_y=True)
    peer = make_pipeline(StandardScaler(), LogisticRegression(C=1.0, tol=1e-8, max_iter=2000))
    stump = LinearLeafClassifier(max_depth=0).fit(x, y)
    assert_allclose(stump.predict_proba(x), peer.fit(x, y).predict_proba(x), atol=1e-4)
    ours = cross_val_score(LinearLeafClassifier(), x, y, cv=3).mean()
    assert ours > cross_val_score(peer, x, y, cv=3).mean() - 0.02


def test_a_leaf_gives_nothing_to_classes_that_it_has_no_rows_of():
    x = np.concatenate([np.linspace(0, 1, 30), np.linspace(5, 6, 30)])
    y = np.concatenate([np.arange(30) % 2, np.arange(30) % 2 + 2])
    model = LinearLeafClassifier().fit(x[:, None], y)
    assert model.get_n_leaves() == 2
    posterior = model.predict_proba([[0.5], [5.5]])
    assert (posterior[0, 2:] == 0).all() and (posterior[1, :2] == 0).all()
    assert_allclose(posterior.sum(axis=1), 1)


def test_categories_split_and_enter_the_scores():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": rng.choice(["up", "down"], 200), "x": rng.normal(size=200)})
    y = ((frame["x"] > 0) == (frame["kind"] == "up")).to_numpy()
    model = LinearLeafClassifier(ridge=0.01).fit(frame, y)
    assert model.get_n_leaves() == 2 and model.score(frame, y) >= 0.98
    told = model.explain(frame.iloc[[0]])
    assert [s.title for s in told.sections] == ["Path", "Linear scores in the leaf"]
    terms = told.sections[1].rows
    assert_allclose(np.sum([row[1:] for row in terms[:-1]], axis=0), terms[-1][1:], atol=1e-9)


def test_a_single_class_is_certain():
    model = LinearLeafClassifier().fit(X, np.zeros(len(X), int))
    assert_allclose(model.predict_proba(X), 1.0)


def test_the_printed_scores_are_the_ones_applied():
    model = LinearLeafClassifier(ridge=1e-3).fit(X, Y)
    lines = [line for line in str(model).splitlines() if line.startswith("leaf ")]
    assert len(lines) == 4  # two leaves, two classes
    leaf, label, text = re.fullmatch(r"leaf (\d+), (\d): (.*)", lines[0]).groups()
    x0, x1 = X[model.apply(X) == int(leaf)][0]
    score = eval(re.sub(r"(\d) (x\d)", r"\1 * \2", text), {"x0": x0, "x1": x1})
    assert score == pytest.approx(
        model.coef_[0, int(label)] @ [x0, x1] + model.intercept_[0, int(label)], rel=1e-4
    )
    with pytest.raises(ParameterError, match="which a rule cannot hold"):
        model.rules()


def test_weights_beside_which_the_ridge_is_nothing():
    X, y = np.arange(20.0)[:, None], (np.arange(20) > 8).astype(int)
    model = LinearLeafClassifier().fit(X, y, sample_weight=np.full(20, 1e300))
    assert model.score(X, y) == 1.0
