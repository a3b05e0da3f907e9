"""Laplacian eigenmaps: a chain of six, the Laplacian, new rows, pieces, and scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import laplacian
from sklearn import manifold
from sklearn.datasets import load_digits, load_iris

from assay.errors import DataError, DegenerateWarning, ParameterError
from assay.reduce import LocalWeights, SpectralEmbedding, graph_laplacian, spectral_embedding
from assay.reduce.embedding.connectivity import GraphError

CHAIN = np.eye(6, k=1) + np.eye(6, k=-1)
DIGITS = load_digits().data[:300]


def up_to_sign(A, B):
    return A * np.sign((A * B).sum(axis=0))


@pytest.mark.capability("IML-6-50")
@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
def test_a_chain_of_six(kind):
    """Eigenvalues 2 - 2 cos(pi j / 6); the second vector falls along the chain."""
    model = SpectralEmbedding(5, affinity="precomputed", normalized=False).fit(kind(CHAIN))
    assert_allclose(model.eigenvalues_, 2 - 2 * np.cos(np.pi * np.arange(1, 6) / 6), atol=1e-12)
    expected = [0.557678, 0.408248, 0.149429, -0.149429, -0.408248, -0.557678]
    assert_allclose(abs(model.embedding_[:, 0]), np.abs(expected), atol=5e-7)
    assert (np.diff(model.embedding_[:, 0] * np.sign(model.embedding_[0, 0])) < 0).all()


@pytest.mark.capability("IML-6-50")
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
def test_the_laplacian(kind, normalized):
    random = np.random.RandomState(0)
    B = random.uniform(size=(7, 7)) * (random.uniform(size=(7, 7)) < 0.5)
    B = B + B.T
    B[3] = B[:, 3] = 0.0  # a row without neighbours
    L, degree = graph_laplacian(kind(B), normalized=normalized, return_degrees=True)
    L = L if isinstance(L, np.ndarray) else L.toarray()
    assert_allclose(L, laplacian(B, normed=normalized), atol=1e-12)
    z = random.normal(size=7)
    if not normalized:
        assert_allclose(z @ L @ z, 0.5 * (B * (z[:, None] - z) ** 2).sum())
        assert_allclose(L.sum(axis=1), 0, atol=1e-12)
    assert degree[3] == 0


@pytest.mark.capability("IML-6-50")
@pytest.mark.parametrize(
    "settings", [{"n_neighbors": 20}, {"affinity": "rbf", "gamma": 1e-3, "n_components": 4}, {}]
)
def test_same_coordinates_as_scikit_learn(settings):
    """Peer: SpectralEmbedding, scikit-learn 1.9."""
    X = DIGITS + np.random.RandomState(0).normal(0, 0.01, DIGITS.shape)
    ours, peer = SpectralEmbedding(**settings).fit(X), manifold.SpectralEmbedding(**settings).fit(X)
    assert_allclose(up_to_sign(ours.embedding_, peer.embedding_), peer.embedding_, atol=1e-9)


@pytest.mark.parametrize("drop_first", [True, False])
@pytest.mark.parametrize("normalized", [True, False])
def test_the_function_is_scikit_learns(normalized, drop_first):
    B = SpectralEmbedding(affinity="rbf", gamma=1e-3).fit(DIGITS).affinity_matrix_
    settings = {"n_components": 3, "norm_laplacian": normalized, "drop_first": drop_first, "random_state": 0}
    ours, peer = spectral_embedding(B, **settings), manifold.spectral_embedding(B, **settings)
    assert_allclose(up_to_sign(ours, peer), peer, atol=1e-8)


@pytest.mark.capability("IML-6-48")
@pytest.mark.parametrize(
    "settings",
    [
        {"n_neighbors": 40},
        {"affinity": "rbf", "gamma": 1e-3},
        {"affinity": "rbf", "gamma": 1e-3, "extension": "nystroem"},
        {"affinity": "rbf", "gamma": 1e-3, "extension": "nystroem", "normalized": False},
        {"affinity": "heat", "n_neighbors": 30},
    ],
)
def test_training_rows_keep_their_coordinates(settings):
    model = SpectralEmbedding(**settings).fit(DIGITS)
    assert_allclose(model.transform(DIGITS), model.embedding_, atol=1e-10)
    near = model.transform(DIGITS + np.random.RandomState(0).normal(0, 1e-3, DIGITS.shape))
    assert abs(near - model.embedding_).max() < 0.3 * abs(model.embedding_).max()


@pytest.mark.capability("IML-6-46")
@pytest.mark.capability("IML-6-51")
def test_iris_needs_25_neighbours():
    X = load_iris().data
    with pytest.warns(DegenerateWarning, match=r"2 > 1 \(of 100, 50 rows\): Graph is not fully connected"):
        split = SpectralEmbedding(1, affinity="heat", n_neighbors=10, normalized=False).fit(X)
    assert split.eigenvalues_[0] < 1e-12
    whole = SpectralEmbedding(affinity="heat", n_neighbors=25, normalized=False).fit(X)
    assert whole.eigenvalues_[0] > 1e-6
    with pytest.raises(GraphError):
        SpectralEmbedding(affinity="heat", n_neighbors=10, disconnected="raise").fit(X)
    apart = SpectralEmbedding(affinity="heat", n_neighbors=10, disconnected="separate").fit(X)
    assert apart.embedding_[:50].std() > 0 and apart.embedding_[50:].std() > 0


def test_what_is_refused():
    with pytest.raises(ParameterError, match="affinity='rbf', or extension='weights'"):
        SpectralEmbedding(extension="nystroem").fit(DIGITS)
    with pytest.raises(DataError, match="none below 0"):
        SpectralEmbedding(affinity="precomputed").fit(-CHAIN)
    with pytest.raises(DataError, match="square"):
        graph_laplacian(np.ones((2, 3)))
    with pytest.raises(DataError, match="at least 2 rows"):
        SpectralEmbedding(affinity="rbf").fit([[1.0, 2.0]])


@pytest.mark.parametrize("sparse", [False, True])
def test_given_similarities_of_training_rows_to_themselves_and_others(sparse):
    """With ones on the diagonal, which the equation of a training row leaves out."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    B = np.exp(-np.linalg.norm(X[:, None] - X[None], axis=2))
    if sparse:
        B = np.where(np.quantile(B, 0.4) < B, B, 0.0)
    given = csr_matrix(B) if sparse else B
    model = SpectralEmbedding(2, affinity="precomputed").fit(given)
    assert_allclose(model.transform(given), model.embedding_, atol=1e-12)


def test_new_rows_by_given_similarities_fall_where_a_map_of_all_has_them():
    X = np.random.default_rng(0).normal(size=(160, 3)) * [3, 1.5, 0.5]
    B = np.exp(-np.linalg.norm(X[:, None] - X[None], axis=2))
    model = SpectralEmbedding(2, affinity="precomputed").fit(B[:140, :140])
    assert model.extension_ == "nystroem"
    everything = SpectralEmbedding(2, affinity="precomputed").fit(B).embedding_[140:]
    placed = model.transform(B[140:, :140])
    for a, b in zip(placed.T, everything.T):
        assert abs(np.corrcoef(a, b)[0, 1]) > 0.99


@pytest.mark.parametrize("normalized", [True, False])
def test_new_rows_by_given_similarities_in_pieces(normalized):
    X = np.random.default_rng(1).normal(size=(60, 2)) + np.repeat([[0, 0], [50, 0]], 30, axis=0)
    B = np.exp(-np.linalg.norm(X[:, None] - X[None], axis=2))
    B[:30, 30:] = B[30:, :30] = 0
    settings = {"affinity": "precomputed", "disconnected": "separate", "normalized": normalized}
    model = SpectralEmbedding(1, **settings).fit(B)
    assert_allclose(model.transform(B), model.embedding_, atol=1e-12)
    without = B * (1 - np.eye(60))  # by the equations of the rows themselves
    assert_allclose(model.transform(without), model.embedding_, atol=1e-8)


@pytest.mark.parametrize("extension", ["weights", LocalWeights(5)])
def test_similarities_are_no_distances(extension):
    with pytest.raises(ParameterError, match="no distances"):
        SpectralEmbedding(affinity="precomputed", extension=extension).fit(CHAIN)
