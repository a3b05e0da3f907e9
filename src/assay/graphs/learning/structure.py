"""Learning a structure from a table, and the network with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import ParameterError
from assay.graphs.learning.chow_liu import mutual_informations, tree_within
from assay.graphs.learning.constraints import Constraints
from assay.graphs.learning.equivalence import PartialGraph, class_within
from assay.graphs.learning.pc import pc_graph
from assay.graphs.learning.scores import FamilyScorer
from assay.graphs.learning.search import Climb, Climber
from assay.graphs.learning.states import WITH_EM, StateTable, state_table
from assay.graphs.network import BayesianNetwork
from assay.graphs.node import Node
from assay.types import RandomState, TableLike

__all__ = ["METHODS", "LearnedStructure", "learn_network", "learn_structure"]

ROWS_AT_ONCE = 1 << 18  # whose codes are counted in eight bytes
RESTARTS = 40  # of tabu search, by default
METHODS = ("hill climbing", "tabu", "chow-liu", "pc")


@dataclass(frozen=True)
class LearnedStructure:
    """A structure and how it was learned.

    Attributes
    ----------
    names : list of columns      arcs : list of pairs (parent, child)      score : float, of the chosen kind
    history : list of dicts: the moves of the search, or the tests of PC that removed an edge
    partial : PartialGraph, the equivalence class, directed further by what is required, forbidden, or in tiers
    """

    names: list[str]
    arcs: list[tuple[str, str]]
    score: float
    partial: PartialGraph
    history: list[dict[str, Any]] = field(default_factory=list)

    def with_score(self, score: float) -> LearnedStructure:
        """The same with another score."""
        return replace(self, score=score)

    def __str__(self) -> str:
        return f"score {self.score:.6g}: " + (", ".join(f"{a} -> {b}" for a, b in self.arcs) or "no arcs")


def learn_structure(
    X: TableLike | StateTable,
    method: str = "hill climbing",
    *,
    score: str = "bic",
    required: Sequence[tuple[str, str]] = (),
    forbidden: Sequence[tuple[str, str]] = (),
    tiers: Sequence[Sequence[str]] | None = None,
    max_parents: int | None = None,
    restarts: int | None = None,
    tabu: int = 10,
    patience: int = 5,
    alpha: float = 0.05,
    max_given: int = 3,
    root: str | None = None,
    equivalent_sample_size: float = 1.0,
    cuts: int | Mapping[str, Any] | None = None,
    missing: str = "raise",
    random_state: RandomState = 0,
) -> LearnedStructure:
    """Arcs between the columns of a table.

    Parameters
    ----------
    X : table of categories, a Dask frame, or blocks (files, a list of frames, or a function that returns one)
        Blocks are read twice; their codes, a byte for each value, are held in memory.
    method : "hill climbing", "tabu", "chow-liu" or "pc"
        The best move at a time until none gains; the same, going on over worse structures; the best tree; tests of
        independence.
    score : "bic", "aic", "bdeu", "k2" or "log-likelihood", of the searches
    required, forbidden : pairs (parent, child)
    tiers : lists of names, causes first; no arc goes back
        Chow and Liu's tree is then the best of those that keep to all this, and may fall into several trees.
    max_parents : int or None
    restarts : int, default None
        How often the search starts again from the best structure with a fifth of its arcs turned round or dropped; None
        is 40 for tabu search, else 0.
    tabu, patience : int, how long an arc that was changed stays, and how many moves may bring nothing
    alpha, max_given : of PC: the level of its tests, and the size of its conditioning sets
    root : name, of Chow and Liu's tree
    equivalent_sample_size : float, of BDeu
    cuts : number of intervals of numeric columns, or a mapping of names to cuts
        Whole numbers of which a column has no more than intervals stay as they are.
    missing : "raise", "state" or "em"
        Missing values are refused, are a state of their own, or are summed out: structural EM completes each row by
        draws from its posterior, learns again, and keeps the structure with the best score of what is observed. No row
        is left out. The score is then BIC of the observed values (AIC, the log likelihood, if these are asked for).
    random_state : seed of the restarts and of the draws

    Examples
    --------
    >>> from assay.graphs import learn_structure, load_network
    >>> rows = load_network("sprinkler").sample(20000, random_state=1)
    >>> print(learn_structure(rows).partial)
    sprinkler -> wet, rain -> wet, cloudy - sprinkler, cloudy - rain

    See Also
    --------
    learn_network, equivalence_class, arc_strength

    References
    ----------
    - Spirtes, P., Glymour, C. and Scheines, R. (2000). Causation, Prediction, and Search, second edition. MIT Press.
    - Colombo, D. and Maathuis, M. H. (2014). Order-independent constraint-based causal structure learning. Journal of
      Machine Learning Research 15, 3741-3782.
    """
    who = "learn_structure"
    if method not in METHODS:
        raise ParameterError(f"method must be one of {', '.join(METHODS)}, got {method!r}.", who=who)
    _check_counts(who, restarts=restarts or 0, tabu=tabu, patience=patience, max_given=max_given)
    if max_parents is not None:
        _check_counts(who, max_parents=max_parents)
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must be between 0 and 1, got {alpha!r}.", who=who)
    data = X if isinstance(X, StateTable) else state_table(X, who, cuts, missing, WITH_EM)
    constraints = Constraints(data.names, required, forbidden, tiers, who)
    return structure_of(
        data,
        constraints,
        method,
        score=score,
        max_parents=max_parents,
        restarts=restarts,
        tabu=tabu,
        patience=patience,
        alpha=alpha,
        max_given=max_given,
        root=root,
        equivalent_sample_size=equivalent_sample_size,
        random_state=random_state,
    )


def structure_of(
    data: StateTable,
    constraints: Constraints,
    method: str = "hill climbing",
    *,
    score: str = "bic",
    max_parents: int | None = None,
    restarts: int | None = None,
    tabu: int = 10,
    patience: int = 5,
    alpha: float = 0.05,
    max_given: int = 3,
    root: str | None = None,
    equivalent_sample_size: float = 1.0,
    weights: np.ndarray | None = None,
    random_state: RandomState = 0,
) -> LearnedStructure:
    """The same from codes and constraints that were checked."""
    if data.gaps is not None:
        from assay.graphs.learning.structural_em import structure_with_gaps

        def learn(complete: StateTable) -> LearnedStructure:
            return structure_of(
                complete,
                constraints,
                method,
                score=score,
                max_parents=max_parents,
                restarts=restarts,
                tabu=tabu,
                patience=patience,
                alpha=alpha,
                max_given=max_given,
                root=root,
                equivalent_sample_size=equivalent_sample_size,
                random_state=random_state,
            )

        cost = {"aic": 1.0, "log-likelihood": 0.0}.get(score, 0.5 * np.log(data.codes.shape[1]))
        return structure_with_gaps(data, learn, float(cost), as_generator(random_state, "learn_structure"))
    names = data.names
    scorer = FamilyScorer(data, score, equivalent_sample_size, weights)
    if method == "pc":
        partial, tests = pc_graph(data, constraints, alpha, max_given, weights)
        arcs = _acyclic(partial, constraints)
        return LearnedStructure(names, arcs, _score(scorer, arcs), partial, tests)
    if method == "chow-liu":
        if root is not None and root not in names:
            raise ParameterError(f"learn_structure: there is no column {root!r} for the root.")
        parent = tree_within(
            mutual_informations(data), constraints, None if root is None else names.index(root)
        )
        arcs = [(names[parent[j]], names[j]) for j in range(len(names)) if parent[j] >= 0]
        return LearnedStructure(names, arcs, _score(scorer, arcs), class_within(names, arcs, constraints))
    climber = Climber(scorer, constraints, max_parents)
    stay: dict[str, Any] = {"tabu": tabu, "patience": patience} if method == "tabu" else {}
    best = climber.climb(**stay)
    rng = as_generator(random_state, "learn_structure")
    for _ in range((RESTARTS if method == "tabu" else 0) if restarts is None else restarts):
        again = climber.climb(climber.perturbed(best.arcs, rng), **stay)
        if again.score > best.score:
            best = Climb(again.arcs, again.score, best.history + again.history)
    arcs = [(names[i], names[j]) for j in range(len(names)) for i in np.flatnonzero(best.arcs[:, j])]
    return LearnedStructure(names, arcs, best.score, class_within(names, arcs, constraints), best.history)


def _score(scorer: FamilyScorer, arcs: Sequence[tuple[str, str]]) -> float:
    place = {name: i for i, name in enumerate(scorer.data.names)}
    return sum(scorer.family(i, [place[a] for a, b in arcs if b == n]) for n, i in place.items())


def _acyclic(partial: PartialGraph, constraints: Constraints) -> list[tuple[str, str]]:
    """The arcs of a member; where finite samples left a cycle, an arc that closes it is turned, or else left out."""
    place = {name: i for i, name in enumerate(partial.names)}
    kept: list[tuple[str, str]] = []
    below: dict[str, set[str]] = {name: {name} for name in partial.names}  # what each name leads to

    def is_required(arc: tuple[str, str]) -> bool:
        return bool(constraints.required[place[arc[0]], place[arc[1]]])

    for a, b in sorted(partial.a_member(), key=lambda arc: not is_required(arc)):
        arc = (b, a) if a in below[b] else (a, b)
        if not constraints.allowed[place[arc[0]], place[arc[1]]]:
            continue
        kept.append(arc)
        for names in below.values():
            if arc[0] in names:
                names |= below[arc[1]]
    return kept


def _check_counts(who: str, **counts: int) -> None:
    for name, value in counts.items():
        check_count(who, name, value, low=0)


def learn_network(
    X: TableLike, method: str = "hill climbing", *, smoothing: float = 0.0, **options: Any
) -> BayesianNetwork:
    """A network learned from a table: its structure, then its tables.

    Parameters
    ----------
    X : table of categories
    method, options : as in :func:`learn_structure`
    smoothing : float, pseudo-count of each entry of the tables

    Examples
    --------
    >>> from assay.graphs import learn_network, load_network
    >>> rows = load_network("rain").sample(5000, random_state=0)
    >>> learn_network(rows)
    BayesianNetwork of 2 nodes and 1 arcs (chain)

    See Also
    --------
    learn_structure, fit_parameters
    """
    data = state_table(X, "learn_network", options.get("cuts"), options.get("missing", "raise"), WITH_EM)
    learned = learn_structure(data, method, **options)
    nodes = [
        Node(node.name, node.states, None, [a for a, b in learned.arcs if b == node.name])
        for node in data.nodes
    ]
    n = data.codes.shape[1]

    def parts() -> Iterator[np.ndarray]:
        return (data.take(slice(a, a + ROWS_AT_ONCE)).rows() for a in range(0, n, ROWS_AT_ONCE))

    rows: Any = data.rows() if n <= ROWS_AT_ONCE else parts
    return BayesianNetwork(nodes).fit(rows, alpha=smoothing)
