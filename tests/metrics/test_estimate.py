"""A number with its interval, in words."""

from assay.metrics.estimate import Estimate


def test_words():
    assert str(Estimate(0.5, 0.4, 0.6, "Wilson")) == "0.5000 (0.4000 to 0.6000, Wilson)"
    assert str(Estimate(0.5)) == "0.5000 (no interval)"
    assert str(Estimate(0.5, why="one row")) == "0.5000 (no interval: one row)"
    assert float(Estimate(0.25)) == 0.25
