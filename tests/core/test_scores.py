"""Rows of scores: the native code against NumPy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import expit

from assay.core.scores import impossible_rows, log_softmax, logistic, softmax, winner

scores = arrays(
    np.float64,
    st.tuples(st.integers(1, 20), st.integers(1, 6)),
    elements=st.one_of(st.floats(-800, 800), st.just(-np.inf), st.just(5.0)),
)


def by_the_book(S):
    """(rows of -inf only, argmax, softmax) in NumPy; an impossible row has no softmax."""
    none = np.isneginf(S.max(axis=1))
    P = np.exp(S[~none] - S[~none].max(axis=1, keepdims=True))
    return none, S.argmax(axis=1), P / P.sum(axis=1, keepdims=True)


@settings(max_examples=100, deadline=None)
@given(scores)
def test_the_kernels_agree_with_numpy(S):
    none, best, P = by_the_book(S)
    assert impossible_rows(S) == none.sum()
    assert_array_equal(winner(S), best)
    live = S[~none]
    assert_allclose(softmax(live.copy()), P, rtol=1e-14, atol=0)
    with np.errstate(divide="ignore"):
        assert_allclose(np.exp(log_softmax(live)), P, rtol=1e-12, atol=1e-300)


@settings(max_examples=60, deadline=None)
@given(
    arrays(
        np.float64,
        st.integers(1, 20),
        elements=st.one_of(st.floats(-800, 800), st.just(np.inf), st.just(-np.inf)),
    )
)
def test_two_classes_need_the_log_odds_only(odds):
    P = logistic(odds)
    assert_allclose(P[:, 1], expit(odds), rtol=1e-14, atol=1e-307)
    assert_allclose(P[:, 0], expit(-odds), rtol=1e-14, atol=1e-307)


def test_equal_scores_go_to_the_first_class():
    assert_array_equal(winner(np.array([[1.0, 1.0], [-np.inf, -np.inf], [0.0, 1.0]])), [0, 0, 1])


def test_other_layouts_and_types_give_the_same():
    S = np.random.default_rng(0).normal(size=(7, 3))
    assert_array_equal(winner(np.asfortranarray(S)), winner(S))
    assert_allclose(softmax(S.astype(np.float32)), softmax(S.astype(np.float32).astype(float)), rtol=1e-15)
    assert_array_equal(winner(S[::2]), S[::2].argmax(axis=1))
