"""What is put in front of a learner."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from assay.bayes import GaussianNB, JointBayes, NaiveBayes
from assay.evaluate.prepared import Indicators, prepared
from assay.neighbors import KNeighborsClassifier
from assay.tables import Table
from assay.trees import NeuralTreeClassifier

WHOLE = Table.of([[1.0], [2.0]])
WITH_MISSING = Table.of([[1.0], [None]])
MIXED = Table.of([[1.0, "a"], [2.0, "b"]])


@parametrize_with_checks([Indicators()])
def test_indicators_pass_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("learner", "table", "scale", "words", "kind"),
    [(GaussianNB(), WHOLE, False, "", "GaussianNB"),
     (GaussianNB(), WITH_MISSING, False, "imputed", "Prepared"),
     (GaussianNB(), WHOLE, True, "scaled", "Prepared"),
     (GaussianNB(), MIXED, False, "", "Prepared"),  # a category unseen in a fold is a missing value
     (NaiveBayes(), WITH_MISSING, False, "", "NaiveBayes"),
     (JointBayes(), WITH_MISSING, False, "imputed", "Pipeline"),  # takes missing values in predict alone
     (JointBayes(), MIXED, False, "", "JointBayes"),
     (LogisticRegression(), WITH_MISSING, True, "imputed, scaled", "Pipeline"),
     (LogisticRegression(), MIXED, False, "indicators", "Pipeline"),
     (HistGradientBoostingClassifier(), WITH_MISSING, False, "", "Pipeline"),
     (make_pipeline(LogisticRegression()), WITH_MISSING, False, "own pipeline", "Pipeline")],
)  # fmt: skip
def test_only_what_is_needed(learner, table, scale, words, kind):
    candidate = prepared("it", learner, table, scale)
    assert candidate.words == words
    assert type(candidate.estimator).__name__ == kind
    assert candidate.learner is learner


def test_a_stranger_without_tags_gets_plain_numbers():
    class Stranger:
        def fit(self, X, y):
            self.seen = X
            return self

        def predict(self, X):
            return X

    candidate = prepared("it", Stranger(), Table.of([[1.0, "a"], [None, "b"]]))
    assert candidate.words == "imputed, indicators"
    model = candidate.estimator.fit(Table.of([[1.0, "a"], [None, "b"]]), [0, 1])
    assert_allclose(model.steps[-1][1].seen, [[1, 1, 0], [1, 0, 1]])


def test_open_seeds_are_found_in_parts_too():
    class Random(ClassifierMixin, BaseEstimator):
        def __init__(self, random_state=None):
            self.random_state = random_state

    assert prepared("it", Random(), WHOLE).open_seeds == ["random__random_state"]
    assert prepared("it", Random(3), WHOLE).open_seeds == []
    assert np.isscalar(Random(3).random_state)


def test_a_sparse_table_is_not_scaled():
    from scipy.sparse import csr_array

    found = prepared("knn", KNeighborsClassifier(), Table.of(csr_array(np.eye(4))), scale=True)
    assert found.words == "" and found.estimator is found.learner


def test_a_parameter_called_steps_makes_no_pipeline():
    table = Table.of([[1.0], [None]])
    candidate = prepared("neural tree", NeuralTreeClassifier(), table)
    assert candidate.words == "imputed" and not candidate.raw
