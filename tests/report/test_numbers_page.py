"""The page of a comparison of regressors: its numbers are those of the tables and functions, whatever the rows."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from assay import compare
from assay.evaluate import Residuals
from assay.evaluate.residuals import IntervalCoverage
from assay.evaluate.show import cells, shown_value
from assay.linear import LinearRegression
from assay.report import read_settings, render_report
from assay.report.charts import Box, Cloud, chart
from assay.report.numbers import shown_number
from assay.report.predictive_rows import NOMINAL, PredictiveRows, predictive_rows
from assay.report.refits import extras
from assay.report.residual_panels import (
    column_panels,
    group_tables,
    predictions_overview,
    residual_panels,
    size_table,
)
from assay.report.surprising_rows import most_surprising_rows

RNG = np.random.default_rng(1)
N = 160
FRAME = pd.DataFrame(
    {
        "size": RNG.gamma(4, 20, N),
        "city": RNG.choice(["Bergen", "Oslo", "<b>Molde</b>"], N),
        "age": RNG.integers(0, 90, N).astype(float),
    }
)
FRAME.loc[::9, "age"] = np.nan
FRAME.loc[::13, "city"] = None
PRICE = pd.Series(
    300 * FRAME["size"] - 10 * FRAME["age"].fillna(50) + 2000 * RNG.normal(size=N), name="price"
)
GROUPS = np.arange(N) % 20
WORDS = r"\b(?:class|classes|stratif\w*|misclassif\w*|ROC|Wilson|most confident)\b"


class Page(HTMLParser):
    """Its text, and a check that every element is closed and no attribute holds what is not a number."""

    def __init__(self, html):
        super().__init__()
        self.stack, self.parts = [], []
        self.feed(html)
        assert self.stack == []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "img", "br", "link", "input"):
            self.stack.append(tag)
        for name, value in attrs:
            assert not re.search(r"(?<![a-z])(nan|inf)(?![a-z])", value or ""), (tag, name, value)

    def handle_endtag(self, tag):
        assert self.stack.pop() == tag

    def handle_data(self, data):
        if not self.stack or self.stack[-1] not in ("style", "script"):
            self.parts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.parts).split())


class Fails(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        raise ValueError("no rows please")

    def predict(self, X):
        return np.zeros(len(X))


class First(RegressorMixin, BaseEstimator):
    """Predicts the first column."""

    def fit(self, X, y):
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


@pytest.fixture(scope="module")
def result():
    metrics = ["rmse", "mae", "r2", "coverage", "interval width"]
    return compare(["mean", "ols", "tree"], FRAME, PRICE, design="2x5", metrics=metrics, groups=GROUPS)


@pytest.fixture(scope="module")
def refitted(result):
    return extras(result, False, True, True)


def test_every_number_of_the_table_is_on_the_page_as_the_table_prints_it(result):
    text = Page(render_report(result)).text
    for s in result.ranking():
        low, high = (shown_value(result, v) for v in (s.low, s.high))
        assert cells(result, s)[1] in text and f"{low} – {high}" in text
        for m in ("mae", "r2"):
            mean = next(t.mean for t in result.ranking(m) if t.learner == s.learner)
            assert shown_value(result, mean, m) in text
    for s in result.ranking()[1:]:
        assert shown_value(result, s.difference, sign=True) in text
        assert str(result.test(s.learner, result.best)) in text
    assert re.search(WORDS, text) is None and "price" in text and "Most surprising rows" in text


def test_settings_and_calls_say_that_it_is_a_regression(result, tmp_path):
    path = result.report(tmp_path / "page.html", learning_curves=False, explanations=False, importance=False)
    settings = read_settings(path)
    assert settings["task"] == "regression" and "classes" not in settings["data"]
    assert "task='regression'" in settings["python"]
    assert settings["data"]["low"] == PRICE.min()
    embedded = path.read_text().split('id="assay-result">')[1].split("</script>")[0]
    assert json.loads(embedded)["ranking"]["rmse"][0]["learner"] == result.best


def test_the_call_on_the_page_repeats_it():
    rows = FRAME[["size"]].to_numpy()
    result = compare(["mean", "ols"], rows, PRICE.round(-4).astype(int), design="3-fold", task="regression")
    from assay.report.reproduce import python_line

    scope = {"X": rows, "y": PRICE.round(-4).astype(int)}
    exec(python_line(result), scope)
    assert scope["result"].ranking()[0].mean == result.ranking()[0].mean


def test_legends_have_the_numbers_of_the_table(result, refitted):
    residuals = {s.learner: Residuals.of_comparison(result, s.learner) for s in result.ranking()}
    size, coverage, width = predictions_overview(result, residuals, refitted.predictive)["panels"]
    for _, name, value, _ in size["legend"]:
        assert value == shown_value(result, next(s.mean for s in result.ranking() if s.learner == name))
    for _, name, value, _ in coverage["legend"]:
        assert value == shown_value(
            result, next(s.mean for s in result.ranking("coverage") if s.learner == name), "coverage"
        )
    for _, name, value, _ in width["legend"]:
        mean = next(s.mean for s in result.ranking("interval width") if s.learner == name)
        assert value == shown_value(result, mean, "interval width")
    colours = {name: colour for colour, name, _, _ in size["legend"]}
    assert all(colours[name] == colour for colour, name, _, _ in coverage["legend"] + width["legend"])


def test_intervals_of_the_page_are_those_of_the_learner(result):
    name = "linear regression"
    first = [s for s in result.splits if s.repetition == 0]
    found = predictive_rows(result, name, first)
    residuals = Residuals.of_comparison(result, name)
    assert (found.rows == residuals.rows).all()
    curve = found.coverage(residuals, 0.05)
    assert isinstance(curve, IntervalCoverage) and curve.nominal.tolist() == list(NOMINAL)
    by_fold = [c.values["coverage"] for c, p in zip(result.cells[name], result.places) if p[0] == 0]
    sizes = [len(s.test) for s in first]
    usual = curve.observed[NOMINAL.index(0.9)].value
    np.testing.assert_allclose(usual, np.average(by_fold, weights=sizes), rtol=1e-12)


def test_a_learner_is_fitted_again_where_no_distribution_was_kept(result):
    plain = compare(["ols"], FRAME, PRICE, design="5-fold", groups=GROUPS)
    kept = compare(["ols"], FRAME, PRICE, design="5-fold", groups=GROUPS, metrics=["crps"])
    name = plain.learners[0]
    assert plain.cells[name][0].distribution is None and kept.cells[name][0].distribution is not None
    again, as_kept = (predictive_rows(r, name, r.splits) for r in (plain, kept))
    np.testing.assert_allclose(again.lower, as_kept.lower)
    np.testing.assert_allclose(again.spread, as_kept.spread)


def test_tables_of_parts_are_those_of_the_functions(result, refitted):
    residuals = Residuals.of_comparison(result, result.best)
    report = residuals.by_size(result.metrics[0], result.alpha)
    table = size_table(result, residuals)
    assert [row["rows"] for row in table["rows"]] == list(report.rows.values())
    errors = [e["rmse"].value for e in report.groups.values()]
    assert [float(row["error"][0]) for row in table["rows"]] == pytest.approx(errors, abs=0.5)
    heads = [t["head"] for t in group_tables(result, residuals, refitted.importance)]
    assert heads == ["group", "city"]
    city = group_tables(result, residuals, refitted.importance)[1]
    assert {row["label"] for row in city["rows"]} == {"Bergen", "Oslo", "<b>Molde</b>", "missing"}
    counts = [row["rows"] for row in city["rows"]]
    assert sum(counts) == N and counts == sorted(counts, reverse=True)


def test_the_most_surprising_rows_have_the_largest_residuals_in_units_of_their_spread(result, refitted):
    name = "linear regression"
    first = [s for s in result.splits if s.repetition == 0]
    residuals = Residuals.of_comparison(result, name)
    predictive = refitted.predictive[name]
    rows = most_surprising_rows(result, name, first, 3, predictive)
    times = np.abs(residuals.residual) / predictive.spread
    order = np.argsort(-times)[:3]
    assert [r.row for r in rows] == [result.row_names(int(residuals.rows[i])) for i in order]
    assert [r.times for r in rows] == pytest.approx(times[order])
    assert rows[0].truth == shown_number(
        residuals.truth[order[0]], max(abs(residuals.truth[order[0]]), abs(residuals.predicted[order[0]]))
    )
    assert rows[0].text and "spread predicted for it" in rows[0].spread
    without = most_surprising_rows(result, name, first, 1)[0]
    assert without.times == pytest.approx(np.abs(residuals.residual).max() / residuals.spread)
    assert "spread of all residuals" in without.spread


def test_panels_draw_every_row_once_or_count_it_in_a_hexagon():
    from assay.plots.scale import Scale
    from assay.report.thinning import hexagons

    unit = Scale.unit()
    few = chart(
        [], unit, unit, "x", "y", "few", marks=[Cloud(np.linspace(0, 1, 100), np.linspace(0, 1, 100))]
    )
    assert few.count("h0") == 100
    points = RNG.uniform(0, 100, size=(5000, 2))
    centres, counts = hexagons(points, 4.0)
    assert counts.sum() == 5000
    nearest = np.min(np.hypot(*(points[:, None] - centres[None]).transpose(2, 0, 1)), axis=1)
    assert nearest.max() <= 4.0 + 1e-9  # no point is farther from its centre than a corner
    many = chart([], unit, unit, "x", "y", "many", marks=[Cloud(points[:, 0] / 100, points[:, 1] / 100)])
    assert "h0" not in many and many.count('class="hex') == 5
    box = chart([], unit, unit, "x", "y", "box", marks=[Box(0.5, [0.1, 0.2, 0.3, 0.6, 0.9], 0.2, "a & b")])
    assert box.count("<rect") == 1 and "a &amp; b" in box


def test_categories_are_boxes_and_missing_numbers_are_counted(result, refitted):
    residuals = Residuals.of_comparison(result, result.best)
    panels = {p["title"]: p for p in column_panels(result, result.best, residuals, refitted.importance)}
    assert panels["Residuals against city"]["plot"].count('class="box') == 4
    assert "18 rows without a value are not drawn" in panels["Residuals against age"]["measure"]
    assert [p["title"] for p in residual_panels(result, "mean", residuals, None)][:2] == [
        "Predicted and true",
        "Residuals against predicted",
    ]


X = RNG.normal(size=(60, 3))
Y = X @ [1.0, 2.0, 0.0] + RNG.normal(size=60)
AWKWARD = {
    "a constant prediction": lambda: compare(["mean"], X, Y, design="holdout"),
    "no residuals": lambda: compare({"first": First(), "mean": "mean"}, X, X[:, 0].copy(), design="3-fold"),
    "one column": lambda: compare(["mean", "ols"], X[:, :1], Y, design="3-fold"),
    "huge": lambda: compare(["mean", "ols"], X, Y * 1e150, design="3-fold"),
    "tiny": lambda: compare(["mean", "ols"], X, Y * 1e-150, design="3-fold"),
    "a failure": lambda: compare({"f": Fails(), "mean": "mean"}, X, Y, design="3-fold"),
    "failures alone": lambda: compare({"f": Fails()}, X, Y, design="3-fold"),
    "weights": lambda: compare(["mean", "ols"], X, Y, design="3-fold", sample_weight=np.arange(60) % 3),
    "time": lambda: compare(["mean", "ols"], X, Y, design="3-time"),
    "one split": lambda: compare(["mean", "ols"], X, Y, design="holdout"),
    "every row alone": lambda: compare(["mean", "ols"], X[:30], Y[:30], design="leave-one-out"),
    "bootstrap": lambda: compare(["mean", "ols"], X, Y, design="bootstrap(4)"),
    "few rows": lambda: compare(["mean", "ols"], X[:8], Y[:8], design="2-fold"),
    "r2 alone": lambda: compare(["mean", "ols"], X, Y, design="3-fold", metrics=["r2"]),
}


@pytest.mark.parametrize("case", AWKWARD)
def test_awkward_comparisons_have_a_page_without_what_is_not_a_number(case):
    text = Page(render_report(AWKWARD[case]())).text
    assert re.search(r"\b(nan|NaN|inf|None(?! of the others))\b", text) is None
    assert re.search(WORDS, text) is None
    if case == "a constant prediction":
        assert "Not drawn: the learner predicts" in text and "One learner: an interval" in text
    if case == "no residuals":
        assert "Not drawn: all residuals are equal" in text and "Every row was predicted exactly." in text
    if case == "failures alone":
        assert "No learner finished." in text
    if case == "time":
        assert "Diebold and Mariano" in text
    if case == "every row alone":
        assert "Each row is a split of its own" in text and "paired t test of what each test row" in text


def test_intervals_without_an_end_have_a_coverage_and_no_width():
    result = compare(["ols"], X, Y, design="3-fold", metrics=["rmse"])
    name = result.learners[0]
    residuals = Residuals.of_comparison(result, name)
    upper = np.repeat(residuals.truth[:, None] + 1, len(NOMINAL), axis=1)
    endless = PredictiveRows(residuals.rows, np.full(upper.shape, -np.inf), upper, np.full(60, np.inf))
    _, coverage, width = predictions_overview(result, {name: residuals}, {name: endless})["panels"]
    assert coverage["legend"][0][2] == "1.0000" and width["legend"][0][2] == "without limit"
    assert "inf" not in width["plot"] and "nan" not in width["plot"]
    row = most_surprising_rows(result, name, result.splits, 1, endless)[0]
    assert "spread of all residuals" in row.spread


def test_many_rows_stay_a_small_page():
    rows = RNG.normal(size=(30_000, 2))
    result = compare(["mean", "ols"], rows, rows[:, 0] + RNG.normal(size=30_000), design="holdout(0.9)")
    html = render_report(result, learning_curves=False, importance=False)
    assert len(html.encode()) < 400_000 and 'class="hex' in html and "27,000 test rows" in html


def test_names_from_the_data_are_text():
    evil = "<script>alert(1)</script>"
    X = FRAME[["size", "city"]].rename(columns={"city": evil})
    result = compare(
        {evil: LinearRegression(), "mean": "mean"},
        X,
        PRICE.rename(evil),
        design="3-fold",
        groups=[evil, "b"] * (N // 2),
    )
    html = render_report(result)
    assert (
        evil
        not in html.split("<body>")[1].replace("\\u003c", "<").split('<script type="application/json"')[0]
    )
    Page(html)


def test_the_ends_of_a_whole_range_have_no_decimals():
    from types import SimpleNamespace

    from assay.report.ranking import _target_tile

    for low, high, words in (
        (25.0, 346.0, "25 to 346"),
        (-1.5, 12345.0, "-1.500 to 12,345"),
        (0.0, 4e12, "0 to 4e+12"),
    ):
        measured = SimpleNamespace(low=low, high=high, mean=152.13)
        data = SimpleNamespace(measured=measured, target="y")
        assert _target_tile(SimpleNamespace(data=data)) == (words, "range of y", "mean 152.1")
