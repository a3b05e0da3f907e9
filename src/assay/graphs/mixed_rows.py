"""Rows of networks with numbers: what is missing in each, as every configuration of states and a normal of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from assay.errors import DataError, DegenerateError

__all__ = [
    "Completed",
    "best_completion",
    "completed_rows",
    "drawn_completions",
    "row_log_likelihoods",
    "row_posteriors",
]

MOST_CONFIGURATIONS = 1 << 16  # of the missing states of one row
MOST_ENTRIES = 1 << 20  # of completed rows and their covariances at once


@dataclass
class Completed:
    r"""Rows with the same values missing, each in every configuration of its missing states.

    Attributes
    ----------
    places : (n,) which rows      rows : (n q, d) the rows with all states; numbers that are missing have their means
    logs : (n, q) the log density of what is observed, and of the configuration
    hidden : nodes of the missing numbers
    covariances : (n q, h, h) of these given all else, or None if none is missing
    """

    places: np.ndarray
    rows: np.ndarray
    logs: np.ndarray
    hidden: list[int]
    covariances: np.ndarray | None

    def log_likelihood(self) -> np.ndarray:
        """(n,) the log density of what is observed; -inf if it cannot be."""
        from scipy.special import logsumexp

        with np.errstate(divide="ignore"):
            return np.asarray(logsumexp(self.logs, axis=1))

    def shares(self) -> np.ndarray:
        """(n q,) the probability of each configuration given the row; 0 in rows that cannot be."""
        total = self.log_likelihood()[:, None]
        with np.errstate(invalid="ignore"):
            return np.where(np.isneginf(total), 0.0, np.exp(self.logs - total)).ravel()


def completed_rows(network: Any, rows: np.ndarray) -> Iterator[Completed]:
    """The rows of codes and numbers (NaN: missing) in groups that lack the same values."""
    numbers = [i for i, node in enumerate(network.nodes) if node.states is None]
    kinds, inverse = np.unique(np.isnan(rows), axis=0, return_inverse=True)
    inverse = inverse.ravel()
    for g, missing in enumerate(kinds):
        members = np.flatnonzero(inverse == g)
        free = [i for i in np.flatnonzero(missing).tolist() if i not in numbers]
        hidden = [i for i in numbers if missing[i]]
        cards = [int(network._cards[i]) for i in free]
        q = prod(cards)
        if q > MOST_CONFIGURATIONS:
            raise DataError(
                f"row {int(members[0]) + 1} lacks {len(free)} states, which have {q:,} configurations, at most "
                f"{MOST_CONFIGURATIONS:,} are summed out. Cut numbers into intervals: the junction tree sums more.",
                who="BayesianNetwork",
                code="too-large",
            )
        configurations = np.stack(np.unravel_index(np.arange(q), cards), axis=1) if free else np.zeros((1, 0))
        at_once = max(1, MOST_ENTRIES // (q * (len(network) + len(hidden) ** 2)))
        for a in range(0, len(members), at_once):
            places = members[a : a + at_once]
            full = np.repeat(rows[places], q, axis=0)
            full[:, free] = np.tile(configurations, (len(places), 1))
            if hidden:
                logs, covariances = _filled(network, full, numbers, hidden)
            else:
                logs, covariances = network._log_joint(full), None
            yield Completed(places, full, logs.reshape(len(places), q), hidden, covariances)


def _filled(
    network: Any, rows: np.ndarray, numbers: list[int], hidden: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """(N,) log densities of rows with all states, whose missing numbers get their means; (N, h, h) covariances."""
    logs = np.zeros(len(rows))
    for i, node in enumerate(network.nodes):
        if node.states is not None:
            with np.errstate(divide="ignore"):
                config = network.configuration(node, rows)
                logs += np.log(network._tables[i][config, rows[:, i].astype(np.int64)])
    above = sorted(
        {network.index(p) for i in numbers for p in network.nodes[i].parents if network[p].states is not None}
    )
    kinds, which = np.unique(rows[:, above], axis=0, return_inverse=True)
    which = which.ravel()
    states = np.zeros((len(kinds), rows.shape[1]))
    states[:, above] = kinds
    mean, cov = _joint_normals(network, states, numbers)
    at = {i: k for k, i in enumerate(numbers)}
    h, o = [at[i] for i in hidden], [at[i] for i in numbers if i not in hidden]
    if not o:
        rows[:, hidden] = mean[which][:, h]
        return logs, cov[which][:, h][:, :, h]
    S = cov[:, o][:, :, o]
    sign, logdet = np.linalg.slogdet(S)
    if (sign <= 0).any():
        raise DegenerateError(
            f"the observed numbers around {network.names[numbers[o[0]]]!r} have a singular covariance, so that they "
            "have no density. Leave one of them out.",
            who="BayesianNetwork",
        )
    inverse = np.linalg.inv(S)
    gain = cov[:, h][:, :, o] @ inverse  # (u, h, o)
    left = cov[:, h][:, :, h] - gain @ cov[:, o][:, :, h]
    residual = rows[:, [numbers[k] for k in o]] - mean[which][:, o]
    solved = np.einsum("nij,nj->ni", inverse[which], residual)
    logs -= 0.5 * ((residual * solved).sum(axis=1) + logdet[which] + len(o) * np.log(2 * np.pi))
    rows[:, hidden] = mean[which][:, h] + np.einsum("nij,nj->ni", gain[which], residual)
    return logs, left[which]


def _joint_normals(network: Any, states: np.ndarray, numbers: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """(u, m) means and (u, m, m) covariances of all numbers given their parents with states."""
    u, m = len(states), len(numbers)
    mean, cov = np.zeros((u, m)), np.zeros((u, m, m))
    at = {i: k for k, i in enumerate(numbers)}
    for name in network.graph.order:
        i, node = network.index(name), network[name]
        if i not in at:
            continue
        k, c, config = at[i], node.conditional, network.configuration(node, states)
        parents = [at[network.index(p)] for p in node.parents if network[p].states is None]
        weights = c.weights[config]
        mean[:, k] = c.intercept[config] + (weights * mean[:, parents]).sum(axis=1)
        cross = np.einsum("up,upm->um", weights, cov[:, parents])
        cov[:, k, :], cov[:, :, k] = cross, cross
        cov[:, k, k] = c.variance[config] + (weights * cross[:, parents]).sum(axis=1)
    return mean, cov


def row_log_likelihoods(network: Any, rows: np.ndarray) -> np.ndarray:
    """(n,) the log density of each row; what is missing is summed and integrated out."""
    out = np.empty(len(rows))
    try:
        for group in completed_rows(network, rows):
            out[group.places] = group.log_likelihood()
    except DataError as error:
        if error.code != "too-large":
            raise
        from assay.graphs.asking import Question

        return np.array([Question(network, network.observed(row)).log_evidence() for row in rows])
    return out


def row_posteriors(network: Any, i: int, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, k) the distribution of a node with states given each row, in which it is missing, and (n,) log densities."""
    r = int(network._cards[i])
    out, logs = np.empty((len(rows), r)), np.empty(len(rows))
    try:
        for group in completed_rows(network, rows):
            shares = group.shares().reshape(len(group.places), -1)
            state = group.rows[: shares.shape[1], i].astype(np.int64)  # the same configurations for each row
            out[group.places] = shares @ np.eye(r)[state]
            logs[group.places] = group.log_likelihood()
    except DataError as error:
        if error.code != "too-large":
            raise
        from assay.graphs.asking import Question

        for t, row in enumerate(rows):
            out[t], logs[t] = Question(network, network.observed(row)).posterior(i)
    return out, logs


def best_completion(network: Any, row: np.ndarray) -> tuple[np.ndarray, float]:
    """(d,) the states and numbers of largest density given a row, and the log of that density, divided by the row's.

    For each configuration of the states the numbers have their means, where their normal is highest.
    """
    group = next(iter(completed_rows(network, row[None, :])))
    if np.isneginf(group.log_likelihood()[0]):
        return group.rows[0], -np.inf
    values = group.logs[0].copy()
    if group.covariances is not None:
        sign, logdet = np.linalg.slogdet(2 * np.pi * group.covariances)
        if (sign <= 0).any():
            raise DegenerateError(
                f"the number {network.names[group.hidden[0]]!r} and those around it have no density: one is a "
                "function of the others.",
                who="BayesianNetwork.most_probable",
            )
        values -= 0.5 * logdet
    best = int(np.argmax(values))
    return group.rows[best], float(values[best] - group.log_likelihood()[0])


def drawn_completions(network: Any, row: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """(n, d) rows drawn given a row, whose missing values are drawn together."""
    group = next(iter(completed_rows(network, row[None, :])))
    which = rng.choice(len(group.rows), n, p=group.shares())
    out = group.rows[which]
    if group.covariances is not None:
        values, vectors = np.linalg.eigh(group.covariances)
        roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        noise = rng.standard_normal((n, len(group.hidden)))
        out[:, group.hidden] += np.einsum("nij,nj->ni", roots[which], noise)
    return out
