"""Answers of a saved model: their formats, probabilities, reasons, and models that come and go by pipes."""

import csv
import io
import json

import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

from assay.cli import main
from assay.learners import learners
from assay.tables.data import load_iris, load_weather


@pytest.fixture
def model(run, tmp_path):
    path = tmp_path / "iris.assay"
    assert run("fit", "iris", "-o", path)[0] == 0
    return path


def test_the_ending_decides_the_format(run, model, tmp_path):
    code, out, _ = run("predict", model, "iris", "--keep", "species")
    told = list(csv.DictReader(io.StringIO(out)))
    assert code == 0 and list(told[0])[:3] == ["species", "predicted species", "P(setosa)"]
    places = {
        ending: tmp_path / f"answers.{ending}" for ending in ("csv", "tsv", "parquet", "jsonl", "feather")
    }
    for path in places.values():
        assert run("predict", model, "iris", "--keep", "species", "-o", path) == (0, "", "")
    read = {
        "csv": list(csv.DictReader(io.StringIO(places["csv"].read_text()))),
        "tsv": list(csv.DictReader(io.StringIO(places["tsv"].read_text()), delimiter="\t")),
        "parquet": pq.read_table(places["parquet"]).to_pylist(),
        "feather": pf.read_table(places["feather"]).to_pylist(),
        "jsonl": [json.loads(line) for line in places["jsonl"].read_text().splitlines()],
    }
    for ending, rows in read.items():
        assert [row["predicted species"] for row in rows] == [row["predicted species"] for row in told], (
            ending
        )
        assert [float(row["P(virginica)"]) for row in rows] == pytest.approx(
            [float(row["P(virginica)"]) for row in told], rel=1e-5
        )
    assert isinstance(read["parquet"][0]["P(setosa)"], float)
    assert run("predict", model, "iris", "--keep", "species", "-o", "-")[1] == out


def test_an_ending_that_names_no_format_is_refused_before_the_work(run, model, tmp_path):
    code, _, err = run("predict", model, "nothing.csv", "-o", tmp_path / "answers.docx")
    assert code == 2 and "answers.docx' names no format that is written. Endings: .csv, .tsv" in err


def test_models_come_and_go_by_pipes(tmp_path, monkeypatch, capfdbinary):
    main(["fit", "iris", "-o", str(tmp_path / "iris.assay")])
    capfdbinary.readouterr()
    main(["fit", "iris", "-o", "-"])
    piped = capfdbinary.readouterr()
    assert piped.out == (tmp_path / "iris.assay").read_bytes()
    assert b"learned species from 150 rows" in piped.err
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(piped.out)))
    main(["predict", "-", "iris"])
    answers = capfdbinary.readouterr().out
    main(["predict", str(tmp_path / "iris.assay"), "iris"])
    assert capfdbinary.readouterr().out == answers and answers.count(b"\n") == 151


def test_model_and_table_cannot_share_standard_input(run):
    for command in ("predict", "explain"):
        code, _, err = run(command, "-", "-")
        assert code == 2 and "cannot both come from standard input" in err


def test_a_learner_without_probabilities_says_how_to_have_them(run, tmp_path):
    path = tmp_path / "m.assay"
    assert run("fit", "iris", "-l", "ridge", "-o", path)[0] == 0
    code, out, _ = run("predict", path, "iris")
    assert code == 0 and out.splitlines()[:2] == ["species", "setosa"]
    for option in (("--probabilities",), ("--cost", "setosa:virginica=5"), ("--reject", "0.1")):
        code, _, err = run("predict", path, "iris", *option)
        assert code == 2 and "fit it with --calibrate" in err
    code, out, _ = run("fit", "iris", "-l", "ridge", "--calibrate", "-o", path)
    assert code == 0 and out.startswith("RidgeClassifier (calibrated) learned species from 150 rows")
    code, out, _ = run("predict", path, "iris")
    assert code == 0 and out.startswith("species,P(setosa),P(versicolor),P(virginica)\nsetosa,0.")


def test_calibrated_probabilities_are_those_of_python(run, tmp_path):
    from assay.bayes import NaiveBayes
    from assay.decide import CalibratedClassifierCV

    path, iris = tmp_path / "m.assay", load_iris()
    assert run("fit", "iris", "--calibrate", "-o", path)[0] == 0
    _, out, _ = run("predict", path, "iris", "-o", tmp_path / "p.parquet")
    same = CalibratedClassifierCV(NaiveBayes(), ensemble=False).fit(iris.X, iris.y)
    told = pq.read_table(tmp_path / "p.parquet")["P(virginica)"].to_pylist()
    assert told == pytest.approx(same.predict_proba(iris.X)[:, 2].tolist(), abs=1e-12)
    code, out, _ = run("explain", path, "iris", "--row", 100)
    assert code == 0 and "Prior and likelihoods" in out and "Calibrated by sigmoid" in out


# The row "rainy, 65, 70, TRUE" of the weather; what the learner's own explanation shows as strongest.
REASONS = {
    "majority": "yes is the most frequent class",
    "naive bayes": "humidity = 70 is 3.27 times as likely under yes as under no",
    "logistic": "humidity = 70 contributes most to yes (+0.673)",
    "c45": "outlook = rainy and windy = TRUE: 2 training rows, all of them no",
    "id3": "outlook = rainy and windy = TRUE: 2 training rows, all of them no",
    "ripper": "no rule holds, so the default answers",
    "part": "rule: windy = 'TRUE'",
    "prism": "rule: temperature <= 66.5 AND outlook = 'rainy'",
    "knn": "4 of the 5 nearest training rows are yes",
    "nearest centroid": "at a distance of 2.005 from the centre of yes, the nearest",
    "adaboost": "temperature = 65 contributes most to no (+0.175)",
    "lda": "humidity = 70 contributes most to yes (+1.39)",
}


@pytest.mark.parametrize("learner", REASONS)
def test_the_reason_is_the_learners_own(run, tmp_path, learner):
    path = tmp_path / "m.assay"
    assert run("fit", "weather", "-l", learner, "-o", path)[0] == 0
    code, out, err = run("predict", path, "weather", "--reason", "--labels-only")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0 and list(rows[0]) == ["play", "reason"], err
    assert rows[5]["reason"] == REASONS[learner]
    assert all(row["reason"] for row in rows)


@pytest.mark.filterwarnings("ignore::assay.errors.DegenerateWarning")  # fourteen rows are few for JointBayes
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of textbook descents
@pytest.mark.parametrize(
    "learner", sorted(set(learners()) - set(REASONS) - {"qda", "common components", "hard margin"})
)
def test_every_learner_gives_a_reason_for_its_answer(learner):
    """What a reason speaks for is the answer, never another class.

    Covariances of each class, with axes in common or not, need more rows than the weather has, the hard margin classes
    that do not overlap.
    """
    from assay.cli.fit import ready
    from assay.cli.reasons import reason

    weather = load_weather()
    entry = learners()[learner]
    model = ready(entry.make(), entry.scale).fit(weather.X, weather.y)
    for i in (1, 5):
        explanation = model.explain(weather.X[i : i + 1])
        words = reason(explanation)
        other = "no" if explanation.answer == "yes" else "yes"
        assert words and len(words) <= 200
        assert f"for {other}" not in words and f"them {other}" not in words


def test_a_table_that_lacks_a_column_is_refused_in_the_name_of_the_model_file(run, tmp_path):
    model = tmp_path / "model.assay"
    assert run("fit", "iris", "-l", "knn", "-o", model)[0] == 0
    (tmp_path / "short.csv").write_text("sepal length (cm)\n5.1\n")
    for command in ("predict", "explain"):
        code, _, err = run(command, model, tmp_path / "short.csv")
        assert code != 0 and "Prepared" not in err and "model.assay: " in err and "petal width (cm)" in err
