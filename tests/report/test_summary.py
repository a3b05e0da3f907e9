"""The first page, the columns that matter, and the model: their numbers are those of the tables."""

import re

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB as Theirs

from assay import compare
from assay.report import render_report
from assay.report.refits import extras
from assay.report.summary import summary
from assay.tables.data import load_dataset, load_iris


@pytest.fixture(scope="module")
def result():
    return compare(["lda", "c45", "majority"], load_iris(), design="2x5", metrics=["error", "auc"])


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_the_summary_says_the_numbers_of_the_ranking(result):
    found = extras(result, False, False, True)
    lines = dict(summary(result, found.importance, [])["lines"])
    s = result.ranking()[0]
    assert lines["Best learner"].startswith(
        f"lda: error {s.mean:.4f}, 95% interval {s.low:.4f} to {s.high:.4f}; auc "
    )
    assert lines["Not significantly worse"] == "c45"
    assert lines["Baseline without columns"] == "majority: error 0.6667"
    assert lines["What matters"].startswith("petal length (cm) (+")


def test_the_page_begins_with_it_and_shows_columns_and_model(result):
    html = render_report(result, learning_curves=False, explanations=False)
    assert 0 < html.index('id="summary"') < html.index('id="ranking"') < html.index('id="columns"')
    text = text_of(html[html.index('id="columns"') :])
    assert "Which columns matter to lda" in text and "petal width (cm)" in text
    assert (
        "The model of lda" in text
        and "Fitted on all 150 rows" in text
        and "LinearDiscriminantAnalysis" in text
    )
    without = render_report(result, learning_curves=False, explanations=False, importance=False)
    assert 'id="columns"' not in without and 'id="model"' not in without and 'id="summary"' in without


def test_every_error_of_a_learner_on_the_page_is_the_same_number(result):
    """Wherever the page says "error of" or "error" and then a number for the best learner, it is the ranking's."""
    text = text_of(render_report(result, learning_curves=True, explanations=True))
    wanted = f"{result.ranking()[0].mean:.4f}"
    said = re.findall(r"lda loses in error \(([\d.]+) with", text)
    said += re.findall(r"lda: error ([\d.]+),", text)
    said += re.findall(r"It ends at the error of the ranking, ([\d.]+)", text)[:1]
    assert len(said) >= 3 and set(said) == {wanted}


def test_a_learner_of_another_library_has_columns_but_no_model():
    found = extras(compare({"theirs": Theirs()}, load_iris(), design="3-fold"), False, False, True)
    assert found.importance.learner == "theirs" and found.model is None


def test_what_would_take_too_long_is_left_out_and_told():
    slow = compare(["lda"], load_iris(), design="3-fold")
    for cell in slow.cells["lda"]:
        cell.predict_seconds = 100.0
    found = extras(slow, False, False)
    assert found.importance is None and "importance=True" in found.notes[0]


def test_warnings_come_before_notes_and_the_best_learner_before_others():
    data = load_dataset("german_credit")
    result = compare(["naive bayes", "c45", "majority"], data, design="5-fold")
    told = summary(result, None, [])
    assert told["careful"] == [] and told["more"] == 0
    from assay.evaluate import Finding

    findings = [
        Finding("a", "note", (), "Of another.", learner="c45"),
        Finding("b", "note", (), "Of the best.", learner=result.best),
    ]
    assert [s for _, s in summary(result, None, findings)["careful"]] == ["Of the best.", "Of another."]
    worse = [*findings, Finding("c", "warning", ("age",), "Worse.")]
    assert summary(result, None, worse)["careful"] == [("warning", "Worse.")]
    assert np.isfinite(result.ranking()[0].mean)
