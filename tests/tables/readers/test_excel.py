"""Excel workbooks."""

import builtins
import contextlib
import datetime as dt
import io
import random
import zipfile

import openpyxl
import pyarrow as pa
import pytest

from assay.errors import MissingExtraError, ReadError, SchemaError, SchemaWarning
from assay.tables import read_blocks, read_table
from assay.tables.readers import excel

ROWS = [
    ["n", "t", "when", "mixed", "flag", "day"],
    [1, "a", dt.datetime(2026, 1, 1, 12), 3, True, dt.datetime(2026, 1, 1)],
    [2.5, " b ", dt.datetime(2026, 1, 2), "#N/A", False, dt.datetime(2026, 1, 2)],
    [None, None, None, 4, None, None],
]


def workbook(path, rows=ROWS, **sheets):
    book = openpyxl.Workbook()
    for name, content in {"data": rows, **sheets}.items():
        sheet = book.create_sheet(name)
        for row in content:
            sheet.append(row)
    del book["Sheet"]
    book.save(path)
    return path


def test_types_and_missing_values(tmp_path):
    data = read_table(workbook(tmp_path / "t.xlsx"), target="t")
    assert data.format == "excel"
    assert data.X.to_pydict() == {
        "n": [1.0, 2.5, None],
        "when": [dt.datetime(2026, 1, 1, 12), dt.datetime(2026, 1, 2), None],
        "mixed": [3, None, 4],
        "flag": [True, False, None],
        "day": [dt.date(2026, 1, 1), dt.date(2026, 1, 2), None],
    }
    assert data.y.tolist() == ["a", "b", None]


def test_empty_rows_and_columns_around_the_table(tmp_path):
    path = workbook(
        tmp_path / "t.xlsx",
        [[], [None, "a", "b"], [], [None, 1, "x"], [None, None, ""], [None, 2, "y", None]],
    )
    assert read_table(path).X.to_pydict() == {"a": [1, 2], "b": ["x", "y"]}


def test_names_that_repeat_or_lack(tmp_path):
    path = workbook(tmp_path / "t.xlsx", [["a", "a", None, 2026], [1, 2, 3, 4]])
    with pytest.warns(SchemaWarning, match="'a_2' \\(another 'a'\\)"):
        assert read_table(path).names == ["a", "a_2", "column_3", "2026"]


def test_sheets_by_name_and_number(tmp_path):
    path = workbook(tmp_path / "t.xlsx", other=[["z"], [1]])
    assert read_table(path, sheet="other").names == read_table(path, sheet=1).names == ["z"]
    for wrong in ("none", 2, -1):
        with pytest.raises(ReadError, match=r"there is no sheet .* Sheets: data, other"):
            read_table(path, sheet=wrong)


def test_offending_cells_have_their_row_in_the_sheet(tmp_path):
    path = workbook(tmp_path / "t.xlsx", [["a"], [1], [], ["soon"]])
    with pytest.raises(ReadError, match=r"column 'a': 1 cell is not a number: 'soon' \(line 4\)"):
        read_table(path, numeric="a")
    assert read_table(path, na="soon").X["a"].to_pylist() == [1, None]


def test_streams_blocks_and_columns(tmp_path):
    path = workbook(tmp_path / "t.xlsx")
    assert read_table(io.BytesIO(path.read_bytes()), columns=["n"]).X.num_columns == 1
    assert pa.concat_tables(read_blocks(path, rows=2)).num_rows == 3
    with pytest.raises(SchemaError, match=r"no column 'z'"):
        read_table(path, columns=["z"])


def test_an_empty_sheet(tmp_path):
    with pytest.raises(ReadError, match="the sheet is empty"):
        read_table(workbook(tmp_path / "t.xlsx", []))


def test_without_the_extra(tmp_path, monkeypatch):
    path = workbook(tmp_path / "t.xlsx")
    real = builtins.__import__

    def without(name, *rest):
        if name == "openpyxl":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(
        MissingExtraError, match=r'Excel files need one more package: pip install "assay\[excel\]"\.'
    ):
        read_table(path)


def test_what_is_no_workbook(tmp_path):
    path = tmp_path / "t.xlsx"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ReadError, match=r"not an Excel workbook \(.xlsx\), or a damaged one"):
        read_table(path)


def test_workbooks_that_grow_without_bounds(tmp_path, monkeypatch):
    path = workbook(tmp_path / "t.xlsx")
    monkeypatch.setattr(excel, "MOST_UNPACKED", 1000)
    with pytest.raises(ReadError, match="the workbook unpacks to more than 0 MB"):
        read_table(path)


@pytest.mark.parametrize("cell", ["A99999999999", "ZZZ5"])
def test_a_cell_far_away_takes_no_memory(tmp_path, cell, monkeypatch):
    """The row number of a cell is not bounded by its file; the rows before it are counted, not kept."""
    monkeypatch.setattr(excel, "MOST_ROWS", 10_000)
    path = tmp_path / "t.xlsx"
    workbook(path, [["a"], [1], [2]])
    far = tmp_path / "far.xlsx"
    row = cell.lstrip("AZ")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(far, "w") as new:
        for member in old.infolist():
            data = old.read(member)
            if member.filename.endswith("sheet1.xml"):
                data = data.replace(b'<row r="3"', f'<row r="{row}"'.encode()).replace(
                    b'r="A3"', f'r="{cell}"'.encode()
                )
                assert cell.encode() in data
            new.writestr(member, data)
    if cell == "ZZZ5":
        assert read_table(far).X.num_rows == 2
    else:
        with pytest.raises(ReadError, match="more than 10,000 rows"):
            read_table(far)


@pytest.mark.parametrize("seed", range(3))
def test_damaged_workbooks_are_read_or_refused(tmp_path, seed):
    """Any change of a byte gives a table or a sentence, never anything else."""
    draw = random.Random(seed)
    whole = workbook(tmp_path / "t.xlsx").read_bytes()
    for _ in range(15):
        data = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        path = tmp_path / "broken.xlsx"
        path.write_bytes(data)
        with contextlib.suppress(ReadError, SchemaError):
            read_table(path)
