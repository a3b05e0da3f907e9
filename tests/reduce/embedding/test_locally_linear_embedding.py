"""Locally linear embedding: worked weights, lines, the S-curve, all methods, new rows, and scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform
from sklearn import manifold
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_s_curve, make_swiss_roll
from sklearn.linear_model import LinearRegression
from sklearn.preprocessing import StandardScaler

from assay.distances import metric_of, searcher
from assay.errors import DegenerateWarning, ParameterError
from assay.reduce import KernelPCA, LocallyLinearEmbedding, LocalWeights, locally_linear_embedding
from assay.reduce.embedding.connectivity import GraphError
from assay.reduce.embedding.extension import local_weights

ROLL = make_swiss_roll(400, random_state=0)[0]
DIGITS = load_digits().data[:300] + np.random.RandomState(0).normal(0, 0.01, (300, 64))
U = np.array([0, 1, 2.5, 3, 4.2, 5, 6.1, 7])
LINE = np.c_[U, 2 * U, -U]


def up_to_sign(A, B):
    return A * np.sign((A * B).sum(axis=0))


def weights_of(x, near, reg):
    """From the rows, and from their distances alone: the same."""
    x, near, rows = np.array([x], float), np.array(near, float), np.arange(len(near))[None]
    metric = metric_of("euclidean")
    apart = metric.between(x, near)
    ours = local_weights(x, near, rows, apart, metric, reg)
    of_distances = local_weights(
        apart, metric.between(near, near), rows, apart, metric_of("precomputed"), reg
    )
    assert_allclose(of_distances, ours, atol=1e-6)
    return ours[0]


@pytest.mark.capability("IML-6-47")
def test_worked_weights():
    assert_allclose(weights_of([1, 0], [[0, 0], [3, 0]], 1e-9), [2 / 3, 1 / 3], atol=1e-8)
    assert_allclose(weights_of([1, 0], [[0, 0], [3, 0]], 1e-3), [0.666482, 0.333518], atol=5e-7)
    assert_allclose(weights_of([1, 1], [[0, 0], [3, 0], [0, 3]], 1e-12), [1 / 3] * 3, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_weights_do_not_depend_on_place_turn_and_scale(scale):
    random = np.random.RandomState(0)
    x, near = random.normal(size=3), random.normal(size=(5, 3))
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    moved = [(points @ turn + 2.0) * scale for points in (x, near)]
    metric, rows = metric_of("euclidean"), np.arange(5)[None]
    plain = local_weights(x[None], near, rows, np.ones((1, 5)), metric)
    assert_allclose(local_weights(moved[0][None], moved[1], rows, np.ones((1, 5)), metric), plain, atol=1e-9)


@pytest.mark.capability("IML-6-47")
@pytest.mark.parametrize(("reg", "least"), [(1e-6, 1 - 1e-11), (1e-3, 0.999997), (1e-10, 1 - 1e-8)])
def test_a_line_stays_a_line(reg, least):
    lle = LocallyLinearEmbedding(n_neighbors=3, n_components=1, reg=reg).fit(LINE)
    assert abs(np.corrcoef(lle.embedding_[:, 0], U)[0, 1]) >= least


@pytest.mark.capability("IML-6-48")
def test_a_new_point_on_the_line_is_placed_on_it():
    lle = LocallyLinearEmbedding(n_neighbors=3, n_components=1, reg=1e-6).fit(LINE)
    slope, offset = np.polyfit(U, lle.embedding_[:, 0], 1)
    at = np.array([0.5, 3.3, 6.9])
    assert_allclose(lle.transform(np.c_[at, 2 * at, -at])[:, 0], slope * at + offset, atol=1e-4)
    assert_allclose(lle.transform(LINE), lle.embedding_, atol=1e-12)


@pytest.mark.capability("IML-6-49")
def test_new_rows_by_a_regressor():
    lle = LocallyLinearEmbedding(n_neighbors=3, n_components=1, reg=1e-6, extension=LinearRegression()).fit(
        LINE
    )
    assert_allclose(lle.transform(LINE), lle.embedding_, atol=1e-5)
    assert isinstance(lle.extension_, LinearRegression)
    two = LocallyLinearEmbedding(n_neighbors=12, extension=LinearRegression()).fit(ROLL)
    expected = LinearRegression().fit(ROLL, two.embedding_).predict(ROLL[:5])
    assert_allclose(two.transform(ROLL[:5]), expected, atol=1e-12)


@pytest.mark.capability("C3-74")
def test_the_s_curve():
    X, along = make_s_curve(1000, random_state=0)
    Z = LocallyLinearEmbedding(n_neighbors=12, eigen_solver="dense", random_state=0).fit_transform(X)
    assert_allclose(max(abs(np.corrcoef(Z[:, j], along)[0, 1]) for j in range(2)), 0.99975, atol=5e-6)


@pytest.mark.capability("C3-74")
def test_trustworthiness_on_breast_cancer():
    X = StandardScaler().fit_transform(load_breast_cancer().data)
    assert_allclose(
        manifold.trustworthiness(X, LocallyLinearEmbedding().fit_transform(X)), 0.815211, atol=0.002
    )


@pytest.mark.parametrize("eigen_solver", ["dense", "auto"])
@pytest.mark.parametrize("method", ["standard", "modified"])
def test_same_coordinates_as_scikit_learn(method, eigen_solver):
    """Peer: LocallyLinearEmbedding, scikit-learn 1.9, also for new rows."""
    settings = {"n_neighbors": 12, "method": method, "eigen_solver": eigen_solver, "random_state": 0}
    ours = LocallyLinearEmbedding(**settings).fit(DIGITS)
    peer = manifold.LocallyLinearEmbedding(**settings).fit(DIGITS)
    assert_allclose(ours.reconstruction_error_, peer.reconstruction_error_, rtol=1e-6)
    assert_allclose(up_to_sign(ours.embedding_, peer.embedding_), peer.embedding_, atol=1e-7)
    new = DIGITS[:40] + 0.1
    assert_allclose(up_to_sign(ours.transform(new), peer.transform(new)), peer.transform(new), atol=1e-7)


def test_tangent_spaces_as_scikit_learn():
    """Not compared: "hessian", which is "ltsa" in scikit-learn 1.9 (it keeps all columns of a full QR)."""
    settings = {"n_neighbors": 12, "method": "ltsa", "eigen_solver": "dense"}
    ours = LocallyLinearEmbedding(**settings).fit(ROLL)
    peer = manifold.LocallyLinearEmbedding(**settings).fit(ROLL)
    assert_allclose(up_to_sign(ours.embedding_, peer.embedding_), peer.embedding_, atol=1e-6)
    kept = manifold.LocallyLinearEmbedding(**{**settings, "method": "hessian"}).fit(ROLL)
    assert_allclose(up_to_sign(kept.embedding_, peer.embedding_), peer.embedding_, atol=1e-6)


@pytest.mark.parametrize("method", ["hessian", "ltsa", "modified"])
def test_a_roll_is_unrolled(method):
    """These methods map the roll linearly to the plane: the way along it and its width explain both coordinates."""
    X, along = make_swiss_roll(1500, random_state=0)
    arc = 0.5 * (along * np.sqrt(1 + along**2) + np.arcsinh(along))
    plane = np.c_[np.ones(1500), arc, X[:, 1]]
    Z = LocallyLinearEmbedding(n_neighbors=12, method=method).fit_transform(X)
    left = Z - plane @ np.linalg.lstsq(plane, Z, rcond=None)[0]
    assert (left**2).sum() < 0.01 * ((Z - Z.mean(axis=0)) ** 2).sum()


@pytest.mark.capability("IML-13-47")
def test_it_is_kernel_pca():
    """K = lambda_max I - M, centred: the same axes up to sign and scale."""
    lle = LocallyLinearEmbedding(n_neighbors=12, eigen_solver="dense").fit(ROLL[:150])
    kpca = KernelPCA(2, kernel="precomputed").fit(lle.kernel_matrix())
    axes = up_to_sign(kpca.eigenvectors_, lle.embedding_)
    assert_allclose(axes, lle.embedding_, atol=2e-3)
    assert_allclose(
        kpca.eigenvalues_, kpca.eigenvalues_[0], rtol=1e-4
    )  # all near the largest: M's are near 0


@pytest.mark.capability("IML-6-46")
def test_pieces():
    X = load_iris().data + np.random.RandomState(0).normal(0, 1e-3, (150, 4))
    with pytest.warns(DegenerateWarning, match="2 > 1"):
        LocallyLinearEmbedding(n_neighbors=10).fit(X)
    with pytest.raises(GraphError, match="2 > 1"):
        LocallyLinearEmbedding(n_neighbors=10, disconnected="raise").fit(X)
    apart = LocallyLinearEmbedding(n_neighbors=10, disconnected="separate", eigen_solver="dense").fit(X)
    alone = LocallyLinearEmbedding(n_neighbors=10, eigen_solver="dense").fit(X[:50])
    assert_allclose(up_to_sign(apart.embedding_[:50], alone.embedding_), alone.embedding_, atol=1e-7)
    with pytest.warns(DegenerateWarning, match="joined"):
        joined = LocallyLinearEmbedding(n_neighbors=10, disconnected="connect").fit(X)
    assert joined.eigenvalues_[0] > 1e-12


def test_distances_alone_are_enough():
    D = squareform(pdist(ROLL))
    of_rows = LocallyLinearEmbedding(n_neighbors=10, eigen_solver="dense").fit(ROLL)
    of_distances = LocallyLinearEmbedding(n_neighbors=10, eigen_solver="dense", metric="precomputed").fit(D)
    assert_allclose(of_distances.eigenvalues_, of_rows.eigenvalues_, rtol=1e-3)


def test_neighbours_within_a_radius():
    lle = LocallyLinearEmbedding(n_neighbors=None, radius=8.0, n_components=1, reg=1e-6).fit(LINE)
    assert abs(np.corrcoef(lle.embedding_[:, 0], U)[0, 1]) > 1 - 1e-9


def test_equal_rows_get_an_answer():
    Z, error = locally_linear_embedding(np.ones((200, 3)), n_neighbors=2, n_components=2, random_state=0)
    assert np.isfinite(Z).all() and np.isfinite(error)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_components": 4}, "output dimension must be less than or equal to input dimension"),
        ({"n_neighbors": 400}, "Expected n_neighbors < n_samples"),
        ({"method": "hessian"}, r"n_neighbors must be greater than .*which is 5"),
        ({"method": "ltsa", "metric": "manhattan"}, "need method='standard'"),
        (
            {"method": "modified", "n_neighbors": 1, "disconnected": "separate"},
            "requires n_neighbors >= n_components",
        ),
    ],
)
def test_what_is_refused(settings, words):
    with pytest.raises(ParameterError, match=words):
        LocallyLinearEmbedding(**settings).fit(ROLL)
    with pytest.raises(ParameterError, match="reg must be"):
        LocalWeights(reg=-1)


def test_a_row_on_several_equal_rows_gets_their_mean():
    index = searcher(np.array([[0.0], [0.0], [5.0]]), "euclidean")
    assert LocalWeights(2).place(np.array([[0.0]]), index, np.array([[1.0], [3.0], [9.0]])) == [[2.0]]
