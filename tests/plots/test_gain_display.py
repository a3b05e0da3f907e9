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
        folds = [(t, c.posterior[:, 1]) for t, c in zip(result.truths, result.cells[name])]
        curves = [GainCurve.of(*fold, pos_label=1) for fold in folds]
        for share in (0.05, 0.1, 0.33, 0.8):
            assert_allclose(np.interp(share, *line.get_data()), np.mean([c.at(share) for c in curves]))
    corner = display.ax_.patches[0].get_xy()[1]  # a perfect ranking has found all at the share of positives
    assert_allclose(corner, [np.mean([np.mean(t) for t in result.truths]), 1])
    assert display.ax_.get_ylabel() == f"share of {result.classes[1]} found"
