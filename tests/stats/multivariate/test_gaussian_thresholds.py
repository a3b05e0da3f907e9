import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.stats import Gaussian, gaussian_thresholds, log_linear_ratio, log_odds_discriminant

LEFT = Gaussian(-2, 1)


@pytest.mark.capability("IML-4-10")
@pytest.mark.parametrize(
    ("first", "second", "priors", "points"),
    [
        (LEFT, Gaussian(2, 1), (0.5, 0.5), [0]),
        (LEFT, Gaussian(2, 1), (0.8, 0.2), [0.3465735903]),
        (LEFT, Gaussian(2, 4), (0.5, 0.5), [-6.3265763226, -0.3400903441]),
        (LEFT, Gaussian(2, 4), (0.8, 0.2), [-6.8909011198, 0.2242344532]),
        (Gaussian(0, 1), Gaussian(0, 4), (0.5, 0.5), [-1.3595559869, 1.3595559869]),
        (Gaussian(0, 1), Gaussian(0.1, 1.44), (0.05, 0.95), []),
    ],
)
def test_worked_examples(first, second, priors, points):
    # IML 4.5 and exercise 4.4
    t = gaussian_thresholds(first, second, priors)
    assert_allclose(t.points, points, atol=5e-11)
    for x in t.points:
        assert_allclose(log_odds_discriminant(x, first, second, priors), 0, atol=1e-12)


@pytest.mark.capability("IML-4-10")
def test_narrow_class_owns_the_middle():
    regions = gaussian_thresholds(LEFT, Gaussian(2, 4)).regions
    assert [k for _, _, k in regions] == [1, 0, 1]
    assert regions[0][0] == -np.inf and regions[-1][1] == np.inf
    swapped = gaussian_thresholds(Gaussian(2, 4), LEFT)
    assert_allclose(swapped.points, gaussian_thresholds(LEFT, Gaussian(2, 4)).points, rtol=1e-12)
    assert [k for _, _, k in swapped.regions] == [0, 1, 0]


@pytest.mark.capability("IML-4-10")
def test_no_root_leaves_one_class_everywhere():
    t = gaussian_thresholds(Gaussian(0, 1), Gaussian(0.1, 1.44), (0.05, 0.95))
    assert t.regions == ((-np.inf, np.inf, 1),)
    assert gaussian_thresholds(Gaussian(0, 1), Gaussian(0, 1), (0.6, 0.4)).regions == ((-np.inf, np.inf, 0),)


@pytest.mark.capability("IML-4-10")
@given(
    means=st.tuples(st.floats(-50, 50), st.floats(-50, 50)),
    sds=st.tuples(st.floats(0.05, 20), st.floats(0.05, 20)),
    p=st.floats(0.01, 0.99),
    x=st.floats(-100, 100),
)
@settings(max_examples=150, deadline=None)
def test_regions_agree_with_the_log_odds(means, sds, p, x):
    first, second = Gaussian(means[0], sds[0] ** 2), Gaussian(means[1], sds[1] ** 2)
    t = gaussian_thresholds(first, second, (p, 1 - p))
    g = float(log_odds_discriminant(x, first, second, (p, 1 - p)))
    scale = 1 + first.logpdf(x) ** 2 + second.logpdf(x) ** 2
    assume(abs(g) > 1e-8 * scale)
    assert t.decide(x) == (0 if g > 0 else 1)
    polynomial = (t.a * x + t.b) * x + t.c
    size = abs(t.a) * x**2 + abs(t.b * x) + abs(t.c)
    assert_allclose(polynomial, g, atol=1e-8 * max(size, scale))


def test_a_threshold_beyond_the_floats_is_none():
    """Means that differ by the least float: the prior decides as far as floats go."""
    t = gaussian_thresholds(Gaussian(0.0, 1.0), Gaussian(5e-324, 1.0), (0.85, 0.15))
    assert len(t.points) == 0 and t.regions == ((-np.inf, np.inf, 0),)
    t = gaussian_thresholds(Gaussian(0.0, 1e20), Gaussian(1e-290, 1e20), (0.15, 0.85))
    assert len(t.points) == 0 and t.regions == ((-np.inf, np.inf, 1),)
    for gap in (2.2e-309, -2.2e-309):
        for p, first in ((0.03125, 1), (0.25, 1), (0.75, 0)):
            t = gaussian_thresholds(Gaussian(0.0, 0.0625), Gaussian(gap, 0.0625), (p, 1 - p))
            assert t.regions == ((-np.inf, np.inf, first),)
    t = gaussian_thresholds(Gaussian(0.0, 1.0), Gaussian(1e-140, 1.0), (0.75, 0.25))
    assert_allclose(t.points, [np.log(3) * 1e140], rtol=1e-12)
    assert t.decide([0.0, 2e140]).tolist() == [0, 1]


def test_nearly_equal_variances_keep_the_near_root():
    # the textbook formula would cancel here; the near root must stay at the midpoint
    t = gaussian_thresholds(Gaussian(-2, 1), Gaussian(2, 1 + 1e-13))
    assert_allclose(t.points[np.abs(t.points).argmin()], 0, atol=1e-10)
    t = gaussian_thresholds(Gaussian(1e8, 1), Gaussian(1e8 + 4, 1))
    assert_array_equal(t.points, [1e8 + 2])


def test_touching_parabola_keeps_one_class_on_both_sides():
    # equal means, prior ratio such that the log odds touch 0 at the mean only
    t = gaussian_thresholds(Gaussian(0, 1), Gaussian(0, 4), (1 / 3, 2 / 3))
    inside = [k for low, high, k in t.regions if low < -1 or high > 1]
    assert set(inside) == {1}
    assert t.decide(5) == t.decide(-5) == 1


def test_on_the_threshold_the_first_class_is_taken():
    t = gaussian_thresholds(LEFT, Gaussian(2, 1))
    assert_array_equal(t.decide([-0.1, 0.0, 0.1]), [0, 0, 1])


@pytest.mark.capability("IML-4-10")
def test_estimated_thresholds_converge():
    # IML exercise 4.6: simulate, estimate, compare with theory
    exact, rng, gaps = gaussian_thresholds(LEFT, Gaussian(2, 4)).points, np.random.default_rng(0), []
    for n in (100, 100_000):
        first, second = (Gaussian().fit(rng.normal(m, s, n)) for m, s in ((-2, 1), (2, 2)))
        gaps.append(np.abs(gaussian_thresholds(first, second).points - exact).max())
    assert gaps[1] < 0.1 and gaps[1] < gaps[0]


@pytest.mark.capability("IML-4-13")
def test_likelihood_ratio_in_log_linear_form():
    # IML exercise 4.5: means 1 and 3, variance 2, x = 2.5
    w1, w0 = log_linear_ratio(1, 3, 2)
    assert (w1, w0) == (-1.0, 2.0)
    assert_allclose(np.exp(w1 * 2.5 + w0), 0.6065306597, atol=5e-11)


@pytest.mark.capability("IML-4-13")
@given(m1=st.floats(-10, 10), m2=st.floats(-10, 10), var=st.floats(0.1, 10), x=st.floats(-10, 10))
@settings(max_examples=50, deadline=None)
def test_log_linear_form_is_the_ratio_of_densities(m1, m2, var, x):
    w1, w0 = log_linear_ratio(m1, m2, var)
    assert_allclose(w1 * x + w0, log_odds_discriminant(x, Gaussian(m1, var), Gaussian(m2, var)), atol=1e-8)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="too far apart"):
        gaussian_thresholds(Gaussian(0, 1e-200), Gaussian(1e200, 1))
    with pytest.raises(ValueError, match=r"both variances must be above 0.*floor > 0"):
        gaussian_thresholds(Gaussian(0, 0), Gaussian(1, 1))
    with pytest.raises(ValueError, match="both variances must be above 0"):
        gaussian_thresholds(Gaussian(0, 1), Gaussian(1, 0))
    with pytest.raises(ValueError, match="priors must be two numbers above 0"):
        gaussian_thresholds(LEFT, LEFT, (1, 0))
    with pytest.raises(ValueError, match="var must be above 0"):
        log_linear_ratio(0, 1, 0)
