"""Perceptrons of rows that come in blocks: sums by L-BFGS, passes from block to block by the other solvers."""

import itertools
import warnings

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning

from assay.errors import DataError, DegenerateError, ParameterError
from assay.neural import AdaptiveRate, MLPClassifier, MLPRegressor
from assay.neural.input_scaling import InputScaling
from assay.neural.mlp_from_blocks import ColumnSums

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
X, y = load_iris(return_X_y=True)
mixed = np.random.default_rng(0).permutation(150)
X, y = X[mixed], y[mixed]
CUTS = (0, 40, 40, 97, 150)


def cut(*arrays):
    return [tuple(array[a:b] for array in arrays) for a, b in itertools.pairwise(CUTS)]


def logistic(scores, truth):
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return -(truth * np.log(p)).sum(axis=1), p - truth


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"loss": "focal"},
        {"loss": logistic},
        {"normalization": "layer"},
        {"members": 2},
        {"class_weight": "balanced"},
        {"class_weight": {0: 3.0}},
        {"label_smoothing": 0.1},
    ],
)
def test_l_bfgs_adds_up(more, weighted):
    """Oracle: the same fit in memory. Gradients of blocks add up to those of all rows."""
    w = np.random.default_rng(1).uniform(0.5, 2, 150) if weighted else None
    settings = {"hidden_layer_sizes": 5, "solver": "lbfgs", "max_iter": 15, "scale": "standard", **more}
    whole = MLPClassifier(random_state=0, **settings).fit(X, y, w)
    parts = cut(X, y) if w is None else cut(X, y, w)
    blocks = MLPClassifier(random_state=0, **settings).fit_blocks(parts)
    assert_allclose(blocks.predict_proba(X), whole.predict_proba(X), atol=1e-6)
    assert_allclose(blocks.loss_, whole.loss_, rtol=1e-7)
    assert_allclose(blocks.baseline_, whole.baseline_, atol=1e-12)


@pytest.mark.parametrize("solver", ["sgd", "adam", "adamw", "rmsprop"])
def test_one_block_in_its_order_is_a_fit_in_memory(solver):
    settings = {
        "hidden_layer_sizes": 5,
        "max_iter": 12,
        "shuffle": False,
        "scale": "standard",
        "random_state": 0,
    }
    for more in (
        {},
        {"learning_rate": "cosine"},
        {"learning_rate": AdaptiveRate(0.001)},
        {"average": 5, "clip": 0.1},
    ):
        whole = MLPClassifier(solver=solver, **settings, **more).fit(X, y)
        block = MLPClassifier(solver=solver, **settings, **more).fit_blocks([(X, y)])
        assert_allclose(block.predict_proba(X), whole.predict_proba(X), rtol=1e-9)
        assert_allclose(block.loss_curve_, whole.loss_curve_, rtol=1e-9)
        assert [e.rate for e in block.history_] == [e.rate for e in whole.history_]


def test_blocks_are_the_batches_of_a_fit_in_memory():
    """Blocks of as many rows as a batch, in their order, are the same steps as those of all rows."""
    settings = {
        "hidden_layer_sizes": 5,
        "batch_size": 50,
        "max_iter": 20,
        "shuffle": False,
        "random_state": 0,
    }
    whole = MLPRegressor(scale_target=True, **settings).fit(X, X[:, 0] * 100 + y)
    parts = [(X[a : a + 50], (X[:, 0] * 100 + y)[a : a + 50]) for a in (0, 50, 100)]
    blocks = MLPRegressor(scale_target=True, **settings).fit_blocks(parts)
    assert_allclose(blocks.predict(X), whole.predict(X), rtol=1e-9)
    assert_allclose(blocks.target_spread_, whole.target_spread_, rtol=1e-12)
    assert blocks.n_iter_ == whole.n_iter_


def test_blocks_and_partitions_are_the_same_passes():
    settings = {"hidden_layer_sizes": 5, "max_iter": 10, "dropout": 0.1, "members": 2, "random_state": 0}
    streamed = MLPClassifier(**settings).fit_blocks(cut(X, y))
    heights = tuple(np.diff(CUTS))
    there = MLPClassifier(**settings).fit(
        da.from_array(X, chunks=(heights, 4)), da.from_array(y, chunks=heights)
    )
    assert_array_equal(there.predict_proba(X), streamed.predict_proba(X))
    with pytest.raises(ParameterError, match="groups needs the rows in memory"):
        MLPClassifier().fit(da.from_array(X), da.from_array(y), groups=y)


def test_mixed_frames_with_missing_values_from_files(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": rng.normal(5e4, 2e4, 300),
            "town": rng.choice(["A", "B", "C"], 300),
            "age": rng.normal(40, 10, 300),
        }
    )
    frame["answer"] = np.where((frame.town == "B") ^ (frame.income > 5e4), "yes", "no")
    frame.loc[rng.random(300) < 0.2, "age"] = np.nan
    frame.loc[rng.random(300) < 0.1, "town"] = None
    for k in range(3):
        frame[100 * k : 100 * (k + 1)].to_csv(tmp_path / f"part{k}.csv", index=False)
    settings = {"scale": "standard", "missing": "indicator", "category_size": 2, "random_state": 0}
    model = MLPClassifier(16, max_iter=60, learning_rate_init=0.02, batch_size=50, **settings)
    model.fit_blocks(str(tmp_path / "part*.csv"), target="answer")
    rows = frame.drop(columns="answer")
    assert model.score(rows, frame.answer) > 0.88
    again = MLPClassifier(6, solver="lbfgs", max_iter=10, **settings)
    again.fit_blocks(str(tmp_path / "part*.csv"), target="answer")
    whole = MLPClassifier(6, solver="lbfgs", max_iter=10, **settings).fit(rows, frame.answer)
    assert_allclose(again.predict_proba(rows), whole.predict_proba(rows), atol=1e-6)
    assert_allclose(again.category_columns_.shares, whole.category_columns_.shares)
    assert_allclose(again.scaling_.spread, whole.scaling_.spread)
    known, expected = (model.explain(rows[:3]).contributions() for model in (again, whole))
    assert_allclose(known.values, expected.values, atol=1e-4)


def test_single_precision_stays_single():
    model = MLPClassifier(4, max_iter=3, random_state=0).fit_blocks(cut(X.astype(np.float32), y))
    assert model.coefs_[0].dtype == np.float32


@pytest.mark.parametrize(
    ("setting", "words"),
    [({"early_stopping": True}, "sets rows aside"), ({"scale": "robust"}, "medians are no sums")],
)
def test_what_needs_all_rows_is_refused(setting, words):
    with pytest.raises(ParameterError, match=words):
        MLPClassifier(**setting).fit_blocks(cut(X, y))


def test_divergence_and_bad_targets_end_in_a_sentence():
    with pytest.raises(DataError, match="needs targets from 0 up"):
        MLPRegressor("poisson").fit_blocks(cut(X, y - 1.0))
    with pytest.raises(DegenerateError, match="x0 has values up to"):
        MLPRegressor(activation="identity", solver="sgd", max_iter=5).fit_blocks(
            cut(X * [1e9, 1, 1, 1], y * 1.0)
        )


def test_interruption_keeps_the_passes_made(monkeypatch):
    from assay.neural import mlp_from_blocks as module

    visits, whole = [], module._visit

    def interrupted(*args, **kwargs):
        visits.append(1)
        if len(visits) == 8:  # three blocks with rows a pass: in the middle of the third
            raise KeyboardInterrupt
        return whole(*args, **kwargs)

    monkeypatch.setattr(module, "_visit", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = MLPClassifier(5, random_state=0).fit_blocks(cut(X, y))
    monkeypatch.undo()
    two = MLPClassifier(5, max_iter=2, random_state=0).fit_blocks(cut(X, y))
    assert_array_equal(model.predict_proba(X), two.predict_proba(X))
    assert model.n_iter_ == 2


def test_warm_start_goes_on_and_partial_fit_after_blocks_too():
    model = MLPClassifier(5, max_iter=5, warm_start=True, random_state=0).fit_blocks(cut(X, y))
    before = model.loss_
    assert model.fit_blocks(cut(X, y)).loss_ < before
    assert model.partial_fit(X, y).loss_ < before


def test_sums_of_columns_are_those_of_all_rows():
    """Oracle: NumPy on all rows; means of 1e9 lose no digits of deviations of 1."""
    rng = np.random.default_rng(0)
    A, w = rng.normal(loc=[0, 1e9, -5], size=(100, 3)), rng.random(100)
    A[rng.random(A.shape) < 0.1] = np.nan
    sums = ColumnSums.of(A[:30]) + ColumnSums.of(A[30:31]) + ColumnSums.of(A[31:])
    assert_allclose(sums.mean, np.nanmean(A, axis=0), rtol=1e-14)
    assert_allclose(sums.deviation, np.nanstd(A, axis=0), rtol=1e-6)
    ours = InputScaling.of_sums(sums.mean, sums.deviation, sums.count, sums.rows, "standard", True)
    theirs = InputScaling.learn(A, "standard", True, "test")
    assert_allclose(ours.apply(A), theirs.apply(A), atol=1e-5)
    weighted = ColumnSums.of(A[:60], w[:60]) + ColumnSums.of(A[60:], w[60:])
    there = ~np.isnan(A[:, 0])
    assert_allclose(weighted.mean[0], np.average(A[there, 0], weights=w[there]))


def test_l_bfgs_from_blocks_learns_numbers_to_the_same_minimum():
    A, b = load_diabetes(return_X_y=True)
    settings = {
        "hidden_layer_sizes": 4,
        "solver": "lbfgs",
        "scale_target": True,
        "scale": "standard",
        "alpha": 1,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        whole = MLPRegressor(max_iter=30, random_state=0, **settings).fit(A, b)
        parts = [(A[a : a + 100], b[a : a + 100]) for a in range(0, 442, 100)]
        blocks = MLPRegressor(max_iter=30, random_state=0, **settings).fit_blocks(parts)
    assert_allclose(blocks.predict(A), whole.predict(A), rtol=1e-4)
