"""The seven steps of an experiment are on every page."""

import pytest

from assay import compare
from assay.evaluate.show import conclusion
from assay.report import render_report
from assay.report.steps import steps
from assay.tables.data import load_iris


@pytest.fixture(scope="module")
def result():
    return compare(["lda", "naive bayes", "majority"], load_iris(), design="2x3", metrics=["error", "auc"])


@pytest.mark.capability("IML-19-04")
def test_steps_a_to_g_appear(result):
    """IML 19.5: aim, response, factors and levels, design, run, analysis, conclusions."""
    told = steps(result)
    assert [letter for letter, _, _ in told] == list("ABCDEFG")
    html = render_report(result, learning_curves=False, explanations=False)
    for letter, step, sentences in told:
        assert f"<b>{letter}</b> {step}" in html
        assert sentences and all(sentences)


def test_each_step_says_what_was_done(result):
    told = {letter: " ".join(sentences) for letter, _, sentences in steps(result)}
    assert "which of 3 learners has the best error on iris" in told["A"]
    assert "lower is better" in told["B"] and "auc" in told["B"]
    assert "3 levels: lda, naive bayes, majority" in told["C"]
    assert "6 splits, the same for every learner" in told["D"]
    assert "seed 0" in told["E"] and "Every learner finished every split." in told["E"]
    assert "Corrected resampled t test" in told["F"] and "adjusted by Holm's method, level 0.05" in told["F"]
    assert told["G"] == conclusion(result)


def test_one_learner_has_an_aim_too():
    told = {
        letter: sentences for letter, _, sentences in steps(compare(["lda"], load_iris(), design="3-fold"))
    }
    assert told["A"] == ["To estimate the error of lda on iris."]
    assert told["F"] == ["One learner: an interval, and no test."]
