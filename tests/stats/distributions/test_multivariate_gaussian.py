import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from assay.errors import DegenerateError
from assay.stats import Gaussian, MultivariateGaussian, bivariate_logpdf, mahalanobis, mahalanobis_sq

# Oracle: IML 5.2, data set T5, eleven points in the plane.
T5 = np.array([[1, 2], [2, 3], [3, 3], [4, 5], [5, 7], [4, 1], [5, 3], [6, 2], [7, 3], [8, 6], [6, 3]])


def random_covariance(seed, d):
    A = np.random.default_rng(seed).normal(size=(d, d + 2))
    return A @ A.T


@pytest.mark.capability("IML-5-06")
def test_density_of_the_worked_example():
    cloud = MultivariateGaussian([1, -1], [[1.5**2, 0.6 * 3], [0.6 * 3, 4]])
    assert_allclose(np.linalg.det(cloud.cov), 5.76, rtol=1e-14)
    assert_allclose(cloud.pdf([2, 1]), 0.0400823967, atol=5e-11)


@pytest.mark.capability("IML-5-07")
@given(
    rho=st.floats(-0.99, 0.99),
    sd=st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)),
    x=st.tuples(st.floats(-5, 5), st.floats(-5, 5)),
)
@settings(max_examples=60, deadline=None)
def test_z_form_equals_matrix_form(rho, sd, x):
    s1, s2 = sd
    matrix = MultivariateGaussian([1, -1], [[s1**2, rho * s1 * s2], [rho * s1 * s2, s2**2]])
    assert_allclose(bivariate_logpdf(x, [1, -1], sd, rho), matrix.logpdf(x), rtol=1e-8, atol=1e-8)


@pytest.mark.capability("IML-5-07")
def test_z_form_of_the_worked_example():
    assert_allclose(np.exp(bivariate_logpdf([2, 1], [1, -1], [1.5, 2], 0.6)), 0.0400823967, atol=5e-11)


@pytest.mark.capability("IML-5-08")
def test_mahalanobis_distances_in_t5():
    cloud = MultivariateGaussian().fit(T5)
    assert_allclose(cloud.mahalanobis_sq([[5, 4], [1, 7]]), [0.1050516648, 11.7128300804], atol=5e-11)
    assert_allclose(cloud.mahalanobis([5, 4]) ** 2, 0.1050516648, atol=5e-11)
    assert_allclose(mahalanobis_sq([1, 7], cloud.mean, cloud.cov), 11.7128300804, atol=5e-11)
    assert_allclose(mahalanobis([3, 4], [0, 0], np.eye(2)), 5.0)


@given(seed=st.integers(0, 10**6), d=st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_mahalanobis_distance_ignores_units_and_rotations(seed, d):
    rng = np.random.default_rng(seed)
    S, x, m = random_covariance(seed, d), rng.normal(size=d), rng.normal(size=d)
    A = random_covariance(seed + 1, d)
    assert_allclose(mahalanobis_sq(A @ x, A @ m, A @ S @ A.T), mahalanobis_sq(x, m, S), rtol=1e-5)


@pytest.mark.capability("IML-5-06")
def test_projection_of_t5():
    line = MultivariateGaussian().fit(T5).project([1, -2])
    assert_allclose([line.mean, line.var], [-2.2727272727, 10.9256198347], atol=5e-11)
    direct = Gaussian().fit(T5 @ [1, -2])
    assert_allclose([line.mean, line.var], [direct.mean, direct.var], rtol=1e-12)


@pytest.mark.capability("IML-5-06")
def test_marginals_are_columns():
    X = np.random.default_rng(0).normal(size=(30, 4)) @ random_covariance(3, 4)
    cloud = MultivariateGaussian().fit(X)
    one = cloud.marginal(2)
    assert_allclose([one.mean, one.var], [X[:, 2].mean(), X[:, 2].var()], rtol=1e-12)
    pair = cloud.marginal([3, 1])
    direct = MultivariateGaussian().fit(X[:, [3, 1]])
    assert_allclose(pair.mean, direct.mean, rtol=1e-12)
    assert_allclose(pair.cov, direct.cov, rtol=1e-12)
    W = np.eye(4)[:, [3, 1]]
    assert_allclose(cloud.project(W).cov, pair.cov, rtol=1e-12)


@pytest.mark.capability("IML-5-06")
def test_independent_components_multiply():
    cloud = MultivariateGaussian([1, 2], np.diag([4.0, 9.0]))
    assert_allclose(cloud.logpdf([0, 0]), Gaussian(1, 4).logpdf(0) + Gaussian(2, 9).logpdf(0), rtol=1e-14)


@pytest.mark.capability("IML-5-06")
def test_samples_approach_the_parameters():
    # IML exercise 5.2: errors shrink like 1/sqrt(N)
    S = random_covariance(5, 3)
    cloud = MultivariateGaussian([1, 2, 3], S)
    errors = []
    for n in (400, 40_000):
        fitted = MultivariateGaussian().fit(cloud.sample(n, random_state=11))
        assert (np.abs(fitted.mean - cloud.mean) < 5 * np.sqrt(np.diag(S) / n)).all()
        errors.append(np.abs(fitted.cov - S).max())
    assert errors[1] < errors[0] / 3


@pytest.mark.parametrize("d", [1, 3, 6])
def test_same_density_as_scipy(d):
    S, rng = random_covariance(d, d), np.random.default_rng(d)
    X, m = rng.normal(size=(20, d)), rng.normal(size=d)
    assert_allclose(MultivariateGaussian(m, S).logpdf(X), multivariate_normal(m, S).logpdf(X), rtol=1e-9)


def test_units_of_very_different_size_are_not_taken_for_singular():
    cloud = MultivariateGaussian([0, 0], [[1e-14, 0], [0, 1e14]])
    assert_allclose(cloud.logpdf([0, 0]), -np.log(2 * np.pi), rtol=1e-12)


def test_singular_covariance_names_its_rank_and_the_way_out():
    X = np.random.default_rng(1).normal(size=(20, 3)) @ np.array([[1, 0, 1], [0, 1, 1], [0, 0, 0.0]])
    flat = MultivariateGaussian().fit(X)
    with pytest.raises(DegenerateError, match=r"singular \(rank 2 of 3\). Give ridge > 0"):
        flat.logpdf(X)
    with pytest.raises(ValueError, match="rank 2 of 3"):
        flat.mahalanobis_sq(X)
    assert np.isfinite(MultivariateGaussian(ridge=1e-3).fit(X).logpdf(X)).all()
    # it can still be projected and drawn from, and the draws keep the dependence
    assert_allclose(flat.project([1, 1, -1]).var, 0, atol=1e-14)
    draws = flat.sample(50, random_state=0)
    assert_allclose(draws[:, 0] + draws[:, 1] - draws[:, 2], flat.mean @ [1, 1, -1], atol=1e-6)


def test_constant_column_and_single_row_are_singular():
    X = np.array([[1.0, 2.0], [3.0, 2.0], [4.0, 2.0]])
    with pytest.raises(ValueError, match="rank 1 of 2"):
        MultivariateGaussian().fit(X).logpdf(X)
    with pytest.raises(ValueError, match="rank 0 of 2"):
        MultivariateGaussian().fit(X[:1]).logpdf(X)


def test_unbiased_divides_by_one_less():
    assert_allclose(MultivariateGaussian(unbiased=True).fit(T5).cov, np.cov(T5.T), rtol=1e-14)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MultivariateGaussian([0, 0], np.eye(3)), "2 by 2"),
        (lambda: MultivariateGaussian([0, 0], [[1, 2], [0, 1]]), "symmetric"),
        (lambda: MultivariateGaussian([0, 0], [[1, 0.5], [0.4, 1]]), "symmetric"),
        (lambda: MultivariateGaussian([0, 0], [[1, 2], [2, 1]]), "negative eigenvalue"),
        (lambda: MultivariateGaussian([0, 0], [[-1, 0], [0, 1]]), "negative variance"),
        (lambda: MultivariateGaussian([[0, 0]]), "must be a vector"),
        (lambda: MultivariateGaussian(ridge=-1), "ridge"),
        (lambda: MultivariateGaussian().logpdf([0, 0]), "no parameters yet"),
        (lambda: MultivariateGaussian([0, 0]).logpdf([1, 2, 3]), "rows of 2 values"),
        (lambda: MultivariateGaussian([0, 0]).project([1, 2, 3]), "2 rows"),
        (lambda: bivariate_logpdf([0, 0], [0, 0], [1, 1], 1.0), "rho must lie between"),
        (lambda: bivariate_logpdf([0, 0], [0, 0], [1, 0], 0.5), "above 0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
