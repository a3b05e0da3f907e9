"""The methods paragraph names the test that was used, why, and the source of each method."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import assay
from assay import compare
from assay.report import render_report
from assay.report.methods import SOURCES, methods, sources, usual_test, why_this_test
from assay.report.steps import steps
from assay.tables.data import load_breast_cancer, load_iris


@pytest.mark.parametrize(
    ("design", "test", "named"),
    [("2x5", "corrected resampled t test", {"Nadeau and Bengio 2003", "Wilson 1927", "Holm 1979"}),
     ("5x2", "combined 5 x 2 cv F test", {"Alpaydin 1999", "Nadeau and Bengio 2003"}),
     ("holdout", "McNemar's test", {"McNemar 1947", "Wilson 1927"})],
)  # fmt: skip
def test_the_test_of_the_design_is_named_with_its_reason_and_source(design, test, named):
    result = compare(["lda", "naive bayes", "majority"], load_breast_cancer(), design=design)
    said = methods(result)
    text = " ".join(said)
    assert test in text and test in result.test("lda", "naive bayes").result.test
    assert all(name in text for name in named)
    assert len(sources(said)) == sum(name in text for name in SOURCES) > len(named) - 1
    others = {"combined 5 x 2", "McNemar", "resampled t test"} - {test[:14], "McNemar", "resampled t test"}
    assert not any(other in text for other in others if other not in test)


def test_every_source_is_a_full_reference():
    for name, reference in SOURCES.items():
        assert reference.endswith(".") and name.split()[0] in reference and f"({name[-4:]})" in reference


def test_one_learner_is_not_tested():
    text = " ".join(methods(compare(["lda"], load_iris(), design="3-fold")))
    assert "P-values" not in text and "compared by" not in text


def test_weights_and_times_are_mentioned():
    X, y = load_iris()
    weighted = compare(["lda", "majority"], X, y, design="3-fold", sample_weight=np.arange(1.0, 151.0))
    assert "Rows carry weights" in methods(weighted)[0]
    timed = compare(
        ["lda", "majority"], X, y, design="3-time", times=np.random.default_rng(0).permutation(150)
    )
    assert "in order of time" in methods(timed)[0]


def test_a_single_split_is_judged_by_its_rows():
    result = compare(["lda", "majority"], load_iris(), design="holdout", metrics=["log-loss"])
    assert "paired bootstrap, since with one split the rows are the sample" in " ".join(methods(result))
    areas = compare(["lda", "majority"], load_breast_cancer(), design="holdout", metrics=["auc"])
    assert "DeLong's test (DeLong et al. 1988) of two areas" in " ".join(methods(areas))
    nothing = compare(
        ["lda", "majority"], load_iris(), design="holdout", metrics=["auc"], probabilities=False
    )
    assert "No pair of learners was tested: what it rests on was not kept." in methods(nothing)


def test_methods_speak_of_preparation_versions_and_single_pairs():
    X = pd.DataFrame({"a": [1.0, None, 3.0, 4.0] * 10, "b": ["x", "y", "y", "z"] * 10})
    result = compare(["lda", LogisticRegression()], X, ["p", "q"] * 20, design="5-fold")
    said = " ".join(methods(result))
    assert (
        "Missing values were replaced by the mean or the most frequent category for lda, LogisticRegression"
        in said
    )
    assert "categories were expanded into indicator columns for LogisticRegression" in said
    assert "The p-value is two-sided." in said and "Holm" not in said and f"assay {assay.__version__}" in said


@pytest.mark.parametrize(
    ("design", "function", "not_this"),
    [
        ("2x5", "paired_t", "t_test"),
        ("5x2", "five_by_two_f", None),
        ("holdout", "mcnemar", "two_proportions_test"),
    ],
)
def test_the_guide_speaks_for_the_test_that_was_used(design, function, not_this):
    result = compare(["lda", "majority"], load_iris(), design=design)
    advice = why_this_test(result)
    assert advice.test == function
    assert not_this is None or not_this in dict(advice.avoid)
    html = render_report(result, learning_curves=False, explanations=False)
    assert "Why this test, and not another" in html and advice.why.split(":")[0] in html


def test_where_the_guide_names_another_test_the_page_is_silent():
    one = compare(["lda"], load_iris(), design="3-fold")
    assert why_this_test(one) is None
    assert "Why this test" not in render_report(one)


def test_a_pair_that_never_differs_does_not_name_the_test_of_the_others():
    twins = {"lda": "lda", "its twin": "lda", "naive bayes": "naive bayes", "majority": "majority"}
    result = compare(twins, load_breast_cancer(), design="2x5")
    assert result.test("lda", "its twin").result.code == "none"
    assert usual_test(result).test == "corrected resampled t test"
    assert "corrected resampled t test, adjusted by Holm" in render_report(
        result, learning_curves=False, explanations=False
    )
    assert usual_test(compare(["lda"], load_iris(), design="3-fold")) is None


def test_one_learner_was_evaluated_and_not_compared():
    result = compare(["lda"], load_iris(), design="leave-one-out")
    first = methods(result)[0]
    assert first.startswith("lda was evaluated on iris") and "149 training and 1 test row (random" in first
    assert "the same for every learner" not in first
    html = render_report(result, learning_curves=False, explanations=False)
    assert "<title>iris: lda</title>" in html and "1 learners" not in html


def test_where_nobody_finished_no_interval_is_described():
    class Never(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            raise ValueError("no")

    result = compare({"a": Never(), "b": Never()}, load_iris(), design="3-fold")
    assert not any("Intervals" in sentence for sentence in methods(result))
    assert {letter: said for letter, _, said in steps(result)}["F"] == [
        "No learner finished, so there is nothing to analyse."
    ]


def test_on_one_split_no_probability_is_promised_that_is_not_there():
    result = compare(["lda", "majority"], load_iris(), design="holdout")
    html = render_report(result, learning_curves=False, explanations=False)
    assert "Bayesian correlated t test" not in html and "split by split" not in html
    assert "with 100 training and 50 test rows, the same for every learner" in methods(result)[0]


@pytest.mark.parametrize(("alpha", "sure"), [(0.005, "99.5%"), (0.001, "99.9%"), (0.3, "70%")])
def test_the_confidence_keeps_its_digits(alpha, sure):
    result = compare(["lda", "majority"], load_iris(), design="3-fold", alpha=alpha)
    html = render_report(result, learning_curves=False, explanations=False)
    assert f"Line: {sure} interval" in html and f"Intervals ({sure})" in html and "100% interval" not in html
    assert f"{sure} interval" in str(result.test("lda", "majority"))
