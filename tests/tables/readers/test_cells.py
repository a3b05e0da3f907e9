"""Cells found and read by native code, against the readable tokenizer and the careful typing."""

import struct

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.errors import ReadError
from assay.tables.marks import MISSING
from assay.tables.readers import cells, csv, kinds, read_blocks, read_table, records
from assay.tables.readers._cells import numbers, scan, text
from assay.tables.readers.cells import COMPLETE, FULL, ODD, Pages
from assay.tables.readers.csv import CsvReader
from assay.tables.readers.delimited import Malformed, tokenize
from assay.tables.readers.dialect import Dialect
from assay.tables.readers.records import Records, line_ends

MARKS = st.sampled_from(
    [
        Dialect(),
        Dialect(trim=True),
        Dialect(quoted_missing=True),
        Dialect(escape=b"\\"),
        Dialect(comment=b"#"),
        Dialect(quote=b""),
        Dialect(quote=b"'", delimiter=b"\t"),
    ]
)
BYTES = st.lists(
    st.sampled_from(["a", "1", " ", ",", "\t", '"', "'", '""', "\\", "#", "\n", "\r", "\r\n", "NA", "é"]),
    max_size=60,
).map(lambda parts: "".join(parts).encode())


def is_skipped(record, width, comment):
    if comment and record.cells[0].lstrip().startswith(comment) and not record.quoted[0]:
        return True
    return width != 1 and len(record.cells) == 1 and not record.quoted[0] and not record.cells[0].strip()


def cell_by_the_book(cell, quoted, d):
    """A cell as text, None where it is missing."""
    value = cell.decode()
    if d.trim:
        value = value.strip(" \t")
        return None if value in MISSING else value
    if value == "" or (value in MISSING and (not quoted or d.quoted_missing)):
        return None
    return value


@settings(max_examples=600, deadline=None)
@given(data=BYTES, d=MARKS, width=st.integers(1, 3), final=st.booleans())
def test_cells_are_those_of_the_tokenizer(data, d, width, final):
    """Up to the first record that is malformed or has another width, where the scan stops."""
    data = data.decode().replace("é", "x" * 70).encode()  # longer than the bytes that are looked at together
    rows, end, stop = [], 0, COMPLETE
    try:
        for record in tokenize(data, d.delimiter, d.quote, d.escape, final):
            if not is_skipped(record, width, d.comment):
                if len(record.cells) != width:
                    stop = ODD
                    break
                rows.append([cell_by_the_book(c, q, d) for c, q in zip(record.cells, record.quoted)])
            end = record.end
    except Malformed:
        stop = ODD
    page, why, where, lines = Pages(d, width, rows=100).next(data, 0, final)
    assert (why, where, page.rows) == (stop, end, len(rows))
    assert lines == line_ends(data[:end])
    columns = [page.text(j).to_pylist() for j in range(width)]
    assert [list(row) for row in zip(*columns)] == rows


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**21), 10**21).map(str),
    st.from_regex(r"[+-]?[0-9]{0,25}(\.[0-9]{0,25})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.from_regex(r"[+-]?[0-9]{1,3}([,.' ][0-9]{3}){1,4}([.,][0-9]{1,3})?", fullmatch=True),
    st.sampled_from(
        ["inf", "nan", "-0", "-0.0", "0e999", " 1", "2 ", "1e", ".", "-", "+5", "9" * 19, "0x1F"]
    ),
)


@settings(max_examples=600, deadline=None)
@given(
    column=st.lists(st.one_of(NUMBERS, st.sampled_from(["", "NA"])), min_size=1),
    decimal=st.sampled_from(".,"),
)
@example(column=["9007199254740993", "9007199254740993.0", "1.5"], decimal=".")
@example(column=["-0", "1.5"], decimal=".")
@example(column=["00000001000000000000"], decimal=".")  # leading zeros do not make it long
@example(column=["0.00012345678901234567", "123456789012345678901234567890"], decimal=".")
def test_numbers_are_those_of_the_careful_typing_to_the_last_bit(column, decimal):
    d = Dialect(delimiter=b"|", decimal=decimal)
    data = "".join(f"{cell}|\n" for cell in column).encode()
    page = Pages(d, 2, rows=len(column) + 1).next(data, 0, True)[0]
    kind, values = page.numbers(0)
    assert page.kind_of_numbers(0)[0] == kind
    expected_kind, expected = kinds.infer(page.text(0), decimal)
    if kind is None:
        odd = column[values]
        assert kinds.is_text_cell(odd, decimal) <= (expected_kind == kinds.TEXT)
        return
    assert (kind, values.type, len(values)) == (expected_kind, expected.type, len(expected))
    assert values.null_count == expected.null_count
    if kind != kinds.NO_VALUES:
        assert bits(values) == bits(expected)
        wide = page.numbers(0, kinds.NUMBER)[1]
        assert wide.equals(kinds.convert(page.text(0), kinds.NUMBER, decimal))  # -0 among whole numbers is 0


def bits(values):
    pack = struct.Struct("<q" if pa.types.is_integer(values.type) else "<d").pack
    return [None if v is None else pack(v) for v in values.to_pylist()]


@settings(max_examples=300, deadline=None)
@given(w=st.integers(1, 10**19 - 1), q=st.integers(-140, 130))
@example(w=9007199254740993, q=0)  # exactly between two doubles
@example(w=4503599627370497 * 2 + 1, q=-1)
@example(w=2**64 - 1, q=-19)
def test_decimals_are_rounded_as_python_rounds_them(w, q):
    """Python's float is exactly rounded; halfway cases and both ends of the table of powers included."""
    page = Pages(Dialect(), 1, rows=9).next(f"{w}e{q}\n0.5\n".encode(), 0, True)[0]
    kind, values = page.numbers(0)
    digits = len(str(w))
    if kind is None:
        assert not -128 <= q <= 127 or digits > 19
    else:
        assert bits(values)[0] == struct.pack("<d", float(f"{w}e{q}"))


PLAIN = st.from_regex(r"[+-]?([0-9]{1,21}|[0-9]{0,18}\.[0-9]{0,20})", fullmatch=True)


@settings(max_examples=600, deadline=None)
@given(cell=PLAIN, decimal=st.sampled_from(".,"), before=st.sampled_from("-+.,0123456789 "))
@example(cell="-0.0", decimal=".", before="9")
@example(cell="1844674407370955.1616", decimal=".", before="1")  # 2^64 as digits
@example(cell="18446744073709551616", decimal=".", before="1")
@example(cell="9007199254740993.", decimal=",", before="1")  # between two doubles
@example(
    cell="0.1234567890123456", decimal=".", before="."
)  # the point is just beyond the last sixteen bytes
@example(cell="1.123456789012345", decimal=".", before=".")
def test_short_numbers_are_those_of_python_wherever_they_stand(cell, decimal, before):
    """The twin is Python's own reading; what stands before the cell, or that nothing does, changes nothing."""
    try:
        expected = int(cell) if cell[0] != "+" and -(2**63) <= int(cell) < 2**63 else float(cell)
    except ValueError:
        expected = float(cell) if any(map(str.isdigit, cell)) else None
    cell, d = cell.replace(".", decimal), Dialect(delimiter=b"|", decimal=decimal)
    for times in (0, 1, 5, 40):
        page = Pages(d, 2, rows=2).next(f"{before * times}|{cell}\n".encode(), 0, True)[0]
        kind, values = page.numbers(1)
        if expected is None:
            assert kind is None
        elif kind is not None or len(cell) <= 20:
            assert kind == (kinds.WHOLE if isinstance(expected, int) else kinds.NUMBER)
            assert repr(values[0].as_py()) == repr(expected)


# The whole reader against itself without its quick ways.

CELLS = st.one_of(
    st.sampled_from(
        [
            "",
            "NA",
            "?",
            "nan",
            "null",
            "abc",
            "no",
            "inf",
            "12 x",
            "1,5",
            "1.234",
            "2020-01-02",
            "2020-01-02 10:00",
        ]
    ),
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(repr),
    st.text("ab1.,;'\" -é\t", max_size=6),
)


@st.composite
def polluted(draw):
    delimiter, end = draw(st.sampled_from(",;\t|")), draw(st.sampled_from(["\n", "\r\n", "\r"]))
    width = draw(st.integers(1, 4))
    wrap = draw(st.sampled_from(["never", "some", "always"]))
    columns = [
        draw(st.sampled_from([CELLS, st.integers(0, 99).map(str), st.floats(-9, 9).map(repr)]))
        for _ in range(width)
    ]
    lines = [delimiter.join(f"c{j}" for j in range(width))]
    for _ in range(draw(st.integers(0, 12))):
        row = [draw(column) for column in columns]
        if draw(st.integers(0, 60)) == 0:
            row = row[:-1] if draw(st.booleans()) else [*row, "extra"]
        if wrap != "never":
            row = [
                '"' + c.replace('"', '""') + '"' if wrap == "always" or draw(st.booleans()) else c
                for c in row
            ]
        lines.append(draw(st.sampled_from(["", " "])).join(["", delimiter.join(row)]))
        if draw(st.integers(0, 20)) == 0:
            lines.append(draw(st.sampled_from(["", "  ", "# a comment", '"open'])))
    text = end.join(lines) + draw(st.sampled_from(["", end]))
    return text.encode(draw(st.sampled_from(["utf-8", "utf-8-sig", "latin-1", "utf-16"])), "replace")


def outcome(path, blocks, **options):
    try:
        if blocks:
            tables = list(read_blocks(path, rows=3, **options))
            table = pa.concat_tables(tables) if tables else None
        else:
            table = read_table(path, **options).X
    except (ReadError, Warning) as error:
        return str(error)
    return None if table is None else (str(table.schema), repr(table.to_pydict()))


@settings(max_examples=250, deadline=None)
@given(
    data=polluted(), blocks=st.booleans(), options=st.sampled_from([{}, {"na": ["abc"]}, {"nominal": ["c0"]}])
)
def test_the_quick_and_the_careful_way_agree(tmp_path_factory, data, blocks, options):
    """The same table to the last bit, or the same sentence with the same line."""
    path = tmp_path_factory.mktemp("ways") / "t.csv"
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "CHUNK", 64)
        quick = outcome(path, blocks, **options)
        cut = Records._cut
        patch.setattr(Records, "_cut", lambda self, b, s, n, f, _: cut(self, b, s, n, f, None))
        patch.setattr(CsvReader, "_plain", lambda self, j: False)
        careful = outcome(path, blocks, **options)
    assert quick == careful


def test_a_page_without_room_goes_on_in_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(cells, "BYTES_OF_A_CELL", 1000)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{i},x{i}\n" for i in range(1000)))
    stops = []
    with monkeypatch.context() as patch:
        whole = Pages.next
        patch.setattr(Pages, "next", lambda *a: (stops.append(whole(*a)[1]), whole(*a))[1])
        X = read_table(path).X
    assert X["a"].to_pylist() == list(range(1000))
    assert X["b"][999].as_py() == "x999"
    assert FULL in stops


def test_two_passes_at_a_time(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "".join(f"{i}\n" for i in range(100)))
    blocks = read_blocks(path, rows=30)
    assert all(a.equals(b) for a, b in zip(blocks, blocks))


def test_cells_outside_of_the_text_are_refused():
    data, reading = np.zeros(4, np.uint8), Pages(Dialect(), 1)._reading
    for begin, end in ((0, 5), (3, 2), (2**31 - 1, 2**31 - 1)):
        wild = np.array([begin, end], np.uint32)
        with pytest.raises(ValueError, match="must lie in the data"):
            text(data, wild, 1, 0, 1, reading)
        with pytest.raises(ValueError, match="must lie in the data"):
            numbers(data=data, cells=wild, width=1, j=0, rows=1, reading=reading, kind=0, store=True)
    room, result = np.zeros(2, np.uint32), np.zeros(4, np.int64)
    with pytest.raises(ValueError, match="must hold a row"):
        scan(data=data, start=0, delimiter=44, quote=34, escape=-1, comment=-1, final=True, width=2, cells=room,
             result=result)  # fmt: skip


def test_a_close_look_and_a_page_read_the_same_cells(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,"x ""y"""\nNA,"NA"\n2.5,5" nail\n')
    reader = csv.CsvReader(path)
    piece = next(iter(reader.records.pieces(True)))
    near = reader._close_look(piece._replace(page=None))
    assert [near.text(j).to_pylist() for j in (0, 1)] == [piece.page.text(j).to_pylist() for j in (0, 1)]
    assert near.numbers(0)[1].to_pylist() == [1.0, None, 2.5]
