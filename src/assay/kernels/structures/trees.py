"""Kernels of trees: shared subtrees, and shared parts of subtrees. Trees are nested tuples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import assay.kernels.structures._pairs as _pairs
from assay.core.stored import Scalar
from assay.errors import DataError, ParameterError
from assay.kernels.kernel import Kernel
from assay.kernels.objects import objects_of
from assay.kernels.structures.bags import Bags, feature_number
from assay.kernels.structures.count_kernel import CountKernel
from assay.kernels.structures.parts import Parts

__all__ = ["SubsetTrees", "Subtrees"]


@dataclass(frozen=True, eq=False)
class Subtrees(CountKernel):
    r"""Trees are alike if they share many subtrees, each down to its leaves.

    .. math:: K(a, b) = \sum_s \lambda^{|s|}\,c_s(a)\,c_s(b) \quad (1)

    over all subtrees s of size :math:`|s|` nodes, a leaf alone included, with :math:`c_s` how often it occurs. A tree
    is a tuple of a label and its children, ``("S", ("NP", "she"), ("VP", "sings"))``; what is no tuple is a leaf. The
    order of children counts.

    Cost: O(nodes) a tree, then O(shared subtrees) a pair.

    Parameters
    ----------
    decay : float above 0 up to 1, default 1
        :math:`\lambda`: the smaller, the less large subtrees count.

    Examples
    --------
    >>> from assay.kernels import Subtrees
    >>> Subtrees()([("S", ("A", "x"), ("B", "y"))], [("T", ("A", "x"), ("A", "y"))])  # x, y, (A x)
    array([[3.]])

    See Also
    --------
    SubsetTrees

    References
    ----------
    - Vishwanathan, S. V. N. and Smola, A. J. (2003). Fast kernels for string and tree matching. Advances in Neural
      Information Processing Systems 15.
    """

    decay: float = 1.0
    stored = {"decay": Scalar(0, 1)}

    def __post_init__(self) -> None:
        _check_decay("Subtrees", self.decay)

    def _bags(self, rows: np.ndarray) -> Bags:
        numbers: dict[Any, int] = {}
        features, sizes = [], []
        for i, tree in enumerate(rows):
            feature, size = list[int](), list[int]()
            for label, children in _nodes(tree, i, "Subtrees"):
                key = (_label(label), *(feature[child] for child in children))
                feature.append(_number(key, numbers))
                size.append(1 + sum(size[child] for child in children))
            features.append(feature)
            sizes.append(size)
        start = np.concatenate([[0], np.cumsum([len(f) for f in features])])
        bags = Bags(start, np.array([f for row in features for f in row], dtype=np.uint64))
        if self.decay < 1:
            size_of = {f: s for fs, ss in zip(features, sizes) for f, s in zip(fs, ss)}
            powers = np.array([size_of[int(f)] for f in bags.feature.tolist()], dtype=np.float64)
            bags.value = bags.value * float(self.decay) ** (0.5 * powers)
        return bags


@dataclass(frozen=True, eq=False)
class SubsetTrees(Kernel):
    r"""Trees are alike if they share many fragments, in which a node has all of its children or none.

    .. math:: K(a, b) = \sum_{u \in a}\sum_{v \in b} D(u, v), \quad D(u, v) = \lambda\prod_c\bigl(1 + D(u_c, v_c)\bigr)
              \quad (1)

    for nodes u and v with the same label and the same labels of children, else 0; leaves have no D of their own. Trees
    are nested tuples, as for :class:`Subtrees`. Large trees share fragments with themselves above all: use a decay and
    ``normalized()``.

    Cost: O(l m) a pair of l and m nodes.

    Parameters
    ----------
    decay : float above 0 up to 1, default 0.5
        :math:`\lambda`: the smaller, the less large fragments count.

    Examples
    --------
    >>> from assay.kernels import SubsetTrees
    >>> tree = ("NP", ("D", "the"), ("N", "dog"))
    >>> SubsetTrees(decay=1.0)([tree], [tree])  # D: 1, N: 1, NP: 2 * 2
    array([[6.]])

    See Also
    --------
    Subtrees

    References
    ----------
    - Collins, M. and Duffy, N. (2001). Convolution kernels for natural language. Advances in Neural Information
      Processing Systems 14.
    """

    takes: ClassVar[frozenset[str]] = frozenset({"objects"})

    decay: float = 0.5
    stored = {"decay": Scalar(0, 1)}

    def __post_init__(self) -> None:
        _check_decay("SubsetTrees", self.decay)

    def _prepared(self, X: Any) -> Parts:
        if isinstance(X, Parts):
            return X
        numbers: dict[Any, int] = {}
        first, labels, start, links = [0], list[int](), [0], list[int]()
        for i, tree in enumerate(objects_of(X, "SubsetTrees")):
            names = list[Any]()
            for label, children in _nodes(tree, i, "SubsetTrees"):
                key = (_label(label), *(names[child] for child in children))
                names.append(_label(label))
                labels.append(_number(key, numbers))
                links += children
                start.append(len(links))
            first.append(len(labels))
        return Parts(first, labels, start, links)

    def _block(self, A: Parts, B: Parts) -> np.ndarray:
        out = np.empty((len(A), len(B)))
        _pairs.subset_trees(A.native, B.native, float(self.decay), out)
        return out


def _check_decay(who: str, decay: Any) -> None:
    if not isinstance(decay, (int, float, np.number)) or not 0 < decay <= 1:
        raise ParameterError(f"{who}: decay must be a number above 0 up to 1, got {decay!r}.")


def _nodes(tree: Any, row: int, who: str) -> Iterator[tuple[Any, list[int]]]:
    """Label and numbers of the children of every node, children before their parents."""
    done, waiting = 0, [(tree, False)]
    numbers: list[list[int]] = [[]]
    while waiting:
        node, entered = waiting.pop()
        children = node[1:] if isinstance(node, tuple) else ()
        if isinstance(node, tuple) and (not node or isinstance(node[0], (tuple, list, dict, set))):
            raise DataError(
                f"{who}: row {row + 1} must be a tree, nested tuples of a label and its children, got {node!r:.80}."
            )
        if children and not entered:
            waiting.append((node, True))
            numbers.append([])
            waiting += [(child, False) for child in reversed(children)]
            continue
        below = numbers.pop() if children else []
        yield (node[0] if isinstance(node, tuple) else node), below
        numbers[-1].append(done)
        done += 1


def _label(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _number(key: Any, numbers: dict[Any, int]) -> int:
    try:
        if key not in numbers:
            numbers[key] = feature_number(key)
    except TypeError:
        raise DataError(
            "SubsetTrees: a tree is a label or (label, child, child, ...), its labels text or numbers; got the label "
            f"{next(part for part in key if getattr(part, '__hash__', None) is None)!r}."
        ) from None
    return numbers[key]
