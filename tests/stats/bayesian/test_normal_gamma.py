import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ttest_1samp

from assay.stats import NormalGamma, NormalInverseWishart

X = np.array([4.0, 5, 6, 7, 8])


# Oracle: data 4..8, a guess 2 of the variance worth 4 numbers; worked by hand.
@pytest.mark.capability("IML-16-06")
def test_known_mean():
    posterior = NormalGamma.from_variance(2, worth=4, mean=6, kappa=np.inf).update(X)
    assert (posterior.a, posterior.b, posterior.mean) == (4.5, 9.0, 6.0)
    assert posterior.precision.mean == 0.5 and posterior.interval() == (6.0, 6.0) and posterior.var == 0
    assert_allclose(posterior.density("map").var, 9 / 3.5)
    assert repr(NormalGamma.known_mean(6, 2, 4).update(X)) == repr(posterior)


@pytest.mark.capability("IML-16-06")
def test_both_unknown():
    prior = NormalGamma.from_variance(2, worth=4, mean=4, kappa=1)
    posterior = prior.update(X)
    assert (posterior.kappa, posterior.a) == (6, 4.5)
    assert_allclose([posterior.mean, posterior.b], [17 / 3, 32 / 3], rtol=1e-14)
    predictive = posterior.density()
    assert predictive.dof == 9
    assert_allclose([predictive.shape, predictive.var], [2.76543210, 3.55555556], rtol=1e-8)
    assert_allclose(predictive.pdf(7), 0.16526207, rtol=1e-7)
    assert_allclose(posterior.marginal_mean.shape, 0.39506173, rtol=1e-7)
    assert_allclose(posterior.interval(), [4.24481185, 7.08852148], rtol=1e-8)
    assert_allclose(prior.log_evidence(X), -10.91630337, rtol=1e-9)


def test_the_density_integrates_to_one_and_the_predictive_is_its_double_integral():
    belief = NormalGamma(1, 2, 3, 2)

    mean, precision = np.meshgrid(np.linspace(-19, 21, 801), np.linspace(1e-3, 16, 801))
    joint = np.exp(belief.logpdf(mean, precision))
    value = joint * np.sqrt(precision / (2 * np.pi)) * np.exp(-0.5 * precision * (2.0 - mean) ** 2)
    integrals = [np.trapezoid(np.trapezoid(f, mean[0]), precision[:, 0]) for f in (joint, value)]
    assert_allclose(integrals, [1, float(belief.density().pdf(2.0))], rtol=1e-4)


def test_jeffreys_prior_gives_the_classical_interval_and_flat_maximum_likelihood():
    posterior = NormalGamma.jeffreys().update(X)
    assert_allclose(posterior.interval(), ttest_1samp(X, 0).confidence_interval(), rtol=1e-12)
    chi = NormalGamma.jeffreys(mean=6).update(X).precision_interval()
    assert_allclose(chi, np.array([0.8312116, 12.8325020]) / 10, rtol=1e-6)
    assert_allclose(NormalGamma.flat().update(X).density("map").var, X.var(), rtol=1e-14)
    assert_allclose(NormalGamma.flat(mean=5).update(X).density("map").var, np.mean((X - 5) ** 2), rtol=1e-14)


def test_the_same_model_as_normal_inverse_wishart_of_one_column():
    scalar, matrix = NormalGamma(1, 2, 3, 4), NormalInverseWishart([1], [[8.0]], kappa=2, nu=6)
    assert_allclose(scalar.log_evidence(X), matrix.log_evidence(X[:, None]), rtol=1e-12)
    points = np.array([0.0, 2.5])
    assert_allclose(
        scalar.update(X).density().logpdf(points), matrix.update(X[:, None]).density().logpdf(points[:, None])
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: NormalGamma(np.inf), "mean must be finite, got inf"),
        (lambda: NormalGamma(kappa=-1), "kappa must not be negative, got -1"),
        (lambda: NormalGamma(a=-1), "at least -1/2 and b not negative, got -1 and 1"),
        (lambda: NormalGamma(b=-1), "b not negative"),
        (lambda: NormalGamma.flat().map, "no mode above 0"),
        (lambda: NormalGamma.known_mean(2).marginal_mean, "the mean is known, 2"),
        (lambda: NormalGamma().update([]), "non-empty"),
        (lambda: NormalGamma().update([1e200, -1e200]), "whose square no float holds"),
        (lambda: NormalInverseWishart([0], [[1]]).update([[1e200], [-1e200]]), "whose square no float holds"),
        (lambda: NormalGamma.from_variance("x", 2), "var must be a number, got 'x'"),
        (lambda: NormalGamma.from_variance(2, 0), "var and worth must be above 0, got 2 and 0"),
        (lambda: NormalGamma().update([1.0, np.nan]), "nan"),
        (lambda: NormalGamma(a=0.9).var, "no finite variance"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
