"""Who takes part, and under which name."""

import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay import compare
from assay.bayes import GaussianNB
from assay.errors import ParameterError
from assay.evaluate.candidates import as_candidates
from assay.tables import Table
from assay.tables.data import load_iris


def test_names_of_learners():
    X, y = load_iris()
    twice = compare([GaussianNB(), GaussianNB(var_smoothing=0.1), GaussianNB()], X, y, design="3-fold")
    assert twice.learners == ["GaussianNB", "GaussianNB(var_smoothing=0.1)", "GaussianNB (2)"]
    assert compare("LDA", X, y, design="3-fold").learners == ["lda"]
    assert compare(GaussianNB(), X, y, design="3-fold").learners == ["GaussianNB"]
    with pytest.raises(ParameterError, match=r"no learner 'naive byes'\. Did you mean naive bayes"):
        compare(["naive byes"], X, y)
    with pytest.raises(ParameterError, match=r"Give GaussianNB\(\) instead of GaussianNB"):
        compare([GaussianNB], X, y)
    with pytest.raises(ParameterError, match="no learner to compare"):
        compare([], X, y)
    with pytest.raises(ParameterError, match="a learner has fit and predict, got 3"):
        compare([3], X, y)


@pytest.mark.parametrize(
    ("learner", "kind"),
    [
        (LinearRegression(), "LinearRegression is a regressor"),
        (make_pipeline(StandardScaler(), LinearRegression()), "Pipeline is a regressor"),
        (KMeans(3), "KMeans is a clusterer"),
    ],
)
def test_only_classifiers_are_compared(learner, kind):
    """A regressor's numbers are no classes: its error would be 1."""
    with pytest.raises(ParameterError, match=kind):
        compare([learner], *load_iris())


def test_a_learner_that_cannot_be_copied_is_told_how_it_can():
    class Plain:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return X

    with pytest.raises(ParameterError, match=r"class Plain\(ClassifierMixin, BaseEstimator\)"):
        as_candidates([Plain()], Table.of([[1.0], [2.0]]))
