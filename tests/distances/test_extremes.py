"""Numbers whose squares leave the range: another unit, or a refusal that names the column."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from assay.distances.extremes import refuse_extremes
from assay.distances.metric import metric_of
from assay.errors import DegenerateError


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**-530, 2.0**530, 2.0**1000])
def test_all_pairs_have_distances_in_any_unit(name, unit):
    A, B = np.random.default_rng(0).normal(size=(2, 7, 3))
    np.testing.assert_allclose(
        metric_of(name).between(unit * A, unit * B), unit * metric_of(name).between(A, B), rtol=1e-12
    )


def test_columns_without_squares_are_named():
    with pytest.raises(
        DegenerateError, match="Learner: column b varies by 2e-200, whose square is no number"
    ):
        refuse_extremes(np.array([[1.0, 1e-200], [2.0, 3e-200]]), "Learner", ["a", "b"])
    with pytest.raises(DegenerateError, match="column a varies by inf"):
        refuse_extremes(csr_array(np.array([[1e308], [-1e308]])), "Learner", ["a"])
    refuse_extremes(np.array([[1e200, 1.0], [1e200, 2.0]]), "Learner", ["a", "b"])  # a constant has no spread
