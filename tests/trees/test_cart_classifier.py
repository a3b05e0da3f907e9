"""CART: full trees cut back by the one-standard-error rule."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.tree import DecisionTreeClassifier as Peer

from assay.errors import ParameterError
from assay.tables.data import load_apples, load_breast_cancer, load_german_credit, load_iris
from assay.trees.cart_classifier import CARTClassifier
from assay.trees.pruning import cost_complexity_path
from assay.trees.tree import SUBSET


@pytest.mark.capability("C3-44")
def test_binary_splits_of_the_apples():
    """Oracle: C3 3.2.3: colour = green and weight <= 185 tie at Gini 0.1714285714; the first column is taken."""
    apples = load_apples()
    tree = CARTClassifier(cv=2, random_state=0)
    tree.fit(apples.X, apples.y)
    grown = tree._grown(apples.X.values, apples.codes, None)
    assert grown.kind[0] == SUBSET and grown.feature[0] == 0
    left = grown.children(0)
    after = grown.impurity[left] @ grown.weighted_n_node_samples[left] / 10
    assert_allclose(after, 0.1714285714, atol=5e-11)
    green = apples.X.schema["colour"].categories.index("green")
    assert list(grown.subset(0)) in ([green], [c for c in range(3) if c != green])


def test_the_path_is_that_of_the_full_tree_and_the_choice_lies_on_it():
    data = load_breast_cancer()
    model = CARTClassifier(cost="impurity", random_state=0).fit(data.X, data.codes)
    full = model._grown(data.X.values, data.codes, None)
    path = cost_complexity_path(full)
    assert_array_equal(model.path_alphas_, path.alphas)
    assert_array_equal(model.path_leaves_, path.leaves)
    chosen = int(np.flatnonzero(path.alphas == model.ccp_alpha_)[0])
    assert model.get_n_leaves() == path.leaves[chosen]
    best = model.path_errors_.argmin()
    allowed = model.path_errors_[best] + model.path_standard_errors_[best]
    assert model.path_errors_[chosen] <= allowed + 1e-12
    assert (model.path_errors_[chosen + 1 :] > allowed).all()


def test_much_smaller_than_a_full_tree_and_as_good():
    """Peer: DecisionTreeClassifier of scikit-learn 1.9 on 20 % wrong labels; the test rows have none."""
    random = np.random.default_rng(0)
    X, fresh = random.random((600, 5)), random.random((3000, 5))
    truth = lambda rows: (rows[:, 0] > 0.4) & (rows[:, 1] > 0.3)  # noqa: E731
    y = truth(X) ^ (random.random(600) < 0.2)
    model, peer = CARTClassifier(random_state=0).fit(X, y), Peer(random_state=0).fit(X, y)
    assert model.get_n_leaves() <= 6 < 100 < peer.get_n_leaves()
    assert model.score(fresh, truth(fresh)) > 0.97 > peer.score(fresh, truth(fresh))


def test_missing_values_and_categories():
    data, random = load_german_credit(), np.random.default_rng(0)
    X = data.frame("pandas")[list(data.feature_names)]
    X = X.mask(random.random(X.shape) < 0.1)
    for missing in ("surrogate", "learned", "spread"):
        model = CARTClassifier(missing=missing, within=0, cv=5, random_state=0).fit(X, data.y)
        assert model.score(X, data.y) > 0.72  # 0.7 are good
        inner = ~model.tree_.is_leaf
        assert inner.sum() >= 3 and ((model.tree_.missing[inner] == -1).all() == (missing == "spread"))
    X = pd.DataFrame({"a": ["u", "u", "v", "v"] * 10, "b": [1.0, 1.2, 2.0, 2.2] * 10})
    model = CARTClassifier(random_state=0).fit(X, [0, 0, 1, 1] * 10)
    missing_one = pd.DataFrame({"a": [None, None], "b": [1.1, 2.1]}, dtype=object).astype({"b": float})
    assert_array_equal(model.predict(missing_one), [0, 1])  # b stands in for a


def test_the_seed_decides_the_folds():
    data = load_iris()
    a, b = (CARTClassifier(random_state=3).fit(data.X, data.y) for _ in range(2))
    assert_array_equal(a.path_errors_, b.path_errors_)
    with pytest.raises(ParameterError, match="cv must be a whole number from 2 up or a splitter"):
        CARTClassifier(cv=1).fit(data.X, data.y)


def test_one_row_and_one_class():
    assert_array_equal(CARTClassifier().fit([[1.0]], ["x"]).predict([[2.0]]), ["x"])
    assert CARTClassifier().fit([[1.0], [2.0]], ["x", "x"]).get_n_leaves() == 1
    assert CARTClassifier().fit([[1.0], [2.0]], ["x", "y"]).get_n_leaves() == 1  # two rows prove nothing
