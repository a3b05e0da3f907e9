"""What each column adds to each new column: terms that sum to the row's transform, with values missing or not."""

import numpy as np
import pytest

from assay.reduce import (
    PCA,
    PLSSVD,
    FactorAnalysis,
    GeneralizedCCA,
    KarhunenLoeve,
    ProbabilisticCCA,
    ProbabilisticPCA,
    TruncatedSVD,
)
from assay.tables.data import load_iris

VIEWS = [["sepal length (cm)", "sepal width (cm)"], ["petal length (cm)", "petal width (cm)"]]


@pytest.mark.parametrize(
    "model",
    [
        PCA(2, whiten=True, standardize=True),
        TruncatedSVD(2),
        KarhunenLoeve(n_components=2),
        FactorAnalysis(1, method="principal"),
        FactorAnalysis(1, method="axes", max_iter=5000, standardize=True),
        ProbabilisticPCA(2),
        PLSSVD(2),
        ProbabilisticCCA(1),
        GeneralizedCCA(2, views=VIEWS),
        GeneralizedCCA(1, views=VIEWS, output="consensus"),
    ],
    ids=str,
)
def test_terms_of_the_columns_sum_to_the_components(model):
    X, y = load_iris().X, load_iris().y
    second = np.asarray(X)[:, ::-1] ** 2
    model.fit(X, second) if isinstance(model, (PLSSVD, ProbabilisticCCA)) else model.fit(X, y)
    Z = np.asarray(model.transform(X[:3]))
    terms = model.explain(X[:3]).reasons.contributions(np.arange(3))
    assert list(terms.outputs) == list(model.get_feature_names_out())
    np.testing.assert_allclose(terms.values.sum(axis=1), Z, rtol=1e-9, atol=1e-12)
    assert model.explain(X[:1]).answer == pytest.approx(Z[0].tolist())


@pytest.mark.parametrize("model", [PCA(2), ProbabilisticPCA(2)], ids=str)
def test_missing_values_add_what_is_expected_of_them(model):
    X = np.array(load_iris().X.values)
    X[5, 1] = X[40, 2] = np.nan
    terms = model.fit(X).explain(X[[5, 40]]).reasons.contributions(np.arange(2))
    np.testing.assert_allclose(terms.values.sum(axis=1), model.transform(X[[5, 40]]), rtol=1e-9)
