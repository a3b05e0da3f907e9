"""Comparisons of regressors: the same designs, notes and tests as for classes, on predicted numbers."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression as Theirs
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score, root_mean_squared_error
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay import compare
from assay.bayes import GaussianNB
from assay.errors import DataError, ParameterError
from assay.evaluate import (
    between_and_within,
    bootstrap_error,
    complexity_curve,
    learning_curve,
    permutation_importance,
    three_way,
)
from assay.evaluate.digits import shown_metric
from assay.evaluate.metrics import as_measures
from assay.experiments import Experiment, Study
from assay.linear import HuberRegressor, LinearRegression, PolynomialRegressor
from assay.tuning import TunedRegressor, nested

X, Y = load_diabetes(return_X_y=True, as_frame=True)
PAIRS = list(KFold(5, shuffle=True, random_state=0).split(X))


def test_the_numbers_are_scikit_learns_on_the_same_splits():
    result = compare([Theirs(), "mean"], X, Y, design=PAIRS)
    for metric, scoring in (
        ("rmse", "neg_root_mean_squared_error"),
        ("mae", "neg_mean_absolute_error"),
        ("r2", "r2"),
    ):
        theirs = np.abs(cross_val_score(Theirs(), X, Y, cv=PAIRS, scoring=scoring))
        assert_allclose(np.abs(result.values("LinearRegression", metric)), theirs, rtol=1e-9)
    assert result.task == "regression" and result.classes == []
    assert [s.learner for s in result.ranking()] == ["LinearRegression", "mean"]
    assert result.test("LinearRegression", "mean").significant


def test_every_row_is_tested_once_and_its_prediction_is_kept():
    seen = compare([Theirs()], X, Y, design=PAIRS).out_of_fold("LinearRegression")
    assert_allclose(seen.answer, cross_val_predict(Theirs(), X, Y, cv=PAIRS))
    assert_allclose(seen.truth, Y)


def test_the_table_says_which_task_was_taken_and_why():
    text = str(compare(["forest", "knn"], X, Y, design=2))
    assert "Regression of target. 2-fold cross-validation" in text
    assert (
        "note: target holds 214 distinct whole numbers, so it is predicted as a number (regression). If the numbers "
        'name classes: task="classification".'
    ) in text
    assert "stratified" not in text


@pytest.mark.parametrize(
    ("learners", "y", "task", "taken"),
    [
        (["forest"], Y, None, "regression"),
        (["lasso"], np.arange(442) % 3, None, "regression"),  # all learners named predict numbers
        (["naive bayes"], np.arange(442) % 30, None, "classification"),
        (["forest"], np.arange(442) % 3, None, "classification"),
        (["forest"], np.arange(442) % 3, "regression", "regression"),
        (["forest"], np.arange(442) % 30, "classification", "classification"),
        ([LinearRegression()], np.arange(442) % 2, None, "regression"),
        ({"a": GaussianNB()}, np.arange(442) % 2, None, "classification"),
    ],
)
def test_the_task_is_what_is_said_else_what_the_learners_do_else_what_the_target_looks_like(
    learners, y, task, taken
):
    assert compare(learners, X, y, design=2, task=task).task == taken


def test_a_metric_or_a_learner_of_the_other_task_is_refused_by_name():
    with pytest.raises(ParameterError, match="the metric error is of classes, and the target has numbers"):
        compare(["mean"], X, Y, metrics=["error"])
    with pytest.raises(
        ParameterError, match="the metric rmse is of predicted numbers, and the target has classes"
    ):
        compare(["majority"], X, Y > 100, metrics=["rmse"])
    with pytest.raises(ParameterError, match="Name a regressor"):
        compare(["lasso", "naive bayes"], X, Y)
    with pytest.raises(
        ParameterError, match="for a regression, learners predict numbers; GaussianNB is a classifier"
    ):
        compare([GaussianNB(), Theirs()], X, Y)
    with pytest.raises(ParameterError, match='task must be "classification", "regression", or None'):
        compare(["mean"], X, Y, task="ranking")
    with pytest.raises(ParameterError, match="loss= is about wrong classes, and target has numbers"):
        compare(["mean"], X, Y, loss={("a", "b"): 1})


def test_rows_without_a_number_are_left_out_and_counted():
    y = Y.astype(float).where(np.arange(442) >= 3)
    result = compare(["mean"], X, y, design=2)
    assert result.notes[0] == "3 of 442 rows have no target and were left out."
    assert result.data.rows == 439


def test_zero_variance_infinity_and_a_failing_learner_are_told_in_a_sentence():
    with pytest.raises(DataError, match="there is nothing to predict"):
        compare(["mean"], X, np.full(442, 2.5))
    with pytest.raises(DataError, match="is infinite in row 8"):
        compare(["mean"], X, np.where(np.arange(442) == 7, np.inf, Y))

    class Nothing(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            self.n_features_in_ = X.shape[1]
            return self

        def predict(self, X):
            return np.full(len(X), np.nan)

    result = compare([Nothing(), "mean"], X, Y, design=2)
    assert "predict gave nan for index" in result.failures["Nothing"]
    assert result.best == "mean"


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_huge_and_tiny_targets_are_measured(scale):
    plain, scaled = (compare(["mean", "ols"], X, Y * s, design=2) for s in (1.0, scale))
    for name in ("mean", "linear regression"):
        assert_allclose(scaled.values(name, "mae"), plain.values(name, "mae") * scale, rtol=1e-6)
        assert_allclose(scaled.values(name, "rmse"), plain.values(name, "rmse") * scale, rtol=1e-6)
        assert_allclose(scaled.values(name, "r2"), plain.values(name, "r2"), rtol=1e-6)


def test_leave_one_out_is_measured_over_all_rows_together():
    few, y = X.iloc[:60], Y.iloc[:60]
    result = compare([Theirs(), "mean"], few, y, design="leave-one-out", metrics=["rmse", "r2", "mae"])
    answer = cross_val_predict(Theirs(), few, y, cv=60)
    means = {
        m: next(s for s in result.ranking(m) if s.learner == "LinearRegression").mean
        for m in ("rmse", "r2", "mae")
    }
    assert_allclose(means["rmse"], root_mean_squared_error(y, answer))
    assert_allclose(means["r2"], r2_score(y, answer))
    assert_allclose(means["mae"], mean_absolute_error(y, answer))
    low, high = result.interval("LinearRegression", "r2")
    assert low < means["r2"] < high


def test_one_split_is_tested_by_the_errors_of_its_rows():
    test = np.arange(300, 442)
    result = compare([Theirs(), "mean"], X, Y, test=test, metrics=["mse", "mae"])
    train = np.setdiff1d(np.arange(442), test)
    model = Theirs().fit(X.iloc[train], Y[train])
    a = (Y[test] - model.predict(X.iloc[test])) ** 2
    b = (Y[test] - Y[train].mean()) ** 2
    verdict = result.test("LinearRegression", "mean", "mse")
    theirs = stats.ttest_rel(a, b)
    assert_allclose(
        [verdict.result.statistic, verdict.result.p], [theirs.statistic, theirs.pvalue], rtol=1e-9
    )
    assert_allclose(
        verdict.result.estimate, mean_squared_error(Y[test], model.predict(X.iloc[test])) - b.mean()
    )
    assert verdict.result.test == "paired t test on 142 test rows"


def test_in_order_of_time_the_test_is_diebold_and_marianos():
    result = compare([Theirs(), "mean"], X, Y, design="5-time", metrics=["mse"])
    verdict = result.test("LinearRegression", "mean")
    assert verdict.result.code == "diebold_mariano"
    assert "Diebold-Mariano test on 365 test rows" in str(verdict)
    assert_allclose(verdict.result.estimate, result.ranking()[0].mean - result.ranking()[1].mean)


def test_nothing_to_learn_is_said_against_the_mean():
    rng = np.random.default_rng(0)
    result = compare(["ols", "mean"], rng.normal(size=(80, 3)), rng.normal(size=80), design="10-fold")
    assert "looks at no column" in str(result) and "nothing was shown to be learned" in str(result)


def test_mixed_tables_with_missing_values_are_prepared_in_each_fold():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(120) < 0.1, np.nan, rng.normal(size=120)),
            "town": rng.choice(list("abc"), 120),
        }
    )
    y = frame["size"].fillna(0) + (frame["town"] == "a") + rng.normal(scale=0.1, size=120)
    result = compare(["ols", "knn", "forest", Theirs(), "mean"], frame, y, design=3)
    assert not result.failures
    assert result.prepared["linear regression"] == "imputed" and result.prepared["knn"] == "imputed, scaled"
    assert result.prepared["LinearRegression"] == "imputed, indicators"
    assert_allclose(result.values("linear regression"), result.values("LinearRegression"), rtol=1e-6)


def test_weights_count_in_learning_and_in_the_metrics():
    weight = np.where(np.arange(442) < 200, 0.0, 1.0)
    some = compare([Theirs()], X, Y, design=PAIRS, sample_weight=weight, metrics=["mae"]).values(
        "LinearRegression"
    )
    for (train, test), value in zip(PAIRS, some):
        kept = train[train >= 200]
        model = Theirs().fit(X.iloc[kept], Y[kept])
        rows = test[test >= 200]
        assert_allclose(value, mean_absolute_error(Y[rows], model.predict(X.iloc[rows])), rtol=1e-6)


def test_all_suitable_regressors_are_tried_when_none_is_named():
    few = X.iloc[:120, [2, 3]]
    result = compare(None, few, Y.iloc[:120], design=2)
    assert not result.failures
    assert {"mean", "linear regression", "ridge cv", "lasso cv", "huber", "cart", "model tree", "forest", "boosting",
            "knn", "loess", "additive model", "m5 rules"} <= set(result.learners)  # fmt: skip
    assert "loess" not in compare(None, X.iloc[:60], Y.iloc[:60], design=2).learners


@pytest.mark.capability("IML-19-21")
def test_two_regressors_are_compared_by_their_losses_on_the_same_rows():
    # Oracle: IML 19.16, exercise 9: the losses of two regressors on six test rows.
    first, second = np.array([1.2, 0.8, 1.5, 1.1, 0.9, 1.4]), np.array([1.0, 0.7, 1.6, 0.9, 0.7, 1.1])

    class Fixed(RegressorMixin, BaseEstimator):
        def __init__(self, losses):
            self.losses = losses

        def fit(self, X, y):
            self.n_features_in_ = X.shape[1]
            return self

        def predict(self, X):
            return np.sqrt(self.losses)  # of targets that are 0

    rows, y = np.zeros((12, 1)), np.r_[np.arange(6) + 0.5, np.zeros(6)]
    learners = {"a": Fixed(first), "b": Fixed(second)}
    result = compare(learners, rows, y, test=np.arange(6, 12), metrics=["mse"])
    found = result.test("a", "b").result
    assert_allclose([found.statistic, found.p], [2.66556995, 0.04458482], atol=5e-9)


@pytest.mark.capability("IML-2-20")
def test_curves_of_numbers_are_rmse_by_rows_and_by_complexity():
    sizes, train, test = learning_curve("ols", X, Y, train_sizes=[30, 100, 300], random_state=1)
    assert sizes.tolist() == [30, 100, 300]
    assert train.mean(axis=1)[0] < train.mean(axis=1)[2] < test.mean(axis=1)[2] < test.mean(axis=1)[0]
    curve = complexity_curve("decision tree", X, Y, param_name="max_depth", param_range=[1, 2, 4, 8])
    assert curve.metric.name == "rmse" and (np.diff(curve.train_mean) < 0).all()  # nested models
    assert "training 6" in str(curve)


@pytest.mark.capability("IML-2-19")
def test_a_polynomial_is_chosen_on_validation_rows_and_reported_on_test_rows_by_name():
    rng = np.random.default_rng(3)
    x = rng.uniform(0, 5, 300)
    y = 2 * np.sin(1.5 * x) + rng.normal(size=300)
    rows = three_way(x[:, None], y)
    choice = rows.choose({f"order {k}": PolynomialRegressor(degree=k) for k in range(1, 8)})
    assert choice.best == min(choice.validation, key=choice.validation.get)
    assert (np.diff(list(choice.training.values())) <= 1e-9).all()
    assert rows.looks == 0
    assert "mean error of order" in str(rows.report(choice)) and rows.looks == 1
    assert rows.choose(["mean", "forest"]).best == "forest"


@pytest.mark.capability("IML-2-21")
def test_two_orders_of_a_polynomial_over_repeated_splits():
    same = between_and_within("ols", "ols", X, Y)
    assert same.between == 0 and same.result.p == 1
    found = between_and_within("ols", "mean", X, Y)
    assert found.comparison.metrics[0].name == "rmse" and found.result.rejected and found.between < 0


def test_bootstrap_errors_of_numbers_are_means_of_losses():
    squared = bootstrap_error("decision tree", X, Y, n_resamples=30)
    assert squared.loss == "squared error" and squared.training == 0
    assert squared.plain < squared.point_632 < squared.point_632_plus < squared.leave_one_out
    spread = ((Y.to_numpy()[:, None] - Y.to_numpy()) ** 2).mean()  # a full tree repeats the training rows
    assert_allclose(squared.no_information, spread)
    absolute = bootstrap_error("decision tree", X, Y, n_resamples=30, loss="absolute")
    assert_allclose(absolute.no_information, np.abs(Y.to_numpy()[:, None] - Y.to_numpy()).mean())
    assert str(absolute).startswith(
        "Mean absolute error of decision tree by 30 bootstrap samples of 442 rows"
    )
    with pytest.raises(ParameterError, match='loss must be "squared" or "absolute"'):
        bootstrap_error("decision tree", X, Y, loss="log")


def test_importance_finds_the_columns_that_the_numbers_depend_on():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 4))
    y = 3 * rows[:, 1] + rng.normal(scale=0.1, size=300)
    by_splits = permutation_importance("ols", rows, y, design="5-fold", n_repeats=2)
    fitted = permutation_importance(Theirs().fit(rows[:200], y[:200]), rows[200:], y[200:], n_repeats=3)
    assert by_splits.matters == fitted.matters == ["x1"]
    assert by_splits.metric == "rmse"
    assert compare(["ols"], rows, y, design=3).importance(n_repeats=2).matters == ["x1"]


def test_a_tuned_regressor_is_judged_by_nested_resampling():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 5, (120, 1))
    y = np.sin(2 * x[:, 0]) + rng.normal(scale=0.3, size=120)
    result = nested("knn", {"n_neighbors": [1, 9, 60]}, x, y)
    assert result.comparison.metrics[0].name == "rmse"
    assert {c["n_neighbors"] for c in result.chosen} == {9}
    assert result.comparison.task == "regression"
    model = TunedRegressor("knn", {"n_neighbors": [1, 9, 60]}, metric="mae").fit(x, y)
    assert model.best_params_ == {"n_neighbors": 9} and model.predict(x).shape == (120,)


def test_a_study_over_data_sets_of_numbers(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(90, 3))
    data = {
        name: (rows, rows @ w + rng.normal(size=90)) for name, w in (("a", [1, 0, 2]), ("b", [100, 5, 0]))
    }
    experiment = Experiment(["mean", "ols", "knn"], data, design="5-fold", folder=tmp_path / "study")
    study = experiment.run()
    assert [m.name for m in study.metrics] == ["r2", "rmse", "mae"] and experiment.task == "regression"
    again = Study.load(tmp_path / "study")
    assert_allclose(again.table(), study.table())
    alone = compare(["mean", "ols", "knn"], *data["a"], design="5-fold", metrics=["r2"])
    assert_allclose(
        study.comparison("a").values("linear regression", "r2"), alone.values("linear regression")
    )
    assert str(again.comparison("b").design) == "5-fold cross-validation"
    with pytest.raises(ParameterError, match="not of one task"):
        Experiment(["forest"], {**data, "c": (rows, np.arange(90) % 2)}).run()


def test_a_note_asks_about_few_values_and_extreme_ones():
    frame = pd.DataFrame({"x": np.arange(60.0), "copy": np.arange(60.0) * 2})
    codes = {f.code for f in compare(["mean"], frame, np.arange(60) % 2 + 0.5, design=2).data.findings}
    assert "few-target-values" in codes
    far = np.r_[np.random.default_rng(0).normal(size=59), 1e6]
    assert "extreme-target-values" in {f.code for f in compare(["mean"], frame, far, design=2).data.findings}
    disguised = compare(["mean"], frame, np.arange(60) * 1.5, design=2).data.findings
    assert {f.column for f in disguised if f.code == "target-in-disguise"} == {"copy"}
    noisy = pd.DataFrame({"twice": 2 * far, "other": far[::-1]})
    assert "twice" in {f.column for f in compare(["mean"], noisy, far, design=2).data.findings}


def test_leave_one_out_pools_all_rows_and_says_nothing_of_splits_without_a_value():
    few, y = X[:40], Y[:40]
    result = compare([Theirs(), "mean"], few, y, design="leave-one-out", metrics=["rmse", "r2"])
    assert not [note for note in result.notes if "not defined" in note]


@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_measures_distributions_row_by_row(weighted):
    few, y = X[:30].to_numpy(), Y[:30].to_numpy()
    w = np.linspace(1, 3, 30) if weighted else None
    result = compare(
        {"line": LinearRegression(), "mean": "mean"},
        few,
        y,
        design="leave-one-out",
        metrics=["crps", "coverage", "coverage error"],
        sample_weight=w,
    )
    crps, inside = np.empty(30), np.empty(30)
    for i in range(30):
        rest = np.arange(30) != i
        model = LinearRegression().fit(few[rest], y[rest], None if w is None else w[rest])
        crps[i] = model.predict_distribution(few[[i]]).crps(y[[i]])[0]
        low, high = model.predict_interval(few[[i]])[0]
        inside[i] = low <= y[i] <= high
    line = next(s for s in result.ranking() if s.learner == "line")
    assert_allclose(line.mean, np.average(crps, weights=w))
    assert line.low < line.mean < line.high
    assert np.isfinite([s.p for s in result.ranking()]).tolist() == [
        False,
        True,
    ]  # of the second against the best
    by_coverage = next(s for s in result.ranking("coverage") if s.learner == "line")
    assert_allclose(by_coverage.mean, np.average(inside, weights=w))
    lost = [note for note in result.notes if "coverage error" in note]
    assert lost == ["coverage error is not defined on these test rows and says nothing here."]


def test_intervals_of_the_last_step_of_a_pipeline_are_measured():
    pipeline = make_pipeline(StandardScaler(), LinearRegression())
    metrics = ["coverage", "crps", "interval width"]
    result = compare({"pipeline": pipeline, "line": LinearRegression()}, X, Y, design=PAIRS, metrics=metrics)
    for metric in metrics:
        assert_allclose(result.values("pipeline", metric), result.values("line", metric), rtol=1e-9)


def test_a_metric_of_intervals_that_no_learner_gives_says_what_to_do():
    result = compare({"huber": "huber"}, X, Y, design="2-fold", metrics=["rmse", "coverage"])
    note = "coverage needs intervals, which no learner here gives. assay.decide.ConformalRegressor(learner) does, "
    assert note + "around any regressor." in result.notes


def test_y_as_the_name_of_a_column_and_text_for_numbers_are_named():
    with pytest.raises(
        DataError, match="y is the text 'price', expected the class or the number of each of the"
    ):
        compare(["mean"], X, "price")
    with pytest.raises(DataError, match="compare: target holds text such as 'a', expected numbers"):
        compare(["mean"], X[:4], ["a", "b", "a", "b"], task="regression")


def test_a_study_of_numbers_has_no_stratified_splits():
    study = Experiment(["mean", Theirs()], {"a": (X[:60], Y[:60])}, design="3-fold").run()
    assert "tratified" not in str(study) and "tratified" not in str(study.checklist)
    assert "tratified" not in str(Experiment(["mean"], {"a": (X[:60], Y[:60])}, design="3-fold").plan())


def test_a_bound_at_zero_has_no_sign():
    (scorer,) = as_measures(["neg_mean_squared_error"], task="regression")
    assert shown_metric(scorer, -0.0) == "0.0000"


def test_bands_of_curves_stay_within_the_bounds_of_the_metric():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 3))
    curve = learning_curve("linear regression", X, X[:, 0] * 2 + rng.normal(size=90))
    assert curve.band.min() == 0


@pytest.mark.parametrize("unit", [1e6, 1e150, 1e-100])
def test_huber_by_its_short_name_learns_alike_in_every_unit(unit):
    usual = compare(["huber"], X, Y, design=PAIRS, metrics=["r2"]).values("huber")
    assert_allclose(
        compare(["huber"], X, Y * unit, design=PAIRS, metrics=["r2"]).values("huber"), usual, rtol=1e-6
    )


def test_the_importance_by_a_metric_that_the_learner_lacks_says_what_to_do():
    with pytest.raises(ParameterError, match="coverage needs intervals, which HuberRegressor does not give"):
        permutation_importance(HuberRegressor(), X, Y, scoring="coverage")
