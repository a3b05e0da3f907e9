"""The command line as a newcomer uses it, with wrong input too."""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

from assay.cli.costs import loss_from


@pytest.fixture
def loans(tmp_path):
    """A CSV with strings, numbers, dates as text, and missing values."""
    rng = np.random.default_rng(0)
    path = tmp_path / "loans.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "job", "since", "default"])
        for i in range(120):
            bad = rng.random() < 0.4
            writer.writerow(
                [
                    "" if rng.random() < 0.1 else int(rng.normal(35 if bad else 50, 6)),
                    "?" if rng.random() < 0.1 else rng.choice(["clerk", "cook", "nurse"]),
                    f"2024-{1 + i % 12:02d}-15",
                    "yes" if bad else "no",
                ]
            )
    return path


def test_from_a_raw_file_to_an_explained_answer(run, loans, tmp_path):
    code, out, _ = run("describe", loans, "--target", "default")
    assert code == 0
    assert "120 rows, 3 columns" in out and "classes of default" in out
    assert "nominal" in out and "date" in out

    page = tmp_path / "loans.html"
    code, out, _ = run("compare", loans, "-t", "default", "--design", "5-fold", "--report", page)
    assert code == 0
    assert "naive bayes" in out and "majority" in out
    assert page.stat().st_size < 1_000_000

    for learner in ("naive bayes", "lda", "nearest mean"):
        model = tmp_path / "loans.assay"
        code, out, _ = run("fit", loans, "-t", "default", "-l", learner, "-o", model)
        assert code == 0 and "120 rows" in out

        code, out, _ = run("predict", model, loans)
        lines = out.splitlines()
        assert code == 0
        assert lines[0] == "default,P(no),P(yes)"
        assert len(lines) == 121
        assert {line.split(",")[0] for line in lines[1:]} == {"yes", "no"}

        code, out, _ = run("explain", model, loans, "--row", 17)
        assert code == 0 and "answers" in out and "age" in out


def test_predict_writes_a_file_and_obeys_costs(run, loans, tmp_path):
    model, answers = tmp_path / "m.assay", tmp_path / "answers.csv"
    run("fit", loans, "-t", "default", "-o", model)
    code, _, _ = run("predict", model, loans, "-o", answers, "--labels-only")
    assert code == 0
    plain = answers.read_text().splitlines()[1:]
    run("predict", model, loans, "-o", answers, "--labels-only", "--cost", "no:yes=50", "--cost", "yes:no=1")
    dear = answers.read_text().splitlines()[1:]
    assert dear.count("yes") > plain.count("yes")
    run("predict", model, loans, "-o", answers, "--labels-only", "--reject", "0.05")
    assert "reject" in answers.read_text().splitlines()[1:]


def test_costs_of_classes_that_are_numbers(run, tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("x,y\n" + "".join(f"{i},{int(i > 20)}\n" for i in range(40)))
    code, out, err = run("compare", path, "-t", "y", "--cost", "0:1=10", "-l", "naive bayes")
    assert code == 0, err
    assert "cost" in out


def test_explanations_as_json_and_page(run, tmp_path):
    model, page = tmp_path / "m.assay", tmp_path / "why.html"
    run("fit", "iris", "-o", model)
    code, out, _ = run("explain", model, "iris", "--row", 1, "--json")
    assert code == 0 and json.loads(out)["answer"] == "setosa"
    code, _, _ = run("explain", model, "iris", "--row", 1, "--html", page)
    assert code == 0 and "setosa" in page.read_text()


def test_data_sets_are_listed_shown_and_saved(run, tmp_path):
    code, out, _ = run("datasets")
    assert code == 0 and "breast_cancer" in out
    code, out, _ = run("datasets", "weather")
    assert code == 0 and "14 rows" in out
    for ending in ("csv", "arff"):
        path = tmp_path / f"weather.{ending}"
        assert run("datasets", "weather", "--save", path)[0] == 0
        code, out, _ = run("describe", path, "--target", "play")
        assert code == 0 and "14 rows, 4 columns" in out


def test_learners_and_their_parameters_are_listed(run):
    code, out, _ = run("learners")
    assert code == 0 and "naive bayes" in out
    code, out, _ = run("learners", "lda")
    assert code == 0 and "shrinkage" in out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["compare", "nothing.csv", "-t", "y"], "There is no file nothing.csv"),
        (["compare", "irs"], "Did you mean iris?"),
        (["compare", "{loans}"], "--target"),
        (["compare", "{loans}", "-t", "defalt"], "Did you mean default?"),
        (["compare", "{loans}", "-t", "default", "--design", "banana"], "banana"),
        (["compare", "{loans}", "-t", "default", "-m", "banana"], "banana"),
        (["compare", "{loans}", "-t", "default", "-l", "banana"], "banana"),
        (["compare", "{loans}", "-t", "default", "--alpha", "2"], "alpha"),
        (["compare", "{loans}", "-t", "default", "--cost", "yes=10"], "PREDICTED:ACTUAL=COST"),
        (["compare", "{loans}", "-t", "default", "--cost", "yes:maybe=10"], "maybe"),
        (["compare", "{folder}", "-t", "default"], "directory"),
        (["compare", "{loans}", "-t", "default", "--report", "{folder}/no/r.html"], "there is no folder"),
        (["fit", "iris", "-l", "lda", "--set", "shrinkag=1", "-o", "{folder}/x"], "Did you mean shrinkage?"),
        (["fit", "iris", "-l", "lda", "--set", "shrinkage=7", "-o", "{folder}/x"], "or None, got 7"),
        (["fit", "iris", "--set", "alpha", "-o", "{folder}/x"], "NAME=VALUE"),
        (["fit", "iris"], "--output"),
        (["predict", "{loans}", "iris"], "assay"),
        (["predict", "nothing.assay", "iris"], "nothing.assay"),
        (["predict", "{model}", "{loans}"], "columns differ"),
        (["explain", "{model}", "iris", "--row", "0"], "--row"),
        (["explain", "{model}", "iris", "--row", "1000"], "there is no row 1000"),
        (["describ", "iris"], "Did you mean describe?"),
        (["describe", "{empty}"], "empty.csv"),
        (["datasets", "irs"], "Did you mean iris?"),
        (
            ["datasets", "iris", "--save", "{folder}/iris.xyz"],
            "names no format that is written. Endings: .csv",
        ),
        (["predict", "{model}", "iris", "-o", "{folder}/no/a.csv"], "there is no folder"),
        (["explain", "{model}", "iris", "--html", "{folder}/no/a.html"], "there is no folder"),
    ],
)
def test_wrong_input_gets_one_sentence_and_exit_code_2(run, loans, tmp_path, args, words):
    model, empty = tmp_path / "model.assay", tmp_path / "empty.csv"
    run("fit", "iris", "-o", model)
    empty.write_text("")
    filled = [a.format(loans=loans, folder=tmp_path, model=model, empty=empty) for a in args]
    code, _, err = run(*filled)
    assert code == 2, err
    assert words in err
    assert "Traceback" not in err
    assert err.startswith("assay: ")


def test_rows_without_a_label_are_counted_and_left_out(run, tmp_path):
    path = tmp_path / "missing.csv"
    rows = ["x,y"] + [f"{i},{'a' if i % 2 else 'b'}" for i in range(20)] + ["3,", "4,"]
    path.write_text("\n".join(rows) + "\n")
    code, out, err = run("fit", path, "-t", "y", "-o", tmp_path / "m.assay")
    assert code == 0
    assert "2 rows" in err and "20 rows" in out


def test_help_is_there_for_every_command(run):
    from assay.cli import COMMANDS

    for name in COMMANDS:
        code, out, _ = run(name, "--help")
        assert code == 0 and out.startswith(f"Usage: assay {name}")


def test_a_bare_command_shows_the_help(run):
    code, _, err = run()
    assert code == 2 and err.startswith("Usage: assay")


def test_importing_assay_imports_neither_scikit_learn_nor_pandas():
    """Import time is a promise; what costs time is not imported (sklearn alone takes over a second)."""
    heavy = "{'sklearn', 'pandas', 'scipy', 'pyarrow', 'rich', 'matplotlib', 'numpy'}"
    for module in ("assay", "assay.cli"):
        code = f"import sys, {module}; sys.exit(len({heavy} & set(sys.modules)))"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_labels_that_are_numbers_come_back_whole(run, tmp_path):
    """A missing value makes whole numbers floats; six digits of them would not do."""
    data, model = tmp_path / "d.csv", tmp_path / "m.assay"
    data.write_text("x,y\n" + "".join(f"{i % 2 + i / 100},{1234567 + i % 2}\n" for i in range(20)) + "3,\n")
    code, out, err = run("fit", data, "-t", "y", "-o", model)
    assert (code, err) == (0, "Left out: 1 row of d.csv without a value of y.\n")
    assert "from 20 rows and 1 column;" in out
    _, out, _ = run("predict", model, data, "--labels-only")
    assert out.split()[:3] == ["y", "1234567", "1234568"] and len(out.split()) == 22


def test_a_libsvm_file_from_compare_to_an_explained_answer(run, tmp_path):
    rng = np.random.default_rng(2)
    data, new, model = tmp_path / "d.svm", tmp_path / "new.svm", tmp_path / "m.assay"
    rows = [(i % 2, rng.normal(i % 2 * 2), i % 3) for i in range(60)]
    data.write_text("".join(f"{k} 2:{x:.3f}" + (f" 7:{z}\n" if z else "\n") for k, x, z in rows))
    new.write_text("0 2:0.1\n1 2:2.5\n0\n")  # column 7 does not occur
    code, out, _ = run("compare", data, "--design", "3-fold")
    assert code == 0 and "sparse" not in out and "nearest mean" in out
    for learner in ("naive bayes", "lda"):
        assert run("fit", data, "-l", learner, "-o", model)[0] == 0
        code, out, _ = run("predict", model, new, "--labels-only")
        assert code == 0 and out.split()[1:3] == ["0", "1"] and len(out.split()) == 4
        assert "answers 1" in run("explain", model, new, "--row", 2)[1]
    new.write_text("0 9:1\n")
    code, _, err = run("predict", model, new)
    assert code == 2 and "index 9 lies beyond the 7 columns" in err


@pytest.mark.parametrize(
    "args",
    [
        ("datasets", "iris", "--save", "missing/iris.csv"),
        ("predict", "MODEL", "iris", "-o", "/dev/full"),
    ],
)
def test_what_cannot_be_written_is_said_without_python_words(run, tmp_path, monkeypatch, args):
    monkeypatch.chdir(tmp_path)
    assert run("fit", "iris", "-o", "MODEL")[0] == 0
    code, _, err = run(*args)
    assert code == 2 and err.startswith("assay: Cannot read or write") and "Error" not in err
    assert "No such file or directory" in err or "No space left" in err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("compare", "iris", "--reject", "nan"), "nan is no number from 0 up"),
        (("compare", "iris", "--jobs", "0"), "0 processes can do nothing"),
        (("datasets", "--save", "x.csv"), "Which data set is to be saved?"),
    ],
)
def test_options_without_meaning_are_refused(run, args, said):
    code, _, err = run(*args)
    assert code == 2 and said in err


def test_classes_with_colons_have_costs_too():
    classes = ["8:00", "8:00-9:00", "late"]
    assert loss_from(("8:00:8:00-9:00=2", "late:8:00=3"), classes) == {
        ("8:00", "8:00-9:00"): 2.0, ("late", "8:00"): 3.0}  # fmt: skip


def test_an_explanation_as_a_page_is_a_document(run, tmp_path):
    model, page = tmp_path / "m.assay", tmp_path / "e.html"
    assert run("fit", "iris", "-o", model)[0] == 0
    assert run("explain", model, "iris", "--html", page)[0] == 0
    text = page.read_text()
    assert (
        text.startswith('<!doctype html><html lang="en">')
        and text.count("<style>") == text.count("</style>") == 1
    )
    assert text.index("</style>") < text.index("answers setosa")


def test_a_row_alone_is_answered_like_the_same_row_among_others(run, tmp_path):
    """A code column is text among the training rows, for one is a letter; 007 alone would read as a number."""
    data, one, model = tmp_path / "d.csv", tmp_path / "one.csv", tmp_path / "m.assay"
    rng = np.random.default_rng(4)
    rows = [f"{rng.choice(['007', '2.50', '1', 'A'])},{rng.normal():.3f}," for _ in range(60)]
    data.write_text("code,x,y\n" + "".join(f"{r}{'yes' if '0' in r[:4] else 'no'}\n" for r in rows))
    assert run("fit", data, "-t", "y", "-o", model)[0] == 0
    _, out, _ = run("predict", model, data)
    answers = out.splitlines()[1:]
    for row, answer in list(zip(rows, answers))[:12]:
        one.write_text(f"code,x,y\n{row}\n")
        code, out, err = run("predict", model, one)
        assert (code, out.splitlines()[1], err) == (0, answer, "")


@pytest.mark.filterwarnings("default")
def test_warnings_are_notes_for_people(run, tmp_path):
    data, new, model = tmp_path / "d.csv", tmp_path / "new.csv", tmp_path / "m.assay"
    data.write_text("c,x,y\na,1,p\nb,2,q\na,3,p\nb,1,q\na,2,p\n")
    new.write_text("c,x\nz,1\n")
    assert run("fit", data, "-t", "y", "-o", model)[0] == 0
    for command in ("predict", "explain"):
        code, _, err = run(command, model, new)
        assert code == 0
        assert (
            err == "Note: NaiveBayes: column 'c' has 1 unseen category ('z') in 1 row; treated as missing.\n"
        )


def test_a_table_without_rows_is_told_as_such(run, tmp_path):
    data, model = tmp_path / "d.csv", tmp_path / "m.assay"
    data.write_text("c,x,y\n")
    said = f"assay: {data} names its columns, but has no rows.\n"
    assert run("describe", data) == (2, "", said)
    assert run("fit", data, "-t", "y", "-o", model) == (2, "", said)
    assert run("fit", "iris", "-o", model)[0] == 0
    assert run("predict", model, data) == (2, "", said)


@pytest.mark.parametrize("command", [("fit", "-o", "m.assay"), ("compare",)])
def test_data_without_a_target_predict_nothing(run, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(command[0], "transactions", *command[1:])
    assert code == 2 and err.startswith("assay: transactions has nothing to predict;")


def test_parameters_that_do_not_go_together_are_told_in_a_sentence(run, tmp_path):
    code, _, err = run("fit", "iris", "-l", "lda", "--set", "shrinkage=auto", "-o", tmp_path / "m.assay")
    assert code == 2 and err.startswith(
        "assay: LinearDiscriminantAnalysis: shrinkage not supported with 'svd'"
    )


def test_a_logistic_regression_is_fitted_asked_and_explained(run, tmp_path):
    """The same numbers as in Python; the explanation is in the units of the table."""
    from assay.linear import LogisticRegression
    from assay.prepare import Prepared
    from assay.tables.data import load_iris

    place = tmp_path / "m.assay"
    code, out, _ = run("fit", "iris", "-l", "logistic", "--set", "C=0.5", "-o", place)
    assert code == 0 and out.startswith("LogisticRegression learned species from 150 rows and 4 columns")
    code, out, _ = run("predict", place, "iris")
    iris = load_iris()
    model = Prepared(LogisticRegression(C=0.5, max_iter=1000), scale=True).fit(iris.X, iris.y)
    said = [float(line.split(",")[1]) for line in out.splitlines()[1:]]
    assert np.allclose(said, model.predict_proba(iris.X)[:, 0], rtol=1e-5, atol=0)
    code, out, _ = run("explain", place, "iris", "--row", "71", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["answer"] == model.predict(iris.X[70:71])[0]
    assert {row[0]: row[1] for row in told["sections"][0]["rows"]}["petal width (cm)"] == 1.8


@pytest.mark.filterwarnings("default")  # the command shows it as a note
def test_infinity_is_a_number_and_separated_classes_are_told(run, tmp_path):
    code, out, err = run(
        "fit", "charity_donors", "-l", "logistic", "--set", "C=inf", "-o", tmp_path / "m.assay"
    )
    assert code == 0 and "training error 0.0%" in out
    assert "completely separated" in err and "Age, Salary" in err
    code, _, err = run("fit", "iris", "-l", "logistic", "--set", "C=-inf", "-o", tmp_path / "m.assay")
    assert code == 2 and "C must be a number above 0, got -inf" in err


@pytest.mark.parametrize(
    "learner", ["ripper", "part", "c4.5 rules", "cn2", "one-r", "decision table", "cba", "prism"]
)
def test_rules_from_a_file_with_missing_values_to_an_explained_answer(run, loans, tmp_path, learner):
    model, answers = tmp_path / "rules.assay", tmp_path / "answers.csv"
    code, out, err = run("fit", loans, "--target", "default", "--learner", learner, "-o", model)
    assert code == 0 and "learned default from 120 rows and 3 columns" in out, err
    assert run("predict", model, loans, "-o", answers)[0] == 0
    with open(answers) as file:
        said = [row["default"] for row in csv.DictReader(file)]
    assert len(said) == 120 and set(said) <= {"yes", "no"}
    code, out, _ = run("explain", model, loans, "--row", 3)
    table = "Columns of the table" if learner == "decision table" else "Rules that hold"
    assert code == 0 and f"answers {said[2]}" in out and table in out


def test_wrong_settings_of_rules_end_in_one_sentence(run, loans, tmp_path):
    model = tmp_path / "rules.assay"
    for learner, setting, words in [
        ("riper", "k=2", "Did you mean ripper?"),
        ("ripper", "passes=2", "RipperClassifier has no parameter 'passes'"),
        ("ripper", "k=-1", "RipperClassifier: k must be a whole number from 0 up, got -1."),
        ("prism", "order=['maybe']", "PrismClassifier: order must name each of the classes"),
        ("cba", "min_support=0", "CBAClassifier: min_support must be"),
    ]:
        code, _, err = run("fit", loans, "-t", "default", "-l", learner, "--set", setting, "-o", model)
        assert code == 2 and words in err and not model.exists()


def test_several_rows_are_explained_and_their_contributions_written(run, tmp_path):

    model, table = tmp_path / "iris.assay", tmp_path / "iris.csv"
    assert run("fit", "iris", "-t", "species", "-l", "forest", "-o", model)[0] == 0
    code, out, _ = run("explain", model, "iris", "--row", 3, "--row", 100)
    assert code == 0 and out.count("answers") == 2
    assert out.startswith("Row 3\nRandomForestClassifier answers setosa") and "\n\nRow 100\n" in out
    code, out, _ = run("explain", model, "iris", "--row", 3, "--row", 100, "--json")
    assert [one["answer"] for one in json.loads(out)] == ["setosa", "versicolor"]
    page = tmp_path / "a.html"
    assert (
        "2 rows of iris are explained" in run("explain", model, "iris", "-r", 3, "-r", 100, "--html", page)[1]
    )
    assert run("explain", model, "iris", "--output", table, "--keep", "species")[0] == 0
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == 150 and list(rows[0])[:5] == ["species", "answer", "probability", "of", "base"]
    for row in (rows[0], rows[99]):
        numbers = [float(v) for v in list(row.values())[4:]]
        assert abs(sum(numbers) - float(row["probability"])) < 1e-5
    assert "leave --html and --json out" in run("explain", model, "iris", "-o", table, "--json")[2]
    assert run("explain", model, "iris", "-o", tmp_path / "a.txt")[0] == 2
