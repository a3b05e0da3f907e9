"""Response surface optimisation: the optimum of a quadratic, of other functions, on the rim, and with noise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.experiments import optimize_response

RANGES = {"heat": (150.0, 250.0), "time": (5.0, 20.0), "beans": (0.0, 1.0)}


@pytest.mark.capability("IML-1-05")
def test_the_optimum_of_a_known_quadratic():
    """IML 1.2.3: a machine that roasts coffee; one round is enough if the optimum lies in it."""
    peak = np.array([205.0, 11.0, 0.4])
    bend = np.array([[1e-2, 1e-3, 0], [1e-3, 0.3, 0.1], [0, 0.1, 8.0]])
    calls = []

    def quality(heat, time, beans):
        gap = np.array([heat, time, beans]) - peak
        calls.append(gap)
        return 90 - gap @ bend @ gap

    found = optimize_response(quality, RANGES, n_rounds=1)
    assert_allclose(list(found.best.values()), peak, rtol=1e-5)
    assert_allclose(found.value, 90, atol=1e-8)
    assert len(calls) == len(found.settings) == len(found.responses) == 2**3 + 2 * 3 + 1 + 1


@pytest.mark.capability("IML-1-05")
def test_each_round_comes_nearer_and_cost_is_made_low():
    def cost(x, y):
        return (x - 1.2) ** 4 + 10 * (x - 1.2) ** 2 + np.cosh(y + 0.7)

    errors = [
        optimize_response(cost, {"x": (-5, 5), "y": (-5, 5)}, better="lower", n_rounds=n).value - 1
        for n in (1, 3, 6)
    ]
    assert errors[0] > 10 * errors[1] > 100 * errors[2]
    assert errors[2] < 1e-3


def test_an_optimum_outside_of_the_first_part_is_walked_to_and_on_the_rim_it_stays():
    found = optimize_response(lambda x: -((x - 9.5) ** 2), {"x": (0, 10)}, width=0.2, n_rounds=6)
    assert_allclose(found.best["x"], 9.5, atol=1e-6)
    rim = optimize_response(lambda x, y: x - y**2, {"x": (0, 10), "y": (-1, 1)}, n_rounds=8)
    assert_allclose([rim.best["x"], rim.best["y"]], [10, 0], atol=1e-6)
    assert all(0 <= s["x"] <= 10 for s in rim.settings)


def test_noise_and_many_factors():
    rng = np.random.default_rng(0)
    names = "abcdef"
    peak = rng.uniform(-0.5, 0.5, 6)

    def noisy(**levels):
        return -((np.array([levels[n] for n in names]) - peak) ** 2).sum() + 0.01 * rng.normal()

    found = optimize_response(noisy, dict.fromkeys(names, (-1.0, 1.0)), n_rounds=3, shrink=0.8)
    assert_allclose([found.best[n] for n in names], peak, atol=0.15)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"factors": {}}, "dict of factor"),
        ({"factors": {"x": (1, 0)}}, "low must be a number below high"),
        ({"factors": {"x": 3}}, "two numbers"),
        ({"better": "most"}, "higher or lower"),
        ({"n_rounds": 0}, "n_rounds must be"),
        ({"width": 0}, "width and shrink"),
    ],
)
def test_wrong_input_ends_in_a_sentence(settings, words):
    with pytest.raises(ParameterError, match=words):
        optimize_response(lambda x: x, **{"factors": {"x": (0, 1)}, **settings})


def test_a_measurement_that_is_none_is_refused():
    with pytest.raises(DataError, match="expected a finite number"):
        optimize_response(lambda x: float("nan"), {"x": (0, 1)})
