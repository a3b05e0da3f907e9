"""The numbers of the figures of evidence."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.gallery.drawing import draw


@pytest.mark.capability("DC-116")
def test_roc_and_precision_recall_of_four_algorithms():
    """DC figure 10.13 of table 10.2: areas 441/475 twice, 267/475, 1; average precision .458333, .306560, .064920, 1.

    Rates of false alarms and precisions at each hit, in per cent, as the book's table has them.
    """
    v = draw("plot_roc_and_precision_recall.py")
    roc, pr = v["roc"], v["precision_recall"]
    assert list(v["rankings"]) == ["A", "B", "random", "oracle"]
    assert_allclose(roc.roc_auc, [441 / 475, 441 / 475, 267 / 475, 1], rtol=1e-12)
    assert_allclose(pr.average_precision, [0.458333, 0.306560, 0.064920, 1], atol=5e-7)
    alarms = {"A": [0, 3.158, 5.263, 11.579, 15.789], "B": [2.105, 5.263, 8.421, 9.474, 10.526]}
    purity = {"A": [100, 40, 37.5, 26.667, 25], "B": [33.333, 28.571, 27.273, 30.769, 33.333]}
    for k, name in enumerate(("A", "B")):
        fpr, tpr = (np.asarray(line) for line in roc.line_[k].get_data())
        hits = np.flatnonzero(np.diff(tpr) > 0) + 1
        assert_allclose(100 * fpr[hits], alarms[name], atol=5e-4)
        recall, precision = (np.asarray(line) for line in pr.line_[k].get_data())
        best = [100 * precision[np.isclose(recall, level)].max() for level in (0.2, 0.4, 0.6, 0.8, 1.0)]
        assert_allclose(best, purity[name], atol=5e-4)
    assert v["dominance"].verdict == "crossing"


@pytest.mark.capability("C3-56", "C3-57", "C3-58")
def test_strip_and_curves_of_logistic_regression():
    """C3 3.3.3, master-table rows 8 and 9: figure 3-19, and the curves of figures 3-20 and 3-21 for the same scores.

    ROC: 8 corner points, AUC 3138/3168. P-R: 69 points when truncated at full recall, 115 in full, AP 0.99144.
    """
    from assay.metrics import precision_recall_curve
    from assay.plots import PrecisionRecallDisplay, RocCurveDisplay

    v = draw("plot_ranked_rows.py")
    strips = v["display"].strips
    assert_array_equal(strips["ideal"], [True] * 66 + [False] * 48)
    mixed = strips["logistic regression"]
    # the corner points: 38 positives, a negative, 26 positives, a negative, 2 positives, 46 negatives
    assert_array_equal(mixed, [True] * 38 + [False] + [True] * 26 + [False] + [True] * 2 + [False] * 46)
    truth, score = v["y_test"] == 1, v["scores"]["logistic regression"]
    roc = RocCurveDisplay.from_predictions(truth, score)
    corners = [
        (0, 0),
        (0, 1 / 66),
        (0, 38 / 66),
        (1 / 48, 38 / 66),
        (1 / 48, 64 / 66),
        (2 / 48, 64 / 66),
        (2 / 48, 1),
        (1, 1),
    ]
    assert_allclose(np.column_stack(roc.line_.get_data()), corners, atol=1e-12)
    assert_allclose(roc.roc_auc, 3138 / 3168, rtol=1e-12)
    curve = PrecisionRecallDisplay.from_predictions(truth, score)
    assert len(curve.line_.get_xdata()) == 115
    assert_allclose(curve.average_precision, 0.9914394698, atol=1e-9)
    precision, recall, thresholds = precision_recall_curve(truth, score, truncated=True)
    assert (len(precision), len(thresholds)) == (69, 68)
    assert_allclose([recall[0], precision[0]], [1, 66 / 68], rtol=1e-12)


def test_calibration_halves_the_error_of_naive_bayes():
    errors = draw("plot_calibration.py")["errors"]
    assert errors["naive Bayes, calibrated"] < 0.7 * errors["naive Bayes"]


@pytest.mark.capability("IML-19-18")
def test_critical_differences_of_the_book():
    """IML 19.13.2: chi2 9.27857143, F 3.68631303 (p .01982301), CD 1.25355915 and, against a control, 1.16814253."""
    v = draw("plot_critical_difference.py")
    found = v["found"]
    assert_allclose(
        [found.chi2.statistic, found.test.statistic, found.test.p],
        [9.27857143, 3.68631303, 0.01982301],
        atol=5e-8,
    )
    assert_allclose([v["pairs"].cd, v["control"].cd], [1.25355915, 1.16814253], atol=5e-8)
    assert len(v["pairs"].bars_) == 1 and v["control"].control == 0


def test_evidence_of_a_comparison_is_the_comparison_s():
    v = draw("plot_comparison_evidence.py")
    standings = v["result"].ranking()
    assert v["ranking"].names == [s.learner for s in standings]
    assert_allclose(v["differences"].estimates, [s.difference for s in standings[1:]])
    belief = v["posterior"].posterior
    assert_allclose(belief.mean, standings[1].mean - standings[0].mean)
    assert_allclose(belief.left + belief.within + belief.right, 1)


@pytest.mark.capability("IML-2-20")
def test_training_error_falls_with_depth_and_meets_the_test_error_with_rows():
    """IML 2.7: in nested models the training error never rises; more rows bring the two errors together."""
    v = draw("plot_learning_and_complexity.py")
    grown = v["grown"]
    assert (np.diff(grown.train_mean) <= 1e-12).all()
    assert 0 < grown.best < len(grown.ticks) - 1  # too simple on the left, too rich on the right
    for curve in v["learned"]:
        gap = curve.test_mean - curve.train_mean
        assert gap[-1] < gap[0] and curve.test_mean[-1] < curve.test_mean[0]


def test_costs_of_german_credit():
    v = draw("plot_costs_and_thresholds.py")
    best = v["threshold"].best_
    assert best.threshold < 0.5  # a miss costs five times as much, so alarms come early
    assert best.value < 0.3 * 5 and best.value < 0.7  # below sending everyone in, or everyone away
    assert set(v["costs"].curves) == {"lda", "naive bayes", "cart"}


def test_the_summit_is_found():
    v = draw("plot_response_surface.py")
    surface = v["surface"].surface
    assert surface.kind == "maximum" and np.abs(surface.stationary - np.array([0.84, 0.815])).max() < 0.2
    active = {name for name, on in zip(v["half_normal"].effects.names, v["half_normal"].effects.active) if on}
    assert active == {"depth", "rate", "depth*rate"}


@pytest.mark.capability("BC-56")
def test_shattered_points():
    """BC figure 5.5.1: 8 of 8 labellings of three points, 14 of 16 of a square; boxes realise 16 of 16."""
    v = draw("plot_shattering.py")
    assert [len(v[name].regions_) for name in ("three", "square", "boxes")] == [8, 14, 16]


@pytest.mark.capability("BC-57")
def test_gaps_stay_below_the_bounds():
    """BC 5.5: the observed gap lies below the bound at every sample size."""
    study = draw("plot_bound_and_gap.py")["study"]
    assert (study.high < study.finite).all() and (study.high < study.vc).all()


def test_sample_sizes_of_the_power_figure():
    """t test, two-sided at 0.05 with power 0.8: 199, 90, 34, 15 (G*Power's numbers for d = 0.2, 0.3, 0.5, 0.8)."""
    v = draw("plot_power.py")
    assert v["means"].sizes == {"0.2": 199, "0.3": 90, "0.5": 34, "0.8": 15}
