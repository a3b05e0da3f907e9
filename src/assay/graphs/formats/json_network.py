"""JSON, which holds every kind of node and conditional."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError, ReadError

__all__ = ["parse", "text"]

KINDS = {
    "table": ("TableConditional", ("values",)),
    "noisy-or": ("NoisyOrConditional", ("failures", "leak")),
    "logistic": ("LogisticConditional", ("weights", "intercept")),
    "softmax": ("SoftmaxConditional", ("weights", "intercepts")),
    "linear gaussian": ("LinearGaussianConditional", ("intercept", "weights", "variance")),
}
FORMAT = "assay network 1"


def parse(content: str, path: str) -> Any:
    """The network of a text."""
    import assay.graphs.conditionals as conditionals
    from assay.graphs.directed_graph import find_cycle
    from assay.graphs.network import BayesianNetwork
    from assay.graphs.node import Node

    def fail(what: str, line: int = 1) -> Any:
        raise ReadError(what, where=f"{path}, line {line}", code="malformed-network")

    try:
        data = json.loads(content)
    except json.JSONDecodeError as error:
        fail(f"it is no JSON: {error.msg}", error.lineno)
    except RecursionError:
        fail("it is nested too deep")
    except ValueError:  # Python refuses whole numbers of thousands of digits
        fail("it has a whole number of too many digits")
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        fail(f'it is no network: expected "format": "{FORMAT}"')
    nodes = data.get("nodes")
    if not isinstance(nodes, list) or not nodes:
        fail('it has no "nodes"')
    made = []
    for entry in nodes:
        name: Any = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str):
            fail('a node has no "name"')
        line = _line(content, name)
        states, parents, given = entry.get("states"), entry.get("parents", []), entry.get("conditional")
        if states is not None and not (
            isinstance(states, list) and all(isinstance(s, (str, int, float, bool)) for s in states)
        ):
            fail(f'the "states" of {name!r} must be a list of labels, or null for a number', line)
        if not isinstance(parents, list) or not all(isinstance(p, str) for p in parents):
            fail(f'the "parents" of {name!r} must be a list of names', line)
        conditional = None
        if given is not None:
            kind: Any = given.get("kind") if isinstance(given, dict) else None
            if not isinstance(kind, str) or kind not in KINDS:
                fail(f"the conditional of {name!r} must be one of {', '.join(KINDS)}, got {kind!r}", line)
            cls, fields = KINDS[kind]
            if set(given) != {"kind", *fields}:
                fail(f"the {kind} of {name!r} must have {', '.join(fields)} and nothing else", line)
            try:
                arrays = {f: np.array(given[f], np.float64) for f in fields}
                conditional = getattr(conditionals, cls)(**arrays)
            except (TypeError, ValueError, OverflowError):
                fail(f"the {kind} of {name!r} has numbers that do not fit together", line)
        try:
            made.append(Node(name, states, conditional, parents))
        except (DataError, ParameterError) as error:
            fail(str(error), line)
    try:
        return BayesianNetwork(made)
    except DataError as error:
        cycle = find_cycle({node.name: node.parents for node in made}) if error.code == "cycle" else []
        blamed = cycle[:1] or [node.name for node in made if repr(node.name) in str(error)]
        fail(str(error), _line(content, blamed[0]) if blamed else 1)


def _line(content: str, name: str) -> int:
    """The line where a node is named."""
    at = content.find(f'"name": {json.dumps(name)}')
    return content.count("\n", 0, at) + 1 if at >= 0 else 1


def text(network: Any) -> str:
    """The network as text, a node on each line."""
    kinds = {cls: (kind, fields) for kind, (cls, fields) in KINDS.items()}
    lines = []
    for node in network.nodes:
        conditional = None
        if node.conditional is not None:
            kind, fields = kinds[type(node.conditional).__name__]
            conditional = {
                "kind": kind,
                **{f: np.asarray(getattr(node.conditional, f)).tolist() for f in fields},
            }
        entry = {
            "name": node.name,
            "states": None if node.states is None else list(node.states),
            "parents": list(node.parents),
            "conditional": conditional,
        }
        lines.append("  " + json.dumps(entry, ensure_ascii=False))
    return f'{{"format": "{FORMAT}",\n "nodes": [\n' + ",\n".join(lines) + "\n]}\n"
