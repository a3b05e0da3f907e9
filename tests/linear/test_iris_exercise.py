"""The exercise of the chapter on classification: iris, standardised, split 8 to 2, softmax regression and two schemes.

Oracle: a reference run with scikit-learn's split of random_state 2020, C = 1; test counts 10, 10, 10.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from assay.ensembles import OneVsOneClassifier, OneVsRestClassifier
from assay.linear import LogisticRegression
from assay.metrics import f1_score, precision_score, recall_score
from assay.prepare import StandardScaler

X, Y = load_iris(return_X_y=True)
Z = StandardScaler().fit_transform(X)
COEF = [
    (-0.98184327, 1.13506913, -1.62636968, -1.5894316),
    (0.42278012, -0.72899825, -0.15284391, -0.91509395),
    (0.55906315, -0.40607088, 1.77921359, 2.50452555),
]


@pytest.mark.capability("C3-79")
def test_softmax_regression():
    train, test, y_train, y_test = train_test_split(Z, Y, test_size=0.2, random_state=2020)
    assert_array_equal(np.bincount(y_test), [10, 10, 10])
    model = LogisticRegression(tol=1e-10, max_iter=1000).fit(train, y_train)
    assert_allclose(model.coef_, COEF, atol=2e-6)
    assert_allclose(model.intercept_, [-0.2007735, 1.74556803, -1.54479453], atol=2e-6)
    assert model.score(train, y_train) == pytest.approx(0.9916667, abs=1e-7)
    answers = model.predict(test)
    assert_array_equal(confusion_matrix(y_test, answers), [[9, 1, 0], [0, 8, 2], [0, 3, 7]])
    measures = [f(y_test, answers, average="macro") for f in (precision_score, recall_score, f1_score)]
    assert_allclose(measures, [0.8148148, 0.8, 0.8038278], atol=1e-7)
    rows = train_test_split(np.arange(150), test_size=0.2, random_state=2020)[1]
    assert sorted(rows[answers != y_test].tolist()) == [41, 70, 77, 106, 119, 134]


@pytest.mark.capability("C3-79")
@pytest.mark.parametrize(
    "scheme, train_accuracy, test_accuracy, table",
    [
        (OneVsRestClassifier, 0.95, 0.7333333, [[9, 1, 0], [0, 6, 4], [0, 3, 7]]),
        (OneVsOneClassifier, 0.9916667, 0.8333333, [[10, 0, 0], [0, 8, 2], [0, 3, 7]]),
    ],
)
def test_schemes_of_binary_problems(scheme, train_accuracy, test_accuracy, table):
    train, test, y_train, y_test = train_test_split(Z, Y, test_size=0.2, random_state=2020)
    model = scheme(LogisticRegression(tol=1e-10, max_iter=1000)).fit(train, y_train)
    assert model.score(train, y_train) == pytest.approx(train_accuracy, abs=1e-7)
    assert model.score(test, y_test) == pytest.approx(test_accuracy, abs=1e-7)
    assert_array_equal(confusion_matrix(y_test, model.predict(test)), table)


@pytest.mark.capability("C3-79")
@pytest.mark.parametrize(
    "scheme, train_accuracy, test_accuracy",
    [
        (lambda learner: learner, 0.9833333, 0.8666667),
        (OneVsRestClassifier, 0.9583333, 0.8),
        (OneVsOneClassifier, 0.9916667, 0.8666667),
    ],
)
def test_without_standardising(scheme, train_accuracy, test_accuracy):
    train, test, y_train, y_test = train_test_split(X, Y, test_size=0.2, random_state=2020)
    model = scheme(LogisticRegression(tol=1e-10, max_iter=1000)).fit(train, y_train)
    assert model.score(train, y_train) == pytest.approx(train_accuracy, abs=1e-7)
    assert model.score(test, y_test) == pytest.approx(test_accuracy, abs=1e-7)
