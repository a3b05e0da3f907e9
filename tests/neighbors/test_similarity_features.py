"""SimilarityFeatures: a column for each row that others are compared with."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_circles
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import laplacian_kernel, linear_kernel, rbf_kernel

from assay.errors import DataError, DegenerateError
from assay.neighbors.similarity_features import SimilarityFeatures

X, Y = load_iris(return_X_y=True)


@pytest.mark.capability("IML-8-19")
def test_a_row_becomes_its_similarities_to_all_rows():
    for similarity, peer, metric in (
        ("gaussian", lambda A, B: rbf_kernel(A, B, gamma=0.3), "euclidean"),
        ("laplacian", lambda A, B: laplacian_kernel(A, B, gamma=0.3), "manhattan"),
        ("linear", linear_kernel, "euclidean"),
    ):
        model = SimilarityFeatures(similarity, gamma=0.3, metric=metric).fit(X)
        assert model.transform(X[:7]).shape == (7, 150)
        assert_allclose(model.transform(X[:7]), peer(X[:7], X), rtol=1e-9)
    ours = SimilarityFeatures(lambda a, b: min(a[0], b[0])).fit(X[:5]).transform(X[5:8])
    assert_allclose(ours, np.minimum(X[5:8, :1], X[:5, 0]))


@pytest.mark.capability("IML-8-19")
def test_circles_become_separable_by_a_line():
    rows, side = make_circles(200, factor=0.4, noise=0.05, random_state=0)
    features = SimilarityFeatures().fit_transform(rows)
    assert LogisticRegression(max_iter=2000).fit(rows, side).score(rows, side) < 0.7
    assert LogisticRegression(max_iter=2000).fit(features, side).score(features, side) > 0.99


def test_the_width_is_the_median_distance_and_landmarks_are_drawn():
    model = SimilarityFeatures(n_landmarks=20, random_state=0).fit(X)
    rows = X[model.landmarks_]
    apart = np.linalg.norm(rows[:, None] - rows, axis=2)[np.triu_indices(20, 1)]
    assert_allclose(model.gamma_, 1 / np.median(apart[apart > 0]) ** 2, rtol=1e-9)
    assert model.transform(X).shape == (150, 20)
    assert_array_equal(model.get_feature_names_out(), [f"row {i + 1}" for i in model.landmarks_])
    frame = pd.DataFrame(X[:3], index=["ann", "bob", "cy"])
    named = SimilarityFeatures().fit(frame).get_feature_names_out()
    assert_array_equal(named, ["index ann", "index bob", "index cy"])


def test_mixed_rows_are_compared_and_equal_rows_have_a_width():
    table = pd.DataFrame({"x": [1.0, 2.0, np.nan], "kind": ["a", "b", "a"]})
    features = SimilarityFeatures().fit_transform(table)
    assert features.shape == (3, 3) and np.isfinite(features).all()
    assert SimilarityFeatures().fit(np.ones((4, 2))).gamma_ == 1.0
    with pytest.raises(DataError, match="needs no map"):
        SimilarityFeatures(metric="precomputed").fit(np.zeros((3, 3)))


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_similarities_of_distances_of_any_size(unit):
    X = np.random.default_rng(0).normal(size=(9, 2))
    for word in ("laplacian", "inverse"):
        near = SimilarityFeatures(word).fit_transform(X)
        assert_allclose(SimilarityFeatures(word).fit_transform(X * unit), near, rtol=1e-9)
    assert_allclose(SimilarityFeatures(gamma=1.0).fit_transform(X * 1e200), np.eye(9), atol=0)
    with pytest.raises(DegenerateError, match="dot product"):
        SimilarityFeatures("linear").fit_transform(X * 1e200)


@pytest.mark.parametrize("said", [np.nan, "near", np.zeros(2)])
def test_a_similarity_that_is_no_number_is_told(said):
    with pytest.raises(DataError, match="must give one number"):
        SimilarityFeatures(lambda a, b: said).fit_transform([[0.0], [1.0]])
