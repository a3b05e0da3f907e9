"""Dates by a pattern of Java's SimpleDateFormat, as ARFF writes them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_LONG = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
]  # fmt: skip
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
PATTERN_LIMIT = 200  # characters; the regular expression made of a pattern grows with them


class DatePattern:
    """Reads and writes moments by a pattern such as ``yyyy-MM-dd HH:mm:ss``.

    Letters: y year, M month (MMM and more by its English name), d day, E day of the week, H hour 0-23,
    k 1-24, h 1-12, K 0-11, a am or pm, m minute, s second, S millisecond, Z, X or z the offset from UTC.
    Text between single quotes stands for itself. A moment with an offset is turned to UTC.

    >>> DatePattern("dd.MM.yyyy HH:mm").parse("24.12.2026 18:30")
    datetime.datetime(2026, 12, 24, 18, 30)
    """

    EPOCH = "\0epoch"  # stands for the moment 0 that sparse rows leave out

    def __init__(self, pattern: str):
        if len(pattern) > PATTERN_LIMIT:
            raise ValueError(f"the date format has {len(pattern)} characters, more than {PATTERN_LIMIT}")
        self.pattern = pattern
        self.parts: list[tuple[str, int]] = []  # (letter, count), or (literal, 0)
        i = 0
        while i < len(pattern):
            c = pattern[i]
            if c == "'":
                literal, i = _quoted(pattern, i)
                self.parts.append((literal, 0))
            elif c.isascii() and c.isalpha():
                n = len(pattern) - len(pattern[i:].lstrip(c)) - i
                if c not in "yuMLdEHkhKamsSZXz":
                    raise ValueError(
                        f"the date format {pattern!r} has the letter {c!r}, which is not supported"
                    )
                self.parts.append(({"u": "y", "L": "M"}.get(c, c), n))
                i += n
            else:
                self.parts.append((c, 0))
                i += 1
        letters = {part for part, count in self.parts if count}
        self.only_days = not letters & set("HkhKamsSZXz")
        self.zoned = bool(letters & set("ZXz"))
        self._regex = re.compile("".join(self._piece(k) for k in range(len(self.parts))), re.ASCII)

    @property
    def arrow_type(self) -> Any:
        """A date if the pattern has days only, else a moment."""
        import pyarrow as pa

        return pa.date32() if self.only_days and not self.zoned else pa.timestamp("us")

    def _piece(self, k: int) -> str:
        """The expression of one part; possessive, so that matching never goes back."""
        part, count = self.parts[k]
        if not count:
            return re.escape(part)
        if part in "Ea" or (part == "M" and count > 2):
            return r"([A-Za-z]++)\.?+" if part != "a" else r"([AaPp][Mm])"
        if part in "ZXz":
            return r"(Z|[A-Z]{3}|(?:GMT)?[+-][0-9]{2}:?[0-9]{2})"
        joined = k + 1 < len(self.parts) and self.parts[k + 1][1] and self.parts[k + 1][0] not in "EaZXz"
        return f"([0-9]{{{count}}})" if joined else r"([0-9]{1,9}+)"

    def parse(self, text: str | None) -> datetime | None:
        """The moment; a ValueError if the text is not of this form."""
        if text is None:
            return None
        if text == self.EPOCH:
            return datetime(1970, 1, 1)
        match = self._regex.fullmatch(text.strip())
        if match is None:
            raise ValueError(text)
        fields = {"y": 1970, "M": 1, "d": 1, "hour": 0, "m": 0, "s": 0, "S": 0}
        offset, afternoon = timedelta(0), None
        for (part, count), value in zip([p for p in self.parts if p[1]], match.groups()):
            if part == "M" and count > 2:
                fields["M"] = _MONTHS.index(value[:3].lower()) + 1
            elif part == "y":
                fields["y"] = _year(value) if count == 2 and len(value) == 2 else int(value)
            elif part in "HK":
                fields["hour"] = int(value)
            elif part in "kh":
                fields["hour"] = int(value) % (24 if part == "k" else 12)
            elif part == "a":
                afternoon = value.lower() == "pm"
            elif part in "ZXz":
                offset = _offset(value)
            elif part != "E":
                fields[part] = int(value)
        hour = fields["hour"] % 12 + 12 if afternoon else fields["hour"]
        try:
            moment = datetime(
                fields["y"], fields["M"], fields["d"], hour, fields["m"], fields["s"], fields["S"] * 1000
            )
            return moment - offset
        except OverflowError as error:
            raise ValueError(text) from error

    def write(self, moment: datetime) -> str:
        """The moment as text of this form."""
        return "".join(_written(part, count, moment) if count else part for part, count in self.parts)


def _quoted(pattern: str, i: int) -> tuple[str, int]:
    """The text in quotes at a position, and the position after it; two quotes stand for one."""
    if pattern[i : i + 2] == "''":
        return "'", i + 2
    text, i = "", i + 1
    while True:
        close = pattern.find("'", i)
        if close < 0:
            raise ValueError(f"the date format {pattern!r} has an open quote")
        text += pattern[i:close]
        if pattern[close + 1 : close + 2] != "'":
            return text, close + 1
        text, i = text + "'", close + 2


def _written(part: str, count: int, t: datetime) -> str:
    if part == "M" and count > 2:
        return _LONG[t.month - 1] if count > 3 else _LONG[t.month - 1][:3]
    if part == "E":
        return _DAYS[t.weekday()] if count > 3 else _DAYS[t.weekday()][:3]
    if part == "a":
        return "PM" if t.hour >= 12 else "AM"
    if part in "ZXz":
        return "Z" if part == "X" else "+0000" if part == "Z" else "UTC"
    if part == "y" and count == 2:
        return f"{t.year % 100:02d}"
    number = {
        "y": t.year,
        "M": t.month,
        "d": t.day,
        "H": t.hour,
        "k": t.hour or 24,
        "h": t.hour % 12 or 12,
        "K": t.hour % 12,
        "m": t.minute,
        "s": t.second,
        "S": t.microsecond // 1000,
    }[part]
    return f"{number:0{count}d}"


def _year(two: str) -> int:
    """Two digits mean the year from 80 years before to 20 years after 2026."""
    return 1900 + int(two) if int(two) > 46 else 2000 + int(two)


def _offset(text: str) -> timedelta:
    if text in ("Z", "UTC", "GMT"):
        return timedelta(0)
    digits = text.removeprefix("GMT").replace(":", "")
    if len(digits) != 5:
        raise ValueError(f"the time zone {text!r} is not known")
    sign = -1 if digits[0] == "-" else 1
    return sign * timedelta(hours=int(digits[1:3]), minutes=int(digits[3:5]))
