"""The elbow of a validation curve (IML figure 4-7)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.stats.information.elbow import elbow, validation_elbow


@pytest.mark.capability("IML-4-20")
def test_the_drop_ends_at_degree_3():
    """IML 4.8: 50 + 50 rows, degrees 1 to 8; degree 3 is chosen most often (about 55 of 100), then degree 4."""
    random = np.random.default_rng(0)
    chosen, best, mean = np.zeros(9, int), np.zeros(9, int), []
    for _ in range(100):
        x, v = random.uniform(0, 5, (2, 50))
        y, t = 2 * np.sin(1.5 * x) + random.normal(size=50), 2 * np.sin(1.5 * v) + random.normal(size=50)
        losses = [(t - np.polynomial.Polynomial.fit(x, y, k)(v)) ** 2 for k in range(1, 9)]
        result = validation_elbow(losses)
        chosen[result.chosen + 1] += 1
        best[result.best + 1] += 1
        mean.append(result.mean)
    assert np.argmax(chosen) == 3 and chosen[3] + chosen[4] > 80 and 40 < chosen[3] < 75
    assert np.argmax(best) != 3  # the smallest error is most often beyond the elbow
    middle = np.median(mean, axis=0)
    assert_allclose(middle[:4], [2.73, 2.19, 1.30, 1.16], rtol=0.1)  # medians of the spec, 100 draws here
    assert middle[2] - middle[4] < 0.25 * (middle[1] - middle[2])


@given(st.lists(st.floats(0, 10), min_size=1, max_size=9), st.floats(0, 3))
def test_the_choice_is_the_simplest_that_is_good_enough(errors, spread):
    result = elbow(errors, [spread] * len(errors))
    assert result.chosen <= result.best
    assert errors[result.chosen] <= min(errors) + spread
    assert all(e > min(errors) + spread for e in errors[: result.chosen])


def test_standard_error_has_divisor_n_minus_1():
    result = validation_elbow([[1.0, 3.0], [1.0, 2.0]])
    assert_allclose(result.standard_error, [np.sqrt(2) / np.sqrt(2), np.sqrt(0.5) / np.sqrt(2)])
    assert (result.best, result.chosen, result.threshold) == (1, 0, 2.0)


def test_what_has_no_elbow_is_said():
    with pytest.raises(DataError, match="at least 2"):
        validation_elbow([[1.0], [2.0]])
    with pytest.raises(DataError, match="one standard error for each mean"):
        elbow([1.0, 2.0], [1.0])


def test_standard_errors_below_zero_are_refused():
    with pytest.raises(DataError, match="standard errors must be numbers from 0 up, got -1"):
        elbow([2.0, 1.0], [0.0, -1.0])
