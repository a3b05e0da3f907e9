"""What a target is taken for: classes or numbers, by its values or by --task; an ARFF file's is its last column."""

import pytest


@pytest.fixture
def numbers(tmp_path):
    """Targets of several kinds."""
    path = tmp_path / "n.csv"
    rows = [f"{i * 0.37:.2f},{i % 116},{i % 3},{i % 30},{'ab'[i % 2]}" for i in range(600)]
    path.write_text("x,many,few,codes,text\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    ("target", "task"),
    [
        ("many", "regression"),
        ("x", "regression"),
        ("codes", "regression"),
        ("few", "classification"),
        ("text", ""),
    ],
)
def test_the_values_of_the_target_decide(run, numbers, tmp_path, target, task):
    """Numbers with fractions, or more than 20 distinct whole ones, are predicted as numbers; a note says why."""
    model = tmp_path / "m.assay"
    code, out, err = run("fit", numbers, "-t", target, "-o", model)
    assert code == 0 and ("training RMSE" in out) == (task == "regression"), err
    assert ("so it is predicted as a number (regression)" in err) == (task == "regression")
    described = run("describe", numbers, "-t", target)[1]
    assert (f"{target}, a number to predict (regression)" in described) == (task == "regression")
    assert (f"classes of {target}" in described) == (task != "regression")
    code, out, _ = run("compare", numbers, "-t", target, "--design", "2-fold", "-l", "cart")
    assert code == 0 and (f"Regression of {target}." in out) == (task == "regression")


def test_huge_numbers_are_no_classes(run, tmp_path):
    """Beyond 2^53 neighbouring whole numbers are one; named for classes they get a sentence."""
    path = tmp_path / "huge.csv"
    path.write_text("a,y\n" + "".join(f"{i},{(-1) ** i * (1 + i % 3)}e200\n" for i in range(30)))
    code, out, err = run("fit", path, "-t", "y", "-l", "c45", "-o", tmp_path / "m.assay")
    assert code == 2 and "y holds numbers as large as 3e+200, expected classes" in err, out + err
    assert "y, a number to predict (regression)" in run("describe", path, "-t", "y")[1]
    few = tmp_path / "few.csv"
    few.write_text("a,y\n" + "".join(f"{i},{1 + i % 2}e18\n" for i in range(30)))
    code, out, err = run("fit", few, "-t", "y", "-o", tmp_path / "m.assay")
    assert code == 0 and "training RMSE" in out, err


def test_task_overrules_the_values(run, numbers, tmp_path):
    model = tmp_path / "m.assay"
    code, out, err = run("fit", numbers, "-t", "many", "--task", "classification", "-o", model)
    assert code == 0 and out.startswith("NaiveBayes learned many") and err == ""
    code, out, err = run("fit", numbers, "-t", "few", "--task", "regression", "-o", model)
    assert code == 0 and out.startswith("LinearRegression learned few") and err == ""
    assert "classes of many" in run("describe", numbers, "-t", "many", "--task", "classification")[1]
    assert "few, a number to predict" in run("describe", numbers, "-t", "few", "--task", "regression")[1]
    out = run(
        "compare", numbers, "-t", "few", "--task", "regression", "-l", "mean,cart", "--design", "2-fold"
    )[1]
    assert "Regression of few." in out and "rmse" in out


def test_learners_and_metrics_that_are_named_decide_where_the_values_leave_it_open(run, numbers, tmp_path):
    code, out, err = run("fit", numbers, "-t", "few", "-l", "lasso", "-o", tmp_path / "m.assay")
    assert code == 0 and out.startswith("Lasso learned few")
    assert (
        "few holds 3 distinct whole numbers, and what was named is for numbers, so it is predicted as a"
        in err
    )
    out = run("compare", numbers, "-t", "few", "-m", "rmse", "-l", "cart", "--design", "2-fold")[1]
    assert "Regression of few." in out
    assert "and what was named is for numbers, so it is predicted as a number" in " ".join(out.split())


def test_numbers_that_name_classes_are_read_as_text(run, numbers, tmp_path):
    model = tmp_path / "m.assay"
    code, out, err = run("fit", numbers, "-t", "many", "--nominal", "many", "-o", model)
    assert code == 0 and "NaiveBayes learned many" in out, err
    assert {line.split(",")[0] for line in run("predict", model, numbers)[1].splitlines()[1:]} <= set(
        map(str, range(116))
    )
    assert "classes of many" in run("describe", numbers, "-t", "many", "--nominal", "many")[1]


def test_the_note_says_how_to_have_it_otherwise(run, numbers):
    out = run("describe", numbers, "-t", "many")[1]
    assert (
        "note: many holds 116 distinct whole numbers, so it is predicted as a number (regression). If the numbers"
        in out
    )
    assert "name classes: --task classification." in out
    assert "--task" not in run("describe", numbers, "-t", "x")[1]  # numbers with fractions name no classes


def test_identifiers_and_one_class_are_refused_by_fit_as_by_compare(run, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,id,one\n" + "".join(f"{i % 5},n{i},same\n" for i in range(60)))
    for command in (("fit", "-o", tmp_path / "m.assay"), ("compare",)):
        name, *options = command
        code, _, err = run(name, path, "-t", "id", *options)
        assert code == 2 and "id has 60 distinct values in 60 rows, expected classes" in err
        code, _, err = run(name, path, "-t", "one", *options)
        assert code == 2 and "nothing to tell apart" in err


def test_describe_takes_the_last_column_of_an_arff_file(run, tmp_path):
    path = tmp_path / "w.arff"
    assert run("datasets", "weather", "--save", path)[0] == 0
    code, out, _ = run("describe", path)
    assert code == 0 and "14 rows, 4 columns" in out and "classes of play" in out
    assert run("describe", path, "-t", "play")[1] == out
