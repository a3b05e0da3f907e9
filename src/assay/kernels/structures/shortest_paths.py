"""The kernel of shortest paths that two graphs share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.csr import compressed_matrix
from assay.kernels.structures.bags import Bags, mix
from assay.kernels.structures.count_kernel import CountKernel
from assay.kernels.structures.graph import graphs_as_parts

__all__ = ["ShortestPaths"]


@dataclass(frozen=True, eq=False)
class ShortestPaths(CountKernel):
    r"""Graphs are alike if many pairs of nodes have the same labels and are equally far apart.

    .. math:: K(a, b) = \sum_{s, t, d} c_{std}(a)\,c_{std}(b) \quad (1)

    with :math:`c_{std}` the number of ordered pairs of different nodes labelled s and t whose shortest path has the
    length d, the sum of the weights of its edges. Pairs without a path do not count.

    Cost: O(n e log n) a graph with n nodes and e edges, then O(kinds of pairs) a pair of graphs.

    Examples
    --------
    >>> from assay.kernels import Graph, ShortestPaths
    >>> three, two = Graph.of_edges([(0, 1), (1, 2)]), Graph.of_edges([(0, 1)])
    >>> ShortestPaths()([three, two])  # 4 pairs at distance 1 and 2 at distance 2; 2 at distance 1
    array([[20.,  8.],
           [ 8.,  4.]])

    See Also
    --------
    SharedWalks, WeisfeilerLehman

    References
    ----------
    - Borgwardt, K. M. and Kriegel, H.-P. (2005). Shortest-path kernels on graphs. Fifth IEEE International Conference
      on Data Mining. doi:10.1109/ICDM.2005.132
    """

    def _bags(self, rows: np.ndarray) -> Bags:
        from scipy.sparse.csgraph import shortest_path

        parts = graphs_as_parts(rows, "ShortestPaths")
        features, sizes = [], [0]
        for i in range(len(parts)):
            graph = parts[i : i + 1]
            n = len(graph.label)
            weight = graph.weight if len(graph.weight) else np.ones(len(graph.link))
            A = compressed_matrix("csr_array", weight, graph.link, graph.start, (n, n))
            far = shortest_path(A, unweighted=not len(graph.weight))
            s, t = np.nonzero(np.isfinite(far) & ~np.eye(n, dtype=bool))
            lengths = far[s, t].astype(np.float64).view(np.uint64)
            features.append(mix(mix(mix(graph.label[s]) ^ graph.label[t]) ^ lengths))
            sizes.append(len(s))
        return Bags(np.cumsum(sizes), np.concatenate(features))
