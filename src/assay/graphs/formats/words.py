"""Words of a network file, each with its line."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from assay.errors import DataError, ReadError

__all__ = ["Draft", "Words", "plain_number", "quoted", "state_place"]

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v]+)|(?P<line>\n)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<text>"(?:[^"\\]|\\.)*")"""
    r"""|(?P<mark>[{}()\[\],;|:=])|(?P<word>(?:[<>!]=)?[^\s{}()\[\],;|:="]+)""",
    re.DOTALL,
)
MOST_DIGITS = 18  # of a whole number that counts something
PLAIN = re.compile(r"[A-Za-z_<>+\-.%&*!?0-9][^\s{}()\[\],;|:=\"/\\]*\Z")


class Words:
    """The words of a text one after the other; what is wrong is said with file and line.

    Parameters
    ----------
    text : the whole text      path : what the file is called
    """

    def __init__(self, text: str, path: str):
        self.path, self.text, self.line = path, text, 1
        self._place, self._next_line = 0, 1
        self._coming: tuple[str, int, bool] | None = (
            None  # the next word, its line, and whether it stood in quotes
        )

    def _look(self) -> tuple[str, int, bool] | None:
        """The next word without going on; None at the end."""
        while self._coming is None and self._place < len(self.text):
            match = TOKEN.match(self.text, self._place)
            if match is None:
                self.line = self._next_line
                begins = self.text[self._place : self._place + 20]
                self.fail(f"a text begins here and does not end: {begins!r}")
            piece, kind = match.group(), match.lastgroup
            if kind == "text":
                self._coming = re.sub(r"\\(.)", r"\1", piece[1:-1]), self._next_line, True
            elif kind in ("mark", "word"):
                self._coming = piece, self._next_line, False
            self._next_line += piece.count("\n")
            self._place = match.end()
        return self._coming

    def done(self) -> bool:
        """Whether there are no more words; then the line is the last one."""
        if self._look() is None:
            self.line = self._next_line
        return self._coming is None

    def peek(self) -> str:
        """The next word, empty at the end; a text in quotes is never a mark."""
        coming = self._look()
        if coming is None:
            return ""
        return f'"{coming[0]}"' if coming[2] else coming[0]

    def next(self, expected: str = "more") -> str:
        """The next word."""
        coming = self._look()
        if coming is None:
            self.line = self._next_line
            self.fail(f"the file ends where {expected} was expected")
        self._coming = None
        word, self.line, _ = coming
        return word

    def mark(self, mark: str) -> None:
        """The next word must be this one."""
        got = self.peek()
        word = self.next(repr(mark))
        if got != mark:
            self.fail(f"expected {mark!r}, got {word!r}")

    def name(self, what: str) -> str:
        """The next word must be a name."""
        marked = self.peek() in set("{}()[],;|:=")
        word = self.next(what)
        if marked:
            self.fail(f"expected {what}, got {word!r}")
        return word

    def number(self) -> float:
        """The next word must be a number."""
        word = self.next("a number")
        try:
            value = plain_number(word)
        except ValueError:
            self.fail(f"expected a number, got {word[:40]!r}")
        if not np.isfinite(value):
            self.fail(f"expected a finite number, got {word!r}")
        return value

    def numbers(self, end: str = ";") -> list[float]:
        """Numbers up to a mark, with or without commas between them."""
        values = []
        while self.peek() != end:
            if self.peek() == ",":
                self.next()
                continue
            values.append(self.number())
        self.next()
        return values

    def names(self, what: str, end: str) -> list[str]:
        """Names up to a mark, separated by commas."""
        names = []
        while self.peek() != end:
            if self.peek() == ",":
                self.next()
                continue
            names.append(self.name(what))
        self.next()
        return names

    def skip(self, end: str = ";") -> None:
        """Go on after a mark."""
        while self.next(repr(end)) != end:
            pass

    def fail(self, what: str, line: int | None = None) -> NoReturn:
        """Raise a ReadError that says where."""
        raise ReadError(what, where=f"{self.path}, line {line or self.line}", code="malformed-network")


def plain_number(word: str) -> float:
    """The number of a word, as other programs read it: without underscores, in ASCII.

    >>> from assay.graphs.formats.words import plain_number
    >>> plain_number("2.5e-1")
    0.25
    """
    if "_" in word or not word.isascii():
        raise ValueError(f"{word!r} is no number")
    return float(word)


def state_place(key: str, states: list[str]) -> int | None:
    """The place of a state that is given by its number or its name; None if there is none.

    >>> from assay.graphs.formats.words import state_place
    >>> state_place("1", ["no", "yes"]), state_place("yes", ["no", "yes"]), state_place("2", ["no", "yes"])
    (1, 1, None)
    """
    if key.isascii() and key.isdigit() and len(key) <= MOST_DIGITS and int(key) < len(states):
        return int(key)
    return states.index(key) if key in states else None


def quoted(name: Any) -> str:
    """A name as files write it: in quotes if it has marks or blanks in it.

    >>> from assay.graphs.formats.words import quoted
    >>> quoted("<5"), quoted("more than 5")
    ('<5', '"more than 5"')
    """
    text = str(name)
    if PLAIN.match(text) and "//" not in text and "/*" not in text:
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Draft:
    """Variables and tables of a file, gathered before they become a network.

    Parameters
    ----------
    fail : function that raises with a sentence and a line
    """

    def __init__(self, fail: Callable[..., NoReturn]):
        self.fail = fail
        self.states: dict[str, list[str]] = {}
        self.tables: dict[str, tuple[list[str], np.ndarray, int]] = {}

    def variable(self, name: str, states: list[str], line: int) -> None:
        """A variable with its states."""
        if name in self.states:
            self.fail(f"the variable {name!r} occurs twice", line)
        if not states:
            self.fail(f"the variable {name!r} has no states", line)
        if len(set(states)) < len(states):
            self.fail(f"the variable {name!r} has the same state twice", line)
        self.states[name] = states

    def known(self, name: str, line: int) -> None:
        """Fail for a name that is no variable."""
        if name not in self.states:
            from assay.errors import did_you_mean

            self.fail(f"{name!r} is no variable of this file.{did_you_mean(name, self.states)}", line)

    def shape(self, child: str, parents: list[str]) -> list[int]:
        """States of the parents and of the child."""
        return [len(self.states[v]) for v in (*parents, child)]

    def table(self, child: str, parents: list[str], values: np.ndarray, line: int) -> None:
        """The probabilities of a variable: an axis for each parent and one for its states."""
        if child in self.tables:
            self.fail(f"the probabilities of {child!r} occur twice", line)
        if child in parents or len(set(parents)) < len(parents):
            self.fail(
                f"the parents of {child!r}, {', '.join(parents)}, must be other variables, each once", line
            )
        rows = values.reshape(-1, values.shape[-1])
        if np.isnan(rows).any():
            self.fail(f"the probabilities of {child!r} lack a configuration of its parents", line)
        with np.errstate(over="ignore"):
            wrong = (rows < 0).any(axis=1) | (abs(rows.sum(axis=1) - 1) > 1e-4)
        if wrong.any():
            row = rows[int(np.argmax(wrong))]
            self.fail(
                f"the probabilities of {child!r} must be from 0 up and sum to 1; a row has "
                f"{', '.join(f'{v:g}' for v in row[:6])} (sum {sum(row.tolist()):g})",
                line,
            )
        self.tables[child] = (parents, values, line)

    def network(self) -> Any:
        """The network, its nodes in the order of the file."""
        from assay.graphs.directed_graph import find_cycle
        from assay.graphs.network import BayesianNetwork
        from assay.graphs.node import Node

        for name in self.states:
            if name not in self.tables:
                self.fail(f"the variable {name!r} has no probabilities")
        if not self.states:
            self.fail("it has no variables")
        try:
            return BayesianNetwork(
                [
                    Node(name, states, self.tables[name][1], self.tables[name][0])
                    for name, states in self.states.items()
                ]
            )
        except DataError as error:
            if error.code != "cycle":
                raise
            cycle = find_cycle({name: parents for name, (parents, _, _) in self.tables.items()})
            lines = [self.tables[name][2] for name in cycle]
            self.fail(f"the arcs {' -> '.join(cycle)} form a cycle", min(lines))
