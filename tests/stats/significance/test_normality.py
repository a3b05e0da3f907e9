import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import anderson, jarque_bera, shapiro
from sklearn.datasets import load_iris

from assay.stats import check_normality, henze_zirkler, mardia

RNG = np.random.default_rng(20)
NORMAL, EXPONENTIAL = RNG.normal(10, 3, 300), RNG.exponential(size=300)
SETOSA = load_iris().data[:50]


@pytest.mark.capability("IML-4-11")
def test_normal_sample_is_not_rejected_and_exponential_is():
    assert not check_normality(NORMAL).rejected()
    skewed = check_normality(EXPONENTIAL)
    assert skewed.rejected()
    assert all(test.p < 1e-6 for test in skewed.tests)
    assert skewed.skewness > 1


@pytest.mark.capability("IML-4-11")
def test_statistics_agree_with_scipy():
    """Peers: scipy.stats shapiro, jarque_bera, anderson (statistic)."""
    for x in (NORMAL, EXPONENTIAL):
        check = check_normality(x)
        by_name = {test.test: test for test in check.tests}
        W, p = shapiro(x)
        assert_allclose([by_name["Shapiro-Wilk"].statistic, by_name["Shapiro-Wilk"].p], [W, p], rtol=1e-12)
        JB, p = jarque_bera(x)
        assert_allclose([by_name["Jarque-Bera"].statistic, by_name["Jarque-Bera"].p], [JB, p], rtol=1e-9)
        assert_allclose(
            by_name["Anderson-Darling"].statistic, anderson(x, method="interpolate").statistic, rtol=1e-9
        )


@pytest.mark.capability("IML-4-11")
def test_p_values_are_honest():
    """Under normality a test rejects with about the probability that it claims."""
    rng, repetitions = np.random.default_rng(1), 1500
    p_values = {"Shapiro-Wilk": [], "Anderson-Darling": []}
    for _ in range(repetitions):
        for test in check_normality(rng.normal(size=40)).tests:
            p_values.get(test.test, []).append(test.p)
    for p in p_values.values():
        assert min(p) >= 0 and max(p) <= 1
        for alpha in (0.01, 0.05, 0.2, 0.5, 0.75, 0.9):
            error = np.sqrt(alpha * (1 - alpha) / repetitions)
            assert abs(np.mean(np.array(p) <= alpha) - alpha) < 4 * error


@pytest.mark.capability("IML-4-11")
def test_histogram_holds_every_value():
    check = check_normality(NORMAL, bins=12)
    assert check.counts.sum() == 300 and len(check.edges) == 13
    assert check.edges[0] == NORMAL.min() and check.edges[-1] == NORMAL.max()
    text = str(check).splitlines()
    assert len(text) == 1 + 12 + 3
    assert text[0].startswith("n 300, mean ")
    assert max(line.count("#") for line in text) == 40  # the fullest bin


def test_shapiro_is_left_out_where_its_p_value_is_unreliable():
    names = [test.test for test in check_normality(np.random.default_rng(0).normal(size=5001)).tests]
    assert names == ["Jarque-Bera", "Anderson-Darling"]


def test_eight_values_are_enough():
    assert check_normality(np.arange(8)).n == 8


def test_far_from_normal_has_p_value_zero_not_more():
    two_points = np.repeat([0.0, 1.0], 1000) + np.arange(2000) * 1e-9
    assert {t.test: t.p for t in check_normality(two_points).tests}["Anderson-Darling"] == 0


def test_mardia_and_henze_zirkler_on_setosa():
    # Recalled from the R package MVN on the same 50 rows, and equal to the definitions below.
    skewness, kurtosis = mardia(SETOSA)
    assert_allclose([skewness.statistic, skewness.p], [25.66434, 0.1771859], atol=5e-6)
    assert_allclose([kurtosis.statistic, kurtosis.p], [1.294992, 0.1953229], atol=5e-7)
    test = henze_zirkler(SETOSA)
    assert_allclose([test.statistic, test.p], [0.9488453, 0.04995356], atol=5e-7)


def test_mardia_by_its_definition():
    X = np.random.default_rng(4).gamma(2.0, size=(30, 3))
    R = X - X.mean(axis=0)
    G = R @ np.linalg.inv(np.cov(X.T, bias=True)) @ R.T
    skewness, kurtosis = mardia(X)
    assert_allclose(skewness.statistic, 30 * np.mean(G**3) / 6, rtol=1e-10)
    assert_allclose(kurtosis.statistic, (np.mean(np.diag(G) ** 2) - 15) / np.sqrt(8 * 15 / 30), rtol=1e-10)


def test_multivariate_tests_do_not_depend_on_units():
    X = np.random.default_rng(4).gamma(2.0, size=(40, 3))
    A = np.array([[1000.0, 0, 0], [3, 0.001, 0], [1, 2, 1]])
    for test in (lambda X: mardia(X)[0], lambda X: mardia(X)[1], henze_zirkler):
        assert_allclose(test(X @ A + 5).statistic, test(X).statistic, rtol=1e-6)


def test_multivariate_tests_tell_normal_from_not():
    rng = np.random.default_rng(8)
    normal, heavy = rng.normal(size=(200, 3)), rng.standard_t(3, size=(200, 3))
    assert min(t.p for t in (*mardia(normal), henze_zirkler(normal))) > 0.05
    assert max(t.p for t in (mardia(heavy)[1], henze_zirkler(heavy))) < 1e-3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: check_normality(np.arange(7)), "at least 8 values"),
        (lambda: check_normality([1.0] * 20), "not all equal"),
        (lambda: mardia(np.eye(3)), "too few"),
        (lambda: henze_zirkler(np.column_stack([NORMAL, NORMAL])), "rank 1 of 2"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
