"""Records of delimited text: the quick look and the careful tokenizer say the same."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.tables.readers.delimited import Malformed, arrow_text, canonical, survey, tokenize

TEXT = st.text('ab,"\n\r ', max_size=40).map(str.encode)


@settings(max_examples=400, deadline=None)
@given(data=TEXT, final=st.booleans())
def test_a_regular_buffer_has_the_records_of_the_tokenizer(data, final):
    quick = survey(data, b",", b'"', final, empty_rows=True)
    if not quick.regular:
        return
    records = list(tokenize(data, b",", b'"', final=final))
    assert len(records) == quick.rows
    assert (records[-1].end if records else 0) == quick.end
    shown = survey(data, b",", b'"', final)
    assert shown.rows == sum(record.cells != [b""] or record.quoted != [False] for record in records)


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(st.lists(st.text('ab,"\n\r;é', max_size=4), min_size=2, max_size=2), min_size=1, max_size=6)
)
def test_what_the_csv_module_writes_is_regular_and_reads_back(rows):
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    data = out.getvalue().encode()
    quick = survey(data, b",", b'"', final=True)
    assert (quick.regular, quick.end, quick.rows) == (True, len(data), len(rows))
    assert [[cell.decode() for cell in record.cells] for record in tokenize(data, b",")] == rows
    table = arrow_text(data, ["p", "q"], b",", b'"', [])
    assert [list(row) for row in zip(*table.to_pydict().values())] == rows


@settings(max_examples=200, deadline=None)
@given(data=TEXT)
def test_tidied_records_are_regular_and_keep_their_cells(data):
    try:
        records = list(tokenize(data, b",", b'"'))
    except Malformed:
        return
    tidy = b"".join(canonical(record.cells, record.quoted, b",", b'"') for record in records)
    assert survey(tidy, b",", b'"', final=True).regular
    assert [record.cells for record in tokenize(tidy, b",")] == [record.cells for record in records]


@settings(max_examples=200, deadline=None)
@given(data=TEXT, cut=st.integers(0, 40))
def test_records_do_not_depend_on_where_a_buffer_ends(data, cut):
    """What is complete before the cut, plus what the rest gives, is what the whole gives."""
    try:
        whole = [record.cells for record in tokenize(data, b",")]
    except Malformed:
        return
    head = list(tokenize(data[:cut], b",", final=False))
    end = head[-1].end if head else 0
    assert [r.cells for r in head] + [r.cells for r in tokenize(data[end:], b",")] == whole


@pytest.mark.parametrize(
    ("data", "line", "cell", "what"),
    [
        (b'a,"b', 0, 2, "never closed"),
        (b'a\nb,c\n"x"y', 2, 1, "text after"),
        (b'"x\ny","z" w', 1, 2, "text after"),
        (b'"x\r\n\r\ny\n",q,"z', 3, 3, "never closed"),
    ],
)
def test_where_a_record_is_malformed(data, line, cell, what):
    with pytest.raises(Malformed, match=what) as caught:
        list(tokenize(data, b","))
    assert (caught.value.line, caught.value.cell) == (line, cell)


def test_lines_are_counted_through_quotes_and_all_line_ends():
    lines = [record.line for record in tokenize(b'a\r\n"b\nb"\rc\n\nd', b",")]
    assert lines == [0, 1, 3, 4, 5]


def test_escapes_and_spaces_before_quotes():
    assert next(tokenize(rb'"a\"b\\", "c" ,d', b",", escape=b"\\")).cells == [b'a"b\\', b"c", b"d"]
    assert next(tokenize(b'"a"\t" b"', b"\t")).cells == [b"a", b" b"]


def test_work_is_linear_in_the_bytes():
    """Counted: the bytes that all searches walk over, for texts that tempt a reader to look twice."""

    class Watched(bytes):
        looked = 0

        def find(self, what, *span):
            at = super().find(what, *span)
            start = span[0] if span else 0
            stop = at if at >= 0 else (span[1] if len(span) > 1 else len(self))
            Watched.looked += stop - start + 1
            return at

    cells = [b'"' + inner + b'"\n' for inner in (rb"\a" * 5000, b'""' * 5000, rb"\"" * 5000)]
    for text in [
        *cells,
        b'5" x,1\n' * 5000,
        b'"x","y"\n' * 5000,
        b'"x","y"\r' * 5000,
        b'"x"' + b',"x"' * 9000,
    ]:
        data = Watched(text)
        Watched.looked = 0
        assert len(list(tokenize(data, b",", escape=b"\\"))) > 0
        assert Watched.looked < 8 * len(data)
