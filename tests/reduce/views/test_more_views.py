"""Several sets of columns, hidden numbers of two tables, kernels of two tables."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.pipeline import make_pipeline

from assay.bayes import LinearDiscriminantAnalysis
from assay.errors import DataError, DegenerateError, ParameterError
from assay.kernels import Linear
from assay.reduce import CCA, PCA, GeneralizedCCA, KernelCCA, ProbabilisticCCA
from assay.tables.data import load_iris

FLOWERS, SPECIES = np.asarray(load_iris().X), load_iris().y
SEPALS, PETALS = FLOWERS[:, :2], FLOWERS[:, 2:]
TWO = [[0, 1], [2, 3]]


@pytest.mark.capability("IML-6-43")
def test_two_views_give_canonical_correlations():
    many, two = GeneralizedCCA(views=TWO).fit(FLOWERS), CCA().fit(SEPALS, PETALS)
    assert_allclose(many.eigenvalues_ - 1, two.canonical_correlations_, rtol=1e-10)
    Z = many.transform(FLOWERS)
    assert_allclose(np.cov(Z.T)[[0, 1], [2, 3]], two.canonical_correlations_, rtol=1e-10)
    assert_allclose(np.var(Z, axis=0, ddof=1), 1, rtol=1e-10)
    assert_allclose(np.abs(many.weights_[:2]), np.abs(two.x_canonical_weights_), rtol=1e-8)
    assert_allclose(np.abs(many.weights_[2:]), np.abs(two.y_canonical_weights_), rtol=1e-8)


@pytest.mark.capability("IML-6-43")
def test_each_column_a_view_gives_components_of_the_correlation_matrix():
    model, pca = (
        GeneralizedCCA(output="consensus").fit(FLOWERS),
        PCA(n_components=2, standardize=True).fit(FLOWERS),
    )
    assert_allclose(model.eigenvalues_, pca.explained_variance_, rtol=1e-10)
    Z = pca.transform(FLOWERS)
    assert_allclose(np.abs(model.transform(FLOWERS)), np.abs(Z / Z.std(axis=0, ddof=1)), atol=1e-8)


def test_eigenvalues_are_sums_of_squared_correlations_with_the_views():
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(300, 1))
    X = np.hstack([hidden + rng.normal(size=(300, 2)) for _ in range(4)])
    views = [[0, 1], [2, 3], [4, 5], [6, 7]]
    model = GeneralizedCCA(n_components=2, views=views, output="consensus").fit(X)
    g = model.transform(X)
    for r in range(2):
        explained = []
        for columns in views:
            A = np.column_stack([np.ones(300), X[:, columns]])
            left = g[:, r] - A @ np.linalg.lstsq(A, g[:, r], rcond=None)[0]
            explained.append(1 - left @ left / np.sum((g[:, r] - g[:, r].mean()) ** 2))
        assert_allclose(model.correlations_[:, r] ** 2, explained, rtol=1e-9)
        assert_allclose(model.eigenvalues_[r], np.sum(explained), rtol=1e-9)
    assert abs(np.corrcoef(g[:, 0], hidden[:, 0])[0, 1]) > 0.9


def test_several_views_in_blocks_in_a_pipeline_and_by_name():
    import pandas as pd

    frame = pd.DataFrame(FLOWERS, columns=["sl", "sw", "pl", "pw"])
    named = GeneralizedCCA(views=[["sl", "sw"], ["pl", "pw"]]).fit(frame)
    blocks = GeneralizedCCA(views=TWO).fit_blocks([FLOWERS[:60], FLOWERS[60:]])
    assert_allclose(blocks.weights_, named.weights_, rtol=1e-9)
    model = make_pipeline(GeneralizedCCA(views=TWO), LinearDiscriminantAnalysis()).fit(FLOWERS, SPECIES)
    assert model.score(FLOWERS, SPECIES) == 0.98  # all directions are kept
    with pytest.raises(ParameterError, match="belongs to two views"):
        GeneralizedCCA(views=[[0, 1], [1, 2, 3]]).fit(FLOWERS)
    with pytest.raises(ParameterError, match="without a view: x3"):
        GeneralizedCCA(views=[[0, 1], [2]]).fit(FLOWERS)


@pytest.mark.capability("IML-6-43")
def test_hidden_numbers_are_canonical_variates_scaled():
    model, cca = ProbabilisticCCA().fit(SEPALS, PETALS), CCA().fit(SEPALS, PETALS)
    assert_allclose(model.canonical_correlations_, cca.canonical_correlations_, rtol=1e-10)
    rho = model.canonical_correlations_
    a = (SEPALS - SEPALS.mean(axis=0)) @ cca.x_canonical_weights_ * np.sqrt(150 / 149)
    b = (PETALS - PETALS.mean(axis=0)) @ cca.y_canonical_weights_ * np.sqrt(150 / 149)
    assert_allclose(np.abs(model.transform(SEPALS)), np.abs(np.sqrt(rho) * a), atol=1e-9)
    assert_allclose(
        np.abs(model.transform(SEPALS, PETALS)), np.abs(np.sqrt(rho) / (1 + rho) * (a + b)), atol=1e-9
    )


@pytest.mark.parametrize("k", [1, 2])
def test_likelihood_and_posterior_are_those_of_the_joint_gaussian(k):
    model = ProbabilisticCCA(n_components=k).fit(SEPALS, PETALS)
    W = np.vstack([model.x_loadings_ * model._x_std[:, None], model.y_loadings_ * model._y_std[:, None]])
    noise = np.zeros((4, 4))
    noise[:2, :2], noise[2:, 2:] = model.x_noise_covariance_, model.y_noise_covariance_
    C, mean = W @ W.T + noise, FLOWERS.mean(axis=0)
    assert_allclose(
        model.score_samples(SEPALS, PETALS), multivariate_normal(mean, C).logpdf(FLOWERS), rtol=1e-9
    )
    assert_allclose(model.log_likelihood_, model.score(SEPALS, PETALS) * 150, rtol=1e-10)
    expected = (FLOWERS - mean) @ np.linalg.solve(C, W)
    assert_allclose(model.transform(SEPALS, PETALS), expected, atol=1e-9)
    assert_allclose(model.posterior_variance_, 1 - np.diag(W.T @ np.linalg.solve(C, W)), atol=1e-9)
    S = np.cov(FLOWERS.T, bias=True)
    assert_allclose(C[:2, :2], S[:2, :2], rtol=1e-9)
    if k == 2:
        assert_allclose(C, S, rtol=1e-9)
    for shift in (0.99, 1.01):  # no other weights of the hidden numbers are as likely
        other = C.copy()
        other[:2, 2:] *= shift
        other[2:, :2] *= shift
        if np.linalg.eigvalsh(other)[0] > 0:
            assert multivariate_normal(mean, other).logpdf(FLOWERS).sum() < model.log_likelihood_


def test_one_table_alone_has_its_own_density_and_rows_outside_have_none():
    model = ProbabilisticCCA(n_components=1).fit(SEPALS, PETALS)
    alone = multivariate_normal(SEPALS.mean(axis=0), np.cov(SEPALS.T, bias=True))
    assert_allclose(model.score_samples(SEPALS), alone.logpdf(SEPALS), rtol=1e-9)
    doubled = np.column_stack([SEPALS, SEPALS[:, 0]])
    model = ProbabilisticCCA(n_components=1).fit(doubled, PETALS)
    assert np.isfinite(model.transform(doubled)).all() and np.isfinite(model.score(doubled, PETALS))
    assert np.isneginf(model.score_samples([[5.0, 3.0, 6.0]])).all()


@pytest.mark.capability("IML-13-46")
def test_linear_kernels_with_a_small_ridge_give_canonical_correlations():
    cca = CCA().fit(SEPALS, PETALS)
    model = KernelCCA(kernel=Linear(), y_kernel="linear", ridge=1e-9).fit(SEPALS, PETALS)
    assert_allclose(model.correlations_, cca.canonical_correlations_, atol=1e-6)
    for a, b in zip(model.transform(SEPALS, PETALS), cca.transform(SEPALS, PETALS)):
        for r in range(2):
            assert_allclose(abs(np.corrcoef(a[:, r], b[:, r])[0, 1]), 1, atol=1e-6)
    Z, T = model.transform(SEPALS, PETALS)
    assert_allclose(Z.mean(axis=0), 0, atol=1e-6)
    assert_allclose(np.corrcoef(Z[:, 0], T[:, 0])[0, 1], model.correlations_[0], rtol=1e-8)


def test_kernels_see_what_lines_do_not_and_the_ridge_holds_chance_down():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 150)
    x, y = np.cos(angle) + 0.05 * rng.normal(size=150), np.sin(angle) + 0.05 * rng.normal(size=150)
    model = KernelCCA(n_components=1, ridge=0.01).fit(x[:100, None], y[:100])
    Z, T = model.transform(x[100:, None], y[100:])
    assert abs(np.corrcoef(Z[:, 0], T[:, 0])[0, 1]) > 0.9
    assert CCA(n_components=1).fit(x[:, None], y).canonical_correlations_[0] < 0.3
    noise = rng.normal(size=(2, 60, 3))
    loose, held = (KernelCCA(1, ridge=r).fit(*noise).correlations_[0] for r in (1e-6, 1.0))
    assert held < loose and loose > 0.99
    with pytest.raises(DataError, match="requires y"):
        KernelCCA().fit(noise[0], None)
    with pytest.raises(DegenerateError, match="alike"):
        KernelCCA(1).fit(noise[0], np.ones(60))


def test_kernel_correlations_name_what_stands_for_classes():
    X, y = np.arange(12.0).reshape(6, 2), list("aabbab")
    with pytest.raises(ValueError, match="columns of 0 and 1"):
        KernelCCA().fit(X, y)
