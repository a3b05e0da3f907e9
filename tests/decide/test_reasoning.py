"""Explanations of classifiers around another."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from assay.bayes import GaussianNB
from assay.decide import (
    CalibratedClassifierCV,
    ConformalClassifier,
    DecisionRule,
    FixedThresholdClassifier,
    TunedThresholdClassifierCV,
)

X, y = load_iris(return_X_y=True)
TWO = np.minimum(y, 1)


@pytest.mark.parametrize(
    "make",
    [
        DecisionRule,
        FixedThresholdClassifier,
        TunedThresholdClassifierCV,
        CalibratedClassifierCV,
        ConformalClassifier,
    ],
)
@pytest.mark.parametrize(
    "inner", [GaussianNB(), DecisionTreeClassifier(random_state=0)], ids=["ours", "stranger"]
)
def test_every_wrapper_explains_its_own_answer(make, inner):
    model = make(inner).fit(X, TWO)
    several = model.explain(X[:3])
    assert len(several) == 3
    one = model.explain(X[60:61])
    assert one.learner.startswith(make.__name__ + " of ")
    assert list(one.row.values()) == X[60].tolist()
    assert one.sections
    if make is not ConformalClassifier:
        assert [e.answer for e in several] == model.predict(X[:3]).tolist()
    else:
        assert one.answer == "{1}"


def test_a_threshold_is_shown_beside_the_score():
    model = FixedThresholdClassifier(GaussianNB(), threshold=0.9).fit(X, TWO)
    section = model.explain(X[60:61]).sections[-1]
    assert section.title == "Threshold"
    assert section.rows[0][0] == "1"
    assert section.rows[0][1] == model.predict_proba(X[60:61])[0, 1]
    assert section.rows[0][2] == 0.9


def test_weights_of_more_classes_are_shown_with_their_products():
    model = TunedThresholdClassifierCV(GaussianNB(), scoring="accuracy").fit(X, y)
    explanation = model.explain(X[60:61])
    products = [row[3] for row in explanation.sections[-1].rows]
    assert explanation.answer == int(np.argmax(products))
