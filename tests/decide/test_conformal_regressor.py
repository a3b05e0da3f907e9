import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression as TheirRegression
from sklearn.model_selection import KFold, ShuffleSplit

from assay.core.persistence import load, save
from assay.decide import ConformalRegressor
from assay.decide.conformity import conformal_quantile, rows_needed, upper_rank
from assay.ensembles import (
    BaggingRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from assay.errors import DataError, DegenerateWarning, ParameterError
from assay.linear import Lasso, LinearRegression, QuantileRegressor, Ridge
from assay.neighbors import KNeighborsRegressor
from assay.smoothers import Loess
from assay.trees import DecisionTreeRegressor

i = np.arange(60.0)
X = np.column_stack([np.sin(i), np.cos(1.7 * i)])
Y = 1 + 2 * X[:, 0] - X[:, 1] + 0.5 * np.sin(12.9898 * i * i)
NEW = np.array([[0.5, -0.5], [2.0, 1.0], [-1.0, 0.0]])


def plus_by_the_book(left_out, residuals, coverage):
    """Barber et al. (2021), equation by equation: order statistics of all n numbers, row by row."""
    n = len(residuals)
    up, down = int(np.ceil((n + 1) * coverage - 1e-9)), int(np.floor((n + 1) * (1 - coverage) + 1e-9))
    low = np.sort(left_out - np.abs(residuals), axis=1)[:, down - 1]
    high = np.sort(left_out + np.abs(residuals), axis=1)[:, up - 1]
    return np.column_stack([low, high])


def refitted(model, X, y, new, folds, w=None):
    """(q, n) predictions and (n,) residuals of models fitted without each fold."""
    left_out, residuals = np.empty((len(new), len(y))), np.empty(len(y))
    for test in folds:
        train = np.setdiff1d(np.arange(len(y)), test)
        part = clone(model).fit(X[train], y[train], *([] if w is None else [w[train]]))
        left_out[:, test] = part.predict(new)[:, None]
        residuals[test] = y[test] - part.predict(X[test])
    return left_out, residuals


# ------------------------------------------------------------------ oracles


def test_same_intervals_as_mapie():
    """Peer: MAPIE 1.6.0 with scikit-learn's LinearRegression; SplitConformalRegressor (prefit on the first 30 rows),
    CrossConformalRegressor(method="plus") with LeaveOneOut and KFold(6)."""
    prefit = ConformalRegressor(LinearRegression().fit(X[:30], Y[:30]), cv="prefit").fit(X[30:], Y[30:])
    assert_allclose(
        prefit.predict_interval(NEW),
        [[1.9378075, 3.24236107], [3.8865342, 5.19108777], [-1.87786959, -0.57331602]],
        rtol=1e-8,
    )
    assert_allclose(
        ConformalRegressor(LinearRegression(), "jackknife+").fit(X, Y).predict_interval(NEW),
        [[1.96383386, 3.03233293], [3.86045189, 4.95321552], [-1.67591635, -0.60898927]],
        rtol=1e-8,
    )
    assert_allclose(
        ConformalRegressor(LinearRegression(), "cv+", cv=KFold(6)).fit(X, Y).predict_interval(NEW),
        [[1.95030776, 3.07335694], [3.86480114, 4.96854455], [-1.68307663, -0.58411053]],
        rtol=1e-8,
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        LinearRegression(fit_intercept=False),
        Ridge(alpha=3.0),
        Ridge(alpha=3.0, penalize_intercept=True),
    ],
    ids=repr,
)
def test_leaving_out_rows_of_least_squares_without_refitting(model, weighted):
    w = np.random.default_rng(0).random(60) + 0.1 if weighted else None
    ours = ConformalRegressor(model, "jackknife+").fit(X, Y, w)
    left_out, residuals = refitted(model, X, Y, NEW, np.arange(60)[:, None], w)
    assert type(ours.left_out_).__name__ == "Leverages"
    assert_allclose(ours.residuals_, residuals, rtol=1e-9)
    assert_allclose(ours.left_out_.predictions(ours.estimator_, NEW), left_out, rtol=1e-9)
    if not weighted:
        for coverage in (0.5, 0.9, 0.95):
            expected = plus_by_the_book(left_out, residuals, coverage)
            assert_allclose(ours.predict_interval(NEW, coverage), expected, rtol=1e-9)


def test_leaving_out_neighbours_without_refitting():
    model = KNeighborsRegressor(4)
    ours = ConformalRegressor(model, "jackknife+").fit(X, Y)
    left_out, residuals = refitted(model, X, Y, NEW, np.arange(60)[:, None])
    assert type(ours.left_out_).__name__ == "Neighbours"
    assert_allclose(ours.residuals_, residuals, rtol=1e-12)
    assert_allclose(ours.predict_interval(NEW), plus_by_the_book(left_out, residuals, 0.9), rtol=1e-12)


def test_a_row_that_decides_its_own_fit_is_left_out_by_a_refit():
    alone = np.column_stack([X, np.eye(60)[:, 7]])  # without row 7 the last column is constant
    ours = ConformalRegressor(LinearRegression(), "jackknife+").fit(alone, Y)
    assert type(ours.left_out_).__name__ == "Folds"
    left_out, residuals = refitted(LinearRegression(), alone, Y, alone[:3], np.arange(60)[:, None])
    assert_allclose(ours.predict_interval(alone[:3]), plus_by_the_book(left_out, residuals, 0.9), rtol=1e-7)


def test_cross_validation_plus_by_the_book():
    model = DecisionTreeRegressor(min_samples_leaf=5, random_state=0)
    ours = ConformalRegressor(model, "cv+", cv=KFold(7, shuffle=True, random_state=3)).fit(X, Y)
    folds = [test for _, test in KFold(7, shuffle=True, random_state=3).split(X)]
    left_out, residuals = refitted(model, X, Y, NEW, folds)
    assert_allclose(ours.predict_interval(NEW, 0.8), plus_by_the_book(left_out, residuals, 0.8), rtol=1e-12)
    assert_allclose(ours.predict(NEW), clone(model).fit(X, Y).predict(NEW))


@pytest.mark.parametrize(
    "model",
    [RandomForestRegressor(40, random_state=0), BaggingRegressor(n_estimators=40, random_state=0)],
    ids=repr,
)
def test_members_without_the_row_answer_for_it(model):
    """Kim, Xu and Barber (2020): the members whose bags do not hold row i stand for the model without it."""
    ours = ConformalRegressor(model).fit(X, Y)
    assert ours.method_ == "jackknife+-after-bootstrap"
    bagged = ours.estimator_
    answers = np.array([member.predict(NEW) for member in bagged.estimators_])
    inside = np.array([member.predict(X) for member in bagged.estimators_])
    left_out, residuals = np.empty((3, 60)), np.empty(60)
    for row in range(60):
        without = [t for t, bag in enumerate(bagged.estimators_samples_) if row not in bag]
        left_out[:, row], residuals[row] = answers[without].mean(axis=0), Y[row] - inside[without, row].mean()
    assert_allclose(ours.residuals_, residuals, rtol=1e-9)
    assert_allclose(ours.predict_interval(NEW), plus_by_the_book(left_out, residuals, 0.9), rtol=1e-9)


def test_split_by_the_definition():
    ours = ConformalRegressor(Lasso(alpha=0.01), "split", cv=0.4, random_state=1).fit(X, Y)
    assert len(ours.residuals_) == 24
    assert np.isin(ours.residuals_.round(9), (Y - ours.estimator_.predict(X)).round(9)).all()
    q = np.sort(np.abs(ours.residuals_))[int(np.ceil(25 * 0.9)) - 1]
    center = ours.predict(NEW)
    assert_allclose(ours.predict_interval(NEW), np.column_stack([center - q, center + q]), rtol=1e-12)
    assert_allclose(
        ours.predict_distribution(NEW).quantile(0.5), center + np.sort(ours.residuals_)[11], rtol=1e-12
    )


@pytest.mark.parametrize(
    "model",
    [
        QuantileRegressor(alpha=0),
        GradientBoostingRegressor(n_estimators=20, random_state=0),
        HistGradientBoostingRegressor(max_iter=20, min_samples_leaf=5, random_state=0),
    ],
    ids=repr,
)
def test_conformalised_quantile_regression_by_the_definition(model):
    """Romano, Patterson and Candes (2019), equations (5) and (6)."""
    split = [(np.arange(35), np.arange(35, 60))]
    ours = ConformalRegressor(model, "quantile", cv=split, coverage=0.8).fit(X, Y)
    low, high = (
        clone(model)
        .set_params(
            **(
                {"alpha": p, "loss": "quantile"}
                if isinstance(model, GradientBoostingRegressor)
                else {"quantile": p}
            )
        )
        .set_params(**({"loss": "quantile"} if hasattr(model, "loss") else {}))
        .fit(X[:35], Y[:35])
        for p in (0.1, 0.9)
    )
    scores = np.maximum(low.predict(X[35:]) - Y[35:], Y[35:] - high.predict(X[35:]))
    q = np.sort(scores)[int(np.ceil(26 * 0.8)) - 1]
    expected = np.column_stack([low.predict(NEW) - q, high.predict(NEW) + q])
    assert_allclose(ours.predict_interval(NEW), expected, rtol=1e-9)
    assert not hasattr(ours, "predict_distribution")


def test_quantiles_of_a_forest_are_conformalised():
    forest = RandomForestRegressor(30, min_samples_leaf=4, keep_targets=True, random_state=0)
    ours = ConformalRegressor(forest, "quantile", random_state=0).fit(X, Y)
    low, high = ours.estimator_.predict_distribution(NEW).interval(0.9)
    reach = conformal_quantile(ours.residuals_, 0.9)
    assert_allclose(ours.predict_interval(NEW), np.column_stack([low - reach, high + reach]), rtol=1e-12)


def test_widths_follow_the_spread():
    rng = np.random.default_rng(0)
    Z = rng.random((600, 1))
    y = rng.normal(size=600) * (0.1 + 2 * Z[:, 0])
    ours = ConformalRegressor(LinearRegression(), "normalized", spread=Loess(), random_state=0).fit(Z, y)
    width = np.ptp(ours.predict_interval([[0.05], [0.95]]), axis=1)
    assert width[1] > 4 * width[0]
    inside = (y >= ours.predict_interval(Z)[:, 0]) & (y <= ours.predict_interval(Z)[:, 1])
    assert inside[Z[:, 0] < 0.3].mean() < 0.99 and inside[Z[:, 0] > 0.7].mean() > 0.8
    assert_allclose(
        ours.predict_distribution(Z[:5]).scale, np.maximum(ours.spread_.predict(Z[:5]), ours.least_spread_)
    )


def test_analytic_is_the_learners_own_interval():
    ours = ConformalRegressor(LinearRegression(), "analytic").fit(X, Y)
    own = LinearRegression().fit(X, Y)
    assert_array_equal(ours.predict_interval(NEW, 0.8), own.predict_interval(NEW, 0.8))
    assert_array_equal(ours.predict_distribution(NEW).sd, own.predict_distribution(NEW).sd)
    with pytest.raises(ParameterError, match="QuantileRegressor has no intervals of its own"):
        ConformalRegressor(QuantileRegressor(), "analytic").fit(X, Y)


# ------------------------------------------------------------------ promises


@pytest.mark.parametrize("n", [9, 10, 19, 24])
def test_coverage_of_split_is_exact(n):
    """Of n + 1 exchangeable numbers without ties the new one is inside with probability ceil((n + 1) c) / (n + 1).

    The learner predicts 0 whatever it sees, so that the intervals depend on the calibration rows alone; 4000 draws.
    """
    rng = np.random.default_rng(n)
    draws = rng.standard_cauchy((4000, n + 1))
    reach = np.array([conformal_quantile(np.abs(row[:n]), 0.8) for row in draws])
    expected = upper_rank(n, 0.8) / (n + 1)
    assert expected >= 0.8 and expected - 0.8 < 1 / (n + 1)
    assert abs(np.mean(np.abs(draws[:, n]) <= reach) - expected) < 3.5 * np.sqrt(
        expected * (1 - expected) / 4000
    )


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (LinearRegression(), "jackknife+"),
        (KNeighborsRegressor(3), "jackknife+"),
        (LinearRegression(), "split"),
        (LinearRegression(), "cv+"),
        (Ridge(), "normalized"),
    ],
    ids=str,
)
def test_intervals_hold_the_truth_as_often_as_promised(model, method):
    """Heavy noise, a model that is wrong, few rows; 150 data sets with 20 new rows each."""
    rng = np.random.default_rng(1)
    hits = []
    for draw in range(150):
        Z = rng.normal(size=(60, 2))
        y = np.abs(Z[:, 0]) * 3 + rng.standard_t(2, size=60)
        fitted = ConformalRegressor(
            model, method, coverage=0.8, cv=None if method != "cv+" else 5, random_state=draw
        )
        ends = fitted.fit(Z[:40], y[:40]).predict_interval(Z[40:])
        hits.append(np.mean((y[40:] >= ends[:, 0]) & (y[40:] <= ends[:, 1])))
    error = np.std(hits) / np.sqrt(len(hits))
    assert np.mean(hits) > 0.8 - 3 * error
    assert np.mean(hits) < 0.9


@pytest.mark.parametrize("method", ["split", "cv+", "jackknife+"])
def test_weights_count_in_distributions_as_in_intervals(method):
    w = np.random.default_rng(0).integers(1, 4, 60).astype(float)
    model = ConformalRegressor(Ridge(), method, coverage=0.8, random_state=0).fit(X, Y, w)
    ends = np.column_stack(model.predict_distribution(NEW).interval(0.8))
    assert_allclose(ends, model.predict_interval(NEW), rtol=1e-12)
    assert not np.allclose(
        ends,
        ConformalRegressor(Ridge(), method, coverage=0.8, random_state=0).fit(X, Y).predict_interval(NEW),
    )


def test_larger_coverage_gives_wider_intervals():
    for method in ("split", "cv+", "jackknife+"):
        model = ConformalRegressor(LinearRegression(), method, random_state=0).fit(X, Y)
        narrow, wide = model.predict_interval(NEW, 0.5), model.predict_interval(NEW, 0.9)
        assert (wide[:, 0] <= narrow[:, 0]).all() and (wide[:, 1] >= narrow[:, 1]).all()


def test_a_weight_of_two_is_two_rows_in_the_quantile():
    scores, weights = np.array([3.0, 1.0, 2.0, 5.0]), np.array([1.0, 2.0, 3.0, 1.0])
    repeated = np.repeat(scores, weights.astype(int))
    for coverage in (0.2, 0.5, 0.6, 0.75, 0.85):
        assert conformal_quantile(scores, coverage, weights) == conformal_quantile(repeated, coverage)
    assert conformal_quantile(scores, 0.95, weights) == np.inf


def test_too_few_rows_give_infinite_ends_and_say_how_many_it_takes():
    with pytest.warns(
        DegenerateWarning, match="8 calibration rows are too few for coverage=0.9.* on 9 rows at least"
    ):
        model = ConformalRegressor(LinearRegression(), "jackknife+").fit(X[:8], Y[:8])
    assert np.isinf(model.predict_interval(NEW)).all()
    assert np.isfinite(model.predict_interval(NEW, 0.8)).all()
    enough = ConformalRegressor(LinearRegression(), "jackknife+").fit(X[:9], Y[:9])
    assert np.isfinite(enough.predict_interval(NEW)).all()
    with pytest.warns(DegenerateWarning, match="19 rows at least"):
        enough.predict_interval(NEW, 0.95)
    assert rows_needed(0.95) == 19


# ------------------------------------------------------------------ what is done, and with what


def test_auto_says_what_it_took_and_why():
    rng = np.random.default_rng(0)
    many = rng.normal(size=(6000, 2))
    taken = {
        "jackknife+": ConformalRegressor(Ridge()).fit(X, Y),
        "cv+": ConformalRegressor(Lasso()).fit(X, Y),
        "quantile": ConformalRegressor(QuantileRegressor(), random_state=0).fit(X, Y),
        "split": ConformalRegressor(Ridge(), random_state=0).fit(many, many[:, 0]),
    }
    for method, model in taken.items():
        assert model.method_ == method and model.reason_ and model.guarantee_
        assert method in str(model.show()) and model.reason_ in str(model.show())
    assert ConformalRegressor(Ridge(), cv=0.5, random_state=0).fit(X, Y).method_ == "split"
    assert ConformalRegressor(Ridge(), time_order=True).fit(X, Y).method_ == "split"
    quantile = HistGradientBoostingRegressor(loss="quantile", max_iter=5)
    assert ConformalRegressor(quantile, random_state=0).fit(X, Y).method_ == "quantile"


@pytest.mark.parametrize("method", ["split", "cv+", "jackknife+"])
def test_groups_stay_together(method):
    groups = np.repeat(np.arange(12), 5)
    model = ConformalRegressor(DecisionTreeRegressor(), method, random_state=0).fit(X, Y, groups=groups)
    if method == "split":  # the tree has learned its own rows by heart: the others were set aside
        aside = ~np.isclose(model.predict(X), Y, rtol=0, atol=1e-12)
        assert aside.sum() == len(model.residuals_) == 20
        assert all(len(np.unique(aside[groups == g])) == 1 for g in range(12))
        return
    folds = model.left_out_.fold
    assert all(len(np.unique(folds[groups == g])) == 1 for g in range(12))
    assert len(np.unique(folds)) == (12 if method == "jackknife+" else 10)


def test_the_last_rows_are_calibrated_on_in_the_order_of_time():
    model = ConformalRegressor(Ridge(), "split", cv=0.25, time_order=True).fit(X, Y)
    assert_allclose(model.residuals_, Y[45:] - Ridge().fit(X[:45], Y[:45]).predict(X[45:]), rtol=1e-12)
    with pytest.raises(ParameterError, match="time_order=True goes with"):
        ConformalRegressor(Ridge(), "cv+", time_order=True).fit(X, Y)


def test_other_libraries_regressors_are_wrapped_too():
    ours = ConformalRegressor(LinearRegression(), "cv+", cv=5, random_state=0).fit(X, Y)
    theirs = ConformalRegressor(TheirRegression(), "cv+", cv=5, random_state=0).fit(X, Y)
    assert_allclose(theirs.predict_interval(NEW), ours.predict_interval(NEW), rtol=1e-9)
    prefit = ConformalRegressor(TheirRegression().fit(X[:30], Y[:30]), cv="prefit").fit(X[30:], Y[30:])
    assert prefit.method_ == "split" and prefit.n_calibration_ == 30


def test_missing_values_and_categories_as_the_learner_takes_them():
    frame = pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 0, "up", "down")})
    frame.loc[::7, "a"] = np.nan
    model = ConformalRegressor(RandomForestRegressor(30, random_state=0)).fit(frame, Y)
    assert np.isfinite(model.predict_interval(frame)).all()
    with pytest.raises(DataError, match="missing"):
        ConformalRegressor(Ridge()).fit(frame, Y)
    filled = frame.fillna(0.0)
    linear = ConformalRegressor(Ridge()).fit(filled, Y)
    indicators = np.column_stack([filled["a"], filled["b"] == "down", filled["b"] == "up"]).astype(float)
    expected = ConformalRegressor(Ridge()).fit(indicators, Y).predict_interval(indicators)
    assert_allclose(linear.predict_interval(filled), expected, rtol=1e-9)


METHODS = [
    (LinearRegression(), "jackknife+"),
    (KNeighborsRegressor(), "jackknife+"),
    (Lasso(), "cv+"),
    (RandomForestRegressor(20, random_state=0), "jackknife+-after-bootstrap"),
    (LinearRegression(), "split"),
    (Lasso(), "normalized"),
    (QuantileRegressor(alpha=0), "quantile"),
    (LinearRegression(), "analytic"),
]


@pytest.mark.parametrize(("model", "method"), METHODS, ids=str)
def test_everything_survives_a_file_and_is_explained(model, method, tmp_path):
    fitted = ConformalRegressor(model, method, random_state=0).fit(X, Y)
    save(fitted, tmp_path / "m.assay")
    again = load(tmp_path / "m.assay")
    assert_array_equal(again.predict_interval(NEW), fitted.predict_interval(NEW))
    assert_array_equal(again.predict_interval(NEW, 0.7), fitted.predict_interval(NEW, 0.7))
    if method != "quantile":
        distribution = again.predict_distribution(NEW)
        assert_array_equal(distribution.mean, fitted.predict_distribution(NEW).mean)
        assert_allclose(
            np.column_stack(distribution.interval(0.7)), fitted.predict_interval(NEW, 0.7), rtol=1e-12
        )
        some = np.column_stack(distribution.take([2, 0]).interval(0.7))
        assert_allclose(some, fitted.predict_interval(NEW[[2, 0]], 0.7), rtol=1e-12)
    text = str(fitted.explain(NEW[:1]))
    assert "Prediction interval" in text and f"{fitted.predict_interval(NEW[:1])[0, 1]:.4g}" in text
    assert type(model).__name__ in text and len(fitted.explain(NEW)) == 3


def test_what_cannot_be_done_is_said():
    with pytest.raises(ParameterError, match="needs a learner of quantiles, Ridge is none"):
        ConformalRegressor(Ridge(positive=True), "quantile").fit(X, Y)
    with pytest.raises(ParameterError, match="needs a forest or BaggingRegressor"):
        ConformalRegressor(Ridge(), "jackknife+-after-bootstrap").fit(X, Y)
    with pytest.raises(NotFittedError, match="needs a fitted regressor"):
        ConformalRegressor(Ridge(), cv="prefit").fit(X, Y)
    with pytest.raises(ParameterError, match="goes with method='split'"):
        ConformalRegressor(Ridge().fit(X, Y), "cv+", cv="prefit").fit(X, Y)
    with pytest.raises(ParameterError, match="must be a share, folds, a splitter or 'prefit', got 'loo'"):
        ConformalRegressor(Ridge(), cv="loo").fit(X, Y)
    with pytest.raises(DataError, match="out of all test folds"):
        ConformalRegressor(Ridge(), "cv+", cv=ShuffleSplit(3, random_state=0)).fit(X, Y)
    with pytest.raises(ParameterError, match="takes one split, cv gives 5"):
        ConformalRegressor(Ridge(), "split", cv=5).fit(X, Y)
    with pytest.raises(DataError, match="got 2 columns"):
        ConformalRegressor(Ridge()).fit(X, X)
    with pytest.raises(ParameterError, match="coverage must be a number above 0 and below 1, got 2"):
        ConformalRegressor(Ridge()).fit(X, Y).predict_interval(X, 2)
    with pytest.raises(DataError, match="70 folds need as many rows, there are 60"):
        ConformalRegressor(Ridge(), "cv+", cv=70).fit(X, Y)
    with pytest.raises(DataError, match="all rows are of one group"):
        ConformalRegressor(Ridge(), "split").fit(X, Y, groups=np.zeros(60))
