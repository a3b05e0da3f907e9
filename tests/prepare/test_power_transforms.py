"""Power transformations: the exponent of greatest likelihood, at any size of the numbers, and back."""

import numpy as np
import pytest
import scipy.stats
from numpy.testing import assert_allclose
from sklearn.preprocessing import PowerTransformer

from assay.errors import DataError, DegenerateWarning
from assay.prepare.power_transforms import BoxCox, YeoJohnson, box_cox_lambda, yeo_johnson_lambda

DRAW = np.random.default_rng(0)
POSITIVE = {
    "lognormal": DRAW.lognormal(0, 1, 500),
    "gamma": DRAW.gamma(3, 2, 400),
    "weibull": 10 * DRAW.weibull(2, 300),
    "thousands": 1e6 * DRAW.lognormal(0, 0.3, 500),
}
SIGNED = {
    "cubes": DRAW.normal(0, 3, 400) ** 3,
    "shifted": DRAW.normal(5, 5, 300),
    "negative": -DRAW.gamma(3, 2, 300),
    "positive": DRAW.lognormal(0, 1, 400),
}


@pytest.mark.parametrize("name", POSITIVE)
def test_box_cox_exponents_and_numbers_are_those_of_scipy(name):
    """Peer: scipy.stats.boxcox, SciPy 1.17, whose search ends at about 1e-8."""
    y = POSITIVE[name]
    z, exponent = scipy.stats.boxcox(y)
    ours = BoxCox.fitted(y, None, "Test")
    assert_allclose(ours.lambda_, exponent, rtol=1e-6, atol=1e-6)
    assert_allclose(ours.transform(y), scipy.stats.boxcox(y, ours.lambda_), rtol=1e-12)
    peer = PowerTransformer("box-cox").fit(y[:, None])
    assert_allclose(ours.lambda_, peer.lambdas_[0], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", SIGNED)
def test_yeo_johnson_exponents_and_numbers_are_those_of_scipy(name):
    y = SIGNED[name]
    exponent = scipy.stats.yeojohnson(y)[1]
    ours = YeoJohnson.fitted(y, None, "Test")
    assert_allclose(ours.lambda_, exponent, rtol=1e-6, atol=1e-6)
    assert_allclose(ours.transform(y), scipy.stats.yeojohnson(y, ours.lambda_), rtol=1e-10, atol=1e-12)
    peer = PowerTransformer("yeo-johnson").fit(y[:, None])
    assert_allclose(ours.lambda_, peer.lambdas_[0], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1e30, 1e150, 1e300])
def test_box_cox_does_not_depend_on_the_unit(size):
    y = POSITIVE["gamma"]
    plain, sized = BoxCox.fitted(y, None, "Test"), BoxCox.fitted(size * y, None, "Test")
    assert_allclose(sized.lambda_, plain.lambda_, rtol=1e-6)
    z = sized.transform(size * y)
    assert_allclose(np.corrcoef(z, plain.transform(y))[0, 1], 1, rtol=1e-9)
    assert_allclose(sized.inverse_transform(z), size * y, rtol=1e-9)


@pytest.mark.parametrize("size", [1e30, 1e150, 1e300])
@pytest.mark.parametrize("name", SIGNED)
def test_yeo_johnson_of_huge_numbers_is_finite_and_comes_back(name, size):
    y = size * SIGNED[name] / np.abs(SIGNED[name]).max()
    ours = YeoJohnson.fitted(y, None, "Test")
    z = ours.transform(y)
    assert np.isfinite(z).all() and z.std() > 0 and z.std() < 1e100
    assert (np.diff(z[np.argsort(y, kind="stable")]) >= 0).all()
    assert_allclose(ours.inverse_transform(z), y, rtol=1e-9, atol=1e-12 * size)


def test_numbers_far_above_one_make_yeo_johnson_box_and_cox():
    y = 1e100 * POSITIVE["gamma"]
    assert_allclose(yeo_johnson_lambda(y), box_cox_lambda(np.log(y)), rtol=1e-6)
    assert_allclose(yeo_johnson_lambda(-y), 2 - box_cox_lambda(np.log(y)), rtol=1e-6)


@pytest.mark.parametrize("exponent", [box_cox_lambda, yeo_johnson_lambda])
def test_a_row_of_weight_two_is_two_rows_and_one_of_weight_zero_is_none(exponent):
    y = POSITIVE["gamma"][:60]
    y = np.log(y) if exponent is box_cox_lambda else y - 3
    w = np.tile([1.0, 2.0, 0.0], 20)
    again = np.repeat(y, w.astype(int))
    assert_allclose(exponent(y, w), exponent(again), rtol=1e-6)


@pytest.mark.parametrize("kind", [BoxCox, YeoJohnson])
@pytest.mark.parametrize("exponent", [-1.5, -0.3, 0.0, 0.4, 1.0, 2.0, 3.5])
def test_the_map_rises_and_its_logarithmic_derivative_is_that_of_the_map(kind, exponent):
    y = np.linspace(0.2, 6, 30) if kind is BoxCox else np.linspace(-5, 5, 41)
    own = kind(exponent, 1.0, 1e3) if kind is BoxCox else kind(exponent, 0.0, 0.0, 1e3)
    z = own.transform(y)
    assert (np.diff(z) > 0).all()
    assert_allclose(own.inverse_transform(z), y, rtol=1e-9, atol=1e-12)
    h = 1e-6
    slope = (own.transform(y + h) - own.transform(y - h)) / (2 * h)
    assert_allclose(own.log_derivative(y), np.log(slope), atol=1e-5)


def test_beyond_the_pole_the_answer_stays_at_ten_times_the_largest_target():
    y = np.array([1.0, 1.1, 1.2, 1.5, 9.0])
    own = BoxCox.fitted(y, None, "Test")
    assert own.lambda_ < 0
    pole = -1 / own.lambda_
    assert_allclose(own.inverse_transform(np.array([pole, pole + 1, 1e9])), 90.0)
    assert own.inverse_transform(np.array([-1e9]))[0] == pytest.approx(0, abs=1e-3)


def test_equal_targets_have_no_most_likely_exponent_and_a_warning_says_so():
    for kind in (BoxCox, YeoJohnson):
        with pytest.warns(DegenerateWarning, match="Test: all targets are 5, so no exponent is more likely"):
            own = kind.fitted(np.full(4, 5.0), None, "Test")
        assert own.lambda_ == 1
        assert_allclose(own.inverse_transform(own.transform(np.array([5.0]))), [5.0])


def test_box_cox_of_zero_names_the_row_and_the_others():
    with pytest.raises(
        DataError, match=r'Test: transformer="box-cox" needs targets above 0, row 2 of y is 0'
    ):
        BoxCox.fitted(np.array([1.0, 0.0]), None, "Test")
