"""late_merges: heights at which rows join the others."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, ParameterError
from assay.outliers.late_merges import late_merges

# Oracle: IML 7.8, points a to f with single-link heights 1, 2, 2.236068, 4, 4.472136.
POINTS = np.array([[0, 0], [1, 0], [5, 0], [5, 2], [3, 6], [7, 1]], dtype=float)


@pytest.mark.capability("IML-8-22")
def test_e_merges_last():
    result = late_merges(POINTS)
    assert_allclose(result.height, [1, 1, 2, 2, np.sqrt(20), np.sqrt(5)], rtol=1e-12)
    assert result.order[0] == 4
    assert_array_equal(result.above(3.0), [4])
    assert_allclose(result.merges[:, 2], [1, 2, np.sqrt(5), 4, np.sqrt(20)])
    assert str(result) == "row 5 joins last, at height 4.472 (median 2)"


def test_a_small_group_counts_as_one_outlier():
    result = late_merges(POINTS, max_size=2)
    assert_allclose(result.height, [4, 4, np.sqrt(5), np.sqrt(5), np.sqrt(20), np.sqrt(5)])
    assert result.group[0] == result.group[1] != result.group[2]
    complete = late_merges(POINTS, method="complete")
    assert_allclose(complete.height[4], 6.403124, atol=1e-6)


def test_distances_may_be_given_and_metrics_named():
    apart = np.abs(POINTS[:, None] - POINTS).sum(axis=2)
    a, b = late_merges(apart, metric="precomputed"), late_merges(POINTS, metric="manhattan")
    assert_array_equal(a.height, b.height)


def test_what_cannot_be_merged_is_refused():
    with pytest.raises(DataError, match="at least two rows"):
        late_merges([[1.0]])
    with pytest.raises(ParameterError, match="max_size must be a whole number from 1 to 5"):
        late_merges(POINTS, max_size=6)
    with pytest.raises(DataError, match="square"):
        late_merges(POINTS, metric="precomputed")
