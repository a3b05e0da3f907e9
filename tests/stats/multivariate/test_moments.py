import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from assay.stats import correlation, covariance, mean_vector, z_scores

# Oracle: IML 5.2, data set T5, eleven points in the plane.
T5 = np.array([[1, 2], [2, 3], [3, 3], [4, 5], [5, 7], [4, 1], [5, 3], [6, 2], [7, 3], [8, 6], [6, 3]])


@pytest.mark.capability("IML-5-02")
def test_t5():
    assert_allclose(mean_vector(T5), [4.636364, 3.454545], atol=5e-7)
    assert_allclose(covariance(T5), [[4.049587, 1.256198], [1.256198, 2.975207]], atol=5e-7)
    assert_allclose(correlation(T5), [[1, 0.3619048], [0.3619048, 1]], atol=5e-8)
    assert_allclose(covariance(T5, unbiased=True), covariance(T5) * 11 / 10, rtol=1e-14)


@pytest.mark.capability("IML-5-02")
@given(seed=st.integers(0, 10**6), n=st.integers(2, 20), d=st.integers(1, 4))
@settings(max_examples=40, deadline=None)
def test_same_as_numpy_also_with_weights(seed, n, d):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d), rng.integers(1, 5, n)
    numpy_cov = np.cov(X.T, bias=True, fweights=w).reshape(d, d)
    size = np.sqrt(np.outer(np.diag(numpy_cov), np.diag(numpy_cov)))
    assert_allclose(covariance(X, w) / size, numpy_cov / size, atol=1e-12)
    assert_allclose(
        covariance(X, w, unbiased=True) / size, np.cov(X.T, fweights=w).reshape(d, d) / size, atol=1e-12
    )
    assert_allclose(correlation(X, w), correlation(np.repeat(X, w, axis=0)), atol=1e-12)
    assert_array_equal(covariance(X, w), covariance(X, w).T)


def test_zero_correlation_is_not_independence():
    x = np.arange(-3.0, 4.0)
    assert_allclose(correlation(np.column_stack([x, x**2])), np.eye(2), atol=1e-15)


def test_correlation_stays_within_bounds():
    x = np.array([0.1, 0.2, 0.30000000000000004])
    r = correlation(np.column_stack([x, 3 * x, -x]))
    assert (np.abs(r) <= 1).all()
    assert_allclose(r, [[1, 1, -1], [1, 1, -1], [-1, -1, 1]], atol=1e-12)


def test_constant_columns_have_no_correlation():
    frame = pd.DataFrame({"height": [1.0, 2.0, 3.0], "planet": [0.1, 0.1, 0.1]})
    with pytest.raises(ValueError, match='column "planet" is constant'):
        correlation(frame)


def test_missing_values_are_refused_by_name():
    frame = pd.DataFrame({"age": [1.0, 2.0], "pay": [3.0, np.nan]})
    for function in (mean_vector, covariance, correlation, z_scores):
        with pytest.raises(ValueError, match=r'row 2, column "pay" is nan; 1 such values.*impute'):
            function(frame)
    with pytest.raises(ValueError, match="column 1 is nan"):
        covariance(frame.to_numpy())


@pytest.mark.capability("IML-5-09")
def test_z_scores_have_mean_zero_and_variance_one():
    X = load_wine().data
    scores = z_scores(X)
    assert_allclose(scores.z.mean(axis=0), 0, atol=1e-13)
    assert_allclose(scores.z.var(axis=0), 1, rtol=1e-12)
    assert_allclose(scores.z, StandardScaler().fit_transform(X), atol=1e-12)
    assert_allclose(z_scores(X, unbiased=True).z.var(axis=0, ddof=1), 1, rtol=1e-12)


@pytest.mark.capability("IML-5-09")
def test_z_scores_of_further_rows_and_with_weights():
    X = load_wine().data
    train = z_scores(X[:100])
    later = z_scores(X[100:], mean=train.mean, scale=train.scale)
    assert_allclose(later.z, StandardScaler().fit(X[:100]).transform(X[100:]), atol=1e-12)
    w = np.arange(100) % 3
    assert_allclose(z_scores(X[:100], w).scale, np.repeat(X[:100], w, axis=0).std(axis=0), rtol=1e-12)


def test_constant_column_becomes_zeros():
    scores = z_scores([[0.1, 1.0], [0.1, 2.0], [0.1, 3.0]])
    assert_allclose(scores.z[:, 0], 0, atol=1e-15)
    assert scores.scale[0] == 1


def test_bad_shapes_are_named():
    with pytest.raises(ValueError, match="n rows and d columns, got shape"):
        covariance([1, 2, 3])
    with pytest.raises(ValueError, match="more than one row"):
        covariance([[1, 2]], unbiased=True)
    with pytest.raises(ValueError, match="scales above 0"):
        z_scores([[1, 2]], mean=[0, 0], scale=[1, 0])
