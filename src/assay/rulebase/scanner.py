"""A scanner of text: words, quotes, lines, and errors with their position."""

from __future__ import annotations

import re
from typing import NoReturn

from assay.errors import DataError

__all__ = ["RuleSyntaxError", "Scanner"]

_SPACE = re.compile(r"(?:\s++|#[^\n]*+)*+")  # possessive: matching never goes back
_LINE_SPACE = re.compile(r"[^\S\n]*")
_COMMENT = re.compile(r"(?:^|\s)#")


class RuleSyntaxError(DataError):
    """Text that is no rule: where it goes wrong, and what was expected there."""


class Scanner:
    """A place in a text, and what stands there."""

    def __init__(self, text: str):
        self.text, self.at = text, 0

    def quoted(self) -> str:
        """Text between quotes: a doubled quote is one, backslashes escape."""
        start, quote = self.at, self.text[self.at]
        match = re.compile(f"{quote}((?:[^{quote}]|{quote}{quote})*){quote}").match(self.text, self.at)
        if match is None:
            self.fail(f"this quote {quote} is never closed", start)
        self.at = match.end()
        inside = match[1].replace(quote * 2, quote)
        return re.sub(r"\\(\\|[ntr]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})", _unescaped, inside)

    def bounded(self, end: int, word: str) -> bool:
        """Whether a word ends here."""
        after = self.text[end : end + 1]
        return not (after and (word[-1:].isalnum() or word[-1:] == "_") and (after.isalnum() or after == "_"))

    def word(self, *words: str) -> bool:
        """Whether one of these words stands here; then it is read."""
        self.space()
        for word in words:
            end = self.at + len(word)
            if self.text[self.at : end].lower() == word and self.bounded(end, word):
                self.at = end
                return True
        return False

    def ahead(self, word: str) -> bool:
        start = self.at
        present = self.word(word)
        self.at = start
        return present

    def match(self, pattern: re.Pattern[str], lines: bool = True) -> str | None:
        self.space(lines)
        match = pattern.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match[0]

    def looking(self, pattern: str, flags: int = 0) -> bool:
        self.space()
        return re.compile(pattern, flags).match(self.text, self.at) is not None

    def space(self, lines: bool = True) -> None:
        pattern = _SPACE if lines else _LINE_SPACE
        self.at = pattern.match(self.text, self.at).end()  # type: ignore[union-attr]

    def ended(self) -> bool:
        self.space()
        return self.at >= len(self.text)

    def peek_line(self) -> str:
        """The rest of the line without comment and evidence."""
        end = self.text.find("\n", self.at)
        line = self.text[self.at : len(self.text) if end < 0 else end]
        if comment := _COMMENT.search(line):
            line = line[: comment.start()]
        return _without_evidence(line.rstrip()).strip()

    def remaining(self) -> str:
        line = self.peek_line()
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end
        return line

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        at = min(self.at if at is None else at, len(self.text))
        line, column = self.text.count("\n", 0, at) + 1, at - (self.text.rfind("\n", 0, at) + 1) + 1
        message = message if message.endswith(("?", ".")) else message + "."
        raise RuleSyntaxError(f"RuleBase.parse: line {line}, column {column}: {message}")


def _without_evidence(line: str) -> str:
    """A line without the counts at its end, as in ``yes  (support 0.600, accuracy 0.833)``."""
    at = line.rfind("(support ")
    inside = line[at + 1 : -1]
    counted = at >= 0 and line.endswith(")") and not line[:at][-1:].strip()
    return line[:at] if counted and "(" not in inside and ")" not in inside else line


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    simple = {"\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
    return simple[code] if code in simple else chr(int(code[1:], 16))
