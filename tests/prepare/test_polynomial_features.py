"""Products of columns: the terms, their order and names, sparse and dense, and scikit-learn's."""

import itertools
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import preprocessing
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from assay.errors import DataError, ParameterError
from assay.prepare.polynomial_features import PolynomialFeatures


def products_by_the_book(X, degree, interaction_only, include_bias):
    """Twin of the native code: each term as the product of the columns that it names."""
    low, high = degree
    choose = itertools.combinations if interaction_only else itertools.combinations_with_replacement
    terms = [()] if include_bias else []
    for r in range(max(1, low), high + 1):
        terms += list(choose(range(X.shape[1]), r))
    return np.column_stack([np.prod(X[:, list(term)], axis=1) for term in terms]), terms


settings_of_one = {
    "d": st.integers(1, 5),
    "degree": st.tuples(st.integers(0, 3), st.integers(1, 4)).map(sorted).map(tuple),
    "interaction_only": st.booleans(),
    "include_bias": st.booleans(),
    "seed": st.integers(0, 99),
}


@settings(max_examples=60, deadline=None)
@given(**settings_of_one, order=st.sampled_from("CF"), dtype=st.sampled_from([np.float64, np.float32]))
def test_dense_terms_are_products(d, degree, interaction_only, include_bias, seed, order, dtype):
    if interaction_only and degree[0] > d and not include_bias:
        return  # nothing would be left
    X = np.random.default_rng(seed).normal(size=(7, d)).astype(dtype)
    model = PolynomialFeatures(
        degree, interaction_only=interaction_only, include_bias=include_bias, order=order
    )
    out = model.fit_transform(X)
    if interaction_only and degree[0] > d:
        assert_array_equal(out, np.ones((7, 1)))
        return
    expected, terms = products_by_the_book(X, degree, interaction_only, include_bias)
    assert out.dtype == dtype and out.flags[f"{order}_CONTIGUOUS"]
    assert_allclose(out, expected, rtol=1e-5 if dtype == np.float32 else 1e-13)
    assert model.n_output_features_ == len(terms)
    assert_array_equal(model.powers_, [np.bincount(term, minlength=d) for term in map(list, terms)])


@settings(max_examples=60, deadline=None)
@given(
    **settings_of_one, form=st.sampled_from(["csr", "csc"]), dtype=st.sampled_from([np.float64, np.float32])
)
def test_sparse_terms_are_those_of_the_dense_table(
    d, degree, interaction_only, include_bias, seed, form, dtype
):
    S = sp.random(9, d, 0.5, format=form, random_state=seed, dtype=dtype)
    model = PolynomialFeatures(degree, interaction_only=interaction_only, include_bias=include_bias)
    if interaction_only and degree[0] > d:
        return
    out = model.fit_transform(S)
    out.check_format(full_check=True)
    assert out.format == form and out.dtype == dtype and out.has_sorted_indices
    assert_allclose(out.toarray(), model.transform(S.toarray()), rtol=1e-5 if dtype == np.float32 else 1e-13)


@pytest.mark.capability("IML-10-03")
def test_the_terms_of_two_columns():
    """IML 10.2: (x1, x2) gives x1, x2, x1^2, x1 x2, x2^2."""
    model = PolynomialFeatures(2, include_bias=False).fit([[2.0, 3.0]])
    assert list(model.get_feature_names_out()) == ["x0", "x1", "x0^2", "x0 x1", "x1^2"]
    assert_array_equal(model.transform([[2.0, 3.0]]), [[2, 3, 4, 6, 9]])


@pytest.mark.parametrize("load", [load_iris, load_diabetes, load_breast_cancer])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"degree": 3},
        {"degree": (2, 2)},
        {"interaction_only": True, "include_bias": False},
        {"order": "F"},
    ],
    ids=str,
)
def test_same_table_as_scikit_learn(load, parameters):
    """Peer: PolynomialFeatures, scikit-learn 1.9; the products are formed in the same order, so bit for bit."""
    X = load().data[:, :8]
    ours, peer = (
        PolynomialFeatures(**parameters).fit(X),
        preprocessing.PolynomialFeatures(**parameters).fit(X),
    )
    assert_array_equal(ours.transform(X), peer.transform(X))
    assert_array_equal(ours.powers_, peer.powers_)
    assert_array_equal(ours.get_feature_names_out(), peer.get_feature_names_out())
    assert ours.n_output_features_ == peer.n_output_features_
    S = sp.csr_matrix(np.where(np.median(X) < X, X, 0))
    assert_allclose(ours.transform(S).toarray(), peer.transform(S).toarray(), rtol=1e-14)


def test_threads_and_blocks_do_not_change_a_bit(monkeypatch):
    X = np.random.default_rng(0).normal(size=(5000, 6))
    S = sp.random(3000, 40, 0.2, format="csr", random_state=0)
    whole = PolynomialFeatures(3).fit(X), PolynomialFeatures(2).fit(S)
    expected = whole[0].transform(X), whole[1].transform(S)
    monkeypatch.setattr("assay.prepare.polynomial_features.BLOCK_BYTES", 8000)
    monkeypatch.setenv("ASSAY_NUM_THREADS", "2")
    assert_array_equal(whole[0].transform(X), expected[0])
    assert_array_equal(PolynomialFeatures(3, order="F").fit(X).transform(X), expected[0])
    assert (whole[1].transform(S) != expected[1]).nnz == 0


def test_a_very_wide_sparse_table():
    """The number of a term is counted exactly, also beyond 32 bits; peer: math.comb."""
    d = 200_000
    S = sp.csr_matrix(([2.0, 3.0, 5.0], ([0, 0, 1], [d - 2, d - 1, 7])), shape=(2, d))
    out = PolynomialFeatures(2).fit_transform(S)
    assert out.shape == (2, 1 + d + math.comb(d + 1, 2))
    width = out.shape[1]
    assert_array_equal(out[0].indices, [0, d - 1, d, width - 3, width - 2, width - 1])
    assert_array_equal(out[0].data, [1, 2, 3, 4, 6, 9])
    assert_array_equal(out[1].indices, [0, 8, 1 + d + math.comb(d + 1, 2) - math.comb(d - 7 + 1, 2)])


def test_duplicates_and_disorder_in_a_sparse_row():
    S = sp.csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    out = PolynomialFeatures(2).fit_transform(S)
    assert_array_equal(out.toarray(), [[1, 2, 4, 4, 8, 16]])
    assert S.nnz == 3  # the caller's matrix stays as it was


def test_a_frame_stays_a_frame():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=["p", "q"])
    out = PolynomialFeatures(include_bias=False).fit_transform(frame)
    assert list(out.columns) == ["a", "b", "a^2", "a b", "b^2"] and list(out.index) == ["p", "q"]
    assert_array_equal(out["a b"], [3, 8])
    assert PolynomialFeatures().fit_transform(pl.from_pandas(frame)).columns == [
        "1",
        "a",
        "b",
        "a^2",
        "a b",
        "b^2",
    ]
    numbered = PolynomialFeatures().fit_transform(pd.DataFrame([[1.0, 2.0]]))
    assert list(map(str, numbered.columns)) == ["1", "x0", "x1", "x0^2", "x0 x1", "x1^2"]
    with pytest.raises(ParameterError, match=r"a\^2"):
        PolynomialFeatures().fit_transform(pd.DataFrame({"a": [1.0], "a^2": [2.0]}))


def test_indicators_are_not_multiplied_with_themselves_or_their_likes():
    frame = pd.DataFrame({"size": [2.0, 3.0, 4.0], "hue": ["red", "green", "blue"]})
    out = PolynomialFeatures(include_bias=False).fit_transform(frame)
    kinds = [f"hue={c}" for c in ("blue", "green", "red")]
    assert list(out.columns) == ["size", *kinds, "size^2", *(f"size {k}" for k in kinds)]
    assert_array_equal(out["size hue=green"], [0, 3, 0])


def test_names_of_other_columns():
    model = PolynomialFeatures().fit([[1.0, 2.0]])
    assert list(model.get_feature_names_out(["p", "q"])) == ["1", "p", "q", "p^2", "p q", "q^2"]
    with pytest.raises(ValueError, match="length"):
        model.get_feature_names_out(["p"])


@pytest.mark.parametrize("degree", [-1, 1.5, "two", (3, 2), (1, 2, 3), (0, 1.5), True])
def test_a_wrong_degree_is_named(degree):
    with pytest.raises(ParameterError, match="PolynomialFeatures: degree must be"):
        PolynomialFeatures(degree).fit([[1.0]])


def test_empty_and_oversized_tables_are_refused():
    with pytest.raises(ValueError, match="empty output array"):
        PolynomialFeatures(0, include_bias=False).fit([[1.0]])
    with pytest.raises(ParameterError, match="too large to be indexed"):
        PolynomialFeatures(40).fit(np.ones((1, 1000)))
    with pytest.raises(DataError, match="missing"):
        PolynomialFeatures().fit([[np.nan]])


@pytest.mark.parametrize("form", [np.array, sp.csr_matrix])
def test_products_beyond_the_floats_are_refused(form):
    model = PolynomialFeatures(2).fit(form([[1.0, 2.0]]))
    with pytest.raises(DataError, match=r"numbers up to 1e\+200 are beyond the floats .* Scale the columns"):
        model.transform(form([[1.0, 1e200]]))
    assert PolynomialFeatures(2, interaction_only=True).fit_transform(form([[1e200, 1e100]])).max() == 1e300
    with pytest.raises(DataError, match="float32"):
        model.transform(form(np.array([[1.0, 1e20]], dtype=np.float32)))
