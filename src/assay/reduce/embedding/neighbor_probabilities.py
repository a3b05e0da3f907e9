"""How probable each row's neighbours are, by Gaussians whose width gives all rows the same number of neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core.csr import compressed_matrix
from assay.core.parallel import in_threads, threads
from assay.distances.search import Searcher
from assay.errors import DataError
from assay.reduce.embedding import _tsne
from assay.reduce.embedding.neighbor_graph import neighbor_graph

__all__ = ["conditional_probabilities", "joint_probabilities", "neighbors_for", "with_crew"]

NEIGHBORS_PER_PERPLEXITY = 3  # beyond so many, a Gaussian of that perplexity has next to no mass


def neighbors_for(perplexity: float, n: int) -> int:
    """How many neighbours a perplexity needs, of n rows that there are.

    >>> from assay.reduce.embedding.neighbor_probabilities import neighbors_for
    >>> neighbors_for(30, 1000), neighbors_for(30, 50)
    (91, 50)
    """
    return max(1, min(n, int(NEIGHBORS_PER_PERPLEXITY * perplexity + 1)))


def conditional_probabilities(distances: np.ndarray, start: np.ndarray, perplexity: float) -> np.ndarray:
    r"""(E,) the probabilities p(j | i) of each row's neighbours, at these distances, which begin at ``start``.

    .. math:: p_{j|i} \propto e^{-\beta_i d_{ij}^2}, \qquad -\sum_j p_{j|i} \log_2 p_{j|i} = \log_2 \text{perplexity}

    Where fewer neighbours are known than the perplexity asks for, all are as probable. Distances in any unit give the
    same.

    >>> import numpy as np
    >>> from assay.reduce.embedding.neighbor_probabilities import conditional_probabilities
    >>> p = conditional_probabilities(np.array([1.0, 2.0, 3.0]), np.array([0, 3]), perplexity=2)
    >>> p.round(4), round(float(2 ** -(p * np.log2(p)).sum()), 6)
    (array([0.7272, 0.2365, 0.0364]), 2.0)
    """
    p = np.empty(len(distances))
    distances = np.ascontiguousarray(distances, dtype=np.float64)
    start = np.ascontiguousarray(start, dtype=np.int64)
    with_crew(lambda crew: _tsne.probabilities(distances, start, float(perplexity), p, crew), len(distances))
    return p


def joint_probabilities(search: Searcher, perplexity: float, n_neighbors: int, who: str) -> Any:
    """(n, n) symmetric CSR matrix of sum 1: (p(j | i) + p(i | j)) / 2n over the nearest rows."""
    graph = neighbor_graph(search, n_neighbors, who=who)
    if graph.data.min(initial=0.0) < 0:
        raise DataError(
            f"{who}: All distances should be positive, the metric given is not correct; got {graph.data.min():g}."
        )
    p = conditional_probabilities(graph.data, graph.indptr, perplexity)
    one_way = compressed_matrix("csr_matrix", p, graph.indices, graph.indptr, graph.shape)
    both = one_way + one_way.T
    both.sort_indices()
    both.data /= both.data.sum()
    return both


def with_crew(work: Callable[[_tsne.Crew], Any], size: int) -> Any:
    """What ``work(crew)`` returns; with helpers in the crew where its size is worth it."""
    helpers = threads() - 1 if size >= WORTH_SHARING else 0
    if helpers == 0:
        return work(_tsne.Crew(1))
    crew = _tsne.Crew(helpers + 1)
    results: list[Any] = []

    def lead() -> None:
        try:
            results.append(work(crew))
        finally:
            crew.close()  # helpers go home, also if the leader stumbled

    parts: list[Callable[[], None]] = [lead, *[crew.help] * helpers]
    in_threads(lambda part: part(), parts)
    return results[0]


WORTH_SHARING = 1 << 17  # pairs of neighbours, from which threads save time
