"""What a tree tells other learners."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from assay.errors import DataError, DegenerateWarning, ParameterError
from assay.trees.textbook_tree_classifier import TextbookTreeClassifier
from assay.trees.textbook_tree_regressor import TextbookTreeRegressor
from assay.trees.tree import Tree
from assay.trees.tree_features import (
    TreeFeatureSelector,
    closeness_to_root,
    neighbors_from_tree,
    used_features,
)

# IML Fig. 9-6: age, years in job, gender, job type (A, B, C).
FIG_9_6 = Tree.of(
    {
        "feature": 0,
        "threshold": 38.5,
        "children": [
            {"feature": 3, "children": [{"value": v, "n": 10} for v in (0.4, 0.3, 0.2)]},
            {
                "feature": 1,
                "threshold": 2.5,
                "children": [{"value": 0.6, "n": 10}, {"value": 0.8, "n": 10}],
            },
        ],
    },
    n_categories=[0, 0, 2, 3],
)


def people(n=300):
    """Rows that make a learner grow the tree of Fig. 9-6."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.uniform(20, 65, n).round(),
            "years in job": rng.uniform(0, 6, n).round(1),
            "gender": rng.choice(["f", "m"], n),
            "job type": rng.choice(["A", "B", "C"], n),
        }
    )
    young = frame["job type"].map({"A": 0.4, "B": 0.3, "C": 0.2})
    return frame, np.where(frame["age"] > 38.5, np.where(frame["years in job"] > 2.5, 0.8, 0.6), young)


@pytest.mark.capability("IML-9-25")
def test_fig_9_6_uses_all_but_the_gender_and_asks_for_the_age_first():
    assert_array_equal(used_features(FIG_9_6), [0, 1, 3])
    assert_allclose(closeness_to_root(FIG_9_6), [1, 0.5, 0, 0.5])


@pytest.mark.capability("IML-9-25")
def test_a_selector_keeps_what_the_tree_uses():
    X, y = people()
    selector = TreeFeatureSelector(TextbookTreeRegressor()).fit(X, y)
    assert_array_equal(selector.get_feature_names_out(), ["age", "years in job", "job type"])
    pd.testing.assert_frame_equal(selector.transform(X), X[["age", "years in job", "job type"]])
    assert_allclose(selector.closeness_, [1, 0.5, 0, 0.5])
    only_root = TreeFeatureSelector(TextbookTreeRegressor(), min_closeness=1.0).fit(X, y)
    assert_array_equal(only_root.get_support(indices=True), [0])


def test_frames_of_any_kind_and_tables_keep_their_kind():
    import polars as pl

    from assay.tables import Table

    X, y = people(60)
    kept = ["age", "years in job", "job type"]
    selector = TreeFeatureSelector(TextbookTreeRegressor()).fit(X, y)
    assert selector.transform(pl.from_pandas(X)).columns == kept
    assert selector.transform(pl.from_pandas(X).to_arrow()).column_names == kept
    assert selector.transform(Table.of(X)).schema.names == kept
    assert list(selector.transform({name: X[name].to_numpy() for name in X})) == kept
    assert selector.transform(X[X.columns[::-1]]).columns.tolist() == kept
    numbered = X.set_axis([10, 11, 12, 13], axis=1)
    again = TreeFeatureSelector(TextbookTreeRegressor()).fit(numbered, y)
    assert again.transform(numbered).columns.tolist() == [10, 11, 13]
    objects = TreeFeatureSelector(TextbookTreeRegressor()).fit(X.to_numpy(object), y)
    assert_array_equal(objects.transform(X.to_numpy(object)), X[kept].to_numpy(object))


def test_the_target_chooses_the_tree():
    X, y = people()
    assert type(TreeFeatureSelector().fit(X, y).estimator_).__name__ == "DecisionTreeRegressor"
    assert type(TreeFeatureSelector().fit(X, y > 0.5).estimator_).__name__ == "DecisionTreeClassifier"
    with pytest.raises(DataError, match="requires y"):
        TreeFeatureSelector().fit(X)


@pytest.mark.capability("IML-9-47")
def test_neighbours_get_the_used_columns_and_the_mean_leaf_size():
    assert_array_equal(neighbors_from_tree(FIG_9_6).features, [0, 1, 3])
    assert neighbors_from_tree(FIG_9_6).k == 10
    X, y = load_breast_cancer(return_X_y=True)
    model = TextbookTreeClassifier(min_share=0.05).fit(X, y)
    advice = neighbors_from_tree(model)
    sizes = np.bincount(model.apply(X))
    assert advice.k == round(len(X) / model.get_n_leaves()) == round(sizes[sizes > 0].mean())
    assert_array_equal(advice.features, np.unique(model.tree_.feature[model.tree_.feature >= 0]))


@pytest.mark.capability("IML-9-47")
def test_the_advice_serves_a_nearest_neighbour_learner():
    """Among many columns of noise the columns of the tree make distances mean something."""
    X, y = load_breast_cancer(return_X_y=True)
    X = np.column_stack([X[:, 20:24], np.random.default_rng(0).normal(size=(len(X), 40))])
    features, k = neighbors_from_tree(TextbookTreeClassifier(min_share=0.2).fit(X, y))
    knn = make_pipeline(StandardScaler(), KNeighborsClassifier(min(k, 50)))
    assert cross_val_score(knn, X[:, features], y).mean() > cross_val_score(knn, X, y).mean() + 0.02


def test_other_things_than_our_trees_are_refused():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ParameterError, match="expected a fitted tree learner of Assay"):
        neighbors_from_tree(SklearnTree().fit(X, y))
    with pytest.raises(ParameterError, match="without tree_"):
        neighbors_from_tree(TextbookTreeClassifier())


def test_a_tree_without_tests_keeps_all_columns_and_says_so():
    with pytest.warns(DegenerateWarning, match="uses none of the columns"):
        selector = TreeFeatureSelector().fit(np.ones((6, 3)), [0, 1, 0, 1, 0, 1])
    assert selector.support_.all()


def test_a_missing_label_is_reported():
    with pytest.raises(DataError, match="row 2 has no label"):
        TreeFeatureSelector().fit([[1.0], [2.0], [3.0]], np.array(["a", np.nan, "b"], dtype=object))


def test_a_learner_stands_for_its_tree():
    model = TextbookTreeClassifier().fit([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]], [0, 0, 1])
    assert_array_equal(used_features(model), [0])
    assert_array_equal(closeness_to_root(model), [1, 0])
    for ask in (used_features, closeness_to_root):
        with pytest.raises(ParameterError, match="expected a fitted tree learner"):
            ask(TextbookTreeClassifier())
