"""Isomap and its landmarks: worked arcs, shortest paths by the book, new rows, pieces, and scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import pdist, squareform
from sklearn import manifold
from sklearn.datasets import load_breast_cancer, load_iris, make_s_curve, make_swiss_roll
from sklearn.preprocessing import StandardScaler

from assay.errors import DataError, DegenerateWarning, ParameterError
from assay.reduce import PCA, Isomap, KernelPCA, LandmarkIsomap, LocalWeights, geodesic_distances
from assay.reduce.embedding.connectivity import GraphError

ANGLE = np.linspace(0, 1.5 * np.pi, 13)
ARC = np.c_[np.cos(ANGLE), np.sin(ANGLE)]
ROLL = make_swiss_roll(300, random_state=0)[0]


def floyd_by_the_book(graph):
    """All shortest paths: may a path through k be shorter?"""
    D = np.where(graph > 0, graph, np.inf)
    D = np.minimum(D, D.T)
    np.fill_diagonal(D, 0.0)
    for k in range(len(D)):
        D = np.minimum(D, D[:, k : k + 1] + D[k])
    return D


def up_to_sign(A, B):
    return A * np.sign((A * B).sum(axis=0))


@pytest.mark.parametrize("n", [1, 2, 40, 150])
@pytest.mark.parametrize("share", [0.02, 0.2])
def test_shortest_paths(n, share):
    random = np.random.RandomState(n)
    graph = np.where(random.uniform(size=(n, n)) < share, random.uniform(0.1, 1, (n, n)), 0.0)
    np.fill_diagonal(graph, 0.0)
    paths = geodesic_distances(csr_matrix(graph))
    assert_allclose(paths, floyd_by_the_book(graph), rtol=1e-12)
    assert_array_equal(paths, shortest_path(csr_matrix(graph), method="D", directed=False))
    some = random.permutation(n)[: max(1, n // 3)]
    assert_array_equal(geodesic_distances(csr_matrix(graph), some), paths[some])


def test_shortest_paths_do_not_depend_on_threads(monkeypatch):
    graph = csr_matrix(np.where(squareform(pdist(ROLL)) < 4, squareform(pdist(ROLL)), 0.0))
    paths = []
    for count in ("1", "2"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", count)
        paths.append(geodesic_distances(graph))
    assert_array_equal(*paths)


@pytest.mark.capability("IML-6-44")
def test_three_quarters_of_a_circle_within_a_radius():
    arc = Isomap(n_neighbors=None, radius=0.45, n_components=1).fit(ARC)
    assert_allclose(arc.dist_matrix_[0, -1], 4.682168, atol=5e-7)
    assert_allclose(abs(np.diff(arc.embedding_[:, 0])), 0.390181, atol=5e-7)


@pytest.mark.capability("IML-6-44")
def test_three_quarters_of_a_circle_by_two_neighbours():
    """The ends also link to their second neighbour. Eigenvalues 27.564 and 0.0057."""
    arc = Isomap(n_neighbors=2, n_components=2).fit(ARC)
    assert_allclose(arc.dist_matrix_[0, -1], 4.652179, atol=5e-7)
    assert_allclose(arc.eigenvalues_, [27.564, 0.0057], atol=5e-4)


@pytest.mark.capability("IML-6-44")
def test_a_map_of_direct_roads_alone():
    """A given graph: every entry is a road. Distances are along roads, and shortest ways are used."""
    X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0]])
    lengths = squareform(pdist(X))
    roads = csr_matrix(lengths * np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]))
    city = Isomap(n_neighbors=None, metric="precomputed", n_components=1).fit(roads)
    assert_allclose(city.dist_matrix_[0], [0, 1, 2, 3])
    assert_allclose(abs(np.diff(city.embedding_[:, 0])), 1.0)
    beyond = city.transform(csr_matrix([[0.0, 0.0, 0.0, 0.5]]))  # half a road beyond the last city
    assert_allclose(abs(beyond - city.embedding_[3]), 0.5, atol=1e-9)


@pytest.mark.capability("C3-68")
def test_the_pendulum_has_one_coordinate():
    theta = np.linspace(-np.pi / 3, np.pi / 3, 61)
    X = np.c_[np.sin(theta), -np.cos(theta)]
    assert_allclose(PCA().fit(X).explained_variance_ratio_, [0.9254486, 0.0745514], atol=5e-8)
    Z = Isomap(n_neighbors=2, n_components=1).fit_transform(X)
    assert abs(np.corrcoef(Z[:, 0], theta)[0, 1]) > 1 - 2e-11


@pytest.mark.capability("C3-73")
def test_the_s_curve():
    X, along = make_s_curve(1000, random_state=0)
    Z = Isomap(n_neighbors=12).fit_transform(X)
    assert_allclose(max(abs(np.corrcoef(Z[:, j], along)[0, 1]) for j in range(2)), 0.99997, atol=5e-6)
    scores = PCA(2).fit_transform(X)
    assert_allclose(max(abs(np.corrcoef(scores[:, j], along)[0, 1]) for j in range(2)), 0.93924, atol=5e-6)


@pytest.mark.capability("C3-73")
def test_trustworthiness_on_breast_cancer():
    X = StandardScaler().fit_transform(load_breast_cancer().data)
    assert_allclose(manifold.trustworthiness(X, Isomap().fit_transform(X)), 0.869075, atol=5e-7)


@pytest.mark.parametrize(
    "settings",
    [
        {"n_neighbors": 7},
        {"n_neighbors": None, "radius": 8.0, "n_components": 3},
        {"metric": "manhattan", "n_neighbors": 8},
    ],
)
def test_same_coordinates_as_scikit_learn(settings):
    """Peer: Isomap, scikit-learn 1.9, also for new rows and the reconstruction error."""
    new = make_swiss_roll(40, random_state=1)[0]
    ours, peer = Isomap(**settings).fit(ROLL), manifold.Isomap(**settings).fit(ROLL)
    assert_allclose(ours.dist_matrix_, peer.dist_matrix_, rtol=1e-12)
    assert_allclose(up_to_sign(ours.embedding_, peer.embedding_), peer.embedding_, atol=1e-7)
    assert_allclose(up_to_sign(ours.transform(new), peer.transform(new)), peer.transform(new), atol=1e-7)
    assert_allclose(ours.reconstruction_error(), peer.reconstruction_error(), rtol=1e-9)


@pytest.mark.capability("IML-6-48")
@pytest.mark.parametrize(
    "learner", [Isomap(n_neighbors=7), LandmarkIsomap(60, n_neighbors=7, random_state=0)]
)
def test_training_rows_keep_their_coordinates(learner):
    learner.fit(ROLL)
    assert_allclose(learner.transform(ROLL), learner.embedding_, atol=1e-9)
    assert learner.extension_ == "geodesics"


@pytest.mark.capability("IML-13-47")
def test_it_is_kernel_pca():
    """K = -1/2 H G^2 H: the same coordinates up to sign."""
    iso = Isomap(n_neighbors=8).fit(ROLL)
    H = np.eye(len(ROLL)) - 1 / len(ROLL)
    K = -0.5 * H @ iso.dist_matrix_**2 @ H
    with pytest.warns(DegenerateWarning, match="negative eigenvalue"):
        kpca = KernelPCA(2, kernel="precomputed").fit(K)
    Z = kpca.eigenvectors_ * np.sqrt(kpca.eigenvalues_)
    assert_allclose(up_to_sign(Z, iso.embedding_), iso.embedding_, atol=1e-8)
    assert_allclose(iso.kernel_pca_.eigenvalues_, iso.eigenvalues_, rtol=1e-10)


@pytest.mark.capability("IML-6-45")
@pytest.mark.parametrize("landmarks", ["random", "maxmin"])
def test_all_rows_as_landmarks_give_isomap(landmarks):
    all_rows = LandmarkIsomap(300, n_neighbors=7, landmarks=landmarks).fit(ROLL)
    iso = Isomap(n_neighbors=7).fit(ROLL)
    assert_allclose(all_rows.embedding_, iso.embedding_, atol=1e-9)
    assert_allclose(all_rows.reconstruction_error(), iso.reconstruction_error(), rtol=1e-9)


@pytest.mark.capability("IML-6-45")
@pytest.mark.parametrize("landmarks", ["random", "maxmin", np.arange(0, 300, 5)])
def test_some_landmarks_are_near_isomap(landmarks):
    few = LandmarkIsomap(60, landmarks=landmarks, n_neighbors=10, random_state=0).fit(ROLL)
    iso = Isomap(n_neighbors=10).fit(ROLL)
    assert few.dist_matrix_.shape == (300, 60)
    for j in range(2):
        assert abs(np.corrcoef(few.embedding_[:, j], iso.embedding_[:, j])[0, 1]) > 0.9
    assert_array_equal(few.dist_matrix_.T, iso.dist_matrix_[few.landmarks_])


def test_too_few_landmarks_or_rows_are_named():
    X = load_iris().data[:40]
    for settings in ({"n_landmarks": 2}, {"landmarks": [0, 7]}):
        with pytest.raises(ParameterError, match="2 landmarks make at most 1 coordinates, n_components is 2"):
            LandmarkIsomap(n_neighbors=20, **settings).fit(X)
    Z = LandmarkIsomap(n_neighbors=20, n_landmarks=3, random_state=0).fit(X).embedding_
    assert (Z.std(axis=0) > 0).all()
    with pytest.raises(ParameterError, match="One row has no neighbours"):
        Isomap().fit(X[:1])


def test_landmarks_must_be_rows():
    with pytest.raises(ParameterError, match="different row numbers from 0 to 299"):
        LandmarkIsomap(landmarks=[1, 1]).fit(ROLL)


@pytest.mark.capability("IML-6-46")
def test_pieces():
    X = load_iris().data + np.random.RandomState(0).normal(0, 1e-3, (150, 4))  # no equal distances
    with pytest.raises(GraphError, match=r"2 > 1 \(of 100, 50 rows\)"):
        Isomap(n_neighbors=10, disconnected="raise").fit(X)
    with pytest.warns(DegenerateWarning, match="joined by 1 edges"):
        joined = Isomap(n_neighbors=10).fit(X)
    assert np.isfinite(joined.dist_matrix_).all()
    apart = Isomap(n_neighbors=10, disconnected="separate").fit(X)
    assert_array_equal(np.bincount(apart.component_labels_), [50, 100])
    alone = Isomap(n_neighbors=10).fit(X[:50])
    assert_allclose(apart.embedding_[:50], alone.embedding_, atol=1e-9)
    assert_allclose(apart.transform(X[::7]), apart.embedding_[::7], atol=1e-9)
    assert isinstance(apart.extension_, LocalWeights)


def test_mixed_tables():
    import pandas as pd

    iris = load_iris()
    table = pd.DataFrame(iris.data[::3], columns=["a", "b", "c", "d"])
    table["kind"] = np.where(iris.target[::3] == 0, "setosa", "other")
    table.loc[3, "a"] = np.nan
    iso = Isomap(n_neighbors=30, metric="gower").fit(table)
    assert_allclose(iso.transform(table), iso.embedding_, atol=1e-7)


@pytest.mark.parametrize(
    ("learner", "error", "words"),
    [
        (Isomap(n_neighbors=3, radius=1.0), ParameterError, "Both n_neighbors and radius"),
        (Isomap(n_neighbors=None), ParameterError, "n_neighbors or radius"),
        (Isomap(n_neighbors=300), ParameterError, "Expected n_neighbors < n_samples_fit"),
        (Isomap(metric="precomputed"), DataError, "square"),
    ],
)
def test_what_is_refused(learner, error, words):
    with pytest.raises(error, match=words):
        learner.fit(ROLL)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_tables_of_any_size(scale):
    plain, scaled = (Isomap(n_neighbors=7).fit(ROLL * s) for s in (1.0, scale))
    assert_allclose(scaled.embedding_ / scale, plain.embedding_, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("learner", [Isomap(), LandmarkIsomap(n_landmarks=20, random_state=0)], ids=repr)
@pytest.mark.parametrize("far", [1e14, 1e100, 1e200])
def test_a_row_too_far_away_is_refused(learner, far):
    """Squares of 1e100 leave rounding of 1e184 as coordinates, those of 1e200 NaN; 1e9 has all digits that it needs."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = learner.fit(X)
    assert np.isfinite(model.transform([[1e9, 0.0, 0.0]])).all()
    with pytest.raises(DataError, match=r"Isomap: row 2 lies .* its place is lost in rounding"):
        model.transform([X[0], [far, 0.0, 0.0]])
