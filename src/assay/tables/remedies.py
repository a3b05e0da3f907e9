"""What a column of text should be: numbers, dates, or the same categories in one spelling.

``recognise`` looks at the distinct values of a column and how often each occurs, and returns a ``Remedy``: what the
column is, in words, and the value behind each text. Nothing is converted here; ``clean`` does that when it is asked.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assay.tables.marks import MISSING

__all__ = ["Remedy", "as_date", "as_number", "recognise", "spelling_key"]

FIRST_LOOK = 200  # distinct values that are looked at first; for most columns they are enough
MOST_EXCEPTIONS = 5  # different words among numbers or dates that may stand for missing values

_MARKS = frozenset(mark.lower() for mark in MISSING) | {"-", "--", "—", "none", "."}
_SIGNS = "$€£¥₹₽₩₺₫฿"
_CODES = ("USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "CNY", "INR", "SEK", "NOK", "DKK", "PLN")
_DIGITS = r"[0-9]{1,40}+"
_SPACES = (
    " '\u00a0\u2009\u2019\u202f"  # what may stand between groups of digits, whatever the decimal mark is
)
_BODY = {
    mark: re.compile(
        rf"((?:[0-9]{{1,3}}(?:[{group}{_SPACES}][0-9]{{3}}){{1,12}}+|{_DIGITS}))?(?:\{mark}({_DIGITS})?)?"
        r"(e[+-]?[0-9]{1,3}+)?"
    )
    for mark, group in ((".", ","), (",", "."))
}
_UNIT = re.compile(r"([^0-9\s.,'()+-]{1,12}+)$")
_TIME = re.compile(
    r"(?:[ T,]\s{0,3}+([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?\s?([AaPp]\.?[Mm]\.?)?"
    r"\s?(Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_MONTHS = {
    name: k
    for k, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_FORMS = {
    "year first": re.compile(r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})"),
    "numbers": re.compile(r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})"),
    "day, name": re.compile(r"([0-9]{1,2})\.?[ -]([A-Za-z]{3,9})\.?,?[ -]([0-9]{4}|[0-9]{2})"),
    "name, day": re.compile(r"([A-Za-z]{3,9})\.? ([0-9]{1,2})(?:st|nd|rd|th)?,? ([0-9]{4})"),
}


@dataclass(frozen=True)
class Remedy:
    """What a column of text should be.

    Attributes
    ----------
    kind : "numbers", "dates" or "spelling"
    words : what the column holds, such as "numbers with $ and thousands separators"
    example : a text of the column that shows it
    values : dict of text to its value; None is missing
    exceptions : dict of the words that become missing to the number of rows with them
    """

    kind: Literal["numbers", "dates", "spelling"]
    words: str
    example: str
    values: dict[str, Any]
    exceptions: dict[str, int]

    @property
    def fact(self) -> str:
        """What the column holds, for a sentence that begins with its name."""
        if self.kind == "spelling":
            return f"holds categories that differ in {self.words} only ({self.example})"
        text = f"holds {self.words} as text ({self.example})"
        if self.exceptions:
            listed = ", ".join(
                f"{word!r} in {n} row{'' if n == 1 else 's'}" for word, n in self.exceptions.items()
            )
            text += f", except {listed}"
        return text

    @property
    def deed(self) -> str:
        """What cleaning does."""
        if self.kind == "spelling":
            return f"categories that differ in {self.words} only are one now ({self.example})"
        text = f"text such as {self.example!r} is {'numbers' if self.kind == 'numbers' else self.words} now"
        if self.exceptions:
            listed = ", ".join(f"{word!r}" for word in self.exceptions)
            rows = sum(self.exceptions.values())
            text += f", {listed} missing ({rows} row{'' if rows == 1 else 's'})"
        return text


def recognise(
    texts: Sequence[Any], counts: Sequence[int], wanted: str | None = None, day_first: bool | None = None
) -> Remedy | None:
    """What the distinct texts of a column stand for; None if they are categories as they are.

    Parameters
    ----------
    texts : the distinct values of a column
    counts : how many rows have each
    wanted : "numbers", "dates" or "spelling", default None
        Look for this only.
    day_first : bool, default None
        Whether 01/02/2020 is the first of February. None goes by the other dates of the column.

    Examples
    --------
    >>> from assay.tables.remedies import recognise
    >>> remedy = recognise(["$1,200.50", "$80", "unknown"], [3, 2, 1])
    >>> remedy.values
    {'$1,200.50': 1200.5, '$80': 80.0, 'unknown': None}
    >>> remedy.fact
    "holds numbers with $ and thousands separators as text ($1,200.50), except 'unknown' in 1 row"
    """
    if not texts or not all(isinstance(text, str) for text in texts):
        return None
    weights = dict(zip(texts, (int(n) for n in counts)))
    remedies = {"numbers": _numbers, "dates": _dates, "spelling": _spelling}
    for kind in remedies if wanted is None else [wanted]:
        remedy = remedies[kind](weights, day_first, wanted is not None)
        if remedy is not None:
            return remedy
    return None


# Numbers


def as_number(text: str, decimal: str = ".") -> tuple[float, str] | None:
    """A number and what it is dressed in: a currency sign, a percent sign, a unit, or nothing.

    >>> as_number("$22,887.15"), as_number("51.7 %"), as_number("(1.234,50 €)", decimal=",")
    ((22887.15, '$'), (51.7, '%'), (-1234.5, '€'))
    >>> as_number("A12") is None, as_number("12-14") is None
    (True, True)
    """
    bare, sign, dress = text.strip(), 1.0, ""
    if len(bare) > 100:
        return None
    if bare[:1] == "(" and bare[-1:] == ")":  # as accountants write what is below zero
        bare, sign = bare[1:-1].strip(), -1.0
    bare, sign = _unsigned(bare, sign)
    for mark in (*_SIGNS, *_CODES):
        if bare.startswith(mark):
            bare, dress = bare[len(mark) :].strip(), mark
            bare, sign = _unsigned(bare, sign)
            break
    if not dress and (unit := _UNIT.search(bare)):
        dress, bare = unit[1], bare[: unit.start()].strip()
    body = _BODY[decimal].fullmatch(bare.lower())
    if body is None or not (body[1] or body[2]):
        return None
    whole = re.sub(r"[^0-9]", "", body[1] or "0")
    return sign * float(f"{whole}.{body[2] or '0'}{body[3] or ''}"), dress


def _unsigned(bare: str, sign: float) -> tuple[str, float]:
    if bare[:1] in ("-", "−", "+"):
        return bare[1:].strip(), sign * (1.0 if bare[0] == "+" else -1.0)
    return bare, sign


def _numbers(weights: dict[str, int], _: Any, sure: bool) -> Remedy | None:
    texts = list(weights)
    quick = texts[:: max(1, len(texts) // FIRST_LOOK)]
    if all(sum(as_number(t, mark) is not None for t in quick) < 0.3 * len(quick) for mark in ".,"):
        return None
    if any(re.fullmatch(r"0[0-9]+", text.strip()) for text in texts):
        return None  # codes such as 007
    best: dict[str, tuple[float, str]] = {}
    mark = "."
    for decimal in ".,":
        read = {t: n for t in texts if (n := as_number(t, decimal)) is not None}
        if len(read) > len(best):
            best, mark = read, decimal
    exceptions = _exceptions(weights, set(best), sure)
    if exceptions is None or len(best) < (1 if sure else 2):
        return None
    dresses = {dress for _, dress in best.values()}
    money = dresses & {*_SIGNS, *_CODES}
    if len(dresses - {""}) > 1 or (dresses - {""} and "" in dresses and not money):
        return None  # dollars and euros, kilograms and grams, shares and percent: not one scale
    dress = "".join(dresses - {""})
    example = next(t for t in best if as_number(t, mark)[1] == dress)  # type: ignore[index]
    grouped = next((t for t in best if _groups(t, mark)), None)
    parts = ([f"with {'percent signs' if dress == '%' else dress}"] if dress else []) + (
        ["thousands separators" if dress else "with thousands separators"] if grouped else []
    )
    words = " ".join(["numbers", " and ".join(parts)]).strip()
    values: dict[str, Any] = {t: best[t][0] if t in best else None for t in texts}
    return Remedy("numbers", words, (grouped or example).strip(), values, exceptions)


def _groups(text: str, mark: str) -> bool:
    """Whether digits stand in groups, the decimal mark being known."""
    return bool(re.search(rf"[0-9][{',' if mark == '.' else '.'}{_SPACES}][0-9]{{3}}(?![0-9])", text))


def _exceptions(weights: dict[str, int], read: set[str], sure: bool) -> dict[str, int] | None:
    """The words among numbers or dates, less the usual marks; None if they are too many to stand for missing values.

    Of a column that is ``sure`` to hold numbers, or dates, any number of rows may have such a word.
    """
    unread = {text.strip(): n for text, n in weights.items() if text not in read}
    words = {text: n for text, n in unread.items() if text and text.lower() not in _MARKS}
    if len(words) > MOST_EXCEPTIONS or any(any(c.isdigit() for c in word) for word in words):
        return None
    if not sure and (sum(weights[t] for t in read) < 0.5 * sum(weights.values()) or len(words) >= len(read)):
        return None
    return words


# Dates


def as_date(text: str, day_first: bool = True) -> dt.datetime | None:
    """A date or moment in one of the usual forms; moments with a zone are turned to UTC.

    >>> as_date("01.02.2020 08:30"), as_date("Dec 24, 2020"), as_date("02/01/2020", day_first=False)
    (datetime.datetime(2020, 2, 1, 8, 30), datetime.datetime(2020, 12, 24, 0, 0), datetime.datetime(2020, 2, 1, 0, 0))
    >>> as_date("31.02.2020") is None
    True
    """
    parts = _date_parts(text)
    if parts is None:
        return None
    form, first, second, third, clock = parts
    if form == "year first":
        year, month, day = first, second, third
    elif form == "numbers":
        year, month, day = third, *((second, first) if day_first else (first, second))
    else:
        year, month, day = first, second, third
    try:
        moment = dt.datetime(year, month, day)
        return moment + clock
    except (ValueError, OverflowError):
        return None


def _date_parts(text: str) -> tuple[str, int, int, int, dt.timedelta] | None:
    """The form of a date, its three numbers, and the time of day; of a named month: year, month, day."""
    bare = text.strip()
    if len(bare) > 50:
        return None
    for form, pattern in _FORMS.items():
        match = pattern.match(bare)
        if match is None:
            continue
        clock = _clock(bare[match.end() :])
        if clock is None:
            continue
        if form == "year first":
            return form, int(match[1]), int(match[3]), int(match[4]), clock
        if form == "numbers":
            return form, int(match[1]), int(match[3]), _year(match[4]), clock
        name, day = (match[2], match[1]) if form == "day, name" else (match[1], match[2])
        month = _MONTHS.get(name[:3].lower())
        if month is None:
            continue
        return form, _year(match[3]), month, int(day), clock
    return None


def _clock(text: str) -> dt.timedelta | None:
    """The time of day after a date, as a span; None if it is something else."""
    match = _TIME.fullmatch(text.rstrip())
    if match is None:
        return None
    if match[1] is None:
        return dt.timedelta(0)
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    if match[5]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match[5][0] in "pP" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    span = dt.timedelta(
        hours=hour, minutes=minute, seconds=second, microseconds=int((match[4] or "0")[:6].ljust(6, "0"))
    )
    if match[6] and match[6][0] in "+-":
        digits = match[6].replace(":", "")
        span -= (1 if digits[0] == "+" else -1) * dt.timedelta(
            hours=int(digits[1:3]), minutes=int(digits[3:5])
        )
    return span


def _year(text: str) -> int:
    """Two digits mean the years 1947 to 2046."""
    return int(text) if len(text) == 4 else (1900 if int(text) > 46 else 2000) + int(text)


def _dates(weights: dict[str, int], day_first: bool | None, sure: bool) -> Remedy | None:
    texts = list(weights)
    quick = texts[:: max(1, len(texts) // FIRST_LOOK)]
    if sum(_date_parts(t) is not None for t in quick) < 0.3 * len(quick):
        return None
    parts = {t: p for t in texts if (p := _date_parts(t)) is not None}
    if day_first is None:
        day_first = _order(parts)
    if day_first is None:
        return None
    best = {t: moment for t in parts if (moment := as_date(t, day_first)) is not None}
    exceptions = _exceptions(weights, set(best), sure)
    if exceptions is None:
        return None
    timed = any(moment.time() != dt.time() for moment in best.values())
    values: dict[str, Any] = {t: best.get(t) for t in texts}
    return Remedy(
        "dates", "dates and times" if timed else "dates", next(iter(best)).strip(), values, exceptions
    )


def _order(parts: dict[str, Any]) -> bool | None:
    """Whether the day comes before the month in dates of three numbers; None if that cannot be decided."""
    numbers = [(text, p) for text, p in parts.items() if p[0] == "numbers"]
    if not numbers or any("." in text[:6] for text, _ in numbers):  # with points the day is always first
        return True
    first, second = max(p[1] for _, p in numbers), max(p[2] for _, p in numbers)
    return None if (first > 12) == (second > 12) else first > 12


# Categories


def spelling_key(text: str) -> str:
    """What two spellings of one category have in common: letters whatever their case, and single spaces.

    >>> spelling_key(" YES") == spelling_key("yes"), spelling_key("New  York") == spelling_key("new york")
    (True, True)
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _spelling(weights: dict[str, int], *_: Any) -> Remedy | None:
    groups: dict[str, list[str]] = {}
    for text in weights:
        groups.setdefault(spelling_key(text), []).append(text)
    several = [group for group in groups.values() if len(group) > 1]
    edged = [text for text in weights if text != text.strip()]
    if not several and not edged:
        return None
    values: dict[str, Any] = {}
    for group in groups.values():
        bare: dict[str, int] = {}
        for text in group:
            bare[text.strip()] = bare.get(text.strip(), 0) + weights[text]
        usual = max(bare, key=lambda text: bare[text])  # the first of equally frequent ones
        values |= dict.fromkeys(group, usual or None)
    cased = any(len({text.strip() for text in group}) > 1 for group in several)
    words = " and ".join(
        (["capitals or spaces inside"] if cased else []) + (["spaces around them"] if edged else [])
    )
    shown = several[0] if several else edged[:1]
    return Remedy("spelling", words, ", ".join(repr(text) for text in shown[:4]), values, {})
