"""The options about a table that every command shares."""

import csv
import gzip
import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.feather
import pyarrow.parquet as pq
import pytest


@pytest.fixture
def loans(tmp_path):
    """Ids that look like numbers, a code column, marks of missing values, and a copy of the answer."""
    rng = np.random.default_rng(1)
    path = tmp_path / "loans.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "zip", "age", "after", "good"])
        for i in range(80):
            good = bool(rng.random() < 0.5)
            age = "unknown" if i % 9 == 0 else round(rng.normal(50 if good else 35, 5))
            row = [f"{i:04d}", rng.choice(["01067", "80331"]), age, int(good), "yes" if good else "no"]
            writer.writerow(row)
    return path


COMMANDS = {
    "describe": ("describe", "{data}", "-t", "good"),
    "compare": ("compare", "{data}", "-t", "good", "-l", "naive bayes,majority", "--design", "3-fold"),
    "fit": ("fit", "{data}", "-t", "good", "-o", "{folder}/m.assay"),
    "predict": ("predict", "{model}", "{data}"),
    "explain": ("explain", "{model}", "{data}"),
    "associate": ("associate", "{data}", "--attributes", "--cuts", "2"),
}


@pytest.fixture
def call(run, loans, tmp_path):
    """Run a command by its name on the loans, or on another file."""

    def called(name, *options, data=loans):
        model = tmp_path / "model.assay"
        if name in ("predict", "explain") and not model.exists():
            said = ("--drop", "id,after", "--na", "unknown", "--nominal", "zip")
            assert run("fit", loans, "-t", "good", *said, "-o", model)[0] == 0
        parts = [part.format(data=data, folder=tmp_path, model=model) for part in COMMANDS[name]]
        return run(*parts, *options)

    return called


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_knows_the_options(call, name):
    code, out, err = call(
        name, "--drop", "after", "--keep", "id", "--nominal", "zip", "--numeric", "age", "--na", "unknown",
        "--delimiter", ",", "--encoding", "utf-8", "--format", "csv",
    )  # fmt: skip
    assert code == 0, err
    assert "after" not in out


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("option", ["--drop", "--keep", "--nominal", "--numeric"])
def test_a_column_that_is_not_there_is_named_with_what_it_might_be(call, name, option):
    code, _, err = call(name, option, "agee")
    assert code == 2 and "there is no column" in err and "agee" in err and "Did you mean" in err, err
    assert err.startswith("assay: ") and len(err.splitlines()) == 1


def test_columns_are_listed_by_comma_or_repeated(call):
    by_comma = call("describe", "--drop", "id, after")
    assert by_comma[0] == 0 and "80 rows, 2 columns" in by_comma[1]
    assert call("describe", "--drop", "id", "--drop", "after") == by_comma


def test_a_name_with_a_comma_stands_in_quotes(run, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text('"height, in cm",x,y\n' + "".join(f"{i},{i % 3},{'ab'[i % 2]}\n" for i in range(20)))
    code, out, _ = run("describe", path, "-t", "y", "--drop", '"height, in cm",x')
    assert code == 2
    code, out, err = run("describe", path, "-t", "y", "--drop", '"height, in cm"')
    assert code == 0 and "20 rows, 1 column " in out, err


def test_kinds_and_marks_of_missing_values_are_what_the_user_says(call):
    described = json.loads(call("describe", "--json")[1])
    kinds = {c["name"]: c["kind"] for c in described["columns"]}
    assert kinds["age"] == "nominal"  # because of unknown
    described = json.loads(call("describe", "--json", "--na", "unknown", "--nominal", "zip,after")[1])
    columns = {c["name"]: c for c in described["columns"]}
    assert columns["age"]["kind"] == "numeric" and columns["age"]["missing"] == 9
    assert columns["after"]["kind"] == columns["zip"]["kind"] == "nominal"
    assert set(columns["zip"]["frequent"]) == {"01067", "80331"}
    code, _, err = call("describe", "--numeric", "age")
    assert code == 2 and "'unknown'" in err and "--na" in err


def test_what_fit_dropped_need_not_be_there_at_predict(run, call, loans, tmp_path):
    call("predict")
    rows = [line.split(",") for line in loans.read_text().splitlines()]
    small = tmp_path / "small.csv"
    small.write_text("\n".join(",".join(row[1:3]) for row in rows) + "\n")
    code, out, err = run("predict", tmp_path / "model.assay", small)
    assert (code, err) == (0, "")
    assert out == call("predict")[1]


def test_the_model_remembers_what_marks_a_missing_value(call, tmp_path):
    """Without it, unknown would be no number, or -999 a very young client."""
    code, out, err = call("predict")
    assert code == 0 and len(out.splitlines()) == 81, err
    assert call("predict", "--na", "unknown")[1] == out


def test_extra_columns_are_ignored_with_one_note(call):
    code, _, err = call("predict")
    assert code == 0 and err == "Note: the model does not use id and after; they were ignored.\n"
    code, _, err = call("predict", "--drop", "after", "--keep", "id")
    assert (code, err) == (0, "")
    code, _, err = call("explain")
    assert code == 0 and err == "Note: the model does not use id and after; they were ignored.\n"


def test_kept_columns_come_back_as_they_are_written(call):
    _, out, _ = call("predict", "--keep", "id,good", "--drop", "after", "--labels-only")
    lines = out.splitlines()
    assert lines[0] == "id,good,predicted good"
    assert [line.split(",")[0] for line in lines[1:]] == [f"{i:04d}" for i in range(80)]
    _, out, _ = call("explain", "--keep", "id", "--row", 7)
    assert out.startswith("id = 0006\n")


def test_kept_columns_are_not_learned_from(call):
    code, out, _ = call("fit", "--keep", "id", "--drop", "after,zip", "--na", "unknown")
    assert code == 0 and "from 80 rows and 1 column;" in out
    assert "79" not in call("describe", "--keep", "id")[1].split("classes")[0]


def test_no_column_left_is_said(call):
    code, _, err = call("fit", "--drop", "id,zip,age", "--keep", "after")
    assert code == 2 and "No column" in err and "left to learn from" in err


def test_options_about_files_are_refused_for_built_in_data(run):
    code, _, err = run("describe", "iris", "--delimiter", ";")
    assert code == 2 and "iris is a built-in data set; --delimiter is about files" in err
    code, out, err = run("describe", "iris", "--drop", "petal width (cm)", "--keep", "sepal width (cm)")
    assert code == 0 and "150 rows, 2 columns" in out, err
    code, out, _ = run("describe", "iris", "--nominal", "petal width (cm)")
    assert code == 0 and "1 nominal" in out


def test_delimiters_have_names(run, tmp_path):
    path = tmp_path / "d.txt"
    path.write_text("x\ty\n" + "".join(f"{i}\t{'ab'[i % 2]}\n" for i in range(20)))
    for name in ("tab", "\\t"):
        code, out, err = run("describe", path, "-t", "y", "--delimiter", name)
        assert code == 0 and "20 rows, 1 column" in out, err
    path.write_bytes("größe,y\n1,a\n2,b\n".encode("latin-1"))
    assert "größe" in run("describe", path, "--encoding", "latin-1")[1]
    code, _, err = run("describe", path, "--encoding", "klingon")
    assert code == 2 and "there is no encoding 'klingon'" in err


@pytest.fixture
def feed(monkeypatch):
    """Put bytes on standard input."""

    def put(content):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


@pytest.mark.parametrize("name", COMMANDS)
def test_a_dash_is_standard_input(call, loans, feed, name):
    more = ("--na", "unknown", "--drop", "after")
    told = call(name, *more)
    feed(loans.read_bytes())
    code, out, err = call(name, *more, data="-")
    assert code == 0, err
    if name == "compare":  # it tells times, too
        assert "standard input: 80 rows, 3 columns" in out
    else:
        assert out == told[1].replace("loans.csv", "standard input")


def test_the_format_of_standard_input_can_be_said(call, loans, feed, tmp_path):
    table = pc.read_csv(loans)
    lines = "".join(json.dumps(row) + "\n" for row in table.to_pylist()).encode()
    feed(lines)
    code, out, err = call("describe", "--format", "jsonl", data="-")
    assert code == 0 and "80 rows, 4 columns" in out, err
    feed(lines)
    assert call("describe", data="-")[1] == out  # told from its first bytes
    feed(b"")
    code, _, err = call("describe", data="-")
    assert code == 2 and "standard input" in err and len(err.splitlines()) == 1


def test_files_of_every_format_give_the_same(call, loans, tmp_path):
    texts = pc.ConvertOptions(column_types={"zip": pa.string(), "id": pa.string()})
    table = pc.read_csv(loans, convert_options=texts)
    pq.write_table(table, tmp_path / "l.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "l.feather")
    (tmp_path / "l.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    (tmp_path / "l.csv.gz").write_bytes(gzip.compress(loans.read_bytes()))
    with zipfile.ZipFile(tmp_path / "l.zip", "w") as packed:
        packed.write(loans, "loans.csv")
    told = call("predict", "--keep", "id")[1]
    for name in ("l.parquet", "l.feather", "l.jsonl", "l.csv.gz", "l.zip"):
        code, out, err = call("predict", "--keep", "id", data=tmp_path / name)
        assert code == 0 and out == told, (name, err)


def test_text_that_means_numbers_is_cleaned_and_the_model_remembers_it(run, tmp_path):
    data, new, model = tmp_path / "d.csv", tmp_path / "new.csv", tmp_path / "m.assay"
    rows = [f'"${1000 + 37 * i:,}.50",{"Yes" if i % 3 else "yes"},{"ab"[i > 20]}' for i in range(40)]
    data.write_text("price,member,y\n" + "\n".join(rows) + "\n")
    new.write_text('price,member\n"$1,111.00",YES\n"$2,400.00",yes\n')
    code, out, _ = run("describe", data, "-t", "y")
    assert code == 0 and "Have it cleaned with --clean price." in out
    code, out, err = run("fit", data, "-t", "y", "--clean", "price,member", "-l", "c45", "-o", model)
    assert code == 0 and "training error 0.0%" in out
    assert err.startswith("Cleaned: column price: text such as '$1,000.50' is numbers now")
    assert run("predict", model, new, "--labels-only") == (0, "y\na\nb\n", "")
    assert run("describe", data, "-t", "y", "--clean", "all")[2] == err
    code, _, err = run("describe", data, "--clean", "prise")
    assert code == 2 and "there is no column 'prise'. Did you mean price?" in err
    new.write_text("price,member\ncheap,yes\n")
    code, _, err = run("predict", model, new)
    assert code == 2 and "'cheap'" in err and "price" in err
