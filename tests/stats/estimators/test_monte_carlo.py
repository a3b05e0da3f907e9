import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.stats import Gaussian, MultivariateGaussian, mean_vector, study_estimator


@pytest.mark.capability("IML-4-05")
@pytest.mark.parametrize("n", [5, 20, 80])
def test_variance_with_divisor_n_is_biased(n):
    # IML 4.3: E[s2] = (N-1)/N sigma2, 0.8 for N = 5
    study = study_estimator(
        lambda x: Gaussian().fit(x).var, Gaussian(3, 1), 1.0, n, repetitions=6000, random_state=n
    )
    assert abs(study.mean - (n - 1) / n) < 4 * study.standard_error
    if n == 5:
        assert not study.looks_unbiased()


@pytest.mark.capability("IML-4-05")
def test_unbiased_variance_and_mean():
    unbiased = study_estimator(
        lambda x: Gaussian(unbiased=True).fit(x).var, Gaussian(3, 1), 1.0, 5, repetitions=6000, random_state=1
    )
    assert unbiased.looks_unbiased()
    for n in (4, 16, 64):  # Var(m) = sigma2/N: consistent
        mean = study_estimator(np.mean, Gaussian(3, 2), 3.0, n, repetitions=3000, random_state=n)
        assert mean.looks_unbiased()
        assert_allclose(mean.variance, 2 / n, rtol=4 * np.sqrt(2 / 3000))


@pytest.mark.capability("IML-4-05")
def test_first_instance_and_minimum_as_estimators():
    # IML exercise 4.9: the first instance is unbiased with N times the variance of the mean; the minimum is biased
    n, source = 20, Gaussian(0, 1)
    first = study_estimator(lambda x: x[0], source, 0.0, n, repetitions=3000, random_state=2)
    lowest = study_estimator(np.min, source, 0.0, n, repetitions=3000, random_state=2)
    assert first.looks_unbiased() and not lowest.looks_unbiased()
    assert_allclose(first.variance, 1, rtol=4 * np.sqrt(2 / 3000))
    assert lowest.bias < -1.5 and lowest.variance < first.variance


def test_mse_is_variance_plus_squared_bias():
    study = study_estimator(np.max, Gaussian(), 0.5, 7, repetitions=50, random_state=0)
    assert_allclose(study.mse, study.variance + study.bias**2, rtol=1e-12)


def test_vectors_and_functions_as_source():
    cloud = MultivariateGaussian([1, 2], np.eye(2))
    study = study_estimator(mean_vector, cloud, [1, 2], 10, repetitions=400, random_state=0)
    assert study.bias.shape == (2,) and study.looks_unbiased(0.999)
    uniform = study_estimator(np.mean, lambda n, rng: rng.random(n), 0.5, 10, repetitions=400, random_state=0)
    assert uniform.looks_unbiased(0.999)


def test_a_seed_repeats_the_study():
    runs = [
        study_estimator(np.mean, Gaussian(), 0, 5, repetitions=10, random_state=4).estimates for _ in range(2)
    ]
    assert_array_equal(*runs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"truth": [0, 0]}, "expected the same"),
        ({"n": 0}, "n >= 1"),
        ({"repetitions": 1}, "repetitions >= 2"),
        ({"estimator": lambda x: np.nan}, "not finite"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {
        "estimator": np.mean,
        "source": Gaussian(),
        "truth": 0,
        "n": 3,
        "repetitions": 5,
        "random_state": 0,
    }
    with pytest.raises(ValueError, match=message):
        study_estimator(**arguments | change)
