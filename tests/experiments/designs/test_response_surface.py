"""Response surfaces: the worked example, least squares, summits, ridges, the way to go."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from statsmodels.api import OLS

from assay.errors import DataError, ParameterError
from assay.experiments.designs.factorial import full_factorial, three_level
from assay.experiments.designs.response_surface import ResponseSurface
from assay.experiments.designs.surface_designs import box_behnken, central_composite


def hill(X):
    a, b = X.T
    return 80 + 4 * a + 2 * b - 3 * a**2 - 2 * b**2 + a * b


@pytest.mark.capability("IML-19-02")
def test_worked_example():
    # Oracle: IML 19.3, two factors, axial points at sqrt 2, three centre points.
    design = central_composite(["a", "b"], axial=2**0.5, centre=3)
    found = ResponseSurface.fit(design, hill(design.coded))
    assert found.terms == ("1", "a", "b", "a^2", "b^2", "ab")
    assert_allclose(found.coefficients, [80, 4, 2, -3, -2, 1], atol=1e-10)
    assert_allclose(found.stationary, [0.78260870, 0.69565217], atol=5e-9)
    assert_allclose(found.stationary_value, 82.26086957, atol=5e-9)
    assert_allclose(found.eigenvalues, [-3.20710678, -1.79289322], atol=5e-9)
    assert found.kind == "maximum"


@pytest.mark.parametrize("design", [central_composite(3), box_behnken(3), three_level(2)])
def test_same_as_least_squares(design):
    """Peer: statsmodels 0.15, OLS with the same columns: coefficients, errors, p-values, R^2."""
    X = design.coded
    y = np.random.default_rng(len(X)).normal(size=len(X)) + X[:, 0] - X[:, 1] ** 2
    found = ResponseSurface.fit(design, y)
    F = X.shape[1]
    pairs = [X[:, i] * X[:, j] for i in range(F) for j in range(i + 1, F)]
    peer = OLS(y, np.column_stack([np.ones(len(X)), X, X**2, *pairs])).fit()
    assert_allclose(found.coefficients, peer.params, atol=1e-10)
    assert_allclose(found.standard_errors, peer.bse, rtol=1e-8)
    assert_allclose(found.p, peer.pvalues, rtol=1e-7)
    assert_allclose(
        [found.r_squared, found.adjusted_r_squared], [peer.rsquared, peer.rsquared_adj], rtol=1e-8
    )
    assert_allclose(found.predict(X), peer.fittedvalues, atol=1e-9)
    assert_allclose(found.sigma**2, peer.mse_resid, rtol=1e-9)


def test_published_chemical_process():
    """Montgomery, Design and Analysis of Experiments, table 11.6: yield over time and temperature.

    Published: y = 79.94 + 0.99 x1 + 0.52 x2 - 1.38 x1^2 - 1.00 x2^2 + 0.25 x1 x2, stationary point
    (0.389, 0.306) with 80.21, eigenvalues -0.9634 and -1.4141 (computed from rounded coefficients).
    """
    design = central_composite(2, axial=1.414, centre=5)
    y = [76.5, 78.0, 77.0, 79.5, 75.6, 78.4, 77.0, 78.5, 79.9, 80.3, 80.0, 79.7, 79.8]
    # Standard order has x1 fastest: (-1,-1) 76.5, (1,-1) 78.0, (-1,1) 77.0, (1,1) 79.5.
    found = ResponseSurface.fit(design, y)
    assert_allclose(found.coefficients, [79.94, 0.99, 0.52, -1.38, -1.00, 0.25], atol=6e-3)
    assert_allclose(found.stationary, [0.389, 0.306], atol=2e-3)
    assert_allclose(found.stationary_value, 80.21, atol=6e-3)
    assert_allclose(found.eigenvalues, [-1.4141, -0.9634], atol=2e-3)
    assert not found.lack_of_fit.rejected and found.lack_of_fit.df == (3, 4)


@pytest.mark.parametrize(
    ("curves", "kind"),
    [((-1, -2), "maximum"), ((1, 2), "minimum"), ((-1, 2), "saddle point"), ((-1, 0), "ridge")],
)
def test_kinds(curves, kind):
    design = three_level(2)
    a, b = design.coded.T
    found = ResponseSurface.fit(design, 3 + a + curves[0] * a**2 + curves[1] * b**2)
    assert found.kind == kind
    if kind == "ridge":
        assert np.isnan(found.stationary).all() and "ridge" in str(found)
    else:
        assert_allclose(found.stationary, [-1 / (2 * curves[0]), 0], atol=1e-9)


@given(st.integers(0, 2000), st.floats(0.1, 4), st.sampled_from(["maximum", "minimum"]))
@settings(max_examples=60, deadline=None)
def test_best_within_beats_every_point_of_the_ball(seed, radius, goal):
    rng = np.random.default_rng(seed)
    design = central_composite(3)
    found = ResponseSurface.fit(design, rng.normal(size=len(design)))
    best = found.best_within(radius, goal=goal)
    assert np.linalg.norm(best) <= radius * (1 + 1e-9)
    points = rng.normal(size=(2000, 3))
    points *= radius * rng.random((2000, 1)) ** (1 / 3) / np.linalg.norm(points, axis=1, keepdims=True)
    sign = 1 if goal == "maximum" else -1
    assert (sign * found.predict(best) >= sign * found.predict(points) - 1e-9).all()


def test_best_within_where_nothing_pulls():
    """A pure saddle with b = 0: any direction of the largest eigenvalue; a plane: along b."""
    X = three_level(2).coded
    saddle = ResponseSurface.fit(X, X[:, 0] ** 2 - X[:, 1] ** 2)
    assert_allclose(np.abs(saddle.best_within(2)), [2, 0], atol=1e-9)
    plane = ResponseSurface.fit(X, 3 * X[:, 0] + 4 * X[:, 1])
    assert_allclose(plane.best_within(1), [0.6, 0.8], atol=1e-9)
    assert_allclose(plane.best_within(1, goal="minimum"), [-0.6, -0.8], atol=1e-9)
    assert plane.kind == "ridge"


def test_steepest_path_starts_along_the_gradient_and_climbs():
    design = central_composite({"a": (0, 10), "b": (0, 1)})
    found = ResponseSurface.fit(design, hill(design.coded))
    path = found.steepest(6, 0.1)
    assert_allclose(np.linalg.norm(path, axis=1), np.arange(7) * 0.1, atol=1e-12)
    direction = path[1] / np.linalg.norm(path[1])
    assert direction @ (found.b / np.linalg.norm(found.b)) > 0.99
    assert (np.diff(found.predict(path)) > 0).all()
    assert_allclose(found.decoded([1, -1])["a"], 10)
    assert_allclose(list(found.decoded(found.stationary).values()), [8.9130435, 0.8478261], atol=1e-6)
    assert "The maximum, 82.261" in str(found)


@pytest.mark.parametrize("design", [central_composite(1), central_composite(2), box_behnken(3)])
def test_flat_and_straight_responses_have_an_answer(design):
    a = design.coded[:, 0]
    for y in (0 * a, 0 * a + 5, a, a**2, 1e8 + a**2):
        found = ResponseSurface.fit(design, y)
        assert np.isfinite(found.best_within(2)).all() and np.isfinite(found.steepest()).all() and str(found)
        assert_allclose(found.predict(design.coded), y, rtol=1e-9, atol=1e-9)


def test_a_data_frame_names_its_factors():
    X = pd.DataFrame(three_level(2).coded, columns=["depth", "rate"])
    found = ResponseSurface.fit(X, np.arange(9.0) ** 2)
    assert found.terms == ("1", "depth", "rate", "depth^2", "rate^2", "depth*rate")
    assert found.decoded([0.5, 0]) == {"depth": 0.5, "rate": 0.0}


def test_as_many_runs_as_terms_leave_no_error():
    X = central_composite(2, centre=1, axial="face").coded[[0, 1, 2, 4, 6, 8]]
    found = ResponseSurface.fit(X, np.arange(6.0))
    assert found.df == 0 and np.isnan(found.p).all() and found.lack_of_fit is None


def test_lack_of_fit_keeps_its_level_and_sees_a_cubic():
    rng, design = np.random.default_rng(1), central_composite(2, centre=5)
    noise = rng.normal(size=(1000, len(design)))
    p = np.array([ResponseSurface.fit(design, hill(design.coded) + e).lack_of_fit.p for e in noise])
    assert abs(np.mean(p <= 0.05) - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 1000)
    cubic = ResponseSurface.fit(design, 5 * design.coded[:, 0] ** 3 + 0.1 * noise[0])
    assert cubic.lack_of_fit.rejected


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ResponseSurface.fit(full_factorial(2), [1, 2, 3, 4]), "three levels"),
        (lambda: ResponseSurface.fit(central_composite(2), [1, 2]), "11 finite responses"),
        (lambda: ResponseSurface.fit(central_composite(2), [np.nan] * 11), "repeated or left out"),
        (lambda: ResponseSurface.fit(three_level(2), ["a"] * 9), "response: expected numbers"),
        (lambda: ResponseSurface.fit([1, 2], [1, 2]), "table of runs and factors"),
        (lambda: ResponseSurface.fit(three_level(2).coded, np.arange(9), names=["a"]), "expected 2 names"),
        (lambda: ResponseSurface.fit(three_level(2), np.arange(9)).best_within(0), "radius must be above 0"),
        (lambda: ResponseSurface.fit(three_level(2), np.arange(9)).steepest(goal="up"), "maximum or minimum"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((DataError, ParameterError), match=message):
        call()


def test_a_flat_response_has_no_slopes():
    found = ResponseSurface.fit(central_composite(2), [5.0] * 11)
    assert_allclose(found.coefficients, [5, 0, 0, 0, 0, 0], atol=1e-14)
    assert (found.p[1:] == 1).all() and found.kind == "ridge"


def test_wrong_questions_to_a_surface_are_named():
    design = central_composite(2)
    found = ResponseSurface.fit(design, design.coded[:, 0] - design.coded[:, 1] ** 2)
    for ask in (
        lambda: found.predict([1]), lambda: found.predict("a"), lambda: found.decoded([1]),
        lambda: ResponseSurface.fit(design, np.arange(11) * 1e200),
    ):  # fmt: skip
        with pytest.raises(DataError, match="ResponseSurface"):
            ask()
    for wrong in (lambda: found.best_within("a"), lambda: found.steepest(2, 0), lambda: found.steepest(-2)):
        with pytest.raises(ParameterError, match="ResponseSurface"):
            wrong()
