"""scikit-learn's export functions on trees of Assay: the text that the peer writes for the same tree."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import sklearn.tree as peers
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import NotFittedError

from assay.errors import DataError, ParameterError
from assay.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    export_graphviz,
    export_text,
    plot_tree,
)

WINE = load_wine()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"max_depth": 1},
        {"max_depth": 0, "spacing": 1},
        {"show_weights": True, "decimals": 4},
        {"feature_names": WINE.feature_names, "class_names": WINE.target_names},
    ],
)
def test_text_as_scikit_learn_writes_it(settings):
    X, y = WINE.data.astype(np.float32), WINE.target
    ours = DecisionTreeClassifier(max_depth=2).fit(X, y)
    peer = peers.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert (peer.tree_.feature == ours.tree_.feature).all()
    assert export_text(ours, **settings) == peers.export_text(peer, **settings)
    assert export_text(peer, **settings) == peers.export_text(peer, **settings)


def test_numbers_and_several_outputs_as_scikit_learn_writes_them():
    X, y = load_diabetes(return_X_y=True)
    for target in (y, np.column_stack([y, X[:, 2]])):
        ours = DecisionTreeRegressor(max_depth=3).fit(X, target)
        peer = peers.DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, target)
        assert export_text(ours) == peers.export_text(peer)
        assert export_graphviz(ours, precision=1) == peers.export_graphviz(peer, precision=1)


def test_targets_are_named_in_the_leaves():
    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [["a", "low"], ["b", "high"]])
    assert export_text(model).splitlines()[1] == "|   |--- class: a, low"
    assert len(plot_tree(model)) == 5
    plt.close()


def test_pictures_as_scikit_learn_draws_them():
    X, y = WINE.data.astype(np.float32), WINE.target
    ours = DecisionTreeClassifier(max_depth=2).fit(X, y)
    peer = peers.DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    drawn = [[a.get_text() for a in way(model, filled=True)] for way, model in
             ((plot_tree, ours), (peers.plot_tree, peer))]  # fmt: skip
    assert drawn[0] == drawn[1]
    plt.close()


def test_groups_of_categories_are_named_or_refused():
    table = pd.DataFrame({"taste": ["sour", "sweet", "bitter"] * 4})
    model = DecisionTreeClassifier().fit(table, [0, 1, 0] * 4)
    assert export_text(model).startswith("|--- taste ")
    for way in (export_graphviz, plot_tree):
        with pytest.raises(DataError, match="also asks for categories"):
            way(model)


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(NotFittedError):
        export_text(DecisionTreeClassifier())
    model = DecisionTreeClassifier().fit(WINE.data, WINE.target)
    for settings, word in (
        ({"feature_names": ["a"]}, "feature_names must contain 13 elements, got 1"),
        ({"class_names": ["a"]}, "fitted with 3 classes"),
        ({"decimals": -1}, "decimals"),
    ):
        with pytest.raises(ParameterError, match=word):
            export_text(model, **settings)


def test_checks_of_the_input_can_be_asked_for():
    X, y = WINE.data, WINE.target
    model = DecisionTreeClassifier(max_depth=2).fit(X, y, check_input=False)
    assert (model.predict(X, check_input=False) == model.predict(X)).all()
    assert model.predict_proba(X[:3], check_input=False).shape == (3, 3)
    assert (model.apply(X, check_input=False) == model.apply(X)).all()
    assert model.decision_path(X[:2], check_input=False).shape == (2, model.tree_.node_count)
    assert "check_input" not in str(model.get_metadata_routing())
