"""The tube of regression machines as a picture."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.linear import LinearRegression
from assay.plots import TubeDisplay
from assay.svm import SVR, NuSVR


@pytest.mark.capability("IML-13-36")
@pytest.mark.parametrize("machine", [SVR(C=10, epsilon=0.25, tol=1e-6), NuSVR(C=10, nu=0.4, tol=1e-6)])
def test_the_picture_shows_the_tube_and_every_row_once(machine):
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 6, 40))[:, None]
    y = np.sin(x[:, 0]) + rng.normal(0, 0.3, 40)
    machine.fit(x, y)
    display = TubeDisplay.from_estimator(machine, x, y, title="a tube")
    low, high, middle = (line.get_ydata() for line in display.ax_.lines[:3])
    assert_allclose(high - low, 2 * machine.epsilon_, rtol=1e-9)
    assert_allclose(middle, machine.predict(display.grid[:, None]), rtol=1e-12)
    drawn = np.concatenate([line.get_xdata() for line in display.ax_.lines[3:]])
    assert_allclose(np.sort(drawn), x[:, 0])
    counts = [int(text.get_text().split()[0]) for text in display.ax_.get_legend().get_texts()]
    assert sum(counts) == 40 and counts[1] + counts[2] >= len(machine.support_)
    plt.close("all")


def test_what_has_no_tube_is_refused():
    with pytest.raises(
        DataError, match="expected an SVR or NuSVR and rows of one column, got LinearRegression"
    ):
        TubeDisplay.from_estimator(LinearRegression().fit([[0.0], [1.0]], [0, 1]), [[0.0], [1.0]], [0, 1])
