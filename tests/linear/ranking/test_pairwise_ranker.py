"""Ranking by pairs: the book's five items, partial orders, queries, and what cannot be ranked linearly."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning

import assay
from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError
from assay.linear.ranking import _pairwise
from assay.linear.ranking.pairwise_ranker import PairwiseRanker
from assay.linear.ranking.ranking_pairs import pairs_from_clicks, pairs_from_grades, ranking_error

# IML 10.9: five items, and two orders of them (numbers of items, the best first)
ITEMS = np.array([[4.0, 1], [3, 3], [2, 0], [1, 2], [0, 1]])
AS_LISTED, OTHER = [0, 1, 2, 3, 4], [1, 3, 0, 4, 2]


def ranks(order):
    places = np.empty(len(order), dtype=int)
    places[order] = np.arange(1, len(order) + 1)
    return places


def pass_by_the_book(X, pairs, rate, margin, w):
    """IML 10-49, one pair after the other; and the mean of the weights over all visits."""
    w, corrected, total = w.copy(), 0, np.zeros_like(w)
    for u, v in pairs:
        gap = X[u] - X[v]
        if not w @ gap > margin:
            w, corrected = w + rate * gap, corrected + 1
        total += w
    return w, corrected, total / len(pairs)


@pytest.mark.capability("IML-10-23")
@pytest.mark.parametrize("order, axis", [(AS_LISTED, 0), (OTHER, 1)])
def test_both_orders_of_the_five_items_are_learned(order, axis):
    """No violation is left after a few passes; the direction is close to the first, or the second, axis."""
    for seed in range(10):
        model = PairwiseRanker(best="lowest", random_state=seed).fit(ITEMS, ranks(order))
        assert (model.error_.violated, model.error_.tied, model.error_.hinge) == (0, 0, 0.0)
        assert model.n_iter_ <= 20 and model.history_[-1].corrected == 0
        assert_array_equal(model.rank(ITEMS), ranks(order))
        assert np.argmax(np.abs(model.coef_)) == axis


@pytest.mark.capability("IML-10-23")
def test_error_and_correction_at_the_book_s_weights():
    """At w = (1, -1) with the first order: items 2 and 3 violated, 4 and 5 tied, E = 2, correction along (1, 3)."""
    g = ITEMS @ [1, -1]
    pairs = pairs_from_grades(ranks(AS_LISTED), best="lowest")
    error = ranking_error(g, pairs)
    assert (error.pairs, error.violated, error.tied, error.hinge) == (10, 1, 1, 2.0)
    assert [pair for pair in pairs.tolist() if g[pair[0]] < g[pair[1]]] == [[1, 2]]
    assert [pair for pair in pairs.tolist() if g[pair[0]] == g[pair[1]]] == [[3, 4]]
    w = np.array([1.0, -1.0])
    violated = np.array([[1, 2]], dtype=np.int32)
    assert (
        _pairwise.correct(X=ITEMS, pairs=violated, rate=0.1, margin=0.0, visits=0, w=w, trail=np.zeros(2))
        == 1
    )
    assert_allclose(w, [1.1, -0.7], rtol=1e-12)


@pytest.mark.capability("IML-10-23")
def test_a_margin_is_kept():
    """g(u) > 1 + g(v) for all pairs (IML 10.9)."""
    model = PairwiseRanker(margin=1.0, best="lowest", random_state=0).fit(ITEMS, ranks(AS_LISTED))
    assert (-np.diff(model.predict(ITEMS)) > 1).all() and model.error_.hinge == 0


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 2**31), n=st.integers(2, 12), d=st.integers(1, 6), margin=st.sampled_from([0.0, 1.0])
)
def test_kernel_and_book_make_the_same_pass(seed, n, d, margin):
    rng = np.random.default_rng(seed)
    X, w = (
        np.round(4 * rng.normal(size=(n, d))) / 4,
        np.round(4 * rng.normal(size=d)) / 4,
    )  # sums are exact, ties too
    pairs, start = rng.integers(0, n, (30, 2)).astype(np.int32), w.copy()
    meant, count, mean = pass_by_the_book(X, pairs, 0.25, margin, w)
    trail = np.zeros(d)
    first = _pairwise.correct(X=X, pairs=pairs[:11], rate=0.25, margin=margin, visits=0, w=w, trail=trail)
    assert (
        first
        + _pairwise.correct(X=X, pairs=pairs[11:], rate=0.25, margin=margin, visits=11, w=w, trail=trail)
        == count
    )
    assert_allclose(w, meant, rtol=1e-9, atol=1e-12)
    assert_allclose(w - trail / 30, mean, rtol=1e-9, atol=1e-12)
    table, v, trail = sp.csr_array(X), start, np.zeros(d)
    corrected = _pairwise.correct_sparse(
        value=table.data,
        column=table.indices.astype(np.int32),
        start=table.indptr.astype(np.int64),
        pairs=pairs,
        rate=0.25,
        margin=margin,
        visits=0,
        w=v,
        trail=trail,
    )
    assert corrected == count
    assert_allclose(v, meant, rtol=1e-9, atol=1e-12)
    assert_allclose(v - trail / 30, mean, rtol=1e-9, atol=1e-12)


@pytest.mark.capability("IML-10-24")
def test_clicks_are_learned_from():
    """The clicked third item outranks the first two."""
    pairs = pairs_from_clicks([0, 1, 2, 3], [2])
    X = np.array([[0.2, 1.0], [0.4, 0.5], [0.9, 0.7], [0.1, 0.1]])
    model = PairwiseRanker(random_state=0).fit(X, pairs=pairs)
    assert model.top_k(X[:3], 1).tolist() == [2]
    assert model.pairwise_error(X, pairs=pairs).violated == 0


@pytest.mark.capability("IML-10-24")
def test_top_lists_and_re_ranking():
    model = PairwiseRanker(best="lowest", random_state=0).fit(ITEMS, ranks(OTHER))
    assert model.top_k(ITEMS, 3).tolist() == OTHER[:3]
    assert model.rerank(ITEMS, [4, 0, 3]).tolist() == [3, 0, 4]
    assert model.rerank(ITEMS, [4, 0, 3], k=1).tolist() == [3]
    assert model.rank(ITEMS, group=[0, 1, 0, 1, 0]).tolist() == [1, 1, 3, 2, 2]
    assert model.score(ITEMS, ranks(OTHER)) == 1.0
    assert model.score(ITEMS, ranks(OTHER[::-1])) == 0.0


@pytest.mark.capability("IML-10-25")
def test_the_middle_of_three_points_first_needs_another_column():
    """IML exercise 10-10: not linear in x, but in x and its square."""
    x, order = np.array([[-1.0], [0.0], [1.0]]), [2, 1, 3]
    line = PairwiseRanker(best="lowest", random_state=0).fit(x, order)
    assert line.error_.violated >= 1 and line.n_iter_ < 1000  # patience ends it
    bent = PairwiseRanker(best="lowest", random_state=0).fit(np.hstack((x, x**2)), order)
    assert bent.error_.violated == 0 and bent.top_k(np.hstack((x, x**2)), 1).tolist() == [1]


def test_queries_are_compared_within_themselves():
    """Grades grow with the first column in every query, though the queries' levels go the other way."""
    rng = np.random.default_rng(0)
    query = np.repeat(np.arange(8), 6)
    X = np.column_stack((rng.normal(size=48), -3.0 * query + rng.normal(0, 0.01, 48)))
    grade = np.round(X[:, 0], 1)
    model = PairwiseRanker(random_state=0, max_iter=5000, patience=5000).fit(X, grade, group=query)
    assert model.error_.violated == 0
    assert model.pairwise_error(X, grade, group=query).violated == 0
    assert model.pairwise_error(X, grade).violated > 0  # between queries nothing was promised


def test_real_rows_rank_about_as_well_as_least_squares_scores_them():
    X, y = load_diabetes(return_X_y=True)
    X = X / X.std(axis=0)
    model = PairwiseRanker(random_state=0, patience=5).fit(X, y)
    by_squares = X @ np.linalg.lstsq(X, y - y.mean())[0]
    meant = ranking_error(by_squares, pairs_from_grades(y)).share
    assert model.pairwise_error(X, y).share < meant + 0.02
    assert model.error_.violated <= min(entry.violated for entry in model.history_)


def test_sparse_rows_are_ranked_alike():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8)) * (rng.random((60, 8)) < 0.3)
    y = np.round(X @ rng.normal(size=8), 1)
    dense = PairwiseRanker(random_state=0, patience=3).fit(X, y)
    sparse = PairwiseRanker(random_state=0, patience=3).fit(sp.csr_array(X), y)
    assert_allclose(sparse.coef_, dense.coef_, rtol=1e-6)
    assert_allclose(sparse.predict(sp.csr_array(X)), dense.predict(X), rtol=1e-6, atol=1e-9)
    assert_allclose(sparse.explain(sp.csr_array(X[:1])).answer, dense.predict(X[:1])[0], rtol=1e-6, atol=1e-9)


def test_pairs_in_parts():
    model = PairwiseRanker(best="lowest")
    for _ in range(20):
        model.partial_fit(ITEMS[:3], [1, 2, 3]).partial_fit(ITEMS[2:], [1, 2, 3])
    assert model.pairwise_error(ITEMS[:3], [1, 2, 3]).violated == 0
    assert model.n_iter_ == 40 == len(model.history_)


def test_mixed_tables_are_ranked_and_explained():
    frame = pd.DataFrame({"price": [3.0, 2.0, 1.0, 3.0], "kind": ["new", "new", "old", "old"]})
    model = PairwiseRanker(random_state=0).fit(frame, [1, 2, 2.5, 0])
    assert model.error_.violated == 0
    told = model.explain(frame.iloc[[0]])
    assert_allclose(told.answer, model.predict(frame.head(1))[0], rtol=1e-12)
    assert {row[0] for row in told.sections[0].rows} == {"price", "kind", "constant", "sum"}
    assert_allclose(told.sections[0].rows[-1][-1], told.answer, rtol=1e-12)


def test_saved_and_loaded(tmp_path):
    model = PairwiseRanker(random_state=0).fit(ITEMS, [5, 4, 3, 2, 1])
    assay.save(model, tmp_path / "model.assay")
    again = assay.load(tmp_path / "model.assay")
    assert_array_equal(again.predict(ITEMS), model.predict(ITEMS))
    assert again.history_ == model.history_ and again.error_ == model.error_


def test_same_seed_same_weights():
    X, y = load_diabetes(return_X_y=True)
    one, two = (PairwiseRanker(random_state=3, max_iter=3, patience=2).fit(X[:60], y[:60]) for _ in range(2))
    assert_array_equal(one.coef_, two.coef_)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_scales_do_not_matter_when_all_columns_share_them(scale):
    model = PairwiseRanker(best="lowest", random_state=0).fit(ITEMS * scale, ranks(OTHER))
    assert model.error_.violated == 0


def test_what_cannot_be_ranked_is_reported():
    with pytest.raises(DataError, match="no two rows of a group have different grades"):
        PairwiseRanker().fit(ITEMS, [1, 1, 1, 1, 1])
    with pytest.raises(DataError, match="pairs is empty"):
        PairwiseRanker().fit(ITEMS, pairs=[])
    with pytest.raises(DataError, match="pairs hold the row number 7; X has 5 rows"):
        PairwiseRanker().fit(ITEMS, pairs=[[0, 7]])
    with pytest.raises(DataError, match="two columns of row numbers"):
        PairwiseRanker().fit(ITEMS, pairs=[[0.5, 1.0]])
    with pytest.raises(DataError, match="y is None"):
        PairwiseRanker().fit(ITEMS)
    with pytest.raises(DataError, match="group has shape"):
        PairwiseRanker().fit(ITEMS, [1, 2, 3, 4, 5], group=[1, 2])
    with pytest.raises(ParameterError, match="best must be one of"):
        PairwiseRanker(best="first").fit(ITEMS, [1, 2, 3, 4, 5])
    with pytest.raises(DegenerateError, match="grew beyond all numbers"):
        PairwiseRanker(random_state=0).fit(ITEMS * 1e200, [1, 3, 2, 5, 4])
    with pytest.warns(
        ConvergenceWarning, match="stopped after 2 passes with [1-9] of 3 pairs in the wrong order"
    ):
        PairwiseRanker(random_state=0, max_iter=2).fit([[-1.0], [0.0], [1.0]], [1, 2, 0])


def test_columns_without_variation_do_no_harm():
    X = np.hstack((ITEMS, np.zeros((5, 1)), ITEMS[:, :1], np.full((5, 1), 7.0)))
    model = PairwiseRanker(best="lowest", random_state=0).fit(X, ranks(AS_LISTED))
    assert model.error_.violated == 0 and np.isfinite(model.coef_).all()


@pytest.mark.parametrize("X", [np.ones((4, 2)), 1e-300 * np.arange(8.0).reshape(4, 2)])
def test_rows_that_are_indistinguishable_are_reported(X):
    with pytest.warns(DegenerateWarning, match="all pairs are tied"):
        model = PairwiseRanker(random_state=0).fit(X, [1, 2, 3, 4])
    assert model.error_.tied == 6


def test_numbers_of_rows_that_make_no_sense_are_refused():
    model = PairwiseRanker(best="lowest", random_state=0).fit(ITEMS, [1, 2, 3, 4, 5])
    for k in (-1, 2.5, None):
        with pytest.raises(ParameterError, match="k must be a whole number from 0 up"):
            model.top_k(ITEMS, k)
    for candidates in ([True, False, True], [0.5, 1.0], [0, 5], [-1, 0], [[0, 1]]):
        with pytest.raises(DataError, match="candidates must be row numbers of X, from 0 to 4"):
            model.rerank(ITEMS, candidates)
    with pytest.raises(DataError, match=r"5 rows, but group has shape \(2,\)"):
        model.rank(ITEMS, group=["a", "b"])
    assert model.rerank(ITEMS, []).tolist() == [] and model.rerank(ITEMS, [4, 0, 2], 1).tolist() == [0]
