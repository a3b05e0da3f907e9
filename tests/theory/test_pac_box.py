"""The tightest rectangle: worked sample sizes, inverses, simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ParameterError
from assay.theory.pac_box import pac_box_delta, pac_box_epsilon, pac_box_sample_size, simulate_pac_box


@pytest.mark.capability("IML-2-11")
@pytest.mark.parametrize(
    "eps, delta, exact, rows",
    [
        (0.1, 0.05, 175.28, 176),
        (0.05, 0.05, 350.56, 351),
        (0.1, 0.01, 239.66, 240),
        (0.01, 0.01, 2396.59, 2397),
        (0.1, 0.5, 83.18, 84),
    ],
)
def test_rows_for_the_tightest_rectangle(eps, delta, exact, rows):
    assert pac_box_sample_size(eps, delta) == rows
    assert 4 / eps * np.log(4 / delta) == pytest.approx(exact, abs=0.005)
    assert pac_box_epsilon(rows, delta) <= eps < pac_box_epsilon(rows - 1, delta)
    assert pac_box_delta(rows, eps) <= delta < pac_box_delta(rows - 1, eps)


@pytest.mark.capability("IML-2-11")
def test_the_simulation_keeps_the_promise():
    """C = [0.25, 0.75]^2, 176 rows: in 2000 runs no error above 0.1, mean error about 0.022."""
    study = simulate_pac_box(176, 0.1, runs=2000)
    assert study.observed == 0.0 <= study.promised == pytest.approx(4 * np.exp(-4.4))
    assert study.mean == pytest.approx(0.022, abs=0.001)


def test_the_expected_error_of_an_interval_is_known():
    """d = 1, C = [0, 1]: the tightest interval of n uniform points has expected length (n - 1)/(n + 1)."""
    study = simulate_pac_box(20, 0.5, low=0.0, high=1.0, columns=1, runs=4000, random_state=1)
    assert study.mean == pytest.approx(2 / 21, abs=4 * study.errors.std() / np.sqrt(4000))
    assert (study.errors >= 0).all()


@given(st.floats(0.001, 0.9), st.floats(0.001, 0.5), st.integers(1, 20))
@settings(deadline=None, max_examples=40)
def test_the_three_are_inverses_of_each_other(eps, delta, d):
    n = pac_box_sample_size(eps, delta, d)
    assert pac_box_delta(n, eps, d) <= delta * (1 + 1e-9)
    assert pac_box_epsilon(n, delta, d) <= eps * (1 + 1e-9)
    assert n == 1 or pac_box_delta(n - 1, eps, d) >= delta * (1 - 1e-9)


def test_no_positive_row_leaves_an_empty_box():
    study = simulate_pac_box(1, 0.1, low=0.4, high=0.6, runs=50)
    np.testing.assert_allclose(study.errors, 0.04)


def test_bad_input_is_named():
    for call, words in (
        (lambda: pac_box_sample_size(0.1, 0.0), "delta must be"),
        (lambda: pac_box_sample_size(0.1, 0.1, 0), "columns must be"),
        (lambda: simulate_pac_box(10, low=0.8, high=0.2), "low must be below high"),
    ):
        with pytest.raises(ParameterError, match=words):
            call()


def test_corners_have_a_number_per_column():
    with pytest.raises(ParameterError, match="one per column"):
        simulate_pac_box(10, low=[0.1, 0.2, 0.3])
