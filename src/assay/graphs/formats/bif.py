"""BIF, the Bayesian interchange format of text files.

A ``table`` of a variable with parents runs through the parents' configurations for its first state, then for its
second, and so on, as the format's description has it; rows with the parents' states in brackets are clear by
themselves.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np

from assay.graphs.formats.words import Draft, Words, quoted

__all__ = ["parse", "text"]

MOST_ENTRIES = 1 << 27  # of one table


def parse(content: str, path: str) -> Any:
    """The network of a text."""
    words = Words(content, path)
    draft = Draft(words.fail)
    while not words.done():
        word = words.next()
        if word == "network":
            words.name("the name of the network")
            _skip_block(words)
        elif word == "variable":
            _variable(words, draft)
        elif word == "probability":
            _probability(words, draft)
        elif word == "property":
            words.skip()
        else:
            words.fail(f"expected network, variable or probability, got {word!r}")
    return draft.network()


def _skip_block(words: Words) -> None:
    words.mark("{")
    depth = 1
    while depth:
        mark = words.peek()
        words.next("'}'")
        depth += (mark == "{") - (mark == "}")


def _variable(words: Words, draft: Draft) -> None:
    name, line = words.name("the name of a variable"), words.line
    states: list[str] = []
    words.mark("{")
    while words.peek() != "}":
        word = words.next("'}'")
        if word == "type":
            kind = words.name("discrete")
            if kind != "discrete":
                words.fail(f"the variable {name!r} is {kind}; BIF networks have discrete variables")
            words.mark("[")
            n = words.number()
            words.mark("]")
            if words.peek() == "=":
                words.next()
            words.mark("{")
            states = words.names("a state", "}")
            if len(states) != n:
                words.fail(f"the variable {name!r} says that it has {n:g} states and names {len(states)}")
            if words.peek() == ";":
                words.next()
        elif word == "property":
            words.skip()
        elif word != ";":
            words.fail(f"expected type or property, got {word!r}")
    words.mark("}")
    draft.variable(name, states, line)


def _probability(words: Words, draft: Draft) -> None:
    words.mark("(")
    child, line = words.name("the name of a variable"), words.line
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
            states = words.names("a state", ")")
            place = _row(words, draft, child, parents, states, words.numbers(), values)
            if place in given:
                words.fail(f"the row ({', '.join(states)}) of {child!r} occurs twice")
            given.add(place)
        elif mark in ("table", "default", "property"):
            words.next()
            if mark == "property":
                words.skip()
                continue
            numbers = words.numbers()
            if mark == "default":
                if len(numbers) != shape[-1]:
                    words.fail(f"default has {len(numbers)} probabilities, {child!r} has {shape[-1]} states")
                values[np.isnan(values).all(axis=-1)] = numbers
            elif len(numbers) != values.size:
                words.fail(f"the table of {child!r} has {len(numbers)} numbers, expected {values.size}")
            else:  # the child's states run slowest
                values[...] = np.moveaxis(np.reshape(numbers, [shape[-1], *shape[:-1]]), 0, -1)
        else:
            words.fail(f"expected table, default or the states of the parents, got {words.next()!r}")
    words.mark("}")
    draft.table(child, parents, values, line)


def _row(
    words: Words,
    draft: Draft,
    child: str,
    parents: list[str],
    states: list[str],
    numbers: list[float],
    values: np.ndarray,
) -> tuple[int, ...]:
    """Write a row at its place, which is the answer."""
    if len(states) != len(parents):
        words.fail(f"{child!r} has {len(parents)} parents, and the row names {len(states)} states")
    place = []
    for parent, state in zip(parents, states):
        if state not in draft.states[parent]:
            words.fail(f"{parent!r} has no state {state!r}. It has {', '.join(draft.states[parent][:8])}")
        place.append(draft.states[parent].index(state))
    if len(numbers) != values.shape[-1]:
        words.fail(f"the row has {len(numbers)} probabilities, {child!r} has {values.shape[-1]} states")
    values[tuple(place)] = numbers
    return tuple(place)


def text(network: Any) -> str:
    """The network as text."""
    lines = ["network unknown {", "}"]
    for node in network.nodes:
        states = ", ".join(map(quoted, node.states))
        lines += [
            f"variable {quoted(node.name)} {{",
            f"  type discrete [ {len(node.states)} ] {{ {states} }};",
            "}",
        ]
    for node in network.nodes:
        table = network.table(node.name).reshape(-1, len(node.states))
        given_by = f" | {', '.join(map(quoted, node.parents))}" if node.parents else ""
        lines.append(f"probability ( {quoted(node.name)}{given_by} ) {{")
        for key, row in zip(product(*(network[p].states for p in node.parents)), table.tolist()):
            head = f"({', '.join(map(quoted, key))})" if node.parents else "table"
            lines.append(f"  {head} {', '.join(map(repr, row))};")
        lines.append("}")
    return "\n".join(lines) + "\n"
