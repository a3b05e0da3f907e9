"""The numbers behind the figures of polynomials, bias and variance, and model choice."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-2-15", "IML-2-27")
def test_degree_6_goes_through_seven_points():
    """IML figure 2-10: no training error, yet a shape that leaves the range of the data."""
    v = draw("plot_polynomial_degrees.py")
    assert v["errors"][1] > v["errors"][2] > v["errors"][6]
    assert v["errors"][6] < 1e-12
    assert v["models"][6].predict(v["grid"][:, None]).max() > v["r"].max() + 1


@pytest.mark.capability("IML-4-15")
def test_the_density_stands_on_the_line():
    """IML figure 4-4."""
    v = draw("plot_regression_noise.py")
    assert_allclose(v["density"].mean, v["model"].intercept_ + 6 * v["model"].coef_[0], rtol=1e-12)
    inside = np.mean((v["r"] > v["model"].predict_band(v["x"][:, None])[:, 0]) & (v["r"] < v["high"].max()))
    assert inside > 0.9


@pytest.mark.capability("IML-4-19")
def test_bias_and_variance_of_the_figures():
    """IML figures 4-5, 4-6: degree 1 varies least, 5 has the least bias, 3 the least sum."""
    fits = draw("plot_bias_variance_fits.py")["result"]
    assert fits.fits.shape == (3, 5, 200)
    assert np.argmax(fits.variance) == 2 and np.argmax(fits.bias_squared) == 0
    v = draw("plot_bias_variance.py")
    assert v["best"] == 3
    assert np.argmin(v["curves"]["variance"]) == 0 and np.argmin(v["curves"]["bias squared"]) == 4


@pytest.mark.capability("IML-4-20")
def test_the_elbow_of_the_figure():
    """IML figure 4-7: degree 3; the training error only falls."""
    v = draw("plot_validation_elbow.py")
    assert v["degrees"][v["found"].chosen] == 3 and v["found"].best > v["found"].chosen
    assert (np.diff(v["training"]) <= 1e-12).all()


@pytest.mark.capability("IML-4-27")
def test_growth_of_the_coefficients():
    """IML figure 4-8: medians grow with the degree, and a penalty holds them back."""
    largest = draw("plot_coefficient_growth.py")["largest"]
    middle = {alpha: np.median(values, axis=0) for alpha, values in largest.items()}
    assert (np.diff(middle[0.0]) > 0).all()
    assert middle[0.0][3] > 3 * middle[0.1][3] > 3 * middle[1.0][3] > 3 * middle[10.0][3]


@pytest.mark.capability("IML-10-19", "IML-10-20")
def test_the_class_between():
    """IML figure 10-12: the sigmoid is below one half exactly between 2 and 4; the fit errs on no point."""
    v = draw("plot_interval_class.py")
    assert_allclose(v["g"](v["grid"]) < 0, (v["grid"][:, 0] > 2) & (v["grid"][:, 0] < 4))
    assert (v["model"].predict(v["x"][:, None]) == v["outside"]).all()


@pytest.mark.capability("IML-4-05")
def test_bias_and_spread_of_the_variance():
    """IML figure 4-1 and section 4.3: with n = 5 the mean of the squares divided by n is 4/5 of the variance."""
    studies = draw("plot_estimator_bias.py")["studies"]
    biased, unbiased = studies["divided by n"], studies["divided by n - 1"]
    assert_allclose(biased.mean, 0.8, atol=0.02)
    assert unbiased.looks_unbiased() and not biased.looks_unbiased()
    assert biased.variance < unbiased.variance and biased.mse < unbiased.mse
    assert_allclose(unbiased.variance, 2 / 4, rtol=0.05)  # 2 sigma^4 / (n - 1)


@pytest.mark.capability("IML-1-13")
def test_the_price_of_used_cars():
    """IML figure 1-2: a falling line; exercise 1.9: the ratio carries over to cars of another price."""
    v = draw("plot_used_car_prices.py")
    assert v["line"].coef_[0] < 0
    assert_allclose(
        v["line"].predict(v["mileage"][:, None]).mean(), v["price"].mean()
    )  # through the means, eq. 2-17
    assert v["new"].max() < 100_000 and 3 < v["dear"][1] / v["dear"][0] < 7
    assert (np.diff(v["kept"]) < 0).all()
