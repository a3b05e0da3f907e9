"""Linear tests of a multivariate tree: a threshold, a hyperplane, the largest of several scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from assay.core.stored import CodeArray, FloatArray, Integer, Scalar
from assay.core.words import one_line, shorter
from assay.rulebase.conditions import Condition, LinearCondition, RowTest, weighted_sum

__all__ = ["Discriminants", "Hyperplane", "Split", "Threshold", "about", "are_numbers", "require", "share_of"]

Term = tuple[str, float, float]  # what it is, its weight, its contribution


class Split(Protocol):
    """A question to rows whose answer is the number of a branch."""

    kind: ClassVar[str]

    @property
    def arity(self) -> int:
        """The number of branches."""

    @property
    def n_parameters(self) -> int:
        """How many numbers make it up."""

    def value(self, X: np.ndarray) -> np.ndarray:
        """(n,) or (n, arity) the number(s) that the branch follows from."""

    def branch(self, X: np.ndarray) -> np.ndarray:
        """(n,) the branch of each row."""

    def words(self, names: Sequence[str]) -> str:
        """What is looked at."""

    def labels(self, classes: Sequence[str]) -> list[str]:
        """What leads to each branch."""

    def conditions(self) -> list[RowTest | None]:
        """For each branch, the condition as an object, if it has that form."""

    def terms(self, x: np.ndarray, names: Sequence[str]) -> list[Term]:
        """What the value of one row is made of, largest part first; empty if it is no sum."""

    def shares(self, d: int) -> np.ndarray:
        """(d,) how much each column takes part; sum 1."""

    def check(self, d: int) -> None:
        """Raise a ValueError unless this is a question to rows of d columns."""


@dataclass(frozen=True)
class Threshold:
    """One column against one number: ``x[column] <= threshold`` goes to branch 0, all else to 1.

    >>> import numpy as np
    >>> from assay.trees.multivariate.splits import Threshold
    >>> Threshold(0, 2.5).branch(np.array([[2.5], [3.0]]))
    array([0, 1])
    """

    column: int
    threshold: float
    kind: ClassVar[str] = "univariate"
    arity: ClassVar[int] = 2
    n_parameters: ClassVar[int] = 2
    stored = {
        "column": Integer(),
        "threshold": Scalar(finite=True),
    }

    def value(self, X: np.ndarray) -> np.ndarray:
        return X[:, self.column]

    def branch(self, X: np.ndarray) -> np.ndarray:
        return (X[:, self.column] > self.threshold).astype(np.intp)

    def words(self, names: Sequence[str]) -> str:
        return one_line(names[self.column])

    def labels(self, classes: Sequence[str]) -> list[str]:
        return [f"≤ {shorter(self.threshold)}", f"> {shorter(self.threshold)}"]

    def conditions(self) -> list[RowTest | None]:
        return [Condition(self.column, high=self.threshold), Condition(self.column, low=self.threshold)]

    def terms(self, x: np.ndarray, names: Sequence[str]) -> list[Term]:
        return []

    def shares(self, d: int) -> np.ndarray:
        return np.eye(1, d, self.column)[0]

    def check(self, d: int) -> None:
        require(0 <= self.column < d and np.isfinite(self.threshold), "a threshold of no column")


@dataclass(frozen=True, eq=False)
class Hyperplane:
    r"""A weighted sum of columns against a number, in the columns' own units.

    .. math:: w^T x \le t \text{ goes to branch 0, all else to 1}

    ``scale`` holds the standard deviations of the columns at the node, which give the effect of a weight.

    >>> import numpy as np
    >>> from assay.trees.multivariate.splits import Hyperplane
    >>> split = Hyperplane(np.array([0.02, 0.0, 2e-05]), 2.0, np.ones(3))
    >>> split.branch(np.array([[59.0, 1.0, 25000.0], [43.0, 1.0, 61000.0]]))
    array([0, 1])
    >>> split.words(["Age", "Height", "Salary"])
    '0.02 Age + 2e-05 Salary'
    """

    weights: np.ndarray
    threshold: float
    scale: np.ndarray
    kind: ClassVar[str] = "linear"
    arity: ClassVar[int] = 2
    stored = {
        "weights": FloatArray("d", finite=True),
        "threshold": Scalar(finite=True),
        "scale": FloatArray("d", finite=True),
    }

    @property
    def n_parameters(self) -> int:
        return int(np.count_nonzero(self.weights)) + 1

    def value(self, X: np.ndarray) -> np.ndarray:
        total = np.zeros(len(X))
        for j in np.flatnonzero(self.weights):  # in this order, so that a row's sum does not depend on others
            total += self.weights[j] * X[:, j]
        return total

    def branch(self, X: np.ndarray) -> np.ndarray:
        return (self.value(X) > self.threshold).astype(np.intp)

    def words(self, names: Sequence[str]) -> str:
        return weighted_sum([(w, one_line(names[j])) for j, w in self._used()], digits=4)

    def labels(self, classes: Sequence[str]) -> list[str]:
        return [f"≤ {shorter(self.threshold)}", f"> {shorter(self.threshold)}"]

    def conditions(self) -> list[RowTest | None]:
        terms = tuple(self._used())
        return [LinearCondition(terms, high=self.threshold), LinearCondition(terms, low=self.threshold)]

    def terms(self, x: np.ndarray, names: Sequence[str]) -> list[Term]:
        parts = [(one_line(names[j]), w, w * float(x[j])) for j, w in self._used()]
        return sorted(parts, key=lambda part: -abs(part[2]))

    def shares(self, d: int) -> np.ndarray:
        return share_of(np.abs(self.weights) * self.scale)

    def check(self, d: int) -> None:
        require(are_numbers(self.weights, (d,)) and are_numbers(self.scale, (d,)), "a weight for each column")
        require(np.isfinite(self.threshold), "a threshold")

    def _used(self) -> list[tuple[int, float]]:
        return [(int(j), float(self.weights[j])) for j in np.flatnonzero(self.weights)]


@dataclass(frozen=True, eq=False)
class Discriminants:
    r"""One linear score for each branch; a row goes where the score is largest, among equals to the first.

    .. math:: g_b(x) = w_b^T (x - c) + v_b

    ``classes`` names the class that each branch stands for.

    >>> import numpy as np
    >>> from assay.trees.multivariate.splits import Discriminants
    >>> split = Discriminants(np.array([[-1.0], [0.0], [1.0]]), np.array([0.0, 1.0, 0.0]), np.zeros(1),
    ...                       np.ones(1), np.array([0, 1, 2]))
    >>> split.branch(np.array([[-2.0], [0.5], [2.0]]))
    array([0, 1, 2])
    """

    weights: np.ndarray
    constants: np.ndarray
    centre: np.ndarray
    scale: np.ndarray
    classes: np.ndarray
    kind: ClassVar[str] = "linear machine"
    stored = {
        "weights": FloatArray("b", "d", finite=True),
        "constants": FloatArray("b", finite=True),
        "centre": FloatArray("d", finite=True),
        "scale": FloatArray("d", finite=True),
        "classes": CodeArray("b"),
    }

    @property
    def arity(self) -> int:
        return len(self.constants)

    @property
    def n_parameters(self) -> int:
        return int(np.count_nonzero(self.weights)) + len(self.constants)

    def value(self, X: np.ndarray) -> np.ndarray:
        return (X - self.centre) @ self.weights.T + self.constants

    def branch(self, X: np.ndarray) -> np.ndarray:
        return np.argmax(self.value(X), axis=1)

    def without(self, branches: np.ndarray) -> Discriminants:
        """The same scores but for these branches."""
        keep = np.setdiff1d(np.arange(self.arity), branches)
        return Discriminants(
            self.weights[keep], self.constants[keep], self.centre, self.scale, self.classes[keep]
        )

    def words(self, names: Sequence[str]) -> str:
        return "largest linear score"

    def labels(self, classes: Sequence[str]) -> list[str]:
        return [f"of {classes[k]}" for k in self.classes]

    def conditions(self) -> list[RowTest | None]:
        return [None] * self.arity

    def terms(self, x: np.ndarray, names: Sequence[str]) -> list[Term]:
        """How the largest score comes to exceed the second largest; columns count from their means at the node."""
        scores = self.value(x[None])[0]
        second, first = np.argsort(scores, kind="stable")[-2:]
        w = self.weights[first] - self.weights[second]
        u = x - self.centre
        lead = float(self.constants[first] - self.constants[second])
        parts = [
            (about(names[j], self.centre[j]), float(w[j]), float(w[j] * u[j])) for j in np.flatnonzero(w)
        ]
        return sorted([*parts, ("constant", lead, lead)], key=lambda part: -abs(part[2]))

    def shares(self, d: int) -> np.ndarray:
        return share_of(np.abs(self.weights - self.weights.mean(axis=0)).sum(axis=0) * self.scale)

    def check(self, d: int) -> None:
        B = len(self.constants)
        sound = are_numbers(self.weights, (B, d)) and are_numbers(self.constants, (B,)) and B > 1
        require(
            sound and are_numbers(self.centre, (d,)) and are_numbers(self.scale, (d,)),
            "a score for each branch",
        )
        require(self.classes.shape == (B,) and self.classes.dtype.kind == "i", "a class for each branch")


def about(name: str, centre: float) -> str:
    """A column counted from a number: ``age - 40``."""
    return f"{one_line(name)} {'+' if centre < 0 else '-'} {shorter(abs(centre), 4)}"


def share_of(parts: np.ndarray) -> np.ndarray:
    """Parts as shares of their sum; equal shares if there is none."""
    total = parts.sum()
    return parts / total if total > 0 else np.full(len(parts), 1 / max(len(parts), 1))


def are_numbers(a: Any, shape: tuple[int, ...]) -> bool:
    """Whether this is an array of finite floats of that shape."""
    return (
        isinstance(a, np.ndarray)
        and a.dtype == np.float64
        and a.shape == shape
        and bool(np.isfinite(a).all())
    )


def require(holds: Any, what: str) -> None:
    """Raise a ValueError unless a stored split is sound."""
    if not holds:
        raise ValueError(f"BranchTree: not a test that rows can be given ({what}).")
