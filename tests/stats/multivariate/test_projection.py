import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.stats import scalar_projection, vector_projection

numbers = st.floats(-1e3, 1e3)


@pytest.mark.capability("C3-33")
def test_worked_example():
    # C3 3.2.2: w = (3, 4), x = (2, 1): z = 2, p = (1.2, 1.6)
    assert_allclose(scalar_projection([2, 1], [3, 4]), 2, rtol=1e-15)
    assert_allclose(vector_projection([2, 1], [3, 4]), [1.2, 1.6], rtol=1e-15)


@pytest.mark.capability("C3-33")
@given(
    x=st.tuples(numbers, numbers, numbers),
    w=st.tuples(numbers, numbers, st.floats(0.1, 1e3)),
    k=st.floats(1e-150, 1e150),
)
@settings(max_examples=60, deadline=None)
def test_what_is_left_is_perpendicular_and_length_does_not_matter(x, w, k):
    x, w = np.array(x), np.array(w)
    p = vector_projection(x, w)
    assert_allclose((x - p) @ w, 0, atol=1e-9 * (1 + np.linalg.norm(x) * np.linalg.norm(w)))
    assert_allclose(scalar_projection(x, k * w), scalar_projection(x, w), rtol=1e-9, atol=1e-9)
    assert_allclose(scalar_projection(x, -w), -scalar_projection(x, w))


def test_rows_at_once():
    X = np.arange(6.0).reshape(3, 2)
    assert_allclose(scalar_projection(X, [0, 2]), [1, 3, 5])
    assert_allclose(vector_projection(X, [0, 2]), [[0, 1], [0, 3], [0, 5]])


@pytest.mark.parametrize("w", [[0, 0], [[1, 0]]])
def test_a_direction_is_needed(w):
    with pytest.raises(ValueError, match="vector other than zero"):
        scalar_projection([1, 2], w)
