"""What may be a target: text, or few whole numbers; the last column of an ARFF file if nothing is said."""

import pytest


@pytest.fixture
def numbers(tmp_path):
    """Targets of several kinds."""
    path = tmp_path / "n.csv"
    rows = [f"{i * 0.37:.2f},{i % 116},{i % 3},{i % 30},{'ab'[i % 2]}" for i in range(600)]
    path.write_text("x,many,few,codes,text\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("command", [("fit", "-o", "m.assay"), ("compare", "-l", "majority")])
def test_many_numbers_are_no_classes(run, numbers, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    name, *options = command
    code, _, err = run(name, numbers, "-t", "many", *options)
    assert code == 2 and err.startswith(
        f"assay: many holds 116 distinct numbers from 0 to 115, but {name} needs"
    )
    assert "add --nominal many" in err and "assay.ensembles.RandomForestRegressor" in err
    code, _, err = run(name, numbers, "-t", "x", *options)
    assert code == 2 and "x holds 600 distinct numbers" in err and "--nominal" not in err
    for target in ("few", "text"):
        assert run(name, numbers, "-t", target, *options)[0] == 0


def test_the_advice_can_be_followed(run, numbers, tmp_path):
    model = tmp_path / "m.assay"
    code, out, err = run("fit", numbers, "-t", "many", "--nominal", "many", "-o", model)
    assert code == 0 and "NaiveBayes learned many" in out, err
    assert {line.split(",")[0] for line in run("predict", model, numbers)[1].splitlines()[1:]} <= set(
        map(str, range(116))
    )


def test_numbers_that_are_nearly_all_different_get_no_advice_that_would_fail(run, tmp_path):
    path = tmp_path / "n.csv"
    path.write_text("x,y\n" + "".join(f"{i % 7},{i}\n" for i in range(60)))
    code, _, err = run("fit", path, "-t", "y", "-o", tmp_path / "m.assay")
    assert code == 2 and "--nominal" not in err and "Cut the numbers into classes" in err


def test_describe_tells_numbers_as_numbers(run, numbers):
    code, out, _ = run("describe", numbers, "-t", "many")
    assert code == 0 and "many is no class but a number\n  0 to 115, mean" in out and "classes of" not in out
    assert "error: many holds 116 distinct whole numbers, expected classes. Add --nominal many if" in out
    assert "classes of many" in run("describe", numbers, "-t", "many", "--nominal", "many")[1]


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
