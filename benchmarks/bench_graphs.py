"""Bayesian networks against pyAgrum: marginals, rows at once, EM, structure, classifiers.

Networks are drawn (each node has up to three of the six nodes before it as parents) or built in. A folder of BIF files
named by the environment variable ASSAY_NETWORKS adds others of the literature. Both sides compile before the clock
starts; a query of pyAgrum is its lazy propagation with all posteriors taken out. Structures are learned from the same
data frame of texts; its tabu search starts once. bnlearn, a package of R, takes no part.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyagrum as gum

from assay.graphs import (
    BayesianNetwork,
    Node,
    TANClassifier,
    learn_structure,
    load_network,
    network_score,
    read_network,
    write_network,
)
from assay.graphs.classic import NETWORKS
from assay.graphs.learning.parameters import fit_parameters
from benchmarks.harness import Race

FOLDER = os.environ.get("ASSAY_NETWORKS", "")
QUERIED = ("asia", "alarm", "insurance", "hailfinder", "win95pts", "andes", "water", "mildew", "barley")
LEARNED = ("alarm", "insurance", "hailfinder")
BNLEARN = (
    "bnlearn 4.9.4 takes no part: measured on the same files, CPU, TAN with its tables (10000 x 36, factors and "
    "categories) took 1.04\n"
    "  of its time, prediction 0.86; hill climbing 0.08 to 0.09 at the same BIC; tabu search 0.13, 0.17 and 0.38 of "
    "its tabu search\n"
    "  at better or equal BIC (alarm -107276, insurance -134554, hailfinder -498399), and 0.01 to 0.04 of its hill "
    "climbing with\n"
    "  forty restarts (-107182, -134625, -498285). Codes of tables without missing values have since taken TAN from "
    "11.6 to 10.7 ms\n"
    "  (0.92), which has not been measured beside bnlearn again"
)
ABSOLUTE = (
    "CPU microseconds a row, one thread, 20,000 rows of codes of alarm, insurance and hailfinder: posterior of "
    "complete rows 0.16,\n"
    "  0.20 and 0.36, with a tenth missing 0.9, 1.1 and 1.5; from a data frame of texts 1.9, 1.3 and 2.5. TAN predicts "
    "50,000 x 36\n"
    "  categories in 0.39 a row"
)


def races() -> list[Race]:
    gum.setNumberOfThreads(1)
    networks = {f"drawn, {d} nodes": drawn(d) for d in (40, 150)}
    queried = {**networks, **{name: known for name in QUERIED if (known := of_literature(name))}}
    learned = {**networks, **{name: load_network(name) for name in LEARNED}}
    learned.pop("drawn, 150 nodes")
    return [
        *(race for name, network in queried.items() for race in marginals(name, network)),
        *(race for name, network in learned.items() for race in rows_at_once(name, network)),
        *(expectation(name, network) for name, network in list(learned.items())[:2][-1:]),
        *(race for name, network in learned.items() for race in structure(name, network)),
        *classifiers(learned["drawn, 40 nodes"]),
    ]


def of_literature(name: str) -> BayesianNetwork | None:
    """A network that is built in, or in the folder; None if it is in neither."""
    path = Path(FOLDER, f"{name}.bif")
    if name in NETWORKS:
        return load_network(name)
    return read_network(path) if FOLDER and path.exists() else None


def growths() -> list[str]:
    """What the searches found: scores of the same kind on the same rows."""
    lines = []
    for name in LEARNED:
        frame = pd.DataFrame(load_network(name).sample(10_000, random_state=0))
        scores = [score(frame, learn_structure(frame, how).arcs) for how in ("hill climbing", "tabu")]
        scores += [score(frame, arcs_of_peer(frame, tabu)) for tabu in (False, True)]
        ours, peer = (" and ".join(f"{s:.0f}" for s in pair) for pair in (scores[:2], scores[2:]))
        lines.append(f"BIC of hill climbing and tabu search, {name}: {ours}; pyAgrum {peer}")
    return [*lines, BNLEARN, ABSOLUTE]


def score(frame: pd.DataFrame, arcs: list[tuple[str, str]]) -> float:
    return float(network_score(frame, arcs))


def arcs_of_peer(frame: pd.DataFrame, tabu: bool) -> list[tuple[str, str]]:
    learner = gum.BNLearner(frame)
    learner.useScoreBIC()
    learner.useLocalSearchWithTabuList() if tabu else learner.useGreedyHillClimbing()
    return [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in learner.learnDAG().arcs()]


def drawn(d: int) -> BayesianNetwork:
    rng = np.random.default_rng(0)
    cards = rng.integers(2, 5, d)
    nodes = []
    for i in range(d):
        near = np.arange(max(0, i - 6), i)
        parents = rng.choice(near, min(len(near), int(rng.integers(0, 4))), replace=False)
        table = rng.dirichlet(np.full(cards[i], 0.5), int(np.prod(cards[parents], dtype=int)))
        nodes.append(Node(f"n{i}", [f"s{k}" for k in range(cards[i])], table, [f"n{p}" for p in parents]))
    return BayesianNetwork(nodes)


def as_peer(network: BayesianNetwork) -> Any:
    path = os.path.join(tempfile.mkdtemp(), "network.bif")
    write_network(network, path)
    return gum.loadBN(path)


def marginals(name: str, network: BayesianNetwork) -> list[Race]:
    peer = as_peer(network)
    network.marginals()
    best, _ = network.most_probable()
    chosen = np.random.default_rng(0).choice(network.names, max(1, len(network) // 10), replace=False)
    entries = network.junction_tree().entries

    def of_peer(evidence: dict[str, Any]) -> list[Any]:
        inference = gum.LazyPropagation(peer)
        inference.setEvidence(evidence)
        inference.makeInference()
        return [inference.posterior(node) for node in peer.names()]

    repeat = 20 if entries < 20_000 else 1
    size = f"{len(network)} nodes, {entries} entries"
    return [
        Race(f"All marginals, {name}", size, lambda: network.marginals(), lambda: of_peer({}), repeat),
        Race(
            f"All marginals given a tenth, {name}",
            size,
            lambda: network.marginals({str(n): best[str(n)] for n in chosen}),
            lambda: of_peer({str(n): str(best[str(n)]) for n in chosen}),
            repeat,
        ),
    ]


def codes(network: BayesianNetwork, n: int, gaps: float = 0.0) -> np.ndarray:
    rows = network.sample(n, random_state=0)
    table = np.stack([pd.Categorical(rows[c.name], list(c.states)).codes for c in network.nodes], axis=1)
    table = table.astype(np.int64)
    table[np.random.default_rng(1).random(table.shape) < gaps] = -1
    return table


def rows_at_once(name: str, network: BayesianNetwork) -> list[Race]:
    peer, target = as_peer(network), network.names[len(network) // 2]
    races = []
    for gaps, what in ((0.0, "complete"), (0.1, "a tenth missing")):
        table = codes(network, 500, gaps)
        names = [node.name for node in network.nodes]
        states = [[str(s) for s in node.states] for node in network.nodes]
        evidence = [
            {names[j]: states[j][c] for j, c in enumerate(row) if c >= 0 and names[j] != target}
            for row in table[:50]
        ]

        def of_peer(evidence: list[dict[str, str]] = evidence) -> None:
            inference = gum.LazyPropagation(peer)
            inference.addTarget(target)
            for known in evidence:
                inference.setEvidence(known)
                inference.makeInference()
                inference.posterior(target)

        ten = np.tile(table[:50], (1, 1))
        races.append(
            Race(
                f"Posterior of 50 rows, {what}, {name}",
                f"{len(network)} nodes",
                lambda ten=ten: network.posterior(target, ten),
                of_peer,
            )
        )
    return races


def expectation(name: str, network: BayesianNetwork) -> Race:
    table = codes(network, 500, 0.1)
    empty = BayesianNetwork([Node(n.name, n.states, None, n.parents) for n in network.nodes])
    texts = {
        node.name: [str(node.states[c]) if c >= 0 else "?" for c in table[:, j]]
        for j, node in enumerate(network.nodes)
    }
    path = os.path.join(tempfile.mkdtemp(), "rows.csv")
    pd.DataFrame(texts).to_csv(path, index=False)
    peer = as_peer(network)

    def of_peer() -> Any:
        learner = gum.BNLearner(path, peer, ["?"])
        learner.useEM(1e-4)
        learner.useSmoothingPrior(1e-2)
        return learner.learnParameters(peer.dag())

    return Race(
        f"EM, {name}",
        "500 rows, a tenth missing",
        lambda: fit_parameters(empty, table, alpha=0.01, tol=1e-4, max_iter=200),
        of_peer,
    )


def structure(name: str, network: BayesianNetwork) -> list[Race]:
    frame = pd.DataFrame(network.sample(10_000, random_state=0))

    def of_peer(tabu: bool) -> Any:
        learner = gum.BNLearner(frame)
        learner.setNumberOfThreads(1)
        learner.useScoreBIC()
        learner.useLocalSearchWithTabuList() if tabu else learner.useGreedyHillClimbing()
        return learner.learnDAG()

    size = f"10000 x {len(network)}"
    return [
        Race(
            f"Hill climbing, {name}, from a data frame",
            size,
            lambda: learn_structure(frame, "hill climbing"),
            lambda: of_peer(False),
        ),
        Race(
            f"Tabu search, forty restarts, {name}, from a data frame",
            size,
            lambda: learn_structure(frame, "tabu"),
            lambda: of_peer(True),
        ),
    ]


def classifiers(network: BayesianNetwork) -> list[Race]:
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
    from pyagrum.skbn import BNClassifier

    frame = pd.DataFrame(network.sample(10_000, random_state=0))
    target = network.names[5]
    y, X = frame[target].to_numpy(), frame.drop(columns=target)
    model = TANClassifier().fit(X, y)
    peer = BNClassifier(type_processor=DiscreteTypeProcessor(), learningMethod="TAN").fit(X, y)
    some = X[:300]
    return [
        Race("TAN, fit", "10000 x 39", lambda: TANClassifier().fit(X, y),
             lambda: BNClassifier(type_processor=DiscreteTypeProcessor(), learningMethod="TAN").fit(X, y)),
        Race("TAN, predict", "300 x 39", lambda: model.predict(some), lambda: peer.predict(some)),
    ]  # fmt: skip
