"""Histogram boosting from blocks and on Dask: the same trees as from memory, to the last bit."""

from itertools import pairwise

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from assay.core.row_draws import row_uniforms
from assay.ensembles import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    HistRandomForestRegressor,
)
from assay.errors import DataError, DegenerateError, ParameterError

N = 601
CUTS = [[250, 267], [1, 2, 2, 3, 600]]  # the second has blocks of one row, and an empty one
TREES = ("start", "column", "number", "right", "missing_left", "rows", "gain", "set_start", "sets")


def assert_same_model(a, b):
    assert_array_equal(a.baseline_, b.baseline_)
    for name in TREES:
        assert_array_equal(getattr(a.trees_, name), getattr(b.trees_, name), err_msg=name)
    assert a.n_iter_ == b.n_iter_ and a.history_ == b.history_
    assert_array_equal(a.train_score_, b.train_score_)
    assert_array_equal(a.validation_score_, b.validation_score_)


def table(kind, seed=0):
    """Columns of one kind, and a number that depends on them."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(N, 5))
    score = Z[:, 0] + Z[:, 1] * (Z[:, 2] > 0) + 0.5 * rng.normal(size=N)
    if kind == "numbers":
        return pd.DataFrame(Z, columns=list("abcde")), score
    if kind == "missing":
        Z[:, 1] = Z[:, 1].round(1)
        Z[rng.random(Z.shape) < 0.15] = np.nan
        return pd.DataFrame(Z, columns=list("abcde")), score
    codes = rng.integers(0, 7, N)
    many = rng.integers(0, 300, N) if kind == "many categories" else rng.integers(0, 40, N)
    score = score + (codes == 3) - (many % 3)
    frame = pd.DataFrame({"a": Z[:, 0], "b": [f"c{v}" for v in codes], "c": [f"m{v:03d}" for v in many]})
    frame.loc[rng.random(N) < 0.1, "b"] = None
    return frame, score


def targets(loss, score):
    if loss == "two":
        return np.where(score > 0, "yes", "no")
    if loss == "three":
        return np.digitize(score, [-0.7, 0.7])
    return np.exp(score / 3) if loss in ("gamma", "poisson") else score


def learner(loss, **settings):
    settings = {
        "max_iter": 3,
        "early_stopping": False,
        "min_samples_leaf": 5,
        "random_state": 1,
        "max_leaf_nodes": 12,
    } | settings
    if loss in ("two", "three"):
        return HistGradientBoostingClassifier(**settings)
    quantile = 0.3 if loss == "quantile" else None
    return HistGradientBoostingRegressor(loss=loss, quantile=quantile, **settings)


def blocks_of(X, y, w, cuts):
    ends = [0, *cuts, len(y)]
    return [(X.iloc[a:b], y[a:b]) if w is None else (X.iloc[a:b], y[a:b], w[a:b]) for a, b in pairwise(ends)]


def on_dask(model, X, y, w, chunks=(200, 1, 400)):
    ends = np.cumsum([0, *chunks])
    parts = [dask.delayed(X.iloc[a:b]) for a, b in pairwise(ends)]
    frame = dd.from_delayed(parts, meta=X.iloc[:0])
    columns = [da.from_array(v, chunks=(chunks,)) for v in ((y,) if w is None else (y, w))]
    with dask.config.set(scheduler="synchronous"):
        return model.fit(frame, *columns)


KINDS = ["numbers", "missing", "categories", "many categories"]
LOSSES = ["two", "three", "squared_error", "absolute_error", "quantile", "poisson", "gamma"]
CASES = [
    *[(loss, kind, (i + j) % 2, {}) for i, loss in enumerate(LOSSES) for j, kind in enumerate(KINDS)],
    *[(loss, "missing", True, {"max_leaf_nodes": None, "max_depth": 4}) for loss in LOSSES],
    *[(loss, "missing", False, {"max_features": 0.4}) for loss in LOSSES],
    *[(loss, "missing", True, {"interaction_cst": [[0, 1], [2, 3, 4]]}) for loss in LOSSES],
    *[
        (loss, "missing", i % 2, {"monotonic_cst": [1, 0, 0, -1, 0]})
        for i, loss in enumerate(LOSSES)
        if loss != "three"
    ],
    *[(loss, "missing", w, {"learning_rate": 1.7, "max_iter": 8}) for loss in LOSSES for w in (0, 1)],
    *[(loss, "categories", False, {"max_bins": 8, "l2_regularization": 2.0}) for loss in LOSSES],
    *[(loss, "categories", w, {"class_weight": "balanced"}) for loss in ("two", "three") for w in (0, 1)],
    ("three", "numbers", False, {"class_weight": {0: 1.0, 1: 0.0, 2: 3.0}}),
]


@pytest.mark.parametrize(
    ("loss", "kind", "weighted", "settings"),
    CASES,
    ids=[f"{a}-{b}-{c}-{'-'.join(d)}" for a, b, c, d in CASES],
)
def test_memory_blocks_and_dask_grow_the_same_trees(loss, kind, weighted, settings):
    X, score = table(kind)
    y = targets(loss, score)
    w = np.random.default_rng(2).gamma(1.0, size=N) if weighted else None
    whole = learner(loss, **settings).fit(X, y, w)
    assert whole.trees_.n_trees and (whole.trees_.column >= 0).any()
    for cuts in CUTS:
        assert_same_model(learner(loss, **settings).fit_blocks(blocks_of(X, y, w, cuts)), whole)
    assert_same_model(on_dask(learner(loss, **settings), X, y, w), whole)


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_held_out_do_not_depend_on_the_cut_and_the_model_is_that_of_the_others(loss):
    X, score = table("missing")
    y = targets(loss, score)
    w = np.random.default_rng(2).gamma(1.0, size=N)
    settings = {
        "early_stopping": True,
        "max_iter": 30,
        "n_iter_no_change": 2,
        "validation_fraction": 0.25,
        "learning_rate": 0.7,
    }
    models = [learner(loss, **settings).fit_blocks(blocks_of(X, y, w, cuts)) for cuts in CUTS]
    models.append(on_dask(learner(loss, **settings), X, y, w))
    for model in models[1:]:
        assert_same_model(model, models[0])
    held = row_uniforms(models[0].seed_, 2, 0, N) < 0.25
    assert 0.2 < held.mean() < 0.3
    learn = ~held
    whole = learner(loss, **settings).fit(
        X[learn], y[learn], w[learn], X_val=X[held], y_val=y[held], sample_weight_val=w[held]
    )
    assert_same_model(models[0], whole)
    assert whole.n_iter_ < 30


def test_early_stopping_by_training_rows():
    X, score = table("missing")
    settings = {"early_stopping": True, "validation_fraction": None, "max_iter": 5}
    whole = learner("two", **settings).fit(X, targets("two", score))
    blocks = learner("two", **settings).fit_blocks(blocks_of(X, targets("two", score), None, [300]))
    assert_same_model(blocks, whole)


@pytest.mark.parametrize("weighted", [False, True])
def test_more_rows_than_the_sample_have_the_same_bins_and_trees(weighted, monkeypatch):
    """Beyond the sample rows are drawn by their number, so that memory and blocks still agree."""
    monkeypatch.setattr("assay.ensembles.hist_sketch.SUBSAMPLE", 150)
    X, score = table("missing")
    y, w = targets("two", score), np.random.default_rng(2).gamma(1.0, size=N) if weighted else None
    whole = learner("two").fit(X, y, w)
    assert_same_model(learner("two").fit_blocks(blocks_of(X, y, w, CUTS[0])), whole)
    monkeypatch.setattr("assay.ensembles.hist_sketch.SUBSAMPLE", 200_000)
    assert not np.array_equal(learner("two").fit(X, y, w).trees_.number, whole.trees_.number)


def test_histograms_that_do_not_fit_into_memory_are_summed_anew(monkeypatch):
    X, score = table("many categories")
    y = targets("two", score)
    settings = {"max_leaf_nodes": None, "min_samples_leaf": 2}
    whole = learner("two", **settings).fit(X, y)
    monkeypatch.setattr("assay.ensembles.hist_passes.MEMORY", 1)
    assert_same_model(learner("two", **settings).fit_blocks(blocks_of(X, y, None, CUTS[0])), whole)


def test_one_class_alone_is_always_the_answer():
    X, _ = table("missing")
    model = learner("two").fit_blocks(blocks_of(X, np.full(N, "yes"), None, CUTS[0]))
    assert_same_model(model, learner("two").fit(X, np.full(N, "yes")))
    assert (model.predict(X) == "yes").all()


def test_columns_named_as_categories_are_those_of_memory():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 9, N), rng.normal(size=N)])
    y = (X[:, 0] % 2 > 0).astype(int)
    whole = learner("two", categorical_features=[0]).fit(X, y)
    blocks = learner("two", categorical_features=[0]).fit_blocks([(X[:9], y[:9]), (X[9:], y[9:])])
    assert_same_model(blocks, whole)
    assert whole.is_categorical_.tolist() == blocks.is_categorical_.tolist() == [True, False]


def test_what_blocks_do_not_allow_ends_in_a_sentence():
    X, score = table("numbers")
    y, two = targets("squared_error", score), targets("two", score)
    with pytest.raises(ParameterError, match="early stopping goes by the loss"):
        learner("two", early_stopping=True, scoring="accuracy").fit_blocks(blocks_of(X, two, None, []))
    model = learner("two", warm_start=True).fit(X, two)
    with pytest.raises(ParameterError, match="warm_start=True goes on with rows in memory only"):
        model.fit_blocks(blocks_of(X, two, None, []))
    with pytest.raises(DataError, match="requires strictly positive y"):
        learner("gamma").fit_blocks(blocks_of(X, y, None, CUTS[0]))
    with pytest.raises(DataError, match="requires non-negative y and sum"):
        learner("poisson").fit_blocks(blocks_of(X, 0.0 * y, None, CUTS[0]))
    with pytest.raises(DegenerateError, match="weigh 0"):
        learner("squared_error").fit_blocks(blocks_of(X, y, 0.0 * y, CUTS[0]))
    with pytest.raises(DataError, match="Negative values"):
        learner("squared_error").fit_blocks(
            blocks_of(X, y, np.where(np.arange(N) == 300, -1.0, 1.0), CUTS[0])
        )
    with pytest.raises(DataError, match="rows are left to learn from"):
        learner("two", early_stopping=True).fit_blocks(blocks_of(X[:2], two[:2], None, []))
    with pytest.raises(DataError, match="X_val and y_val are for rows in memory"):
        frame = dd.from_pandas(X, npartitions=1)
        learner("two").fit(frame, da.from_array(two, chunks=N), X_val=X, y_val=two)


def test_targets_that_overflow_end_in_a_sentence():
    X, score = table("numbers")
    y = np.where(score > 0, 1e300, -1e300)
    with pytest.raises(DegenerateError, match="overflow"):
        learner("squared_error").fit(X, y)
    with pytest.raises(DegenerateError, match="overflow"):
        learner("squared_error").fit_blocks(blocks_of(X, y, None, CUTS[0]))


def test_a_file_gives_the_trees_of_memory(tmp_path):
    X, score = table("categories")
    X.assign(y=targets("two", score)).to_csv(tmp_path / "rows.csv", index=False)
    model = learner("two").fit_blocks(tmp_path / "rows.csv", target="y")
    assert_same_model(model, learner("two").fit(X, targets("two", score)))


@pytest.mark.parametrize("kind", [HistGradientBoostingRegressor, HistRandomForestRegressor])
def test_several_columns_of_targets_are_refused(kind):
    X, y = table("numbers")
    Y = np.column_stack([y, y])
    with pytest.raises(DataError, match=r"y should be a 1d array, got an array of shape \(300, 2\)"):
        kind().fit_blocks([(X[:300], Y[:300]), (X[300:], Y[300:])])
    with pytest.raises(DataError, match=r"y should be a 1d array, got an array of shape \(601, 2\)"):
        kind().fit(X, Y)


@pytest.mark.parametrize(
    "settings", [{}, {"early_stopping": True, "validation_fraction": 0.3}], ids=["all", "held"]
)
@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
def test_rows_of_blocks_without_weights_count_once_beside_others(classes, settings):
    """Their weight was left out of the sum that the first score is divided by, and of the counts of bins."""
    X, score = table("numbers")
    y = targets("three", score) if classes else score
    learner = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    w = np.where(np.arange(N) < 300, 1.0, np.random.default_rng(1).uniform(0.5, 3.0, N))
    make = lambda: learner(max_iter=5, random_state=0, **settings)  # noqa: E731
    first, last = (X[:300], y[:300]), (X[300:], y[300:], w[300:])
    whole = make().fit_blocks([(*first, w[:300]), last])
    assert_same_model(make().fit_blocks([first, last]), whole)
    if not settings:  # in memory other rows are held out
        assert_same_model(make().fit(X, y, sample_weight=w), whole)


def test_a_forest_counts_rows_of_blocks_without_weights_once():
    X, y = table("numbers")
    w = np.where(np.arange(N) < 300, 1.0, 2.0)
    whole = HistRandomForestRegressor(n_estimators=3, random_state=0).fit(X, y, sample_weight=w)
    blocks = [(X[:300], y[:300]), (X[300:], y[300:], w[300:])]
    mixed = HistRandomForestRegressor(n_estimators=3, random_state=0).fit_blocks(blocks)
    assert_array_equal(mixed.predict(X), whole.predict(X))


@pytest.mark.parametrize("loss", ["log_loss", "poisson"])
def test_a_round_that_is_shortened_is_the_same_from_blocks(loss, monkeypatch):
    """Steps that are too long for the tests of monotonic columns; what shortens them asks where the rows ended."""
    from assay.ensembles.hist_passes import PassBoosting

    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = X[:, 0] + rng.normal(size=600) < 0 if loss == "log_loss" else rng.poisson(np.exp(-X[:, 0]))
    make = HistGradientBoostingClassifier if loss == "log_loss" else HistGradientBoostingRegressor
    shortened, damp = [], PassBoosting._damp
    monkeypatch.setattr(PassBoosting, "_damp", lambda *args: (shortened.append(0), damp(*args)))
    settings = {
        "loss": loss,
        "learning_rate": 2.5,
        "max_iter": 6,
        "monotonic_cst": [1, -1, 0],
        "early_stopping": False,
    }
    here = make(**settings).fit(X, y)
    there = make(**settings).fit_blocks([(X[:250], y[:250]), (X[250:], y[250:])])
    assert shortened
    assert_array_equal(there.trees_.number, here.trees_.number)
