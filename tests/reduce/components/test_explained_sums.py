"""What each column adds to each new column: terms that sum to the row's transform, with values missing or not."""

import numpy as np
import pytest

from assay.reduce import (
    NMF,
    PCA,
    PLSSVD,
    FactorAnalysis,
    GeneralizedCCA,
    KarhunenLoeve,
    MatrixFactorization,
    MiniBatchNMF,
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


@pytest.mark.filterwarnings("ignore:.*Maximum number of iterations")
@pytest.mark.parametrize(
    "model",
    [
        NMF(2, tol=1e-10, max_iter=3000, alpha_W=0.01, l1_ratio=0.5),
        NMF(2, solver="mu", beta_loss="kullback-leibler"),
        MiniBatchNMF(2, beta_loss="itakura-saito"),
        MatrixFactorization(2),
        MatrixFactorization(2, biases=False, penalty=0.3),
    ],
    ids=str,
)
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1e100])
def test_terms_of_factors_sum_to_them_and_skip_what_is_missing(model, missing, scale):
    X = np.array(load_iris().X.values) * scale
    if missing:
        X[5, 1] = X[40, 2] = np.nan
    rows = X[[5, 40, 100]]
    terms = model.fit(X).explain(rows).reasons.contributions(np.arange(3)).values
    np.testing.assert_allclose(terms.sum(axis=1), model.transform(rows), rtol=1e-8, atol=1e-12 * scale**0.5)
    assert missing == (not terms[0, 1].any()) and missing == (not terms[1, 2].any())


def test_the_share_of_a_column_in_a_part_is_its_part_of_the_stationary_equation():
    """Frobenius, no penalty: sum_j h_kj x_j = sum_j h_kj f_j of the fitted f, so j adds w_k h_kj x_j / sum h_k f."""
    X = np.array(load_iris().X.values)
    nmf = NMF(2, tol=1e-12, max_iter=5000).fit(X)
    W, H = nmf.transform(X[:9]), nmf.components_
    terms = nmf.explain(X[:9]).reasons.contributions(np.arange(9)).values
    expected = np.einsum("ik,kj,ij->ijk", W, H, X[:9]) / np.einsum("kj,ij->ik", H, W @ H)[:, None]
    np.testing.assert_allclose(terms, expected, rtol=1e-5, atol=1e-9)
