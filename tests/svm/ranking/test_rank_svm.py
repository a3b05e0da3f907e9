"""RankSVM: oracles of the books, the classifier of differences, groups and partial orders."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from assay.linear import pairs_from_clicks, pairs_from_grades
from assay.svm import LinearSVC, RankSVM


def rows_of(n=40, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 0.5 * rng.normal(size=n)


@pytest.mark.capability("IML-13-37")
@pytest.mark.parametrize("C", [0.5, 1.0, 100.0])
def test_three_items_of_the_book(C):
    """3 preferred to 2 preferred to 1: w = 1, objective 0.5 for every C from 0.5 up."""
    X = [[1.0], [2.0], [3.0]]
    by_ranks = RankSVM(C, best="lowest", tol=1e-8).fit(X, [3, 2, 1])
    by_pairs = RankSVM(C, tol=1e-8).fit(X, pairs=[[2, 1], [1, 0], [2, 0]])
    for model in (by_ranks, by_pairs):
        assert_allclose(model.coef_, [1.0], atol=1e-6)
        assert_allclose(model.objective_, 0.5, atol=1e-6)
        assert model.score(X, [1, 2, 3] if model is by_pairs else [3, 2, 1]) == 1.0
    assert model.error_.pairs == 3 and model.error_.violated == 0


@pytest.mark.capability("IML-13-38", "IML-13-37")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_it_is_the_classifier_of_differences_without_intercept(loss):
    """Each pair once with label +1 is the ranking problem; with the mirrored copies it is that with 2 C."""
    X, grades = rows_of()
    pairs = pairs_from_grades(grades)
    D = X[pairs[:, 0]] - X[pairs[:, 1]]
    mirrored, label = np.vstack((D, -D)), np.repeat([1, -1], len(D))
    classifier = LinearSVC(loss=loss, C=0.1, fit_intercept=False, tol=1e-8).fit(mirrored, label)
    ranker = RankSVM(0.2, loss=loss, tol=1e-8).fit(X, grades)
    assert_allclose(ranker.coef_, classifier.coef_[0], atol=1e-5)
    assert_allclose(ranker.objective_, classifier.objective_[0], rtol=1e-7)


def test_only_rows_of_one_group_are_compared():
    X, grades = rows_of()
    group = np.arange(40) // 10
    shifted = X + 100.0 * group[:, None]  # a shift of a whole group changes no difference within it
    model = RankSVM(tol=1e-8).fit(X, grades, group=group)
    again = RankSVM(tol=1e-8).fit(shifted, grades, group=group)
    assert_allclose(again.coef_, model.coef_, rtol=1e-4)
    assert model.error_.pairs == 4 * 45
    assert sorted(model.rank(X, group)[:10]) == list(range(1, 11))


def test_partial_orders_and_clicks():
    X, _ = rows_of()
    pairs = pairs_from_clicks([4, 7, 5, 6], [5])
    model = RankSVM(C=100.0).fit(X, pairs=pairs)
    g = model.predict(X)
    assert g[5] > g[4] and g[5] > g[7]
    assert model.score(X, pairs=pairs) == 1.0


def test_the_conditions_of_the_optimum():
    """The weights are a sum of the pairs' differences, each at most C: 0 beyond the margin, C within."""
    X, grades = rows_of()
    model = RankSVM(0.3, loss="squared_hinge", tol=1e-8).fit(X, grades)
    pairs = pairs_from_grades(grades)
    D = X[pairs[:, 0]] - X[pairs[:, 1]]
    alpha = 2 * 0.3 * np.maximum(0, 1 - D @ model.coef_)
    assert_allclose(model.coef_, alpha @ D, rtol=1e-7)


def test_sparse_rows_explanations_and_files(tmp_path):
    import assay

    X, grades = rows_of()
    model = RankSVM().fit(X, grades)
    assert_allclose(RankSVM().fit(sp.csr_array(X), grades).coef_, model.coef_, atol=1e-4)
    assert "Terms of the score" in str(model.explain(X[:1]))
    assay.save(model, tmp_path / "m.assay")
    assert_array_equal(assay.load(tmp_path / "m.assay").predict(X), model.predict(X))
    with pytest.raises(ValueError, match="no two rows"):
        RankSVM().fit(X, np.ones(40))


@pytest.mark.capability("IML-1-06")
def test_new_items_are_recommended_in_the_order_of_a_user_s_taste():
    """IML 1.2.3: ratings without noise of some films order others that were never rated."""
    rng = np.random.default_rng(0)
    films, taste = rng.normal(size=(300, 4)), np.array([2.0, -1.0, 0.5, 0.0])
    ratings = np.round(films @ taste, 1)
    model = RankSVM(1e4, tol=1e-6, max_iter=100_000).fit(films[:150], ratings[:150])
    assert model.score(films[:150], ratings[:150]) == 1.0
    assert model.score(films[150:], ratings[150:]) > 0.999
    best = np.argsort(-model.predict(films[150:]))[:5]
    assert_array_equal(best, np.argsort(-(films @ taste)[150:])[:5])
