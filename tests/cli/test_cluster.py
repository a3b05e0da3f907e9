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
    assert "<table" in page.read_text()


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
    refused = run(str(path), "--method", "mixture", *how_many)
    assert "column 'weight' has no value at all. Leave it out." in str(refused.exception)
