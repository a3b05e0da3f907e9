"""DSC, the text files of Microsoft's belief network tools."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from assay.graphs.formats.bif import MOST_ENTRIES
from assay.graphs.formats.words import Draft, Words, quoted, state_place

__all__ = ["parse", "text"]


def parse(content: str, path: str) -> Any:
    """The network of a text."""
    words = Words(content, path)
    draft = Draft(words.fail)
    while not words.done():
        word = words.next()
        if word == "belief":
            words.mark("network")
            if words.peek() not in ("node", "probability", "network"):
                words.name("the name of the network")
        elif word == "node":
            _node(words, draft)
        elif word == "probability":
            _probability(words, draft)
        elif word != ";":
            words.fail(f"expected belief network, node or probability, got {word!r}")
    return draft.network()


def _node(words: Words, draft: Draft) -> None:
    name, line = words.name("the name of a node"), words.line
    states: list[str] = []
    words.mark("{")
    while words.peek() != "}":
        word = words.next("'}'")
        if word == "type":
            words.mark(":")
            words.mark("discrete")
            words.mark("[")
            n = words.number()
            words.mark("]")
            words.mark("=")
            words.mark("{")
            states = words.names("a state", "}")
            if len(states) != n:
                words.fail(f"the node {name!r} says that it has {n:g} states and names {len(states)}")
            if words.peek() == ";":
                words.next()
        elif word != ";":
            words.skip()
    words.mark("}")
    draft.variable(name, states, line)


def _probability(words: Words, draft: Draft) -> None:
    words.mark("(")
    child, line = words.name("the name of a node"), words.line
    draft.known(child, line)
    if words.peek() == "|":
        words.next()
    parents = words.names("the name of a parent", ")")
    for parent in parents:
        draft.known(parent, words.line)
    shape = draft.shape(child, parents)
    if prod(shape) > MOST_ENTRIES:
        words.fail(f"the table of {child!r} would have {prod(shape):,} entries")
    values = np.full(shape, np.nan)
    given: set[tuple[int, ...]] = set()
    words.mark("{")
    while words.peek() != "}":
        mark = words.peek()
        if mark == "(":
            words.next()
            keys = words.names("a state", ")")
            words.mark(":")
            place = _row(words, draft, child, parents, keys, words.numbers(), values)
            if place in given:
                words.fail(f"the row ({', '.join(keys)}) of {child!r} occurs twice")
            given.add(place)
        elif mark == "default":
            words.next()
            words.mark(":")
            numbers = words.numbers()
            if len(numbers) != shape[-1]:
                words.fail(f"default has {len(numbers)} probabilities, {child!r} has {shape[-1]} states")
            values[np.isnan(values).all(axis=-1)] = numbers
        elif mark == ";":
            words.next()
        else:
            numbers = words.numbers()
            if len(numbers) != shape[-1] or parents:
                words.fail(f"{len(numbers)} probabilities without the states of the parents of {child!r}")
            values[...] = numbers
    words.mark("}")
    draft.table(child, parents, values, line)


def _row(
    words: Words,
    draft: Draft,
    child: str,
    parents: list[str],
    keys: list[str],
    numbers: list[float],
    values: np.ndarray,
) -> tuple[int, ...]:
    """Write a row at its place, which is the answer."""
    if len(keys) != len(parents):
        words.fail(f"{child!r} has {len(parents)} parents, and the row names {len(keys)} states")
    place = []
    for parent, key in zip(parents, keys):
        states = draft.states[parent]
        at = state_place(key, states)
        if at is None:
            words.fail(f"{parent!r} has no state {key[:40]!r}; it has {len(states)}: {', '.join(states[:8])}")
        place.append(at)
    if len(numbers) != values.shape[-1]:
        words.fail(f"the row has {len(numbers)} probabilities, {child!r} has {values.shape[-1]} states")
    values[tuple(place)] = numbers
    return tuple(place)


def text(network: Any) -> str:
    """The network as text; rows name the states of the parents by their numbers."""
    lines = ['belief network "unknown"']
    for node in network.nodes:
        states = ", ".join(_text(s) for s in node.states)
        lines += [
            f"node {quoted(node.name)}",
            "{",
            f"  type : discrete [ {len(node.states)} ] = {{ {states} }};",
            "}",
        ]
    for node in network.nodes:
        sizes = [len(network[p].states) for p in node.parents]
        given_by = f" | {', '.join(map(quoted, node.parents))}" if node.parents else ""
        lines += [f"probability ( {quoted(node.name)}{given_by} )", "{"]
        for j, row in enumerate(network.table(node.name).reshape(-1, len(node.states)).tolist()):
            key = ", ".join(map(str, np.unravel_index(j, sizes))) if sizes else ""
            lines.append(f"  {f'({key}) : ' if sizes else ''}{', '.join(map(repr, row))};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def _text(state: Any) -> str:
    return '"' + str(state).replace("\\", "\\\\").replace('"', '\\"') + '"'
