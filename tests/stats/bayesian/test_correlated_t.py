"""The Bayesian correlated t test: baycomp's numbers, the corrected t test, differences without spread."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.calibration import assert_covers

from assay.errors import DataError, ParameterError
from assay.stats.bayesian.correlated_t import correlated_t
from assay.stats.significance.paired_t import paired_t
from assay.stats.significance.summary import Summary

FOLDS = np.array([0.03, 0.00, 0.03, 0.01, 0.01, 0.01, 0.04, 0.02, 0.01, 0.04])


@pytest.mark.parametrize(
    ("rope", "probabilities"),
    [(0.01, (0.0006299407626468251, 0.0784677695067425, 0.9209022897306107)),
     (0.02, (8.376498596390672e-05, 0.4999162350140359, 0.5000000000000002)),
     (0.0, (0.0065919349092521395, 0.0, 0.9934080650907479))],
)  # fmt: skip
def test_same_as_baycomp(rope, probabilities):
    """Numbers of baycomp 1.0.3, two_on_single(zeros, FOLDS, rope); its correlation is that of 10-fold."""
    result = correlated_t(FOLDS, ratio=1 / 9, rope=rope)
    assert_allclose((result.left, result.within, result.right), probabilities, atol=2e-9)


def test_without_a_region_it_is_the_one_sided_p():
    result = correlated_t(FOLDS, ratio=1 / 9, rope=0)
    assert_allclose(result.left, paired_t(FOLDS, 1 / 9, alternative="greater").p)
    test = paired_t(FOLDS, 1 / 9, alpha=0.1)
    assert_allclose(result.interval(0.9), (test.low, test.high))


def test_density_is_a_density_and_fits_the_probabilities():
    from scipy.integrate import quad
    from scipy.stats import t

    result = correlated_t(FOLDS, ratio=0.5, rope=0.01)
    x = np.linspace(-0.1, 0.1, 7)
    assert_allclose(result.density(x), t.pdf(x, 9, result.mean, result.scale), rtol=1e-10)
    assert_allclose(quad(result.density, -0.01, 0.01)[0], result.within, atol=1e-9)


@pytest.mark.parametrize("J", [5, 30])
def test_intervals_of_correlated_splits_hold_the_truth(J):
    """The correlation of the splits is the one that the ratio says."""
    ratio = 1 / 4
    rho = ratio / (1 + ratio)

    def simulate(rng):
        truth = rng.normal()
        d = truth + np.sqrt(rho) * rng.normal() + np.sqrt(1 - rho) * rng.normal(size=J)
        return truth, correlated_t(d, ratio=ratio).interval(0.95)

    assert_covers(simulate)


def test_turning_the_learners_turns_the_sides():
    there, back = correlated_t(FOLDS, rope=0.015), correlated_t(-FOLDS, rope=0.015)
    assert_allclose((there.left, there.within, there.right), (back.right, back.within, back.left), rtol=1e-12)
    brief = correlated_t(Summary.of(FOLDS), rope=0.015)
    assert_allclose((there.left, there.right), (brief.left, brief.right), rtol=1e-12)


def test_decisions():
    assert correlated_t(FOLDS, ratio=1 / 9, rope=0.05).decision() == "equal"
    assert correlated_t(FOLDS, ratio=1 / 9, rope=0.01).decision() == "undecided"
    assert correlated_t(FOLDS, ratio=1 / 9, rope=0.01).decision(0.9) == "right"
    assert correlated_t(-FOLDS, ratio=1 / 9, rope=0.0).decision() == "left"


@pytest.mark.parametrize(
    ("value", "rope", "expected"),
    [(0.0, 0.01, (0, 1, 0)), (0.0, 0.0, (0.5, 0, 0.5)), (0.1, 0.01, (0, 0, 1)),
     (-0.1, 0.2, (0, 1, 0)), (-0.1, 0, (1, 0, 0))],
)  # fmt: skip
def test_no_spread_is_a_point_and_says_so(value, rope, expected):
    result = correlated_t(np.full(10, value), rope=rope)
    assert (result.left, result.within, result.right) == expected and "same on every split" in result.why
    with pytest.raises(ParameterError, match="do not vary"):
        result.density(0.0)
    assert result.interval() == (value, value)


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: correlated_t([0.1]), "2 splits"), (lambda: correlated_t(FOLDS, rope=-1), "rope"),
     (lambda: correlated_t(FOLDS, ratio=np.nan), "ratio"), (lambda: correlated_t([0.1, np.nan]), "row 2 "),
     (lambda: correlated_t(FOLDS, rope="wide"), "rope"), (lambda: correlated_t(FOLDS).interval(2), "share")],
)  # fmt: skip
def test_wrong_input_is_named(call, words):
    with pytest.raises((DataError, ParameterError), match=words):
        call()
