"""The Weisfeiler-Lehman kernel: neighbourhoods that two graphs share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.parameters import check_count
from assay.core.stored import Integer
from assay.kernels.structures.bags import Bags, mix
from assay.kernels.structures.count_kernel import CountKernel
from assay.kernels.structures.graph import graphs_as_parts

__all__ = ["WeisfeilerLehman"]


@dataclass(frozen=True, eq=False)
class WeisfeilerLehman(CountKernel):
    r"""Graphs are alike if many of their nodes have neighbourhoods that look the same.

    Each node has a label; again and again it gets a new one, which stands for its label and the labels of its
    neighbours, however they are ordered. After h rounds a label stands for all that can be seen within h steps. With
    :math:`c_s^{(i)}` the number of nodes labelled s after i rounds,

    .. math:: K(a, b) = \sum_{i=0}^{h} \sum_s c_s^{(i)}(a)\,c_s^{(i)}(b) \quad (1)

    Without labels all nodes begin alike, and differ by their degree after one round.

    Cost: O(h e) for a graph with e edges, then O(shared labels) a pair.

    Parameters
    ----------
    iterations : int, default 5
        h.

    Examples
    --------
    >>> from assay.kernels import Graph, WeisfeilerLehman
    >>> three, two = Graph.of_edges([(0, 1), (1, 2)]), Graph.of_edges([(0, 1)])
    >>> WeisfeilerLehman(1)([three], [two])  # 3 * 2 nodes, and 2 * 2 nodes of degree 1
    array([[10.]])

    See Also
    --------
    ShortestPaths, SharedWalks

    References
    ----------
    - Shervashidze, N., Schweitzer, P., van Leeuwen, E. J., Mehlhorn, K. and Borgwardt, K. M. (2011).
      Weisfeiler-Lehman graph kernels. Journal of Machine Learning Research 12, 2539-2561.
    """

    iterations: int = 5
    stored = {"iterations": Integer()}

    def __post_init__(self) -> None:
        h = self.iterations
        check_count("WeisfeilerLehman", "iterations", h, low=0)

    def _bags(self, rows: np.ndarray) -> Bags:
        parts = graphs_as_parts(rows, "WeisfeilerLehman")
        owner, degree = parts.owner, np.diff(parts.start)
        target = parts.link + np.repeat(parts.first[:-1][owner], degree)
        label, rounds = mix(parts.label), []
        for i in range(self.iterations + 1):
            rounds.append(mix(label ^ np.uint64(i)))
            around = np.zeros(len(label), dtype=np.uint64)  # a sum of mixed numbers: no order
            np.add.at(around, np.repeat(np.arange(len(label)), degree), mix(label[target]))
            label = mix(mix(label) ^ mix(around + degree.astype(np.uint64)))
        sizes = np.diff(parts.first) * (self.iterations + 1)
        order = np.argsort(np.tile(owner, self.iterations + 1), kind="stable")
        return Bags(np.concatenate([[0], np.cumsum(sizes)]), np.concatenate(rounds)[order])
