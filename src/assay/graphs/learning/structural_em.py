"""Structures of tables with missing values: EM whose steps learn the structure as well."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.graphs.learning.parameters import expectation_maximization
from assay.graphs.learning.states import StateTable
from assay.graphs.network import BayesianNetwork
from assay.graphs.node import Node

__all__ = ["structure_with_gaps"]

COPIES = 5  # completions of each row
ROUNDS = 10  # of learning a structure, at most
PATIENCE = 2  # rounds that may bring nothing
EM_STEPS = 50  # for the parameters of one round
EM_TOL = 1e-4  # gain of a step for each row


def structure_with_gaps(
    data: StateTable, learn: Callable[[StateTable], Any], penalty: float, rng: np.random.Generator
) -> Any:
    """The structure that explains the values that are there best, less a penalty for each parameter.

    Every round completes each row by draws from the posterior of the network so far, learns a structure from the
    completed rows, and fits its parameters by EM to the rows as they are. Rounds are compared by the observed-data
    score, log likelihood of what is observed minus ``penalty`` for each parameter; the first network has no arcs.

    Parameters
    ----------
    data : StateTable with gaps      learn : function of a completed StateTable
    penalty : float, for each parameter      rng : of the draws

    References
    ----------
    - Friedman, N. (1997). Learning belief networks in the presence of missing values and hidden variables.
      International Conference on Machine Learning, 125-133.
    """
    rows = data.rows()
    network, best, waited = _fitted(data, [], rows)[0], None, 0
    for _ in range(ROUNDS):
        learned = learn(_completed(data, network, rows, rng))
        network, log_likelihood = _fitted(data, learned.arcs, rows)
        score = log_likelihood - penalty * network.n_parameters
        if best is None or score > best[0]:
            best, waited = (score, learned), 0
        else:
            waited += 1
        if waited >= PATIENCE:
            break
    return best[1].with_score(best[0]) if best is not None else learned


def _fitted(data: StateTable, arcs: list[tuple[str, str]], rows: np.ndarray) -> tuple[BayesianNetwork, float]:
    """The network of these arcs with parameters by EM, and the log likelihood of what the rows show."""
    nodes = [Node(n.name, n.states, None, [a for a, b in arcs if b == n.name]) for n in data.nodes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the next round goes on
        result = expectation_maximization(BayesianNetwork(nodes), rows, max_iter=EM_STEPS, tol=EM_TOL)
    return result.network, float(result.network.log_likelihood(rows).sum())


def _completed(
    data: StateTable, network: BayesianNetwork, rows: np.ndarray, rng: np.random.Generator
) -> StateTable:
    """Each row several times, its gaps drawn given what it shows."""
    many = np.repeat(rows, COPIES, axis=0)
    lacking = np.flatnonzero((many < 0).any(axis=1))
    many[lacking] = network.junction_tree().draw(network._flat({}), many[lacking], rng)
    codes = np.ascontiguousarray(many.T.astype(np.uint8))
    return StateTable(data.nodes, codes, data.missing, data.cuts, copies=COPIES)
