"""Parameters of networks with numbers: counts and moments, which are sums, and EM where values are missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.sums import Block, Source
from assay.errors import DataError, DegenerateError
from assay.graphs.conditionals import LinearGaussianConditional, TableConditional
from assay.graphs.conditionals.conditional import configuration_names
from assay.graphs.families import family_codes
from assay.graphs.mixed_rows import completed_rows
from assay.graphs.network import BayesianNetwork
from assay.graphs.node import Node

__all__ = ["MixedSums", "Scales", "completed_sums", "mixed_start", "scales_of", "solved_mixed"]

LEAST_SHARE = 1e-6  # of the variance of a column that a normal keeps in EM
LEAST_WEIGHT = 1e-8  # below so many expected rows a normal stays as it was
SPREAD = 1.0  # deviations by which the first means below a hidden node differ


@dataclass
class Scales:
    """Sums of the numbers that are observed, by which columns are centred; they add.

    Attributes
    ----------
    weight, total, square : (d,) of each node      gaps : (d,) weight of the rows that lack it      rows : float
    """

    weight: np.ndarray
    total: np.ndarray
    square: np.ndarray
    gaps: np.ndarray
    rows: float

    def __add__(self, other: Scales) -> Scales:
        """The sums of both; squares are about the mean."""
        weight = self.weight + other.weight
        step = _ratio(other.total, other.weight) - _ratio(self.total, self.weight)
        square = self.square + other.square + step**2 * _ratio(self.weight * other.weight, weight)
        return Scales(
            weight, self.total + other.total, square, self.gaps + other.gaps, self.rows + other.rows
        )

    @property
    def centre(self) -> np.ndarray:
        """(d,) means."""
        return _ratio(self.total, self.weight)

    @property
    def width(self) -> np.ndarray:
        """(d,) deviations, 1 where there is none."""
        deviation = np.sqrt(_ratio(self.square, self.weight))
        return np.where(deviation > 0, deviation, 1.0)


def _ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def scales_of(source: Source) -> Scales:
    """Of each column the mean and the spread of the values that are observed."""

    def of_block(block: Block) -> Scales:
        kept, w = ~np.isnan(block.X), block.w
        values = np.where(kept, block.X, 0.0)
        weight, total = w @ kept, w @ values
        square = w @ (kept * (values - _ratio(total, weight)) ** 2)
        return Scales(weight, total, square, w @ ~kept, float(w.sum()))

    return source.add_up(of_block)


@dataclass
class MixedSums:
    """What the parameters need of the rows; they add.

    Attributes
    ----------
    counts : of each node with states (q r,) counts, of a number None
    moments : of each number (q, p + 2, p + 2) sums of products of 1, its parents and itself, centred and scaled
    log_likelihood : float
    """

    counts: list[Any]
    moments: list[Any]
    log_likelihood: float

    def __add__(self, other: MixedSums) -> MixedSums:
        def both(a: list[Any], b: list[Any]) -> list[Any]:
            return [None if x is None else x + y for x, y in zip(a, b)]

        return MixedSums(
            both(self.counts, other.counts),
            both(self.moments, other.moments),
            self.log_likelihood + other.log_likelihood,
        )


def completed_sums(network: BayesianNetwork, block: Block, scales: Scales) -> MixedSums:
    """The expected sums of a block, given what is observed and the network."""
    total = _empty(network)
    for group in completed_rows(network, block.X):
        shares, logs = group.shares(), group.log_likelihood()
        w = block.w[group.places]
        if np.isneginf(logs[w > 0]).any():
            raise DataError(
                "a row has probability 0 in the network that EM starts from. Smooth it: alpha=1.",
                who="fit_parameters",
            )
        weights = shares * np.repeat(w, group.logs.shape[1])
        part = family_sums(network, group.rows, weights, scales, group.hidden, group.covariances)
        part.log_likelihood = float(w @ np.where(w > 0, logs, 0.0))
        total = total + part
    return total


def family_sums(
    network: BayesianNetwork,
    rows: np.ndarray,
    w: np.ndarray,
    scales: Scales,
    hidden: list[int] | None = None,
    covariances: np.ndarray | None = None,
) -> MixedSums:
    """Counts and moments of rows; a family with a missing value (NaN) counts nowhere."""
    sums, centre, width = _empty(network), scales.centre, scales.width
    place = {i: k for k, i in enumerate(hidden or [])}
    for i, node in enumerate(network.nodes):
        family = [*(network.index(p) for p in node.parents), i]
        complete = ~np.isnan(rows[:, family]).any(axis=1)
        some, weights = rows[complete], w[complete]
        if node.states is not None:
            sums.counts[i] += np.bincount(
                family_codes(network, i, some), weights, minlength=len(sums.counts[i])
            )
            continue
        line = [j for j in family if network.nodes[j].states is None]
        Z = np.column_stack([np.ones(len(some)), (some[:, line] - centre[line]) / width[line]])
        config, m = network.configuration(node, some), sums.moments[i]
        products = Z[:, :, None] * Z[:, None, :]
        inside = [k for k, j in enumerate(line) if j in place]
        if covariances is not None and inside:
            at, scale = [place[line[k]] for k in inside], width[[line[k] for k in inside]]
            part = covariances[complete][:, at][:, :, at] / (scale[:, None] * scale)
            ahead = np.array(inside) + 1
            products[:, ahead[:, None], ahead] += part
        np.add.at(m, config, products * weights[:, None, None])
    return sums


def _empty(network: BayesianNetwork) -> MixedSums:
    counts: list[Any] = []
    moments: list[Any] = []
    for i, node in enumerate(network.nodes):
        q = int(np.prod([network._cards[network.index(p)] for p in node.parents], dtype=np.int64))
        p = sum(network[name].states is None for name in node.parents)
        counts.append(None if node.states is None else np.zeros(q * int(network._cards[i])))
        moments.append(np.zeros((q, p + 2, p + 2)) if node.states is None else None)
    return MixedSums(counts, moments, 0.0)


def solved_mixed(
    network: BayesianNetwork, sums: MixedSums, scales: Scales, alpha: float, floor: bool
) -> BayesianNetwork:
    """The network with parameters from sums; with ``floor`` (EM) variances keep a share of the column's."""
    nodes = []
    for i, node in enumerate(network.nodes):
        parents = [network[p].column for p in node.parents]
        if node.states is None:
            nodes.append(node.with_conditional(_line(network, i, sums.moments[i], scales, floor)))
            continue
        r = int(network._cards[i])
        kind = node.conditional if node.conditional is not None else TableConditional(np.full(r, 1.0 / r))
        counts = sums.counts[i].reshape(-1, r)
        nodes.append(node.with_conditional(kind.fitted(counts, node.column, parents, alpha)))
    return BayesianNetwork(nodes)


def _line(
    network: BayesianNetwork, i: int, moments: np.ndarray, scales: Scales, floor: bool
) -> LinearGaussianConditional:
    """Least squares in each configuration, from centred and scaled moments."""
    node = network.nodes[i]
    line = [network.index(p) for p in node.parents if network[p].states is None]
    q, p = len(moments), len(line)
    centre, width = scales.centre, scales.width
    a, B, v = np.zeros(q), np.zeros((q, p)), np.zeros(q)
    for j, M in enumerate(moments):
        n = float(M[0, 0])
        if n < LEAST_WEIGHT:
            if floor and node.conditional is not None:
                c = node.conditional
                a[j], B[j], v[j] = c.intercept[j], c.weights[j], c.variance[j]
                continue
            states = [network[name].column for name in node.parents if network[name].states is not None]
            at = ", ".join(f"{c.name}={value}" for c, value in zip(states, configuration_names(states)[j]))
            raise DegenerateError(
                f"node {node.name!r} has no rows{f' with {at}' if at else ''} to learn from. Leave out an arc, or give "
                "more rows.",
                who="fit_parameters",
            )
        b, *_ = np.linalg.lstsq(M[:-1, :-1], M[:-1, -1], rcond=None)
        v[j] = (M[-1, -1] - 2 * b @ M[:-1, -1] + b @ M[:-1, :-1] @ b) / n * width[i] ** 2
        B[j] = b[1:] * width[i] / width[line]
        a[j] = centre[i] + width[i] * b[0] - B[j] @ centre[line]
    if floor:
        v = np.maximum(v, LEAST_SHARE * width[i] ** 2)
    if not (v > 1e-12 * width[i] ** 2).all():
        raise DegenerateError(
            f"node {node.name!r} has no variance around its parents: it is constant, a linear function of them, or has "
            f"too few rows for a line in {p} parents and a variance. Leave it out, or an arc.",
            who="fit_parameters",
        )
    return LinearGaussianConditional(a, B, v)


def mixed_start(
    network: BayesianNetwork, sums: MixedSums, scales: Scales, rng: np.random.Generator
) -> BayesianNetwork:
    """Conditionals as given; else from the rows in which the family is complete; around a hidden node drawn.

    A number with too few such rows in a configuration starts from all of them together.
    """
    hidden = {i for i in range(len(network)) if scales.gaps[i] >= scales.rows}
    nodes = []
    for i, node in enumerate(network.nodes):
        family = {i, *(network.index(p) for p in node.parents)}
        if node.conditional is not None:
            nodes.append(node)
        elif node.states is not None:
            nodes.append(_first_table(network, i, sums.counts[i], bool(family & hidden), rng))
        else:
            nodes.append(_first_line(network, i, sums.moments[i], scales, bool(family & hidden), rng))
    return BayesianNetwork(nodes)


def _first_table(
    network: BayesianNetwork, i: int, counts: np.ndarray, is_hidden: bool, rng: np.random.Generator
) -> Node:
    node, r = network.nodes[i], int(network._cards[i])
    table = counts.reshape(-1, r)
    if is_hidden:
        return node.with_conditional(TableConditional(rng.dirichlet(np.full(r, 5.0), len(table))))
    return node.with_conditional(TableConditional.from_counts(table, 1.0))


def _first_line(
    network: BayesianNetwork,
    i: int,
    moments: np.ndarray,
    scales: Scales,
    is_hidden: bool,
    rng: np.random.Generator,
) -> Node:
    node = network.nodes[i]
    q, p = moments.shape[0], moments.shape[1] - 2
    centre, width = scales.centre[i], scales.width[i]
    if is_hidden:
        a = centre + SPREAD * width * rng.standard_normal(q)
        return node.with_conditional(LinearGaussianConditional(a, np.zeros((q, p)), np.full(q, width**2)))
    pooled = moments.sum(axis=0)
    enough = (moments[:, 0, 0] > p + 2)[:, None, None]
    chosen = np.where(enough, moments, pooled)
    if pooled[0, 0] <= p + 2:
        even = LinearGaussianConditional(np.full(q, centre), np.zeros((q, p)), np.full(q, width**2))
        return node.with_conditional(even)
    return node.with_conditional(_line(network, i, chosen, scales, True))
