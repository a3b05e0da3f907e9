"""scikit-learn's kernel objects as ours, and ours in scikit-learn's Gaussian processes and searches."""

import numpy as np
import pytest
import sklearn.gaussian_process.kernels as peer
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor

from assay.errors import ParameterError
from assay.kernels import RBF, ConstantKernel, Linear, Matern, Sum, WhiteKernel, kernel_of
from assay.kernels.scikit_learn import KernelForScikitLearn, ScikitLearnKernel, from_scikit_learn
from assay.svm import SVC

IRIS = load_iris().data[::6]


class Overlap(peer.Kernel):
    """A user's kernel by scikit-learn's protocol: theirs knows no gradient for two tables."""

    def __init__(self, power=2.0, power_bounds=(0.1, 10.0)):
        self.power = power
        self.power_bounds = power_bounds

    @property
    def hyperparameter_power(self):
        return peer.Hyperparameter("power", "numeric", self.power_bounds)

    def __call__(self, X, Y=None, eval_gradient=False):
        base = 1 / (1 + np.abs(np.asarray(X)[:, None] - np.asarray(X if Y is None else Y)).sum(axis=2))
        K = base**self.power
        return (K, (K * np.log(base) * self.power)[:, :, None]) if eval_gradient else K

    def diag(self, X):
        return np.ones(len(X))

    def is_stationary(self):
        return True


@pytest.mark.parametrize(
    "theirs",
    [
        peer.RBF(2.0),
        peer.RBF([1.0, 2.0, 3.0, 4.0], "fixed"),
        peer.Matern(1.5, nu=2.5) * peer.ConstantKernel(3.0),
        (peer.RationalQuadratic(1.0, 0.5) + peer.WhiteKernel(0.2)) ** 2,
        peer.ExpSineSquared(1.2, 3.4, periodicity_bounds=(1.0, 5.0)) + peer.DotProduct(0.3),
    ],
    ids=repr,
)
def test_kernels_that_we_have_become_ours(theirs):
    ours = kernel_of(theirs)
    assert not any(isinstance(part, ScikitLearnKernel) for part in [ours, *ours._parts().values()])
    assert_allclose(ours(IRIS), theirs(IRIS), rtol=1e-12, atol=1e-13)
    assert_allclose(ours.theta, theirs.theta)
    assert_allclose(ours.bounds, theirs.bounds.reshape(-1, 2))


@pytest.mark.parametrize(
    "theirs",
    [Overlap(), peer.PairwiseKernel(gamma=0.3, metric="laplacian"), peer.PairwiseKernel(metric="cosine")],
    ids=repr,
)
def test_other_kernels_are_called_as_they_are(theirs):
    ours = kernel_of(theirs)
    assert isinstance(ours, ScikitLearnKernel) and repr(ours) == repr(theirs)
    K, gradient = theirs(IRIS, eval_gradient=True)
    assert_allclose(ours(IRIS), K)
    assert_allclose(ours(IRIS[:3], IRIS), theirs(IRIS[:3], IRIS))
    assert_allclose(ours.diagonal(IRIS), theirs.diag(IRIS))
    assert_allclose(ours.gradient(IRIS), np.moveaxis(gradient, 2, 0))
    assert_allclose(ours.parameter_sums(IRIS, K), np.einsum("ij,ijp->p", K, gradient), rtol=1e-10)
    assert ours == clone(ours) and hash(ours) == hash(clone(ours))
    moved = ours.with_theta(ours.theta + 0.1)
    assert_allclose(moved.theta, ours.theta + 0.1)
    assert moved != ours
    with pytest.raises(ParameterError, match="theta must have"):
        ours.with_theta([1.0, 2.0, 3.0])


def test_wrapped_kernels_join_the_algebra():
    theirs = Overlap(1.5)
    mixed = 2.0 * kernel_of(theirs) + RBF(0.7)
    pure = peer.ConstantKernel(2.0) * theirs + peer.RBF(0.7)
    K, gradient = pure(IRIS, eval_gradient=True)
    assert_allclose(mixed(IRIS), K, rtol=1e-12)
    assert_allclose(mixed.gradient(IRIS), np.moveaxis(gradient, 2, 0), rtol=1e-10, atol=1e-13)
    assert isinstance(kernel_of(pure), Sum)
    assert_allclose(kernel_of(pure).gradient(IRIS), mixed.gradient(IRIS), rtol=1e-12)
    with pytest.raises(ParameterError, match="kernel object of scikit-learn"):
        ScikitLearnKernel(RBF())


def test_our_kernels_in_a_gaussian_process_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 5, (40, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=40)
    ours = 1.0 * RBF([1.0, 1.0]) + WhiteKernel(0.1)
    theirs = 1.0 * peer.RBF([1.0, 1.0]) + peer.WhiteKernel(0.1)
    first = GaussianProcessRegressor(KernelForScikitLearn(ours)).fit(X, y)
    second = GaussianProcessRegressor(theirs).fit(X, y)
    assert_allclose(first.log_marginal_likelihood_value_, second.log_marginal_likelihood_value_, rtol=1e-6)
    assert_allclose(first.predict(X), second.predict(X), atol=1e-3)
    assert_allclose(first.kernel_.theta, second.kernel_.theta, atol=1e-2)
    assert isinstance(from_scikit_learn(first.kernel_), Sum)
    labels = (y > 0).astype(int)
    classifier = GaussianProcessClassifier(KernelForScikitLearn(ConstantKernel() * Matern(1.0))).fit(
        X, labels
    )
    assert classifier.score(X, labels) > 0.9
    assert KernelForScikitLearn(RBF()) == KernelForScikitLearn(RBF()) != KernelForScikitLearn(RBF(2.0))
    assert KernelForScikitLearn(Linear()).is_stationary() is False


def test_parameters_of_a_kernel_in_a_search():
    from sklearn.model_selection import GridSearchCV

    from assay.svm import SVR

    X, y = IRIS[:, :3], IRIS[:, 3]
    search = GridSearchCV(
        SVR(kernel=RBF(1.0) + Linear()), {"kernel__k1__length_scale": [0.1, 1.0, 10.0]}, cv=3
    ).fit(X, y)
    kernels = {p["kernel__k1__length_scale"] for p in search.cv_results_["params"]}
    assert kernels == {0.1, 1.0, 10.0}
    assert search.best_estimator_.kernel.k1.length_scale == search.best_params_["kernel__k1__length_scale"]
    assert len(set(np.round(search.cv_results_["mean_test_score"], 6))) == 3
    assert search.estimator.kernel.k1.length_scale == 1.0  # the search changed clones alone


def test_an_object_of_several_kernels_is_no_kernel():
    several = peer.CompoundKernel([peer.RBF(1.0), peer.RBF(2.0)])
    with pytest.raises(
        ParameterError, match=r"CompoundKernel: a kernel gives one value for a pair.*\(6, 6, 2\)"
    ):
        SVC(kernel=several).fit(np.arange(12.0).reshape(6, 2), [0, 1] * 3)
