"""Features by random numbers: those of scikit-learn, from the same seeds."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.kernel_approximation as peer
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits, load_iris

import assay
import assay.kernels as ours
from assay.errors import DataError, ParameterError

DIGITS = load_digits().data[:300] / 16
IRIS = load_iris().data

CASES = [
    ("RBFSampler", {}),
    ("RBFSampler", {"gamma": "scale", "n_components": 7}),
    ("RBFSampler", {"gamma": 30.0, "n_components": 301}),
    ("RBFSampler", {"gamma": 0.0}),
    ("SkewedChi2Sampler", {"skewedness": 0.3}),
    ("AdditiveChi2Sampler", {}),
    ("AdditiveChi2Sampler", {"sample_steps": 1}),
    ("AdditiveChi2Sampler", {"sample_steps": 5, "sample_interval": 0.3}),
    ("PolynomialCountSketch", {}),
    ("PolynomialCountSketch", {"degree": 4, "coef0": 0.5, "gamma": 2.0, "n_components": 33}),
]


def seeded(name, settings, seed):
    return settings if name == "AdditiveChi2Sampler" else {**settings, "random_state": seed}


@pytest.mark.parametrize("X", [DIGITS, IRIS], ids=["digits", "iris"])
@pytest.mark.parametrize(("name", "settings"), CASES)
def test_the_features_are_those_of_scikit_learn(name, settings, X):
    """Peer: scikit-learn 1.9. Not compared: a negative coef0, which is refused here and NaN there."""
    theirs = getattr(peer, name)(**seeded(name, settings, 3)).fit(X)
    mine = getattr(ours, name)(**seeded(name, settings, 3)).fit(X)
    size = np.abs(theirs.transform(X)).max()
    assert_allclose(mine.transform(X), theirs.transform(X), rtol=1e-12, atol=1e-13 * size)
    assert mine.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    for attribute in ("random_weights_", "random_offset_", "indexHash_", "bitHash_"):
        if hasattr(theirs, attribute):
            assert_allclose(getattr(mine, attribute), getattr(theirs, attribute), rtol=1e-12)


@pytest.mark.parametrize(("name", "settings"), [case for case in CASES if case[0] != "SkewedChi2Sampler"])
def test_sparse_rows_give_the_features_of_dense_ones(name, settings):
    model = getattr(ours, name)(**seeded(name, settings, 0))
    dense, sparse = model.fit_transform(DIGITS), model.fit_transform(sp.csr_matrix(DIGITS))
    assert sp.issparse(sparse) == (name == "AdditiveChi2Sampler")
    sparse = sparse.toarray() if sp.issparse(sparse) else sparse
    assert_allclose(sparse, dense, atol=1e-13 * np.abs(dense).max())


def test_a_sparse_array_stays_a_sparse_array():
    made = ours.AdditiveChi2Sampler().fit_transform(sp.csr_array(DIGITS))
    assert isinstance(made, sp.csr_array)


def test_more_rows_rescale_the_same_draws():
    model = ours.RBFSampler(gamma="scale", n_components=4)  # no seed: drawn once
    first = model.partial_fit(IRIS[:50]).random_weights_.copy()
    model.partial_fit(IRIS[50:])
    ratio = model.random_weights_ / first
    assert_allclose(ratio, ratio[0, 0])
    assert_allclose(model._gamma, 1 / (4 * IRIS.var()), rtol=1e-12)
    assert not np.allclose(model.fit(IRIS).random_weights_, first * ratio)  # a new fit draws anew


def test_the_same_features_from_blocks_and_on_dask():
    import dask.array

    whole = ours.RBFSampler(gamma="scale", random_state=0).fit(IRIS)
    blocks = ours.RBFSampler(gamma="scale", random_state=0).fit_blocks([(IRIS[:30], None), (IRIS[30:], None)])
    cluster = ours.RBFSampler(gamma="scale", random_state=0).fit(dask.array.from_array(IRIS, chunks=(40, 4)))
    for model in (blocks, cluster):
        assert_allclose(model.transform(IRIS), whole.transform(IRIS), atol=1e-12)


def test_entries_outside_a_kernels_range_are_named():
    with pytest.raises(DataError, match=r"row 2, column 'x0' has -2"):
        ours.SkewedChi2Sampler().fit([[0.0], [1.0]]).transform([[1.0], [-2.0]])
    with pytest.raises(DataError, match="Negative values"):
        ours.AdditiveChi2Sampler().fit([[-1.0]])
    with pytest.raises(ParameterError, match="sample_interval"):
        ours.AdditiveChi2Sampler(sample_steps=4).fit([[1.0]])


# Fourier features


def waves(kernel, seed, **settings):
    return ours.FourierFeatures(kernel, random_state=seed, **settings).fit_transform(IRIS)


def error(Z, K):
    return float(np.sqrt(np.mean((Z @ Z.T - K) ** 2)))


def test_waves_give_the_kernel_on_average():
    maps = [waves(ours.RBF(2.0), seed, n_components=8) for seed in range(400)]
    mean = np.mean([Z @ Z.T for Z in maps], axis=0)
    assert_allclose(mean, ours.RBF(2.0)(IRIS), atol=0.08)
    assert_allclose(np.diagonal(mean), 1.0, rtol=1e-12)  # of each map exactly


def test_orthogonal_frequencies_err_less_than_independent_ones():
    K = ours.RBF(2.0)(IRIS)

    def mean_error(way):
        return np.mean(
            [error(waves(ours.RBF(2.0), s, n_components=40, frequencies=way), K) for s in range(40)]
        )

    assert mean_error("orthogonal") < 0.85 * mean_error("independent")


def test_frequencies_are_orthogonal_a_block_at_a_time():
    model = ours.FourierFeatures(ours.RBF(1.0), n_components=16, random_state=0).fit(IRIS)
    W = model.random_weights_[:, ::2]  # (4, 8): two blocks
    for block in (W[:, :4], W[:, 4:]):
        products = block.T @ block
        assert_allclose(products - np.diag(np.diag(products)), 0, atol=1e-12)


@pytest.mark.parametrize(
    "kernel",
    [
        ours.Matern(2.0, nu=0.5),
        ours.Matern(nu=2.5),
        ours.Matern(nu=np.inf),
        ours.RationalQuadratic(2.0, alpha=0.7),
        ours.Laplacian(0.3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("frequencies", ["orthogonal", "independent"])
def test_frequencies_follow_the_kernels_own_density(kernel, frequencies):
    Z = waves(kernel, 0, n_components=40_000, frequencies=frequencies)
    assert error(Z, kernel(IRIS)) < 0.012


def test_each_column_has_its_own_length_scale(tmp_path):
    kernel = ours.RBF(np.array([0.5, 1.0, 2.0, 4.0]))
    model = ours.FourierFeatures(kernel, n_components=20_000, random_state=0).fit(IRIS)
    assert error(model.transform(IRIS), kernel(IRIS)) < 0.01
    assay.save(model, tmp_path / "model.assay")
    assert_allclose(assay.load(tmp_path / "model.assay").transform(IRIS), model.transform(IRIS), rtol=0)


def test_a_kernel_without_known_frequencies_is_refused_by_name():
    with pytest.raises(ParameterError, match=r"FourierFeatures.*stationary.*Polynomial.*Nystroem"):
        ours.FourierFeatures("poly").fit(IRIS)


def test_products_beyond_the_largest_number_are_refused():
    sketch = ours.PolynomialCountSketch(n_components=4, random_state=0).fit([[1.0, 2.0]])
    with pytest.raises(DataError, match="row 2 is beyond the largest number"):
        sketch.transform([[1.0, 2.0], [1e200, 1.0]])
