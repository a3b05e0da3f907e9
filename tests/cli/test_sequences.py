"""Sequences on the command line: --sequence and --order in compare, fit, tune, predict and explain."""

import csv
import json
from types import SimpleNamespace

import numpy as np
import pytest

import assay
from assay.sequences import GaussianHMM, SequenceClassifier, Sequences

rng = np.random.default_rng(0)


@pytest.fixture
def command(run):
    def call(*arguments):
        code, out, err = run(*arguments)
        return SimpleNamespace(code=code, out=out, all=" ".join((out + err).split()))

    return call


@pytest.fixture
def waves(tmp_path):
    """Slow and quick swings, their rows shuffled; a label for each row of the second kind of target."""
    path, rows = tmp_path / "waves.csv", []
    for i in range(16):
        kind, start = ("slow", "quick")[i % 2], rng.uniform(0, 6)
        x = np.sin(start + (0.3 if i % 2 == 0 else 1.2) * np.arange(15)) + 0.05 * rng.normal(size=15)
        rows += [[f"p{i}", t, round(float(v), 4), kind, "up" if v > 0 else "down"] for t, v in enumerate(x)]
    rng.shuffle(rows)
    write(path, rows)
    return path


def write(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["who", "t", "x", "kind", "side"], *rows])


def read(text):
    return list(csv.DictReader(text.splitlines()))


def test_fit_predict_and_explain_are_those_of_python(command, waves, tmp_path):
    model = tmp_path / "m.assay"
    arguments = ["--target", "kind", "--sequence", "who", "--order", "t", "--drop", "side"]
    done = command(
        "fit",
        waves,
        *arguments,
        "--learner",
        "gaussian hmm",
        "--set",
        "n_components=4",
        "--set",
        "random_state=0",
        "-o",
        model,
    )
    assert done.code == 0, done.all
    assert "SequenceClassifier learned kind from 16 sequences of 240 rows" in done.all
    predicted = read(command("predict", model, waves).out)
    rows = read(waves.read_text())
    columns = {
        name: [r[name] if name == "who" else float(r[name]) for r in rows] for name in ("who", "t", "x")
    }
    X = Sequences.of(columns, id="who", order="t")
    kinds = {r["who"]: r["kind"] for r in rows}
    y = [kinds[name] for name in X.ids]
    ours = SequenceClassifier(GaussianHMM(4, random_state=0)).fit(X, y)
    assert [line["who"] for line in predicted] == X.ids
    assert [line["kind"] for line in predicted] == ours.predict(X).tolist()
    np.testing.assert_allclose(
        [float(line["P(slow)"]) for line in predicted], ours.predict_proba(X)[:, 1], atol=1e-5
    )
    assert list(predicted[0]) == ["who", "kind", "P(quick)", "P(slow)"]
    explained = json.loads(command("explain", model, waves, "--row", 3, "--json").out)
    assert explained["answer"] == ours.predict(X)[2] and explained["kept"]["who"] == X.ids[2]
    assert assay.load(model).reading_ == {"sequence": ["who"], "order": ["t"]}


def test_states_without_a_target_and_labels_of_rows(command, waves, tmp_path):
    model = tmp_path / "m.assay"
    parts = ["--sequence", "who", "--order", "t"]
    settings = ["--drop", "kind,side", "-l", "gaussian hmm", "--set", "n_components=2"]
    done = command("fit", waves, *parts, *settings, "-o", model)
    assert "GaussianHMM learned from 16 sequences of 240 rows in all; log likelihood" in done.all
    states = read(command("predict", model, waves).out)
    assert len(states) == 240 and set(states[0]) == {"who", "t", "state"}
    assert [(r["who"], int(r["t"])) for r in states[:15]] == [("p0", t) for t in range(15)]
    assert command("fit", waves, *parts, "-t", "side", "--drop", "kind", "-l", "crf", "-o", model).code == 0
    labels = read(command("predict", model, waves, "--probabilities").out)
    truth = {(r["who"], r["t"]): r["side"] for r in read(waves.read_text())}
    right = np.mean([truth[r["who"], r["t"]] == r["side"] for r in labels])
    assert right > 0.9 and "P(up)" in labels[0]


def test_compare_holds_whole_sequences(command, waves, tmp_path):
    saved, report = tmp_path / "r.json", tmp_path / "r.html"
    rows = ["--sequence", "who", "--order", "t", "--drop", "side"]
    learners = ["-l", "gaussian hmm,naive bayes", "--design", "2-fold"]
    done = command("compare", waves, "-t", "kind", *rows, *learners, "--save", saved, "--report", report)
    assert done.code == 0, done.all
    assert "16 rows" in done.all and "whole sequences" in done.all
    assert report.exists() and json.loads(saved.read_text())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--order", "t"], "say which belong together with --sequence"),
        (["--sequence", "whom"], "there is no column whom. Did you mean"),
        (["--sequence", "who", "--order", "side"], "expected numbers or dates"),
        (["--sequence", "kind"], "kind is the target"),
        (["--sequence", "who", "--order", "who"], "belong together already"),
        (["--sequence", "who", "--calibrate"], "--calibrate is about single rows"),
        (["--sequence", "who", "--learner", "forest"], "Name a sequence model"),
    ],
)
def test_wrong_options_are_said(command, waves, tmp_path, arguments, words):
    done = command("fit", waves, "-t", "kind", *arguments, "-o", tmp_path / "m.assay")
    assert done.code != 0
    assert words in done.all


def test_wrong_tables_are_said(command, waves, tmp_path):
    path, model = tmp_path / "odd.csv", tmp_path / "m.assay"
    fit = ["fit", path, "-t", "kind", "--sequence", "who", "--order", "t", "--drop", "side", "-o", model]
    write(path, [["a", 1, 0.5, "slow", "up"], ["a", 2, 0.5, "quick", "up"]])
    assert "Sequence a of odd.csv has several values of kind" in command(*fit).all
    write(path, [["a", 1, 0.5, "slow", "up"], ["a", 1, 0.5, "slow", "up"]])
    assert "sequence a has two rows at the same t" in command(*fit).all
    write(path, [["a", "", 0.5, "slow", "up"], ["b", 1, 0.5, "quick", "up"]])
    assert "column t has 1 missing value" in command(*fit).all
    assert command("fit", waves, *fit[2:]).code == 0
    assert "Column who" in command("predict", model, _with(tmp_path, [["", 1, 0.5, "", ""]])).all
    assert (
        "holds values such as 'noon'"
        in command("predict", model, _with(tmp_path, [["a", "noon", 0.5, "", ""]])).all
    )
    assert "--reason is about single rows" in command("predict", model, waves, "--reason").all
    plain = tmp_path / "plain.assay"
    command("fit", waves, "-t", "kind", "--drop", "who", "-o", plain)
    assert "a model of single rows" in command("predict", plain, waves, "--sequence", "who").all
    assert "no such table" in command("explain", model, waves, "-o", tmp_path / "x.csv").all


def _with(folder, rows):
    path = folder / "new.csv"
    write(path, rows)
    return path


def test_tune_finds_the_number_of_states_of_each_class(command, waves, tmp_path):
    """The same as `Tuned` in Python; the model that is saved is that of fit."""
    model, tries = tmp_path / "m.assay", tmp_path / "t.csv"
    arguments = ["--target", "kind", "--sequence", "who", "--order", "t", "--drop", "side"]
    how = ["--learner", "gaussian hmm", "--space", "n_components=1,4", "--inner", "2-fold"]
    done = command("tune", waves, *arguments, *how, "--outer", "2-fold", "-o", model, "--save", tries)
    assert done.code == 0, done.all
    assert "best setting: estimator__n_components 4" in done.all
    assert "The tuned gaussian hmm, fitted to all 16 sequences" in done.all
    assert len(read(tries.read_text())) == 2
    fitted = assay.load(model)
    assert isinstance(fitted, SequenceClassifier) and fitted.estimator.n_components == 4
    lines = read(command("predict", model, waves).out)
    assert len(lines) == 16 and {line["kind"] for line in lines} == {"slow", "quick"}
    found = json.loads(command("tune", waves, *arguments, *how, "--outer", "none", "--json").out)
    assert found["best_setting"] == {"estimator__n_components": 4} and found["best_inner"] < 0.3
    ranges = command("tune", waves, *arguments, "--learner", "gaussian hmm", "--n", "2", "--inner", "2-fold",
                     "--outer", "none")  # fmt: skip
    assert "Best of 2 settings" in ranges.all


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sequence", "who", "--learner", "knn"], "knn is a learner of tables; leave --sequence out"),
        (["--sequence", "who", "--learner", "crf"], "does not classify whole sequences"),
        (["--sequence", "who", "--learner", "gaussian hmm", "--group", "t"], "--group is about single rows"),
        (["--order", "t", "--learner", "gaussian hmm"], "say which belong together with --sequence"),
        (["--sequence", "who", "--learner", "sequence classifier"], "say it with --space"),
    ],
)
def test_what_cannot_be_tuned_is_said(command, waves, arguments, words):
    done = command("tune", waves, "--target", "kind", *arguments)
    assert done.code == 2 and words in done.all
