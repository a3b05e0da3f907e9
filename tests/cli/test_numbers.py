"""Commands on targets of numbers: from a table to predicted numbers with intervals and reasons."""

import csv
import io
import json

import numpy as np
import pytest

from assay.cli.reasons import reason
from assay.learners import learners
from assay.linear import LinearRegression
from assay.tables import Table
from assay.tables.readers import read_table


@pytest.fixture(scope="module")
def cars(tmp_path_factory):
    """Prices by mileage, age and make, with missing values, in the target as well."""
    rng, n = np.random.default_rng(0), 120
    km, age = rng.integers(5, 250, n) * 1000.0, rng.integers(0, 20, n)
    make = rng.choice(["vw", "bmw", "fiat"], n)
    price = 30000 - 0.05 * km - 800 * age + 5000 * (make == "bmw") + rng.normal(0, 800, n)
    rows = [[f"c{i}", make[i], km[i], age[i], round(price[i], 2)] for i in range(n)]
    rows[3][2] = rows[8][1] = rows[5][4] = rows[6][4] = ""
    path = tmp_path_factory.mktemp("cars") / "cars.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["id", "make", "km", "age", "price"], *rows])
    return path


@pytest.fixture
def model(run, cars, tmp_path):
    """Fit a learner to the prices; returns the model file."""

    def fitted(learner, *options):
        path = tmp_path / f"{learner}.assay"
        code, _, err = run("fit", cars, "-t", "price", "--drop", "id", "-l", learner, "-o", path, *options)
        assert code == 0, err
        return path

    return fitted


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_describe_summarises_the_target(run, cars):
    code, out, _ = run("describe", cars, "-t", "price")
    known = np.sort([float(row["price"]) for row in table(cars.read_text()) if row["price"]])
    assert code == 0 and f"median {np.median(known):.0f}, standard deviation {known.std():.0f}" in out
    assert (
        "price holds 118 distinct numbers with fractions, so it is predicted as a number (regression)." in out
    )
    assert "2 rows have no price" in out
    told = json.loads(run("describe", cars, "-t", "price", "--json")[1])["measured"]
    assert (told["median"], told["low"], told["high"]) == (np.median(known), known[0], known[-1])
    assert told["lower_quartile"] == np.percentile(known, 25) and told["missing"] == 2


def test_compare_ranks_regressors_by_rmse(run, cars, tmp_path):
    saved = tmp_path / "all.json"
    args = (
        "compare",
        cars,
        "-t",
        "price",
        "--drop",
        "id",
        "-l",
        "mean,linear regression",
        "--design",
        "3-fold",
    )
    code, out, err = run(*args, "--save", saved)
    assert code == 0 and err == "Left out: 2 rows of cars.csv without a value of price.\n"
    assert "Regression of price." in out and "linear regression has the best rmse" in out
    heads = next(line for line in out.splitlines() if line.startswith("learner"))
    assert all(name in heads.split() for name in ("rmse", "mae", "r2"))
    told = json.loads(run(*args, "-m", "mae", "--json")[1])
    assert list(told["ranking"]) == ["mae"] and told["classes"] == [] and told["confusion"] == {}
    assert told["task"] == "regression"
    twice = json.loads(run(*args[:-4], "-l", "mean", "-l", "linear regression", *args[-2:], "--json")[1])
    assert [s["learner"] for s in twice["ranking"]["rmse"]] == ["linear regression", "mean"]
    assert json.loads(saved.read_text())["ranking"]["rmse"][0]["learner"] == "linear regression"


def test_compare_tries_the_regressors_that_suit(run, cars):
    code, out, _ = run("compare", cars, "-t", "price", "--drop", "id", "--design", "2-fold")
    tried = {name for name, entry in learners("regressor").items() if entry.suits != "on request"}
    lines = {line.split("  ")[0] for line in out.splitlines()}
    assert code == 0 and {"mean", "forest", "huber", "linear regression"} <= tried & lines


def test_compare_tests_on_a_second_file(run, cars, tmp_path):
    second = tmp_path / "new.csv"
    second.write_text("\n".join(cars.read_text().splitlines()[:30]) + "\n")
    code, out, err = run("compare", cars, "-t", "price", "--drop", "id", "-l", "ridge,mean", "--test", second)
    assert code == 0 and "27 given test rows" in out
    assert err.count("Left out: 2 rows of") == 2
    second.write_text("make,km,age,price\nvw,1,2,cheap\n")
    code, _, err = run("compare", cars, "-t", "price", "--drop", "id", "-l", "ridge,mean", "--test", second)
    assert code == 2 and "price holds text such as 'cheap', expected numbers" in err


def test_predict_writes_what_the_learner_predicts_in_python(run, cars, model, tmp_path):
    path = model("linear regression")
    answers = tmp_path / "answers.parquet"
    assert run("predict", path, cars, "--keep", "id", "-o", answers)[0] == 0
    written = read_table(answers).table
    data = read_table(cars, target="price", drop=["id"])
    known = np.flatnonzero(~np.isnan(data.y))
    from assay.prepare import PreparedRegressor

    peer = PreparedRegressor(LinearRegression()).fit(data.table[known], data.y[known])
    assert written.schema.names == ["id", "price"]
    np.testing.assert_array_equal(written.values[:, 1], peer.predict(data.table))
    text = table(run("predict", path, cars)[1])
    np.testing.assert_allclose([float(row["price"]) for row in text], peer.predict(data.table), rtol=5e-6)


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("linear regression", ()),  # its own model of the noise
        ("linear regression", ("--interval",)),
        ("lasso", ("--interval",)),
        ("cart", ("--interval",)),
    ],
)
def test_intervals_hold_as_many_rows_as_asked(run, cars, model, learner, options):
    path = model(learner, *options)
    for coverage in (0.5, 0.9):
        code, out, err = run("predict", path, cars, "--keep", "price", "--interval", coverage)
        assert code == 0, err
        rows = [row for row in table(out) if row["price"]]
        assert list(rows[0]) == ["price", "predicted price", "lower", "upper"]
        inside = [float(row["lower"]) <= float(row["price"]) <= float(row["upper"]) for row in rows]
        assert np.mean(inside) > coverage - 0.12  # of 118 training rows: 2.6 standard deviations
        assert all(float(row["lower"]) < float(row["upper"]) for row in rows)


def test_intervals_of_few_numbers_come_with_a_note(run, cars, model):
    for learner, words in (("knn", "numbers of 5 neighbours"), ("forest", "leaves with a single target")):
        _, _, err = run("predict", model(learner), cars, "--interval", 0.9)
        assert words in err and "fewer than 90%" in err and "assay fit ... --interval" in err
    for learner, options in (("knn", ("--interval",)), ("ridge cv", ()), ("lasso", ())):
        code, _, err = run("predict", model(learner, *options), cars, "--interval", 0.9)
        assert code == 0 and "fewer than" not in err


def test_a_model_without_intervals_says_how_to_have_them(run, cars, model):
    code, out, err = run("predict", model("svr"), cars, "--interval", 0.9)
    assert (code, out) == (2, "") and "holds a SVR, which has no prediction intervals of its own" in err
    assert "assay fit ... --interval" in err


@pytest.mark.filterwarnings("default::assay.errors.DegenerateWarning")
def test_too_few_rows_for_the_coverage_are_told_again_when_predicting(run, tmp_path):
    path, model = tmp_path / "d.csv", tmp_path / "m.assay"
    path.write_text("x,y\n1,1.5\n2,2.5\n3,3.1\n4,4.7\n")
    code, _, err = run("fit", path, "-t", "y", "--interval", "-o", model)
    assert code == 0 and "4 calibration rows are too few for coverage=0.9" in err
    code, out, err = run("predict", model, path, "--interval", 0.9)
    assert code == 0 and "inf" in out and "calibrated on too few rows for the coverage 0.9" in err
    code, out, err = run("predict", model, path, "--interval", 0.5)
    assert (code, err) == (0, "") and "inf" not in out


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        ("linear regression", "contributes most ("),
        ("forest", "contributes most ("),
        ("additive model", "contributes most ("),
        ("polynomial", "contributes most ("),
        ("cart", " training rows, mean "),
        ("covering", "rule: "),
        ("knn", "the 5 training rows that count most have "),
        ("kernel smoother", " training rows that count most have "),
        ("mean", "the mean of the training rows"),
    ],
)
def test_the_reason_of_a_predicted_number(run, cars, model, learner, words):
    code, out, _ = run("predict", model(learner), cars, "--reason")
    reasons = [row["reason"] for row in table(out)]
    assert code == 0 and len(reasons) == 120 and sum(words in r for r in reasons) > 110, reasons[:3]
    assert all(len(r) <= 200 for r in reasons)


def test_the_reason_is_the_largest_term_of_whatever_sign():
    """Terms 2 * 3 and -5 * 4: the second is larger."""
    X = np.array([[3.0, 4.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    model = LinearRegression().fit(Table.of({"a": X[:, 0], "b": X[:, 1]}), 2 * X[:, 0] - 5 * X[:, 1])
    assert reason(model.explain({"a": [3.0], "b": [4.0]}), numbers=True) == "b = 4 contributes most (-20)"
    assert "a = 3" in reason(model.explain({"a": [3.0], "b": [0.0]}), numbers=True)


def test_explain_and_show(run, cars, model):
    path = model("linear regression")
    code, out, _ = run("explain", path, cars, "--row", 2)
    assert code == 0 and out.startswith("LinearRegression answers ") and "Terms of the prediction" in out
    code, out, _ = run("explain", path, cars, "--output", "-", "--row", 2)
    row = table(out)[0]
    parts = [float(row[name]) for name in ("base", "make", "km", "age")]
    assert code == 0 and float(row["answer"]) == pytest.approx(sum(parts), abs=0.5)
    assert len(row["answer"]) <= 8  # six digits, as predictions have
    code, out, _ = run("show", path)
    assert (
        code == 0 and out.startswith("Predicts price, a number.\nLinearRegression") and "Coefficients" in out
    )
    code, out, _ = run("show", model("lasso", "--interval"))
    assert code == 0 and "Prediction intervals" in out and "calibration rows" in out


def test_a_regressor_of_any_short_name_is_fitted_and_saved(run, tmp_path):
    """All that need no parameter; those of one column get one."""
    wide, one, model = tmp_path / "wide.csv", tmp_path / "one.csv", tmp_path / "m.assay"
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=40), rng.normal(size=40)
    y = np.exp(a / 2) + 0.1 * rng.random(40)
    wide.write_text("a,b,y\n" + "".join(f"{u:.3f},{v:.3f},{w:.4f}\n" for u, v, w in zip(a, b, y)))
    one.write_text("a,y\n" + "".join(f"{u:.3f},{w:.4f}\n" for u, w in zip(a, y)))
    for name, entry in learners("regressor").items():
        if entry.needs:
            continue
        path = one if name == "smoothing spline" else wide
        code, out, err = run("fit", path, "-t", "y", "-l", name, "-o", model)
        assert code == 0 and out.startswith(f"{entry.class_name} learned y from 40 rows"), (name, err)
        code, out, err = run("predict", model, path, "--reason")
        assert code == 0 and len(out.splitlines()) == 41, (name, err)


def test_experiments_have_numbers_as_targets(run, cars, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("cars", "ages"):
        (tmp_path / f"{name}.csv").write_text(cars.read_text())
    (tmp_path / "e.toml").write_text(
        'folder = "results"\ndesign = "3-fold"\ntask = "regression"\nlearners = ["mean", "cart"]\n'
        'data = [{ file = "cars.csv", target = "price" }, { file = "ages.csv", target = "age" }]\n'
    )
    code, out, err = run("experiment", "run", "e.toml")
    assert code == 0 and "Mean r2 (higher is better)" in out, err
    assert "classes" not in out and "stratified" not in out
    code, out, _ = run("experiment", "show", "results", "--data", "ages")
    assert code == 0 and "Regression of age." in out


def test_learners_are_listed_by_kind(run):
    code, out, _ = run("learners")
    classes, numbers = out.split("For numbers (regression)")
    assert code == 0 and classes.startswith("For classes (classification)")
    assert "* lasso cv" in numbers and "naive bayes" in classes and "naive bayes" not in numbers
    assert "regressor (" not in numbers and "transformer (" in numbers
    code, out, _ = run("learners", "--kind", "regressor")
    assert code == 0 and out.startswith("baselines\n* mean") and "compare tries it" in out
    code, out, _ = run("learners", "forest")
    assert code == 0 and "RandomForestClassifier, a classifier." in out
    assert "RandomForestRegressor, a regressor." in out


@pytest.mark.parametrize(
    ("name", "target", "rows"), [("diabetes", "progression", 442), ("linnerud", "Weight", 20)]
)
def test_built_in_data_sets_with_numbers_are_taken_by_name(run, tmp_path, name, target, rows):
    """Of linnerud, 20 rows have 16 distinct whole numbers: no classes, though they are fewer than 20."""
    model = tmp_path / "m.assay"
    assert f"{target}, a number to predict (regression)" in run("describe", name)[1]
    code, out, err = run("fit", name, "-o", model)
    assert code == 0 and f"LinearRegression learned {target} from {rows} rows" in out, err
    code, out, _ = run("predict", model, name, "--interval", 0.8)
    assert code == 0 and len(out.splitlines()) == rows + 1 and out.startswith(f"{target},lower,upper\n")
    code, out, _ = run("compare", name, "--design", "2-fold", "-l", "knn,mean")
    assert code == 0 and f"Regression of {target}." in out


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Tables with targets that a newcomer would try."""
    monkeypatch.chdir(tmp_path)
    x, z = np.random.default_rng(1).normal(size=(2, 60)).round(3)
    y = (10 * x + z).round(2)
    targets = {
        "constant": ["3.5"] * 60,
        "two": ["0.5" if v > 0 else "1.5" for v in x],
        "text": ["unknown" if i in (16, 30) else str(v) for i, v in enumerate(y)],
        "dollars": [f'"${1000 + v:,.2f}"' for v in y],
        "infinite": ["inf" if i == 4 else str(v) for i, v in enumerate(y)],
        "empty": [""] * 60,
        "classes": ["yes" if v > 0 else "no" for v in x],
        "names": [f"n{i}" for i in range(60)],
        "numbers": [str(v) for v in y],
        "ids": [str(i) for i in range(60)],
        "huge": [f"{v}e150" for v in y],
    }
    for name, values in targets.items():
        rows = "".join(f"{u},{v},{w}\n" for u, v, w in zip(x, z, values))
        (tmp_path / f"{name}.csv").write_text(f"x,z,y\n{rows}")
    (tmp_path / "other.csv").write_text("p,q\n1,2\n")
    (tmp_path / "words.csv").write_text("x,z\nhot,2\n")


FIT = ("-t", "y", "-o", "new.assay")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("fit", "constant.csv", *FIT), "all rows of y have the value 3.5; there is nothing to predict"),
        (("compare", "constant.csv", "-t", "y"), "all rows of y have the value 3.5; there is nothing to predict"),
        (("fit", "text.csv", *FIT), "y is 'unknown' in row 17, expected a number; 2 of 60 rows have such text. If it "
         "marks missing values: --na unknown; if numbers are written that way: --clean y."),
        (("compare", "text.csv", "-t", "y", "--task", "regression"), "y is 'unknown' in row 17"),
        (("fit", "dollars.csv", *FIT), "y holds numbers with $ and thousands separators as text"),
        (("fit", "dollars.csv", *FIT, "--task", "regression"), "Have them converted: --clean y."),
        (("fit", "infinite.csv", *FIT), "y is infinite in row 5; expected finite numbers"),
        (("fit", "empty.csv", *FIT), "no row of y has a value"),
        (("fit", "classes.csv", *FIT, "--task", "regression"), "y holds text such as 'yes', expected numbers for a "
         "regression. Take it for classes (--task classification)"),
        (("describe", "classes.csv", "-t", "y", "--task", "regression"), "expected numbers for a regression"),
        (("fit", "classes.csv", *FIT, "-l", "lasso"), "'lasso' is Lasso, a regressor, for numbers. Name a classifier"),
        (("compare", "classes.csv", "-t", "y", "-l", "lasso"), "Name a classifier, for classes."),
        (("fit", "names.csv", *FIT), "y has 60 distinct values in 60 rows, expected classes"),
        (("fit", "numbers.csv", *FIT, "--task", "classification"), "distinct numbers with fractions, "
         "expected classes. Predict them as numbers (--task regression), or, if they name classes, have them read as "
         "text (--nominal y)."),
        (("fit", "ids.csv", *FIT, "--task", "classification"), "Is it an identifier or a measurement? Choose another "
         "target. If it is a measurement: --task regression."),
        (("fit", "numbers.csv", *FIT, "--task", "regresion"), "is not one of 'classification', 'regression'"),
        (("fit", "numbers.csv", *FIT, "-l", "lasoo"), "There is no learner 'lasoo'. Did you mean lasso?"),
        (("fit", "numbers.csv", *FIT, "-l", "c45"), "'c45' is C45Classifier, a classifier, for classes. Name a "
         "regressor, for numbers."),
        (("fit", "numbers.csv", *FIT, "--calibrate"), "--calibrate is about probabilities of classes, and y holds "
         "numbers (a regression)."),
        (("fit", "classes.csv", *FIT, "--interval"), "--interval is about predicted numbers, and y holds classes."),
        (("fit", "numbers.csv", *FIT, "-l", "ridge", "--set", "alfa=3"), "Ridge has no parameter 'alfa'. Did you mean "
         "alpha?"),
        (("fit", "numbers.csv", *FIT, "-l", "ridge", "--set", "alpha=-3"), "Ridge: alpha must be a number from 0 up"),
        (("compare", "numbers.csv", "-t", "y", "-m", "error"), "the metric error is of classes, and the target has "
         "numbers. Choose one of numbers, for example 'rmse'."),
        (("compare", "classes.csv", "-t", "y", "-m", "rmse"), "the metric rmse is of predicted numbers, and the target "
         "has classes."),
        (("compare", "numbers.csv", "-t", "y", "-m", "rsme"), "there is no metric 'rsme'. Did you mean rmse?"),
        (("compare", "numbers.csv", "-t", "y", "-m", "recall of yes"), "is of classes, and the target has numbers"),
        (("compare", "numbers.csv", "-t", "y", "-l", "lda,ridge"), "'lda' is LinearDiscriminantAnalysis, a classifier"),
        (("compare", "numbers.csv", "-t", "y", "--cost", "a:b=3"), "--cost is about classes, and y holds numbers"),
        (("compare", "numbers.csv", "-t", "y", "--reject", "0.3"), "--reject is about classes, and y holds numbers"),
        (("compare", "numbers.csv", "-t", "y", "--calibrate"), "--calibrate is about classes, and y holds numbers"),
        (("describe", "numbers.csv", "--task", "regression"), "--task is about the target; name it with --target"),
        (("predict", "m.assay", "other.csv"), "m.assay: the columns differ from those of fit (missing: x, z;"),
        (("predict", "m.assay", "words.csv"), "'hot'"),
        (("predict", "m.assay", "numbers.csv", "--probabilities"), "--probabilities is about classes, and m.assay "
         "predicts numbers."),
        (("predict", "m.assay", "numbers.csv", "--cost", "a:b=1"), "--cost is about classes"),
        (("predict", "m.assay", "numbers.csv", "--reject", "0.3"), "--reject is about classes"),
        (("predict", "m.assay", "numbers.csv", "--interval", "1.5"), "1.5 is not in the range 0<x<1"),
        (("predict", "c.assay", "numbers.csv", "--interval", "0.9"), "--interval is about predicted numbers, and "
         "c.assay predicts classes."),
        (("explain", "m.assay", "numbers.csv", "--row", "99"), "there is no row 99; numbers.csv has 60 rows"),
        (("learners", "lasso", "--kind", "classifier"), "'lasso' is Lasso, a regressor"),
    ],
)  # fmt: skip
def test_wrong_calls_end_in_one_sentence(run, files, args, words):
    if args[0] in ("predict", "explain"):
        target = "classes" if "c.assay" in args else "numbers"
        assert run("fit", f"{target}.csv", "-t", "y", "-o", args[1])[0] == 0
    code, out, err = run(*args)
    assert (code, out) == (2, ""), err
    assert err.startswith("assay: ") and err.count("\n") == 1 and words in err


def test_two_values_and_huge_ones_are_learned_and_compared(run, files):
    for name in ("two", "huge"):
        code, out, err = run("fit", f"{name}.csv", *FIT)
        assert code == 0 and "nan" not in out.lower(), err
        code, out, err = run("predict", "new.assay", f"{name}.csv", "--interval", 0.9)
        assert code == 0 and "nan" not in out.lower() and "inf" not in out.lower(), err
        assert run("describe", f"{name}.csv", "-t", "y")[0] == 0
        code, out, err = run("compare", f"{name}.csv", "-t", "y", "-l", "mean,ridge", "--design", "5-fold")
        assert code == 0 and "nan" not in out.lower() and "ridge has the best rmse" in out, err
    assert "y has two values in 60 rows" in run("describe", "two.csv", "-t", "y")[1]


def test_text_among_numbers_is_pointed_out_and_mended_as_advised(run, files):
    out = run("describe", "text.csv", "-t", "y")[1]
    assert "y holds numbers as text" in out and "except 'unknown' in 2 rows" in out and "--clean y" in out
    assert "with --clean y" in run("describe", "dollars.csv", "-t", "y")[1]
    for name, advice in (
        ("text", ("--na", "unknown")),
        ("text", ("--clean", "y")),
        ("dollars", ("--clean", "y")),
    ):
        code, out, err = run("fit", f"{name}.csv", *FIT, *advice)
        assert code == 0 and out.startswith("LinearRegression learned y"), err
