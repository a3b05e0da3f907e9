"""Where to ask next."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.special import entr, expit
from scipy.stats import bernoulli

from assay.errors import DataError, ParameterError
from assay.kernels import RBF, Linear, Matern, WhiteKernel
from assay.linear import LinearRegression
from assay.processes import GaussianProcessClassifier, GaussianProcessRegressor, next_queries
from assay.processes.classification.information import mutual_information

X, y = np.arange(4.0)[:, None], np.array([0.0, 1.0, 0.0, -1.0])
MODEL = GaussianProcessRegressor(RBF(0.5), alpha=0.1, optimizer=None).fit(X, y)
GRID = np.arange(-1, 4.5, 0.5)[:, None]


@pytest.mark.capability("IML-16-27")
def test_the_next_query_of_the_worked_example_is_an_end_of_the_grid():
    query = next_queries(MODEL, GRID)
    assert query.rows.ravel().tolist() == [-1.0] and query.places.tolist() == [0]
    assert_allclose(query.variance, 1.0831, atol=5e-5)
    assert next_queries(MODEL, GRID[::-1]).rows.ravel().tolist() == [4.0]


@pytest.mark.capability("IML-16-27")
def test_the_interior_maxima_of_the_worked_example():
    inside = GRID[2:-2]
    query = next_queries(MODEL, inside, n_queries=1)
    assert query.rows[0, 0] in (0.5, 2.5)
    assert_allclose(query.variance, 0.5015, atol=5e-5)


def test_later_queries_know_the_earlier_ones():
    queries = next_queries(MODEL, GRID, n_queries=4)
    model = GaussianProcessRegressor(RBF(0.5), alpha=0.1, optimizer=None).fit(X, y)
    for row, variance in zip(queries.rows, queries.variance):
        assert_allclose(model.variances([row]).noisy, variance, rtol=1e-9)
        assert (model.variances(GRID).noisy <= variance + 1e-9).all()
        model.partial_fit([row], [0.0])


@pytest.mark.parametrize(
    "kernel", [RBF([0.8, 1.5]) + WhiteKernel(0.1), Matern([1.0, 1.0], nu=1.5) + Linear()], ids=repr
)
def test_within_bounds_no_point_of_a_grid_is_better(kernel):
    random = np.random.default_rng(0)
    rows = random.uniform(-1, 1, size=(12, 2))
    model = GaussianProcessRegressor(kernel, alpha=0.01, optimizer=None).fit(rows, rows[:, 0])
    query = next_queries(model, bounds=[(-1, 1), (-0.5, 1)])
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 81), np.linspace(-0.5, 1, 61)), axis=-1).reshape(-1, 2)
    assert query.variance[0] >= model.variances(grid).noisy.max() * (1 - 1e-6)
    assert (query.rows >= [-1, -0.5]).all() and (query.rows <= 1).all() and query.places is None


def test_candidates_of_a_frame_come_back_as_they_were():
    frame = pd.DataFrame({"size": [0.0, 1.0, 2.0], "city": ["Bern", "Rome", "Bern"]}, index=["a", "b", "c"])
    model = GaussianProcessRegressor("auto", normalize_y=True, selection="map").fit(frame, [1.0, 2.0, 3.0])
    more = pd.DataFrame({"size": [0.1, 50.0], "city": ["Bern", "Rome"]}, index=["d", "e"])
    assert next_queries(model, more).rows.index.tolist() == ["e"]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, ParameterError, "and not both"),
        ({"bounds": [(0, 1), (0, 1)]}, ParameterError, "each of the 1 columns"),
        ({"bounds": [(1, 0)]}, ParameterError, r"got \[\[1.0, 0.0\]\]"),
        ({"candidates": GRID, "n_queries": 0}, ParameterError, "whole number from 1"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, error, words):
    with pytest.raises(error, match=words):
        next_queries(MODEL, **arguments)


def test_a_model_that_was_not_fitted_is_refused():
    with pytest.raises(DataError, match="fitted"):
        next_queries(GaussianProcessRegressor(), GRID)
    with pytest.raises(DataError, match="got LinearRegression"):
        next_queries(LinearRegression().fit(X, y), GRID)


@pytest.mark.parametrize("learner", [GaussianProcessRegressor, GaussianProcessClassifier])
def test_categories_have_no_bounds(learner):
    table = pd.DataFrame({"size": np.arange(6.0), "city": ["Bern", "Rome"] * 3})
    with pytest.raises(DataError, match="bounds are for columns of numbers"):
        next_queries(learner("auto", optimizer=None).fit(table, [0, 1] * 3), bounds=[(0, 5), (0, 1)])


# ---------------------------------------------------------------- classes


def classes(n=40, seed=0):
    random = np.random.default_rng(seed)
    rows = random.uniform(-2, 2, size=(n, 2))
    return rows, (rows[:, 0] + 0.3 * random.normal(size=n) > 0).astype(int)


def classifier(**settings):
    return GaussianProcessClassifier(4.0 * RBF(1.0), optimizer=None, **settings)


@pytest.mark.parametrize("mean", [0.0, -0.7, 4.0, 30.0])
@pytest.mark.parametrize("sd", [1e-6, 0.3, 0.999, 1.0, 9.0, 60.0])
def test_information_of_a_class_is_the_fall_of_its_entropy(mean, sd):
    """Twin: both integrals by the trapezoid rule in 40,000 steps."""
    z = np.linspace(-12, 12, 400_001)
    weight = np.exp(-0.5 * z**2)
    weight /= weight.sum()
    p = expit(mean + sd * z)
    expected = bernoulli(weight @ p).entropy() - weight @ (entr(p) + entr(expit(-mean - sd * z)))
    assert_allclose(mutual_information(np.array([mean]), np.array([sd**2]))[0], expected, atol=3e-8)


def test_rows_asked_before_lower_the_uncertainty_as_training_rows_of_their_curvature():
    """Twin: (K^-1 + W)^-1 of training rows and asked rows, by dense algebra."""
    rows, labels = classes()
    model = classifier().fit(rows, labels)
    pool = np.random.default_rng(1).uniform(-3, 3, size=(30, 2))
    queries = next_queries(model, pool, n_queries=4)
    mode, all_rows = model.base_estimator_.mode, np.concatenate([rows, pool])
    K = 4.0 * RBF(1.0)(all_rows)
    curvature = np.zeros(len(all_rows))
    curvature[: len(rows)] = mode.root**2
    for k, place in enumerate(queries.places):
        root = np.sqrt(curvature)
        B = np.eye(len(K)) + root[:, None] * K * root
        variance = np.diagonal(K - K * root @ np.linalg.solve(B, root[:, None] * K))[len(rows) :]
        mean = model.latent_mean_and_variance(pool)[0]
        information = mutual_information(mean, variance)
        information[queries.places[:k]] = -1
        assert place == np.argmax(information)
        assert_allclose(queries.information[k], information[place], rtol=1e-9)
        assert_allclose(queries.variance[k], variance[place], rtol=1e-9)
        curvature[len(rows) + place] = expit(mean[place]) * expit(-mean[place])
    assert len(set(queries.places)) == 4


def test_all_candidates_are_asked_before_one_is_asked_again():
    model = classifier().fit(*classes())
    assert sorted(next_queries(model, [[0.0, 0.0], [0.1, 0.0], [3.0, 3.0]], n_queries=3).places) == [0, 1, 2]
    assert len(next_queries(model, [[0.0, 0.0]], n_queries=2).places) == 2


def test_within_bounds_no_point_of_a_grid_says_more_of_the_classes():
    rows, labels = classes()
    model = classifier().fit(rows, labels)
    query = next_queries(model, bounds=[(-2, 2), (-1, 2)])
    grid = np.stack(np.meshgrid(np.linspace(-2, 2, 41), np.linspace(-1, 2, 31)), axis=-1).reshape(-1, 2)
    best = next_queries(model, grid)
    assert query.information[0] >= best.information[0] * (1 - 1e-6) and query.places is None
    assert (query.rows >= [-2, -1]).all() and (query.rows <= 2).all()


def test_rows_asked_for_teach_more_than_others():
    """Thirty rows of a stripe, two of them at a time, against thirty at random: the mean of ten tables."""
    hits = {"asked": [], "random": []}
    for seed in range(10):
        random = np.random.default_rng(seed)
        pool, test = random.uniform(-2, 2, size=(200, 2)), random.uniform(-2, 2, size=(400, 2))
        stripe = lambda A: (np.abs(A[:, 0] - 0.5) < 0.7).astype(int)  # noqa: E731
        known = [int(np.flatnonzero(stripe(pool) == k)[0]) for k in (0, 1)]
        others = [i for i in random.permutation(200).tolist() if i not in known]
        hits["random"].append(
            classifier()
            .fit(pool[known + others[:28]], stripe(pool)[known + others[:28]])
            .score(test, stripe(test))
        )
        while len(known) < 30:
            model = classifier().fit(pool[known], stripe(pool)[known])
            left = np.setdiff1d(np.arange(200), known)
            known += left[next_queries(model, pool[left], n_queries=2).places].tolist()
        hits["asked"].append(classifier().fit(pool[known], stripe(pool)[known]).score(test, stripe(test)))
    assert np.mean(hits["asked"]) > np.mean(hits["random"]) + 0.02


def test_several_classes_with_a_process_each_are_asked_for():
    rows, labels = classes()
    three = np.where(rows[:, 1] > 1, 2, labels)
    model = classifier().fit(rows, three)
    queries = next_queries(model, rows, n_queries=2)
    means, variances = model.latent_mean_and_variance(rows)
    each = sum(mutual_information(means[:, k], variances[:, k]) for k in range(3))
    assert queries.places[0] == np.argmax(each)
    assert_allclose(queries.information[0], each.max())
    assert_allclose(queries.variance[0], variances[queries.places[0]].sum())
    with pytest.raises(DataError, match="one_vs_rest"):
        next_queries(classifier(multi_class="softmax").fit(rows, three), rows)
    with pytest.raises(DataError, match="fitted"):
        next_queries(classifier(), rows)
