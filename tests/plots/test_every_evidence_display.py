"""Promises that every display of evidence keeps: names are names, axes that are given are used."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from assay.evaluate import compare
from assay.experiments.designs.factorial import full_factorial
from assay.experiments.designs.surface_designs import central_composite
from assay.plots.bound_display import BoundDisplay
from assay.plots.calibration_display import CalibrationDisplay
from assay.plots.comparison_display import ComparisonDisplay
from assay.plots.confusion_matrix_display import ConfusionMatrixDisplay
from assay.plots.cost_curve_display import CostCurveDisplay
from assay.plots.critical_difference_display import CriticalDifferenceDisplay
from assay.plots.det_curve_display import DetCurveDisplay
from assay.plots.effects_display import EffectsDisplay
from assay.plots.gain_display import GainDisplay
from assay.plots.lift_display import LiftDisplay
from assay.plots.paired_difference_display import PairedDifferenceDisplay
from assay.plots.posterior_display import PosteriorDisplay
from assay.plots.power_display import PowerDisplay
from assay.plots.precision_recall_display import PrecisionRecallDisplay
from assay.plots.rank_strip_display import RankStripDisplay
from assay.plots.response_surface_display import ResponseSurfaceDisplay
from assay.plots.risk_coverage_display import RiskCoverageDisplay
from assay.plots.roc_curve_display import RocCurveDisplay
from assay.plots.shattering_display import ShatteringDisplay
from assay.plots.threshold_display import ThresholdDisplay

HOSTILE = [r"$\oops$ $5$", "<b>bold</b> & 'it'", "_hidden", "é Ω" + " very long" * 30, "two\nlines\t%s {0}"]
RNG = np.random.default_rng(2)
Y = np.array(["no $", r"$\yes_{"])[RNG.integers(0, 2, 80)]
X = RNG.normal(size=(80, 2)) + (Y == "no $")[:, None]


@pytest.fixture(scope="module")
def result():
    from assay.bayes import GaussianNB
    from assay.trees import DecisionTreeClassifier

    models = [
        GaussianNB(),
        *(DecisionTreeClassifier(max_depth=k) for k in (1, 2, 3)),
        GaussianNB(var_smoothing=1),
    ]
    return compare(dict(zip(HOSTILE, models)), X, Y, design="2x3")


def drawn(result, ax=None):
    """Every display, with names that mean mischief."""
    a, b = HOSTILE[:2]
    runs = full_factorial({HOSTILE[0]: [1, 2], HOSTILE[1]: ["$", "$$"], HOSTILE[3]: [0, 1]})
    values = np.arange(8.0) ** 2
    surface = central_composite({HOSTILE[0]: (1, 2), HOSTILE[3]: (0, 1)})
    yield ComparisonDisplay.from_comparison, (result,), {}
    yield PairedDifferenceDisplay.from_comparison, (result,), {"rope": 0.01}
    yield PosteriorDisplay.from_comparison, (result, a, b), {}
    yield ConfusionMatrixDisplay.from_comparison, (result,), {}
    for curves in (RocCurveDisplay, PrecisionRecallDisplay, DetCurveDisplay, CostCurveDisplay, GainDisplay,
                   LiftDisplay, RankStripDisplay, CalibrationDisplay):  # fmt: skip
        yield curves.from_comparison, (result,), {}
    yield RiskCoverageDisplay.from_comparison, (result,), {}
    yield ThresholdDisplay.from_comparison, (result,), {}
    yield CriticalDifferenceDisplay.from_ranks, ([1.2, 2.0, 2.8], 9, HOSTILE[:3]), {}
    yield CriticalDifferenceDisplay.from_ranks, ([1.2, 2.0, 2.8], 9, HOSTILE[:3]), {"control": 0}
    for kind in ("half-normal", "main", "interaction"):
        yield EffectsDisplay.from_runs, (runs, values), {"kind": kind}
    yield (
        ResponseSurfaceDisplay.from_runs,
        (surface, np.arange(len(surface)) ** 2.0),
        {"response": HOSTILE[0]},
    )
    yield BoundDisplay([1, 2], {HOSTILE[0]: [0.2, 0.1]}, {HOSTILE[2]: [0.1, 0.1]}).plot, (), {}
    yield PowerDisplay([1, 2], {HOSTILE[0]: [0.2, 0.1]}, test=HOSTILE[1]).plot, (), {}
    yield ShatteringDisplay.from_points, ("lines", [(0, 0), (1, 1)]), {}


def test_hostile_names_are_drawn_as_they_are(result):
    """A formula that cannot be read, or a warning, would stop the drawing."""
    for make, given, options in drawn(result):
        display = make(*given, **options)
        display.figure_.canvas.draw()
        texts = [t for t in display.figure_.findobj(plt.Text) if t.get_visible() and t.get_parse_math()]
        shown = [t for t in texts if t.get_text().count("$") > 1]
        assert all(r"\mathdefault" in t.get_text() for t in shown), make  # only powers of ten are formulas
        plt.close("all")


def test_axes_that_are_given_are_used(result):
    for make, given, options in drawn(result):
        figure, axes = plt.subplots(1, 2)
        display = make(*given, ax=axes[1], **options)
        assert display.ax_ is axes[1] and display.figure_ is figure, make
        assert not axes[0].lines and not axes[0].collections and plt.get_fignums() == [figure.number], make
        plt.close("all")


def test_names_in_legends_are_short_and_none_is_lost(result):
    display = RocCurveDisplay.from_comparison(result)
    texts = [t.get_text() for t in display.ax_.get_legend().get_texts()]
    assert len(texts) == 5 and max(map(len, texts)) < 80
    assert any("_hidden" in text for text in texts) and any(r"$\oops$ $5$" in text for text in texts)


def test_rows_that_weigh_twice_count_twice():
    """Curves of a weighted comparison: the same as those of the rows, each as often as it weighs."""
    from assay.bayes import GaussianNB
    from assay.metrics.calibration import ReliabilityCurve
    from assay.metrics.roc import RocCurve

    weight = RNG.integers(1, 4, 80)
    result = compare({"bayes": GaussianNB()}, X, Y, design="3-fold", sample_weight=weight)
    rows = result.out_of_fold("bayes")
    often = np.repeat(np.arange(len(rows.rows)), weight[rows.rows])
    truth, score = rows.truth[often] == 1, rows.posterior[often, 1]
    curve = RocCurve.of(truth, score, pos_label=True)
    folds = []
    for test, codes, cell in zip(result.tests, result.truths, result.cells["bayes"]):
        again = np.repeat(np.arange(len(test)), weight[test])
        folds.append((codes[again] == 1, cell.posterior[again, 1]))
    areas = [RocCurve.of(*fold, pos_label=True).area for fold in folds]
    share = np.mean([own.mean() for own, _ in folds])
    assert RocCurveDisplay.from_comparison(result).curves_[0].area == pytest.approx(np.mean(areas))
    threshold = ThresholdDisplay.from_comparison(result)
    assert threshold.curve.positives == curve.positives
    gain = GainDisplay.from_comparison(result).curves["bayes"]
    assert gain.prevalence == pytest.approx(share)
    reliability = CalibrationDisplay.from_comparison(result, strategy="uniform", n_bins=4).curves_[0]
    twin = ReliabilityCurve.of(truth, score, method="uniform", bins=4, pos_label=True)
    np.testing.assert_allclose(reliability.observed, twin.observed)
    coverage = RiskCoverageDisplay.from_comparison(result).curves["bayes"]
    assert coverage.risk[-1] == pytest.approx(np.mean((score > 0.5) != truth))
    precision = PrecisionRecallDisplay.from_comparison(result)
    assert precision.prevalence_pos_label[0] == pytest.approx(share)
    assert DetCurveDisplay.from_comparison(result).fpr[0].max() <= 1
