"""Cutting a file between records."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.tables.readers import records
from assay.tables.readers.dialect import Dialect
from assay.tables.readers.records import Records, line_ends
from assay.tables.readers.source import Source

LINES = st.text("a\n\r", max_size=30).map(str.encode)


@settings(max_examples=200, deadline=None)
@given(data=LINES, count=st.integers(0, 12))
def test_lines_are_skipped_as_python_splits_them(data, count):
    lines = data.splitlines(keepends=True)
    start, done = Records._below(data, 0, count, final=True)
    assert start == len(b"".join(lines[:count]))
    assert done == count if start == len(data) else done == min(count, len(lines))
    assert line_ends(data) == sum(line.endswith((b"\n", b"\r")) for line in lines)


@settings(max_examples=200, deadline=None)
@given(data=LINES, count=st.integers(0, 12), cut=st.integers(0, 30))
def test_lines_are_skipped_alike_in_two_parts(data, count, cut):
    start, done = Records._below(data[:cut], 0, count, final=False)
    rest, _ = Records._below(data[start:], 0, count - done, final=True)
    assert start + rest == Records._below(data, 0, count, final=True)[0]


@settings(max_examples=100, deadline=None)
@given(
    body=st.text('ab,"\n\r#', max_size=40).map(str.encode),
    skip=st.integers(0, 3),
    size=st.integers(1, 20),
    header=st.booleans(),
)
def test_pieces_are_the_file_in_order(tmp_path_factory, body, skip, size, header):
    """Joined, the pieces are the bytes below skipped lines and header; their lines follow on."""
    path = tmp_path_factory.mktemp("pieces") / "t"
    path.write_bytes(body)
    reader = Records(Source(path), Dialect(quote=b"", skip=skip))
    with_patch = []
    for chunk in (size, 1 << 20):
        old, records.CHUNK = records.CHUNK, chunk
        try:
            with_patch.append(list(reader.pieces(header)))
        finally:
            records.CHUNK = old
    small, large = with_patch
    assert b"".join(p.data for p in small) == b"".join(p.data for p in large)
    assert sum(p.rows for p in small) == sum(p.rows for p in large)
    lines = body.splitlines(keepends=True)[skip:]
    if header:
        named = next((k for k, text in enumerate(lines) if text.strip() or b"," in text), len(lines) - 1)
        lines = lines[named + 1 :]
    assert b"".join(p.data for p in large) == b"".join(lines)
    for before, after in pairwise(small):
        assert after.line == before.line + line_ends(before.data)
