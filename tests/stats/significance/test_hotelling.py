"""Hotelling's T squared: worked numbers, the t test, invariance, size, covariances without inverse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.stats.significance.hotelling import hotelling
from assay.stats.significance.t_test import t_test

# Oracle: IML 19.14.1.
PAIRED = np.array([(.03, .01), (.02, -.01), (.04, .02), (.01, 0), (.03, -.02), (.02, .01), (.05, 0), (0, .01),
                   (.03, -.01), (.02, .02)])  # fmt: skip
G1 = np.array([(0.80, 0.10), (0.82, 0.12), (0.79, 0.15), (0.85, 0.11), (0.81, 0.13)])
G2 = np.array([(0.84, 0.14), (0.86, 0.17), (0.83, 0.16), (0.88, 0.15), (0.85, 0.19)])


@pytest.mark.capability("IML-19-19")
def test_paired_worked_example():
    result = hotelling(PAIRED)
    assert_allclose(result.mean, [0.025, 0.003], atol=1e-12)
    assert_allclose([result.statistic, result.f, result.p], [31.82882273, 14.14614344, 0.00236104], atol=5e-9)
    assert result.df == (2, 8) and result.rejected
    alone = [(r.statistic, r.p) for r in result.univariate]
    assert_allclose(alone, [(5.51410967, 0.00037331), (0.70929937, 0.49610156)], atol=5e-9)


@pytest.mark.capability("IML-19-19")
def test_two_sample_worked_example():
    result = hotelling(G1, G2)
    assert_allclose([result.statistic, result.f, result.p], [25.51054818, 11.16086483, 0.00664783], atol=5e-9)
    assert_allclose(1 / (1 + result.statistic / 8), 0.23873080, atol=5e-9)  # Wilks' lambda of 19.14.2


@pytest.mark.capability("IML-19-19")
def test_one_criterion_is_the_square_of_t():
    one = hotelling(PAIRED[:, :1])
    assert_allclose([one.statistic, one.p], [t_test(PAIRED[:, 0]).statistic ** 2, t_test(PAIRED[:, 0]).p])
    two, t = hotelling(G1[:, :1], G2[:, :1]), t_test(G1[:, 0], G2[:, 0], equal_variances=True)
    assert_allclose([two.statistic, two.p], [t.statistic**2, t.p])


def test_pairs_are_their_differences_and_a_hypothesis_shifts_them():
    plain, pairs = hotelling(G1 - G2), hotelling(G1, G2, paired=True)
    assert_allclose([plain.statistic, plain.p], [pairs.statistic, pairs.p])
    shifted = hotelling(PAIRED, mean=[0.025, 0.003])
    assert_allclose([shifted.statistic, shifted.p], [0, 1], atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_no_linear_change_of_the_criteria_matters(seed):
    rng = np.random.default_rng(seed)
    d, A = rng.normal(0.3, 1, (12, 3)), rng.normal(size=(3, 3)) + 2 * np.eye(3)
    if np.linalg.cond(A) < 1e3:
        assert_allclose(hotelling(d @ A * 1e-6).statistic, hotelling(d).statistic, rtol=1e-6)


def test_the_direction_tells_the_two_apart_best():
    """No weighting of the criteria gives a larger t than T."""
    result = hotelling(PAIRED)
    best = t_test(PAIRED @ result.direction).statistic ** 2
    assert_allclose(best, result.statistic, rtol=1e-9)
    for angle in np.linspace(0, np.pi, 50):
        assert t_test(PAIRED @ [np.cos(angle), np.sin(angle)]).statistic ** 2 <= best + 1e-9


def test_size_by_simulation():
    rng, worlds = np.random.default_rng(0), 2000
    mix = np.array([[1.0, 0.8], [0.0, 0.3]])
    paired = np.mean([hotelling(rng.normal(size=(6, 2)) @ mix).rejected for _ in range(worlds)])
    two = np.mean(
        [
            hotelling(rng.normal(size=(5, 2)) @ mix, rng.normal(size=(7, 2)) @ mix).rejected
            for _ in range(worlds)
        ]
    )
    assert max(abs(paired - 0.05), abs(two - 0.05)) < 4 * np.sqrt(0.05 * 0.95 / worlds)  # 0.0195


def test_a_covariance_without_inverse_is_refused_or_padded():
    dependent = np.column_stack([PAIRED[:, 0], 2 * PAIRED[:, 0]])
    with pytest.raises(DataError, match="rank 1 of 2"):
        hotelling(dependent)
    constant = np.column_stack([PAIRED[:, 0], np.full(10, 0.1)])
    with pytest.raises(DataError, match="criterion 1 does not vary"):
        hotelling(constant)
    padded = hotelling(dependent, ridge=0.01)
    assert 0 < padded.p < 0.05 and "rough" in padded.why


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: hotelling(PAIRED[:2]), "more than 2 rows"), (lambda: hotelling(PAIRED[:, 0]), "shape"),
     (lambda: hotelling(G1, G2[:4], paired=True), "same shape"), (lambda: hotelling(G1, G2[:, :1]), "same criteria"),
     (lambda: hotelling(PAIRED, mean=[0.0]), "2 finite numbers"), (lambda: hotelling(PAIRED * np.nan), "is nan"),
     (lambda: hotelling(PAIRED, ridge=-1), "ridge"), (lambda: hotelling(PAIRED, paired=True), "two tables")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()


def test_same_as_pingouin():
    """Numbers of pingouin 0.7.0, multivariate_ttest on these draws."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(0.3, 1, (9, 3)), rng.normal(0, 1, (12, 3))
    two, one = hotelling(A, B), hotelling(A)
    assert_allclose([two.statistic, two.f, two.p], [3.466971, 1.034009, 0.40255], rtol=1e-6, atol=5e-7)
    assert_allclose([one.statistic, one.f, one.p], [1.995849, 0.498962, 0.696519], atol=5e-7)
    assert two.df == (3, 17) and one.df == (3, 6)


def test_units_of_criteria_may_differ_by_any_factor():
    d = np.random.default_rng(0).normal(size=(9, 2))
    assert_allclose(hotelling(d * [1e-140, 1e140]).p, hotelling(d).p, rtol=1e-9)
    with pytest.raises(DataError, match="criterion 0 does not vary"):
        hotelling(np.column_stack([np.full(9, 0.1), d[:, 1]]))
    with pytest.raises(DataError, match="hotelling: mean"):
        hotelling(d, mean="a")
