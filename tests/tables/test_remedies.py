"""What text stands for."""

import datetime as dt
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tables.remedies import as_date, as_number, recognise, spelling_key


@pytest.mark.parametrize(
    ("text", "number", "dress"),
    [
        ("$22,887.15", 22887.15, "$"),
        ("$ 5", 5, "$"),
        ("-$5.50", -5.5, "$"),
        ("$-5.50", -5.5, "$"),
        ("($5.50)", -5.5, "$"),
        ("EUR 1'000", 1000, "EUR"),
        ("12.50 €", 12.5, "€"),
        ("51.7%", 51.7, "%"),
        ("51.7 %", 51.7, "%"),
        ("1\u202f234\u202f567.5", 1234567.5, ""),
        ("12 kg", 12, "kg"),
        ("-3.5°C", -3.5, "°C"),
        ("\u22125", -5, ""),
        ("1e3", 1000, ""),
        (".5", 0.5, ""),
        ("5.", 5, ""),
        (" 42 ", 42, ""),
        ("+7", 7, ""),
    ],
)
def test_numbers(text, number, dress):
    assert as_number(text) == (number, dress)


@pytest.mark.parametrize(
    ("text", "number"), [("1.234,5", 1234.5), ("0,5 %", 0.5), ("-1.000 €", -1000), ("12", 12)]
)
def test_numbers_with_a_decimal_comma(text, number):
    assert as_number(text, ",")[0] == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "-",
        "$",
        "%",
        "A12",
        "12-14",
        "1,23,4.5",
        "12,34",
        "1.2.3",
        "12 kg 3",
        "1 2",
        "--5",
        "0x1f",
        "1_000",
        "12:30",
    ],
)
def test_what_is_no_number(text):
    assert as_number(text) is None


@given(
    st.floats(-1e15, 1e15, allow_nan=False), st.sampled_from(["{:,.2f}", "${:,.2f}", "{:.2f}%", "{:,.2f} kg"])
)
def test_what_is_written_is_read(value, form):
    assert as_number(form.format(value))[0] == float(f"{value:.2f}")


@pytest.mark.parametrize(
    "text", ["9" * 99, "1," * 49 + "1", "$" * 60, "1 " * 49, "(" * 99, "a" * 99, "9" * 5000, "1," * 9000]
)
def test_long_text_takes_no_time(text):
    """Possessive patterns and a bound on the length: no text makes matching go back and forth."""
    value = as_number(text)
    assert value is None or math.isfinite(value[0])
    assert as_date(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("01.02.2020 00:00", dt.datetime(2020, 2, 1)),
        ("1.2.20", dt.datetime(2020, 2, 1)),
        ("1.2.47", dt.datetime(1947, 2, 1)),
        ("31/12/2020 23:59:58", dt.datetime(2020, 12, 31, 23, 59, 58)),
        ("31-12-2020", dt.datetime(2020, 12, 31)),
        ("2020-12-31T10:00:00Z", dt.datetime(2020, 12, 31, 10)),
        ("2020-12-31 10:00+02:00", dt.datetime(2020, 12, 31, 8)),
        ("2020/12/31", dt.datetime(2020, 12, 31)),
        ("2020.1.2", dt.datetime(2020, 1, 2)),
        ("31 Dec 2020", dt.datetime(2020, 12, 31)),
        ("31-Dec-20", dt.datetime(2020, 12, 31)),
        ("December 31st, 2020", dt.datetime(2020, 12, 31)),
        ("Dec 31 2020 1:05 PM", dt.datetime(2020, 12, 31, 13, 5)),
        ("01.02.2020 12:00 am", dt.datetime(2020, 2, 1)),
        ("01.02.2020 10:00:00.25", dt.datetime(2020, 2, 1, 10, 0, 0, 250000)),
    ],
)
def test_dates(text, expected):
    assert as_date(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "31.02.2020",
        "1.13.2020",
        "2020-13-01",
        "31 Foo 2020",
        "1.2.2020 25:00",
        "1.2.2020 13:00 pm",
        "12:30",
        "1.2",
        "2020",
    ],
)
def test_what_is_no_date(text):
    assert as_date(text) is None


def seen(values):
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return recognise(list(counts), list(counts.values()))


def test_numbers_except_a_word():
    remedy = seen(["31", "44", "unknown", "27", "unknown"])
    assert remedy.kind == "numbers" and remedy.exceptions == {"unknown": 2}
    assert remedy.values == {"31": 31, "44": 44, "unknown": None, "27": 27}
    assert remedy.fact == "holds numbers as text (31), except 'unknown' in 2 rows"


def test_the_usual_marks_are_no_exceptions():
    remedy = seen(["$31", "$44", "-", "N/A"])
    assert remedy.exceptions == {} and remedy.values["-"] is None


@pytest.mark.parametrize(
    "values",
    [
        ["red", "green", "12"],
        ["$5", "€5", "$7"],  # two currencies
        ["5 kg", "500 g", "7 kg"],  # two units
        ["51%", "0.5", "0.7"],  # percent and shares
        ["007", "012", "100"],  # codes
        ["1", "2", "3+"],  # more than a word
        ["<5", "5", "7", "9"],
        ["1", "2", "a", "b", "c"],  # as many words as numbers
        ["1", "2", "3", "4", "5", "6", "7", "a", "b", "c", "d", "e", "f"],
        ["01/02/2020", "03/04/2020"],  # day or month first?
        ["A1", "B2"],
        [],
        [1, 2],
    ],
)
def test_what_can_mean_more_than_one_thing_is_left(values):
    assert seen(values) is None


def test_money_without_its_sign_here_and_there():
    assert seen(["$5", "7", "$1,000"]).values == {"$5": 5, "7": 7, "$1,000": 1000}


def test_decimal_comma_is_told_from_the_column():
    assert seen(["1.234,50 €", "12,5 €"]).values == {"1.234,50 €": 1234.5, "12,5 €": 12.5}
    assert seen(["1,234", "12,500"]).values == {"1,234": 1234, "12,500": 12500}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["$22,887.15", "$5"], "numbers with $ and thousands separators"),
        (["51.7%", "3%"], "numbers with percent signs"),
        (["12 kg", "5 kg"], "numbers with kg"),
        (["1,200", "a", "5", "7"], "numbers with thousands separators"),
        (["01.01.2020", "02.01.2020"], "dates"),
        (["01.01.2020 00:00", "02.01.2020 10:00"], "dates and times"),
        (["01.01.2020 00:00", "02.01.2020 00:00"], "dates"),
    ],
)
def test_words(values, words):
    assert seen(values).words == words


def test_order_of_day_and_month():
    assert seen(["01/02/2020", "13/02/2020"]).values["01/02/2020"] == dt.datetime(2020, 2, 1)
    assert seen(["01/02/2020", "02/13/2020"]).values["01/02/2020"] == dt.datetime(2020, 1, 2)
    assert seen(["13/02/2020", "02/13/2020"]) is None
    assert recognise(["01/02/2020"], [1], day_first=True).values["01/02/2020"] == dt.datetime(2020, 2, 1)


def test_spellings():
    remedy = seen(["Yes", "yes", "yes", "YES", "no", " no", ""])
    assert remedy.kind == "spelling"
    assert remedy.values == {"Yes": "yes", "yes": "yes", "YES": "yes", "no": "no", " no": "no", "": None}
    assert remedy.words == "capitals or spaces inside and spaces around them"
    assert seen(["yes", "no", "maybe"]) is None


def test_spellings_in_other_alphabets():
    assert spelling_key("STRASSE") == spelling_key("straße")
    assert spelling_key("ﬁne") == spelling_key("fine")
