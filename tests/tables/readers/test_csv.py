"""Delimited files: what is read, what is refused and with which words, and that no row is ever lost."""

import csv
import gzip
import io
import math
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ReadError, SchemaError, SchemaWarning
from assay.tables import Table
from assay.tables.readers import csv as csv_reader
from assay.tables.readers import read_blocks, read_table, records
from assay.tables.readers.csv import CsvReader


@pytest.fixture
def put(tmp_path):
    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def columns(path, **options):
    return read_table(path, **options).X.to_pydict()


# What cells and columns are


def test_numbers_text_and_missing_values(put):
    path = put("weight,taste,n\n190.5,sweet,1\n,sour,2\n?,NA,3\n")
    assert columns(path) == {"weight": [190.5, None, None], "taste": ["sweet", "sour", None], "n": [1, 2, 3]}
    table = read_table(path).table
    assert [c.kind for c in table.schema] == ["numeric", "nominal", "numeric"]
    np.testing.assert_array_equal(table.values, [[190.5, 1, 1], [np.nan, 0, 2], [np.nan, np.nan, 3]])


@pytest.mark.parametrize("mark", ["", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL"])
def test_missing_marks(put, mark):
    assert columns(put(f"a,b\n1,x\n{mark},{mark}\n")) == {"a": [1, None], "b": ["x", None]}


def test_a_quoted_mark_is_text_among_text_and_missing_among_numbers(put):
    assert columns(put('a,b\n1,x\n"NA","NA"\n')) == {"a": [1, None], "b": ["x", "NA"]}


def test_a_file_that_quotes_everything_quotes_its_missing_marks_too(put):
    assert columns(put('"a","b"\n"1","x"\n"NA","NA"\n"",""\n')) == {
        "a": [1, None, None],
        "b": ["x", None, None],
    }


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "2"], [1, 2]),
        (["1", "2.5"], [1.0, 2.5]),
        (["+1", "-.5", "1e3", "2."], [1.0, -0.5, 1000.0, 2.0]),
        ([" 1", "2 "], [1, 2]),
        (["1 234", "12 345 678"], [1234, 12345678]),
        (['"1,234"', '"5,678,901.5"', "7"], [1234.0, 5678901.5, 7.0]),
        (["9223372036854775807", "1"], [2**63 - 1, 1]),
        (["9223372036854775808", "1"], [2.0**63, 1.0]),
        (["0x1A", "1"], ["0x1A", "1"]),
        (["1_000", "1"], ["1_000", "1"]),
        (["12%", "1"], ["12%", "1"]),
        (["True", "False"], ["True", "False"]),
        (["10:20", "11:30"], ["10:20", "11:30"]),
    ],
)
def test_what_a_number_is(put, cells, expected):
    got = columns(put("a,b\n" + "".join(f"{c},k\n" for c in cells)))["a"]
    assert got == expected
    assert [type(v) for v in got] == [type(v) for v in expected]


def test_decimal_commas(put):
    assert columns(put("a;b\n1,5;2\n1.234,25;3\n")) == {"a": [1.5, 1234.25], "b": [2, 3]}
    assert columns(put("a\tb\n1,234\t2\n5,678\t3\n")) == {"a": [1234, 5678], "b": [2, 3]}
    assert columns(put("a\tb\n1,234\t2\n5,678\t3\n"), decimal=",") == {"a": [1.234, 5.678], "b": [2, 3]}


def test_iso_dates_become_dates(put):
    table = read_table(put("day,at,k\n1970-01-02,1970-01-01 12:00,x\n?,1970-01-02T00:00:00,y\n")).table
    assert [c.date for c in table.schema] == [True, True, False]
    np.testing.assert_array_equal(table.values[:, :2], [[1, 0.5], [np.nan, 1]])


def test_a_date_among_words_is_text(put):
    assert columns(put("day,k\n2020-01-01,1\nsoon,2\n")) == {"day": ["2020-01-01", "soon"], "k": [1, 2]}


def test_a_day_that_does_not_exist_is_text(put):
    assert columns(put("day,k\n2020-02-30,1\n2020-02-01,2\n"))["day"] == ["2020-02-30", "2020-02-01"]


# Dialects


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(put, delimiter, end):
    text = end.join(delimiter.join(row) for row in [["a", "b"], ["1", "x y"], ["2", "z"]])
    for tail in ("", end):
        assert columns(put(text + tail)) == {"a": [1, 2], "b": ["x y", "z"]}


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_encodings(put, encoding):
    assert columns(put("city,n\nMünchen,1\nTromsø,2\n".encode(encoding))) == {
        "city": ["München", "Tromsø"],
        "n": [1, 2],
    }


def test_latin_1_far_down(put, monkeypatch):
    monkeypatch.setattr(records, "CHUNK", 4096)
    monkeypatch.setattr("assay.tables.readers.source.CHUNK", 4096)
    body = "a,b\n" + "x,1\n" * 100_000 + "é,2\n"  # beyond what sniffing looks at
    got = read_table(put(body.encode("latin-1"))).X
    assert got.num_rows == 100_001
    assert got["a"][-1].as_py() == "é"


def test_a_byte_that_is_not_utf8_after_some_that_are(put):
    with pytest.raises(ReadError, match=r"t\.csv, line 3: byte 0xE9 is not UTF-8"):
        read_table(put("a,b\né,1\n".encode() + b"\xe9,2\n"))


def test_single_quotes_and_backslashes(put):
    assert columns(put("'a','b'\n'x, y',1\n'z',2\n")) == {"a": ["x, y", "z"], "b": [1, 2]}
    assert columns(put('a,b\n"say \\"hi\\"",1\n')) == {"a": ['say "hi"'], "b": [1]}


def test_an_apostrophe_is_no_quote(put):
    assert columns(put("a,b\n'tis,1\nit's,2\n")) == {"a": ["'tis", "it's"], "b": [1, 2]}


def test_inches_are_no_quotes(put):
    assert columns(put('a,b\n5" pipe,1\n6" pipe,2\n')) == {"a": ['5" pipe', '6" pipe'], "b": [1, 2]}


def test_spaces_around_cells_go_where_a_file_has_them(put):
    assert columns(put("39, State-gov, ?\n50, Private, x\n")) == {
        "x0": [39, 50], "x1": ["State-gov", "Private"], "x2": [None, "x"]}  # fmt: skip


def test_sep_line_and_comments_on_top(put):
    assert columns(put("sep=;\na;b\n1;2\n")) == {"a": [1], "b": [2]}
    assert columns(put("# made by hand\n# in 2026, twice\na,b,c\n1,2,3\n")) == {"a": [1], "b": [2], "c": [3]}
    assert columns(put("a,b\n1,2\n#3,4\n")) == {"a": ["1", "#3"], "b": [2, 4]}
    assert columns(put("a,b\n1,2\n#3,4\n"), comment="#") == {"a": [1], "b": [2]}


def test_headers(put):
    assert columns(put("1,2\n3,4\n")) == {"x0": [1, 3], "x1": [2, 4]}
    assert columns(put("red,1\nblue,2\n")) == {"x0": ["red", "blue"], "x1": [1, 2]}
    assert columns(put("red,big\nblue,big\nred,small\n")) == {
        "x0": ["red", "blue", "red"],
        "x1": ["big", "big", "small"],
    }
    assert columns(put("name,2019,2020\n7,8,9\n")) == {"name": [7], "2019": [8], "2020": [9]}
    assert columns(put("a,b\nc,d\n"), header=False) == {"x0": ["a", "c"], "x1": ["b", "d"]}
    assert columns(put("1,2\n3,4\n"), header=True) == {"1": [3], "2": [4]}


def test_names_that_come_twice_and_names_that_are_not_there(put):
    with pytest.warns(SchemaWarning, match=r"given a number: 'a_2' \(another 'a'\), 'a_3' \(another 'a'\)\."):
        assert columns(put("a,a,,a\n1,2,3,4\n")) == {"a": [1], "a_2": [2], "column_3": [3], "a_3": [4]}
    assert columns(put("a,b,\n1,2,\n3,4,\n")) == {"a": [1, 3], "b": [2, 4]}


def test_one_column(put):
    assert columns(put("a\n1\n2\n")) == {"a": [1, 2]}
    assert columns(put("a\n1\n\n3\n")) == {"a": [1, None, 3]}
    assert columns(put("text\nhello, world\nno\nwell, well, well\n")) == {
        "text": ["hello, world", "no", "well, well, well"]
    }


def test_header_only_and_blank_lines(put):
    data = read_table(put("a,b\n"))
    assert len(data) == 0
    assert data.names == ["a", "b"]
    assert columns(put("\n\na,b\n1,2\n\n   \n3,4\n\n")) == {"a": [1, 3], "b": [2, 4]}


def test_quoted_newlines_quotes_and_delimiters(put):
    assert columns(put('a,b\n"x\r\ny",1\n"p ""q"" r",2\n"s,t",3\n')) == {
        "a": ["x\r\ny", 'p "q" r', "s,t"],
        "b": [1, 2, 3],
    }


def test_gzip_bzip2_xz(put):
    import bz2
    import lzma

    for pack, name in ((gzip.compress, "t.csv.gz"), (bz2.compress, "t.csv.bz2"), (lzma.compress, "t.csv.xz")):
        assert columns(put(pack(b"a,b\n1,2\n"), name)) == {"a": [1], "b": [2]}


# Errors


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "the file is empty"),
        ("\n\n \n", "the file is empty"),
        ("a,b\n1,2\n3\n", r"line 3: 1 cell, expected 2 \(a, b\)"),
        ("a,b\n1,2\n\n3,4,5\n", "line 4: 3 cells, expected 2"),
        ('a,b\n"x\ny",2\n3\n', "line 4: 1 cell, expected 2"),
        ('a,b\n1,"x\n2,y\n', "line 2, column 2: a quote opens here and is never closed"),
        ('a,b\n1,2\n"x"y,3\n', "line 3, column 1: there is text after the closing quote"),
        (b"a,b\n1,2\n3,\0\n", "line 3: a NUL byte"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a NUL byte"),
    ],
)
def test_what_is_wrong_and_where(put, content, words):
    with pytest.raises(ReadError, match=words):
        read_table(put(content))


def test_files_that_cannot_be_opened(tmp_path, put):
    for path, words in [
        (tmp_path / "no.csv", "no such file"),
        (tmp_path, "this is a directory"),
        (3, "got int"),
    ]:
        with pytest.raises(ReadError, match=words):
            read_table(path)
    with pytest.raises(ReadError, match="cut off"):
        read_table(put(gzip.compress(bytes(range(65, 90)) * 999)[:-9], "t.csv.gz"))
    with pytest.raises(ReadError, match="damaged"):
        read_table(put(gzip.compress(b"a,b\n1,2\n")[:-8] + b"checksum", "t.csv.gz"))


def test_options_and_columns_that_are_not_there(put):
    path = put("colour,size\nred,1\n")
    with pytest.raises(ReadError, match="csv reader has no option 'delimeter'"):
        read_table(path, delimeter=";")
    with pytest.raises(SchemaError, match=r"no column 'color'\. Did you mean colour"):
        read_table(path, target="color")
    with pytest.raises(ReadError, match="delimiter must be one ASCII character"):
        read_table(path, delimiter="::")
    with pytest.raises(ReadError, match="there is no encoding"):
        read_table(path, encoding="klingon")


def test_target_weights_and_columns(put):
    path = put("a,b,w,class\n1,x,0.5,yes\n2,y,2,no\n")
    data = read_table(path, target="class", weights="w")
    assert data.names == ["a", "b"]
    assert data.y.tolist() == ["yes", "no"]
    assert data.weights.tolist() == [0.5, 2.0]
    X, y = read_table(path, target=-1, columns=["b"])
    assert X.column_names == ["b"]
    assert y.tolist() == ["yes", "no"]
    with pytest.raises(ReadError, match="row weights must be numbers"):
        read_table(path, weights="b")
    assert read_table(put("a,k\n1,0\n2,1\n"), target="k").y.dtype == np.int64


# Blocks


def small_chunks(monkeypatch, size):
    monkeypatch.setattr(records, "CHUNK", size)


def whole_and_blocks(path, rows, **options):
    whole = read_table(path, **options).X
    blocks = list(read_blocks(path, rows=rows, **options))
    return whole, blocks


def test_blocks_give_the_rows_and_types_of_the_whole(put, monkeypatch):
    small_chunks(monkeypatch, 50)
    lines = [f"{i},{i / 4},2020-01-{i % 28 + 1:02d},w{i % 3}" for i in range(500)]
    lines[450] = 'x,oops,someday,"a\nb"'  # the types of all columns change late
    path = put("i,q,day,word\n" + "\n".join(lines) + "\n")
    whole, blocks = whole_and_blocks(path, 64)
    assert [b.num_rows for b in blocks] == [64] * 7 + [52]
    assert pa.concat_tables(blocks).equals(whole)
    assert whole["q"][1].as_py() == "0.25"
    assert whole.schema.types == [pa.string()] * 4
    monkeypatch.undo()
    assert read_table(path).X.to_pydict() == whole.to_pydict()


def test_number_turns_to_text_after_many_blocks(put, monkeypatch):
    small_chunks(monkeypatch, 1 << 10)
    path = put("a,b\n" + "007,1\n" * 5000 + "agent,2\n")
    X = read_table(path).X
    assert X.num_rows == 5001
    assert X["a"][0].as_py() == "007"
    assert X["a"][-1].as_py() == "agent"
    assert next(iter(read_blocks(path, rows=10)))["a"].to_pylist() == ["007"] * 10


def test_several_files_and_patterns(tmp_path, put):
    put("a,b\n1,x\n", "p1.csv")
    put("b,a\ny,2.5\nz,\n", "p2.csv")
    blocks = read_blocks(tmp_path / "p*.csv")
    tables = list(blocks)
    assert pa.concat_tables(tables).to_pydict() == {"a": [1.0, 2.5, None], "b": ["x", "y", "z"]}
    assert [t.num_rows for t in blocks] == [1, 2]
    put("a,c\n1,x\n", "p3.csv")
    with pytest.raises(SchemaError, match="differ in their columns: b, c"):
        read_blocks(tmp_path / "p*.csv")
    with pytest.raises(ReadError, match="No file matches"):
        read_blocks(tmp_path / "q*.csv")
    with pytest.raises(ReadError, match="rows must be a whole number"):
        read_blocks(tmp_path / "p1.csv", rows=0)


def test_blocks_of_chosen_columns(put):
    path = put("a,b,c\n1,x,2\n3,y,4\n")
    assert [t.to_pydict() for t in read_blocks(path, columns=["c", "a"])] == [{"c": [2, 4], "a": [1, 3]}]
    with pytest.raises(SchemaError, match="no column 'd'"):
        read_blocks(path, columns=["d"])


CELLS = st.one_of(
    st.sampled_from(
        [
            "",
            "1",
            "2.5",
            "-3",
            "NA",
            "?",
            "x",
            "2020-01-01",
            "2020-01-01 10:00",
            "1,234",
            "it's",
            "0x1",
            "+4",
            " 7",
        ]
    ),
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=5),
)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=30),
    size=st.integers(8, 200),
    rows_a_block=st.integers(1, 12),
)
def test_any_split_into_blocks_gives_the_same_table(tmp_path_factory, rows, size, rows_a_block):
    path = tmp_path_factory.mktemp("split") / "t.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("first", "second", "third"), *rows])
    whole = read_table(path, delimiter=",", quote='"', header=True, decimal=".").X
    assert whole.num_rows == len(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "CHUNK", size)
        again = read_table(path, delimiter=",", quote='"', header=True, decimal=".").X
        blocks = list(
            read_blocks(path, rows=rows_a_block, delimiter=",", quote='"', header=True, decimal=".")
        )
    assert again.to_pydict() == whole.to_pydict()
    assert again.schema == whole.schema
    if blocks:
        assert pa.concat_tables(blocks).equals(again.combine_chunks())


@settings(max_examples=80, deadline=None)
@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=20))
def test_rows_and_text_are_those_of_the_csv_module(tmp_path_factory, rows):
    """An independent parser: Python's csv module, reading back what it wrote."""
    path = tmp_path_factory.mktemp("peer") / "t.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("first", "second"), *rows])
    ours = [list(t) for t in zip(*CsvText(path).columns())]
    expected = [[None if c == "" else c for c in row] for row in rows]
    assert len(ours) == len(rows)
    for got, want in zip(ours, expected):
        for a, b in zip(got, want):
            assert (
                a == b
                or (a is None and b.strip() in csv_reader.kinds.MISSING)
                or (b is not None and a == b.strip(" \t"))  # blanks around a cell, not control characters
            )


class CsvText:
    """The text of the cells before any typing."""

    def __init__(self, path):
        self.reader = CsvReader(path, delimiter=",", quote='"', header=True)

    def columns(self):
        pages = [[page.text(j).to_pylist() for j in range(page.width)] for page in self.reader._pages()]
        return [[v for page in pages for v in page[j]] for j in range(self.reader.width)]


@settings(max_examples=150, deadline=None)
@given(data=st.one_of(st.binary(max_size=80), st.text("ab1,;\"'\n\r\t |\\#é?", max_size=60).map(str.encode)))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "t.csv"
    path.write_bytes(data)
    try:
        X = read_table(path).X
    except ReadError as error:
        assert str(path) in str(error)
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "CHUNK", 7)
        again = read_table(path).X
    assert again.schema == X.schema
    assert repr(again.to_pydict()) == repr(X.to_pydict())  # by repr: NaN is not equal to itself


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(st.text("ab1 .-", min_size=1, max_size=6).filter(str.strip), min_size=1, max_size=20),
    header=st.booleans(),
)
def test_lines_without_marks_are_rows(tmp_path_factory, lines, header):
    """Counted without a parser: one row per line, less the header; cells of the first may be equal."""
    path = tmp_path_factory.mktemp("lines") / "t.csv"
    path.write_text("\n".join(f"{line},1" for line in lines) + "\n")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*columns of one name were given a number", SchemaWarning)
        assert len(read_table(path, header=header, delimiter=",")) == len(lines) - header


def test_long_lines(put):
    path = put("a,b\n" + "x" * 3_000_000 + ',"' + 'y""' * 1_000_000 + '"\n1,2\n')
    X = read_table(path).X
    assert [len(v) for v in X["a"].to_pylist()] == [3_000_000, 1]
    assert len(X["b"][0].as_py()) == 2_000_000


def test_a_quote_left_open_stops_early(put, monkeypatch):
    small_chunks(monkeypatch, 1 << 12)
    monkeypatch.setattr(records, "RECORD_LIMIT", 1 << 16)
    path = put('a,b\n1,"' + "x,y\n" * 100_000)
    with pytest.raises(ReadError, match="line 2: a record begins here that is longer than"):
        read_table(path, delimiter=",", quote='"', header=True)


def test_a_file_that_begins_with_blanks_only_is_refused(put):
    with pytest.raises(ReadError, match="nothing but blanks in the first 256 KB"):
        read_table(put("\n" * 300_000 + "a,b\n1,2\n"))


def test_infinity_is_named_by_the_table_not_lost(put):
    data = read_table(put("a,b\n1,2\ninf,3\n"))
    assert math.isinf(data.X["a"][1].as_py())


def test_work_grows_with_the_bytes_not_their_square(put, monkeypatch):
    """Counted, not timed: bytes handed to the tokenizer over bytes in the file, for irregular files."""
    small_chunks(monkeypatch, 1 << 12)
    handed = []
    inner = records.tokenize
    monkeypatch.setattr(records, "tokenize", lambda data, *a: (handed.append(len(data)), inner(data, *a))[1])
    for n in (5_000, 20_000):
        handed.clear()
        path = put("a,b\n" + '5" x,1\n' * n)
        assert len(read_table(path)) == n
        assert sum(handed) < 4 * path.stat().st_size


def test_table_of_the_blocks_merges_to_the_table_of_the_whole(put):
    path = put("a,b\n" + "".join(f"{i},{'xyz'[i // 4]}\n" for i in range(12)))
    schemas = [Table.of(block).schema for block in read_blocks(path, rows=4)]
    merged = schemas[0].merge(schemas[1]).merge(schemas[2])
    assert merged == read_table(path).schema


def test_stream_of_rows_against_a_count_by_hand(put):
    rng = np.random.default_rng(0)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["n", "text"])
    for i in range(3000):
        writer.writerow([i, rng.choice(["a\nb", 'q"q', "plain", "c,d", ""])])
    X = read_table(put(out.getvalue())).X
    assert X["n"].to_pylist() == list(range(3000))


def test_columns_that_stay_text(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text("code,n,day,none\n007,1,2024-01-01,\n2.50,2,2024-01-02,\n")
    table = CsvReader(path, text=["code", "day", "none", "not there"]).read()
    assert table["code"].to_pylist() == ["007", "2.50"] and table["n"].to_pylist() == [1, 2]
    assert table["day"].to_pylist() == ["2024-01-01", "2024-01-02"]
    assert table["none"].to_pylist() == [None, None]
    assert next(iter(CsvReader(path, text="code").blocks()))["code"].to_pylist() == ["007", "2.50"]
    assert CsvReader(path).read()["code"].to_pylist() == [7.0, 2.5]
