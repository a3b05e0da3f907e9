"""Selectors by the scores of single columns: who is kept, and the same from memory, blocks, partial_fit and Dask."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import feature_selection
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline

import assay.select
from assay import load, save
from assay.bayes import GaussianNB
from assay.errors import DegenerateWarning, ParameterError
from assay.select import (
    GenericUnivariateSelect,
    SelectFdr,
    SelectFpr,
    SelectFwe,
    SelectKBest,
    SelectPercentile,
    VarianceThreshold,
    chi2,
    f_classif,
    f_regression,
    feature_scores,
    mutual_info_classif,
)

X, Y = load_breast_cancer(return_X_y=True)


def raw(n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=n) + y,
            "noise": rng.normal(size=n),
            "taste": np.array(["sour", "sweet", "salt"])[
                np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n))
            ],
            "coin": rng.choice(["heads", "tails"], n),
        }
    )
    frame.loc[::7, "number"] = np.nan
    frame.loc[::9, "taste"] = None
    return frame, y


@pytest.mark.parametrize(
    "name, options",
    [
        ("SelectKBest", {"k": 7}),
        ("SelectPercentile", {"percentile": 23}),
        ("SelectFpr", {"alpha": 1e-3}),
        ("SelectFdr", {"alpha": 1e-3}),
        ("SelectFwe", {"alpha": 1e-3}),
        *(
            ("GenericUnivariateSelect", {"mode": m, "param": p})
            for m, p in (("k_best", 4), ("fdr", 0.01), ("fwe", 0.1))
        ),
    ],
)
def test_the_same_columns_as_scikit_learn(name, options):
    """Peer: scikit-learn 1.9, with F and with chi-squared."""
    for function in ("f_classif", "chi2"):
        ours = getattr(assay.select, name)(getattr(assay.select, function), **options).fit(X, Y)
        peer = getattr(feature_selection, name)(getattr(feature_selection, function), **options).fit(X, Y)
        assert_array_equal(ours.get_support(), peer.get_support())
        assert_array_equal(ours.transform(X), peer.transform(X))
        by_name = getattr(assay.select, name)(function, **options).fit(X, Y)
        assert_array_equal(by_name.scores_, ours.scores_)


def test_low_scores_are_best_where_low_is_better():
    frame, y = raw()
    for score in ("gini", "entropy"):
        assert set(SelectKBest(score, k=2).fit(frame, y).selected_) == {"number", "taste"}


@pytest.mark.parametrize("score", ["f", "fisher", "f_regression", "correlation"])
def test_the_same_numbers_from_memory_blocks_and_partial_fit(score):
    frame, y = raw()
    target = y + 0.5 * np.cos(np.arange(90)) if score in ("f_regression", "correlation") else y
    w = np.random.default_rng(2).integers(0, 3, 90)
    whole = SelectKBest(score, k=2).fit(frame, target, w)
    cuts = [slice(0, 20), slice(20, 25), slice(25, 90)]
    blocks = SelectKBest(score, k=2).fit_blocks([(frame[c], target[c], w[c]) for c in cuts])
    bit_by_bit = SelectKBest(score, k=2)
    for c in reversed(cuts):
        bit_by_bit.partial_fit(frame[c], target[c], sample_weight=w[c])
    for model in (blocks, bit_by_bit):
        assert_allclose(model.scores_, whole.scores_, rtol=1e-9)
        assert (model.pvalues_ is None) == (whole.pvalues_ is None)
        assert model.selected_ == whole.selected_


@pytest.mark.parametrize("score", ["gini", "gain ratio", "chi-squared", "mutual information"])
def test_scores_of_categories_are_sums(score):
    frame, y = raw()
    frame = frame[["taste", "coin"]]
    whole = SelectKBest(score, k=1).fit(frame, y)
    parts = SelectKBest(score, k=1).partial_fit(frame[60:], y[60:]).partial_fit(frame[:60], y[:60])
    assert_allclose(parts.scores_, whole.scores_, rtol=1e-12)
    assert_allclose(whole.scores_, feature_scores(frame, y, score).scores, rtol=1e-12)


def test_classes_and_categories_that_come_late_are_made_room_for():
    frame = pd.DataFrame({"a": list("uuvvww"), "b": [1.0, 2.0, 3.0, 4.0, 5.0, 9.0]})
    y = np.array(["x", "x", "m", "m", "a", "a"])
    late = SelectKBest("f", k=1).partial_fit(frame[:2], y[:2]).partial_fit(frame[2:4], y[2:4])
    late.partial_fit(frame[4:], y[4:])
    whole = SelectKBest("f", k=1).fit(frame, y)
    assert_allclose(late.scores_, whole.scores_)
    assert late.classes_.tolist() == ["a", "m", "x"]


@pytest.mark.parametrize("score", ["f", "chi2"])
def test_dask_gives_the_same(score):
    da = pytest.importorskip("dask.array", reason="Dask is an extra")
    cluster = SelectKBest(score, k=5).fit(da.from_array(X, chunks=(100, 30)), da.from_array(Y, chunks=100))
    memory = SelectKBest(score, k=5).fit(X, Y)
    assert_allclose(cluster.scores_, memory.scores_, rtol=1e-9)
    assert_array_equal(cluster.get_support(), memory.get_support())


def test_scores_that_are_no_sums_refuse_blocks():
    frame, y = raw()
    for score in ("gini", "relieff", mutual_info_classif):
        with pytest.raises(ParameterError, match="needs all rows in memory"):
            SelectKBest(score, k=1).partial_fit(frame, y)
    with pytest.raises(ParameterError, match="takes no weights of rows"):
        SelectKBest(mutual_info_classif, k=1).fit(X, Y, np.ones(len(Y)))
    with pytest.raises(ParameterError, match="comes without p-values"):
        SelectFpr("gini").fit(frame, y).get_support()


def test_blocks_with_numbers_to_predict_name_the_scores_for_them():
    numbers = X[:, 0] * 2 + X[:, 3] + 0.1
    for learn in (
        lambda: SelectKBest("f", k=2).partial_fit(X, numbers),
        lambda: SelectKBest("f", k=2).fit_blocks([(X, numbers)]),
    ):
        with pytest.raises(ParameterError, match="For numbers: 'f_regression'"):
            learn()
    blocks = SelectKBest("f_regression", k=2).fit_blocks([(X[:90], numbers[:90]), (X[90:], numbers[90:])])
    assert_allclose(blocks.scores_, SelectKBest("f", k=2).fit(X, numbers).scores_, rtol=1e-9)


def test_a_frame_stays_a_frame_and_reasons_are_given():
    frame, y = raw()
    selector = SelectKBest("f", k=2).fit(frame, y)
    kept = selector.transform(frame)
    assert list(kept.columns) == ["number", "taste"] and kept["taste"].dtype == frame["taste"].dtype
    why = {r["column"]: r["why"] for r in selector.reasons()}
    assert "rank" in why["coin"] and "p " in why["number"]
    assert "Columns: 2 of 4 kept" in str(selector.show())


def test_in_a_pipeline_and_in_a_file(tmp_path):
    iris, kinds = load_iris(return_X_y=True)
    model = make_pipeline(SelectKBest(k=2), GaussianNB()).fit(iris, kinds)
    assert model.score(iris, kinds) > 0.9
    for selector in (SelectFdr("chi2"), SelectFwe("f_classif"), SelectPercentile("gini", percentile=50)):
        selector.fit(iris, kinds)
        save(selector, tmp_path / "selector.assay")
        again = load(tmp_path / "selector.assay")
        assert_array_equal(again.transform(iris), selector.transform(iris))
        assert_array_equal(again.scores_, selector.scores_)


def test_the_scores_decide_when_asked():
    """As in scikit-learn, another k after fit keeps other columns."""
    selector = GenericUnivariateSelect(f_classif, mode="k_best", param=1).fit(X, Y)
    assert selector.set_params(param=3).get_support().sum() == 3
    regression = SelectKBest(f_regression, k=2).fit(X, X[:, 0] * 2 + X[:, 3])
    assert set(regression.get_support(indices=True)) == {0, 3}


def test_another_fit_leaves_nothing_of_the_one_before():
    selector = SelectKBest("f", k=2).fit(X, Y)
    assert selector.task_ == "classification" and hasattr(selector, "classes_")
    selector.fit(X, X[:, 0] * 2 + X[:, 3])
    assert selector.task_ == "regression" and not hasattr(selector, "classes_")
    selector.set_params(score_func=lambda X, y: X.mean(axis=0)).fit(X, Y)
    assert selector.task_ is None and not hasattr(selector, "classes_") and not hasattr(selector, "_sums")


def test_variances_of_numbers_and_categories_as_sums():
    frame, _ = raw()
    frame["one"] = "same"
    frame["none"] = np.nan
    whole = VarianceThreshold().fit(frame)
    assert whole.selected_ == ["number", "noise", "taste", "coin"]
    assert_allclose(whole.variances_[:2], np.nanvar(frame[["number", "noise"]].to_numpy(), axis=0))
    shares = frame["taste"].value_counts(normalize=True)
    assert_allclose(whole.variances_[2], 1 - (shares**2).sum())
    parts = VarianceThreshold().partial_fit(frame[:30]).partial_fit(frame[30:])
    assert_allclose(parts.variances_, whole.variances_, rtol=1e-12)
    repeated = VarianceThreshold().fit(frame.iloc[np.repeat(np.arange(90), 2)])
    assert_allclose(
        VarianceThreshold().fit(frame, sample_weight=np.full(90, 2)).variances_, repeated.variances_
    )


def test_a_constant_far_from_zero_has_no_variance_also_in_blocks():
    column = np.full((10, 2), -0.13725701e9)
    column[:, 1] += np.arange(10)
    model = VarianceThreshold().partial_fit(column[:3]).partial_fit(column[3:])
    assert model.variances_[0] == 0.0 and model.get_support().tolist() == [False, True]


def test_infinite_scores_are_the_best_of_a_share():
    """Columns that are constant within each class have an infinite F; the threshold between two of them was NaN."""
    y = np.arange(40) % 2
    table = np.column_stack([np.random.default_rng(0).normal(size=(40, 8)), y, 1 - y])
    selector = SelectPercentile("f", percentile=20).fit(table, y)
    assert np.isinf(selector.scores_[8:]).all()
    assert_array_equal(selector.get_support(indices=True), [8, 9])


def test_counts_of_any_size():
    rng = np.random.default_rng(0)
    counts, y = rng.poisson(3, size=(50, 4)).astype(float), np.arange(50) % 3
    large = chi2(counts * 1e153, y)[0]
    assert_allclose(large, chi2(counts, y)[0] * 1e153, rtol=1e-12)


@pytest.mark.parametrize("score", ["f", "gini", "mutual information", "relieff"])
def test_one_class_is_said(score):
    with pytest.warns(DegenerateWarning, match="only one class, 'a': no column can tell classes apart"):
        selector = SelectKBest(score, k=2).fit(X, ["a"] * len(X))
    assert selector.get_support().sum() == 2
    if score == "f":
        assert "f is not defined" in selector.reasons()[0]["why"]


@pytest.mark.parametrize(
    "answer",
    [
        1.0,
        np.ones(3),
        (np.ones(30), np.ones(3)),
        (np.ones(3), np.ones(3)),
        [np.ones(30)],
        np.ones((30, 1)),
        None,
    ],
    ids=str,
)
def test_functions_that_do_not_score_every_column_are_refused(answer):
    with pytest.raises(ParameterError, match="must give 30 scores, one for each column"):
        SelectKBest(lambda X, y: answer, k=2).fit(X, Y)


def test_functions_may_give_lists():
    scores = np.arange(30.0)
    for answer in (scores, scores.tolist(), (scores, 1 / (1 + scores)), [scores.tolist(), scores.tolist()]):
        selector = SelectKBest(lambda X, y, answer=answer: answer, k=2).fit(X, Y)
        assert selector.get_support(indices=True).tolist() == [28, 29]
    two = SelectKBest(lambda X, y: [3.0, 5.0], k=1).fit(X[:, :2], Y)
    assert two.get_support(indices=True).tolist() == [1]
