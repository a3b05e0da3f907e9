"""Components of the covariance within classes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import ParameterError
from assay.reduce import KarhunenLoeve
from assay.tables.data import load_iris

X, Y = np.asarray(load_iris().X), load_iris().y


@pytest.mark.capability("IML-6-17")
@pytest.mark.parametrize("priors", ["equal", None, [1 / 3, 1 / 3, 1 / 3]])
def test_eigenvalues_of_the_flowers(priors):
    model = KarhunenLoeve(priors=priors).fit(X, Y)
    assert_allclose(model.explained_variance_, [0.434695, 0.084460, 0.054245, 0.021916], atol=5e-7)
    assert_allclose(model.components_[0], [0.737753, 0.320566, 0.572851, 0.157480], atol=5e-7)


def test_new_columns_are_uncorrelated_within_classes_on_average():
    rng = np.random.default_rng(0)
    some = rng.permutation(150)[:100]
    model = KarhunenLoeve(priors=[0.5, 0.3, 0.2]).fit(X[some], Y[some])
    Z = model.transform(X[some])
    S = sum(p * np.cov(Z[Y[some] == k].T, bias=True) for p, k in zip([0.5, 0.3, 0.2], model.classes_))
    assert_allclose(S, np.diag(model.explained_variance_), atol=1e-12)
    assert_allclose(model.inverse_transform(Z), X[some], atol=1e-12)
    parts = KarhunenLoeve(priors=[0.5, 0.3, 0.2]).partial_fit(
        X[some[:50]], Y[some[:50]], classes=model.classes_
    )
    parts.partial_fit(X[some[50:]], Y[some[50:]])
    assert_allclose(parts.components_, model.components_, atol=1e-10)


def test_more_components_than_columns_are_refused():
    with pytest.raises(ParameterError, match="at most the number of columns, 4"):
        KarhunenLoeve(n_components=5).fit(X, Y)


def test_classes_may_come_with_later_blocks():
    iris = load_iris()
    X, y = np.asarray(iris.X), np.asarray(iris.y)
    whole, parts = KarhunenLoeve().fit(X, y), KarhunenLoeve()
    for rows in (slice(100, 150), slice(0, 60), slice(60, 100)):  # the last class first
        parts.partial_fit(X[rows], y[rows])
    assert_allclose(parts.within_, whole.within_, rtol=1e-12)
    assert_allclose(parts.components_, whole.components_, atol=1e-10)
    assert parts.classes_.tolist() == whole.classes_.tolist()
