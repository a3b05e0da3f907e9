"""The figure of robust regression shows what its text says."""

import pytest
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-2-17")
def test_only_least_squares_follows_the_gross_error():
    slopes = draw("plot_robust_regression.py")["slopes"]
    moved = {name: abs(after - before) for name, (before, after) in slopes.items()}
    assert moved.pop("squared") > 0.4
    assert max(moved.values()) < 0.1
