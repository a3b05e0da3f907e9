"""Subset selection around learners on raw tables: classes and numbers, honest errors, costs, interruptions."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import assay
from assay import compare
from assay.bayes import LinearDiscriminantAnalysis, NaiveBayes, NearestMean
from assay.core.progress import listen
from assay.errors import DataError, ParameterError
from assay.linear import LinearRegression, Ridge
from assay.select import (
    AtMost,
    Beam,
    Exhaustive,
    Forward,
    Improves,
    Proposals,
    SelectFwe,
    SequentialFeatureSelector,
    Significant,
    SubsetSelector,
    nested_selection,
    search_subsets,
    subset_scores,
)
from assay.tables import Table
from assay.tables.data import load_iris
from assay.trees import DecisionTreeClassifier


def two_informative_of_ten(seed=2, n=240):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 10))
    return X, np.where(X[:, 3] + X[:, 7] + 0.3 * rng.normal(size=n) > 0, "yes", "no")


@pytest.mark.capability("DC-17")
@pytest.mark.parametrize("proposal", ["filter", "greedy", "random"])
def test_two_informative_columns_of_ten_are_found_by_every_proposal(proposal):
    """Wrapper of the book: a linear learner, 5 folds, patience 5."""
    X, y = two_informative_of_ten()
    search = Proposals(proposal, patience=9 if proposal == "random" else 5)
    selector = SubsetSelector(LinearDiscriminantAnalysis(), search=search, stop=Improves(0.02), cv=5).fit(
        X, y
    )
    assert {3, 7} <= set(selector.get_support(indices=True))
    assert proposal == "random" or len(selector.selected_) == 2  # what came first by chance is not taken back


@pytest.mark.capability("DC-17")
def test_an_interaction_is_found_by_two_columns_at_a_time():
    """Exclusive or among noise: one column at a time stops with a wrong one, two find the pair."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(120, 5)).astype(float)
    y = X[:, 1].astype(int) ^ X[:, 4].astype(int)
    tree = DecisionTreeClassifier(max_depth=2)
    one = SubsetSelector(tree, search=Proposals("greedy"), cv=5, allow_none=True, stop=Improves(0.1)).fit(
        X, y
    )
    two = SubsetSelector(tree, search=Proposals("greedy", n_add=2), cv=5, stop=Improves(0.1)).fit(X, y)
    assert not one.get_support().any()
    assert two.get_support(indices=True).tolist() == [1, 4]
    assert two.score_ == 0.0


@pytest.mark.capability("IML-6-05")
def test_accuracies_averaged_over_two_hundred_random_splits_of_iris():
    """Oracle: numpy RandomState(s), s = 0..199, 20 training rows of each class; ties make F1 to F3 uncertain."""
    iris = load_iris()
    X, y = np.asarray(iris.X), np.asarray(iris.y)
    pairs = []
    for s in range(200):
        draw = np.random.RandomState(s)
        train = np.concatenate([50 * k + draw.permutation(50)[:20] for k in range(3)])
        pairs.append((train, np.setdiff1d(np.arange(150), train)))
    scores = subset_scores(NearestMean(), Table.of(X), y, cv=pairs, scoring="accuracy")
    means = scores.scores([(0,), (1,), (2,), (3,), (2, 3), (0, 1, 2, 3)]).mean(axis=1)
    assert_allclose(means, [0.728, 0.562, 0.947, 0.959, 0.960, 0.919], atol=0.002)
    assert search_subsets(scores, "forward", "improves").selected == (2, 3)


@pytest.mark.capability("IML-6-05")
def test_random_splits_by_name():
    iris = load_iris()
    selector = SubsetSelector("nearest mean", cv="20xholdout", stop="improves").fit(iris.X, iris.y)
    assert len(selector.fold_scores_) == 20
    assert "petal width (cm)" in selector.selected_


def mixed_table(seed=0, n=150):
    """Numbers with gaps, categories, noise; y is decided by age and city."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "age": rng.uniform(20, 60, size=n),
            "city": rng.choice(["Ulm", "Bonn", "Kiel"], size=n),
            "colour": rng.choice(["red", "blue"], size=n),
        }
    )
    signal = (frame["age"] - 40) / 8 + 3.0 * (frame["city"] == "Ulm") - 1 + rng.normal(size=n)
    frame.loc[rng.choice(n, 12, replace=False), "age"] = np.nan
    frame.loc[3, "city"] = None
    return frame, signal.to_numpy()


@pytest.mark.parametrize("learner", ["lda", "naive bayes", NaiveBayes(), LogisticRegression()])
def test_raw_tables_with_categories_and_missing_values_are_searched_as_they_are(learner):
    frame, signal = mixed_table()
    y = np.where(signal > 0, "buys", "leaves")
    selector = SubsetSelector(learner, stop=Improves(0.02)).fit(frame, y)
    assert set(selector.selected_) == {"age", "city"}
    kept = selector.transform(frame)
    pd.testing.assert_frame_equal(kept, frame[["age", "city"]])
    assert selector.trace_.measure == "error" and selector.score_ < 0.3


@pytest.mark.parametrize("learner", ["ridge", Ridge(), "forest"])
def test_numbers_are_predicted_on_raw_tables(learner):
    frame, signal = mixed_table(n=100)
    selector = SubsetSelector(learner, task="regression", cv="5-fold", stop=AtMost(2)).fit(frame, signal)
    assert selector.selected_ == ["age", "city"]
    assert selector.trace_.measure == "rmse"


def test_a_pipeline_of_scikit_learn_gets_the_rows_as_they_came():
    X, y = two_informative_of_ten()
    pipe = make_pipeline(StandardScaler(), LogisticRegression())
    selector = SubsetSelector(pipe, stop=2, cv=StratifiedKFold(3)).fit(pd.DataFrame(X).add_prefix("c"), y)
    assert selector.selected_ == ["c3", "c7"]


def test_the_default_stops_where_improvement_is_not_significant():
    X, y = two_informative_of_ten()
    selector = SubsetSelector("lda").fit(X, y)
    assert selector.get_support(indices=True).tolist() == [3, 7]
    assert "No addition improves significantly" in str(selector.show())
    greedy = SubsetSelector("lda", stop="improves").fit(X, y)
    assert set(greedy.selected_) >= set(selector.selected_)


@pytest.mark.parametrize("search", ["forward", "floating", "exhaustive"])
def test_on_noise_the_nested_error_is_chance_though_the_folds_that_chose_look_better(search):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(80, 8)), np.repeat([0, 1], 40)
    selector = SubsetSelector("nearest mean", search=search, stop=[AtMost(2), "improves"], cv=3)
    looked = selector.fit(X, y).score_
    honest = nested_selection(selector, X, y, design="5-fold")
    assert looked < 0.42
    assert honest.mean > 0.42 and honest.low < 0.5 < honest.high
    assert honest.optimism > 0.05
    text = str(honest)
    assert "error on selected columns" in text
    mean = f"{np.mean(honest.inner):.4f}"
    assert f"On the inner folds, where the 5 choices were made, it looked like {mean} (their mean)" in text
    assert "of this choice from all rows, on the 3 folds that made it" in str(selector.show())


def test_the_choice_of_no_column_has_the_error_of_the_baseline():
    """Peer: the majority class and the mean on the same splits, which is what is left without columns."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 6)), np.repeat(["a", "b", "c"], [30, 20, 10])
    honest = nested_selection(SelectFwe(alpha=1e-9), X, y, "lda")
    assert honest.chosen == [[]] * 5 and honest.mean == pytest.approx(0.5)
    text = str(honest)
    assert "No column was chosen on 5 of the 5 splits; the baseline predicts there." in text
    assert text.endswith("splits that chose them: none.")
    assert nested_selection(SelectFwe(alpha=1e-9), pl.DataFrame(X), y, "lda").mean == honest.mean
    for metric in ("log-loss", "auc", "brier"):
        assert np.isfinite(nested_selection(SelectFwe(alpha=1e-9), X, y, "lda", metric=metric).mean)
    assert nested_selection(SelectFwe(alpha=1e-9), X, y == "a", "svm", metric="auc").mean == 0.5
    numbers = rng.normal(size=60)
    selected = nested_selection(SelectFwe("f", alpha=1e-9), X, numbers, "ridge")
    mean = compare({"mean": "mean"}, X, numbers, design="5-fold", task="regression").ranking()[0].mean
    assert selected.mean == pytest.approx(mean)


def test_on_noise_no_column_is_chosen_where_none_may_be():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(80, 12)), np.repeat([0, 1], 40)
    empty = 0
    for seed in range(5):
        selector = SubsetSelector(
            "nearest mean", allow_none=True, stop=Significant(correct=True), random_state=seed
        )
        empty += not selector.fit(X, y).get_support().any()
    assert empty >= 4
    with pytest.warns(UserWarning, match="No features were selected"):
        selector.transform(X)


def test_nested_selection_says_what_was_chosen_how_often_and_compares_with_all_columns():
    X, y = two_informative_of_ten()
    result = nested_selection(SubsetSelector("lda"), X, y)
    assert result.votes[:2] in ([("x3", 5), ("x7", 5)], [("x7", 5), ("x3", 5)])
    assert set(result.comparison.finished) == {"selected columns", "all columns"}
    numbers = nested_selection(
        SubsetSelector(LinearRegression(), cv=3), X, X[:, 3] * 2 + X[:, 5], metric="r2"
    )
    assert numbers.mean > 0.95
    with pytest.raises(ParameterError, match="must choose columns"):
        nested_selection(LinearRegression(), X, y)


def test_selection_inside_of_compare_sees_training_rows_only():
    X, y = two_informative_of_ten()
    pipe = make_pipeline(SubsetSelector("lda", cv=5), LinearDiscriminantAnalysis())
    result = compare({"chosen": pipe, "all": LinearDiscriminantAnalysis()}, X, y, design="3-fold")
    columns = [choice["columns"] for choice in result.chosen("chosen")]
    assert len(columns) == 3 and all({"x3", "x7"} <= set(names) for names in columns)


def test_fixed_groups_and_costs_by_name():
    frame, signal = mixed_table(n=100)
    y = signal > 0
    fixed = SubsetSelector("naive bayes", fixed=["noise"], cv=5, stop=2).fit(frame, y)
    assert fixed.selected_ == ["noise", "age"] or fixed.selected_ == ["noise", "city"]
    assert fixed.reasons()[0]["why"] == "fixed"
    together = SubsetSelector("naive bayes", column_groups=[["age", "city"]], cv=5, stop=1).fit(frame, y)
    assert together.selected_ == ["age", "city"]
    costly = SubsetSelector("naive bayes", costs={"age": 0.5, "city": 0.5}, stop="improves", cv=5).fit(
        frame, y
    )
    assert not {"age", "city"} & set(costly.selected_)
    with pytest.raises(ParameterError, match="no column 'agee'"):
        SubsetSelector("naive bayes", fixed=["agee"]).fit(frame, y)


def test_groups_of_rows_stay_together():
    X, y = two_informative_of_ten(n=60)
    groups = np.arange(60) // 2
    selector = SubsetSelector("lda", cv="5-fold", stop=2).fit(X, y, groups=groups)
    assert selector.get_support().sum() == 2


def test_weights_count_rows_as_often_as_they_say():
    """On the same folds, whole weights are repeated rows."""
    X, y = two_informative_of_ten(n=60)
    w = np.random.default_rng(0).integers(1, 4, size=60)
    pairs = [(np.arange(40), np.arange(40, 60)), (np.arange(20, 60), np.arange(20))]
    rows = np.repeat(np.arange(60), w)
    repeated = [tuple(np.flatnonzero(np.isin(rows, part)) for part in pair) for pair in pairs]
    settings = {"estimator": "lda", "stop": 3}
    weighted = SubsetSelector(**settings, cv=pairs).fit(X, y, sample_weight=w)
    plain = SubsetSelector(**settings, cv=repeated).fit(X[rows], y[rows])
    assert_array_equal(weighted.support_, plain.support_)
    assert weighted.score_ == pytest.approx(plain.score_, rel=1e-9)


@pytest.mark.parametrize(
    "search",
    [Beam(2), Exhaustive(), Forward(step=2), "annealing", "genetic", "backward", "plus-l take-away-r"],
)
def test_every_search_runs_around_a_learner_and_is_saved(search, tmp_path):
    X, y = two_informative_of_ten(n=80)
    selector = SubsetSelector("lda", search=search, stop=[AtMost(4), Significant()], cv=3).fit(X[:, 2:8], y)
    assert {1, 5} & set(selector.get_support(indices=True))
    assay.save(selector, tmp_path / "selector.assay")
    again = assay.load(tmp_path / "selector.assay")
    assert_array_equal(again.transform(X[:, 2:8]), selector.transform(X[:, 2:8]))
    assert again.trace_.table() == selector.trace_.table()
    assert str(again.show()) == str(selector.show())


def test_the_same_seed_gives_the_same_choice_whatever_the_threads():
    X, y = two_informative_of_ten(n=80)
    runs = [
        SubsetSelector("tree", search="genetic", cv=3, random_state=3, stop=3, n_jobs=jobs).fit(X, y)
        for jobs in (1, 2)
    ]
    assert runs[0].trace_.table() == runs[1].trace_.table()


def test_an_interruption_leaves_the_best_so_far_and_goes_on_to_the_caller():
    X, y = two_informative_of_ten()

    def stop(event):
        if event.done > 5 and event.state == "running":
            raise KeyboardInterrupt

    selector = SubsetSelector(DecisionTreeClassifier(), cv=3, stop="improves")
    with listen(stop), pytest.raises(KeyboardInterrupt) as stopped:
        selector.fit(X, y)
    assert selector.selected_ and selector.transform(X).shape[1] == len(selector.selected_)
    assert stopped.value.partial.selected == tuple(selector.get_support(indices=True))


@pytest.mark.parametrize("n_columns", [1, 3])
def test_few_rows_few_columns_and_constant_ones(n_columns):
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(8), rng.normal(size=(8, 2))])[:, :n_columns]
    y = np.array([0, 1] * 4)
    assert len(SubsetSelector("naive bayes", cv=2).fit(X, y).selected_) == 1
    wide = rng.normal(size=(8, 30))
    assert SubsetSelector("nearest mean", cv=2, stop=4).fit(wide, y).get_support().sum() == 4


def test_what_cannot_be_searched_is_said():
    X, y = two_informative_of_ten(n=20)
    with pytest.raises(DataError, match="target y is None"):
        SubsetSelector("lda").fit(X)
    with pytest.raises(DataError, match="too few"):
        SubsetSelector("lda").fit(X[:3], y[:3])
    with pytest.raises(ParameterError, match="no search"):
        SubsetSelector("lda", search="sideways").fit(X, y)
    with pytest.raises(DataError, match="in memory"):
        import dask.array

        SubsetSelector("lda").fit(dask.array.from_array(X), dask.array.from_array(np.arange(20) % 2))
    with pytest.raises(DataError, match="all rows of class are 1; there is nothing to predict"):
        SubsetSelector("lda").fit(X, np.ones(20, dtype=int))
    with pytest.raises(ParameterError, match="rmse is of predicted numbers"):
        SubsetSelector("lda", scoring="rmse").fit(X, y)
    with pytest.raises(ParameterError, match="SubsetSelector: cv must be a name such as"):
        SubsetSelector("lda", cv="five folds").fit(X, y)
    with pytest.raises(DataError, match="cv cannot split these 6 rows"):
        SubsetSelector("lda", cv=10).fit(X[:6], ["a", "b"] * 3)
    with pytest.raises(DataError, match="missing in row 1"):
        SubsetSelector("lda").fit(X, np.array([None, *y[1:]], dtype=object))
    with pytest.raises(ParameterError, match="branch and bound needs a criterion"):
        SubsetSelector("lda", search="branch and bound", stop=2).fit(X, y)


def test_peer_same_columns_as_scikit_learn_for_every_direction_and_tol():
    """Peer: scikit-learn's SequentialFeatureSelector, with its own learners, on the same folds."""
    from sklearn.datasets import load_diabetes, load_wine
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
    from sklearn.feature_selection import SequentialFeatureSelector as Peer
    from sklearn.linear_model import LinearRegression as PeerRegression

    X, y = load_wine(return_X_y=True)
    X, numbers = X[:, :7], load_diabetes(return_X_y=True)
    for direction in ("forward", "backward"):
        for settings in ({"n_features_to_select": 4}, {"tol": 0.005}, {"n_features_to_select": 0.3, "cv": 3}):
            if direction == "backward" and "tol" in settings:
                settings = {"tol": -0.005}
            ours = SequentialFeatureSelector(LinearDiscriminantAnalysis(), direction=direction, **settings)
            peer = Peer(PeerLDA(), direction=direction, **settings)
            assert_array_equal(ours.fit(X, y).support_, peer.fit(X, y).support_)
            ours = SequentialFeatureSelector(LinearRegression(), direction=direction, scoring="neg_mean_absolute_error",
                                             **settings)  # fmt: skip
            peer = Peer(PeerRegression(), direction=direction, scoring="neg_mean_absolute_error", **settings)
            assert_array_equal(ours.fit(*numbers).support_, peer.fit(*numbers).support_)
