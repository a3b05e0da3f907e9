"""drop, nominal, numeric and na, in every format."""

import io

import pandas as pd
import pytest

from assay.errors import ParameterError, ReadError, SchemaError
from assay.tables import read_blocks, read_table, write_table
from assay.tables.readers.column_options import marks_of

FRAME = pd.DataFrame(
    {
        "zip": [1067, 80331, 1067],
        "size": [12.0, -999.0, 3.5],
        "price": ["10", "unknown", "12.5"],
        "taste": ["sweet", "none", "sour"],
    }
)
ENDINGS = ["csv", "tsv", "parquet", "jsonl", "feather", "csv.gz"]


@pytest.fixture(params=ENDINGS)
def path(request, tmp_path):
    place = tmp_path / f"t.{request.param}"
    write_table(FRAME, place)
    return place


def test_drop(path):
    assert read_table(path, drop="price").names == ["zip", "size", "taste"]
    assert read_table(path, drop=["price", "zip"], columns=["zip", "size"]).names == ["size"]
    assert read_table(path, target="zip", drop=["price"]).names == ["size", "taste"]


def test_nominal(path):
    schema = read_table(path, nominal=["zip", "size"]).schema
    assert schema["zip"].kind == schema["size"].kind == "nominal"
    assert {str(c) for c in schema["zip"].categories} == {"1067", "80331"}
    assert len(schema["size"].categories) == 3


def test_numeric_and_marks(path):
    data = read_table(path, numeric="price", na=["unknown", -999, "none"])
    assert data.X["price"].to_pylist() == [10.0, None, 12.5]
    assert data.X["size"].to_pylist() == [12.0, None, 3.5]
    assert data.X["taste"].to_pylist() == ["sweet", None, "sour"]


def test_numeric_names_the_offending_cells(path):
    place = (
        "line 3"
        if path.suffix in (".csv", ".tsv", ".gz")
        else "line 2"
        if path.suffix == ".jsonl"
        else "row 2"
    )
    with pytest.raises(
        ReadError,
        match=rf"{path.name}, column 'price': 1 cell is not a number: 'unknown' \({place}\)\. Mark a missing",
    ):
        read_table(path, numeric=["price"])


def test_blocks_keep_to_it_too(path):
    blocks = list(read_blocks(path, rows=2, drop="taste", nominal="zip", numeric="price", na="unknown"))
    assert [b.column_names for b in blocks] == [["zip", "size", "price"]] * 2
    assert [b["price"].to_pylist() for b in blocks] == [[10.0, None], [12.5]]
    with pytest.raises(ReadError, match="'unknown'"):
        list(read_blocks(path, rows=1, numeric="price"))


@pytest.mark.parametrize("option", ["drop", "nominal", "numeric"])
def test_names_that_the_file_lacks(path, option):
    with pytest.raises(SchemaError, match=r"there is no column 'prise'. Did you mean price"):
        read_table(path, **{option: "prise"})
    with pytest.raises(SchemaError, match=r"there is no column 'prise'. Did you mean price"):
        read_blocks(path, **{option: "prise"})


def test_many_offending_cells_are_counted_and_some_shown():
    text = "a,b\n" + "".join(f"w{i % 7},1\n" for i in range(70))
    with pytest.raises(
        ReadError, match=r"70 cells are no numbers: 'w0' \(line 2\), .*'w4' \(line 6\), \.\.\. Mark"
    ):
        read_table(io.StringIO(text), numeric="a")


def test_lines_of_offending_cells_below_quoted_line_ends_and_comments():
    text = '#c\na,b\n"x\ny",2\n#c\n3,5\n"oh\nno",1\n'
    with pytest.raises(ReadError, match=r"'x\\ny' \(line 3\), 'oh\\nno' \(line 7\)"):
        read_table(io.StringIO(text), numeric="a", comment="#")


def test_codes_stay_as_they_are():
    data = read_table(io.StringIO("zip,n\n01067,1\n80331,2\n"), nominal="zip")
    assert data.X["zip"].to_pylist() == ["01067", "80331"]


def test_arff_marks_and_kinds():
    text = "@relation r\n@attribute a real\n@attribute b {x,y,none}\n@data\n1,x\nunknown,none\n"
    data = read_table(io.StringIO(text), na=["unknown", "none"], nominal="a")
    assert data.X["b"].to_pylist() == ["x", None] and data.schema["b"].categories == ("x", "y", "none")
    assert data.schema["a"].kind == "nominal" and data.X["a"].to_pylist() == [1, None]


def test_categories_that_are_numbers_can_be_numbers_again():
    text = "@relation r\n@attribute a {1,2,10}\n@data\n1\n10\n?\n"
    assert read_table(io.StringIO(text), numeric="a").X["a"].to_pylist() == [1.0, 10.0, None]


def test_a_column_cannot_be_both():
    with pytest.raises(ParameterError, match="named by nominal= and by numeric="):
        read_table(io.StringIO("a\n1\n"), nominal="a", numeric="a")


def test_target_and_weights_cannot_be_dropped():
    for role in ("target", "weights"):
        with pytest.raises(SchemaError, match=f"column 'a' is {role}= and named by drop="):
            read_table(io.StringIO("a,b\n1,2\n"), drop="a", **{role: "a"})


def test_libsvm_has_no_named_columns():
    for option in ("drop", "nominal", "numeric", "na"):
        with pytest.raises(ReadError, match=f"no named columns, so {option}= has no meaning"):
            read_table(io.StringIO("1 1:2\n"), **{option: "x"})


def test_delimiter_and_encoding():
    assert read_table(io.StringIO("a|b,c\n1|2,3\n"), delimiter=",").names == ["a|b", "c"]
    assert read_table(io.BytesIO("ä,b\n1,2\n".encode("cp1250")), encoding="cp1250").names == ["ä", "b"]


def test_options_without_meaning_are_refused(tmp_path):
    write_table(FRAME, tmp_path / "t.parquet")
    with pytest.raises(ReadError, match="the parquet reader has no option 'delimiter'"):
        read_table(tmp_path / "t.parquet", delimiter=";")


@pytest.mark.parametrize("given", [{"drop": 3}, {"nominal": [1]}, {"na": [None]}, {"na": {}.keys}])
def test_wrong_types(given):
    with pytest.raises((ParameterError, TypeError), match=r"takes|iterable"):
        read_table(io.StringIO("a\n1\n"), **given)


def test_marks():
    assert marks_of(None) == marks_of(()) == ()
    assert marks_of([" x ", 1, 2.5]) == ("x", "1", "2.5")
