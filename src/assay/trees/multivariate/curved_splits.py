"""Nonlinear tests of a multivariate tree: a quadric, a sphere, an ellipsoid, a small network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.core.stored import FloatArray, Scalar
from assay.core.words import one_line, shorter
from assay.rulebase.conditions import RowTest
from assay.trees.multivariate.splits import Term, about, are_numbers, require, share_of

__all__ = ["Ellipsoid", "Network", "Quadric", "Sphere"]


class _TwoSided:
    """A number against a limit: at most the limit goes to branch 0, all else to 1."""

    arity: ClassVar[int] = 2
    limit: float

    def value(self, X: np.ndarray) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define value")

    def branch(self, X: np.ndarray) -> np.ndarray:
        return (self.value(X) > self.limit).astype(np.intp)

    def labels(self, classes: Sequence[str]) -> list[str]:
        return [f"≤ {shorter(self.limit)}", f"> {shorter(self.limit)}"]

    def conditions(self) -> list[RowTest | None]:
        return [None, None]

    def terms(self, x: np.ndarray, names: Sequence[str]) -> list[Term]:
        return []


@dataclass(frozen=True, eq=False)
class Quadric(_TwoSided):
    r"""A quadratic function of the columns against a number.

    .. math:: (x-c)^T W (x-c) + w^T (x-c) \le t \text{ goes to branch 0, all else to 1}

    >>> import numpy as np
    >>> from assay.trees.multivariate.curved_splits import Quadric
    >>> split = Quadric(np.eye(2), np.zeros(2), np.zeros(2), 1.0, np.ones(2))   # the unit circle
    >>> split.branch(np.array([[0.5, 0.5], [1.0, 1.0]]))
    array([0, 1])
    """

    matrix: np.ndarray
    weights: np.ndarray
    centre: np.ndarray
    limit: float
    scale: np.ndarray
    kind: ClassVar[str] = "quadratic"
    stored = {
        "matrix": FloatArray("d", "d", finite=True),
        "weights": FloatArray("d", finite=True),
        "centre": FloatArray("d", finite=True),
        "scale": FloatArray("d", finite=True),
        "limit": Scalar(finite=True),
    }

    @property
    def n_parameters(self) -> int:
        d = len(self.weights)
        return d * (d + 1) // 2 + d + 1

    def value(self, X: np.ndarray) -> np.ndarray:
        U = X - self.centre
        return np.sum((U @ self.matrix) * U, axis=1) + U @ self.weights

    def words(self, names: Sequence[str]) -> str:
        return f"quadratic function of {_columns(names)}"

    def terms(self, x: np.ndarray, names: Sequence[str]) -> list[Term]:
        u = x - self.centre
        parts: list[Term] = []
        for j in range(len(u)):
            name = f"({about(names[j], self.centre[j])})"
            parts.append((name, float(self.weights[j]), float(self.weights[j] * u[j])))
            parts.append((f"{name}^2", float(self.matrix[j, j]), float(self.matrix[j, j] * u[j] ** 2)))
            for i in range(j):
                w = 2 * float(self.matrix[i, j])
                parts.append(
                    (f"product of {one_line(names[i])} and {one_line(names[j])}", w, w * u[i] * u[j])
                )
        return sorted(parts, key=lambda part: -abs(part[2]))

    def shares(self, d: int) -> np.ndarray:
        bent = np.abs(self.matrix) * self.scale * self.scale[:, None]
        return share_of(bent.sum(axis=0) + np.abs(self.weights) * self.scale)

    def check(self, d: int) -> None:
        vectors = (
            are_numbers(self.weights, (d,))
            and are_numbers(self.centre, (d,))
            and are_numbers(self.scale, (d,))
        )
        require(vectors and are_numbers(self.matrix, (d, d)) and np.isfinite(self.limit), "a quadric")


@dataclass(frozen=True, eq=False)
class Sphere(_TwoSided):
    r"""The distance from a centre, columns in units of ``scale``, against a radius.

    .. math:: \lVert (x - c) / s \rVert \le \alpha \text{ goes to branch 0, all else to 1}

    ``spread`` holds the standard deviations of the columns at the node, which give how much each adds to distances.

    >>> import numpy as np
    >>> from assay.trees.multivariate.curved_splits import Sphere
    >>> Sphere(np.zeros(2), np.ones(2), 1.0, np.ones(2)).branch(np.array([[0.5, 0.5], [1.0, 1.0]]))
    array([0, 1])
    """

    centre: np.ndarray
    scale: np.ndarray
    limit: float
    spread: np.ndarray
    kind: ClassVar[str] = "sphere"
    stored = {
        "centre": FloatArray("d", finite=True),
        "scale": FloatArray("d", low=0, finite=True),
        "spread": FloatArray("d", finite=True),
        "limit": Scalar(finite=True),
    }

    @property
    def n_parameters(self) -> int:
        return len(self.centre) + 1

    def value(self, X: np.ndarray) -> np.ndarray:
        return np.sqrt(np.sum(((X - self.centre) / self.scale) ** 2, axis=1))

    def words(self, names: Sequence[str]) -> str:
        at = ", ".join(f"{one_line(n)} {shorter(c, 4)}" for n, c in list(zip(names, self.centre))[:4])
        return f"distance from ({at}{', ...' if len(self.centre) > 4 else ''})"

    def terms(self, x: np.ndarray, names: Sequence[str]) -> list[Term]:
        """What each column adds to the squared distance."""
        parts = ((x - self.centre) / self.scale) ** 2
        terms = [(one_line(n), float(s**-2.0), float(p)) for n, s, p in zip(names, self.scale, parts)]
        return sorted(terms, key=lambda part: -part[2])

    def shares(self, d: int) -> np.ndarray:
        return share_of((self.spread / self.scale) ** 2)

    def check(self, d: int) -> None:
        sound = (
            are_numbers(self.centre, (d,)) and are_numbers(self.scale, (d,)) and bool((self.scale > 0).all())
        )
        require(sound and are_numbers(self.spread, (d,)) and np.isfinite(self.limit), "a centre and a radius")


@dataclass(frozen=True, eq=False)
class Ellipsoid(_TwoSided):
    r"""The Mahalanobis distance from a centre against a radius.

    .. math:: \lVert A^T (x - c) \rVert \le \alpha \text{ goes to branch 0, all else to 1}

    where :math:`A A^T` is the inverse of a covariance.

    >>> import numpy as np
    >>> from assay.trees.multivariate.curved_splits import Ellipsoid
    >>> split = Ellipsoid(np.zeros(2), np.diag([0.5, 1.0]), 1.0, np.array([2.0, 1.0]))
    >>> split.branch(np.array([[1.9, 0.0], [0.0, 1.9]]))
    array([0, 1])
    """

    centre: np.ndarray
    axes: np.ndarray
    limit: float
    scale: np.ndarray
    kind: ClassVar[str] = "ellipsoid"
    stored = {
        "centre": FloatArray("d", finite=True),
        "axes": FloatArray("d", "*", finite=True),
        "scale": FloatArray("d", finite=True),
        "limit": Scalar(finite=True),
    }

    @property
    def n_parameters(self) -> int:
        d = len(self.centre)
        return d * (d + 1) // 2 + d + 1

    def value(self, X: np.ndarray) -> np.ndarray:
        return np.sqrt(np.sum(((X - self.centre) @ self.axes) ** 2, axis=1))

    def words(self, names: Sequence[str]) -> str:
        at = ", ".join(f"{one_line(n)} {shorter(c, 4)}" for n, c in list(zip(names, self.centre))[:4])
        return f"Mahalanobis distance from ({at}{', ...' if len(self.centre) > 4 else ''})"

    def shares(self, d: int) -> np.ndarray:
        return share_of(np.abs(self.axes).sum(axis=1) * self.scale)

    def check(self, d: int) -> None:
        sound = are_numbers(self.centre, (d,)) and are_numbers(self.scale, (d,)) and self.axes.ndim == 2
        require(sound and are_numbers(self.axes, (d, self.axes.shape[1])), "a centre and axes")
        require(np.isfinite(self.limit), "a radius")


@dataclass(frozen=True, eq=False)
class Network(_TwoSided):
    r"""A network with one layer of hidden units against a number.

    .. math:: v^T \tanh\bigl(H (x - c) / s + b\bigr) \le t \text{ goes to branch 0, all else to 1}

    >>> import numpy as np
    >>> from assay.trees.multivariate.curved_splits import Network
    >>> split = Network(np.array([[4.0, 4.0], [4.0, 4.0]]), np.array([-2.0, -6.0]), np.array([1.0, -1.0]),
    ...                 np.zeros(2), np.ones(2), 1.0)
    >>> split.branch(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))   # exclusive or
    array([0, 1, 1, 0])
    """

    hidden: np.ndarray
    biases: np.ndarray
    output: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    limit: float
    kind: ClassVar[str] = "network"
    stored = {
        "hidden": FloatArray("h", "d", finite=True),
        "biases": FloatArray("h", finite=True),
        "output": FloatArray("h", finite=True),
        "centre": FloatArray("d", finite=True),
        "scale": FloatArray("d", finite=True),
        "limit": Scalar(finite=True),
    }

    @property
    def n_parameters(self) -> int:
        return self.hidden.size + 2 * len(self.biases) + 1

    def value(self, X: np.ndarray) -> np.ndarray:
        return np.tanh((X - self.centre) / self.scale @ self.hidden.T + self.biases) @ self.output

    def words(self, names: Sequence[str]) -> str:
        return f"network of {len(self.biases)} hidden unit{'s' if len(self.biases) > 1 else ''}"

    def terms(self, x: np.ndarray, names: Sequence[str]) -> list[Term]:
        """What each hidden unit adds to the output."""
        lit = np.tanh(self.hidden @ ((x - self.centre) / self.scale) + self.biases)
        parts = [
            (f"hidden unit {h}", float(v), float(v * a)) for h, (v, a) in enumerate(zip(self.output, lit))
        ]
        return sorted(parts, key=lambda part: -abs(part[2]))

    def shares(self, d: int) -> np.ndarray:
        return share_of(np.abs(self.output) @ np.abs(self.hidden))

    def check(self, d: int) -> None:
        h = len(self.biases)
        layers = (
            are_numbers(self.hidden, (h, d))
            and are_numbers(self.biases, (h,))
            and are_numbers(self.output, (h,))
        )
        require(
            layers and are_numbers(self.centre, (d,)) and are_numbers(self.scale, (d,)), "layers that fit"
        )
        require(np.isfinite(self.limit) and (self.scale != 0).all(), "a limit")


def _columns(names: Sequence[str]) -> str:
    if len(names) > 4:
        return f"{len(names)} columns"
    return ", ".join(one_line(name) for name in names)
