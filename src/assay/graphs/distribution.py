"""Distributions that a network answers with: of nodes with states, and of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from assay.core.explanation import text_table
from assay.errors import DataError
from assay.graphs.node import Node

__all__ = ["Distribution", "Marginals", "NumberDistribution"]


class Distribution(Mapping[Any, float]):
    """The joint distribution of some nodes: a mapping of states (of several nodes: of tuples) to probabilities.

    Attributes
    ----------
    probabilities : array with an axis for each node
    names : list of names      states : list of tuples of states
    error : array of standard errors of an approximate answer, or None if it is exact

    Examples
    --------
    >>> from assay.graphs import load_network
    >>> load_network("sprinkler").query("rain", {"wet": "yes"}).to_dict()
    {'yes': 0.626..., 'no': 0.373...}
    """

    def __init__(self, nodes: list[Node], values: np.ndarray, error: np.ndarray | None = None):
        self._nodes = nodes
        self.names = [node.name for node in nodes]
        self.states = [tuple(node.states) for node in nodes]
        self.probabilities = np.asarray(values, np.float64).reshape([len(s) for s in self.states])
        self.error = error

    def __getitem__(self, state: Any) -> float:
        states = state if len(self._nodes) > 1 else (state,)
        if not isinstance(states, (tuple, list)) or len(states) != len(self._nodes):
            raise KeyError(state)
        return float(
            self.probabilities[tuple(n.code(s, "Distribution") for n, s in zip(self._nodes, states))]
        )

    def __contains__(self, state: object) -> bool:
        try:
            self[state]
        except (KeyError, DataError):
            return False
        return True

    def __iter__(self) -> Iterator[Any]:
        from itertools import product

        if len(self._nodes) == 1:
            return iter(self.states[0])
        return iter(product(*self.states))

    def __len__(self) -> int:
        return self.probabilities.size

    def to_dict(self) -> dict[Any, float]:
        """The same as a dict."""
        return dict(zip(self, self.probabilities.ravel().tolist()))

    @property
    def mode(self) -> Any:
        """The most probable state, or tuple of states; the first of equals."""
        return list(self)[int(np.argmax(self.probabilities))]

    def __str__(self) -> str:
        rows = []
        for i, (key, p) in enumerate(self.to_dict().items()):
            row = [*(key if len(self._nodes) > 1 else (key,)), p]
            if self.error is not None:
                row.append(float(np.ravel(self.error)[i]))
            rows.append([str(cell) if not isinstance(cell, float) else cell for cell in row])
        heads = [*self.names, "probability", *(["standard error"] if self.error is not None else [])]
        return text_table(heads, rows)

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}: {p:.4g}" for key, p in list(self.to_dict().items())[:8])
        return f"P({', '.join(self.names)}) = {{{shown}{', ...' if len(self) > 8 else ''}}}"


class NumberDistribution:
    """The distribution of a node that is a number: a mixture of normals, of which one may be all.

    Attributes
    ----------
    weights, means, variances : (m,) of the normals      mean, variance : float, of the mixture
    """

    def __init__(self, name: str, weights: np.ndarray, means: np.ndarray, variances: np.ndarray):
        self.name = name
        self.weights, self.means, self.variances = weights, means, variances
        self.mean = float(weights @ means)
        self.variance = float(weights @ (variances + (means - self.mean) ** 2))

    def pdf(self, x: Any) -> np.ndarray:
        """The density at x."""
        z = np.asarray(x, np.float64)[..., None]
        with np.errstate(divide="ignore"):
            parts = np.exp(-((z - self.means) ** 2) / (2 * self.variances)) / np.sqrt(
                2 * np.pi * self.variances
            )
        return parts @ self.weights

    def __repr__(self) -> str:
        return f"{self.name}: mean {self.mean:.4g}, variance {self.variance:.4g}"


class Marginals(Mapping[str, Any]):
    """The distributions of all nodes given the same evidence: a mapping of names to distributions.

    Attributes
    ----------
    log_evidence : float, the logarithm of the probability of the evidence
    """

    def __init__(
        self,
        nodes: list[Node],
        values: np.ndarray,
        log_evidence: float,
        numbers: Mapping[str, Any] | None = None,
    ):
        self._nodes = {node.name: node for node in nodes}
        self._values, self.log_evidence, self._numbers = values, log_evidence, dict(numbers or {})
        self._start: dict[str, int] = {}
        start = 0
        for node in nodes:
            if node.states is not None:
                self._start[node.name] = start
                start += len(node.states)

    def __getitem__(self, name: str) -> Any:
        if name in self._numbers:
            return self._numbers[name]
        start = self._start[name]
        node = self._nodes[name]
        return Distribution([node], self._values[start : start + len(node.states)])

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def __str__(self) -> str:
        rows = []
        for name, _node in self._nodes.items():
            if name in self._numbers:
                rows.append([name, repr(self._numbers[name]).partition(": ")[2], ""])
            else:
                shares = self[name].to_dict().items()
                rows += [[name if i == 0 else "", str(state), p] for i, (state, p) in enumerate(shares)]
        return text_table(["node", "state", "probability"], rows)
