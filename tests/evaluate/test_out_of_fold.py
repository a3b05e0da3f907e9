"""Answers on unseen rows, pooled: each row once, in order, with the posterior that goes with it."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import LinearSVC

from assay import compare
from assay.bayes import GaussianNB
from assay.errors import ParameterError
from assay.evaluate import Resampling
from assay.tables.data import load_iris, load_wine


class NoOdds(ClassifierMixin, BaseEstimator):
    """Answers, but its probabilities cannot be had."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))

    def predict_proba(self, X):
        raise RuntimeError("no odds")


def test_every_row_has_the_answer_and_posterior_of_the_fold_that_tested_it():
    X, y = load_wine()
    codes = np.unique(y, return_inverse=True)[1]
    result = compare([GaussianNB()], X.values, y, design="2x5", random_state=4)
    seen = result.out_of_fold("gaussiannb")
    assert_array_equal(seen.rows, np.arange(178))
    assert_array_equal(seen.truth, codes)
    for s in list(Resampling.of("2x5").splits(codes, 4))[:5]:
        model = GaussianNB().fit(X.values[s.train], y[s.train])
        assert_allclose(seen.posterior[s.test], model.predict_proba(X.values[s.test]), rtol=1e-12)
        assert_array_equal(seen.answer[s.test], np.argmax(seen.posterior[s.test], 1))
    assert all(c.posterior is None for c in result.cells["GaussianNB"][5:])


def test_without_probabilities_there_are_answers_alone():
    for learner, options in ((GaussianNB(), {"probabilities": False}), (LinearSVC(), {}), (NoOdds(), {})):
        result = compare({"it": learner}, load_iris(), design="3-fold", **options)
        assert result.failures == {}
        seen = result.out_of_fold("it")
        assert seen.posterior is None and len(seen.answer) == 150


def test_probabilities_that_a_metric_needs_must_be_there():
    result = compare({"it": NoOdds()}, load_iris(), design="3-fold", metrics=["log-loss"])
    assert "no odds" in result.failures["it"]
    with pytest.raises(ParameterError, match="it answered on no split"):
        result.out_of_fold("it")


def test_the_splits_are_those_that_were_run_and_are_not_saved():
    result = compare(["lda"], load_iris(), design="2x3", random_state=5, groups=np.arange(150) // 2)
    for split, test, place in zip(result.splits, result.tests, result.places, strict=True):
        assert_array_equal(split.test, test)
        assert (split.repetition, split.fold, len(split.train)) == place
    again = pickle.loads(pickle.dumps(result))
    assert again.source is None and result.source is not None
    assert again.values("lda").tolist() == result.values("lda").tolist()
    with pytest.raises(ParameterError, match="saved without its rows"):
        _ = again.splits
