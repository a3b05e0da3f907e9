"""Parameters of a known structure: counts, pseudo-counts, and EM where values are missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.core.sums import Block, Rows, Source, is_dask
from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError, warn_user
from assay.graphs.conditionals import TableConditional
from assay.graphs.families import family_counts
from assay.graphs.learning.mixed_parameters import (
    MixedSums,
    completed_sums,
    family_sums,
    mixed_start,
    scales_of,
    solved_mixed,
)
from assay.graphs.learning.states import row_blocks
from assay.graphs.network import BayesianNetwork
from assay.types import RandomState, TableLike, Weights

__all__ = [
    "EMResult",
    "FamilySums",
    "count_families",
    "expectation_maximization",
    "fit_parameters",
    "solved_network",
]


@dataclass
class FamilySums:
    """Counts of all families in one line, of complete and of expected rows; they add.

    Attributes
    ----------
    counts : (E,) entries of all tables      log_likelihood : float      weight : float, of all rows
    gaps : (d,) total weight of the rows that lack each node
    """

    counts: np.ndarray
    log_likelihood: float
    weight: float
    gaps: np.ndarray

    def __add__(self, other: FamilySums) -> FamilySums:
        return FamilySums(
            self.counts + other.counts,
            self.log_likelihood + other.log_likelihood,
            self.weight + other.weight,
            self.gaps + other.gaps,
        )


@dataclass(frozen=True)
class EMResult:
    """What EM made: the network, and how the likelihood rose.

    Attributes
    ----------
    network : BayesianNetwork      n_iter : int      converged : bool
    history : list of float, the log likelihood (with pseudo-counts: plus the log prior) before each step
    """

    network: BayesianNetwork
    history: list[float] = field(default_factory=list)
    n_iter: int = 0
    converged: bool = True


def fit_parameters(
    network: BayesianNetwork,
    X: TableLike,
    sample_weight: Weights | None = None,
    *,
    alpha: float = 0.0,
    max_iter: int = 500,
    tol: float = 1e-8,
    random_state: RandomState = 0,
) -> BayesianNetwork:
    r"""A network of the same graph whose tables are learned from rows.

    Complete rows are counted, with ``alpha`` as pseudo-count of each entry (0: maximum likelihood; 1: Laplace; a
    Dirichlet prior in general). If values are missing, or nodes are hidden (X has no such column), the counts are
    expected ones, by EM: no row is left out. Nodes that are numbers are fitted by least squares; where numbers or
    states around them are missing, to their expectations. A mixture of normals is such a network with a hidden node.

    Counts are sums over rows: X may be a table, a Dask frame, or blocks (paths of CSV or Parquet files, a list of
    frames, or a function that returns one).

    Parameters
    ----------
    network : BayesianNetwork, whose conditionals say which kind to learn (tables, if there are none)
    X : table with a column for each node that is observed
    sample_weight : (n,) what each row counts
    alpha : float, default 0
    max_iter, tol : of EM; it ends when a step gains less than ``tol`` for each row
    random_state : seed of the start of hidden nodes

    Examples
    --------
    >>> from assay.graphs import BayesianNetwork, Node, fit_parameters
    >>> network = BayesianNetwork([Node("rain", ["yes", "no"]), Node("wet", ["yes", "no"], parents=["rain"])])
    >>> rows = {"rain": ["yes", "yes", "no", "no"], "wet": ["yes", "yes", "yes", "no"]}
    >>> fit_parameters(network, rows, alpha=1).table("wet")
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])

    See Also
    --------
    expectation_maximization, learn_network

    References
    ----------
    - Lauritzen, S. L. (1995). The EM algorithm for graphical association models with missing data. Computational
      Statistics and Data Analysis 19, 191-201. doi:10.1016/0167-9473(93)E0056-A
    """
    return expectation_maximization(
        network, X, sample_weight, alpha=alpha, max_iter=max_iter, tol=tol, random_state=random_state
    ).network


def expectation_maximization(
    network: BayesianNetwork,
    X: TableLike,
    sample_weight: Weights | None = None,
    *,
    alpha: float = 0.0,
    max_iter: int = 500,
    tol: float = 1e-8,
    random_state: RandomState = 0,
) -> EMResult:
    """As :func:`fit_parameters`, with the history of the likelihood.

    Examples
    --------
    >>> from assay.graphs import expectation_maximization, load_network
    >>> network = load_network("rain")
    >>> rows = {"rain": ["yes", None, "no", None], "wet": ["yes", "yes", "no", "no"]}
    >>> result = expectation_maximization(network, rows)
    >>> all(a <= b + 1e-12 for a, b in zip(result.history, result.history[1:]))
    True
    """
    who = "fit_parameters"
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float, np.number)) or not 0 <= alpha < np.inf:
        raise ParameterError(f"alpha must be a number from 0 up, got {alpha!r}.", who=who)
    check_count(who, "max_iter", max_iter)
    source = _source(network, X, sample_weight, who)
    if network._numeric:
        return _fit_mixed(network, source, float(alpha), int(max_iter), tol, random_state)
    counted = source.add_up(lambda block: count_families(network, block))
    if not counted.weight > 0:
        raise DataError("there is no row to learn from.", who=who)
    if not counted.gaps.any():
        return EMResult(solved_network(network, counted.counts, alpha))
    return _em(network, source, counted, alpha, int(max_iter), tol, random_state)


def _em(
    network: BayesianNetwork,
    source: Source,
    counted: FamilySums,
    alpha: float,
    max_iter: int,
    tol: float,
    random_state: RandomState,
) -> EMResult:
    current = _start(network, counted, random_state)
    history: list[float] = []
    for step in range(1, max_iter + 1):
        tree, tables = current._tree(None), current._flat({})

        def expected(block: Block, tree: Any = tree, tables: np.ndarray = tables) -> FamilySums:
            rows, inverse = np.unique(block.X, axis=0, return_inverse=True)
            weights = np.bincount(inverse.ravel(), block.w, minlength=len(rows))
            counts, logs = tree.family_counts(tables, rows, weights)
            if np.isneginf(logs[weights > 0]).any():
                raise DataError(
                    "a row has probability 0 in the network that EM starts from. Smooth it: alpha=1.",
                    who="fit_parameters",
                )
            return FamilySums(
                counts, float(weights @ np.where(weights > 0, logs, 0.0)), float(weights.sum()), np.zeros(1)
            )

        sums = source.add_up(expected)
        value = sums.log_likelihood
        if alpha > 0:
            value += float(alpha * np.log(np.maximum(tables, 1e-300)).sum())
        history.append(value)
        current = solved_network(current, sums.counts, alpha)
        if len(history) > 1 and history[-1] - history[-2] <= tol * sums.weight:
            return EMResult(current, history, step, True)
    _warn_unfinished(max_iter)
    return EMResult(current, history, max_iter, False)


def _start(network: BayesianNetwork, counted: FamilySums, random_state: RandomState) -> BayesianNetwork:
    """Tables as given; else from the rows that are complete, smoothed; around a hidden node drawn, not all alike."""
    rng = as_generator(random_state, "fit_parameters")
    hidden = {i for i in range(len(network)) if counted.gaps[i] >= counted.weight}
    offset, nodes = 0, []
    for i, node in enumerate(network.nodes):
        shape = (
            int(np.prod([network._cards[network.index(p)] for p in node.parents], dtype=np.int64)),
            len(node.states),
        )
        counts = counted.counts[offset : offset + shape[0] * shape[1]].reshape(shape)
        offset += counts.size
        family = {i, *(network.index(p) for p in node.parents)}
        if node.conditional is not None:
            nodes.append(node)
        elif family & hidden:
            nodes.append(
                node.with_conditional(TableConditional(rng.dirichlet(np.full(shape[1], 5.0), shape[0])))
            )
        else:
            nodes.append(node.with_conditional(TableConditional.from_counts(counts, 1.0)))
    return BayesianNetwork(nodes)


def solved_network(network: BayesianNetwork, counts: np.ndarray, alpha: float) -> BayesianNetwork:
    """The same graph with conditionals learned from counts of all families in one line."""
    offset, nodes = 0, []
    for node in network.nodes:
        parents = [network[p].column for p in node.parents]
        q, r = int(np.prod([len(p.categories) for p in parents], dtype=np.int64)), len(node.states)
        part = counts[offset : offset + q * r].reshape(q, r)
        offset += q * r
        conditional = (
            node.conditional if node.conditional is not None else TableConditional(np.full(r, 1.0 / r))
        )
        nodes.append(node.with_conditional(conditional.fitted(part, node.column, parents, alpha)))
    return BayesianNetwork(nodes)


def count_families(network: BayesianNetwork, block: Block) -> FamilySums:
    """Counts of the rows in which a family is complete, and what is missing."""
    rows, w = block.X, block.w
    return FamilySums(family_counts(network, rows, w), 0.0, float(w.sum()), w @ (rows < 0))


def _source(network: BayesianNetwork, X: Any, w: Any, who: str) -> Source:
    """Rows of codes with weights, from memory, blocks or a cluster."""

    def prepare(X: Any, y: Any = None, w: Any = None) -> Block:
        rows = network._rows(X)
        weights = np.ones(len(rows)) if w is None else np.asarray(w, np.float64)
        return Block(rows, None, weights)

    source = row_blocks(X, who, prepare, w)
    if source is not None:
        if w is not None and not is_dask(X):
            raise ParameterError(
                "sample_weight goes with rows in memory or on Dask, not with blocks.", who=who
            )
        return source
    rows = network._rows(X)
    weights = check_weights(w, rows, who)
    return Rows(rows, None, np.ones(len(rows)) if weights is None else np.asarray(weights, np.float64))


def _fit_mixed(
    network: BayesianNetwork,
    source: Source,
    alpha: float,
    max_iter: int,
    tol: float,
    random_state: RandomState,
) -> EMResult:
    """Counts for states, least squares for numbers; with missing values their expectations, by EM."""
    scales = scales_of(source)
    if not scales.rows > 0:
        raise DataError("there is no row to learn from.", who="fit_parameters")
    sums = source.add_up(lambda block: family_sums(network, block.X, block.w, scales))
    if not scales.gaps.any():
        return EMResult(solved_mixed(network, sums, scales, alpha, floor=False))
    current = mixed_start(network, sums, scales, as_generator(random_state, "fit_parameters"))
    history: list[float] = []
    for step in range(1, max_iter + 1):

        def expected(block: Block, network: BayesianNetwork = current) -> MixedSums:
            return completed_sums(network, block, scales)

        sums = source.add_up(expected)
        value = sums.log_likelihood
        if alpha > 0:
            value += float(sum(alpha * np.log(np.maximum(t, 1e-300)).sum() for t in current._tables))
        history.append(value)
        current = solved_mixed(current, sums, scales, alpha, floor=True)
        if len(history) > 1 and history[-1] - history[-2] <= tol * scales.rows:
            return EMResult(current, history, step, True)
    _warn_unfinished(max_iter)
    return EMResult(current, history, max_iter, False)


def _warn_unfinished(max_iter: int) -> None:
    warn_user(
        f"fit_parameters: EM stopped after {max_iter} steps while the likelihood still rose. Raise max_iter or tol.",
        ConvergenceWarning,
    )
