"""Kernels of distances: Mahalanobis', the Laplacian, chi-squared, periodic, any metric; and distances of kernels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris, load_wine

import assay
from assay.distances import metric_of
from assay.errors import DataError, ParameterError
from assay.kernels import (
    RBF,
    Chi2,
    ConstantKernel,
    DistanceKernel,
    ExpSineSquared,
    KernelDistance,
    Laplacian,
    Linear,
    LocalMahalanobisKernel,
    MahalanobisKernel,
    Polynomial,
    check_gram,
    repair_gram,
)
from assay.kernels.mahalanobis import regularised

IRIS, CLASSES = load_iris(return_X_y=True)
X = IRIS[::3]
y = CLASSES[::3]


@pytest.mark.capability("IML-13-15")
def test_a_round_covariance_makes_the_gaussian_kernel():
    for s in (0.5, 2.0):
        assert_allclose(MahalanobisKernel(s**2 * np.eye(4))(X), RBF(s)(X), rtol=1e-12)
        assert_allclose(DistanceKernel("sqeuclidean", s)(X), RBF(s)(X), rtol=1e-12)  # exp(-D / 2 s^2)
        assert_allclose(DistanceKernel("euclidean", s, "gaussian")(X), RBF(s)(X), rtol=1e-12)
    assert_allclose(MahalanobisKernel(np.eye(4), length_scale=3.0)(X), RBF(3.0)(X), rtol=1e-12)


@pytest.mark.capability("IML-13-17")
def test_covariances_of_all_rows_of_classes_and_regularised():
    S = np.cov(X.T)
    kernel = MahalanobisKernel(ridge=0.0).learn(X)
    difference = X[0] - X[70 // 3]
    expected = np.exp(-0.5 * difference @ np.linalg.solve(S, difference))
    assert_allclose(kernel(X[:1], X[23:24]).item(), expected, rtol=1e-10)
    ridge = MahalanobisKernel(ridge=0.1).learn(X)
    assert_allclose(
        ridge(X[:1], X[23:24]).item(),
        np.exp(-0.5 * difference @ np.linalg.solve(S + 0.1 * np.trace(S) / 4 * np.eye(4), difference)),
        rtol=1e-10,
    )
    few = np.random.default_rng(0).normal(size=(5, 20))  # d > N: singular but for the ridge
    wide = MahalanobisKernel().learn(few)
    assert wide.L_.shape == (20, 20)
    assert_allclose(wide.L_.T @ wide.L_ @ regularised(np.cov(few.T), 1e-3), np.eye(20), atol=1e-8)
    of_classes = MahalanobisKernel("class", 1e-3).learn(X, y)
    expected = sum(
        np.mean(y == k) * MahalanobisKernel(regularised(np.cov(X[y == k].T), 1e-3))(X) for k in range(3)
    )
    assert_allclose(of_classes(X), expected, rtol=1e-12)
    assert check_gram(of_classes(X)).psd
    with pytest.raises(DataError, match="looks at the classes"):
        MahalanobisKernel("class").learn(X)


@pytest.mark.capability("IML-13-17")
def test_local_covariances_are_symmetrised_and_checked():
    kernel = LocalMahalanobisKernel(n_neighbors=10).learn(X)
    K = kernel(X)
    assert (K == K.T).all() and (np.diag(K) == 1).all()

    def around(x):
        near = X[np.argsort(((X - x) ** 2).sum(axis=1), kind="stable")[:10]] - x
        return np.linalg.inv(regularised(near.T @ near / 10, 1e-3))

    a, b = X[3], X[40]
    expected = 0.5 * sum(np.exp(-0.5 * (a - b) @ around(c) @ (a - b)) for c in (a, b))
    assert_allclose(kernel([a], [b]).item(), expected, rtol=1e-8)
    assert not kernel.psd and check_gram(K).psd  # not in general, but here
    rng = np.random.default_rng(0)
    cross = np.vstack([rng.normal(size=(40, 2)) * [5, 0.1], rng.normal(size=(40, 2)) * [0.1, 5]])
    K = LocalMahalanobisKernel(10).learn(cross)(cross)
    report = check_gram(K)
    repaired = repair_gram(K)
    assert not report.psd and check_gram(repaired.K).psd
    assert_allclose(repaired.rows(K), repaired.K, atol=1e-12)


def test_equal_neighbours_take_the_covariance_of_all_rows():
    rows = np.vstack([np.ones((15, 2)), np.random.default_rng(0).normal(size=(15, 2))])
    K = LocalMahalanobisKernel(n_neighbors=5).learn(rows)(rows)
    assert np.isfinite(K).all() and (K[:15, :15] == 1).all()


@pytest.mark.parametrize("form", ["exponential", "gaussian", "inverse", "negative"])
@pytest.mark.parametrize(
    "metric", ["euclidean", "manhattan", "chebyshev", "cosine", "canberra", "mahalanobis", "hamming", "gower"]
)
def test_any_distance_is_a_kernel_by_its_formula(metric, form):
    rows = X if metric != "hamming" else np.round(X)
    kernel = DistanceKernel(metric, 0.7, form).learn(rows)
    D = metric_of(metric).learn(rows).between(rows, rows)
    formula = {
        "exponential": np.exp(-D / (2 * 0.7**2)),
        "gaussian": np.exp(-(D**2) / (2 * 0.7**2)),
        "inverse": 1 / (1 + D / 0.7),
        "negative": 0.7 - D,
    }
    assert_allclose(kernel(rows), formula[form], rtol=1e-12, atol=1e-14)
    if kernel.psd:
        assert check_gram(kernel(rows)).psd
    free = DistanceKernel(metric, 0.7, form, scale_bounds=(0.1, 10.0)).learn(rows)
    step = (free.with_theta(free.theta + 1e-6)(rows) - free.with_theta(free.theta - 1e-6)(rows)) / 2e-6
    assert_allclose(free.gradient(rows)[0], step, rtol=1e-6, atol=1e-8)


def test_the_scale_is_the_median_distance():
    kernel = DistanceKernel(form="gaussian").learn(X)
    D = metric_of("euclidean").between(X, X)
    assert_allclose(kernel.scale, np.median(D[D > 0]))
    halved = DistanceKernel().learn(X)
    assert_allclose(np.median(halved(X)[D > 0]), np.exp(-0.5), rtol=1e-6)
    with pytest.raises(ParameterError, match="not known before"):
        DistanceKernel()(X)
    assert DistanceKernel().learn(np.ones((5, 2))).scale == 1.0


def test_functions_and_stored_metrics(tmp_path):
    kernel = DistanceKernel(lambda a, b: abs(a - b).max(), 1.0)
    assert_allclose(kernel(X), DistanceKernel("chebyshev", 1.0)(X), rtol=1e-12)
    learned = DistanceKernel("mahalanobis").learn(X)
    assay.save(learned, tmp_path / "k.assay")
    again = assay.load(tmp_path / "k.assay")
    assert again == learned
    assert_allclose(again(X), learned(X))
    for kernel in (
        MahalanobisKernel().learn(X),
        LocalMahalanobisKernel().learn(X),
        MahalanobisKernel("class").learn(X, y),
    ):
        assay.save(kernel, tmp_path / "m.assay")
        assert_allclose(assay.load(tmp_path / "m.assay")(X), kernel(X))


@pytest.mark.parametrize("kernel", [RBF(), Linear(), Polynomial(2), Laplacian(0.5)], ids=repr)
def test_the_distance_of_a_kernel(kernel):
    K = kernel(X)
    D = np.sqrt(np.maximum(np.diag(K)[:, None] + np.diag(K) - 2 * K, 0))
    metric = KernelDistance(kernel)
    assert_allclose(metric.between(X, X), D, rtol=1e-6, atol=1e-6 * np.sqrt(K.max()))
    assert_allclose(metric.paired(X[:5], X[5:10]), D[range(5), range(5, 10)], rtol=1e-10)
    assert (np.diag(metric.between(X, X)) == 0).all()
    from assay.neighbors import KNeighborsClassifier

    model = KNeighborsClassifier(3, metric=metric).fit(X, y)
    if isinstance(kernel, (RBF, Linear)):  # both fall with Euclid's distance
        assert (model.predict(IRIS) == KNeighborsClassifier(3).fit(X, y).predict(IRIS)).all()


def test_the_laplacian_and_its_gradient():
    kernel = Laplacian(0.3, gamma_bounds=(1e-3, 1e3))
    D = metric_of("manhattan").between(X, X)
    assert_allclose(kernel(X), np.exp(-0.3 * D), rtol=1e-12)
    assert_allclose(kernel.gradient(X)[0], -0.3 * D * np.exp(-0.3 * D), rtol=1e-10, atol=1e-14)
    assert_allclose(kernel(csr_matrix(X)), kernel(X), rtol=1e-12)
    assert_allclose(Laplacian()(X), np.exp(-D / 4), rtol=1e-12)
    assert_allclose(Laplacian("scale").learn(X).gamma, 1 / (4 * X.var()))
    with pytest.raises(ParameterError, match="not known before"):
        Laplacian("scale")(X)


def by_the_book(A, B):
    total = A[:, None] + B
    parts = np.where(total > 0, (A[:, None] - B) ** 2 / np.where(total > 0, total, 1), 0)
    return parts.sum(axis=2)


def test_chi_squared():
    from sklearn.metrics.pairwise import additive_chi2_kernel, chi2_kernel

    from assay.kernels import AdditiveChi2

    rng = np.random.default_rng(0)
    A, B = rng.poisson(1.0, (30, 7)).astype(float), rng.poisson(1.0, (300, 7)).astype(float)
    assert_allclose(AdditiveChi2()(A, B), -by_the_book(A, B), rtol=1e-12)
    assert_allclose(AdditiveChi2()(A, B), additive_chi2_kernel(A, B), rtol=1e-12)
    assert_allclose(Chi2(0.4)(A, B), chi2_kernel(A, B, gamma=0.4), rtol=1e-12)
    assert check_gram(Chi2(0.4)(A)).psd and not AdditiveChi2().psd
    free = Chi2(0.4, (1e-3, 1e3))
    step = (free.with_theta(free.theta + 1e-6)(A) - free.with_theta(free.theta - 1e-6)(A)) / 2e-6
    assert_allclose(free.gradient(A)[0], step, rtol=1e-6, atol=1e-9)
    with pytest.raises(DataError, match="negative"):
        Chi2()(-A)


def test_periods():
    import sklearn.gaussian_process.kernels as peer

    t = np.linspace(0, 5, 30)[:, None]
    for rows in (t, X):
        ours, theirs = ExpSineSquared(0.8, 1.7), peer.ExpSineSquared(0.8, 1.7)
        K, gradient = theirs(rows, eval_gradient=True)
        assert_allclose(ours(rows), K, rtol=1e-11, atol=1e-13)
        assert_allclose(ours.gradient(rows), np.moveaxis(gradient, 2, 0), rtol=1e-9, atol=1e-10)
        assert_allclose(ours.theta, theirs.theta)
    assert check_gram(ExpSineSquared(0.8, 1.7)(t)).psd
    assert not check_gram(ExpSineSquared(0.8, 0.5)(np.random.default_rng(0).uniform(size=(40, 2)))).psd
    one, powers = ExpSineSquared().on([1]), ExpSineSquared() ** 2 * ExpSineSquared()
    assert one.psd and powers.psd_on(1) and not powers.psd_on(2) and not ExpSineSquared().on([0, 1]).psd
    assert not (ExpSineSquared() ** 0.5).psd_on(1)
    assert_allclose(ExpSineSquared(1.0, 2.0)(t, t + 4.0), ExpSineSquared(1.0, 2.0)(t), atol=1e-12)
    fixed = ExpSineSquared(1.0, 2.0, "fixed")
    assert_allclose(fixed.gradient(t), ExpSineSquared(1.0, 2.0).gradient(t)[1:])


@pytest.mark.parametrize(
    "make",
    [
        lambda: MahalanobisKernel("robust"),
        lambda: MahalanobisKernel(np.ones((2, 3))),
        lambda: MahalanobisKernel(-np.eye(2)),
        lambda: MahalanobisKernel(ridge=-1.0),
        lambda: LocalMahalanobisKernel(1),
        lambda: DistanceKernel("near"),
        lambda: DistanceKernel(scale=0.0),
        lambda: DistanceKernel(form="square"),
        lambda: KernelDistance("rbf"),
    ],
)
def test_bad_parameters_are_refused(make):
    with pytest.raises(ParameterError):
        make()


def test_kernels_that_need_rows_say_so():
    for kernel in (MahalanobisKernel(), LocalMahalanobisKernel()):
        with pytest.raises(DataError, match=r"learn\(X\)"):
            kernel(X)
    with pytest.raises(DataError, match="4 columns"):
        MahalanobisKernel().learn(X)(np.ones((2, 3)))
    wine = load_wine().data
    assert np.isfinite(MahalanobisKernel().learn(wine)(wine)).all()
    assert (ConstantKernel(2.0) * MahalanobisKernel()).learn(X)(X).max() == 2.0
