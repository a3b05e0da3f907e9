"""JSON lines and arrays of objects."""

import contextlib
import datetime as dt
import io
import json
import random

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ReadError, SchemaError
from assay.tables import Table, read_blocks, read_table
from assay.tables.readers import json_lines, source
from assay.tables.readers.read import format_of


def read(text, **options):
    return read_table(io.StringIO(text), format="jsonl", **options).X


def lines(records):
    return "\n".join(map(json.dumps, records))


RECORDS = [
    {"n": 1, "x": 0.5, "t": "a", "b": True},
    {"n": 2, "x": None, "t": "b"},
    {"n": 3, "x": 2, "t": "a", "b": False},
]


@pytest.mark.parametrize("write", [lines, json.dumps, lambda r: json.dumps(r, indent=2)])
def test_types_of_columns(write):
    table = read(write(RECORDS))
    assert table.schema.types == [pa.int64(), pa.float64(), pa.string(), pa.bool_()]
    assert table.to_pylist() == [{"b": None, **r} for r in RECORDS]


@pytest.mark.parametrize(
    ("values", "type_", "expected"),
    [
        ([1, 2.5], pa.float64(), [1.0, 2.5]),
        ([1, "a"], pa.string(), ["1", "a"]),
        ([2.0, 2.5, "a"], pa.string(), ["2", "2.5", "a"]),
        ([True, "a"], pa.string(), ["true", "a"]),
        ([True, 1], pa.string(), ["true", "1"]),
        (["007", "1"], pa.string(), ["007", "1"]),
        (["2026-01-31", None], pa.date32(), [dt.date(2026, 1, 31), None]),
        (
            ["2026-01-31", "2026-01-31 10:00"],
            pa.timestamp("us"),
            [dt.datetime(2026, 1, 31), dt.datetime(2026, 1, 31, 10)],
        ),
        (["2026-01-31", "soon"], pa.string(), ["2026-01-31", "soon"]),
        ([None, None], pa.float64(), [None, None]),
        ([10**20, 1], pa.float64(), [1e20, 1.0]),
        (["", "NA"], pa.string(), ["", "NA"]),
    ],
)
@pytest.mark.parametrize("block", [1, 100])
def test_a_column_is_the_same_in_one_block_or_many(values, type_, expected, block, monkeypatch):
    monkeypatch.setattr(json_lines, "BLOCK_ROWS", block)
    text = lines({"v": v} for v in values)
    column = read(text)["v"]
    assert column.type == type_ and column.to_pylist() == expected
    blocks = list(read_blocks(io.StringIO(text), format="jsonl", rows=1))
    assert [b["v"].type for b in blocks] == [type_] * len(values)
    assert [b["v"][0].as_py() for b in blocks] == expected


def test_nan_is_missing():
    assert read('{"a": NaN}\n{"a": 1.5}')["a"].to_pylist() == [None, 1.5]


def test_keys_that_come_late():
    assert read(lines([{"a": 1}, {"b": 2}])).to_pydict() == {"a": [1, None], "b": [None, 2]}


def test_marks_of_missing_values():
    table = read(lines([{"a": 1}, {"a": "unknown"}]), na="unknown")
    assert table["a"].to_pylist() == [1, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"a": 2,}\n', r"line 2, column 9: not JSON"),
        ('{"a": 1}\n\n[1]\n', r"line 3: expected an object such as .*, got '\[1\]'\."),
        ('{"a": 1}\n{"a": 1, "a": 2}', "line 2: the key 'a' comes twice in one object."),
        ('[{"a": 1},\n {"a": }]', "line 2, column 8: not JSON: expecting value."),
        ('[{"a": 1}\n {"a": 2}]', "line 2: expected a comma or ]"),
        ('[{"a": 1}, 3]', "expected an object"),
        ('[{"a": 1},\n', "line 2: the array is not closed"),
        ('[{"a": 1}] 5', "line 1: text after the end"),
        (" \n ", "the file is empty"),
        ('{"a": 1}\n{"a": [1]}', r"line 2, column 'a': a list in a cell: '\[1\]'. Leave the column out"),
        ('{"a": {"b": 1}}', "line 1, column 'a': an object in a cell"),
        ('{"a": ' + "[" * 99_999 + "]" * 99_999 + "}", "line 1: objects or lists are nested too deeply"),
        ("[" + '{"a":' * 99_999, "line 1: objects or lists are nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "line 1: exceeds the limit"),
    ],
)
def test_errors_say_where(text, message):
    with pytest.raises(ReadError, match=message):
        read(text)


def test_a_nested_column_can_be_left_out():
    assert read('{"a": 1}\n{"a": 2, "b": [1]}', drop="b").to_pydict() == {"a": [1, 2]}
    assert read('{"a": 1}\n{"a": 2, "b": [1]}', columns=["a"]).to_pydict() == {"a": [1, 2]}


def test_no_such_column():
    with pytest.raises(SchemaError, match=r"no column 'c'.*Columns: a"):
        read('{"a": 1}', columns=["c"])


def test_objects_with_ever_new_keys_are_no_table(monkeypatch):
    monkeypatch.setattr(json_lines, "MOST_ABSENT", 10_000)
    with pytest.raises(ReadError, match=r"objects have .* different keys"):
        read(lines({f"k{i}": 1} for i in range(500)))


def test_a_number_too_large_for_a_float_is_text():
    assert read('{"a": 1}\n{"a": ' + "9" * 400 + "}")["a"].to_pylist() == ["1", "9" * 400]


@pytest.mark.parametrize("mark", ["lines", "array"])
def test_objects_across_chunks(mark, monkeypatch):
    monkeypatch.setattr(source, "CHUNK", 7)
    monkeypatch.setattr(source.Source.chunks, "__defaults__", (7,))
    records = [{"a": i, "text": "é" * (i % 13)} for i in range(50)]
    text = lines(records) if mark == "lines" else json.dumps(records, ensure_ascii=False, indent=1)
    assert read(text).to_pylist() == records


def test_a_line_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(json_lines, "RECORD_LIMIT", 1000)
    monkeypatch.setattr(source.Source.chunks, "__defaults__", (100,))
    with pytest.raises(ReadError, match="line 2: this line is longer"):
        read('{"a": 1}\n{"a": "' + "x" * 5000 + '"}')
    with pytest.raises(ReadError, match="line 2: an object begins here that is longer"):
        read('[{"a": 1},\n{"a": "' + "x" * 5000 + '"}]')


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries({}, optional={"a": VALUES, "b": VALUES, "c": VALUES}), min_size=1, max_size=9
    )
)
def test_lines_and_arrays_say_the_same(records):
    assert read(lines(records)).equals(read(json.dumps(records)))


def in_small_blocks(monkeypatch, first=1, size=20):
    monkeypatch.setattr(json_lines, "FIRST_BLOCK", first)
    monkeypatch.setattr(json_lines, "BLOCK_BYTES", size)


def record_by_record(monkeypatch):
    monkeypatch.setattr(json_lines, "plain_columns", lambda *_: None)
    monkeypatch.setattr(json_lines, "_flat_records", lambda _: None)


def table_or_error(text, **options):
    try:
        return read(text, **options)
    except ReadError as error:
        return str(error)


ODD_LINES = [
    '{"a": 1}',
    '{"a": 2.5}',
    '{"a": -0}',
    '{"a": 9007199254740993}',
    '{"a": 9223372036854775808}',
    '{"a": ' + "9" * 400 + "}",
    '{"a": 1e400}',
    '{"a": NaN}',
    '{"a": -NaN}',
    '{"a": Infinity}',
    '{"a": Inf}',
    '{"a": "x"}',
    '{"a": " unknown "}',
    '{"a": "2026-01-31"}',
    '{"a": "2026-01-31 10:00"}',
    '{"a": "x\\": y"}',
    '{"a" : 1}',
    '{"a": 1, "a": 2}',
    '{"b": {"c": 1, "c": 2}}',
    '{"b": 1} {"b": 2}',
    '{"b": 1}, {"b": 2}',
    '{"a": [{}',
    "{}]}",
    '{"a":',
    "2}",
    '{"a": 01}',
    '{"a": "\\ud83d\\ude00"}',
    '{"a": "a\ttab"}',
    '{"a": true}',
    '{"a": null}',
    "{}",
    "",
    " ",
    '{"a": 3} ',
    ' {"a": 4}\r',
    '{"b": "[{"}',
    '{"b": [1]}',
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(ODD_LINES), min_size=1, max_size=6), st.sampled_from([(), ("unknown",)]))
def test_a_block_at_once_says_the_same_as_record_by_record(chosen, na):
    text = "\n".join(['{"a": 1, "b": "y"}', *chosen])
    with pytest.MonkeyPatch.context() as patch:
        in_small_blocks(patch)
        at_once = table_or_error(text, na=na)
        record_by_record(patch)
        singly = table_or_error(text, na=na)
    assert type(at_once) is type(singly)
    assert at_once == singly if isinstance(singly, str) else at_once.equals(singly)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries({}, optional={"a": VALUES, "b": VALUES, "c": VALUES}), min_size=2, max_size=9
    ),
    st.integers(0, 200),
)
def test_blocks_of_any_size_say_the_same(records, size):
    with pytest.MonkeyPatch.context() as patch:
        record_by_record(patch)
        singly = read(lines(records))
    with pytest.MonkeyPatch.context() as patch:
        in_small_blocks(patch, size, size)
        assert read(lines(records)).equals(singly)


def test_after_the_first_lines_plain_ones_are_not_made_into_records(monkeypatch):
    in_small_blocks(monkeypatch, 200, 1000)
    sizes = []
    flat = json_lines._flat_records
    monkeypatch.setattr(json_lines, "_flat_records", lambda block: sizes.append(len(block)) or flat(block))
    records = [
        {"n": i, "x": i / 7, "t": f"row {i}", "d": "2026-01-31", "b": None if i % 2 else True}
        for i in range(99)
    ]
    table = read(lines(records))
    assert len(sizes) == 1 and sizes[0] <= 200
    assert table.schema.types == [pa.int64(), pa.float64(), pa.string(), pa.date32(), pa.bool_()]
    assert table["t"].to_pylist() == [r["t"] for r in records]
    assert table["x"].to_pylist() == [r["x"] for r in records]


def test_integers_beyond_two_to_the_53_keep_their_digits_beside_floats_and_text(monkeypatch):
    in_small_blocks(monkeypatch)
    values = [1, 0.5, 2**53 + 1, "x", 2**53 + 1]
    assert read(lines({"v": v} for v in values))["v"].to_pylist() == [
        "1",
        "0.5",
        str(2**53 + 1),
        "x",
        str(2**53 + 1),
    ]


def test_deep_nesting_after_plain_lines_is_refused(monkeypatch):
    in_small_blocks(monkeypatch)
    with pytest.raises(ReadError, match="line 3: objects or lists are nested too deeply"):
        read('{"a": 1}\n{"a": 2}\n{"a": ' + "[" * 99_999 + "]" * 99_999 + "}")


def test_errors_after_blocks_at_once_say_where(monkeypatch):
    in_small_blocks(monkeypatch, 10, 100)
    plain = lines({"a": i} for i in range(50))
    for wrong, message in [
        ('{"a": 1,}', "line 51, column 9: not JSON"),
        ('{"a": 1, "a": 2}', "line 51: the key 'a' comes twice"),
        ('{"a": [1]}', "line 51, column 'a': a list in a cell"),
        ('{"a": 1} {"a": 2}', "line 51, column 10: not JSON: extra data"),
    ]:
        with pytest.raises(ReadError, match=message):
            read(f"{plain}\n{wrong}\n{plain}")


def test_ever_new_keys_after_plain_lines_are_no_table(monkeypatch):
    in_small_blocks(monkeypatch, 10, 1000)
    monkeypatch.setattr(json_lines, "MOST_ABSENT", 10_000)
    with pytest.raises(ReadError, match=r"objects have .* different keys"):
        read(lines([{"a": 1}] * 100 + [{f"k{i}": 1} for i in range(500)]))


@pytest.mark.parametrize("seed", range(8))
def test_damaged_text_is_read_or_refused(seed):
    """Any change of a byte gives a table or a ReadError, never anything else."""
    draw = random.Random(seed)
    for whole in (lines(RECORDS), json.dumps(RECORDS, indent=1)):
        for _ in range(40):
            data = bytearray(whole.encode())
            for _ in range(draw.randint(1, 3)):
                data[draw.randrange(len(data))] = draw.randrange(256)
            with contextlib.suppress(ReadError):
                read_table(io.BytesIO(bytes(data)), format="jsonl")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("t.json", "[]", "jsonl"),
        ("t.ndjson", "{}", "jsonl"),
        ("t", '  {"a": 1}', "jsonl"),
        ("t", '[\n {"a": 1}]', "jsonl"),
        ("t.csv", '{"a": 1}', "csv"),
        ("t", "{a},b\n1,2", "csv"),
    ],
)
def test_format_of_json(tmp_path, name, text, expected):
    (tmp_path / name).write_text(text)
    assert format_of(tmp_path / name) == expected


def test_lines_of_rows():
    reader = json_lines.JsonReader(io.StringIO('{"a": 1}\n\n{"a": 2}\n{"a": 3}'))
    assert reader.lines_of([2, 0, 1]) == [4, 1, 3]


def test_learners_take_it():
    assert Table.of(read(lines(RECORDS))).schema.names == ["n", "x", "t", "b"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (r'{"a": 1}' + "\n" + r'{"a\ud800": 1}', r"line 2, column 'a\\\\ud800': \\ud800 is half"),
        (r'{"a": "x"}' + "\n\n" + r'{"a": "x\udfff"}', r"line 3, column 'a': \\udfff is half"),
        (r'[{"b": 1, "a": "\ud800"}]', r"line 1, column 'a': \\ud800 is half"),
    ],
)
def test_half_of_a_surrogate_pair_is_refused_where_it_stands(tmp_path, text, where):
    path = tmp_path / "half.jsonl"
    path.write_text(text)
    with pytest.raises(ReadError, match=where):
        read_table(path)
