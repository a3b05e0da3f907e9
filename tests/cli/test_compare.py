"""assay compare: groups, times, weights, budgets and results to keep; what is wrong is said in a sentence."""

import csv
import json

import numpy as np
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from assay.evaluate import compare
from assay.tables import write_arff
from assay.tables.readers import read_table


@pytest.fixture
def wards(tmp_path):
    rng = np.random.default_rng(1)
    path = tmp_path / "wards.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient", "when", "count", "age", "drug", "ill"])
        for i in range(120):
            age = rng.normal(50, 9)
            writer.writerow([f"p{i // 4}", f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}", 1 + i % 3, round(age, 1),
                             rng.choice(["x", "y"]), "yes" if age + rng.normal(0, 5) > 52 else "no"])  # fmt: skip
    return path


SMALL = ("-l", "majority,naive bayes")


def test_groups_stay_together_and_their_column_does_not_predict(run, wards, tmp_path):
    kept = tmp_path / "r.json"
    code, out, _ = run(
        "compare", wards, "-t", "ill", *SMALL, "--group", "patient", "--design", "5-fold", "--save", kept
    )
    assert code == 0 and "naive bayes" in out
    found = json.loads(kept.read_text())
    assert found["settings"]["grouped"] and "patient" not in {c["name"] for c in found["data"]["columns"]}
    code, out, _ = run(
        "compare", wards, "-t", "ill", *SMALL, "--group", "patient", "--design", "logo", "--budget", "0"
    )
    assert code == 0 and "after 1 of 30 splits" in out


def test_by_time_the_default_is_five_blocks(run, wards):
    code, out, _ = run("compare", wards, "-t", "ill", *SMALL, "--time", "when")
    assert code == 0 and "5 blocks in order of time" in out
    code, out, _ = run("compare", wards, "-t", "ill", *SMALL, "--time", "when", "--design", "3-time(gap=5)")
    assert code == 0 and "after a gap of 5 rows" in out.replace("\n", " ")


@pytest.mark.parametrize(
    "design", ["2x3", "5x2", "holdout", "3xholdout(0.25)", "bootstrap(4)", "3-time", "4-fold"]
)
def test_every_design_has_a_name(run, wards, design):
    code, out, err = run("compare", wards, "-t", "ill", *SMALL, "--design", design)
    assert code == 0, err
    assert "naive bayes" in out


def test_the_command_gives_the_numbers_of_the_function(run, wards, tmp_path):
    kept = tmp_path / "r.parquet"
    code, _, _ = run(
        "compare", wards, "-t", "ill", *SMALL, "--weight", "count", "--design", "3-fold", "--save", kept
    )
    assert code == 0
    rows = pq.read_table(kept).to_pylist()
    data = read_table(str(wards), target="ill")
    columns, weights = data.X.drop_columns(["count"]), data.X["count"].to_numpy()
    same = compare(["majority", "naive bayes"], columns, data.y, design="3-fold", sample_weight=weights)
    assert [r["value"] for r in rows] == pytest.approx([r["value"] for r in same.records], abs=1e-12)
    text = tmp_path / "r.csv"
    run("compare", wards, "-t", "ill", *SMALL, "--weight", "count", "--design", "3-fold", "--save", text)
    assert pc.read_csv(text).num_rows == len(rows)


@pytest.mark.parametrize("curves", [True, False])
def test_the_report_has_curves_and_a_region_of_equality_as_asked(run, wards, tmp_path, curves):
    page = tmp_path / "r.html"
    asked = ("--report", page, "--rope", "0.037", "--curves" if curves else "--no-curves")
    code, _, err = run("compare", wards, "-t", "ill", *SMALL, "--design", "3-fold", *asked)
    assert code == 0, err
    html = page.read_text()
    assert "0.037" in html and ("Learning curve" in html) == curves


def test_a_second_file_is_tested_once(run, wards, tmp_path):
    lines = wards.read_text().splitlines()
    train, test = tmp_path / "train.csv", tmp_path / "test.csv"
    train.write_text("\n".join(lines[:81]) + "\n")
    test.write_text("\n".join([lines[0], *lines[81:]]) + "\n")
    code, out, _ = run("compare", train, "-t", "ill", *SMALL, "--test", test)
    assert code == 0 and "40 given test rows" in " ".join(out.split())


def test_weights_of_an_arff_file_are_used_and_said(run, tmp_path):
    path = tmp_path / "weighed.arff"
    write_arff({"x": list(range(20))}, path, y=["a", "b"] * 10, weights=[2.0] * 20)
    code, out, err = run("compare", path, "--design", "2-fold", "--learners", "majority")
    assert code == 0 and "majority" in out
    assert "The rows of weighed.arff have weights; they count in learning and in the metrics." in err


@pytest.mark.parametrize(
    ("options", "words"),
    [(("--group", "patinet"), "Did you mean patient?"), (("--group", "ill"), "ill is the target"),
     (("--time", "drug"), "column drug holds nominal values such as 'x', expected numbers or dates"),
     (("--weight", "patient"), "expected numbers"), (("--time", "when", "--group", "patient"), "not both"),
     (("--time", "when", "--design", "3x10"), "times puts rows in order"), (("--design", "logo"), "needs groups="),
     (("--budget", "soon"), "'soon' is no time"), (("--budget", "5 weeks"), "is no time"),
     (("--save", "r.xlsx"), "names no format that is written. Endings: .csv"),
     (("--save", "no/where/r.csv"), "there is no folder"),
     (("--test", "nothing.csv"), "There is no file nothing.csv"), (("--seed", "-3"), "-3 is below 0"),
     (("--test", "iris", "--group", "patient"), "--test already says which rows test"),
     (("--test", "iris"), "iris predicts"), (("--design", "150-time"), "rows to"), (("--jobs", "0"), "0 processes"),
     (("--curves",), "about the report"), (("--rope", "wide"), "not a valid float"),
     (("--report", "r.html", "--rope", "inf"), "inf is no number"), (("--report", "r.html", "--rope", "-1"), "range")],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence_and_exit_code_2(run, wards, options, words):
    code, _, err = run("compare", wards, "-t", "ill", *SMALL, *options)
    assert code == 2 and words in " ".join(err.split())
    assert "Traceback" not in err


def test_what_to_doubt_is_said_once_and_in_few_lines(run, tmp_path):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    noise, signal = tmp_path / "noise.csv", tmp_path / "signal.csv"
    for path, rows in ((noise, x), (signal, x + y[:, None])):
        path.write_text("a,b,y\n" + "".join(f"{u},{v},c{k}\n" for (u, v), k in zip(rows, y)))
    two = ("-l", "lda,majority", "--design", "10-fold")
    code, out, err = run("compare", noise, "-t", "y", *two)
    said = " ".join(out.split())
    assert code == 0, err
    assert said.count("nothing was shown to be learned") == 1  # by the conclusion, and not again as a doubt
    assert "would be found four times out of five" in said
    _, out, _ = run("compare", signal, "-t", "y", *two)
    assert "practically equal" not in out
    _, out, _ = run("compare", signal, "-t", "y", *two, "--rope", "0.9")
    assert "worse than lda but practically equal, within 0.9" in " ".join(out.split())
    many = "naive bayes,c45,nearest mean,majority"
    _, out, _ = run("compare", "german_credit", "-l", many, "--design", "10-fold")
    assert 1 <= sum(line.startswith("note ") for line in out.splitlines()) <= 6


def test_an_empty_entry_in_a_role_is_named(run, tmp_path):
    path = tmp_path / "missing.csv"
    path.write_text(
        "w,x,y\n" + "\n".join(f"{'' if i == 3 else 1.5},{i},{'ab'[i % 2]}" for i in range(20)) + "\n"
    )
    code, _, err = run("compare", path, "-t", "y", *SMALL, "--weight", "w")
    assert code == 2 and "column w has 1 missing value" in " ".join(err.split())
    code, _, err = run("compare", "tests/none.csv", "-t", "y")
    assert code == 2 and "There is no file" in err


def test_learners_are_calibrated_inside_the_folds(run, tmp_path):
    from assay.bayes import NaiveBayes
    from assay.decide import CalibratedClassifierCV
    from assay.tables.data import load_iris

    kept = tmp_path / "r.json"
    args = ("compare", "iris", *SMALL, "--calibrate", "-m", "log-loss", "--design", "3-fold", "--save", kept)
    code, _, err = run(*args)
    assert code == 0, err
    ranking = json.loads(kept.read_text())["ranking"]["log-loss"]
    same = compare(
        {"majority": "majority", "naive bayes": CalibratedClassifierCV(NaiveBayes(), ensemble=False)},
        load_iris(),
        design="3-fold",
        metrics=["log-loss"],
    )
    assert [s["mean"] for s in ranking] == pytest.approx([s.mean for s in same.ranking()], abs=1e-12)
    plain = compare(["naive bayes"], load_iris(), design="3-fold", metrics=["log-loss"]).ranking()[0].mean
    assert ranking[0]["mean"] != pytest.approx(plain, abs=1e-6)


def test_a_sample_of_a_file_says_so_everywhere(run, wards, tmp_path):
    kept, records, page = tmp_path / "r.json", tmp_path / "r.csv", tmp_path / "r.html"
    options = ("compare", wards, "-t", "ill", *SMALL, "--design", "3-fold", "--sample", "60")
    code, out, err = run(*options, "--save", kept, "--report", page, "--no-curves")
    assert code == 0, err
    sentence = "A random sample of 60 of 120 rows was used (seed 0, each class in its share)."
    assert sentence in " ".join(out.split())
    document = json.loads(kept.read_text())
    assert sentence in document["notes"] and document["data"]["rows"] == 60
    assert document["settings"]["sample"] == {"rows": 60, "of": 120, "stratified": True}
    assert sentence in page.read_text()
    assert run(*options, "--save", records)[0] == 0
    table = pc.read_csv(records)
    assert set(table["sampled_rows"].to_pylist()) == {60} and set(table["file_rows"].to_pylist()) == {120}
    assert run(*options, "--save", tmp_path / "again.csv")[0] == 0
    assert pc.read_csv(tmp_path / "again.csv")["value"] == table["value"]  # the same seed draws the same rows
    assert run(*options, "--seed", "4", "--save", tmp_path / "other.csv")[0] == 0
    assert pc.read_csv(tmp_path / "other.csv")["value"] != table["value"]


def test_a_sample_that_makes_no_sense_is_refused(run, wards):
    code, _, err = run("compare", "iris", "--sample", "60")
    assert code == 2 and "built-in data set, which fits into memory" in err
    code, _, err = run("compare", wards, "--sample", "60")
    assert code == 2 and "Which column of" in err
    code, _, err = run("compare", wards, "-t", "il", "--sample", "60")
    assert code == 2 and "Did you mean" in err
    code, _, err = run("compare", wards, "-t", "ill", "--sample", "0")
    assert code == 2 and "--sample" in err


def test_processes_and_workers_are_one_or_the_other(run, wards):
    code, _, err = run("compare", wards, "-t", "ill", "--dask", "tcp://127.0.0.1:9", "--jobs", "2")
    assert code == 2 and "choose one" in err


def test_compare_on_the_workers_of_a_scheduler(run, wards, monkeypatch):
    pytest.importorskip("distributed", reason="needs the extra assay[dask]")
    from tests.clusters import in_this_process

    monkeypatch.setattr("assay.evaluate.cluster.CONNECT_SECONDS", 120.0)  # on a busy machine
    options = ("compare", wards, "-t", "ill", *SMALL, "--design", "2-fold")
    with in_this_process(protocol="tcp") as workers:
        code, out, err = run(*options, "--dask", workers.scheduler_address)
    assert code == 0, err
    assert "naive bayes" in out
