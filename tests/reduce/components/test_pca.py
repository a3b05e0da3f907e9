"""Principal components analysis: oracles, routes, rules, robust and weighted estimates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA as Peer
from sklearn.model_selection import train_test_split

import assay
from assay.errors import DataError, DegenerateError, ParameterError
from assay.linear import LogisticRegression
from assay.reduce import (
    PCA,
    IncrementalPCA,
    KarhunenLoeve,
    average_eigenvalue_rule,
    components_by_cross_validation,
    components_by_evidence,
    components_for_share,
    parallel_analysis,
)
from assay.reduce.components.held_out_likelihood import _losses, _scatter
from assay.tables.data import load_breast_cancer, load_iris

IRIS = load_iris().X.values
DIGITS = load_digits().data
SIX = np.array([[2, 0], [0, 2], [-2, 0], [0, -2], [3, 3], [-3, -3]], dtype=float)


def standardised():
    """Breast cancer, scaled by all rows before the split, as the source does it."""
    data = load_breast_cancer()
    X = data.X.values
    rows, tests = train_test_split(np.arange(len(X)), test_size=0.2, random_state=2020)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return Z[rows], Z[tests], data.y[rows], data.y[tests]


@pytest.mark.capability("IML-6-11")
def test_iris_and_six_points():
    pca = PCA().fit(IRIS)
    assert_allclose(pca.explained_variance_, [4.228242, 0.242671, 0.078210, 0.023835], atol=5e-7)
    assert_allclose(pca.explained_variance_ratio_, [0.924619, 0.053066, 0.017103, 0.005212], atol=5e-7)
    assert_allclose(pca.components_[0], [0.361387, -0.084523, 0.856671, 0.358289], atol=5e-7)
    assert_allclose(pca.components_[1], [0.656589, 0.730161, -0.173373, -0.075481], atol=5e-7)
    assert_allclose(pca.mean_, [5.843333, 3.057333, 3.758, 1.199333], atol=5e-7)
    correlation = PCA(standardize=True).fit(IRIS)
    assert_allclose(correlation.explained_variance_, [2.918498, 0.914030, 0.146757, 0.020715], atol=5e-7)
    six = PCA().fit(SIX)
    assert_allclose(six.explained_variance_, [8.8, 1.6])
    assert_allclose(six.components_, np.array([[1, 1], [1, -1]]) / np.sqrt(2))


@pytest.mark.capability("IML-6-11")
@pytest.mark.parametrize("settings", [{}, {"standardize": True}])
def test_new_columns_are_uncorrelated_and_whitening_makes_them_unit(settings):
    pca = PCA(3, **settings).fit(IRIS)
    Z = pca.transform(IRIS)
    assert_allclose(np.cov(Z.T), np.diag(pca.explained_variance_), atol=1e-12)
    whitened = PCA(3, whiten=True, **settings).fit(IRIS)
    assert_allclose(np.cov(whitened.transform(IRIS).T), np.eye(3), atol=1e-12)
    assert_allclose(
        whitened.inverse_transform(whitened.transform(IRIS)), pca.inverse_transform(Z), atol=1e-12
    )


@pytest.mark.capability("IML-6-12")
def test_reconstruction_error():
    for k, error in ((1, 51.362586), (2, 15.204644), (3, 3.551429)):
        assert_allclose(PCA(k).fit(IRIS).reconstruction_error(IRIS).sum(), error, atol=5e-7)
    for k, error in ((2, 858.945), (5, 546.717), (10, 314.515), (20, 126.993), (30, 49.158), (40, 14.174)):
        assert_allclose(PCA(k).fit(DIGITS).reconstruction_error(DIGITS).mean(), error, atol=5e-4)
    assert PCA().fit(IRIS).reconstruction_error(IRIS).max() < 1e-24


@pytest.mark.capability("IML-6-13")
def test_numbers_of_components():
    values = PCA().fit(DIGITS).explained_variance_
    assert_allclose(values[:5], [179.0069, 163.7177, 141.7884, 101.1004, 69.5132], atol=5e-5)
    assert_allclose(values.sum(), 1202.1477, atol=5e-5)
    assert int(np.sum(values > 1e-9)) == 61
    assert components_for_share(values, 0.9) == PCA(0.9).fit(DIGITS).n_components_ == 21
    assert average_eigenvalue_rule(values) == PCA("average").fit(DIGITS).n_components_ == 14
    iris = PCA().fit(IRIS).explained_variance_
    assert_allclose(iris.mean(), 1.143239, rtol=0, atol=5e-7)
    assert components_for_share(iris, 0.9) == average_eigenvalue_rule(iris) == 1
    assert average_eigenvalue_rule(PCA(standardize=True).fit(IRIS).explained_variance_) == 1
    for k, share in ((2, 0.2851), (10, 0.7382), (20, 0.8943), (30, 0.9591)):
        assert_allclose(values[:k].sum() / values.sum(), share, atol=5e-5)


@pytest.mark.capability("C3-64", "C3-65")
def test_the_standardised_training_rows_of_breast_cancer():
    train, test, *_ = standardised()
    pca = PCA().fit(train)
    shares = [0.4376296, 0.1880184, 0.09455378, 0.06845665, 0.05663576]
    assert_allclose(pca.explained_variance_ratio_[:5], shares, rtol=0, atol=5e-8)
    assert_allclose(pca.explained_variance_ratio_[:5].sum(), 0.84529419, rtol=0, atol=5e-9)
    values = [12.78676163, 5.49356454, 2.76269395, 2.00018212, 1.65479653]
    assert_allclose(pca.explained_variance_[:5], values, rtol=0, atol=5e-9)
    first = [[8.55763176, -4.09563401, -0.10790408, 0.65646783, 0.28506859],
             [-0.66950192, 1.78227379, -0.6457208, 0.73212841, 0.99798661]]  # fmt: skip
    assert_allclose(pca.transform(test[:2])[:, :5], first, rtol=0, atol=5e-9)
    every = PCA(6, standardize=True).fit(load_breast_cancer().X)
    values = [13.28160768, 5.69135461, 2.81794898, 1.98064047, 1.64873055, 1.20735661]
    assert_allclose(every.explained_variance_, values, rtol=0, atol=5e-9)
    shares = [0.44272026, 0.18971182, 0.09393163, 0.06602135, 0.05495768, 0.04024522]
    assert_allclose(every.explained_variance_ratio_, shares, rtol=0, atol=5e-9)
    assert [PCA(share).fit(train).n_components_ for share in (0.9, 0.95, 0.99)] == [7, 10, 17]
    singular = np.linalg.svd(train - train.mean(axis=0), compute_uv=False)
    assert_allclose(pca.explained_variance_, singular**2 / (len(train) - 1), rtol=1e-10)


@pytest.mark.capability("C3-66")
def test_logistic_regression_on_five_components():
    train, test, y_train, y_test = standardised()
    pca = PCA(5).fit(train)
    model = LogisticRegression().fit(pca.transform(train), y_train)
    exact = LogisticRegression(tol=1e-10).fit(pca.transform(train), y_train)
    slopes = [2.47476623, 1.2851316, 0.62416811, 0.85397488, 0.86224175]
    assert_allclose(np.abs(exact.coef_[0]), slopes, rtol=0, atol=1e-7)
    assert_allclose(np.abs(exact.intercept_), 0.66693808, rtol=0, atol=1e-7)
    assert int(np.sum(model.predict(pca.transform(train)) != y_train)) == 10
    assert int(np.sum(model.predict(pca.transform(test)) != y_test)) in (2, 3)


@pytest.mark.capability("IML-6-16")
def test_rows_far_away_can_be_left_out():
    pca = PCA(trim=0.975).fit(IRIS)
    assert pca.n_trimmed_ == 6
    gaps = IRIS - IRIS.mean(axis=0)
    squares = np.einsum("ij,ij->i", gaps @ np.linalg.inv(np.cov(IRIS.T)), gaps)
    assert (np.flatnonzero(squares > 11.143287) + 1).tolist() == [42, 115, 118, 132, 135, 142]
    assert_allclose(pca.explained_variance_, [4.122606, 0.217608, 0.077332, 0.018429], atol=5e-7)
    X = np.vstack([IRIS, [[5.0, 300.0, 5.0, 5.0]]])
    turned, held = PCA(1).fit(X).components_[0], PCA(1, trim=0.975).fit(X).components_[0]
    assert turned[1] > 0.99 and abs(held @ PCA(1).fit(IRIS).components_[0]) > 0.999


@pytest.mark.capability("IML-6-20")
def test_fewer_rows_than_columns():
    X = np.random.default_rng(0).normal(size=(40, 500))
    small, full = PCA(5).fit(X), PCA(svd_solver="full").fit(X)
    assert_allclose(small.components_, full.components_[:5], atol=1e-9)
    assert_allclose(small.explained_variance_, full.explained_variance_[:5])
    assert int(np.sum(full.explained_variance_ > 1e-9)) == 39
    big = np.random.default_rng(1).normal(size=(520, 600))  # by dot products of the rows
    assert_allclose(PCA(3).fit(big).components_, PCA(3, svd_solver="full").fit(big).components_, atol=1e-8)


@pytest.mark.capability("IML-6-20")
def test_pictures_of_ten_persons_need_no_more_than_the_dot_products_of_forty_rows():
    """256 x 256 pixels, four pictures of each person: rank 39 in place of 65536, and the nearest mean knows each."""
    rng = np.random.default_rng(0)
    persons, faces = np.repeat(np.arange(10), 4), rng.normal(size=(10, 65536))
    pictures = faces[persons] + 2 * rng.normal(size=(40, 65536))
    pca = PCA(39).fit(pictures)
    assert pca.components_.shape == (39, 65536) and pca.explained_variance_[-1] > 0
    assert_allclose(pca.explained_variance_.sum(), pictures.var(axis=0, ddof=1).sum(), rtol=1e-9)
    means = np.array([pca.transform(pictures[persons == k]).mean(axis=0) for k in range(10)])
    others = pca.transform(faces + 2 * rng.normal(size=(10, 65536)))
    gaps = ((others[:, None] - means) ** 2).sum(axis=2)
    np.testing.assert_array_equal(gaps.argmin(axis=1), np.arange(10))


@pytest.mark.parametrize("settings", [
    {"n_components": 2}, {"n_components": 0.95}, {"n_components": "mle"}, {"svd_solver": "covariance_eigh"},
    {"n_components": 2, "svd_solver": "arpack"}, {"n_components": 3, "svd_solver": "randomized", "random_state": 0},
])  # fmt: skip
@pytest.mark.parametrize("name", ["iris", "digits"])
def test_scikit_learn_finds_the_same(name, settings):
    X = IRIS if name == "iris" else DIGITS
    ours, theirs = PCA(**settings).fit(X), Peer(**settings).fit(X)
    assert ours.n_components_ == theirs.n_components_ and ours.n_samples_ == theirs.n_samples_
    tol = 1e-4 if settings.get("svd_solver") == "randomized" else 1e-7
    solid = theirs.explained_variance_ > 1e-6
    for attribute in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "components_"):
        assert_allclose(
            getattr(ours, attribute)[solid], getattr(theirs, attribute)[solid], atol=tol, rtol=tol
        )
    assert_allclose(ours.noise_variance_, theirs.noise_variance_, atol=tol)
    assert_allclose(
        ours.transform(X)[:, solid], theirs.transform(X)[:, solid], atol=1e-3 if tol == 1e-4 else 1e-6
    )


def test_the_model_is_scikit_learns():
    ours, theirs = PCA(2).fit(IRIS), Peer(2).fit(IRIS)
    assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-12)
    assert_allclose(ours.get_precision(), theirs.get_precision(), atol=1e-10)
    assert_allclose(ours.score_samples(IRIS), theirs.score_samples(IRIS), atol=1e-10)
    scaled = PCA(2, standardize=True).fit(IRIS)
    assert_allclose(scaled.get_covariance() @ scaled.get_precision(), np.eye(4), atol=1e-10)
    from scipy.stats import multivariate_normal

    density = multivariate_normal(scaled.mean_, scaled.get_covariance()).logpdf(IRIS)
    assert_allclose(scaled.score_samples(IRIS), density, atol=1e-9)


def test_blocks_threads_sparse_rows_and_weights_give_the_same_numbers():
    w = np.random.default_rng(0).integers(0, 4, len(IRIS))
    repeated = PCA(2).fit(np.repeat(IRIS, w, axis=0))
    for weighted in (PCA(2).fit(IRIS, sample_weight=w), PCA(2, svd_solver="full").fit(IRIS, sample_weight=w),
                     PCA(2).fit(csr_array(IRIS), sample_weight=w)):  # fmt: skip
        assert_allclose(weighted.components_, repeated.components_, atol=1e-10)
        assert_allclose(weighted.explained_variance_, repeated.explained_variance_)
    blocks = PCA(2, trim=0.975).fit_blocks([IRIS[:70], IRIS[70:75], IRIS[75:]])
    assert_allclose(blocks.components_, PCA(2, trim=0.975).fit(IRIS).components_, atol=1e-12)
    parts = IncrementalPCA(2)
    for a in range(0, 150, 25):
        parts.partial_fit(IRIS[a : a + 25])
    assert_allclose(parts.components_, PCA(2).fit(IRIS).components_, atol=1e-12)
    assert parts.n_samples_seen_ == 150
    assert_allclose(parts.var_, IRIS.var(axis=0))


def test_blocks_without_column_names_and_without_a_target():
    with pytest.raises(DataError, match="must be a tuple"):
        LogisticRegression().fit_blocks([IRIS])


def test_dask_rows():
    dask = pytest.importorskip("dask.array", reason="the extra dask is not installed")
    X = dask.from_array(IRIS, chunks=(40, 4))
    assert_allclose(PCA(2).fit(X).components_, PCA(2).fit(IRIS).components_, atol=1e-12)


def test_wide_sparse_rows_are_not_filled():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4000)) * (rng.random((60, 4000)) < 0.02)
    ours, dense = PCA(4).fit(csr_array(X)), PCA(4).fit(X)
    assert_allclose(ours.explained_variance_, dense.explained_variance_, rtol=1e-8)
    assert_allclose(ours.transform(csr_array(X)), dense.transform(X), atol=1e-7)
    assert_allclose(ours.noise_variance_, dense.noise_variance_, rtol=1e-8)


def test_rules_on_noise_and_on_a_known_number():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(300, 8))
    factors = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 8)) + 0.3 * noise
    assert PCA("parallel").fit(factors).n_components_ == 3
    assert PCA("parallel", standardize=True).fit(factors).n_components_ == 3
    assert components_by_evidence(PCA().fit(factors).explained_variance_, 300) == 3
    values = PCA(standardize=True).fit(noise).explained_variance_
    assert parallel_analysis(values, 300) <= 2


def test_mixed_tables_means_far_from_zero_and_explanations():
    table = {"size": [1.0, 2.0, 4.0, 9.0], "colour": ["red", "blue", "red", "green"]}
    pca = PCA(2).fit(table)
    explanation = pca.explain(table)
    frame = explanation.to_frame()
    assert_allclose(frame[["size", "colour"]].sum(axis=1), pca.transform(table)[:, 0], atol=1e-12)
    assert "What the columns add" in str(explanation[0])
    far = PCA(2).fit(IRIS + 1e8)
    assert_allclose(far.explained_variance_, PCA(2).fit(IRIS).explained_variance_, rtol=1e-6)
    assert_allclose(far.transform(IRIS + 1e8), PCA(2).fit_transform(IRIS), atol=1e-5)


def test_awkward_tables():
    X = IRIS.copy()
    X[:, 1] = 7.0
    assert_allclose(PCA().fit(X).explained_variance_[-1], 0, atol=1e-12)
    assert np.isfinite(PCA(standardize=True).fit(X).transform(X)).all()
    assert PCA().fit(np.ones((5, 3))).explained_variance_ratio_.tolist() == [0, 0, 0]
    with pytest.raises(DegenerateError, match="at least 2 rows"):
        PCA().fit(IRIS[:1])
    with pytest.raises(DegenerateError, match="overflow"):
        PCA().fit(IRIS * 1e200)
    with pytest.raises(DegenerateError, match="singular"):
        PCA(trim=0.9).fit(X)
    with pytest.raises(DegenerateError, match="no density"):
        PCA().fit(np.ones((5, 3))).score(np.ones((5, 3)))
    few = PCA().fit(IRIS[:3])  # the plane of three rows
    assert np.isfinite(few.score(IRIS[:3])) and few.score_samples(IRIS[50:51]).tolist() == [-np.inf]
    assert_allclose(few.get_precision(), np.linalg.pinv(few.get_covariance()), rtol=1e-6)
    with pytest.raises(ParameterError, match="between 0 and"):
        PCA(5).fit(IRIS)
    with pytest.raises(ValueError, match="expected rows of 2 components"):
        PCA(2).fit(IRIS).inverse_transform(IRIS)
    small = PCA(2).fit(IRIS * 1e-150)
    assert_allclose(small.components_, PCA(2).fit(IRIS).components_, atol=1e-9)


def test_a_file_gives_it_back(tmp_path):
    for model in (PCA(2, standardize=True, trim=0.975).fit(IRIS), IncrementalPCA(2).fit(IRIS)):
        assay.save(model, tmp_path / "pca.assay")
        again = assay.load(tmp_path / "pca.assay")
        np.testing.assert_array_equal(again.transform(IRIS), model.transform(IRIS))


@pytest.mark.parametrize("scale", [1e-150, 1e-80, 1e80, 1e150])
def test_whitened_components_have_variance_one_at_any_scale(scale):
    X = np.random.default_rng(0).normal(size=(40, 5)) * [1, 2, 3, 4, 5]
    Z = PCA(n_components=3, whiten=True).fit_transform(X * scale)
    np.testing.assert_allclose(
        np.abs(Z), np.abs(PCA(n_components=3, whiten=True).fit_transform(X)), rtol=1e-9
    )


@pytest.mark.parametrize("settings", [{"standardize": True}, {"whiten": True}], ids=str)
def test_equal_rows_have_no_components_but_zeros(settings):
    X = np.repeat(np.random.default_rng(0).normal(size=(1, 6)), 10, axis=0)  # whose mean rounds
    model = PCA(n_components=2, **settings).fit(X)
    assert not model.explained_variance_.any()
    assert not model.transform(X).any()


def test_trimming_one_row_is_refused_in_a_sentence():
    with pytest.raises(DegenerateError, match="at least 2 rows"):
        PCA(trim=0.975).fit([[1.0, 2.0]])


def test_the_likelihood_in_cross_validation_is_that_of_models_fitted_anew():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3)) @ random.normal(size=(3, 7)) + 0.6 * random.normal(size=(60, 7))
    fold = np.random.RandomState(0).permutation(60) % 5
    scores = [
        sum(Peer(k).fit(X[fold != f]).score_samples(X[fold == f]).sum() for f in range(5))
        for k in range(1, 7)
    ]
    assert components_by_cross_validation(X) == 1 + int(np.argmax(scores)) == 3
    parts = [_scatter(X[fold != 2]), _scatter(X[fold == 2])]
    expected = [-2 * Peer(k).fit(X[fold != 2]).score(X[fold == 2]) for k in range(1, 7)]
    assert_allclose(_losses(*parts, 7, False)[1:] + 7 * np.log(2 * np.pi), expected, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_cross_validation_finds_the_components_at_any_scale_and_beside_a_constant_column(scale):
    random = np.random.default_rng(0)
    X = random.normal(size=(100, 2)) @ random.normal(size=(2, 6)) + 0.3 * random.normal(size=(100, 6))
    X = np.column_stack([X, np.full(100, 0.1)]) * scale
    assert components_by_cross_validation(X) == 2
    assert components_by_cross_validation(random.normal(size=(50, 5)) * scale) == 1  # noise alone
    assert 1 <= components_by_cross_validation(random.normal(size=(8, 30)) * scale, n_folds=8) <= 7
    with pytest.raises(DegenerateError, match="all the same"):
        components_by_cross_validation(np.full((9, 3), 0.1 * scale))
    with pytest.raises(ParameterError, match="between 2 and the 3 rows"):
        components_by_cross_validation(X[:3])


@pytest.mark.parametrize("standardize", [False, True])
def test_parallel_analysis_of_more_columns_than_rows(standardize):
    random = np.random.default_rng(0)
    X = random.normal(size=(20, 2)) @ random.normal(size=(2, 50)) + 0.3 * random.normal(size=(20, 50))
    assert PCA("parallel", standardize=standardize).fit(X).n_components_ == 2


def test_trimming_does_not_depend_on_units():
    X = IRIS[:, :] * [1e-8, 1.0, 1e8, 1.0]
    plain, scaled = PCA(2, trim=0.975).fit(IRIS), PCA(2, trim=0.975).fit(X)
    assert plain.n_trimmed_ == scaled.n_trimmed_ == 6
    assert_allclose(scaled.mean_, plain.mean_ * [1e-8, 1.0, 1e8, 1.0], rtol=1e-12)


@pytest.mark.parametrize("rule", ["mle", 0.9, "average", "parallel"])
def test_equal_rows_have_one_component_by_any_rule(rule):
    assert PCA(rule).fit(np.full((30, 4), 2.5)).n_components_ == 1


@pytest.mark.parametrize("scale", [1e-150, 1e-8, 1e150])
def test_rules_do_not_depend_on_units(scale):
    eigenvalues = np.array([4.228242, 0.242671, 0.078210, 0.023835])
    assert components_by_evidence(eigenvalues * scale, 150) == components_by_evidence(eigenvalues, 150)
    assert components_for_share(eigenvalues * scale, 0.95) == 2


@pytest.mark.parametrize("model", [PCA(3, svd_solver="covariance_eigh"), KarhunenLoeve(3)])
def test_columns_of_all_sizes_at_once(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6)) * [1e-150, 1, 1, 1e150, 1, 1]
    model.fit(X, np.repeat(["a", "b"], 30))
    assert np.isfinite(model.transform(X)).all()
    assert_allclose(np.abs(model.components_[0]), [0, 0, 0, 1, 0, 0], atol=1e-12)
