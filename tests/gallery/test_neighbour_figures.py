"""The figures of neighbourhoods, cells and outliers show what the books say of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.gallery.drawing import draw


@pytest.mark.capability("C3-32")
def test_the_class_flips_between_two_circles():
    """C3 figure 3-9."""
    v = draw("plot_two_circles.py")
    assert v["said"] == {3: "triangle", 7: "disc"} and v["radii"][3] < v["radii"][7]
    for k in (3, 7):
        assert np.sum(np.linalg.norm(v["X"], axis=1) <= v["radii"][k]) == k


@pytest.mark.capability("DC-106", "IML-8-17")
def test_the_ellipse_holds_the_right_class_and_the_circle_the_wrong_one():
    """DC figure 10.11 and IML figure 8-7, whose squared Mahalanobis distances are in 8.6."""
    v = draw("plot_metric_neighbourhoods.py")
    (circle_A, circle_B), (ellipse_A, ellipse_B) = v["share"]["circle"], v["share"]["ellipse"]
    assert circle_B > circle_A and ellipse_A > ellipse_B
    assert v["found"]["Euclid"][1] == "ooo" and v["found"]["Mahalanobis"][1] == "xxx"
    assert_allclose(
        v["found"]["Mahalanobis"][0] ** 2, [0.51, 0.51, 0.55, 0.505, 0.18, 0.08, 0.18, 0.32], rtol=1e-9
    )
    assert_allclose(np.sort(v["found"]["Euclid"][0])[:3], [np.sqrt(0.5), 1, 1])


@pytest.mark.capability("IML-8-11")
def test_the_boundary_runs_between_cells_and_stars_are_not_needed():
    """IML figure 8-5."""
    v = draw("plot_voronoi.py")
    assert v["changed"] == 0 and 0 < np.sum(~v["needed"]) < len(v["X"])
    for ends, (a, b) in v["sides"]:
        if a != b:  # else a side of the frame
            apart = [np.linalg.norm(ends.mean(axis=0) - v["X"][i]) for i in (a, b)]
            assert_allclose(apart[0], apart[1], rtol=1e-6)
        assert v["y"][a] == v["y"][b] or (v["needed"][a] and v["needed"][b])


@pytest.mark.capability("IML-8-21")
def test_a_large_circle_in_a_thin_group_is_no_outlier_and_a_smaller_one_beside_a_dense_group_is():
    """IML figure 8-8."""
    v = draw("plot_local_outlier_factor.py")
    factor, radius = (dict(zip(v["queries"], v[name])) for name in ("factors", "radii"))
    assert factor["a"] < 1.5 and factor["c"] < 1.5 < factor["d"] < factor["b"]
    assert radius["c"] > 0.8 * radius["b"]
