"""Numbers in networks: linear Gaussian nodes, alone or below nodes with states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from assay.errors import DataError, DegenerateError
from assay.graphs.node import Node

__all__ = ["NumberPart", "number_log_density", "number_parts"]

MOST_CONFIGURATIONS = 1 << 20  # of the parents with states of numbers that hang together


def number_log_density(network: Any, node: Node, rows: np.ndarray, configuration: np.ndarray) -> np.ndarray:
    """(n,) the log density of a number given its parents, in complete rows."""
    conditional = node.conditional
    numbers = [network.index(p) for p in node.parents if network[p].states is None]
    mean = conditional.intercept[configuration] + (rows[:, numbers] * conditional.weights[configuration]).sum(
        axis=1
    )
    variance = conditional.variance[configuration]
    residual = rows[:, network.index(node.name)] - mean
    with np.errstate(divide="ignore", invalid="ignore"):
        return -0.5 * (residual**2 / variance + np.log(2 * np.pi * variance))


class NumberPart:
    """Numbers that hang together through numbers nobody observed: one Gaussian for each configuration above them.

    Attributes
    ----------
    members : list of nodes, parents first      scope : list of the nodes with states above them
    informed : bool, whether one of the numbers is observed
    """

    def __init__(self, network: Any, members: list[int], row: np.ndarray, numbers: Mapping[int, float]):
        self.network, self.members, self.row, self.numbers = network, members, row, numbers
        above = {
            network.index(p)
            for i in members
            for p in network.nodes[i].parents
            if network[p].states is not None
        }
        self.scope = sorted(above)
        self.shape = [1 if row[v] >= 0 else int(network._cards[v]) for v in self.scope]
        self.informed = any(i in numbers for i in members)
        if prod(self.shape) > MOST_CONFIGURATIONS:
            raise DataError(
                f"BayesianNetwork: {network.names[members[0]]!r} and the numbers around it have {prod(self.shape):,} "
                "configurations of parents with states, too many for an exact answer. "
                "Use method='likelihood weighting'.",
                code="too-large",
            )

    @cached_property
    def _gaussians(self) -> tuple[np.ndarray, np.ndarray]:
        """(q, m) means and (q, m, m) covariances of the members, given observed parents, for each configuration."""
        network, place = self.network, {i: k for k, i in enumerate(self.members)}
        q, m = prod(self.shape), len(self.members)
        codes = self._configurations()
        mean, cov = np.zeros((q, m)), np.zeros((q, m, m))
        for k, i in enumerate(self.members):
            node = network.nodes[i]
            config = np.zeros(q, np.int64)
            for p in node.parents:
                if network[p].states is not None:
                    j = network.index(p)
                    config = config * int(network._cards[j]) + codes[:, self.scope.index(j)]
            c = node.conditional
            mean[:, k], variance = c.intercept[config], c.variance[config].copy()
            cross = np.zeros((q, m))
            hidden = []
            for w, p in enumerate(p for p in node.parents if network[p].states is None):
                j, weight = network.index(p), c.weights[config, w]
                if j in self.numbers:
                    mean[:, k] += weight * self.numbers[j]
                else:
                    mean[:, k] += weight * mean[:, place[j]]
                    cross += weight[:, None] * cov[:, :, place[j]]
                    hidden.append((place[j], weight))
            for j, weight in hidden:
                variance = variance + weight * cross[:, j]
            cov[:, k, :], cov[:, :, k] = cross, cross
            cov[:, k, k] = variance
        return mean, cov

    def _configurations(self) -> np.ndarray:
        """(q, s) the codes of the parents with states in each configuration that agrees with the evidence."""
        if not self.scope:
            return np.zeros((1, 0), np.int64)
        codes = np.stack(np.unravel_index(np.arange(prod(self.shape)), self.shape), axis=1)
        return np.where(self.row[self.scope] >= 0, self.row[self.scope], codes)

    @cached_property
    def _split(self) -> tuple[list[int], list[int], np.ndarray]:
        observed = [k for k, i in enumerate(self.members) if i in self.numbers]
        hidden = [k for k, i in enumerate(self.members) if i not in self.numbers]
        return observed, hidden, np.array([self.numbers[self.members[k]] for k in observed])

    def likelihoods(self) -> tuple[np.ndarray, float]:
        """The density of the observed numbers for each configuration, divided by the largest, and the log of that."""
        mean, cov = self._gaussians
        observed, _, values = self._split
        S = cov[:, observed][:, :, observed]
        residual = values - mean[:, observed]
        sign, logdet = np.linalg.slogdet(S)
        if (sign <= 0).any():
            name = self.network.names[self.members[observed[0]]]
            raise DegenerateError(
                f"BayesianNetwork: the observed numbers around {name!r} have a singular covariance, so that they have "
                "no density. Leave one of them out of the evidence."
            )
        solved = np.linalg.solve(S, residual[..., None])[..., 0]
        logs = -0.5 * ((residual * solved).sum(axis=1) + logdet + len(observed) * np.log(2 * np.pi))
        top = float(logs.max())
        return np.exp(logs - top).reshape(self.shape), top

    def moments(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """(q,) means and variances of a member that nobody observed, given those observed."""
        mean, cov = self._gaussians
        observed, _, values = self._split
        k = self.members.index(i)
        if not observed:
            return mean[:, k], cov[:, k, k]
        S = cov[:, observed][:, :, observed]
        cross = cov[:, k][:, observed]
        gain = np.linalg.solve(S, cross[..., None])[..., 0]
        means = mean[:, k] + (gain * (values - mean[:, observed])).sum(axis=1)
        return means, np.maximum(cov[:, k, k] - (gain * cross).sum(axis=1), 0.0)


def number_parts(
    network: Any, keep: Sequence[int], row: np.ndarray, numbers: Mapping[int, float]
) -> list[NumberPart]:
    """The numbers among these nodes, in parts that hang together through numbers nobody observed."""
    nodes = [network.index(n) for n in network.graph.order if network[n].states is None]
    nodes = [i for i in nodes if i in set(keep)]
    group = {i: i for i in nodes}

    def top(i: int) -> int:
        while group[i] != i:
            i = group[i]
        return i

    for i in nodes:
        for p in network.nodes[i].parents:
            j = network.index(p)
            if j in group and j not in numbers:
                group[top(i)] = top(j)
    by_top: dict[int, list[int]] = {}
    for i in nodes:
        by_top.setdefault(top(i), []).append(i)
    return [NumberPart(network, members, row, numbers) for members in by_top.values()]
