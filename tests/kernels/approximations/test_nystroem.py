"""Landmarks and the Nystroem method."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.kernel_approximation as peer
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits, load_iris
from sklearn.metrics.pairwise import rbf_kernel

import assay
from assay.errors import AssayWarning, DataError
from assay.kernels import RBF, FunctionKernel, Linear, Nystroem, pivoted_cholesky
from assay.kernels.gram_rows import MatrixRows

IRIS = load_iris().data
DIGITS = load_digits().data[:400] / 16


@pytest.mark.parametrize("X", [IRIS, DIGITS], ids=["iris", "digits"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"gamma": 0.2, "n_components": 30},
        {"kernel": "poly", "degree": 2, "coef0": 0.5, "gamma": 0.1, "n_components": 5},
        {"kernel": "linear", "n_components": 3},
        {"kernel": "sigmoid", "gamma": 0.01, "n_components": 4},
    ],
)
def test_features_are_those_of_scikit_learn(settings, X):
    """Peer: scikit-learn 1.9. Landmarks with eigenvalues below 1e-12 are left out here and amplified there."""
    theirs = peer.Nystroem(**settings, random_state=5).fit(X)
    mine = Nystroem(**settings, random_state=5).fit(X)
    assert_allclose(mine.component_indices_, theirs.component_indices_)
    assert_allclose(mine.components_, theirs.components_)
    Z, T = mine.transform(X), theirs.transform(X)
    assert_allclose(Z @ Z.T, T @ T.T, rtol=1e-6, atol=1e-6)


def test_sparse_rows_give_the_features_of_dense_ones():
    dense = Nystroem(random_state=0, n_components=20).fit_transform(DIGITS)
    sparse = Nystroem(random_state=0, n_components=20).fit_transform(sp.csr_matrix(DIGITS))
    assert_allclose(sparse, dense, atol=1e-9)


def test_more_landmarks_than_rows_are_announced():
    with pytest.warns(AssayWarning, match="n_components > n_samples"):
        model = Nystroem(n_components=200).fit(IRIS)
    Z = model.transform(IRIS)
    assert_allclose(Z @ Z.T, rbf_kernel(IRIS), atol=1e-7)


def test_a_precomputed_kernel_takes_fewer_landmarks_than_rows():
    """scikit-learn refuses this."""
    K = rbf_kernel(IRIS, gamma=0.25)
    Z = Nystroem("precomputed", n_components=40, random_state=0).fit_transform(K)
    plain = Nystroem("rbf", gamma=0.25, n_components=40, random_state=0).fit_transform(IRIS)
    assert_allclose(Z @ Z.T, plain @ plain.T, atol=1e-9)
    with pytest.raises(DataError, match="square"):
        Nystroem("precomputed", n_components=2).fit(K[:10])


def test_objects_by_a_function_of_two():
    words = ["cat", "hat", "tar", "star", "art", "rat"]
    shared = FunctionKernel(lambda a, b: float(len(set(a) & set(b))), "objects")
    assert not shared.psd
    Z = Nystroem(shared, n_components=6, random_state=0).fit_transform(words)
    assert_allclose(Z @ Z.T, [[len(set(a) & set(b)) for b in words] for a in words], atol=1e-9)
    model = Nystroem(shared, n_components=2, random_state=0).fit(words)
    assert model.get_feature_names_out().tolist() == ["nystroem0", "nystroem1"]


@pytest.mark.parametrize("landmarks", ["random", "cholesky", "leverage", "k-means"])
def test_blocks_dask_and_memory_choose_the_same_landmarks(landmarks):
    import dask.array

    def make():
        return Nystroem(RBF(gamma="scale"), n_components=10, landmarks=landmarks, random_state=0)

    whole = make().fit(IRIS)
    streamed = make().fit_blocks([(IRIS[:33], None), (IRIS[33:34], None), (IRIS[34:], None)])
    cluster = make().fit(dask.array.from_array(IRIS, chunks=(40, 4)))
    for model in (streamed, cluster):
        assert_allclose(model.components_, whole.components_)
        assert_allclose(model.transform(IRIS), whole.transform(IRIS), atol=1e-9)


def trace_left(X, way, **settings):
    """Of the kernel matrix, on average over draws."""
    models = [Nystroem(landmarks=way, random_state=seed, **settings).fit(X) for seed in range(8)]
    return np.mean([model.residual(X).sum() for model in models])


def test_centres_of_groups_leave_less_over_than_random_rows():
    settings = {"gamma": 0.05, "n_components": 20}
    assert trace_left(DIGITS, "k-means", **settings) < 0.75 * trace_left(DIGITS, "random", **settings)


def test_by_leverage_and_by_cholesky_small_groups_are_not_forgotten():
    random = np.random.default_rng(0)
    centres = np.vstack([np.zeros((450, 3)), np.repeat(6 * random.normal(size=(5, 3)), 4, axis=0)])
    X, settings = centres + 0.1 * random.normal(size=centres.shape), {"gamma": 1.0, "n_components": 15}
    left = {way: trace_left(X, way, **settings) for way in ("random", "leverage", "cholesky")}
    assert left["leverage"] < 0.7 * left["random"] and left["cholesky"] < 0.3 * left["random"]


def test_the_residual_bounds_the_error_of_every_pair():
    model = Nystroem(gamma=0.3, n_components=15, landmarks="cholesky").fit(IRIS)
    Z, r = model.transform(IRIS), model.residual(IRIS)
    error = np.abs(rbf_kernel(IRIS, gamma=0.3) - Z @ Z.T)
    assert (error <= np.sqrt(np.outer(r, r)) + 1e-7).all()
    assert_allclose(model.error_bound_, r.sum() / 150, rtol=1e-5)


def test_pivoted_cholesky_is_the_residual_of_its_pivots():
    K = rbf_kernel(IRIS, gamma=0.5)
    cholesky = pivoted_cholesky(MatrixRows(K), 12)
    P = cholesky.pivots
    left = K - K[:, P] @ np.linalg.solve(K[np.ix_(P, P)], K[P])
    assert_allclose(K - cholesky.factor @ cholesky.factor.T, left, atol=1e-8)
    assert_allclose(cholesky.residual[-1], np.trace(left), rtol=1e-8)
    assert np.linalg.norm(left, 2) <= np.linalg.norm(left) <= cholesky.residual[-1]
    assert (np.diff(cholesky.residual) < 0).all() and len(set(P.tolist())) == 12


def test_pivoted_cholesky_ends_at_the_rank():
    assert len(pivoted_cholesky(Linear().gram_rows(IRIS), 100).pivots) == 4
    assert len(pivoted_cholesky(MatrixRows(np.zeros((3, 3))), 2).pivots) == 0


@pytest.mark.parametrize("landmarks", ["random", "cholesky", "k-means"])
def test_a_saved_map_gives_the_same_features(landmarks, tmp_path):
    model = Nystroem(n_components=7, landmarks=landmarks, random_state=0).fit(IRIS)
    assay.save(model, tmp_path / "model.assay")
    assert_allclose(assay.load(tmp_path / "model.assay").transform(IRIS), model.transform(IRIS), rtol=0)
