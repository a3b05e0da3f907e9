"""Partial dependence and accumulated local effects: against scikit-learn, and against formulas."""

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.inspection import partial_dependence as peer_dependence
from sklearn.linear_model import LinearRegression as PeerLinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, NaiveBayes
from assay.ensembles import HistGradientBoostingRegressor
from assay.errors import AssayError, DataError, ParameterError
from assay.evaluate import partial_dependence
from assay.linear import LinearRegression, LogisticRegression, Perceptron
from assay.plots import PartialDependenceDisplay
from assay.tables.data import load_breast_cancer, load_german_credit, load_iris, load_weather
from assay.trees import C45Classifier, DecisionTreeRegressor

matplotlib.use("agg")
rng = np.random.default_rng(0)


class Formula(RegressorMixin, BaseEstimator):
    """A fitted regressor that answers by a formula of the columns."""

    def __init__(self, formula=None):
        self.formula = formula

    def fit(self, X, y=None):
        self.coef_ = 0.0
        return self

    def predict(self, X):
        return self.formula(np.asarray(X, dtype=float))


@pytest.mark.parametrize("columns", [[0], [3], [1, 2]])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_the_same_numbers_as_scikit_learn(load, columns):
    X, y = load()
    X = np.asarray(X, dtype=float)
    for model in (
        LinearDiscriminantAnalysis().fit(X, y),
        DecisionTreeRegressor(max_depth=4).fit(X, X[:, 0] ** 2),
    ):
        settings = {"grid_resolution": 7, "percentiles": (0.1, 0.9), "kind": "both"}
        ours = partial_dependence(model, X, columns, **settings)
        peer = peer_dependence(model, X, columns, method="brute", **settings)
        for a, b in zip(ours["grid_values"], peer["grid_values"]):
            assert_allclose(a, b)
        assert_allclose(ours["average"], peer["average"], atol=1e-12)
        assert_allclose(ours["individual"], peer["individual"], atol=1e-12)


def test_weights_count_as_copies_and_scores_where_there_are_no_probabilities():
    X, y = load_iris()
    model = GaussianNB().fit(X, y)
    times = rng.integers(0, 3, len(y))
    weighted = partial_dependence(model, X, 0, grid_resolution=5, sample_weight=times, custom_values=[5, 6])
    copies = partial_dependence(model, np.repeat(np.asarray(X), times, axis=0), 0, custom_values=[5, 6])
    assert_allclose(weighted.average, copies.average)
    two = Perceptron().fit(np.asarray(X)[:100], y[:100])
    found = partial_dependence(two, X[:100], 0, custom_values=[5.0])
    assert found.answers == ["score of versicolor"] and found.average.shape == (1, 1)


def test_a_line_is_exact_and_its_rows_are_parallel():
    X = rng.normal(size=(200, 3))
    model = LinearRegression().fit(X, X @ [2.0, -1.0, 0.5] + 3)
    found = partial_dependence(model, X, 0, custom_values=[-1.0, 0.0, 2.0])
    rest = 3 + X[:, 1:].mean(axis=0) @ [-1.0, 0.5]
    assert_allclose(found.average[0], rest + 2 * np.array([-1.0, 0.0, 2.0]), atol=1e-10)
    assert_allclose(found.interaction, 0.0, atol=1e-10)
    spread = X[:, 1:] @ [-1.0, 0.5]
    assert_allclose(found.high - found.low, 2 * 1.971957 * spread.std(ddof=1) / np.sqrt(200), rtol=1e-5)
    effects = partial_dependence(model, X, 0, kind="accumulated", grid_resolution=10)
    assert_allclose(np.diff(effects.average[0]) / np.diff(effects.grid_values[0]), 2.0, rtol=1e-9)
    assert_allclose(effects.high, effects.low, atol=1e-9)  # every row takes the same steps


def test_columns_that_cancel_each_other_in_the_mean_interact():
    X = rng.choice([-1.0, 1.0], size=(4000, 2))
    X[:4] = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    X = np.vstack([X, -X, X * [1, -1], X * [-1, 1]])  # balanced
    product = Formula(lambda X: X[:, 0] * X[:, 1]).fit(X)
    found = partial_dependence(product, X, 0)
    assert_allclose(found.average, 0.0, atol=1e-12)
    assert_allclose(found.interaction, 1.0)


def test_accumulated_effects_leave_rows_where_rows_are():
    """x2 equals x1, and the model is wild where they differ: means over all pairs see that, effects do not."""
    x = rng.uniform(0, 1, 2000)
    X = np.column_stack([x, x])
    wild = Formula(lambda X: X[:, 0] + 100 * np.maximum(np.abs(X[:, 0] - X[:, 1]) - 0.2, 0)).fit(X)
    effects = partial_dependence(wild, X, 0, kind="accumulated", grid_resolution=20)
    assert_allclose(effects.average[0], effects.grid_values[0] - x.mean(), atol=2e-3)
    assert np.ptp(partial_dependence(wild, X, 0, grid_resolution=20).average) > 5
    box = np.clip(np.searchsorted(effects.grid_values[0], x, side="left"), 1, None)
    middle = (effects.average[0][box] + effects.average[0][box - 1]) / 2
    assert abs(middle.mean()) < 1e-9


def test_accumulated_effects_weigh_rows():
    x = np.array([0.0, 1.0, 2.0, 3.0])
    X = np.column_stack([x, [0.0, 1.0, 0.0, 10.0]])
    model = Formula(lambda X: X[:, 0] * X[:, 1]).fit(X)
    found = partial_dependence(model, X, 0, kind="accumulated", grid_resolution=2, sample_weight=[1, 1, 1, 3])
    assert_array_equal(found.grid_values[0], [0.0, 1.0, 3.0])  # quantiles of the values as they are
    steps = [(0.0 + 1.0) / 2, 2 * (1 * 0.0 + 3 * 10.0) / 4]
    heights = np.array([0, steps[0], sum(steps)])
    assert_allclose(found.average[0] - found.average[0][0], heights)


def test_categories_and_missing_values_stay_what_they_are():
    X, y = load_german_credit()
    model = NaiveBayes().fit(X, y)
    name = model.schema_.names[0]
    found = partial_dependence(model, X, name)
    assert found.names == [name] and len(found.grid_values[0]) == 4
    frame = X.to_pandas()
    for label, mean in zip(found.grid_values[0], found.average[0]):
        frame[name] = label
        assert_allclose(model.predict_proba(frame)[:, 1].mean(), mean)
    X, y = load_weather()
    some = X.to_pandas().astype({"temperature": float})
    some.loc[2, "temperature"] = np.nan
    some.loc[3, "outlook"] = None
    tree = C45Classifier(min_samples_leaf=1).fit(some, y)
    for table in (some, pl.from_pandas(some), some.to_dict("list")):
        for kind in ("average", "accumulated"):
            found = partial_dependence(tree, table, "temperature", kind=kind)
            assert np.isfinite(found.average).all()
        assert sorted(partial_dependence(tree, table, "outlook").grid_values[0]) == [
            "overcast",
            "rainy",
            "sunny",
        ]


def test_dates_are_taken_from_the_rows():
    days = pd.date_range("2024-01-01", periods=40, freq="D")
    table = pd.DataFrame({"day": days, "x": np.arange(40.0)})
    model = HistGradientBoostingRegressor(max_iter=5).fit(table, np.arange(40.0))
    found = partial_dependence(model, table, "day", grid_resolution=10)
    assert len(found.grid_values[0]) == 10 and np.isfinite(found.average).all()
    assert str(found).count("2024") >= 5


def test_models_and_tables_of_others():
    table = pd.DataFrame({"town": ["b", "a", "c", "a"] * 5, "x": np.arange(20.0)})
    y = table["x"] + (table["town"] == "a")
    encode = make_column_transformer((OneHotEncoder(), ["town"]), remainder="passthrough")
    model = make_pipeline(encode, PeerLinearRegression()).fit(table, y)
    found = partial_dependence(model, table, "town")
    means = dict(zip(found.grid_values[0], found.average[0]))
    assert_allclose([means["a"] - means["b"], means["c"] - means["b"]], [1, 0], atol=1e-9)
    X = sparse.random(50, 6, 0.3, format="csr", random_state=0)
    line = LinearRegression().fit(X, X @ np.arange(6.0))
    assert_allclose(np.diff(partial_dependence(line, X, 5, custom_values=[0, 2]).average[0]), 10, rtol=1e-6)
    effects = partial_dependence(line, X, 5, kind="accumulated", grid_resolution=4)
    assert_allclose(np.diff(effects.average[0]), 5 * np.diff(effects.grid_values[0]), rtol=1e-6)


def test_what_cannot_be_computed_is_said():
    X, y = load_iris()
    model = GaussianNB().fit(X, y)
    wrong = [
        ({"features": "petal"}, "petal"),
        ({"features": 4}, "no column 4"),
        ({"features": [0, 1, 2]}, "one column or two"),
        ({"features": [1, 1]}, "different"),
        ({"features": 0, "kind": "mean"}, "kind must be one of"),
        ({"features": 0, "grid_resolution": 1}, "grid_resolution"),
        ({"features": 0, "percentiles": (0.9, 0.1), "grid_resolution": 5}, "percentiles"),
        ({"features": 0, "response_method": "predict"}, "labels of classes have no mean"),
        ({"features": 0, "response_method": "decision_function"}, "no decision_function"),
        ({"features": [0, 1], "kind": "accumulated"}, "one column of numbers"),
        ({"features": 0, "custom_values": []}, "no values"),
        ({"features": 0, "sample_weight": [1.0]}, "sample_weight"),
    ]
    for arguments, words in wrong:
        with pytest.raises((ParameterError, DataError, AssayError), match=words):
            partial_dependence(model, X, **arguments)
    with pytest.raises(ValueError, match="not fitted"):
        partial_dependence(GaussianNB(), X, 0)
    with pytest.raises(DataError, match="fewer than two values"):
        partial_dependence(model, np.ones((5, 4)), 0, kind="accumulated")
    with pytest.raises(ParameterError, match="'hail'"):
        weather = load_weather()
        partial_dependence(NaiveBayes().fit(*weather), weather.X, "outlook", custom_values=["hail"])
    huge = Formula(lambda X: np.full(len(X), np.inf)).fit(None)
    with pytest.raises(DataError, match="not finite"):
        partial_dependence(huge, np.arange(6.0).reshape(3, 2), 0)


def test_one_row_has_a_mean_and_no_interval():
    X, y = load_iris()
    found = partial_dependence(
        LogisticRegression(max_iter=500).fit(X, y), np.asarray(X)[:1], 0, custom_values=[5, 6]
    )
    assert np.isfinite(found.average).all() and np.isnan(found.low).all()


def test_pictures_and_texts():
    X, y = load_iris()
    model = GaussianNB().fit(X, y)
    names = model.schema_.names
    found = partial_dependence(model, X, names[0], grid_resolution=5, kind="both")
    assert "probability of virginica" in str(found) and names[0] in found._repr_html_()
    assert len(found.to_frame()) == 15
    assert len(found.plot().lines_) == 3
    pair = PartialDependenceDisplay.from_estimator(model, X, [0, 1], target="setosa", grid_resolution=5)
    assert pair.ax_.get_ylabel() == names[1]
    with pytest.raises(ParameterError, match="one class"):
        PartialDependenceDisplay.from_estimator(model, X, [0, 1], grid_resolution=5)
    with pytest.raises(ParameterError, match="target must be one of setosa"):
        PartialDependenceDisplay.from_estimator(model, X, 0, target="rose", grid_resolution=5)
    weather, play = load_weather()
    bars = PartialDependenceDisplay.from_estimator(NaiveBayes().fit(weather, play), weather, "outlook")
    assert [label.get_text() for label in bars.ax_.get_xticklabels()] == ["sunny", "overcast", "rainy"]
    heights = [bar.get_height() for bar in bars.lines_[0]]
    assert_allclose(heights, bars.dependence.average[0])
