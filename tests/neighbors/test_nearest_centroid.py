"""NearestCentroid: the book's subset table, Mahalanobis, shrinking, templates, and the peer."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.neighbors import NearestCentroid as Peer

import assay
from assay.errors import AssayWarning, DataError, DegenerateWarning, ParameterError
from assay.neighbors.nearest_centroid import NearestCentroid
from assay.tables.data.loaders import load_iris as load_dataset_iris

IRIS, KIND = load_iris(return_X_y=True)
UCI = np.asarray(load_dataset_iris("uci").X, dtype=float)  # the variant of IML 6.2
TRAIN = np.concatenate([np.arange(20) + 50 * k for k in range(3)])
REST = np.setdiff1d(np.arange(150), TRAIN)


@pytest.mark.capability("IML-8-15")
@pytest.mark.parametrize(
    ("columns", "correct"),
    [
        *[
            ("1", 68),
            ("2", 51),
            ("3", 83),
            ("4", 85),
            ("12", 75),
            ("13", 80),
            ("14", 78),
            ("23", 83),
            ("24", 83),
        ],
        *[("34", 86), ("123", 81), ("124", 80), ("134", 85), ("234", 85), ("1234", 85)],
    ],
)
def test_iris_subsets_of_the_book(columns, correct):
    """Oracle: IML 6.2, rows 1 to 20 of each class train, the other 90 are asked."""
    chosen = np.array([int(c) - 1 for c in columns])
    model = NearestCentroid().fit(UCI[TRAIN][:, chosen], KIND[TRAIN])
    assert int(np.sum(model.predict(UCI[REST][:, chosen]) == KIND[REST])) == correct


@pytest.mark.capability("IML-8-15")
def test_mahalanobis_gives_a_wide_class_a_longer_reach():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 0.1, (50, 1)), rng.normal(4, 2.0, (50, 1))])
    y = np.repeat(["narrow", "wide"], 50)
    assert NearestCentroid().fit(X, y).predict([[1.5]]) == ["narrow"]
    model = NearestCentroid("mahalanobis").fit(X, y)
    assert model.predict([[1.5]]) == ["wide"]
    m, s = X[50:].mean(), X[50:].std()  # divisor n_k
    assert_allclose(model.distances([[1.5]])[0, 1], abs(1.5 - m) / s, rtol=1e-9)


def test_mahalanobis_is_the_formula_of_each_class():
    model = NearestCentroid("mahalanobis").fit(IRIS, KIND)
    for k in range(3):
        mine = IRIS[k == KIND]
        apart = IRIS - mine.mean(axis=0)
        inverse = np.linalg.inv(np.cov(mine.T, bias=True))
        assert_allclose(model.distances(IRIS)[:, k] ** 2, np.sum(apart @ inverse * apart, axis=1), rtol=1e-8)
    assert_allclose(model.predict_proba(IRIS).sum(axis=1), 1.0)
    assert_array_equal(model.predict_proba(IRIS).argmax(axis=1), model.predict(IRIS))


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"metric": "manhattan"},
        {"shrink_threshold": 0.5},
        {"shrink_threshold": 3.0, "priors": "empirical"},
        {"priors": "tilted"},
        {"metric": "manhattan", "shrink_threshold": 1.0, "priors": "empirical"},
    ],
)
def test_same_centroids_and_answers_as_scikit_learn(load, settings):
    X, y = load(return_X_y=True)
    K = y.max() + 1
    if settings.get("priors") == "tilted":
        settings = {**settings, "priors": list(np.arange(1.0, K + 1) / (K * (K + 1) / 2))}
    ours, peer = NearestCentroid(**settings).fit(X, y), Peer(**settings).fit(X, y)
    for name in ("centroids_", "deviations_", "within_class_std_dev_", "class_prior_"):
        assert_allclose(getattr(ours, name), getattr(peer, name), rtol=1e-9, atol=1e-12)
    assert_array_equal(ours.predict(X), peer.predict(X))
    assert hasattr(ours, "predict_proba") == hasattr(peer, "predict_proba")
    if "metric" not in settings:
        assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-10)
        assert_allclose(ours.decision_function(X), peer.decision_function(X), rtol=1e-9)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_a_sparse_table_gives_the_same_model(metric):
    X, y = load_digits(return_X_y=True)
    with pytest.warns(DegenerateWarning, match="do not vary within any class"):
        dense = NearestCentroid(metric).fit(X, y)
    with pytest.warns(DegenerateWarning, match="do not vary"):
        sparse = NearestCentroid(metric).fit(csr_matrix(X), y)
    assert_allclose(sparse.centroids_, dense.centroids_, rtol=1e-12, atol=1e-12)
    assert_allclose(sparse.within_class_std_dev_, dense.within_class_std_dev_, rtol=1e-9, atol=1e-9)
    assert_array_equal(sparse.predict(csr_matrix(X)), dense.predict(X))


@pytest.mark.capability("IML-1-09")
def test_templates_are_recognised_and_shifted_copies_are_not():
    """One bitmap a class, compared pixel by pixel: right on itself, lost after a shift by two pixels."""
    letters = {
        "L": ["#....", "#....", "#....", "#....", "####."],
        "T": ["#####", "..#..", "..#..", "..#..", "..#.."],
        "H": ["#...#", "#...#", "#####", "#...#", "#...#"],
        "C": [".###.", "#....", "#....", "#....", ".###."],
        "I": ["..#..", "..#..", "..#..", "..#..", "..#.."],
    }
    names = list(letters)
    pages = np.zeros((len(names), 9, 9))
    for page, rows in zip(pages, letters.values()):
        page[2:7, 2:7] = [[float(c == "#") for c in row] for row in rows]
    flat = pages.reshape(len(names), -1)
    with pytest.warns(DegenerateWarning):
        model = NearestCentroid().fit(flat, names)
    assert_array_equal(model.predict(flat), names)
    shifted = np.roll(pages, 2, axis=2).reshape(len(names), -1)
    assert np.sum(model.predict(shifted) == names) <= 2


def test_priors_move_the_boundary_and_are_checked():
    X, y = [[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"]
    even, tilted = NearestCentroid().fit(X, y), NearestCentroid(priors=[0.9, 0.1]).fit(X, y)
    assert even.predict([[3.1]]) == ["b"] and tilted.predict([[3.1]]) == ["a"]
    odds = np.diff(tilted.predict_log_proba([[3.1]]) - even.predict_log_proba([[3.1]]))
    assert_allclose(odds, 2 * np.log(1 / 9), rtol=1e-9)  # (2) has twice the log prior
    with pytest.warns(AssayWarning, match="do not sum to 1"):
        assert_allclose(NearestCentroid(priors=[9, 1]).fit(X, y).class_prior_, [0.9, 0.1])
    with pytest.raises(ParameterError, match="non-negative"):
        NearestCentroid(priors=[1.5, -0.5]).fit(X, y)


def test_what_has_no_centroids_is_refused():
    with pytest.raises(DataError, match="greater than one; got 1 class"):
        NearestCentroid().fit([[1.0], [2.0]], ["a", "a"])
    with pytest.raises(DataError, match="zero variance"):
        NearestCentroid().fit(np.ones((4, 2)), [0, 0, 1, 1])
    with pytest.raises(DataError, match="dense table"):
        NearestCentroid(shrink_threshold=1.0).fit(csr_matrix(IRIS), KIND)


def test_text_columns_become_indicators_and_an_explanation_shows_the_distances():
    table = pd.DataFrame({"x": [0.0, 1.0, 5.0, 6.5], "kind": ["u", "v", "v", "u"]})
    model = NearestCentroid().fit(table, list("aabb"))
    said = model.explain(table.iloc[[0]])
    assert said.answer == "a" and [row[0] for row in said.sections[0].rows] == ["a", "b"]
    assert_allclose([row[1] for row in said.sections[0].rows], model.distances(table.iloc[[0]])[0])


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
def test_a_constant_column_whose_mean_is_rounded_has_no_deviation(metric):
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(60, 2)), rng.normal(size=(40, 2))
    y = X[:, 0] > 0
    more, asked = np.column_stack([X, np.full(60, 0.1)]), np.column_stack([Q, np.full(40, 0.3)])
    model = NearestCentroid(metric=metric, priors="empirical")
    with pytest.warns(DegenerateWarning, match="1 column"):
        model.fit(more, y)
    assert model.within_class_std_dev_[2] == 0
    found = model.predict_proba(asked)
    assert_allclose(found, model.fit(X, y).predict_proba(Q), rtol=1e-9)


def test_the_maps_of_mahalanobis_distance_go_through_a_file(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 3))
    model = NearestCentroid(metric="mahalanobis").fit(X, np.arange(40) % 2)
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").predict(X), model.predict(X))
