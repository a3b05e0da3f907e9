"""The header of an ARFF file: its relation and attributes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.tables.readers.dates import DatePattern
from assay.tables.readers.source import RECORD_LIMIT, Source

SPACES = " \t\r\x0b\x0c"  # other white space is part of a value
NESTING_LIMIT = 20  # relational attributes inside each other
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True)
class Attribute:
    """One ``@attribute`` line.

    Parameters
    ----------
    name : str
    kind : "numeric", "nominal", "string", "date" or "relational"
    categories : tuple of str, default ()
        Of a nominal attribute, in the order of the header.
    format : str, default ""
        Of a date: a pattern of Java's SimpleDateFormat.
    children : tuple of Attribute, default ()
        Of a relational attribute.
    """

    name: str
    kind: str
    categories: tuple[str, ...] = ()
    format: str = ""
    children: tuple[Attribute, ...] = ()


class Bad(Exception):
    """A line that is not ARFF: the character where it goes wrong, counted from 1, and what is wrong."""

    def __init__(self, column: int, what: str):
        super().__init__(what)
        self.column, self.what = column, what


@dataclass
class Header:
    """What stands before ``@data``."""

    relation: str
    attributes: list[Attribute]
    lines: int  # the @data line included


def read_header(source: Source) -> Header:
    """The header, from the first chunks of the file."""
    relation, line = "", 0
    stack: list[list[Attribute]] = [[]]  # the attributes, and those of open relational ones
    names: list[set[str]] = [set()]
    open_names: list[str] = []
    for line, text in _lines(source):
        try:
            word, after = _keyword(text)
            if word == "":
                continue
            if word == "@relation":
                relation = _only_token(text, after)
            elif word == "@attribute":
                attribute = _attribute(text, after)
                if attribute.name in names[-1]:
                    raise Bad(after + 1, f"attribute {attribute.name!r} is there twice")
                names[-1].add(attribute.name)
                if attribute.kind == "relational":
                    open_names.append(attribute.name)
                    if len(open_names) > NESTING_LIMIT:
                        raise Bad(
                            1, f"relational attributes inside each other more than {NESTING_LIMIT} deep"
                        )
                    stack.append([])
                    names.append(set())
                else:
                    stack[-1].append(attribute)
            elif word == "@end":
                name = _only_token(text, after)
                if not open_names or name != open_names[-1]:
                    raise Bad(after + 1, f"@end {name} without its relational attribute")
                children = tuple(stack.pop())
                names.pop()
                stack[-1].append(Attribute(open_names.pop(), "relational", children=children))
            elif word == "@data":
                if open_names:
                    raise Bad(1, f"the relational attribute {open_names[-1]!r} has no @end")
                if not stack[0]:
                    raise Bad(1, "@data comes before any @attribute")
                return Header(relation, stack[0], line)
            else:
                raise Bad(1, f"expected @relation, @attribute or @data, got {text.strip()[:40]!r}")
        except Bad as error:
            raise source.complain(f"{error.what}.", line, error.column) from None
    raise source.complain(
        "the file ends before @data." if line else "the file is empty, expected ARFF.", line or None
    )


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    """Numbered lines of text."""
    tail, line = b"", 0
    for chunk in source.chunks(1 << 16):
        if len(tail) > RECORD_LIMIT >> 2:
            raise source.complain("this line is too long for a header.", line + 1)
        pieces = (tail + chunk).splitlines(keepends=True)
        tail = pieces.pop()
        for piece in pieces:
            line += 1
            if b"\0" in piece:
                raise source.complain("a NUL byte; this is not a text file, or it is damaged.", line)
            yield line, piece.decode("utf-8").rstrip("\r\n")
    for piece in tail.splitlines():
        line += 1
        yield line, piece.decode("utf-8")


def _keyword(text: str) -> tuple[str, int]:
    """The line's keyword in small letters, and the position after it; "" for blanks and comments."""
    start = len(text) - len(text.lstrip(SPACES))
    if start == len(text) or text[start] == "%":
        return "", start
    stop = start
    while stop < len(text) and text[stop] not in SPACES:
        stop += 1
    return text[start:stop].lower(), stop


def _attribute(text: str, at: int) -> Attribute:
    name, _, at = token(text, at, "{")
    if name is None:
        raise Bad(at + 1, "the attribute has no name")
    at = skip(text, at)
    if text[at : at + 1] == "{":
        categories, at = _categories(text, at + 1)
        _end(text, at)
        return Attribute(name, "nominal", categories)
    start = at
    kind, quoted, at = token(text, at, "{")
    word = "" if kind is None or quoted else kind.lower()
    if word in ("numeric", "real", "integer"):
        _end(text, at)
        return Attribute(name, "numeric")
    if word in ("string", "relational"):
        _end(text, at)
        return Attribute(name, word)
    if word == "date":
        format_, _, at = token(text, at, "{")
        _end(text, at)
        return Attribute(name, "date", format="yyyy-MM-dd'T'HH:mm:ss" if format_ is None else format_)
    raise Bad(
        start + 1,
        f"attribute {name!r} has no known type: expected numeric, real, integer, string, date, relational "
        "or {a, b, ...}",
    )


def _categories(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """The values between braces, and the position after them."""
    categories: dict[str, None] = {}
    while True:
        at = skip(text, at)
        if at >= len(text):
            raise Bad(at + 1, "the list of categories has no closing brace")
        if text[at] == "}":
            return tuple(categories), at + 1
        if text[at] == ",":
            at += 1
            continue
        start = at
        value, quoted, at = token(text, at, ",}", spaces=True)
        if quoted and skip(text, at) < len(text) and text[skip(text, at)] not in ",}":
            raise Bad(at + 1, "there is text after the closing quote")
        if value in categories:
            raise Bad(start + 1, f"category {value!r} is there twice")
        categories[value or ""] = None


def _only_token(text: str, at: int) -> str:
    value, quoted, stop = token(text, at, "")
    if value is None:
        return ""
    if not quoted:  # a name in several words, without quotes
        name = text[at:].split("%")[0].strip()
        return name or value
    return value


def _end(text: str, at: int) -> None:
    """Nothing may follow but a weight in braces or a comment."""
    at = skip(text, at)
    if text[at : at + 1] == "{":
        stop = text.find("}", at)
        inside = text[at + 1 : stop if stop >= 0 else None]
        try:
            float(inside)
            at = skip(text, stop + 1)
        except ValueError:
            raise Bad(
                at + 1, f"expected the weight of an attribute, got {text[at:].strip()[:40]!r}"
            ) from None
    if at < len(text) and text[at] != "%":
        raise Bad(at + 1, f"expected the end of the line, got {text[at:].strip()[:40]!r}")


def skip(text: str, at: int) -> int:
    """The position of the next character that is not a space."""
    while at < len(text) and text[at] in SPACES:
        at += 1
    return at


def token(text: str, at: int, stops: str, spaces: bool = False) -> tuple[str | None, bool, int]:
    """The next value, whether it was quoted, and the position after it; None at the end or a comment.

    A bare value ends at a character of ``stops`` or at a space; with ``spaces`` it may hold spaces inside.
    """
    at = skip(text, at)
    if at >= len(text) or (text[at] == "%" and not spaces):  # among categories it is a value like any other
        return None, False, at
    if text[at] in "'\"":
        value, at = unquote(text, at)
        return value, True, at
    start = at
    while at < len(text) and text[at] not in stops and (spaces or text[at] not in SPACES):
        at += 1
    return text[start:at].strip(SPACES), False, at


def unquote(text: str, at: int) -> tuple[str, int]:
    """The value of the quotes that open at a position, and the position after them."""
    quote, start = text[at], at
    parts: list[str] = []
    at += 1
    close = text.find(quote, at)
    while close >= 0:
        slash = text.find("\\", at, close)
        if slash < 0:
            parts.append(text[at:close])
            if text[close + 1 : close + 2] != quote:
                return "".join(parts), close + 1
            parts.append(quote)  # doubled, as CSV does it
            at = close + 2
            close = text.find(quote, at)
            continue
        parts.append(text[at:slash])
        mark = text[slash + 1 : slash + 2]
        at = slash + 2
        code = text[at : at + 4]
        if mark == "u" and len(code) == 4 and all(c in "0123456789abcdefABCDEF" for c in code):
            letter = chr(int(code, 16))
            parts.append(letter if not 0xD800 <= ord(letter) < 0xE000 else "\ufffd")
            at += 4
        else:
            parts.append(ESCAPES.get(mark, mark))
        if at > close:
            close = text.find(quote, at)
    raise Bad(start + 1, "a quote opens here and is never closed")


def nested(attributes: tuple[Attribute, ...]) -> Any:
    """The Arrow type of the rows inside a relational value."""
    import pyarrow as pa

    return pa.struct([pa.field(a.name, _type(a)) for a in attributes])


def _type(attribute: Attribute) -> Any:
    import pyarrow as pa

    if attribute.kind == "relational":
        return pa.list_(nested(attribute.children))
    if attribute.kind == "date":
        return DatePattern(attribute.format).arrow_type
    return pa.float64() if attribute.kind == "numeric" else pa.string()
