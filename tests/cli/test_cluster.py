"""``assay cluster``: groups, their number, what they are, files."""

import csv
import json

import pytest
from click.testing import CliRunner

from assay.cli.cluster import command


def run(*arguments):
    return CliRunner().invoke(command, list(arguments))


def test_groups_of_flowers_are_described(tmp_path):
    page, out = tmp_path / "groups.html", tmp_path / "groups.csv"
    result = run("iris", "--k", "3", "--report", str(page), "-o", str(out))
    assert result.exit_code == 0, result.output
    assert "150 rows of iris in 3 groups (kmeans)" in result.output
    assert "Agreement with species beyond chance" in result.output
    assert "petal" in result.output and "rules cover" in result.output
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 150 and len({row["group"] for row in rows}) == 3
    text = page.read_text()
    assert "<table" in text and "<h4>150 rows of iris in 3 groups (kmeans)</h4>" in text
    assert text.count("<h4>Groups</h4>") == 1


def test_the_same_as_a_document():
    result = run("iris", "--k", "2", "--no-rules", "--json")
    told = json.loads(result.output)
    assert sum(group["rows"] for group in told["groups"]) == 150 == len(told["labels"])
    assert told["rules"] is None and told["silhouette"] > 0.5


@pytest.mark.parametrize("method", ["ward", "genie", "mixture", "hdbscan", "single", "average", "spectral"])
def test_every_method_groups(method):
    number = [] if method == "hdbscan" else ["--k", "2"]
    result = run("iris", *number, "--method", method, "--no-rules")
    assert result.exit_code == 0, result.output
    assert f"({method})" in result.output


def test_a_mixed_table_with_missing_values(tmp_path):
    file = tmp_path / "people.csv"
    lines = [f"{20 + i % 3},Ulm" for i in range(12)] + [f"{60 + i % 3},Bonn" for i in range(12)] + [",Bonn"]
    file.write_text("age,town\n" + "\n".join(lines) + "\n")
    result = run(str(file), "--max-k", "4")
    assert result.exit_code == 0, result.output
    assert "(prototypes)" in result.output and "Ulm" in result.output
    refused = run(str(file), "--method", "kmeans")
    assert refused.exit_code != 0 and "prototypes" in refused.output
    wrong = run("iris", "--k", "3", "--method", "hdbscan")
    assert wrong.exit_code != 0 and "by itself" in wrong.output


def test_numbers_with_missing_values_make_a_mixture(tmp_path):
    path = tmp_path / "numbers.csv"
    lines = [f"{40 * (i % 2) + i % 5},{'' if i % 7 == 0 else 90 * (i % 2) + i % 3}" for i in range(60)]
    path.write_text("a,b\n" + "\n".join(lines) + "\n")
    result = run(str(path), "--method", "mixture", "--k", "2", "--no-rules", "--json")
    assert result.exit_code == 0, result.output
    assert sorted(group["rows"] for group in json.loads(result.output)["groups"]) == [30, 30]
    refused = run(str(path), "--method", "ward")
    assert refused.exit_code == 2 and "Use --method prototypes or mixture" in refused.output


@pytest.mark.parametrize("how_many", [["--k", "2"], []])
def test_a_column_without_a_value_is_named(tmp_path, how_many):
    path = tmp_path / "empty.csv"
    path.write_text("length,weight\n1,\n2,\n9,\n8,\n")
    result = run(str(path), "--method", "mixture", "--no-rules", *how_many)
    assert result.exit_code == 0, result.output
    assert "Note: column weight takes no part, without any value." in result.output
    path.write_text("length,weight\n,\n,\n,\n")
    refused = run(str(path), *how_many)
    assert refused.exit_code == 2 and "no column with values" in refused.output


def people(path, n=30):
    """A file of three groups of people, with numbers and names of their own."""
    kinds = [("basic", 25, 20), ("plus", 45, 50), ("pro", 65, 90)]
    lines = [
        f"{1000 + i},Person {i},{kinds[i % 3][1] + i % 4},{kinds[i % 3][2] + i % 3},{kinds[i % 3][0]}"
        for i in range(n)
    ]
    path.write_text("id,name,age,income,plan\n" + "\n".join(lines) + "\n")
    return str(path)


def test_columns_that_name_rows_make_no_groups_but_are_written(tmp_path):
    file, out = people(tmp_path / "people.csv"), tmp_path / "out.csv"
    result = run(file, "--no-rules", "--max-k", "5", "-o", str(out))
    assert result.exit_code == 0, result.output
    assert "columns id and name take no part" in result.output and "in 3 groups" in result.output
    with out.open() as read:
        rows = list(csv.DictReader(read))
    assert (rows[0]["id"], rows[0]["name"]) == ("1000", "Person 0") and len(
        {row["group"] for row in rows}
    ) == 3
    kept = run(file, "--no-rules", "--k", "3", "--keep", "id,name", "-o", str(out))
    assert kept.exit_code == 0 and "Note" not in kept.output
    assert out.read_text().startswith("id,name,age,income,plan,group")
    used = run(file, "--no-rules", "--k", "3", "--numeric", "id", "--drop", "name")
    assert "take" not in used.output.split("\n")[0]
    wrong = run(file, "--keep", "height")
    assert wrong.exit_code == 2 and "no column 'height'" in wrong.output


@pytest.mark.parametrize("n", [3, 4, 7, 12, 15])
def test_few_rows_get_groups_too(tmp_path, n):
    result = run(people(tmp_path / "few.csv", n), "--drop", "id,name")
    assert result.exit_code == 0, result.output
    lines = ["a,b", *(f"{'' if i == 2 else i * i},{'x' if i % 2 else 'y'}" for i in range(n))]
    path = tmp_path / "incomplete.csv"
    path.write_text("\n".join(lines) + "\n")
    result = run(str(path))
    assert result.exit_code == 0, result.output


def test_dates_are_shown_as_dates(tmp_path):
    path = tmp_path / "dates.csv"
    path.write_text(
        "day,n\n" + "\n".join(f"20{10 * (i % 2) + 10}-0{1 + i % 9}-11,{i % 2}" for i in range(20)) + "\n"
    )
    result = run(str(path), "--k", "2", "--no-rules")
    assert result.exit_code == 0, result.output
    assert "late day (2020-" in result.output and "early day (2010-" in result.output
