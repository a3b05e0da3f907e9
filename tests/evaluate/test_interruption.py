"""Ctrl-C in long work: what is finished is kept, marked as partial; with too little of it, the interruption goes on."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from assay.evaluate import bootstrap_error, compare, complexity_curve, learning_curve
from assay.report import render_report
from assay.tables.data import load_iris
from assay.tuning import Tuned


class Interrupted(ClassifierMixin, BaseEstimator):
    """Answers the first class; the fit with the number ``at`` is interrupted."""

    fits = 0

    def __init__(self, at=10**9, level=0):
        self.at = at
        self.level = level

    def fit(self, X, y):
        type(self).fits += 1
        if type(self).fits == self.at:
            raise KeyboardInterrupt
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


@pytest.fixture(autouse=True)
def counted_anew():
    Interrupted.fits = 0


def test_a_learning_curve_keeps_its_whole_splits():
    sizes = [15, 60, 120]
    found = learning_curve(Interrupted(at=8), load_iris(), train_sizes=sizes)  # in the third split of five
    assert found.partial == "Interrupted after 2 of 5 splits" and str(found).startswith("PARTIAL RESULT.")
    assert found.test_scores.shape == (3, 2) and len(found.splits) == 2
    Interrupted.fits = 0
    whole = learning_curve(Interrupted(), load_iris(), train_sizes=sizes)
    np.testing.assert_array_equal(whole.test_scores[:, :2], found.test_scores)
    assert whole.partial == "" and "PARTIAL" not in str(whole)
    Interrupted.fits = 0
    with pytest.raises(KeyboardInterrupt):
        learning_curve(Interrupted(at=5), load_iris(), train_sizes=sizes)  # one split is no curve


def test_a_complexity_curve_too():
    found = complexity_curve(Interrupted(at=5), load_iris(), param_name="level", param_range=[0, 1])
    assert found.partial == "Interrupted after 2 of 5 splits" and found.test_scores.shape == (2, 2)


def test_bootstrap_samples_that_are_finished_count():
    found = bootstrap_error(Interrupted(at=26), load_iris(), n_resamples=50)
    assert found.notes[-1] == "Interrupted after 25 of 50 samples; the result rests on these."
    assert found.notes[-1] in str(found) and len(found.left_out) == 25
    Interrupted.fits = 0
    with pytest.raises(KeyboardInterrupt):
        bootstrap_error(Interrupted(at=19), load_iris(), n_resamples=50)


def test_an_interrupted_search_has_its_finished_splits_with_the_exception():
    X, y = load_iris()
    search = Tuned(Interrupted(at=8), {"level": [0, 1, 2]}, inner="5-fold")
    with pytest.raises(KeyboardInterrupt) as stopped:
        search.fit(X, y)
    settings, means = zip(*stopped.value.partial)
    assert [s["level"] for s in settings] == [0, 1, 2] and np.allclose(means, 2 / 3)
    assert "after 2 of 5 inner splits" in stopped.value.__notes__[0]
    Interrupted.fits = 0
    with pytest.raises(KeyboardInterrupt) as stopped:
        Tuned(Interrupted(at=2), {"level": [0, 1, 2]}).fit(X, y)
    assert not hasattr(stopped.value, "partial")


def test_the_report_of_a_partial_comparison_says_so():
    result = compare([Interrupted(at=4), "majority"], load_iris(), design="10-fold")
    page = render_report(result, learning_curves=False, explanations=False, importance=False)
    assert "Partial result" in page and "Interrupted after 3 of 10 splits" in page
