"""A node of a Bayesian network: a column with parents."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Each, Object, Plain, Text
from assay.errors import DataError, ParameterError, did_you_mean
from assay.graphs.conditionals import Conditional, LinearGaussianConditional, TableConditional
from assay.tables import Column

__all__ = ["Node", "as_evidence", "number_of"]

CONDITIONALS = (
    "assay.graphs.conditionals.TableConditional",
    "assay.graphs.conditionals.NoisyOrConditional",
    "assay.graphs.conditionals.LogisticConditional",
    "assay.graphs.conditionals.SoftmaxConditional",
    "assay.graphs.conditionals.LinearGaussianConditional",
)


@dataclass(frozen=True, eq=False)
class Node:
    """A column of a table and how it depends on others.

    Parameters
    ----------
    name : str
    states : list of labels, or None for a number
    conditional : probabilities, or a conditional, default None
        None waits until the network is fitted.
    parents : list of names, default ()

    Examples
    --------
    >>> from assay.graphs import Node
    >>> Node("wet", ["yes", "no"], [[0.9, 0.1], [0.2, 0.8]], parents=["rain"])
    Node('wet', ['yes', 'no'], TableConditional, parents=['rain'])
    """

    name: str
    states: Any = None
    conditional: Any = None
    parents: Any = ()
    stored = {
        "name": Text(),
        "states": Plain(tuple) | None,
        "conditional": Object(*CONDITIONALS) | None,
        "parents": Each(Text()),
    }

    def __post_init__(self) -> None:
        name, states = str(self.name), self.states
        object.__setattr__(self, "name", name)
        parents = (self.parents,) if isinstance(self.parents, str) else self.parents
        if not np.iterable(parents):
            raise ParameterError(f"Node {name!r}: parents must be a list of names, got {parents!r}.")
        object.__setattr__(self, "parents", tuple(str(p) for p in parents))
        if len(set(self.parents)) < len(self.parents) or name in self.parents:
            raise DataError(
                f"Node {name!r}: its parents {', '.join(self.parents)} must be other nodes, each once."
            )
        if states is not None:
            if isinstance(states, str) or not np.iterable(states):
                raise ParameterError(
                    f"Node {name!r}: states must be a list of labels, or None for a number, got {states!r}."
                )
            states = tuple(s.item() if isinstance(s, np.generic) else s for s in states)
            if not states:
                raise DataError(f"Node {name!r}: it has no states. Give their names, or None for a number.")
            if len(set(states)) < len(states):
                twice = next(s for s in states if states.count(s) > 1)
                raise DataError(f"Node {name!r}: two states are called {twice!r}.")
            if any(s is None or s != s for s in states):
                raise DataError(
                    f"Node {name!r}: None and NaN are missing values, no states. Call it 'missing'."
                )
            object.__setattr__(self, "states", states)
        conditional = self.conditional
        if conditional is not None and not isinstance(conditional, (Conditional, LinearGaussianConditional)):
            if states is None:
                raise ParameterError(
                    f"Node {name!r}: a number needs a LinearGaussianConditional, got {type(conditional).__name__}."
                )
            object.__setattr__(self, "conditional", TableConditional(conditional))
        if conditional is not None and isinstance(self.conditional, LinearGaussianConditional) != (
            states is None
        ):
            raise ParameterError(
                f"Node {name!r}: a LinearGaussianConditional is for numbers (states=None), the others for states."
            )

    @property
    def column(self) -> Column:
        """The node as a column of a schema."""
        if self.states is None:
            return Column(self.name)
        return Column(self.name, "nominal", self.states)

    def code(self, state: Hashable, who: str) -> int:
        """The number of a state, by itself or by its text."""
        if state in self.states:
            return self.states.index(state)
        texts = [str(s) for s in self.states]
        if str(state) in texts:
            return texts.index(str(state))
        raise DataError(
            f"{self.name!r} has no state {state!r}.{did_you_mean(state, texts)}",
            who=who,
            code="unknown-state",
        )

    def with_conditional(self, conditional: Any, parents: Sequence[str] | None = None) -> Node:
        """The same node with another conditional, and perhaps other parents."""
        return Node(self.name, self.states, conditional, self.parents if parents is None else parents)

    def __repr__(self) -> str:
        states = "a number" if self.states is None else list(self.states)
        kind = type(self.conditional).__name__ if self.conditional is not None else None
        return f"Node({self.name!r}, {states}, {kind}, parents={list(self.parents)})"


def as_evidence(evidence: Any, who: str = "BayesianNetwork") -> dict[str, Any]:
    """What is said of some nodes, as a dict; None says nothing."""
    try:
        return {} if evidence is None else dict(evidence)
    except (TypeError, ValueError):
        raise ParameterError(
            f"evidence must be a mapping of names to states, for example {{'smoke': 'yes'}}, got {evidence!r}.",
            who=who,
        ) from None


def number_of(name: str, value: Any) -> float:
    """What is said of a node that is a number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise DataError(f"BayesianNetwork: node {name!r} is a number, got {value!r} as evidence.")
    return number
