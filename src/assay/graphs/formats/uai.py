"""UAI, the files of the inference competitions: numbers of states and tables, without names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from typing import Any, NoReturn

import numpy as np

from assay.errors import ReadError
from assay.graphs.formats.bif import MOST_ENTRIES
from assay.graphs.formats.words import Draft, plain_number

__all__ = ["parse", "parse_factors", "text"]

MOST_STATES = 1 << 20  # of variables of which the file has no table


class _Numbers:
    """The numbers of a text one after the other, each with its line."""

    def __init__(self, content: str, path: str):
        self.path, self.line = path, 1
        self.most = (len(content) + 1) // 2  # words, with a blank between them
        self.words = self._words(content)
        self.tables: list[int] = []  # the line where each says how long it is

    @staticmethod
    def _words(content: str) -> Iterator[tuple[str, int]]:
        line, place = 1, 0
        for match in re.finditer(r"\S+", content):
            line += content.count("\n", place, match.start())
            place = match.end()
            yield match.group(), line

    def fail(self, what: str, line: int | None = None) -> NoReturn:
        raise ReadError(what, where=f"{self.path}, line {line or self.line}", code="malformed-network")

    def word(self, expected: str) -> str:
        word, self.line = next(self.words, ("", self.line))
        if not word:
            self.fail(f"the file ends where {expected} was expected")
        return word

    def whole(self, expected: str, low: int, high: int) -> int:
        word = self.word(expected)
        if not re.fullmatch(r"-?[0-9]{1,18}", word) or not low <= int(word) <= high:
            self.fail(f"expected {expected}, a whole number from {low} to {high}, got {word[:40]!r}")
        return int(word)

    def number(self) -> float:
        word = self.word("a table entry")
        try:
            value = plain_number(word)
        except ValueError:
            self.fail(f"expected a number, got {word[:40]!r}")
        if not np.isfinite(value) or value < 0:
            self.fail(f"expected a number from 0 up, got {word!r}")
        return value


def parse_factors(
    content: str, path: str
) -> tuple[str, list[int], list[tuple[list[int], np.ndarray]], _Numbers]:
    """The kind (BAYES or MARKOV), the numbers of states, and the factors: scopes and tables, the last runs quickest."""
    words = _Numbers(content, path)
    kind = words.word("BAYES or MARKOV").upper()
    if kind not in ("BAYES", "MARKOV"):
        words.fail(f"expected BAYES or MARKOV, got {kind!r}")
    n = words.whole("the number of variables", 1, 10_000_000)
    if n > words.most:
        words.fail(f"it says that it has {n:,} variables, which do not fit into it")
    cards = [words.whole("a number of states", 1, 1 << 31) for _ in range(n)]
    m = words.whole("the number of factors", 0, words.most)
    scopes = []
    for _ in range(m):
        k = words.whole("the number of variables of a factor", 0, n)
        scopes.append([words.whole("a variable", 0, n - 1) for _ in range(k)])
        if len(set(scopes[-1])) < k:
            words.fail("a factor names a variable twice")
    lone = set(range(n)).difference(*scopes)
    if sum(cards[v] for v in lone) > MOST_STATES:
        words.fail(f"{len(lone)} variables without a table would have more than {MOST_STATES:,} states")
    factors = []
    for scope in scopes:
        size = prod(cards[v] for v in scope)
        if size > MOST_ENTRIES:
            words.fail(f"a table would have {size:,} entries")
        said_size = words.whole("the number of table entries", 0, MOST_ENTRIES)
        if said_size != size:
            words.fail(
                f"a table says that it has {said_size:,} entries, its variables have {size:,} configurations"
            )
        words.tables.append(words.line)
        table = np.array([words.number() for _ in range(size)])
        factors.append((scope, table.reshape([cards[v] for v in scope])))
    if any(words.words):
        words.fail("there is more after the last table")
    return kind, cards, factors, words


def parse(content: str, path: str) -> Any:
    """The network of a text; variables are called x0, x1, ... and their states 0, 1, ..."""
    kind, cards, factors, words = parse_factors(content, path)
    if kind != "BAYES":
        words.fail("it is a MARKOV file, a field and no network; read it with read_field", 1)
    draft = Draft(words.fail)
    ends = {scope[-1] for scope, _ in factors if scope}
    for v, card in enumerate(cards):
        if v not in ends:  # said before memory is taken for its states
            words.fail(f"no table ends with variable {v}, so that it has no probabilities")
        draft.variable(f"x{v}", [str(s) for s in range(card)], words.line)
    for (scope, table), line in zip(factors, words.tables):
        if not scope:
            words.fail("a factor of a network has a variable at its end", line)
        draft.table(f"x{scope[-1]}", [f"x{v}" for v in scope[:-1]], table, line)
    return draft.network()


def text(network: Any) -> str:
    """The network as text."""
    scopes = [[*(network.index(p) for p in node.parents), i] for i, node in enumerate(network.nodes)]
    tables = [network.table(node.name) for node in network.nodes]
    return factor_text("BAYES", [len(node.states) for node in network.nodes], scopes, tables)


def factor_text(kind: str, cards: list[int], scopes: list[list[int]], tables: list[np.ndarray]) -> str:
    """Factors as text."""
    lines = [kind, str(len(cards)), " ".join(map(str, cards)), str(len(scopes))]
    lines += [" ".join(map(str, [len(scope), *scope])) for scope in scopes]
    for table in tables:
        rows = np.atleast_2d(table).reshape(-1, table.shape[-1] if table.ndim else 1).tolist()
        lines += ["", str(table.size), *(" ".join(map(repr, row)) for row in rows)]
    return "\n".join(lines) + "\n"
