"""Maps of a target: they rise, come back, know their derivative and their mean."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from assay.errors import DataError
from assay.prepare.power_transforms import BoxCox
from assay.prepare.target_transforms import Identity, Log, Log1p, NormalScores, SquareRoot

Y = np.linspace(0.3, 8, 40)
SCORES = NormalScores.fitted(np.array([0.1, 0.5, 2.0, 2.0, 3.0, 7.0]), None, "Test")
MAPS = [Identity(), Log(), Log1p(), SquareRoot(), SCORES]


@pytest.mark.parametrize("own", MAPS, ids=lambda own: own.name)
def test_it_rises_comes_back_and_knows_its_derivative(own):
    y = Y + 0.001  # beside the knots
    z = own.transform(y)
    assert (np.diff(z) > 0).all()
    assert_allclose(own.inverse_transform(z), y, rtol=1e-12)
    h = 1e-7
    assert_allclose(
        own.log_derivative(y), np.log((own.transform(y + h) - own.transform(y - h)) / (2 * h)), atol=1e-5
    )


def test_normal_scores_are_normal_quantiles_of_mid_ranks():
    """Six targets, two of them equal: shares 1/12, 3/12, 6/12, 9/12, 11/12."""
    assert_allclose(
        SCORES.transform(np.array([0.1, 0.5, 2.0, 3.0, 7.0])),
        norm.ppf([1 / 12, 3 / 12, 0.5, 9 / 12, 11 / 12]),
    )


def test_normal_scores_count_weights_and_leave_out_rows_of_weight_zero():
    y, w = np.array([1.0, 2.0, 3.0, 9.0]), np.array([1.0, 2.0, 1.0, 0.0])
    again = NormalScores.fitted(np.array([1.0, 2.0, 2.0, 3.0]), None, "Test")
    ours = NormalScores.fitted(y, w, "Test")
    assert_array_equal(ours.values, again.values)
    assert_allclose(ours.scores, again.scores)


def test_normal_scores_of_many_rows_keep_a_bounded_table():
    y = np.random.default_rng(0).lognormal(0, 2, 30_000)
    own = NormalScores.fitted(y, None, "Test")
    assert len(own.values) <= 2000
    assert_allclose(own.inverse_transform(own.transform(y)), y, rtol=1e-9)
    assert abs(own.transform(y).std() - 1) < 0.01


@pytest.mark.parametrize(
    "own", [*MAPS, BoxCox(0.4, 1.0, 100.0), BoxCox(-0.4, 1.0, 100.0)], ids=lambda own: own.name
)
def test_no_number_of_the_new_scale_gives_nan_or_infinity(own):
    z = np.array([-1e300, -800.0, 0.0, 800.0, 1e300])
    assert np.isfinite(own.inverse_transform(z)).all()


@pytest.mark.parametrize(
    "own", [Log(), Log1p(), SquareRoot(), SCORES, BoxCox(0.3, 1.0, 100.0)], ids=lambda own: own.name
)
def test_expectations_are_means_over_residuals(own):
    z, e = np.array([0.5, 1.0, 1.3]), np.array([-0.4, -0.1, 0.5])
    shares = np.array([0.2, 0.5, 0.3])
    by_hand = [sum(p * own.inverse_transform(np.array(v + r)) for p, r in zip(shares, e)) for v in z]
    assert_allclose(own.expected(z, e, shares), by_hand, rtol=1e-12)


def test_the_normal_mean_of_a_logarithm_is_lognormal_and_quadrature_agrees():
    z = np.array([0.0, 1.0])
    assert_allclose(Log().expected_normal(z, 0.7), np.exp(z + 0.7**2 / 2))
    assert_allclose(BoxCox(1e-9, 1.0, 100.0).expected_normal(z, 0.7), np.exp(z + 0.7**2 / 2), rtol=1e-6)
    assert_allclose(SquareRoot().expected_normal(np.array([10.0]), 0.5), 100.25)  # mean^2 + variance


@pytest.mark.parametrize("own, low", [(Log(), -2.0), (Log1p(), -1.0), (SquareRoot(), -0.1)], ids=str)
def test_a_target_outside_of_the_domain_names_row_and_remedies(own, low):
    with pytest.raises(
        DataError, match=f'transformer="{own.name}" needs targets .*, row 2 of y is {low:g}.*yeo-johnson'
    ):
        type(own).fitted(np.array([1.0, low]), None, "Test")
