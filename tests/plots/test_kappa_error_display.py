import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.ensembles import diversity
from assay.plots import KappaErrorDisplay

pytest.importorskip("matplotlib")


def test_points_are_the_pairs_of_the_table():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=60)
    answers = np.where(rng.random((4, 60)) < 0.7, y, rng.integers(3, size=(4, 60)))
    found = diversity(answers, y, names=["a", "b$c", "d", "e"])
    display = KappaErrorDisplay(found).plot()
    frame = found.to_frame()
    (points,) = (line for line in display.ax_.lines if line.get_marker() == "o")
    assert_allclose(points.get_xdata(), frame["kappa"])
    assert_allclose(points.get_ydata(), frame["mean_error"])
    assert "a, b$c" in {text.get_text() for text in display.ax_.texts}
    assert not KappaErrorDisplay(found).plot(max_names=2).ax_.texts


def test_pairs_without_a_kappa_are_left_out():
    found = diversity([[1, 1], [1, 1], [0, 1]], [1, 0])
    display = KappaErrorDisplay(found).plot()
    assert display.pairs_ == [(0, 2), (1, 2)]
