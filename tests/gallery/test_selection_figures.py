"""The numbers behind the figures of selection."""

import pytest
from numpy.testing import assert_allclose
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-6-06")
def test_nine_models_and_the_petals_of_the_irises():
    """Figures 6.1 and 6.2, first 20 rows of each class: {4} .9444, then {3, 4} .9556, then stop; 4 + 3 + 2 models."""
    drawn = draw("plot_feature_strips.py")
    trace = drawn["selector"].trace_
    assert trace.models == 9 and trace.selected == (2, 3)
    assert_allclose(drawn["trace"].path_[:2], [85 / 90, 86 / 90])
    assert len(drawn["strips"].axes_) == 4 and len(drawn["strips"].values) == 60
    assert len(drawn["pairs"].axes_) == 3 and drawn["pairs"].against == "petal width (cm)"


def test_columns_that_matter_are_always_chosen():
    drawn = draw("plot_selection_frequency.py")
    assert drawn["stable"].selected_ == ["x3", "x8", "x20"]
    assert drawn["frequency"].frequency[[3, 8, 20]].min() == 1.0 and drawn["stable"].bound_ <= 1
