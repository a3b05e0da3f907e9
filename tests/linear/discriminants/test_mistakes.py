"""The perceptron's native code against its readable twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from assay.errors import DataError, DegenerateError
from assay.linear.discriminants.mistakes import SignedRows, Walk, refuse_huge


def visits_by_the_book(
    X, y, weight, order, begin, limit, rate, margin, tie_is_mistake, bias, w, drift, visits
):
    """The twin: one row after another, in NumPy."""
    w, drift, corrected, t = w.copy(), drift.copy(), [], begin
    while t < len(order) and len(corrected) < limit:
        i = order[t]
        m = y[i] * (w[0] + X[i] @ w[1:]) - margin
        if m < 0 or (m == 0 and (tie_is_mistake or y[i] < 0)):
            move = rate * weight[i] * y[i] * np.append(float(bias), X[i])
            w += move
            drift += (visits + t) * move
            corrected.append(i)
        t += 1
    return t, corrected, w, drift


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10_000),
    st.integers(1, 25),
    st.integers(1, 9),
    st.sampled_from([0.0, 0.5]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_the_kernel_walks_like_its_twin(seed, n, d, margin, tie, bias, sparse):
    """Whole numbers, so that both are exact and ties occur."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (n, d)).astype(float)
    codes, weight = rng.integers(0, 2, n), rng.integers(0, 3, n).astype(float)
    weight[0] = 1.0
    rows = SignedRows(
        csr_array(X) if sparse else X, codes, weight, margin=margin, tie_is_mistake=tie, bias=bias
    )
    order = rng.integers(0, n, 3 * n)
    begin, limit, visits = int(rng.integers(0, n)), int(rng.integers(1, 2 * n)), int(rng.integers(0, 9))
    w, drift = rng.integers(-1, 2, d + 1).astype(float), np.zeros(d + 1)
    expected = visits_by_the_book(
        X, 2.0 * codes - 1, weight, order, begin, limit, 0.5, margin, tie, bias, w, drift, visits
    )
    walk = Walk(drift.copy(), visits)
    end, corrected = rows.correct(w, order, 0.5, walk, begin, limit)
    assert end == expected[0]
    assert_array_equal(corrected, expected[1])
    assert_array_equal(w, expected[2])
    assert_array_equal(walk.drift, expected[3])


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_rows_of_both_index_types(index):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 7)) * (rng.random((30, 7)) < 0.4)
    sparse = csr_array(X)
    sparse.indices, sparse.indptr = sparse.indices.astype(index), sparse.indptr.astype(index)
    codes, order, results = rng.integers(0, 2, 30), np.arange(30), []
    for rows in (X, sparse):
        w = np.zeros(8)
        SignedRows(rows, codes, None).correct(w, order, 1.0, Walk(np.empty(0)))
        results.append(w)
    assert_allclose(results[0], results[1], atol=1e-13)


def test_the_mean_of_the_walk():
    """The mean over all visits, added up without the trick."""
    rng = np.random.default_rng(3)
    X, codes = rng.normal(size=(12, 3)), rng.integers(0, 2, 12)
    rows, w, seen = SignedRows(X, codes, None), np.zeros(4), []
    walk, whole = Walk(np.zeros(4)), np.zeros(4)
    for _ in range(3):
        for i in range(12):
            rows.correct(w, np.array([i]), 1.0, Walk(np.empty(0)))
            seen.append(w.copy())
        end, _ = rows.correct(whole, np.arange(12), 1.0, walk)
        walk.visits += end
    assert_allclose(walk.mean(whole), np.mean(seen, axis=0), rtol=1e-12, atol=1e-12)


def test_all_mistakes_at_once_is_a_step_against_the_gradient():
    rng = np.random.default_rng(4)
    X, codes, w = rng.normal(size=(20, 3)), rng.integers(0, 2, 20), rng.normal(size=4)
    y, ones = 2 * codes - 1, np.column_stack([np.ones(20), X])
    wrong = y * (ones @ w) < 0
    expected = w + 0.3 * (y[:, None] * ones)[wrong].sum(axis=0)
    assert SignedRows(X, codes, None).correct_all(w, 0.3) == wrong.sum()
    assert_allclose(w, expected, rtol=1e-12)


def test_rows_without_weight_are_not_counted():
    rows = SignedRows(np.array([[1.0], [1.0], [2.0]]), np.array([0, 0, 1]), np.array([0.0, 2.0, 1.0]))
    assert_array_equal(rows.rows, [1, 2])
    assert rows.wrong(np.array([0.5, 1.0])) == 2.0
    w = np.array([0.5, 1.0])
    assert rows.correct_all(w, 1.0) == 1
    assert_allclose(w, [-1.5, -1.0])


def test_numbers_that_overflow_are_refused():
    rows = SignedRows(np.array([[1e99], [-1e99]]), np.array([0, 1]), None, who="PerceptronRule")
    with pytest.raises(DegenerateError, match=r"PerceptronRule: the weights overflowed.*Scale the columns"):
        rows.correct(np.zeros(2), np.array([0, 1]), 1e300, Walk(np.empty(0)))


def test_a_broken_sparse_matrix_is_refused():
    broken = csr_array(np.eye(3))
    broken.indices[1] = 17
    with pytest.raises(DataError, match="sparse matrix is damaged"):
        SignedRows(broken, np.array([0, 1, 1]), None)


def test_heavy_rows_are_refused_where_weights_are_squared():
    refuse_huge(np.ones((2, 1)), "Learner", 1e100)
    with pytest.raises(DegenerateError, match=r"the rows weigh 1e\+160 together"):
        refuse_huge(np.ones((2, 1)), "Learner", 1e160)
    with pytest.raises(DegenerateError, match=r"X holds 1e\+149"):
        refuse_huge(np.full((2, 1), 1e149), "Learner", 100.0)


@pytest.mark.parametrize("place,value", [(0, 1), (1, 10**6), (2, -1)])
def test_starts_of_rows_that_lead_outside_are_refused(place, value):
    damaged = csr_array(np.ones((4, 3)))
    damaged.indptr[place] = value
    with pytest.raises(DataError, match="Learner: The sparse matrix is damaged"):
        SignedRows(damaged, np.array([0, 1, 0, 1]), None, who="Learner")
