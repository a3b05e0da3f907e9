"""Telling a dialect from a sample."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.tables.readers.dialect import NO_DELIMITER, sniff


def told(text, **fixed):
    return sniff(text.encode(), True, fixed)


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", b","),
        ("a;b\n1,5;2,5\n", b";"),
        ("1,5;2,5\n3,5;4,5\n", b";"),
        ("a\tb c\n1\t2 3\n", b"\t"),
        ("a|b\n1|2\n", b"|"),
        ("when,what;why\n1,x;y\n2,z\n", b","),
        ("text\nhello, you\nthere\n", NO_DELIMITER),
        ("a\n1\n", NO_DELIMITER),
    ],
)
def test_delimiters(text, delimiter):
    assert told(text).delimiter == delimiter


def test_what_is_said_is_not_guessed():
    dialect = told("a;b\n1;2\n", delimiter=b",", header=False, decimal=",", quote=b"'")
    assert (dialect.delimiter, dialect.header, dialect.decimal, dialect.quote) == (b",", False, ",", b"'")


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("a,b\n1,2\n", True),
        ("1,2\n3,4\n", False),
        ("a,2020\n1,2\n", True),
        ("x,2020\ny,2021\n", False),
        ("x,?\ny,1\n", False),
        ("2020-01-01,x\n2020-01-02,y\n", False),
        ("name,town\nann,rome\nbob,oslo\n", True),
        ("yes,red\nno,red\n", False),
        (",a\n0,1\n", True),
        ("x,c\n1.5,a\n2,c\nNA,b\n", True),  # a category called like its column
        ("x,NA\n1,a\n2,b\n", True),
        ("x,c\nNA,c\n,b\n", False),
    ],
)
def test_headers(text, header):
    assert told(text).header is header


def test_habits_of_quoting():
    assert told('"a","b"\n"1","NA"\n').quoted_missing
    assert not told('a,b\n"x, y","NA"\n').quoted_missing
    assert told("a, b\n1, 2\n").trim
    assert not told('a,b\n" x",2\n').trim
    assert told("'a','b'\n'x','y'\n").quote == b"'"
    assert told("a,b\n'tis,it's\n").quote == b'"'
    assert told('a,b\n"x\\"y",1\n').escape == b"\\"
    assert told('a,b\n"C:\\",1\n').escape == b""


WORDS = st.text(st.characters(categories=["Ll"]), min_size=1, max_size=5)


@settings(max_examples=80, deadline=None)
@given(
    rows=st.lists(st.tuples(WORDS, st.floats(-99, 99), WORDS), min_size=3, max_size=8),
    delimiter=st.sampled_from(",;\t|"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_the_dialect_that_a_writer_used(rows, delimiter, quoting, end):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerows([("Name", "Size", "Kind"), *rows])
    dialect = told(out.getvalue())
    assert (dialect.delimiter, dialect.quote, dialect.header, dialect.decimal) == (
        delimiter.encode(),
        b'"',
        True,
        ".",
    )
    assert dialect.quoted_missing == (quoting == csv.QUOTE_ALL)
