"""XMLBIF, the interchange format in XML; the child's states run quickest in a table."""

from __future__ import annotations

from html import escape
from math import prod
from typing import Any, NoReturn
from xml.parsers import expat

import numpy as np

from assay.errors import ReadError
from assay.graphs.formats.bif import MOST_ENTRIES
from assay.graphs.formats.words import Draft, plain_number

__all__ = ["parse", "text"]


class _Reading:
    """What the parser of XML calls while it goes through a file."""

    def __init__(self, path: str):
        self.path = path
        self.parser = expat.ParserCreate("utf-8")  # whatever the file declares: it is decoded already
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.EntityDeclHandler = self.entity
        self.draft = Draft(self.fail)
        self.open: list[str] = []
        self.chars: list[str] = []
        self.inside: dict[str, list[str]] = {}
        self.line = 1
        self.definitions: list[tuple[dict[str, list[str]], int]] = []

    def fail(self, what: str, line: int | None = None) -> NoReturn:
        where = f"{self.path}, line {line or self.parser.CurrentLineNumber}"
        raise ReadError(what, where=where, code="malformed-network")

    def entity(self, *arguments: Any) -> NoReturn:
        self.fail("it declares an entity, which a network file does not need")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.open.append(name.upper())
        self.chars = []
        if name.upper() in ("VARIABLE", "DEFINITION"):
            self.inside, self.line = {}, self.parser.CurrentLineNumber
            if attributes.get("TYPE", "nature") != "nature":
                self.fail(f"a variable of the type {attributes['TYPE']} is no part of a network")

    def characters(self, text: str) -> None:
        self.chars.append(text)

    def end(self, name: str) -> None:
        self.open.pop()
        word = "".join(self.chars).strip()
        self.chars = []
        kind = name.upper()
        if kind in ("NAME", "OUTCOME", "VALUE", "FOR", "GIVEN", "TABLE"):
            self.inside.setdefault("OUTCOME" if kind == "VALUE" else kind, []).append(word)
        elif kind == "VARIABLE":
            names = self.inside.get("NAME", [])
            if len(names) != 1:
                self.fail("a variable must have one name", self.line)
            self.draft.variable(names[0], self.inside.get("OUTCOME", []), self.line)
        elif kind == "DEFINITION":
            self.definitions.append((self.inside, self.line))

    def tables(self) -> None:
        for part, line in self.definitions:
            child, parents = part.get("FOR", []), part.get("GIVEN", [])
            if len(child) != 1 or len(part.get("TABLE", [])) != 1:
                self.fail("a definition must have one FOR and one TABLE", line)
            for name in (*child, *parents):
                self.draft.known(name, line)
            shape = self.draft.shape(child[0], parents)
            words = part["TABLE"][0].split()
            if len(words) != prod(shape) or prod(shape) > MOST_ENTRIES:
                self.fail(f"the table of {child[0]!r} has {len(words)} numbers, expected {prod(shape)}", line)
            try:
                values = np.array([plain_number(word) for word in words])
            except ValueError:
                self.fail(f"the table of {child[0]!r} has an entry that is no number", line)
            if not np.isfinite(values).all():
                self.fail(f"the table of {child[0]!r} has an entry that is not finite", line)
            self.draft.table(child[0], parents, values.reshape(shape), line)


def parse(content: str, path: str) -> Any:
    """The network of a text."""
    reading = _Reading(path)
    try:
        reading.parser.Parse(content.encode(), True)
    except expat.ExpatError as error:
        reading.fail(f"it is no XML: {expat.errors.messages[error.code]}", error.lineno)
    reading.tables()
    return reading.draft.network()


def text(network: Any) -> str:
    """The network as text, without a document type: some readers stop at one."""
    lines = ['<?xml version="1.0"?>', '<BIF VERSION="0.3">', "<NETWORK>", "<NAME>unknown</NAME>"]
    for node in network.nodes:
        states = "".join(f"<OUTCOME>{escape(str(s))}</OUTCOME>" for s in node.states)
        lines.append(f'<VARIABLE TYPE="nature"><NAME>{escape(node.name)}</NAME>{states}</VARIABLE>')
    for node in network.nodes:
        above = "".join(f"<GIVEN>{escape(p)}</GIVEN>" for p in node.parents)
        lines.append(f"<DEFINITION><FOR>{escape(node.name)}</FOR>{above}<TABLE>")
        table = network.table(node.name).reshape(-1, len(node.states)).tolist()
        lines += [" ".join(map(repr, row)) for row in table]
        lines.append("</TABLE></DEFINITION>")
    return "\n".join([*lines, "</NETWORK>", "</BIF>"]) + "\n"
