"""Regressors of a transformed target: predictions, bias, intervals and distributions mapped back."""

import re

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor as Peer
from sklearn.datasets import make_friedman1
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression as PeerRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import assay
from assay.ensembles import RandomForestRegressor
from assay.errors import DataError, PersistenceError
from assay.linear import HuberRegressor, LinearRegression, Ridge
from assay.neighbors import KNeighborsRegressor
from assay.prepare import PreparedRegressor, SimpleImputer, StandardScaler, TransformedTargetRegressor
from assay.stats.distributions.predictive import Normal
from assay.trees import DecisionTreeRegressor

NAMES = ["log", "log1p", "sqrt", "box-cox", "yeo-johnson", "rank"]
X, Y = make_friedman1(200, noise=1.0, random_state=0)


def lognormal(n=4000, sd=0.8):
    """y = exp(1 + x + error): the mean is exp(1 + x + sd^2 / 2), the median exp(1 + x)."""
    draw = np.random.default_rng(5)
    x = draw.uniform(0, 2, (n, 1))
    return x, np.exp(1 + x[:, 0] + draw.normal(0, sd, n))


@pytest.mark.capability("IML-1-13")
def test_predictions_scale_with_the_original_price():
    """Used cars: cheap ones were seen, and a dear one is priced by the same depreciation."""
    draw = np.random.default_rng(0)
    cars = pd.DataFrame(
        {"age": draw.uniform(0, 10, 60), "new": draw.uniform(8e3, 20e3, 60), "fuel": ["a", "b"] * 30}
    )
    price = cars["new"] * (0.9 - 0.07 * cars["age"] + 0.05 * (cars["fuel"] == "b"))
    model = TransformedTargetRegressor(DecisionTreeRegressor(), ratio_to="new").fit(cars, price)
    by_line = TransformedTargetRegressor(ratio_to="new").fit(cars, price)
    dear = pd.DataFrame({"age": [5.0, 5.0], "new": [10e3, 100e3], "fuel": ["b", "b"]})
    assert_allclose(by_line.predict(dear), dear["new"] * 0.6, rtol=1e-9)
    answers = model.predict(dear)
    assert answers[1] > 4 * answers[0]  # a tree of prices could not leave the range of the training prices
    assert DecisionTreeRegressor().fit(cars, price).predict(dear)[1] <= price.max()


@pytest.mark.capability("IML-1-13")
@pytest.mark.parametrize("transformer", [None, "log", "yeo-johnson"])
def test_in_another_currency_the_answers_are_in_that_currency(transformer):
    """Target and column times 7: predictions times 7."""
    model = TransformedTargetRegressor(transformer=transformer, ratio_to=2)
    positive = X + 0.1
    plain = model.fit(positive, Y).predict(positive)
    other = positive * np.array([1, 1, 7] + [1] * 7)
    # the column itself is a column of the regressor, whose weights follow its unit
    assert_allclose(model.fit(other, 7 * Y).predict(other), 7 * plain, rtol=1e-6)


def test_functions_and_transformers_answer_as_scikit_learn():
    for settings in (
        {},
        {"func": np.log, "inverse_func": np.exp},
        {"transformer": QuantileTransformer(n_quantiles=50, output_distribution="normal")},
    ):
        ours = TransformedTargetRegressor(LinearRegression(), **settings).fit(X, Y)
        peer = Peer(PeerRegression(), **settings).fit(X, Y)
        assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-9)
        assert_allclose(ours.regressor_.coef_, peer.regressor_.coef_, rtol=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_without_correction_the_answer_is_the_inverse_of_the_prediction(name):
    model = TransformedTargetRegressor(transformer=name, bias=None).fit(X, Y)
    z = LinearRegression().fit(X, model.transformer_.transform(Y)).predict(X)
    assert_allclose(model.predict(X), model.transformer_.inverse_transform(z), rtol=1e-9)


def test_smearing_and_the_normal_mean_are_by_the_book():
    """Duan (1983): exp of the prediction times the mean of exp(residual); exp(z + s^2 / 2)."""
    x, y = lognormal(500)
    z = LinearRegression().fit(x, np.log(y)).predict(x)
    e = np.log(y) - z
    smeared = TransformedTargetRegressor(transformer="log").fit(x, y)
    assert_allclose(smeared.predict(x), np.exp(z) * np.exp(e).mean(), rtol=1e-9)
    normal = TransformedTargetRegressor(transformer="log", bias="normal").fit(x, y)
    assert_allclose(normal.predict(x), np.exp(z + (e**2).mean() / 2), rtol=1e-9)


@pytest.mark.parametrize("bias", ["smearing", "normal"])
@pytest.mark.parametrize("name", ["log", "box-cox", "yeo-johnson"])
def test_the_correction_gives_the_mean_where_the_plain_inverse_gives_the_median(name, bias):
    x, y = lognormal()
    mean, median = np.exp(1 + x[:, 0] + 0.32), np.exp(1 + x[:, 0])
    corrected = TransformedTargetRegressor(transformer=name, bias=bias).fit(x, y).predict(x)
    plain = TransformedTargetRegressor(transformer=name, bias=None).fit(x, y).predict(x)
    assert abs((corrected / mean).mean() - 1) < 0.06
    assert abs((plain / median).mean() - 1) < 0.06  # 1.38 times too low as a mean


def test_functions_can_be_corrected_too():
    x, y = lognormal(300)
    by_name = TransformedTargetRegressor(transformer="log", bias="smearing").fit(x, y)
    by_function = TransformedTargetRegressor(func=np.log, inverse_func=np.exp, bias="smearing").fit(x, y)
    assert_allclose(by_function.predict(x), by_name.predict(x), rtol=1e-9)
    by_function.set_params(bias="normal").fit(x, y)
    assert_allclose(by_function.predict(x), by_name.set_params(bias="normal").fit(x, y).predict(x), rtol=1e-9)


def test_residuals_of_many_rows_are_condensed_without_moving_the_mean():
    x, y = lognormal(20_000)
    model = TransformedTargetRegressor(transformer="box-cox").fit(x, y)
    assert len(model.residuals_) == 1000 and model.residual_shares_.sum() == pytest.approx(1)
    z = model.regressor_.predict(x[:20])
    e = model.transformer_.transform(y) - model.regressor_.predict(x)
    exact = model.transformer_.inverse_transform(z[:, None] + e).mean(axis=1)
    assert_allclose(model.predict(x[:20]), exact, rtol=1e-5)


def test_a_close_learner_takes_its_residuals_out_of_fold():
    """A tree that repeats its training rows has residuals of zero there, and smearing would do nothing."""
    x, y = lognormal(400)
    close = TransformedTargetRegressor(DecisionTreeRegressor(), transformer="log").fit(x, y)
    honest = TransformedTargetRegressor(DecisionTreeRegressor(), transformer="log", cv=5).fit(x, y)
    assert np.abs(close.residuals_).max() < 1e-9
    assert honest.residuals_.std() > 0.8
    again = TransformedTargetRegressor(DecisionTreeRegressor(), transformer="log", cv=5).fit(x, y)
    assert_array_equal(honest.predict(x), again.predict(x))


@pytest.mark.parametrize("name", NAMES)
def test_a_row_of_weight_two_is_two_rows(name):
    x, y = X[:60], Y[:60]
    w = np.tile([1.0, 2.0, 0.0], 20)
    weighed = TransformedTargetRegressor(transformer=name).fit(x, y, sample_weight=w)
    times = w.astype(int)
    again = TransformedTargetRegressor(transformer=name).fit(np.repeat(x, times, axis=0), np.repeat(y, times))
    assert_allclose(weighed.predict(X), again.predict(X), rtol=1e-5)


class WithDistribution(PeerRegression):
    def predict_distribution(self, X):
        return Normal(self.predict(X), 0.8)


class WithInterval(PeerRegression):
    def predict_interval(self, X, coverage=0.9):
        return np.column_stack(norm.interval(coverage, self.predict(X), 0.8))


@pytest.mark.parametrize("kind", [WithInterval, WithDistribution])
@pytest.mark.parametrize("name", NAMES)
def test_intervals_are_mapped_end_by_end_and_keep_their_coverage(name, kind):
    x, y = lognormal()
    model = TransformedTargetRegressor(kind(), transformer=name).fit(x, y)
    ends = model.predict_interval(x, coverage=0.8)
    z = model.regressor_.predict(x)
    by_hand = [model.transformer_.inverse_transform(e) for e in norm.interval(0.8, z, 0.8)]
    assert_allclose(ends, np.column_stack(by_hand), rtol=1e-12)
    if name == "log":  # where 0.8 is the standard deviation of the errors
        assert abs(((ends[:, 0] <= y) & (y <= ends[:, 1])).mean() - 0.8) < 0.02


def test_intervals_of_a_falling_function_are_in_order():
    model = TransformedTargetRegressor(WithInterval(), func=np.negative, inverse_func=np.negative).fit(X, Y)
    ends = model.predict_interval(X)
    assert (ends[:, 0] < ends[:, 1]).all()


def test_distributions_change_variables_and_ratio():
    x, y = lognormal(200)
    x = np.column_stack([x, np.linspace(1, 3, 200)])
    model = TransformedTargetRegressor(WithDistribution(), transformer="log", ratio_to=1).fit(x, y)
    given = model.predict_distribution(x)
    z = model.regressor_.predict(x)
    assert_allclose(given.mean, x[:, 1] * np.exp(z + 0.32), rtol=1e-9)
    assert_allclose(given.quantile(0.5), x[:, 1] * np.exp(z), rtol=1e-12)
    assert_allclose(model.predict_interval(x, 0.9), np.column_stack(given.interval(0.9)), rtol=1e-12)
    shares = np.exp(given.logpdf(y) + np.log(y))  # density of log y
    assert_allclose(shares, norm.pdf(np.log(y / x[:, 1]), z, 0.8), rtol=1e-9)


@pytest.mark.parametrize("regressor", [LinearRegression(), KNeighborsRegressor()], ids=str)
def test_regressors_of_ours_have_intervals_and_distributions_of_the_target(regressor):
    x, y = lognormal(600)
    model = TransformedTargetRegressor(regressor, transformer="log").fit(x, y)
    ends = model.predict_interval(x, 0.8)
    given = model.predict_distribution(x)
    assert_allclose(ends, np.column_stack(given.interval(0.8)))
    if isinstance(regressor, LinearRegression):  # the five nearest rows include the row itself
        assert abs(((ends[:, 0] <= y) & (y <= ends[:, 1])).mean() - 0.8) < 0.03
        assert_allclose(given.mean, model.predict(x), rtol=0.05)


def test_a_regressor_without_intervals_has_none_here():
    model = TransformedTargetRegressor(PeerRegression(), transformer="log").fit(X, Y)
    assert not hasattr(model, "predict_distribution") and not hasattr(model, "predict_interval")
    by_function = TransformedTargetRegressor(WithDistribution(), func=np.log, inverse_func=np.exp).fit(X, Y)
    with pytest.raises(AttributeError) as error:
        by_function.predict_distribution(X)
    assert "needs the derivative of the transformation" in str(error.value.__cause__)
    assert by_function.predict_interval(X).shape == (200, 2)


def test_mixed_tables_weights_and_pipelines_inside():
    table = pd.DataFrame({"a": X[:, 3], "kind": np.where(X[:, 0] > 0.5, "up", "down"), "b": X[:, 4]})
    table.loc[3, "a"] = np.nan
    inside = make_pipeline(SimpleImputer(), StandardScaler(), Ridge())
    for regressor in (inside, RandomForestRegressor(n_estimators=5, random_state=0)):
        model = TransformedTargetRegressor(
            regressor, transformer="sqrt", ratio_to="b" if regressor is inside else None
        )
        table["b"] = X[:, 4] + 0.1
        answers = model.fit(table, Y).predict(table)
        assert np.corrcoef(answers, Y)[0, 1] > 0.5


@pytest.mark.parametrize("name", NAMES)
def test_saved_and_loaded_it_answers_the_same(name, tmp_path):
    model = TransformedTargetRegressor(Ridge(), transformer=name, ratio_to=0).fit(X + 0.1, Y)
    assay.save(model, tmp_path / "model.assay")
    back = assay.load(tmp_path / "model.assay")
    assert_array_equal(back.predict(X + 0.1), model.predict(X + 0.1))
    assert back.transformer_.phrase("y") == model.transformer_.phrase("y")


def test_functions_cannot_be_saved_and_the_sentence_says_where_they_are(tmp_path):
    model = TransformedTargetRegressor(func=np.log, inverse_func=np.exp).fit(X, Y)
    with pytest.raises(PersistenceError, match="func"):
        assay.save(model, tmp_path / "model.assay")


def test_explanations_name_the_additive_scale_and_the_way_back():
    table = pd.DataFrame({"age": X[:, 0], "new": X[:, 1] + 1})
    model = TransformedTargetRegressor(transformer="log", ratio_to="new").fit(table, Y)
    reasons = model.explain(table.head(3))
    frame = reasons.to_frame()
    assert frame["of"].tolist() == ["log(target / new)"] * 3
    assert_allclose(frame["answer"], model.predict(table.head(3)))
    z = model.regressor_.predict(table.head(3))
    assert_allclose(frame[["base", "age", "new"]].sum(axis=1), z)
    text = str(reasons[0])
    assert "Back to the target" in text and "smearing" in text and "times new" in text
    shown = str(model.show())
    assert "log(target / new)" in shown and "Coefficients" in shown
    assert "lambda" in str(TransformedTargetRegressor(transformer="box-cox").fit(X, Y).show())


def test_explanations_of_regressors_of_others_have_the_answer():
    model = TransformedTargetRegressor(PeerRegression(), transformer="log").fit(X, Y)
    assert_allclose([reason.answer for reason in model.explain(X[:3])], model.predict(X[:3]))


@pytest.mark.parametrize(
    "settings, X, y, message",
    [
        ({"transformer": "log"}, X, Y - 30, 'transformer="log" needs targets above 0, row 1 of y'),
        ({"transformer": "log"}, X, np.column_stack([Y, Y]), "for one target"),
        ({"ratio_to": "price"}, X, Y, 'the column "price", which X does not have; it has "x0"'),
        ({"ratio_to": 12}, X, Y, "ratio_to is column 12, X has 10 columns"),
        ({"ratio_to": 1}, X - 0.5, Y, "whose numbers must be above 0; row"),
        ({"ratio_to": "k"}, {"k": ["a", "b"]}, [1, 2], "must be a column of numbers"),
        ({"transformer": "log", "cv": 500}, X, Y, "cv is 500, y has 200 rows"),
        ({"transformer": "cube"}, X, Y, "transformer must be"),
        ({"transformer": "log", "func": np.exp}, X, Y, "cannot both be set"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(settings, X, y, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        TransformedTargetRegressor(**settings).fit(X, y)


def test_a_ratio_that_is_missing_names_the_row():
    table = pd.DataFrame({"new": [1.0, 2.0, 3.0]}, index=["ann", "bob", "cy"])
    model = TransformedTargetRegressor(DummyRegressor(), ratio_to="new").fit(table, [1.0, 2.0, 3.0])
    with pytest.raises(DataError, match=r"above 0; .*bob.* is missing"):
        model.predict(pd.DataFrame({"new": [1.0, None]}, index=["ann", "bob"]))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [1e-150, 1e150])
@pytest.mark.filterwarnings("ignore::assay.errors.DegenerateWarning")
def test_targets_of_any_size_give_numbers(name, scale):
    y = scale * (1 + np.arange(40.0)) if name != "log1p" or scale > 1 else np.arange(40.0)
    model = TransformedTargetRegressor(transformer=name).fit(np.arange(40.0)[:, None], y)
    answers = model.predict(np.array([[-5.0], [20.0], [60.0]]))
    assert np.isfinite(answers).all()
    assert (np.diff(answers) >= 0).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore::assay.errors.DegenerateWarning")
def test_one_value_for_all_rows_is_the_answer(name):
    model = TransformedTargetRegressor(transformer=name).fit(X, np.full(200, 3.0))
    assert_allclose(model.predict(X[:5]), 3.0, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::assay.errors.AssayWarning")
@parametrize_with_checks([TransformedTargetRegressor(transformer=name) for name in ("yeo-johnson", "rank")])
def test_scikit_learns_checks_with_a_named_transformer(estimator, check):
    check(estimator)


def test_clones_have_the_settings():
    model = TransformedTargetRegressor(
        Ridge(alpha=3.0), transformer="log", ratio_to="new", bias="normal", cv=3
    )
    assert clone(model).get_params()["regressor__alpha"] == 3.0


def test_a_prepared_regressor_inside_passes_its_distribution_on():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.exp(X[:, 0] + 0.3 * rng.normal(size=60))
    plain = TransformedTargetRegressor(LinearRegression(), transformer="log").fit(X, y)
    wrapped = TransformedTargetRegressor(PreparedRegressor(LinearRegression()), transformer="log").fit(X, y)
    assert_allclose(wrapped.predict_distribution(X).crps(y), plain.predict_distribution(X).crps(y))
    lacking = TransformedTargetRegressor(PreparedRegressor(HuberRegressor()), transformer="log").fit(X, y)
    assert not hasattr(lacking, "predict_distribution")
