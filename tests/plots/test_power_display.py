"""Power against sample size."""

import matplotlib.pyplot as plt
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.plots.power_display import PowerDisplay
from assay.stats.significance.power import power_of, sample_size_for


def test_the_curve_is_the_power_and_the_dot_the_sample_size():
    """IML 19.9: one-sided z test with sigma 2, power at 100 rows .80376494, 99 rows for a power of 0.8."""
    display = PowerDisplay.from_test("z", 0.5, sd=2, alternative="greater", n=[99, 100])
    assert_allclose(display.lines_["0.5"].get_ydata()[1], 0.80376494, atol=1e-8)
    assert display.sizes == {"0.5": 99}
    dot = display.ax_.lines[1]
    assert (dot.get_xdata()[0], dot.get_ydata()[0]) == (99, 0.8)
    assert display.lines_["0.5"].get_label() == "difference 0.5: n = 99"


@pytest.mark.parametrize(
    ("test", "setting"), [("t", {}), ("mcnemar", {"disagree": 0.2}), ("binomial", {"p0": 0.1})]
)
def test_sizes_are_found_when_none_are_given(test, setting):
    display = PowerDisplay.from_test(test, [0.05, 0.1], **setting)
    assert display.n.max() == sample_size_for(test, 0.05, 0.95, **setting).n
    k = len(display.n) // 2
    for name, gap in (("0.05", 0.05), ("0.1", 0.1)):
        assert display.curves[name][k] == pytest.approx(power_of(test, gap, int(display.n[k]), **setting))
    assert (display.curves["0.1"][3:] > display.curves["0.05"][3:]).all()


def test_no_difference_cannot_be_found():
    with pytest.raises(ParameterError, match="other than 0"):
        PowerDisplay.from_test("t", [0.1, 0.0])
    with pytest.raises(DataError, match="a has 1 powers for 2 sizes"):
        PowerDisplay([1, 2], {"a": [0.5]})
    with pytest.raises(DataError, match="at least one curve"):
        PowerDisplay([], {})


def test_names_of_many_effects_stand_beside_the_curves():
    display = PowerDisplay.from_test("z", [0.1, 0.2, 0.5], sd=2, n=range(10, 400, 10))
    display.figure_.canvas.draw()
    assert display.ax_.get_legend().get_window_extent().x0 > display.ax_.get_window_extent().x1
    display.plot(ax := plt.subplots()[1])  # axes that are given keep their room
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x1 <= ax.get_window_extent().x1
