"""Gains from the top of a ranking."""

import numpy as np
from numpy.testing import assert_allclose

from assay.evaluate import compare
from assay.metrics.gains import GainCurve
from assay.plots.gain_display import GainDisplay
from assay.tables.data import load_breast_cancer


def test_lines_lie_between_chance_and_perfection():
    result = compare(["lda", "cart"], load_breast_cancer(), design="5-fold")
    display = GainDisplay.from_comparison(result)
    for name, line in display.lines_.items():
        rows = result.out_of_fold(name)
        curve = GainCurve.of(rows.truth == 1, rows.posterior[:, 1], pos_label=True)
        assert_allclose(line.get_xdata(), curve.share)
        assert_allclose(line.get_ydata(), curve.gain)
    corner = display.ax_.patches[0].get_xy()[1]  # a perfect ranking has found all at the share of positives
    assert_allclose(corner, [np.mean(result.out_of_fold("lda").truth == 1), 1])
    assert display.ax_.get_ylabel() == f"share of {result.classes[1]} found"
