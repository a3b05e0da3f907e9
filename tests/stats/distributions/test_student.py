import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_t
from scipy.stats import t as scipy_t

from assay.stats import MultivariateGaussian, MultivariateStudent, StudentT

SHAPE = np.array([[2.0, 0.7], [0.7, 1.0]])
X = np.array([[0.0, 0.0], [1.0, 2.0], [-4.0, 9.0]])


@pytest.mark.parametrize("dof", [0.5, 3.0, 50.0])
def test_same_density_as_scipy(dof):
    ours = MultivariateStudent([1, -1], SHAPE, dof)
    assert_allclose(ours.logpdf(X), multivariate_t([1, -1], SHAPE, df=dof).logpdf(X), rtol=1e-10)
    assert_allclose(ours.logpdf(X[1]), ours.logpdf(X)[1])


def test_many_degrees_of_freedom_make_a_gaussian():
    assert_allclose(
        MultivariateStudent([1, -1], SHAPE, 1e9).logpdf(X),
        MultivariateGaussian([1, -1], SHAPE).logpdf(X),
        rtol=1e-5,
    )


def test_draws_have_the_covariance():
    student = MultivariateStudent([1, -1], SHAPE, 10)
    draws = student.sample(40_000, random_state=2)
    assert_allclose(np.cov(draws.T), student.cov, atol=0.1)
    assert_allclose(student.var, np.diag(SHAPE) * 10 / 8)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="dof"):
        MultivariateStudent([0, 0], SHAPE, 0)
    with pytest.raises(ValueError, match="no finite covariance"):
        _ = MultivariateStudent([0, 0], SHAPE, 2).cov
    with pytest.raises(ValueError, match="rows of 2"):
        MultivariateStudent([0, 0], SHAPE, 2).logpdf([1, 2, 3])
    with pytest.raises(ValueError, match="rank 1 of 2"):
        MultivariateStudent([0, 0], np.ones((2, 2)), 2).logpdf([1, 2])


def test_one_variable_is_the_multivariate_t_of_one_column():
    points = np.array([-2.0, 0.5, 9.0])
    one, several = StudentT(1, 4, dof=5), MultivariateStudent([1], [[4]], dof=5)
    assert_allclose(one.logpdf(points), several.logpdf(points[:, None]), rtol=1e-13)
    assert_allclose(one.var, several.var[0], rtol=1e-13)
    assert_allclose(one.quantile([0.05, 0.5]), scipy_t(5, 1, 2).ppf([0.05, 0.5]), rtol=1e-10)
    draws = one.sample(40_000, random_state=0)
    assert_allclose([draws.mean(), draws.var()], [1, one.var], rtol=0.08)
    with pytest.raises(ValueError, match="shape and dof above 0"):
        StudentT(0, 0)
    with pytest.raises(ValueError, match="no finite variance with 2 degrees"):
        _ = StudentT(dof=2).var
