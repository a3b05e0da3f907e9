import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.stats import Gaussian, MultivariateGaussian, gaussian_log_odds, gaussian_thresholds

# Oracle: IML 5.5, data set T5.
MEANS = [[3, 4], [6, 3]]
COVARIANCES = [[[2, 2.4], [2.4, 3.2]], [[5 / 3, 5 / 3], [5 / 3, 7 / 3]]]
PRIORS = (5 / 11, 6 / 11)
ORIGIN = np.zeros((2, 2))


@pytest.mark.capability("IML-5-21")
@pytest.mark.parametrize(
    ("structure", "g1", "g2"),
    [
        ("full", -10.565314, -3.958816),
        ("diagonal", -2.716606, -1.799483),
        ("shared", -6.457012, -5.041932),
        ("shared-diagonal", -2.689027, -1.865039),
        ("shared-spherical", -2.489438, -1.867116),
    ],
)
def test_log_odds_are_the_differences_in_the_t5_table(structure, g1, g2):
    g = gaussian_log_odds(MEANS, COVARIANCES, PRIORS, structure=structure)
    assert_allclose(g([5, 4]), g1 - g2, atol=1.01e-6)  # both printed to six digits
    if structure.startswith("shared"):
        assert_array_equal(g.W, 0)


@pytest.mark.capability("IML-5-21")
def test_quadratic_coefficients_are_differences_of_the_printed_ones():
    g = gaussian_log_odds(MEANS, COVARIANCES, PRIORS)
    assert_allclose(
        g.W, np.array([[-2.5, 1.875], [1.875, -1.5625]]) - [[-1.05, 0.75], [0.75, -0.75]], rtol=1e-9
    )
    assert_allclose(g.w, [0 - 8.1, 1.25 + 4.5], rtol=1e-9)
    assert_allclose(g.w0, -3.0653138 + 18.2088161, atol=1.01e-7)
    linear = gaussian_log_odds(MEANS, COVARIANCES, PRIORS, structure="shared")
    assert_allclose(linear.w, [0.189655 - 10.810345, 1.327586 + 6.827586], atol=1.01e-6)
    assert_allclose(linear([5, 4]), -1.415080, atol=5e-7)


@pytest.mark.capability("IML-5-21")
@given(seed=st.integers(0, 10**6), p=st.floats(0.05, 0.95), d=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_equal_to_the_difference_of_log_densities(seed, p, d):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(2, d, d + 2))
    m, S, x = rng.normal(size=(2, d)), A @ A.transpose(0, 2, 1), rng.normal(size=(5, d))
    g = gaussian_log_odds(m, S, (p, 1 - p))
    direct = MultivariateGaussian(m[0], S[0]).logpdf(x) - MultivariateGaussian(m[1], S[1]).logpdf(x)
    assert_allclose(g(x), direct + np.log(p / (1 - p)), rtol=1e-6, atol=1e-6)


@pytest.mark.capability("IML-5-21")
def test_equal_means_circle():
    # IML exercise 5.6: identity against four times the identity: radius^2 = ln 16 / 0.75
    circle = gaussian_log_odds(ORIGIN, [np.eye(2), 4 * np.eye(2)]).conic
    assert circle.kind == "circle"
    assert_allclose(circle.semi_axes, np.sqrt(np.log(16) / 0.75), rtol=1e-12)
    assert_allclose(circle.semi_axes, 1.9227025, atol=5e-8)
    assert_allclose(circle.center, 0, atol=1e-15)


@pytest.mark.capability("IML-5-21")
def test_equal_means_parallel_lines():
    lines = gaussian_log_odds(ORIGIN, [np.eye(2), np.diag([4.0, 1.0])]).conic
    assert lines.kind == "parallel lines"
    assert_allclose(np.abs(lines.lines), [[1, 0, 1.3595560], [1, 0, 1.3595560]], atol=5e-8)
    assert lines.lines[0, 2] == -lines.lines[1, 2]


@pytest.mark.capability("IML-5-21")
def test_equal_means_crossing_lines_and_hyperbola():
    S = [np.diag([4.0, 1.0]), np.diag([1.0, 4.0])]
    crossing = gaussian_log_odds(ORIGIN, S).conic
    assert crossing.kind == "crossing lines"
    # x2 = x1 and x2 = -x1
    assert_allclose(
        np.abs(crossing.lines), np.array([[1, 1, 0], [1, 1, 0]]) * [0.5**0.5, 0.5**0.5, 0], atol=1e-12
    )
    assert crossing.lines[0, 0] * crossing.lines[0, 1] * crossing.lines[1, 0] * crossing.lines[1, 1] < 0
    assert gaussian_log_odds(ORIGIN, S, (0.6, 0.4)).conic.kind == "hyperbola"


@pytest.mark.capability("IML-5-21")
def test_equal_means_and_covariances_leave_no_boundary():
    same = [np.eye(2), np.eye(2)]
    assert gaussian_log_odds(ORIGIN, same, (0.6, 0.4)).conic.kind == "nowhere"
    assert gaussian_log_odds(ORIGIN, same).conic.kind == "everywhere"
    assert gaussian_log_odds(ORIGIN, [np.eye(2), 4 * np.eye(2)], (0.01, 0.99)).conic.kind == "nowhere"


def points_on(conic):
    """A few points of a conic, from its own description."""
    if conic.lines is not None:
        return [
            offset * np.array([a, b]) + t * np.array([-b, a])
            for a, b, offset in conic.lines
            for t in (-2, 0, 3)
        ]
    t = np.linspace(0, 2, 7)
    if conic.kind == "hyperbola":
        units = np.array([np.cosh(t), np.sinh(t)])
    else:
        units = np.array([np.cos(t), np.sin(t)])
    return list((conic.center[:, None] + conic.axes @ (conic.semi_axes[:, None] * units)).T)


@given(seed=st.integers(0, 10**6), p=st.floats(0.1, 0.9))
@settings(max_examples=60, deadline=None)
def test_points_of_the_conic_have_log_odds_zero(seed, p):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(2, 2, 4))
    g = gaussian_log_odds(rng.normal(size=(2, 2)), A @ A.transpose(0, 2, 1), (p, 1 - p))
    conic = g.conic
    if conic.kind == "nowhere":
        X = rng.normal(size=(200, 2)) * 10
        assert len(set(np.sign(g(X)))) == 1
        return
    assert conic.kind in ("ellipse", "hyperbola")
    for x in points_on(conic):
        size = np.abs(x) @ np.abs(g.W) @ np.abs(x) + np.abs(x) @ np.abs(g.w) + abs(g.w0)
        assert_allclose(g(x), 0, atol=1e-8 * size)


@pytest.mark.parametrize(
    ("means", "covariances", "kind"),
    [
        ([[-1, 0], [1, 0]], np.eye(2), "line"),
        ([[0, 0], [1, 0]], [np.eye(2), np.diag([4.0, 1.0])], "parallel lines"),
        ([[0, 0], [0, 1]], [np.eye(2), np.diag([4.0, 1.0])], "parabola"),
        ([[0, 0], [0.3, 0]], [np.eye(2), np.diag([4.0, 2.0])], "ellipse"),
    ],
)
def test_kinds(means, covariances, kind):
    conic = gaussian_log_odds(means, covariances).conic
    assert conic.kind == kind
    if conic.lines is not None:
        assert_allclose([gaussian_log_odds(means, covariances)(x) for x in points_on(conic)], 0, atol=1e-12)


def test_a_single_point_and_a_double_line():
    # priors in the ratio of the square roots of the determinants: the classes are even at the mean only
    assert gaussian_log_odds(ORIGIN, [np.eye(2), 4 * np.eye(2)], (0.2, 0.8)).conic.kind == "point"
    double = gaussian_log_odds(ORIGIN, [np.eye(2), np.diag([4.0, 1.0])], (1 / 3, 2 / 3)).conic
    assert double.kind == "line"
    assert_allclose(np.abs(double.lines), [[1, 0, 0]], atol=1e-7)


def test_one_variable_agrees_with_the_thresholds():
    g = gaussian_log_odds([[-2], [2]], [[[1]], [[4]]])
    t = gaussian_thresholds(Gaussian(-2, 1), Gaussian(2, 4))
    assert_allclose([g.W[0, 0], g.w[0], g.w0], [t.a, t.b, t.c], rtol=1e-12)
    assert_allclose(g(t.points[:, None]), 0, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gaussian_log_odds([[0, 0]], np.eye(2)), "two rows"),
        (lambda: gaussian_log_odds(ORIGIN, np.eye(3)), "2 of 2 by 2"),
        (lambda: gaussian_log_odds(ORIGIN, np.eye(2), structure="tied"), "one of full, diagonal, shared"),
        (lambda: gaussian_log_odds(ORIGIN, np.ones((2, 2))), "rank 1 of 2"),
        (lambda: gaussian_log_odds([[0], [1]], [[1]]).conic, "have 1 variables"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
