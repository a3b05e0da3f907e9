"""Flexible discriminant analysis: optimal scoring with any regression."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeRegressor

from assay.bayes import LinearDiscriminantAnalysis
from assay.errors import DegenerateError, ParameterError
from assay.linear import FlexibleDiscriminantAnalysis, Lasso, Ridge
from assay.tables.data import load_iris

X, Y = np.asarray(load_iris().X), load_iris().y


@pytest.mark.capability("IML-6-19")
@pytest.mark.parametrize("load", [lambda: (X, Y), lambda: load_wine(return_X_y=True)], ids=["iris", "wine"])
@pytest.mark.parametrize("priors", [None, [0.5, 0.3, 0.2]])
def test_least_squares_gives_linear_discriminants(load, priors):
    A, y = load()
    ours = FlexibleDiscriminantAnalysis(priors=priors).fit(A, y)
    lda = LinearDiscriminantAnalysis(priors=priors).fit(A, y)
    assert (ours.predict(A) == lda.predict(A)).all()
    assert_allclose(ours.predict_proba(A), lda.predict_proba(A), atol=1e-8)
    if priors is None:
        gaps = ours.transform(A) - ours.transform(A[:1]), lda.transform(A) - lda.transform(A[:1])
        assert_allclose(np.abs(gaps[0]), np.abs(gaps[1]), atol=1e-8)


def test_scores_are_uncorrelated_and_their_shares_are_squared_correlations():
    model = FlexibleDiscriminantAnalysis().fit(X, Y)
    theta = model.scores_[np.unique(Y, return_inverse=True)[1]]
    assert_allclose(theta.T @ theta / 150, np.eye(2), atol=1e-12)
    assert_allclose(theta.mean(axis=0), 0, atol=1e-12)
    assert_allclose(np.sqrt(model.shares_), [0.984821, 0.471197], atol=5e-7)  # canonical with the indicators


@pytest.mark.parametrize(
    "estimator",
    [
        make_pipeline(StandardScaler(), PolynomialFeatures(2), Ridge(0.1)),
        DecisionTreeRegressor(max_depth=3, random_state=0),
        Lasso(0.01),  # takes one target
    ],
    ids=["basis", "tree", "one target"],
)
def test_any_regression_will_do(estimator):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(300, 2))
    y = np.select([(A**2).sum(axis=1) < 0.7, A[:, 0] > 0], ["middle", "right"], "left")
    model = FlexibleDiscriminantAnalysis(estimator).fit(A, y)
    line = LinearDiscriminantAnalysis().fit(A, y)
    assert model.score(A, y) >= line.score(A, y) - 0.02
    assert model.transform(A).shape == (300, 2)
    if not isinstance(estimator, Lasso):
        assert model.score(A, y) > line.score(A, y) + 0.09


def test_weights_are_repeats_and_a_prefix_of_the_scores():
    counts = np.random.default_rng(1).integers(1, 3, 150)
    weighted = FlexibleDiscriminantAnalysis(n_components=1).fit(X, Y, sample_weight=counts)
    repeated = FlexibleDiscriminantAnalysis(n_components=1).fit(
        np.repeat(X, counts, axis=0), np.repeat(Y, counts)
    )
    assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)
    assert weighted.transform(X).shape == (150, 1)
    assert "Along the discriminants" in str(weighted.explain(X[:1]))


def test_errors_say_what_is_wrong():
    with pytest.raises(ParameterError, match="n_classes - 1 = 2, got 3"):
        FlexibleDiscriminantAnalysis(n_components=3).fit(X, Y)
    with pytest.raises(DegenerateError, match="none of the classes"):
        FlexibleDiscriminantAnalysis(Lasso(100.0)).fit(X, Y)
    assert FlexibleDiscriminantAnalysis(DecisionTreeRegressor()).fit(X, Y).score(X, Y) == 1
