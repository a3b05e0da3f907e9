"""What a test returns speaks for itself."""

import numpy as np
import pytest

from assay.errors import ParameterError
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative, shown_p


def test_a_result_without_p_says_why():
    result = TestResult("t test", np.nan, np.nan, why="one value alone shows no spread.")
    assert not result.rejected
    assert str(result) == "t test: no decision: one value alone shows no spread."


def test_degrees_of_freedom_are_shown_one_by_one():
    assert "with 10 and 5 degrees of freedom" in str(TestResult("F test", 5.2, 0.04, (10, 5)))
    assert "with 1 degree of freedom, p < 0.001" in str(TestResult("chi-square", 50.0, 1e-9, 1))
    assert "p = 0.500 (one-sided, less): not significant" in str(
        TestResult("z", 0.0, 0.5, alternative="less")
    )


@pytest.mark.parametrize("alpha", [0, 1, -0.1, np.nan, "0.05", None, True, [0.05]])
def test_levels_lie_between_zero_and_one(alpha):
    with pytest.raises(ParameterError, match="alpha must be a number above 0 and below 1"):
        check_alpha(alpha, "t_test")


def test_sides_have_three_names():
    with pytest.raises(ParameterError, match="two-sided, greater or less, got 'both'"):
        check_alternative("both", "t_test")


@pytest.mark.parametrize(
    ("p", "words"), [(0.0, "p < 0.001"), (0.0009, "p < 0.001"), (0.001, "p = 0.001"), (1.0, "p = 1.000")]
)
def test_p_values_as_people_write_them(p, words):
    assert shown_p(p) == words
