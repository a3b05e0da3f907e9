"""The numbers behind the figures of maps."""

import pytest
from tests.gallery.drawing import draw


@pytest.mark.capability("C3-77")
def test_t_sne_keeps_more_neighbours_than_components():
    drawn = draw("plot_maps_by_class.py")
    trust = drawn["trust"]
    assert abs(trust["PCA"] - 0.870993) < 1e-6
    assert trust["t-SNE"] > max(trust["PCA"], trust["SNE"]) + 0.05
    assert set(drawn["classes"]) == {"malignant", "benign"} and (drawn["classes"] == "malignant").sum() == 212


@pytest.mark.capability("IML-5-29")
def test_the_irises_have_three_covariances():
    drawn = draw("plot_scatter_matrix.py")
    assert drawn["p_equal"] < 1e-15 and drawn["p_all"] < 1e-10 and min(drawn["p_normal"].values()) > 0.01
