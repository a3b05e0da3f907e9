"""The panels: areas of scikit-learn, DeLong's interval, and nothing drawn from nothing."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from assay import compare
from assay.evaluate import OutOfFold
from assay.report.curves import MOST_LINES, learner_panels, overview
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
            a = answers[name]
            assert value == f"{score(a.truth, a.posterior[:, 1]):.3f}"
    assert [name for _, name, _, _ in roc["legend"]] == [s.learner for s in two.ranking()]
    assert "malignant" in gain["title"] and "malignant" in calibration["title"]


def test_the_interval_of_an_area_holds_the_area(two):
    for _, _, value, interval in overview(two, answers_of(two))["panels"][0]["legend"]:
        low, high = (float(v) for v in interval.split(" – "))
        assert low <= float(value) <= high and low < high


def test_the_first_tenth_of_a_perfect_ranking_lifts_by_one_over_the_share():
    truth = np.repeat([0, 1], [80, 20])
    posterior = np.column_stack([1 - truth, truth]) * 0.8 + 0.1
    perfect = OutOfFold(np.arange(100), truth, truth, posterior)

    class Given:
        classes, alpha = ["no", "yes"], 0.05

    gain, calibration = overview(Given, {"oracle": perfect})["panels"][2:]
    assert gain["legend"][0][2] == "5.0"
    assert calibration["legend"][0][2] == "0.100"  # 0.1 where 0 came true, 0.9 where 1 did


def test_more_classes_have_a_panel_each_and_a_learner_a_line_for_each():
    result = compare(["lda", "naive bayes"], load_iris(), design="3-fold")
    panels = overview(result, answers_of(result))["panels"]
    assert [p["title"] for p in panels[:3]] == [f"ROC, {c} against the rest" for c in result.classes]
    own = learner_panels(result, result.out_of_fold("lda"))
    assert [name for _, name, _, _ in own[0]["legend"]] == [str(c) for c in result.classes]


def test_ten_classes_are_cut_to_the_largest_and_it_is_said():
    X, y = load_digits()
    result = compare(["lda"], X[::4], y[::4], design="2-fold")
    found = overview(result, answers_of(result))
    assert found["hidden_classes"] == 4 and len(found["panels"]) == 7
    own = learner_panels(result, result.out_of_fold("lda"))
    assert len(own[0]["legend"]) == MOST_LINES and "8 largest classes" in own[0]["title"]


def test_without_probabilities_nothing_is_drawn(two):
    bare = {name: a._replace(posterior=None) for name, a in answers_of(two).items()}
    assert overview(two, bare) is None
    assert learner_panels(two, bare["lda"]) == []


def test_a_class_that_is_never_tested_has_no_panel(two):
    a = two.out_of_fold("lda")
    kept = a.truth == 0
    one = OutOfFold(a.rows[kept], a.truth[kept], a.answer[kept], a.posterior[kept])
    titles = [p["title"] for p in overview(two, {"lda": one})["panels"]]
    assert titles == ["Calibration of P(malignant)"]


def test_a_class_without_tested_rows_has_no_curve_and_stops_nothing():
    X, y = load_iris()
    tested = np.r_[0:10, 50:60]  # no row of the third class
    result = compare(["lda"], X, y, test=tested)
    roc, precision, _ = learner_panels(result, result.out_of_fold("lda"))
    assert [name for _, name, _, _ in roc["legend"]] == ["setosa", "versicolor"]
    assert len(precision["legend"]) == 2
