"""Kernels of the nodes of one graph: diffusion, and the regularised Laplacian."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import Object, Scalar
from assay.errors import DataError, ParameterError
from assay.kernels.kernel import Kernel
from assay.kernels.objects import objects_of
from assay.kernels.structures.graph import Graph
from assay.types import PointsLike

__all__ = ["DiffusionKernel", "NodeKernel", "RegularizedLaplacian"]


@dataclass(frozen=True, eq=False)
class NodeKernel(Kernel):
    """A kernel of nodes of one graph, which it holds; rows are names or numbers of nodes."""

    takes: ClassVar[frozenset[str]] = frozenset({"objects"})

    graph: Graph
    beta: float = 1.0
    stored = {"graph": Object(Graph), "beta": Scalar(0, finite=True)}

    def __post_init__(self) -> None:
        object.__setattr__(self, "graph", Graph.of(self.graph))
        if not 0 < self.beta < np.inf:
            raise ParameterError(f"{type(self).__name__}: beta must be a number above 0, got {self.beta!r}.")
        if self.graph.directed:
            raise DataError(
                f"{type(self).__name__}: edges must lead both ways with the same weight. Make the matrix symmetric: "
                "(A + A.T) / 2."
            )
        if (self.graph.weight < 0).any():
            raise DataError(f"{type(self).__name__}: the weights of edges must not be negative.")

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.diagonal(self.matrix)[self._prepared(A)].copy()

    @cached_property
    def matrix(self) -> np.ndarray:
        """(n, n) the values of all nodes of the graph."""
        A = self.graph.adjacency.toarray()
        np.fill_diagonal(A, 0.0)  # a loop leads nowhere
        values, vectors = np.linalg.eigh(np.diag(A.sum(axis=1)) - A)
        K = (vectors * self._of(np.maximum(values, 0.0))) @ vectors.T
        return (K + K.T) / 2

    @cached_property
    def _place(self) -> dict[Any, int]:
        nodes = range(len(self.graph)) if self.graph.nodes is None else self.graph.nodes
        return {node: i for i, node in enumerate(nodes)}

    def _of(self, values: np.ndarray) -> np.ndarray:
        """The eigenvalues of the kernel matrix from those of the Laplacian."""
        raise TypeError(f"{type(self).__name__} must define _of")

    def _prepared(self, X: Any) -> np.ndarray:
        if isinstance(X, np.ndarray) and X.dtype == np.intp and X.ndim == 1:
            return X
        rows = objects_of(X, type(self).__name__)
        unknown = [node for node in rows.tolist() if node not in self._place]
        if unknown:
            raise DataError(f"{type(self).__name__}: {unknown[0]!r} is no node of the graph.")
        return np.array([self._place[node] for node in rows.tolist()], dtype=np.intp)

    def _block(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return self.matrix[np.ix_(A, B)]


@dataclass(frozen=True, eq=False)
class DiffusionKernel(NodeKernel):
    r"""Nodes are alike if heat flows quickly from one to the other: joined by many and short paths.

    .. math:: K = \exp\bigl(\beta(A - D)\bigr) = \sum_i e^{-\beta\lambda_i} v_i v_i^T \quad (1)

    with the weights A of the edges, the degrees D, and the eigenvalues of the Laplacian D - A. Rows are nodes: their
    names, or numbers from 0.

    Cost: O(n^3) once for a graph of n nodes, then O(1) a pair; memory O(n^2).

    Parameters
    ----------
    graph : Graph, graph of networkx, or symmetric matrix
    beta : float above 0, default 1
        How long the heat flows.

    Examples
    --------
    >>> from assay.kernels import DiffusionKernel, Graph
    >>> DiffusionKernel(Graph.of_edges([("a", "b")]), beta=0.5)(["a"], ["a", "b"]).round(5)
    array([[0.68394, 0.31606]])

    See Also
    --------
    RegularizedLaplacian

    References
    ----------
    - Kondor, R. I. and Lafferty, J. (2002). Diffusion kernels on graphs and other discrete input spaces. Proceedings of
      the 19th International Conference on Machine Learning, 315-322.
    """

    def _of(self, values: np.ndarray) -> np.ndarray:
        return np.exp(-self.beta * values)  # (1)


@dataclass(frozen=True, eq=False)
class RegularizedLaplacian(NodeKernel):
    r"""Nodes are alike if functions that are smooth over edges give them similar values.

    .. math:: K = \bigl(I + \beta(D - A)\bigr)^{-1} \quad (1)

    Entries fall more slowly with the distance than those of :class:`DiffusionKernel`, and each row sums to 1.

    Cost: O(n^3) once for a graph of n nodes, then O(1) a pair; memory O(n^2).

    Parameters
    ----------
    graph : Graph, graph of networkx, or symmetric matrix
    beta : float above 0, default 1

    Examples
    --------
    >>> from assay.kernels import Graph, RegularizedLaplacian
    >>> RegularizedLaplacian(Graph.of_edges([("a", "b")]))(["a"], ["a", "b"]).round(4)  # 2/3, 1/3
    array([[0.6667, 0.3333]])

    See Also
    --------
    DiffusionKernel

    References
    ----------
    - Smola, A. J. and Kondor, R. (2003). Kernels and regularization on graphs. Learning Theory and Kernel Machines,
      144-158. doi:10.1007/978-3-540-45167-9_12
    """

    def _of(self, values: np.ndarray) -> np.ndarray:
        return 1.0 / (1.0 + self.beta * values)  # (1)
