"""Rows of float32: coefficients and answers stay float32, as with scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array

from assay.bayes import LinearDiscriminantAnalysis
from assay.linear import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    SGDClassifier,
    SGDRegressor,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 4))
number = X[:, 0] + 0.1 * rng.normal(size=60)
REGRESSORS = [
    LinearRegression(),
    Ridge(),
    RidgeCV(),
    Lasso(0.01),
    ElasticNet(0.01),
    LassoCV(),
    ElasticNetCV(),
]
REGRESSORS += [SGDRegressor(random_state=0)]
CLASSIFIERS = [LogisticRegression(), RidgeClassifier(), RidgeClassifierCV(), SGDClassifier(random_state=0)]


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
@pytest.mark.parametrize("table", [np.asarray, csr_array])
def test_regressors(model, table):
    double = model.fit(table(X), number).predict(table(X))
    assert model.coef_.dtype == double.dtype == np.float64
    single = model.fit(table(X.astype(np.float32)), number).predict(table(X.astype(np.float32)))
    assert model.coef_.dtype == single.dtype == np.float32
    assert_allclose(single, double, atol=1e-3)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
@pytest.mark.parametrize("y", [number > 0, np.digitize(number, [-0.5, 0.5])], ids=["two", "three"])
def test_classifiers(model, y):
    double = model.fit(X, y).decision_function(X)
    assert model.coef_.dtype == double.dtype == np.float64
    single = model.fit(X.astype(np.float32), y).decision_function(X.astype(np.float32))
    assert model.coef_.dtype == single.dtype == np.float32
    assert_allclose(single, double, rtol=1e-2, atol=1e-3)


def test_probabilities_and_coordinates():
    small, y = X.astype(np.float32), number > 0
    assert LogisticRegression().fit(small, y).predict_proba(small).dtype == np.float32
    discriminant = LinearDiscriminantAnalysis().fit(small, y)
    assert discriminant.transform(small).dtype == discriminant.coef_.dtype == np.float32
    assert LogisticRegression(solver="liblinear").fit(small, y).coef_.dtype == np.float64
