"""A sample known by three numbers."""

import numpy as np
import pytest

from assay.errors import DataError, ParameterError
from assay.stats.significance.summary import Summary


def test_a_summary_of_a_summary_is_itself():
    s = Summary(1.0, 2.0, 3)
    assert Summary.of(s) is s
    assert Summary.of([4.0]).n == 1 and np.isnan(Summary.of([4.0]).sd)


def test_rounding_is_not_spread():
    assert Summary.of([0.1 + 0.2, 0.3, 0.3]).constant and not Summary.of([0.3, 0.31]).constant


@pytest.mark.parametrize(
    "wrong",
    [(np.nan, 1, 2), (0, -1, 2), (0, 1, 0), (0, 1, 2.5), (0, np.inf, 3), (0, np.nan, 3), (1e200, 1, 3)],
)
def test_impossible_summaries_are_refused(wrong):
    with pytest.raises(ParameterError, match="Summary"):
        Summary(*wrong)


def test_values_whose_squares_overflow_are_refused():
    with pytest.raises(DataError, match="whose square no float holds"):
        Summary.of([1e200, -1e200])
    with pytest.raises(DataError, match="whose square no float holds"):
        Summary.of([1e-200, 2e-200])  # would have a deviation of 0
