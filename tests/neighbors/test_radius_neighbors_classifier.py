"""Votes within a radius: the peer on real data, rows without neighbours."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.neighbors import RadiusNeighborsClassifier as Peer
from sklearn.preprocessing import StandardScaler

from assay.errors import DegenerateError, DegenerateWarning, ParameterError
from assay.neighbors.radius_neighbors_classifier import RadiusNeighborsClassifier


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize(
    "settings",
    [
        {"radius": 2.5},
        {"radius": 3.0, "weights": "distance"},
        {"radius": 6.0, "p": 1},
        {"radius": 1.5, "p": np.inf},
    ],
)
def test_same_posterior_as_scikit_learn(load, settings, algorithm):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    # its trees: its scan does not know "most_frequent" and rounds distances of 0
    ours, peer = (
        cls(outlier_label="most_frequent", algorithm=way, **settings).fit(X[::2], y[::2])
        for cls, way in ((RadiusNeighborsClassifier, algorithm), (Peer, "kd_tree"))
    )
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), rtol=1e-9)
    assert_array_equal(ours.outlier_label_, peer.outlier_label_)
    for ours_, theirs in zip(
        ours.radius_neighbors(X[:20], sort_results=True), peer.radius_neighbors(X[:20], sort_results=True)
    ):
        assert [len(a) for a in ours_] == [len(b) for b in theirs]
    graphs = [model.radius_neighbors_graph(X[:20], mode="distance").toarray() for model in (ours, peer)]
    assert_allclose(graphs[0], graphs[1], atol=1e-6)


X, Y = [[0.0], [1.0], [2.0]], ["a", "a", "b"]


def test_a_row_without_neighbours_is_refused_by_number():
    model = RadiusNeighborsClassifier(0.5).fit(X, Y)
    with pytest.raises(
        DegenerateError, match=r"No neighbors found for test samples 1: .* radius 0.5\. Use a larger"
    ):
        model.predict([[0.1], [9.0]])
    with pytest.raises(ValueError, match="No neighbors found"):
        model.predict_proba([[9.0]])


def test_a_row_without_neighbours_gets_the_label_asked_for():
    known = RadiusNeighborsClassifier(0.5, outlier_label="b").fit(X, Y)
    assert_array_equal(known.predict([[0.1], [9.0]]), ["a", "b"])
    assert_array_equal(known.predict_proba([[9.0]]), [[0, 1]])
    strange = RadiusNeighborsClassifier(0.5, outlier_label="unknown").fit(X, Y)
    with pytest.warns(DegenerateWarning, match="Outlier label unknown is not in training classes"):
        assert_array_equal(strange.predict([[0.1], [9.0]]), ["a", "unknown"])
    with pytest.warns(DegenerateWarning, match="Outlier label unknown is not in training classes"):
        assert_array_equal(strange.predict_proba([[0.1], [9.0]]), [[1, 0], [0, 0]])
    assert known.explain([[9.0]]).answer == "b" and "outlier_label" in known.explain([[9.0]]).sections[0].note


def test_labels_of_outliers_are_checked():
    for wrong, match in (
        (7, "inconsistent with classes"),
        (["a", "b"], "inconsistent with the output length: 1"),
    ):
        with pytest.raises(ParameterError, match=match):
            RadiusNeighborsClassifier(outlier_label=wrong).fit(X, Y)


def test_several_targets_and_their_outliers():
    both = np.column_stack([[0, 0, 1], [5, 7, 7]])
    ours, peer = (cls(0.5, outlier_label=[1, 5]).fit(X, both) for cls in (RadiusNeighborsClassifier, Peer))
    asked = [[0.1], [2.0], [9.0]]
    assert_array_equal(ours.predict(asked), peer.predict(asked))
    for a, b in zip(ours.predict_proba(asked), peer.predict_proba(asked)):
        assert_allclose(a, b)


def test_rows_at_the_radius_are_in_and_equal_votes_go_by_the_rule():
    model = RadiusNeighborsClassifier(1.0, tie="nearest").fit([[-1.0], [0.5]], ["a", "b"])
    assert_array_equal(model.predict_proba([[0.0]]), [[0.5, 0.5]])
    assert model.predict([[0.0]]) == ["b"]
    assert model.set_params(tie="first").predict([[0.0]]) == ["a"]


def test_a_function_of_weights_gets_arrays_of_distances():
    seen = []

    def weights(distances):
        seen.append([len(d) for d in distances])
        return np.array([np.exp(-np.asarray(d)) for d in distances], dtype=object)

    model = RadiusNeighborsClassifier(1.2, weights=weights, outlier_label="a").fit(X, Y)
    posterior = model.predict_proba([[0.9], [1.9], [9.0]])
    assert seen == [[3, 2, 0]]
    assert_allclose(posterior[1], np.exp([-0.9, -0.1]) / np.exp([-0.9, -0.1]).sum())


@pytest.mark.parametrize("weights", ["gaussian", "epanechnikov", "squared_exponential"])
def test_kernels_have_the_radius_as_width(weights):
    wide = RadiusNeighborsClassifier(2.0, weights=weights).fit(X, Y)
    same = RadiusNeighborsClassifier(2.0, weights=weights, bandwidth=2.0).fit(X, Y)
    assert_array_equal(wide.predict_proba([[0.7]]), same.predict_proba([[0.7]]))
