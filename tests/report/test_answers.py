"""Answers with probabilities that are some; numbers that are none cost their learner its curves, not the page."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from assay import compare
from assay.bayes import GaussianNB
from assay.report import render_report
from assay.report.answers import answers_of
from assay.report.refits import extras


class Loud(ClassifierMixin, BaseEstimator):
    """Naive Bayes whose probabilities are stretched: ``times`` p + ``plus``."""

    def __init__(self, times=1.0, plus=0.0):
        self.times = times
        self.plus = plus

    def fit(self, X, y):
        self.inner_ = GaussianNB().fit(np.asarray(X), y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        return self.inner_.predict(np.asarray(X))

    def predict_proba(self, X):
        return self.times * self.inner_.predict_proba(np.asarray(X)) + self.plus


def compared(classes=2, **how):
    rng = np.random.default_rng(0)
    y = np.arange(120) % classes
    X = rng.normal(size=(120, 2)) + y[:, None]
    return compare({"loud": Loud(**how), "nb": GaussianNB()}, X, y, design="3-fold")


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "how", [{"times": 0.9}, {"times": 7.0}, {"times": 0.0}, {"times": 1.2, "plus": -0.1}]
)
def test_numbers_that_are_no_probabilities_are_left_out_and_it_is_said(classes, how):
    result = compared(classes, **how)
    answers, notes = answers_of(result)
    assert answers["loud"].posterior is None and answers["nb"].posterior is not None
    assert len(notes) == 1 and notes[0].startswith(
        "loud has no curves and no costs here: the posterior of row"
    )
    html = render_report(result)
    assert "loud has no curves and no costs here" in html and "not here: loud" in html
    assert "loud" not in extras(result, False, True).mistakes


def test_probabilities_stay_as_they_are():
    result = compared()
    answers, notes = answers_of(result)
    assert not notes
    for name in result.learners:
        np.testing.assert_array_equal(answers[name].posterior, result.out_of_fold(name).posterior)
