"""CSV files polluted in the ways that real ones are: read as meant, or refused with the line.

The kinds follow the idea of the Pollock benchmark: take one clean file and spoil one thing at a time. The
clean table has 12 rows of three columns; a spoiled file must give exactly these rows, other rows that
are written down here, or a ReadError that names the right line. Nothing else.
"""

import csv
import io

import pytest

from assay.errors import ReadError
from assay.tables.readers import read_table

NAMES = ["id", "town", "price"]
ROWS = [[i, f"town {i}" if i % 3 else f"town, {i}", i + 0.5] for i in range(1, 13)]


def clean(delimiter=",", end="\r\n", quoting=csv.QUOTE_MINIMAL, quote='"', rows=ROWS, names=NAMES, **kw):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting, quotechar=quote, **kw)
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue()


def line(number, text, content=None):
    """The clean file with one line replaced."""
    lines = (content or clean()).split("\r\n")
    lines[number - 1] = text
    return "\r\n".join(lines)


READ = {
    "clean": clean(),
    "no line end at the end": clean()[:-2],
    "LF": clean(end="\n"),
    "CR": clean(end="\r"),
    "mixed line ends": clean(end="\n")[:60] + clean(end="\n")[60:].replace("\n", "\r\n"),
    "semicolons": clean(";"),
    "tabs": clean("\t"),
    "bars": clean("|"),
    "every cell quoted": clean(quoting=csv.QUOTE_ALL),
    "text quoted": clean(quoting=csv.QUOTE_NONNUMERIC),
    "single quotes": clean(quote="'", quoting=csv.QUOTE_ALL),
    "byte order mark": "\ufeff" + clean(),
    "blank lines on top": "\r\n\r\n" + clean(),
    "blank lines inside": clean().replace("\r\n", "\r\n\r\n"),
    "blank lines of spaces": clean().replace("\r\n", "\r\n   \r\n", 3),
    "blank lines at the end": clean() + "\r\n\r\n",
    "comment on top": "# prices of 2026, by town, in euro and cents\r\n" + clean(),
    "sep line": "sep=,\r\n" + clean(),
    "trailing delimiter everywhere": clean().replace("\r\n", ",\r\n"),
    "spaces after delimiters": clean().replace(",", ", ").replace('"town,  ', '"town, '),
    "spaces around numbers": clean().replace(".5\r", ".5  \r"),
    "leading plus": clean().replace("\r\n1,", "\r\n+1,"),
}


@pytest.mark.parametrize("kind", READ)
def test_read_as_meant(tmp_path, kind):
    path = tmp_path / "t.csv"
    path.write_bytes(READ[kind].encode())
    got = read_table(path).X.to_pydict()
    assert list(got) == NAMES
    assert [list(row) for row in zip(*got.values())] == ROWS


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_read_as_meant_in_other_encodings(tmp_path, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes(clean().encode(encoding))
    got = read_table(path).X.to_pydict()
    assert [list(row) for row in zip(*got.values())] == ROWS


def test_escaped_quotes(tmp_path):
    path = tmp_path / "t.csv"
    rows = [[i, f'the "{i}", say', 1.5] for i in range(5)]
    path.write_text(clean(rows=rows, doublequote=False, escapechar="\\", quoting=csv.QUOTE_NONNUMERIC))
    assert read_table(path).X["town"].to_pylist() == [row[1] for row in rows]


# What is spoiled, the text, the line that the error must name.
REFUSED = [
    ("extra cell", line(5, "4,town 4,4.5,9"), 5),
    ("missing cell", line(6, "5,town 5"), 6),
    ("missing delimiter and the rest", line(13, "12"), 13),
    ("delimiter changes", line(7, "6;town six;6.5"), 7),
    ("quote left open in the last row", line(13, '12,"town 12,12.5'), 13),
    ("quote closed too early", line(4, '3,"town" 3,3.5'), 4),
    ("quote in a quoted cell, not doubled", line(4, '3,"town "3"",3.5'), 4),
    ("two tables, one below the other", clean() + "\r\nname,age\r\nann,3\r\n", 15),
    ("preamble without a comment mark", "Prices by town\r\n" + clean(), 2),
    ("preamble of two lines", "Prices\r\nin euro\r\n" + clean(), 3),
    ("footer", clean() + "12 rows\r\n", 14),
    ("totals in fewer cells", clean() + "sum,84\r\n", 14),
    ("number with a bare comma", line(9, "8,town 8,8,5"), 9),
    ("header shorter than the rows", line(1, "id,town"), 2),
    ("header longer than the rows", line(1, "id,town,price,colour"), 2),
    ("newline in a bare cell", line(5, "4,town\r\n4,4.5"), 5),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "content", "where"), REFUSED, ids=[kind for kind, _, _ in REFUSED])
def test_refused_with_the_line(tmp_path, kind, content, where):
    path = tmp_path / "t.csv"
    path.write_bytes(content.encode())
    with pytest.raises(ReadError, match=rf"t\.csv, line {where}[:,]"):
        read_table(path)


def test_a_preamble_can_be_skipped(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(("Prices by town\r\nin euro\r\n" + clean()).encode())
    got = read_table(path, skip=2).X.to_pydict()
    assert [list(row) for row in zip(*got.values())] == ROWS


# Spoiled in a way that no reader can know about: all rows are kept, and the column shows it.


def test_a_second_header_row_is_a_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(clean().replace("\r\n", "\r\n(no),(name),(euro)\r\n", 1).encode())
    X = read_table(path).X
    assert X.num_rows == 13
    assert X["price"].to_pylist()[:2] == ["(euro)", "1.5"]


def test_a_header_repeated_below_is_a_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes((clean() + clean()).encode())
    X = read_table(path).X
    assert X.num_rows == 25
    assert X["id"].to_pylist()[12] == "id"


def test_units_in_one_cell_turn_the_column_to_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(line(5, "4,town 4,4.5 EUR").encode())
    X = read_table(path).X
    assert X.num_rows == 12
    assert X["price"].to_pylist()[2:5] == ["3.5", "4.5 EUR", "5.5"]


def test_no_header(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(clean().split("\r\n", 1)[1].encode())
    X = read_table(path).X
    assert X.column_names == ["x0", "x1", "x2"]
    assert [list(row) for row in zip(*X.to_pydict().values())] == ROWS
