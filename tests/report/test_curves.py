"""The panels: areas of scikit-learn, DeLong's interval, and nothing drawn from nothing."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from assay import compare
from assay.evaluate.fold_curves import fold_estimate
from assay.evaluate.show import cells
from assay.report.curves import MAX_LINES, learner_panels, overview
from assay.tables.data import load_breast_cancer, load_digits, load_iris


@pytest.fixture(scope="module")
def two():
    return compare(["lda", "naive bayes", "majority"], load_breast_cancer(), design="3-fold")


def answers_of(result):
    return {s.learner: result.out_of_fold(s.learner) for s in result.ranking()}


def test_areas_are_those_of_scikit_learn(two):
    answers = answers_of(two)
    roc, precision, gain, calibration = overview(two, answers)["panels"]
    for panel, score in ((roc, roc_auc_score), (precision, average_precision_score)):
        for _, name, value, _ in panel["legend"]:
            folds = [score(t, c.posterior[:, 1]) for t, c in zip(two.truths, two.cells[name])]
            assert value == f"{np.mean(folds):.4f}"
    assert [name for _, name, _, _ in roc["legend"]] == [s.learner for s in two.ranking()]
    assert "malignant" in gain["title"] and "malignant" in calibration["title"]


def test_the_interval_of_an_area_holds_the_area(two):
    for _, name, value, interval in overview(two, answers_of(two))["panels"][0]["legend"]:
        if name == "majority":
            assert (value, interval) == ("0.5000", "")  # the same in every fold
            continue
        low, high = (float(v) for v in interval.split(" – "))
        assert low <= float(value) <= high and low < high


def test_the_first_tenth_of_a_perfect_ranking_lifts_by_one_over_the_share():
    truth = np.repeat([0, 1], [80, 20])
    result = compare(["lda"], np.c_[truth, np.arange(100) % 7], truth, design="5-fold")
    for cell, codes in zip(result.cells["lda"], result.truths):
        cell.posterior = np.column_stack([1 - codes, codes]) * 0.8 + 0.1
    gain, calibration = overview(result, answers_of(result))["panels"][2:]
    assert gain["legend"][0][2] == "5.0000"
    assert calibration["legend"][0][2] == "0.1000"  # 0.1 where 0 came true, 0.9 where 1 did


def test_more_classes_have_a_panel_each_and_a_learner_a_line_for_each():
    result = compare(["lda", "naive bayes"], load_iris(), design="3-fold")
    panels = overview(result, answers_of(result))["panels"]
    assert [p["title"] for p in panels[:3]] == [f"ROC, {c} against the rest" for c in result.classes]
    own = learner_panels(result, "lda", result.out_of_fold("lda"))
    assert [name for _, name, _, _ in own[0]["legend"]] == [str(c) for c in result.classes]


def test_ten_classes_are_cut_to_the_largest_and_it_is_said():
    X, y = load_digits()
    result = compare(["lda"], X[::4], y[::4], design="2-fold")
    found = overview(result, answers_of(result))
    assert found["hidden_classes"] == 4 and len(found["panels"]) == 7
    own = learner_panels(result, "lda", result.out_of_fold("lda"))
    assert len(own[0]["legend"]) == MAX_LINES and "8 largest classes" in own[0]["title"]


def test_without_probabilities_nothing_is_drawn(two):
    bare = {name: a._replace(posterior=None) for name, a in answers_of(two).items()}
    assert overview(two, bare) is None
    assert learner_panels(two, "lda", bare["lda"]) == []


def test_a_class_that_is_never_tested_has_no_panel():
    X, y = load_breast_cancer()
    result = compare(["lda"], X, y, test=np.flatnonzero(np.asarray(y) == "benign")[:50])
    titles = [p["title"] for p in overview(result, answers_of(result))["panels"]]
    assert titles == ["Calibration of P(malignant)"]


def test_a_class_without_tested_rows_has_no_curve_and_stops_nothing():
    X, y = load_iris()
    tested = np.r_[0:10, 50:60]  # no row of the third class
    result = compare(["lda"], X, y, test=tested)
    roc, precision, _ = learner_panels(result, "lda", result.out_of_fold("lda"))
    assert [name for _, name, _, _ in roc["legend"]] == ["setosa", "versicolor"]
    assert len(precision["legend"]) == 2


def test_a_constant_classifier_ranks_nothing_and_its_curve_is_the_diagonal(two):
    """Its probabilities move with the shares of the classes in training rows; put together, folds would seem ranked."""
    result = compare(["majority"], load_breast_cancer(), design="10-fold")
    legend = overview(result, answers_of(result))["panels"][0]["legend"]
    assert legend[0][2] == "0.5000"
    from assay.evaluate.fold_curves import mean_curve
    from assay.metrics import RocCurve

    curve = mean_curve(RocCurve, result, "majority", 1)
    assert curve.fpr.tolist() == [0, 1] and curve.tpr.tolist() == [0, 1]


@pytest.mark.parametrize("design", ["3x4", "5-fold", "holdout"])
def test_every_number_of_a_panel_is_that_of_the_table(design):
    metrics = ["error", "auc", "average precision", "lift", "ece"]
    result = compare(["lda", "c45", "majority"], load_breast_cancer(), design=design, metrics=metrics)
    panels = overview(result, answers_of(result))["panels"]
    for panel, metric in zip(panels, metrics[1:], strict=True):
        for _, name, value, interval in panel["legend"]:
            s = next(s for s in result.ranking(metric) if s.learner == name)
            assert value == f"{s.mean:.4f}" and value in cells(
                result, next(t for t in result.ranking() if t.learner == name)
            )
            assert interval == ("" if np.isnan(s.low) else f"{s.low:.4f} – {s.high:.4f}")


def test_what_was_not_measured_is_the_mean_over_the_folds_of_the_first_repetition():
    both = [compare(["lda"], load_breast_cancer(), design=d, metrics=m)
            for d, m in (("2x5", ["error"]), ("5-fold", ["error", "auc", "ece"]))]  # fmt: skip
    for metric in ("auc", "ece"):
        ours, table = fold_estimate(both[0], "lda", metric), both[1].ranking(metric)[0]
        assert (ours.value, ours.low, ours.high) == pytest.approx(
            (table.mean, table.low, table.high), rel=1e-12
        )
