"""Recommenders: planted tastes are found, formulas hold, everybody gets a reason."""

import pickle
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

import assay
from assay.associations.item_neighbors import ItemNeighbors, item_similarity
from assay.associations.rating_associations import RatingAssociations
from assay.associations.rating_factors import RatingFactors
from assay.associations.ratings import Baseline, Ratings
from assay.associations.recommender_scores import recommender_scores
from assay.associations.user_neighbors import UserNeighbors
from assay.errors import DataError, ParameterError, PersistenceError

ALL = [
    ItemNeighbors(shrinkage=2),
    UserNeighbors(shrinkage=2),
    RatingFactors(rank=2, random_state=0),
    RatingAssociations(),
]


def named(model):
    return type(model).__name__


def tastes(users=60, items=20, share=0.5, noise=0.5, seed=0):
    """Two kinds of users: those of the first half like the items of the first half, the others the others."""
    rng = np.random.default_rng(seed)
    u, i = np.nonzero(rng.random((users, items)) < share)
    same = (u < users // 2) == (i < items // 2)
    rating = np.clip(np.rint(np.where(same, 8, 3) + rng.normal(0, noise, len(u))), 0, 10)
    return pd.DataFrame({"user": [f"u{a}" for a in u], "item": [f"i{b:02}" for b in i], "rating": rating})


FIRST, SECOND = [f"i{j:02}" for j in range(10)], [f"i{j:02}" for j in range(10, 20)]


@pytest.mark.capability("IML-3-16")
@pytest.mark.parametrize("model", ALL, ids=named)
def test_planted_tastes_are_recovered(model):
    """IML exercise 3.10: whoever rated three items of one kind highly is told the others of that kind."""
    model = type(model)(**model.get_params()).fit(tastes())
    for liked, others in ((FIRST, SECOND), (SECOND, FIRST)):
        told = model.recommend({liked[0]: 9, liked[1]: 8, liked[2]: 9, others[0]: 2}, n=7)
        assert {name for name, _ in told} == set(liked[3:])
        assert [score for _, score in told] == sorted((score for _, score in told), reverse=True)
    if not model.predicts_ratings:
        return  # a weighted confidence also carries how popular an item is, which outweighs some small differences
    table = tastes()
    for user in ("u0", "u59"):
        mine = FIRST if user == "u0" else SECOND
        left = [name for name in mine if name not in set(table["item"][table["user"] == user])]
        assert {name for name, _ in model.recommend(user, n=len(left))} == set(left)


@pytest.mark.capability("IML-3-16")
@pytest.mark.parametrize("model", ALL, ids=named)
def test_purchases_without_ratings_are_enough(model):
    table = tastes()
    bought = table[table["rating"] >= 6].drop(columns="rating")
    model = type(model)(**model.get_params()).fit(bought, rating=None)
    assert {name for name, _ in model.recommend(FIRST[:3], n=7)} == set(FIRST[3:])
    assert "for i05" in str(model.explain(FIRST[:3], "i05"))


@pytest.mark.parametrize("model", ALL[:3], ids=named)
def test_ratings_that_were_held_back_are_met_better_than_by_the_baseline(model):
    scores = recommender_scores(model, tastes(), n=5)
    assert scores.rmse < 0.6 * scores.baseline_rmse
    assert scores.hit_rate > scores.popular_hit_rate
    assert "held-out ratings" in str(scores)


def test_scores_that_are_no_ratings_have_no_error():
    scores = recommender_scores(RatingAssociations(), tastes(), n=5)
    assert scores.rmse is None and scores.hit_rate > scores.popular_hit_rate
    model = RatingAssociations()
    assert "ratings_" not in vars(model)  # the recommender that was given is not changed


def test_adjusted_cosine_by_its_formula():
    """The twin: loops over the users who rated both."""
    ratings = Ratings.from_long(tastes(users=15, items=6, share=0.6, noise=2))
    table = np.full(ratings.values.shape, np.nan)
    for u in range(len(ratings.users)):
        codes, given = ratings.row(u)
        table[u, codes] = given
    centred = table - np.nanmean(table, axis=1, keepdims=True)
    near = item_similarity(ratings, shrinkage=3.0).toarray()
    for i in range(6):
        for j in range(6):
            both = ~np.isnan(table[:, i]) & ~np.isnan(table[:, j])
            a, b = centred[both, i], centred[both, j]
            s = (
                a @ b / np.sqrt(a @ a * (b @ b)) * both.sum() / (both.sum() + 3)
                if both.any() and i != j
                else 0
            )
            assert_allclose(near[i, j], max(s, 0), atol=1e-12)


def test_similarities_do_not_depend_on_how_many_are_held_at_one_time(monkeypatch):
    ratings = Ratings.from_long(tastes(noise=2))
    whole = item_similarity(ratings)
    monkeypatch.setattr("assay.associations.item_neighbors.CHUNK", 60)
    assert_allclose(item_similarity(ratings).toarray(), whole.toarray(), atol=1e-14)


def test_too_many_items_for_all_pairs_are_refused(monkeypatch):
    monkeypatch.setattr("assay.associations.rating_associations.MAX_ITEMS", 5)
    with pytest.raises(DataError, match=r"20 items do not fit into memory.*ItemNeighbors"):
        RatingAssociations().fit(tastes())


def test_prediction_of_item_neighbours_by_its_formula():
    ratings = Ratings.from_long(tastes(users=15, items=8, share=0.7, noise=2))
    model = ItemNeighbors(k=2, shrinkage=3.0, damping=2.0).fit(ratings)
    codes, given = ratings.row(4)
    base = Baseline.of(ratings, 2.0).expected(codes, given)
    near = item_similarity(ratings, 3.0).toarray()
    for i in range(8):
        best = sorted(range(len(codes)), key=lambda j: -near[i, codes[j]])[:2]
        s = np.array([near[i, codes[j]] for j in best])
        e = np.array([given[j] - base[codes[j]] for j in best])
        expected = base[i] + (s @ e / s.sum() if s.sum() else 0)
        assert_allclose(model.predict([ratings.users[4]], [ratings.items[i]]), expected, rtol=1e-10)


def test_prediction_of_user_neighbours_by_its_formula():
    ratings = Ratings.from_long(tastes(users=12, items=8, share=0.7, noise=2))
    model = UserNeighbors(k=3, shrinkage=2.0, damping=2.0).fit(ratings)
    table = np.full(ratings.values.shape, np.nan)
    base = np.empty_like(table)
    baseline = Baseline.of(ratings, 2.0)
    for u in range(len(ratings.users)):
        codes, given = ratings.row(u)
        table[u, codes] = given
        base[u] = baseline.expected(codes, given)
    e = table - base
    near = np.zeros(len(table))
    for v in range(len(table)):
        both = ~np.isnan(e[4]) & ~np.isnan(e[v])
        a, b = e[4, both], e[v, both]
        near[v] = (
            max(a @ b / np.sqrt(a @ a * (b @ b)) * both.sum() / (both.sum() + 2), 0) if both.any() else 0
        )
    for i in range(8):
        raters = sorted(
            (v for v in range(len(table)) if not np.isnan(e[v, i]) and near[v] > 0), key=lambda v: -near[v]
        )[:3]
        s = near[raters]
        expected = base[4, i] + (s @ e[raters, i] / s.sum() if s.sum() else 0)
        assert_allclose(model.predict([ratings.users[4]], [ratings.items[i]]), expected, rtol=1e-10)


@pytest.mark.parametrize("rated", [True, False])
def test_every_round_of_the_factors_lowers_the_objective(rated):
    table = tastes(noise=2)
    model = RatingFactors(rank=3, tol=0, max_iter=15, random_state=1)
    model.fit(table if rated else table[table["rating"] >= 5], rating="rating" if rated else None)
    objective = [record["objective"] for record in model.history_]
    assert len(objective) > 3 and all(b <= a * (1 + 1e-10) for a, b in pairwise(objective))


def test_factors_find_a_table_of_low_rank():
    """Ratings without noise from two factors, 60 % of them seen: the others are met to a tenth of their spread.

    The baseline of those that were seen takes away a row and a column effect, which are two factors more.
    """
    rng = np.random.default_rng(0)
    full = 5 + rng.normal(size=(80, 2)) @ rng.normal(size=(2, 40))
    seen = rng.random(full.shape) < 0.6
    u, i = np.nonzero(seen)
    model = RatingFactors(rank=4, penalty=0.001, damping=0, max_iter=100, tol=1e-8, random_state=0)
    model.fit({"user": u, "item": i, "rating": full[u, i]})
    u, i = np.nonzero(~seen)
    error = model.predict(u.tolist(), i.tolist()) - full[u, i]
    assert np.sqrt(np.mean(error**2)) < 0.1 * full.std()


def test_weighted_confidence_without_ratings_is_the_confidence():
    lists = {"a": ["tea", "milk"], "b": ["tea"], "c": ["tea", "milk", "cake"], "d": ["cake"]}
    rows = [(u, i) for u, items in lists.items() for i in items]
    model = RatingAssociations(m=0).fit(rows, rating=None)
    place = model.ratings_.places[1]
    assert_allclose(model.confidence_[place["tea"], place["milk"]], 2 / 3)
    assert_allclose(model.confidence_[place["milk"], place["tea"]], 1)


def test_weighted_confidence_counts_what_is_liked():
    """Scale 0 to 10: c(tea -> cake) = (1.0 * 0.5 + 0.5 * 0) / (1.0 + 0.5)."""
    rows = [("a", "tea", 10), ("a", "cake", 5), ("b", "tea", 5), ("b", "cake", 0)]
    model = RatingAssociations(m=0).fit(rows)
    place = model.ratings_.places[1]
    assert_allclose(model.confidence_[place["tea"], place["cake"]], 0.5 / 1.5)


@pytest.mark.parametrize("model", ALL, ids=named)
def test_reasons_add_up_to_the_score(model):
    model = type(model)(**model.get_params()).fit(tastes(noise=1.5))
    (section,) = model.explain("u3", "i15").sections
    score = model.predict(["u3"], ["i15"])[0]
    adds = sum(row[section.columns.index("adds")] for row in section.rows)
    codes, given = model._profile("u3")
    base = model.baseline_.expected(codes, given)[model._code("i15")] if model.predicts_ratings else 0
    assert_allclose(base + adds, score, atol=1e-9)


@pytest.mark.parametrize("model", ALL, ids=named)
def test_a_recommender_survives_files_and_pickles(model, tmp_path):
    model = type(model)(**model.get_params()).fit(tastes())
    told = model.recommend("u1")
    assay.save(model, tmp_path / "taste.assay")
    for again in (assay.load(tmp_path / "taste.assay"), pickle.loads(pickle.dumps(model))):
        assert again.recommend("u1") == told and repr(again) == repr(model)


def test_a_file_whose_parts_do_not_fit_is_refused(tmp_path):
    model = RatingFactors(rank=2, random_state=0).fit(tastes())
    model.factors_ = model.factors_[:3]
    with pytest.raises(
        PersistenceError, match=r"factors_ has the shape \(3, 2\), expected \(q, \*\) = \(20, \*\)"
    ):
        assay.save(model, tmp_path / "taste.assay")


@pytest.mark.parametrize("model", ALL, ids=named)
def test_a_new_user_gets_what_is_good_or_popular(model):
    model = type(model)(**model.get_params()).fit(tastes())
    assert len(model.recommend({}, n=4)) == 4
    assert np.isfinite(model.predict(["nobody", "u1"], ["i01", "nothing"])).all()


@pytest.mark.parametrize("model", ALL, ids=named)
def test_degenerate_ratings_have_sound_answers(model):
    for rows in ([("a", "tea", 3)], [("a", "tea", 3), ("b", "tea", 3)], [("a", i, 4) for i in "xyz"]):
        fitted = type(model)(**model.get_params()).fit(rows)
        assert np.isfinite([score for _, score in fitted.recommend("a", known=True)]).all()
        assert fitted.explain("a", rows[0][1])


def test_suggestions_may_be_restricted():
    model = ItemNeighbors(shrinkage=2).fit(tastes())
    assert {name for name, _ in model.recommend("u0", among=["i15", "i16"], known=True)} == {"i15", "i16"}
    known = set(model.ratings_.of("u0"))
    assert not known & {name for name, _ in model.recommend("u0", n=20)}


def test_ratings_from_every_kind_of_table():
    frame = tastes()
    expected = Ratings.from_long(frame)
    for table in (
        pl.from_pandas(frame),
        pa.Table.from_pandas(frame),
        frame.to_dict("list"),
        frame.itertuples(index=False),
    ):
        result = Ratings.from_long(table)
        assert result.users == expected.users and (result.values != expected.values).nnz == 0
    twice = Ratings.from_long([("a", "tea", 2), ("a", "tea", 4)])
    assert twice.of("a") == {"tea": 3.0} and len(twice) == 1
    renamed = frame.rename(columns={"user": "who", "item": "what", "rating": "stars"})
    assert Ratings.from_long(renamed, "who", "what", "stars").of("u0") == expected.of("u0")


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ({"user": ["a"], "item": ["x"]}, "no column 'rating'"),
        ([("a", "x")], "expected tuples of user, item, rating"),
        ({"user": ["a", None], "item": ["x", "y"], "rating": [1, 2]}, "row 2 has no 'user'"),
        ({"user": ["a"], "item": ["x"], "rating": ["good"]}, "'rating' must hold numbers"),
        (7, "expected a table, got a int"),
    ],
)
def test_tables_that_hold_no_ratings_are_refused(rows, text):
    with pytest.raises(DataError, match=text):
        ItemNeighbors().fit(rows)


def test_what_cannot_be_asked_is_said():
    with pytest.raises(NotFittedError):
        ItemNeighbors().recommend("a")
    with pytest.raises(ParameterError, match="k must be a whole number from 1 up, got 0"):
        ItemNeighbors(k=0).fit(tastes())
    model = ItemNeighbors().fit(tastes())
    with pytest.raises(DataError, match=r"there is no user 'nobody'. For somebody new give a dict"):
        model.recommend("nobody")
    with pytest.raises(DataError, match="there is no item 'beer'"):
        model.explain("u0", "beer")
    with pytest.raises(DataError, match="2 users for 1 items"):
        model.predict(["u0", "u1"], ["i01"])
    with pytest.raises(DataError, match="must be numbers, got"):
        model.recommend({"i01": float("inf")})
    with pytest.raises(DataError, match="every user has a single rating"):
        recommender_scores(ItemNeighbors(), [("a", "x", 1), ("b", "x", 2)])


@pytest.mark.parametrize("n", [-1, 1.5, None, "3"])
def test_how_many_is_a_whole_number(n):
    model = ItemNeighbors().fit([("a", "x", 1.0), ("b", "y", 2.0)])
    with pytest.raises(ParameterError, match="recommend: n must be"):
        model.recommend("a", n)


@pytest.mark.parametrize("odd", ["good", None, np.nan, np.inf, 1e300])
def test_what_is_no_rating_is_refused(odd):
    model = ItemNeighbors().fit([("a", "x", 1.0), ("b", "y", 2.0)])
    with pytest.raises(DataError, match="must be numbers, got"):
        model.recommend({"x": odd})
    with pytest.raises(DataError):
        UserNeighbors().fit([("a", "x", odd), ("b", "y", 2.0)])


def test_factors_of_a_few_rows_at_a_time_are_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    rows = [
        (u, int(i), float(rng.integers(1, 6))) for u in range(40) for i in rng.choice(15, 6, replace=False)
    ]
    whole = RatingFactors(rank=3, random_state=0).fit(rows)
    monkeypatch.setattr("assay.optimize.alternating_ridge.CELLS", 50)
    parts = RatingFactors(rank=3, random_state=0).fit(rows)
    assert_allclose(parts.factors_, whole.factors_, rtol=1e-9)
