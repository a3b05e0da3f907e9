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


@pytest.fixture
def in_blocks(monkeypatch):
    """Files of any size are read in blocks of 37 rows."""
    from assay.cli import data

    def switch(on):
        monkeypatch.setattr(data, "LARGE_FILE_BYTES", 0 if on else 1 << 40)

    monkeypatch.setattr(data, "BLOCK_ROWS", 37)
    return switch


@pytest.mark.parametrize("ending", ["csv", "parquet", "arff", "jsonl", "feather", "csv.gz"])
def test_a_file_in_blocks_gets_the_answers_of_the_whole_file(run, model, tmp_path, in_blocks, ending):
    from assay.tables import write_table

    rows = tmp_path / f"rows.{ending}"
    write_table(load_iris().frame("pyarrow"), rows)
    answers = {}
    for place in ("csv", "tsv", "parquet", "jsonl", "feather", "arff"):
        for on in (False, True):
            in_blocks(on)
            path = tmp_path / f"answers.{on}.{place}"
            assert run("predict", model, rows, "--keep", "species", "-o", path) == (0, "", "")
            read = {"parquet": pq.read_table, "feather": pf.read_table}.get(place)
            answers[on] = path.read_bytes() if read is None else read(path).to_pylist()
        assert answers[True] == answers[False], place
    in_blocks(True)
    assert run("predict", model, rows)[1].count("\n") == 151


def test_notes_about_a_file_in_blocks_come_once(run, model, tmp_path, in_blocks):
    rows = tmp_path / "rows.csv"
    frame = load_iris().frame("pandas").assign(extra=1)
    frame.to_csv(rows, index=False)
    in_blocks(True)
    code, _, err = run("predict", model, rows, "-o", tmp_path / "out.csv")
    assert code == 0 and err.count("does not use extra") == 1


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_interrupted_or_wrong_file_in_blocks_leaves_no_half_output(
    run, model, tmp_path, in_blocks, ending
):
    from assay.core.progress import listen

    rows, out = tmp_path / "rows.csv", tmp_path / f"out.{ending}"
    frame = load_iris().frame("pandas")
    frame.to_csv(rows, index=False)
    in_blocks(True)

    def stop(event):
        if event.done >= 37:
            raise KeyboardInterrupt

    before = sorted(p.name for p in tmp_path.iterdir())
    with listen(stop):
        code, _, err = run("predict", model, rows, "-o", out)
    assert code == 130 and "Interrupted" in err
    assert sorted(p.name for p in tmp_path.iterdir()) == before
    bad = frame.astype({frame.columns[0]: object})
    bad.iloc[140, 0] = "wide"
    bad.to_csv(rows, index=False)
    code, _, err = run("predict", model, rows, "-o", out)
    assert code == 2 and "'wide'" in err and "row 141" in err
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_a_column_that_is_empty_in_the_first_block_keeps_its_type(run, model, tmp_path, in_blocks):
    frame = load_iris().frame("pandas").assign(name=[None] * 100 + ["late"] * 50)
    frame.to_parquet(tmp_path / "rows.parquet")
    in_blocks(True)
    out = tmp_path / "out.parquet"
    assert run("predict", model, tmp_path / "rows.parquet", "--keep", "name", "-o", out)[0] == 0
    assert pq.read_table(out)["name"].to_pylist() == [None] * 100 + ["late"] * 50


def test_intervals_in_blocks_and_their_notes(run, tmp_path, in_blocks):
    path = tmp_path / "m.assay"
    rows = tmp_path / "rows.csv"
    frame = load_iris().frame("pandas").drop(columns="species")
    frame.to_csv(rows, index=False)
    assert (
        run(
            "fit", rows, "-t", frame.columns[0], "--task", "regression", "-l", "knn", "--interval", "-o", path
        )[0]
        == 0
    )
    out = {}
    for on in (False, True):
        in_blocks(on)
        out[on] = run("predict", path, rows, "--interval", "0.9")
    assert out[True] == out[False] and out[True][0] == 0
