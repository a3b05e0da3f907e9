"""ARFF: all of the format, its errors with line and column, and no row lost."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.errors import ReadError
from assay.tables.readers import arff as arff_reader
from assay.tables.readers import read_blocks, read_table
from assay.tables.readers.arff import ArffReader
from assay.tables.readers.dates import DatePattern

HEADER = """% a comment
@RELATION 'two words'

@attribute size NUMERIC   % a comment after it
@Attribute "the colour" {red, 'dark green', "it's"}
@attribute class {yes,no}
@DATA
"""

DATES = "@relation r\n@attribute d date {}\n@attribute e real\n@data\n{},1\n"


@pytest.fixture
def put(tmp_path):
    def write(content, name="t.arff"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def rows(path, **options):
    table = read_table(path, **options).X
    return [tuple(row) for row in zip(*table.to_pydict().values())]


def test_header_and_rows(put):
    data = read_table(put(HEADER + "1.5,red,yes\n?,'dark green',no\n2,\"it's\",?\n"))
    assert data.relation == "two words"
    assert data.names == ["size", "the colour", "class"]
    assert data.default_target == "class"
    assert data.X.to_pydict() == {
        "size": [1.5, None, 2.0],
        "the colour": ["red", "dark green", "it's"],
        "class": ["yes", "no", None],
    }
    colour = data.schema["the colour"]
    assert (colour.kind, colour.categories) == ("nominal", ("red", "dark green", "it's"))
    assert data.table.values[:, 2].tolist()[:2] == [0.0, 1.0]  # codes in the order of the header
    assert read_table(put(HEADER + "1,red,yes\n"), target="auto").y.tolist() == ["yes"]


def test_categories_that_do_not_occur_are_kept(put):
    assert read_table(put(HEADER + "1,red,yes\n")).schema["class"].categories == ("yes", "no")


@pytest.mark.parametrize(
    "row",
    [
        "1.5,red,yes", "1.5, red, yes", " 1.5 , red , yes ", "1.5\tred\tyes", "1.5 red yes", "1.5,'red',\"yes\"",
        "'1.5' 'red' 'yes'", "1.5,red,yes % and a comment", "1.5 ,\t'red' ,yes", "1.5,red,yes\r",
    ],
)  # fmt: skip
def test_ways_to_write_a_row(put, row):
    assert rows(put(HEADER + row + "\n")) == [(1.5, "red", "yes")]


def test_blank_lines_and_comments_are_no_rows(put):
    assert len(rows(put(HEADER + "\n% no row\n1,red,yes\n\n   \n  % nor this\n2,red,no\n"))) == 2


def test_quotes_escapes_and_unicode(put):
    header = "@relation r\n@attribute a string\n@attribute b numeric\n@data\n"
    cells = [
        r"'it\'s'",
        r'"say \"x\""',
        r"'50\% of'",
        r"'tab\tnew\nline\\'",
        r"'\u00e9t\u00e9'",
        "'a, b'",
        "'?'",
        "''",
        "''''",
        "été",
    ]
    expected = ["it's", 'say "x"', "50% of", "tab\tnew\nline\\", "été", "a, b", "?", "", "'", "été"]
    path = put(header + "".join(f"{c},1\n" for c in cells))
    assert read_table(path).X["a"].to_pylist() == expected


def test_percent_and_braces_inside_a_bare_value(put):
    header = "@relation r\n@attribute a {50%, 100%}\n@attribute b numeric\n@data\n"
    assert rows(put(header + "50%,1\n100%,2 % done\n")) == [("50%", 1.0), ("100%", 2.0)]


def test_empty_values_are_missing(put):
    assert rows(put(HEADER + ",red,\n1,,yes\n")) == [(None, "red", None), (1.0, None, "yes")]


def test_dates(put):
    header = (
        "@relation r\n@attribute at date\n@attribute day DATE 'dd.MM.yyyy'\n"
        '@attribute t date "EEE, d MMM yyyy hh:mm a"\n@data\n'
    )
    path = put(header + '1970-01-02T12:00:00,24.12.2026,"Thu, 24 Dec 2026 06:30 PM"\n?,?,?\n')
    X = read_table(path).X
    assert X["at"].to_pylist() == [dt.datetime(1970, 1, 2, 12), None]
    assert X["day"].to_pylist() == [dt.date(2026, 12, 24), None]
    assert X["t"].to_pylist() == [dt.datetime(2026, 12, 24, 18, 30), None]
    table = read_table(path).table
    assert all(c.date for c in table.schema)
    assert table.values[0, 0] == 1.5


@pytest.mark.parametrize(
    ("pattern", "text", "moment"),
    [
        ("yyyyMMddHHmmss", "20261224183005", dt.datetime(2026, 12, 24, 18, 30, 5)),
        ("yyyy-MM-dd HH:mm:ss.SSS", "2026-12-24 18:30:05.250", dt.datetime(2026, 12, 24, 18, 30, 5, 250000)),
        ("yyyy-MM-dd'T'HH:mm:ssZ", "2026-12-24T18:30:05+0200", dt.datetime(2026, 12, 24, 16, 30, 5)),
        ("yyyy-MM-dd'T'HH:mmX", "2026-12-24T18:30Z", dt.datetime(2026, 12, 24, 18, 30)),
        ("d MMMM yy", "24 December 26", dt.datetime(2026, 12, 24)),
        ("h 'o''clock' a", "12 o'clock AM", dt.datetime(1970, 1, 1, 0)),
        ("kk:mm", "24:15", dt.datetime(1970, 1, 1, 0, 15)),
    ],
)
def test_date_patterns(pattern, text, moment):
    assert DatePattern(pattern).parse(text) == moment
    assert DatePattern(pattern).parse(DatePattern(pattern).write(moment)) == moment


def test_sparse_rows(put):
    header = (
        "@relation r\n@attribute a numeric\n@attribute b {x,y,z}\n@attribute s string\n"
        "@attribute d date yyyy\n@attribute e numeric\n@data\n"
    )
    path = put(header + "{0 2.5, 1 y}\n{}\n{ 2 'some, text', 4 ? }\n{1 ?,3 1971}\n1,z,t,1972,3\n")
    epoch = dt.date(1970, 1, 1)
    assert rows(path) == [
        (2.5, "y", None, epoch, 0.0),
        (0.0, "x", None, epoch, 0.0),
        (0.0, "x", "some, text", epoch, None),
        (0.0, None, None, dt.date(1971, 1, 1), 0.0),
        (1.0, "z", "t", dt.date(1972, 1, 1), 3.0),
    ]


def test_wide_sparse_rows_cost_what_they_hold(put, monkeypatch):
    header = (
        "@relation r\n"
        + "".join(f"@attribute w{j} numeric\n" for j in range(3000))
        + "@attribute c {n,y}\n@data\n"
    )
    path = put(header + "".join(f"{{{i} {i + 0.5}, {3000} y}}\n{{}}\n" for i in range(500)))
    table = read_table(path).table
    assert table.shape == (1000, 3001)
    assert_array_equal(np.flatnonzero(table.values[:, :3000]), [2 * i * 3000 + i for i in range(500)])
    assert_array_equal(table.values[:, 3000], [1, 0] * 500)
    with pytest.raises(ReadError, match="line 3009, column 'w2': 'x' is not a number"):
        read_table(put(header + "{}\n" * 5 + "{2 x}\n"))
    monkeypatch.setattr(arff_reader, "MOST_CELLS", 1000)
    with pytest.raises(ReadError, match="too many cells"):
        read_table(path)


def test_weights(put):
    data = read_table(put(HEADER + "1,red,yes,{2.5}\n2,red,no\n3,red,no, {0}\n{0 4}, {7}\n{0 5} {8}\n"))
    assert data.weights.tolist() == [2.5, 1.0, 0.0, 7.0, 8.0]
    assert data.X["size"].to_pylist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert read_table(put(HEADER + "1,red,yes\n")).weights is None


BAGS = """@relation bags
@attribute id {m1,m2,m3}
@attribute bag relational
  @attribute f numeric
  @attribute g {p,q}
@end bag
@attribute class {0,1}
@data
m1,"1.5,p\\n2.5,q",1
m2,'3.5,?',0
m3,?,1
"""


def test_relational_attributes_nested_and_flat(put):
    nested = read_table(put(BAGS)).X
    assert nested["bag"].to_pylist() == [
        [{"f": 1.5, "g": "p"}, {"f": 2.5, "g": "q"}],
        [{"f": 3.5, "g": None}],
        None,
    ]
    flat = read_table(put(BAGS), relational="flat")
    assert flat.X.to_pydict() == {
        "id": ["m1", "m1", "m2", "m3"],
        "f": [1.5, 2.5, 3.5, None],
        "g": ["p", "q", None, None],
        "class": ["1", "1", "0", "1"],
    }
    assert flat.schema["g"].categories == ("p", "q")
    weighted = read_table(put(BAGS.replace('q",1', 'q",1,{3}')), relational="flat")
    assert weighted.weights.tolist() == [3.0, 3.0, 1.0, 1.0]


def test_dates_inside_relational_values(put):
    content = BAGS.replace("@attribute f numeric", "@attribute f date yyyy-MM-dd").replace(
        "1.5", "2020-01-01"
    )
    content = content.replace("2.5", "2020-01-02").replace("3.5", "?")
    first = read_table(put(content)).X["bag"][0].as_py()
    assert [row["f"] for row in first] == [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]
    flat = read_table(put(content), relational="flat").X["f"].to_pylist()
    assert flat == [dt.date(2020, 1, 1), dt.date(2020, 1, 2), None, None]
    with pytest.raises(ReadError, match="column 'f': the date format 'QQ'"):
        read_table(put(content.replace("yyyy-MM-dd", "QQ")))


def test_relational_attributes_cannot_nest_without_end(put):
    inner = "".join(f"@attribute b{i} relational\n" for i in range(2000))
    with pytest.raises(
        ReadError, match="line 22, column 1: relational attributes inside each other more than 20 deep"
    ):
        read_table(put("@relation r\n" + inner + "@data\n?\n"))


def test_relational_columns_are_refused_as_a_table_by_name(put):
    with pytest.raises(Exception, match="'bag'"):
        _ = read_table(put(BAGS)).table


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "the file is empty"),
        ("@relation r\n@attribute a numeric\n", "line 2: the file ends before @data"),
        ("@relation r\n@data\n1\n", "line 2, column 1: @data comes before any @attribute"),
        ("a,b\n1,2\n", "line 1, column 1: expected @relation, @attribute or @data"),
        ("@relation r\n@attribute a nummeric\n@data\n", r"line 2, column 14: attribute 'a' has no known type"),
        ("@relation r\n@attribute a {x,y\n@data\n", "line 2, column 18: the list of categories has no closing brace"),
        ("@relation r\n@attribute a {x,x}\n@data\n", "line 2, column 17: category 'x' is there twice"),
        ("@relation r\n@attribute a real\n@attribute a real\n@data\n", "line 3, column 11: attribute 'a' is"),
        ("@relation r\n@attribute 'a real\n@data\n", "line 2, column 12: a quote opens here"),
        ("@relation r\n@attribute\n@data\n", "line 2, column 11: the attribute has no name"),
        ("@relation r\n@attribute b relational\n@attribute a real\n@data\n", "line 4.*has no @end"),
        (HEADER + "1,red\n", "line 8, column 1: 2 values, expected 3"),
        (HEADER + "1,red,yes\n\n1,red,yes,no\n", "line 10, column 1: 4 values, expected 3"),
        (HEADER + "1,red,yes\nx,red,yes\n", "line 9, column 'size': 'x' is not a number"),
        (HEADER + "1,red,yes\n% c\n1,blue,yes\n", "line 10, column 'the colour': 'blue' is not one of the categories"),
        (HEADER + "1,'red,yes\n", "line 8, column 3: a quote opens here"),
        (HEADER + "1,'red'x,yes\n", "line 8, column 8: there is text after the closing quote"),
        (HEADER + "{0 1, 7 2}\n", "line 8, column 7: column number 7, expected less than 3"),
        (HEADER + "{0 1, 0 2}\n", "line 8, column 7: column number 0 comes twice"),
        (HEADER + "{0 1\n", "line 8.*no closing brace"),
        (HEADER + "{0}\n", "line 8, column 2: expected a column number and a value"),
        (HEADER + "1,red,yes,{-1}\n", "line 8, column 11: expected the weight"),
        (HEADER + "1,red,yes,{1} x\n", "line 8, column 15: expected the end of the row"),
        (DATES.format("yyyy-MM-dd", "2020-13-01"), "line 5, column 'd': '2020-13-01' is not a date"),
        (DATES.format("'QQ'", "2020"), "column 'd': the date format 'QQ' has the letter 'Q'"),
        (b"@relation r\n@attribute a real\n@data\n1\n\0\n", "line 5: a NUL byte"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(put, content, words):
    with pytest.raises(ReadError, match=words):
        read_table(put(content))


def test_long_values_are_cut_in_messages(put):
    for row in ("x" * 5000 + ",red,yes\n", "1," + "x" * 5000 + ",yes\n"):
        with pytest.raises(ReadError, match=r"'x{60}\.\.\.' is not") as caught:
            read_table(put(HEADER + row))
        assert len(str(caught.value)) < 500


def test_attribute_weights_are_accepted(put):
    header = "@relation r\n@attribute a numeric {0.5}\n@attribute b {x,y} {2}\n@data\n"
    assert rows(put(header + "1,x\n")) == [(1.0, "x")]


def test_encodings(put):
    for encoding in ("utf-8", "latin-1", "utf-16"):
        content = "@relation r\n@attribute größe {klein,groß}\n@attribute n real\n@data\ngroß,1\n"
        assert read_table(put(content.encode(encoding))).X.to_pydict() == {"größe": ["groß"], "n": [1.0]}


def test_blocks_are_the_whole(put, monkeypatch):
    monkeypatch.setattr(arff_reader, "CHUNK", 100)
    body = "".join(
        f"{i},{['red', 'dark green'][i % 2]!r},yes\r\n" if i % 7 else f"{{0 {i}}}\r\n" for i in range(200)
    )
    path = put(HEADER + body)
    blocks = list(read_blocks(path, rows=64, columns=["class", "size"]))
    assert [b.num_rows for b in blocks] == [64, 64, 64, 8]
    joined = pa.concat_tables(blocks)
    assert joined["size"].to_pylist() == [float(i) for i in range(200)]
    monkeypatch.undo()
    assert joined.to_pydict() == read_table(path).X.select(["class", "size"]).to_pydict()


def test_quick_and_careful_paths_agree(put, monkeypatch):
    rng = np.random.default_rng(1)
    header = "@relation r\n@attribute a real\n@attribute b {x,'y z',w}\n@attribute c string\n@data\n"
    lines = [
        ",".join(
            rng.choice(values)
            for values in (["1", "-2.5e3", "?", " 4 "], ["x", "'y z'", "w", "?"], ["t", "?", "u v"])
        )
        for _ in range(500)
    ]
    path = put(header + "\n".join(lines) + "\n")
    quick = read_table(path).X
    monkeypatch.setattr(ArffReader, "_quick", lambda self, data: None)
    assert read_table(path).X.equals(quick)


def test_plain_rows_do_not_take_the_careful_path(put, monkeypatch):
    def never(*a):
        raise AssertionError("a plain row was parsed on its own")

    monkeypatch.setattr(arff_reader, "parse_row", never)
    path = put(HEADER + "% data\n" + "1.5,red,yes\n2, red, no\n3,'dark green',?\n" * 100)
    assert len(read_table(path)) == 300


def test_a_header_that_stops_other_parsers(put):
    """Many categories and no closing brace: one pass, then the error (backtracking parsers take 2^n steps)."""
    with pytest.raises(ReadError, match="no closing brace"):
        read_table(
            put(
                "@relation r\n@attribute a { "
                + "a,b,c," * 0
                + ",".join(f"v{i}" for i in range(200_000))
                + "\n@data\n"
            )
        )


def test_the_largest_dates_and_hostile_formats(put):
    header = "@relation r\n@attribute d date '{}'\n@attribute e real\n@data\n{},1\n"
    letters = "a" * 5000
    with pytest.raises(ReadError, match="is not a date"):
        read_table(put(header.format("EEEEMMMMEEEE", letters)))
    with pytest.raises(ReadError, match="is not a date"):
        read_table(put(header.format("yyyy-MM-ddZ", "0001-01-01+2359")))


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=6)


@settings(max_examples=150, deadline=None)
@given(
    body=st.one_of(st.binary(max_size=60), st.text("ab1,{}'\"\\% ?\t\n\r.", max_size=50).map(str.encode)),
    head=st.booleans(),
)
def test_any_bytes_are_read_or_refused(tmp_path_factory, body, head):
    path = tmp_path_factory.mktemp("arff") / "t.arff"
    header = b"@relation r\n@attribute a string\n@attribute b {a,b,1}\n@data\n" if head else b""
    path.write_bytes(header + body)
    try:
        table = read_table(path).X
    except ReadError as error:
        assert str(path) in str(error)
        return
    assert head
    lines = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    shown = [
        raw
        for raw in lines
        if raw.decode("utf-8", "replace").strip()
        and not raw.decode("utf-8", "replace").lstrip().startswith("%")
    ]
    assert table.num_rows == len(shown)  # counted without the parser


@settings(max_examples=100, deadline=None)
@given(line=st.text("@abtrieudln {},'\"%\\\t", max_size=40))
def test_any_header_is_read_or_refused(tmp_path_factory, line):
    path = tmp_path_factory.mktemp("head") / "t.arff"
    path.write_text(f"@relation r\n@attribute a real\n@attribute {line}\n{line}\n@data\n", newline="")
    try:
        assert len(read_table(path)) == 0
    except ReadError as error:
        assert "line " in str(error)
