"""Drawing from networks: ancestral sampling, likelihood weighting, Gibbs sampling."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import DataError, DegenerateError
from assay.graphs.asking import SMALL_TREE, Question
from assay.graphs.distribution import Distribution, NumberDistribution
from assay.graphs.families import blanket_scores
from assay.types import RandomState

__all__ = ["ancestral_sample", "conditional_sample", "sampled_query"]

CHAINS = 200  # of Gibbs sampling, side by side
BURN_IN = 0.2  # share of the sweeps that is thrown away
START_TRIES = 100_000  # rows that are drawn to find starts that agree with the evidence


def ancestral_sample(network: Any, n: int, random_state: RandomState, fixed: Any = None) -> np.ndarray:
    """(n, d) codes and numbers, each node drawn given its parents; ``fixed`` maps nodes to codes that they keep."""
    rng = as_generator(random_state, "BayesianNetwork.sample")
    fixed = fixed or {}
    rows = np.zeros((n, len(network)))
    for name in network.graph.order:
        i, node = network.index(name), network[name]
        if i in fixed:
            rows[:, i] = fixed[i]
            continue
        config = network.configuration(node, rows)
        if node.states is None:
            c = node.conditional
            numbers = [network.index(p) for p in node.parents if network[p].states is None]
            mean = c.intercept[config] + (rows[:, numbers] * c.weights[config]).sum(axis=1)
            rows[:, i] = mean + np.sqrt(c.variance[config]) * rng.standard_normal(n)
        else:
            rows[:, i] = _draw(rng, network._tables[i], config)
    return rows


def _draw(rng: np.random.Generator, table: np.ndarray, which: np.ndarray) -> np.ndarray:
    """(n,) one state from row ``which[i]`` of the table for each i."""
    steps = np.cumsum(table, axis=1)
    u = rng.random(len(which)) * steps[which, -1]
    return (u[:, None] >= steps[which][:, :-1]).sum(axis=1)


def conditional_sample(
    network: Any, n: int, evidence: dict[str, Any], random_state: RandomState
) -> np.ndarray:
    """(n, d) rows drawn from the exact distribution given evidence."""
    rng = as_generator(random_state, "BayesianNetwork.sample")
    if network._numeric:
        from assay.graphs.mixed_rows import drawn_completions

        if np.isneginf(network._log_evidence(evidence)):
            network._refuse_impossible(evidence)
        return drawn_completions(network, network._hard_row(evidence, "sample"), n, rng)
    return Question(network, evidence).draw(n, rng)


def sampled_query(
    network: Any,
    names: list[str],
    evidence: dict[str, Any],
    method: str,
    n: int,
    random_state: RandomState,
) -> Distribution | NumberDistribution:
    """An approximate answer with standard errors; of a number the draws and their weights."""
    check_count("BayesianNetwork.query", "n_samples", n, low=2)
    numbers = [name for name in names if network[name].states is None]
    if numbers and (len(names) > 1 or method == "gibbs"):
        raise DataError(
            f"node {numbers[0]!r} is a number: ask for it alone, by method='likelihood weighting' or 'exact'.",
            who="query",
        )
    if method == "gibbs":
        return _gibbs(network, names, evidence, int(n), random_state)
    rows, weights = weighted_sample(network, evidence, int(n), random_state)
    if not weights.any():
        _refuse_if_impossible(network, evidence)
        raise DegenerateError(
            f"BayesianNetwork: none of {n:,} drawn rows agrees with the evidence. Draw more (n_samples), or use "
            "method='exact'."
        )
    share = weights / weights.sum()
    if numbers:
        drawn = rows[:, network.index(names[0])]
        return NumberDistribution(names[0], share, drawn, np.zeros(len(drawn)))
    codes, shape = _joint_codes(network, names, rows)
    p = np.bincount(codes, share, minlength=int(np.prod(shape)))
    error = np.sqrt([(share**2 * ((codes == k) - p[k]) ** 2).sum() for k in range(len(p))])
    return Distribution([network[name] for name in names], p.reshape(shape), error.reshape(shape))


def weighted_sample(
    network: Any, evidence: dict[str, Any], n: int, random_state: RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Rows in which the evidence is fixed, and their weights: the probability of the evidence given its parents."""
    from assay.graphs.mixed import number_log_density

    row, soft = network._codes(evidence)
    fixed: dict[int, float] = {i: int(code) for i, code in enumerate(row) if code >= 0}
    fixed.update({network.index(k): float(v) for k, v in evidence.items() if network[k].states is None})
    rows = ancestral_sample(network, n, random_state, fixed)
    logs = np.zeros(n)
    for i in fixed:
        node = network.nodes[i]
        config = network.configuration(node, rows)
        if node.states is None:
            logs += number_log_density(network, node, rows, config)
        else:
            with np.errstate(divide="ignore"):
                logs += np.log(network._tables[i][config, int(fixed[i])])
    for i, likelihood in soft.items():
        with np.errstate(divide="ignore"):
            logs += np.log(likelihood[rows[:, i].astype(np.int64)])
    if np.isneginf(logs).all():
        return rows, np.zeros(n)
    return rows, np.exp(logs - logs.max())


def _gibbs(
    network: Any, names: list[str], evidence: dict[str, Any], n: int, random_state: RandomState
) -> Distribution:
    """Chains side by side: each node in turn is drawn given all others, that is, given its Markov blanket."""
    network._states_only("gibbs")
    rng = as_generator(random_state, "BayesianNetwork.query")
    row, soft = network._codes(evidence)
    chains = int(min(CHAINS, n))
    sweeps = -(-n // chains)
    burn = max(10, int(BURN_IN * sweeps))
    rows = _starts(network, evidence, chains, rng)
    free = [i for i in range(len(network)) if row[i] < 0]
    shape = [len(network[name].states) for name in names]
    totals = np.zeros((chains, int(np.prod(shape))))
    for sweep in range(burn + sweeps):
        for i in free:
            scores = blanket_scores(network, i, rows)
            if i in soft:
                with np.errstate(divide="ignore"):
                    scores += np.log(soft[i])
            p = np.exp(scores - scores.max(axis=1, keepdims=True))
            rows[:, i] = _draw(rng, p, np.arange(chains))
        if sweep >= burn:
            codes, _ = _joint_codes(network, names, rows)
            totals[np.arange(chains), codes] += 1
    per_chain = totals / sweeps
    p = per_chain.mean(axis=0)
    error = per_chain.std(axis=0, ddof=1) / np.sqrt(chains) if chains > 1 else np.full(len(p), np.nan)
    return Distribution([network[name] for name in names], p.reshape(shape), error.reshape(shape))


def _starts(network: Any, evidence: dict[str, Any], chains: int, rng: np.random.Generator) -> np.ndarray:
    """(chains, d) rows that agree with the evidence and are possible, drawn by their weights."""
    tries = chains
    while tries <= START_TRIES:
        rows, weights = weighted_sample(network, evidence, tries, rng)
        if weights.any():
            chosen = rng.choice(len(rows), chains, p=weights / weights.sum())
            return np.ascontiguousarray(rows[chosen], np.int64)
        tries *= 10
    _refuse_if_impossible(network, evidence)
    raise DegenerateError(
        f"BayesianNetwork: none of {START_TRIES:,} drawn rows agrees with the evidence, so that Gibbs sampling has no "
        "start. Use method='exact'."
    )


def _refuse_if_impossible(network: Any, evidence: dict[str, Any]) -> None:
    """Name the conflict where the exact answer costs little."""
    if not network._numeric and network._tree(None).entries <= SMALL_TREE:
        network.marginals(evidence)


def _joint_codes(network: Any, names: list[str], rows: np.ndarray) -> tuple[np.ndarray, list[int]]:
    shape = [len(network[name].states) for name in names]
    columns = [rows[:, network.index(name)].astype(np.int64) for name in names]
    return np.ravel_multi_index(columns, shape), shape
